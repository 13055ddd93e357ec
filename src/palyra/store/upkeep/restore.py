"""Putting a prepared data directory in the place of the live one, so that a crash leaves one or the other.

The new files are complete under `restore.ready` before anything live is touched: renaming the staging
directory to that name is the moment of decision. From then on every opening finishes the move.
"""

import shutil

from palyra.store.datadir import DataDir, sync_directory

_MOVED = ("keys/checkpoint.key", "erasures.log", "checkpoints.log", "palyra.db")


def finish_staged_restore(directory: DataDir) -> None:
    staged = directory.staged_restore
    if not staged.exists():
        return
    for name in _MOVED:
        source = staged / name
        if not source.exists():
            continue  # moved before the crash
        if name == "palyra.db":
            for suffix in ("-wal", "-shm"):  # they belong to the database that is being replaced
                (directory.root / (name + suffix)).unlink(missing_ok=True)
        source.replace(directory.root / name)
    sync_directory(directory.root)
    sync_directory(directory.key.parent)
    shutil.rmtree(staged)
    sync_directory(directory.root)
