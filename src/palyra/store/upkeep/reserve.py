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


class Reserve:
    def __init__(self, path: Path, database: Path) -> None:
        self.path = path
        self._database = database

    def keep(self) -> None:
        """Makes it where there is none or too little, if there is room."""
        with suppress(OSError):
            if not self.path.exists() or self.path.stat().st_size < self._wanted():
                self.renew()

    def renew(self) -> None:
        """Raises OSError where there is no room for a second one, or the disk takes no file."""
        temporary = self.path.with_name(self.path.name + ".tmp")
        try:
            _allocate(temporary, self._wanted())
            temporary.replace(self.path)
            sync_directory(self.path.parent)
        except OSError:
            with suppress(OSError):
                temporary.unlink()
            raise

    def _wanted(self) -> int:
        """To rewrite the database takes its size; of a large one that has to wait until there is room."""
        needed = self._database.stat().st_size * 5 // 4
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
