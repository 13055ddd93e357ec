"""The rows of an index: one number per property and row, and who said what after whom.

Row 0 is nobody: it is the neighbour of a turn that has none, holds no terms and no vector, and saves every
look-up of a neighbour a special case. Rows of discarded items are given out again once nothing points to them.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from palyra.domain.retrieval.entry import Entry

NOBODY = 0
_FIRST_ROWS = 64


class Columns:
    """Grows by doubling. Arrays are replaced when it grows, so no caller may hold on to one."""

    def __init__(self) -> None:
        self.size = 1
        """rows given out so far, nobody included"""
        self.key = np.zeros(_FIRST_ROWS, np.int64)
        self.at_ms = np.zeros(_FIRST_ROWS, np.int64)
        self.scope = np.zeros(_FIRST_ROWS, np.int64)
        self.speaker = np.zeros(_FIRST_ROWS, np.int32)
        self.length = np.zeros(_FIRST_ROWS, np.float32)
        self.signs = np.zeros(_FIRST_ROWS, np.uint8)
        self.trust = np.zeros(_FIRST_ROWS, np.uint8)
        self.thread = np.zeros(_FIRST_ROWS, np.int32)
        self.before = np.zeros(_FIRST_ROWS, np.int32)
        self.after = np.zeros(_FIRST_ROWS, np.int32)
        self.alive = np.zeros(_FIRST_ROWS, np.bool_)
        self._free: list[int] = []

    def take(self, n: int) -> NDArray[np.int64]:
        """`n` rows that nobody uses."""
        reused = [self._free.pop() for _ in range(min(n, len(self._free)))]
        fresh = n - len(reused)
        self._reserve(self.size + fresh)
        rows = np.array([*reused, *range(self.size, self.size + fresh)], dtype=np.int64)
        self.size += fresh
        return rows

    def give_back(self, rows: Sequence[int]) -> None:
        """Rows that no posting names any more."""
        self._free.extend(sorted(rows, reverse=True))

    def memory_bytes(self) -> int:
        return sum(array.nbytes for array in vars(self).values() if isinstance(array, np.ndarray))

    def _reserve(self, rows: int) -> None:
        if rows <= len(self.key):
            return
        capacity = max(rows, 2 * len(self.key))
        for name, array in list(vars(self).items()):
            if isinstance(array, np.ndarray):
                wider = np.zeros(capacity, array.dtype)
                wider[: len(array)] = array
                setattr(self, name, wider)


class Threads:
    """Turns of one scope and thread in order of time and key, as a chain through `before` and `after`."""

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._codes: dict[tuple[int, str], int] = {}
        self.last = np.zeros(_FIRST_ROWS, np.int32)
        self.turns = np.zeros(_FIRST_ROWS, np.int32)
        """by thread code: its last row, and how many it has. Code 0 is no thread."""

    def code(self, scope: int, thread: str) -> int:
        if not thread:
            return 0
        code = self._codes.setdefault((scope, thread), len(self._codes) + 1)
        if code >= len(self.last):
            self.last = np.concatenate([self.last, np.zeros_like(self.last)])
            self.turns = np.concatenate([self.turns, np.zeros_like(self.turns)])
        return code

    def link(self, rows: NDArray[np.int64]) -> None:
        """Rows whose key, time and thread are set, and which are not linked yet."""
        columns = self._columns
        rows = rows[columns.thread[rows] != 0]
        if not len(rows):
            return
        order = np.lexsort((columns.key[rows], columns.at_ms[rows], columns.thread[rows]))
        rows = rows[order]
        threads = columns.thread[rows]
        new = self.last[threads] == NOBODY
        chained = rows[new]
        if len(chained):
            codes = threads[new]
            same = codes[1:] == codes[:-1]
            columns.before[chained] = np.concatenate([[NOBODY], np.where(same, chained[:-1], NOBODY)])
            columns.after[chained] = np.concatenate([np.where(same, chained[1:], NOBODY), [NOBODY]])
            ends = np.append(~same, True)
            self.last[codes[ends]] = chained[ends]
        for row in rows[~new].tolist():
            self._insert(row)
        np.add.at(self.turns, threads, 1)

    def unlink(self, row: int) -> None:
        columns = self._columns
        code = int(columns.thread[row])
        if not code:
            return
        before, after = int(columns.before[row]), int(columns.after[row])
        if before:
            columns.after[before] = after
        if after:
            columns.before[after] = before
        else:
            self.last[code] = before
        self.turns[code] -= 1

    def memory_bytes(self) -> int:
        names = sum(len(thread) + 150 for _, thread in self._codes)
        return self.last.nbytes + self.turns.nbytes + names

    def _insert(self, row: int) -> None:
        """From the end backwards: what is said is almost always the newest."""
        columns = self._columns
        code = int(columns.thread[row])
        place = (int(columns.at_ms[row]), int(columns.key[row]))
        after, before = NOBODY, int(self.last[code])
        while before and (int(columns.at_ms[before]), int(columns.key[before])) > place:
            after, before = before, int(columns.before[before])
        columns.before[row], columns.after[row] = before, after
        if before:
            columns.after[before] = row
        if after:
            columns.before[after] = row
        else:
            self.last[code] = row


def fill(columns: Columns, rows: NDArray[np.int64], entries: Sequence[Entry]) -> None:
    """What an entry says of itself; its terms, thread and speaker codes are filled in by who knows them."""
    n = len(entries)
    columns.key[rows] = np.fromiter((entry.key for entry in entries), np.int64, n)
    columns.at_ms[rows] = np.fromiter((entry.at_ms for entry in entries), np.int64, n)
    columns.scope[rows] = np.fromiter((entry.scope for entry in entries), np.int64, n)
    columns.trust[rows] = np.fromiter((min(max(entry.trust, 0), 4) for entry in entries), np.uint8, n)
