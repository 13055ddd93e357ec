"""Room that is kept in the data directory, so that erasing works on a full disk, too.

A new one takes the place of the old: that it could be made shows that the disk takes and keeps a file, and that there
is more room than the next few writes.
"""

import os
import shutil
from contextlib import suppress
from pathlib import Path

from palyra.store.datadir import sync_directory

LEAST_BYTES, MOST_BYTES = 1024 * 1024, 16 * 1024 * 1024
_SHARE_OF_DISK = 16
_SPARE_BYTES = 256 * 1024
_WORTH_BYTES = 64 * 1024


class Reserve:
    def __init__(self, path: Path, database: Path) -> None:
        self.path = path
        self._database = database

    def keep(self) -> None:
        """Makes it where there is none or too little, as large as there is room for."""
        with suppress(OSError):
            size, wanted = self._size(), self._wanted()
            while wanted > max(size, _WORTH_BYTES):
                with suppress(OSError):
                    self._make(wanted)
                    return
                wanted //= 2

    def renew(self) -> None:
        """Raises OSError where there is no room for a second one, or the disk takes no file."""
        self._make(self._wanted())

    def spare(self) -> None:
        """Opening a database takes a little room, reading it, too: on a full disk it comes from here."""
        with suppress(OSError):
            if shutil.disk_usage(self.path.parent).free < _SPARE_BYTES:
                os.truncate(self.path, max(0, self._size() - _SPARE_BYTES))

    def _size(self) -> int:
        return self.path.stat().st_size if self.path.exists() else 0

    def _make(self, size: int) -> None:
        temporary = self.path.with_name(self.path.name + ".tmp")
        try:
            _allocate(temporary, size)
            temporary.replace(self.path)
            sync_directory(self.path.parent)
        except OSError:
            with suppress(OSError):
                temporary.unlink()
            raise

    def _wanted(self) -> int:
        """To rewrite the database takes its size; of a large one that has to wait until there is room. A power of two,
        so that it is not made anew with every page that is added."""
        needed = 1 << self._database.stat().st_size.bit_length()
        disk = shutil.disk_usage(self.path.parent).total
        return min(MOST_BYTES, disk // _SHARE_OF_DISK, max(LEAST_BYTES, needed))

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
