"""What erasing leaves outside the database: the ids of erased events, and a mark while the work is unfinished.

`erasures.log` lets a restored backup erase again what was erased since. The mark is set before an erasure is
committed and removed when no copy of the text is left; an opening that finds it finishes the work.
"""

from collections.abc import Iterable
from pathlib import Path

from palyra.store.connection import ReadTx, errors_in_our_words
from palyra.store.datadir import DataDir, append_durably, sync_directory, write_durably
from palyra.store.erasures import erased_events


def read_erasure_log(path: Path) -> list[str]:
    """Erased event ids, oldest first. A half-written last line is left out."""
    with errors_in_our_words(path):
        try:
            lines = path.read_text("ascii", errors="replace").split("\n")
        except FileNotFoundError:
            return []
    return [line for line in lines[:-1] if len(line) == 26]


def append_erasures(path: Path, event_ids: Iterable[str]) -> None:
    with errors_in_our_words(path):
        before = path.read_bytes() if path.exists() else b""
        torn = bool(before) and not before.endswith(b"\n")
        text = "".join(f"{event_id}\n" for event_id in event_ids)
        append_durably(path, "\n" + text if torn else text)


def catch_up_erasure_log(tx: ReadTx, path: Path) -> bool:
    """Adds what the journal has erased and the log does not say; True if there was anything."""
    known = set(read_erasure_log(path))
    missing = [event_id for event_id, _ in erased_events(tx) if event_id not in known]
    if missing:
        append_erasures(path, missing)
    return bool(missing)


def mark_unfinished(directory: DataDir) -> None:
    with errors_in_our_words(directory.unfinished_erasure):
        write_durably(directory.unfinished_erasure, b"")


def mark_finished(directory: DataDir) -> None:
    with errors_in_our_words(directory.unfinished_erasure):
        directory.unfinished_erasure.unlink(missing_ok=True)
        sync_directory(directory.root)
