"""Room that is kept in the data directory, so that erasing works on a full disk, too.

A new one takes the place of the old: that it could be made shows that the disk takes and keeps a file, and that there
is more room than the next few writes.
"""

import os
import shutil
from contextlib import suppress
from pathlib import Path

from palyra.store.datadir import sync_directory

MOST_BYTES = 4 * 1024 * 1024
_SHARE_OF_DISK = 16


class Reserve:
    def __init__(self, path: Path) -> None:
        self.path = path

    def keep(self) -> None:
        """Makes it where there is none, if there is room."""
        if not self.path.exists():
            with suppress(OSError):
                self.renew()

    def renew(self) -> None:
        """Raises OSError where there is no room for a second one, or the disk takes no file."""
        temporary = self.path.with_name(self.path.name + ".tmp")
        try:
            _allocate(temporary, min(MOST_BYTES, shutil.disk_usage(self.path.parent).total // _SHARE_OF_DISK))
            temporary.replace(self.path)
            sync_directory(self.path.parent)
        except OSError:
            with suppress(OSError):
                temporary.unlink()
            raise

    def release(self) -> None:
        with suppress(OSError):  # a disk that takes no writes: then room is not what is missing
            self.path.unlink()


def _allocate(path: Path, size: int) -> None:
    file = os.open(path, os.O_CREAT | os.O_TRUNC | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(file, 0, size)
        else:
            for start in range(0, size, 65_536):
                os.pwrite(file, bytes(min(65_536, size - start)), start)
        os.pwrite(file, b"room for erasing when the disk is full\n", 0)
        os.fsync(file)
    finally:
        os.close(file)
