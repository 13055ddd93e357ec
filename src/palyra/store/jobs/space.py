"""How much of the database file is empty."""

from dataclasses import dataclass
from typing import cast

from palyra.store.connection import ReadTx


@dataclass(frozen=True, slots=True)
class FileSpace:
    bytes: int
    empty_bytes: int
    """in pages that hold nothing any more"""


def file_space(tx: ReadTx) -> FileSpace:
    size, pages, empty = (
        cast("int", row[0]) if (row := tx.execute(f"PRAGMA {name}").fetchone()) else 0
        for name in ("page_size", "page_count", "freelist_count")
    )
    return FileSpace(size * pages, size * empty)
