"""Putting one name in the place of another so that nobody's text is lost on the way.

Linux can exchange two names in one step, and refuse a rename onto something that is there. Elsewhere the same is done
with what there is, and a moment remains between looking and renaming.
"""

import ctypes
import errno
import fcntl
import os
import signal
from contextlib import suppress

_NOREPLACE, _EXCHANGE = 1, 2
_UNSUPPORTED = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP)


def exchange(folder: int, one: str, other: str) -> bool:
    """Both names lie in the folder, and each then has what the other had. False: this system cannot."""
    return _renameat2(folder, one, other, _EXCHANGE)


def put_new(folder: int, source: str, name: str) -> None:
    """`source` becomes `name`. FileExistsError, and nothing changed, if something has that name."""
    if _renameat2(folder, source, name, _NOREPLACE):
        return
    os.link(source, name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    os.unlink(source, dir_fd=folder)


def is_open_for_writing(fd: int) -> bool:
    """Whether somebody has the file open who may go on writing to it. False where nobody can tell; `fd` only reads."""
    if not hasattr(fcntl, "F_SETLEASE"):
        return False
    try:
        # Whoever opens it to write while we ask makes the kernel send a signal: one that is ignored, not SIGIO.
        fcntl.fcntl(fd, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_RDLCK)
    except OSError as error:
        return error.errno == errno.EAGAIN
    with suppress(OSError):
        fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    return False


def _renameat2(folder: int, source: str, target: str, flags: int) -> bool:
    call = getattr(_LIBC, "renameat2", None)
    if call is None:
        return False
    if call(folder, os.fsencode(source), folder, os.fsencode(target), flags) == 0:
        return True
    number = ctypes.get_errno()
    if number in _UNSUPPORTED:
        return False
    raise OSError(number, os.strerror(number), target)


_LIBC = ctypes.CDLL(None, use_errno=True)
