"""Which stretches of the journal hold which names: how a query finds events without an index entry per event.

An index would be a page more in every commit. Instead, when a tile of 256 events is complete, the kinds, principals,
sessions and runs in it are written down once, and when its events were recorded. A query goes from a name to its
tiles, reads the events there and keeps those it wants; the tile that is still open is always looked at.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple, cast

from palyra.core.hashing import split_names
from palyra.domain.journal import EventFilter, Fault, Finding
from palyra.store.connection import ReadTx, WriteTx
from palyra.store.tiles.tree import TILE_WIDTH

_OPEN_TILE = f"(SELECT coalesce(max(seq), 0) / {TILE_WIDTH} FROM journal_events)"
_OF_TILE = f"e.seq > t.tile * {TILE_WIDTH} AND e.seq <= (t.tile + 1) * {TILE_WIDTH}"
NAMED_EVENTS = (
    f" FROM (SELECT tile FROM journal_names WHERE name = ? UNION ALL SELECT {_OPEN_TILE}) AS t"
    f" CROSS JOIN journal_events AS e ON {_OF_TILE} "
)
"""Instead of ` FROM journal_events AS e `: every event with that name is in it, and others are. Ask for all of them,
or sort: they come in no order that SQLite knows of."""

_HELD = (
    "WITH held AS MATERIALIZED ("
    f"SELECT DISTINCT (seq - 1) / {TILE_WIDTH} AS tile, kind, principal, session_id, run_id FROM journal_events"
    f" WHERE seq > ?1 * {TILE_WIDTH} AND seq <= ?2 * {TILE_WIDTH})"
)
_NAMES = (
    " SELECT 'kind:' || kind, tile FROM held UNION SELECT 'principal:' || principal, tile FROM held"
    " UNION SELECT 'session:' || session_id, tile FROM held WHERE session_id IS NOT NULL"
    " UNION SELECT 'run:' || run_id, tile FROM held WHERE run_id IS NOT NULL"
)
_TIMES = (
    f"SELECT (seq - 1) / {TILE_WIDTH}, min(recorded_at_ms), max(recorded_at_ms) FROM journal_events"
    f" WHERE seq > ?1 * {TILE_WIDTH} AND seq <= ?2 * {TILE_WIDTH} GROUP BY 1"
)
_PREFIXES = ("kind:", "", "principal:", "", "session:", "run:")
"""of the names in a header, in their order; by actor and by channel nobody looks"""


def kind_name(kind: str) -> str:
    return f"kind:{kind}"


def principal_name(principal: str) -> str:
    return f"principal:{principal}"


def session_name(session_id: str) -> str:
    return f"session:{session_id}"


def run_name(run_id: str) -> str:
    return f"run:{run_id}"


def note_tile(tx: WriteTx, tile: int, held: Iterable[bytes], from_ms: int, to_ms: int) -> None:
    """Writes down what a tile holds that is complete now. `held` are the encoded names in the headers of its events."""
    names = {
        prefix + value
        for one in set(held)  # not by SQL, as below: this is on everybody's way, and most of a tile is alike
        for prefix, value in zip(_PREFIXES, split_names(one), strict=True)
        if prefix and value is not None
    }
    # What somebody wrote there before must not stop the journal; `check_names` tells of it.
    tx.executemany("INSERT OR IGNORE INTO journal_names VALUES (?, ?)", [(name, tile) for name in sorted(names)])
    tx.execute("INSERT OR REPLACE INTO journal_tiles VALUES (?, ?, ?)", (tile, from_ms, to_ms))


def rewrite_names(tx: WriteTx, size: int) -> None:
    tx.execute("DELETE FROM journal_names")
    tx.execute("DELETE FROM journal_tiles")
    complete = (0, size // TILE_WIDTH)
    tx.execute(f"{_HELD} INSERT INTO journal_names{_NAMES}", complete)
    tx.execute(f"INSERT INTO journal_tiles {_TIMES}", complete)


_LACKING = (
    f"{_HELD}, h (name, tile) AS ({_NAMES}) SELECT min(h.tile) FILTER (WHERE n.name IS NULL), count(*)"
    " FROM h LEFT JOIN journal_names AS n ON n.name = h.name AND n.tile = h.tile"
)
_MISTIMED = (
    f"WITH h (tile, from_ms, to_ms) AS ({_TIMES}) SELECT min(h.tile) FROM h LEFT JOIN journal_tiles AS t"
    " ON t.tile = h.tile WHERE (t.from_ms, t.to_ms) IS NOT (h.from_ms, h.to_ms)"
)
_BEYOND = (
    "SELECT min(tile) FROM (SELECT tile FROM journal_names UNION ALL SELECT tile FROM journal_tiles)"
    f" WHERE tile < ?1 OR tile >= max(?2, {_OPEN_TILE})"
)
_STORED = " FROM journal_names WHERE tile >= ?1 AND tile < ?2"
_FORGED = f"SELECT min(tile) FROM (SELECT name, tile{_STORED} EXCEPT SELECT * FROM ({_HELD}{_NAMES}))"


def check_names(tx: ReadTx, size: int) -> list[Finding]:
    """The first tile about which something is written that its events do not bear out, or the other way round."""
    complete = (0, size // TILE_WIDTH)

    def ask(sql: str) -> tuple[int | None, ...]:
        [row] = tx.execute(sql, complete).fetchall()
        return cast("tuple[int | None, ...]", row)

    lacking, held = ask(_LACKING)
    # With as many names as there should be, and none of them lacking, there is none too many.
    forged = ask(_FORGED) if ask(f"SELECT count(*){_STORED}") != (held,) else ()
    wrong = [tile for tile in (lacking, *forged, *ask(_MISTIMED), *ask(_BEYOND)) if tile is not None]
    if not wrong:
        return []
    first = max(min(wrong), 0) * TILE_WIDTH + 1
    message = f"the names written down for events {first} to {first + TILE_WIDTH - 1} are not those of the events"
    return [Finding(Fault.NAMES, first, message)]


class NameSource(NamedTuple):
    """Where to look: after `SELECT … FROM`, after WHERE, and what to put before `e.seq` in ORDER BY."""

    source: str
    tests: str
    values: tuple[object, ...]
    tile: str


def places(tx: ReadTx, want: EventFilter, from_seq: int, to_seq: int) -> list[NameSource]:
    """In the order of the journal; between them they hold all events that are wanted, from one seq to the other."""
    names = _names(want)
    if not names and want.since_ms is None and want.until_ms is None:
        return [_stretch(from_seq, to_seq)]
    first, end, open_tile = _tiles_of_that_time(tx, want)
    still_open = _stretch(max(from_seq, open_tile * TILE_WIDTH + 1), to_seq)
    if not names:
        return [_stretch(max(from_seq, first * TILE_WIDTH + 1), min(to_seq, end * TILE_WIDTH)), still_open]
    first, end = max(first, (from_seq - 1) // TILE_WIDTH), min(end, (to_seq - 1) // TILE_WIDTH + 1)
    source = f"journal_names AS t CROSS JOIN journal_events AS e ON {_OF_TILE}"
    others = " AND EXISTS (SELECT 1 FROM journal_names WHERE name = ? AND tile = t.tile)" * (len(names) - 1)
    # The plus keeps SQLite from walking from `from_seq` to every tile: the tile's own bounds are the closer ones.
    tests = f"t.name = ? AND t.tile >= ? AND t.tile < ?{others} AND +e.seq >= ? AND +e.seq <= ?"
    return [NameSource(source, tests, (names[0], first, end, *names[1:], from_seq, to_seq), "t.tile"), still_open]


def _stretch(from_seq: int, to_seq: int) -> NameSource:
    return NameSource("journal_events AS e", "e.seq >= ? AND e.seq <= ?", (from_seq, to_seq), "")


def _names(want: EventFilter) -> Sequence[str]:
    """The rarest first, as a rule."""
    given = (
        (run_name, want.run_id),
        (session_name, want.session_id),
        (kind_name, want.kind),
        (principal_name, want.principal),
    )
    return [name(value) for name, value in given if value is not None]


def _tiles_of_that_time(tx: ReadTx, want: EventFilter) -> tuple[int, int, int]:
    """The complete tiles that can hold events of that time, and the open tile. Clocks step back: no bisection."""
    row = tx.execute(
        f"SELECT {_OPEN_TILE}, (SELECT tile FROM journal_tiles WHERE to_ms >= ? ORDER BY tile LIMIT 1),"
        " (SELECT tile FROM journal_tiles WHERE from_ms < ? ORDER BY tile DESC LIMIT 1)",
        (want.since_ms, want.until_ms),
    ).fetchone()
    open_tile, first, last = cast("tuple[int, int | None, int | None]", row)
    if want.since_ms is None:
        first = 0
    if want.until_ms is None:
        last = open_tile - 1
    return open_tile if first is None else first, 0 if last is None else last + 1, open_tile
