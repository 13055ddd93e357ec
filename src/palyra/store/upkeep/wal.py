"""The one owner of WAL checkpoints.

Folding the WAL into the database costs an fsync of the big file, so a thread of its own does the bulk while
the writer goes on. When it is done, only the few pages of the meantime are left, and the writer itself folds
those between two commits and starts the WAL afresh: the file stays short and is overwritten, not extended.
"""

import threading
from pathlib import Path

import apsw

from palyra.store.connection import BUSY_MS, open_writer

FOLD_PAGES = 2_000


class WalCheckpointer:
    def __init__(self, path: Path, vfs: str | None) -> None:
        self._path = path
        self._vfs = vfs
        self._next_fold = FOLD_PAGES
        self._is_folded = False
        self._stop = False
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None

    def committed(self, connection: apsw.Connection) -> None:
        """Called by the writer after a commit. (A hook of SQLite's waits for the interpreter inside the commit.)"""
        written, _ = connection.status(apsw.SQLITE_DBSTATUS_CACHE_WRITE)
        if written >= self._next_fold and not self._stop:
            self._next_fold = written + FOLD_PAGES
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="palyra-wal", daemon=True)
                self._thread.start()
            self._wake.set()

    def restart_if_folded(self, connection: apsw.Connection) -> None:
        """Called by the writer between two commits."""
        if not self._is_folded:
            return
        self._is_folded = False
        connection.set_busy_timeout(0)  # a slow reader must not stall the writer: then at the next fold
        try:
            [(busy, _, _)] = connection.execute("PRAGMA wal_checkpoint(RESTART)")
            if not busy:
                self._next_fold = connection.status(apsw.SQLITE_DBSTATUS_CACHE_WRITE)[0] + FOLD_PAGES
        except apsw.Error:
            return  # the disk refuses: the next commit meets it and says so
        finally:
            connection.set_busy_timeout(BUSY_MS)

    def stop(self) -> None:
        """After a failed commit nobody knows what is on the disk: nothing may be folded any more."""
        self._stop = True
        self._is_folded = False
        self._wake.set()

    def close(self) -> None:
        self.stop()
        thread = self._thread
        if thread is not None:
            thread.join()

    def _run(self) -> None:
        try:
            connection = open_writer(self._path, self._vfs)
        except (apsw.Error, OSError):
            self._thread = None  # the disk is in trouble: the next fold tries again
            return
        try:
            while True:
                self._wake.wait()
                self._wake.clear()
                if self._stop:
                    return
                try:
                    connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
                    self._is_folded = not self._stop
                except apsw.Error:
                    continue  # the writer meets the same disk and reports it
        finally:
            connection.close()
