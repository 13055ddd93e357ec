"""Ids of erased events in a file outside the database, so that restoring an old backup erases them again."""

from pathlib import Path

from palyra.store.connection import ReadTx, errors_in_our_words
from palyra.store.datadir import append_durably
from palyra.store.erasures import count_erasures, erased_events


def read_erasure_log(path: Path) -> list[str]:
    """Erased event ids, oldest first. A half-written last line is left out."""
    with errors_in_our_words(path):
        try:
            lines = path.read_text("ascii", errors="replace").split("\n")
        except FileNotFoundError:
            return []
    return [line for line in lines[:-1] if len(line) == 26]


def append_erasures(path: Path, event_ids: list[str]) -> None:
    with errors_in_our_words(path):
        append_durably(path, "".join(f"{event_id}\n" for event_id in event_ids))


def catch_up_erasure_log(tx: ReadTx, path: Path) -> None:
    """After a crash between an erasure's commit and its line here."""
    logged = read_erasure_log(path)
    if len(logged) >= count_erasures(tx):
        return
    known = set(logged)
    missing = [event_id for event_id, _ in erased_events(tx) if event_id not in known]
    if missing:
        append_erasures(path, ["", *missing] if _is_torn(path) else missing)


def _is_torn(path: Path) -> bool:
    return path.exists() and not path.read_bytes().endswith(b"\n")
