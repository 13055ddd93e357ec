"""The event log: appending to the chain, and reading it back.

`Chain` holds the head and the tree frontier for the writer thread, so that an append never counts or scans.
Only `Prepared` events can be appended, and only `prepare` makes one: it is the single place where a payload
is checked, redacted and turned into the bytes that are committed to.
"""

import os
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple, cast

import apsw
import msgspec

from palyra.core import limits
from palyra.core.clock import Clock
from palyra.core.errors import Conflict, Integrity, InvalidArgument, TooLarge
from palyra.core.hashing import (
    GENESIS,
    SALT_BYTES,
    Json,
    canonical_json,
    event_hash,
    header_names,
    payload_commitment,
    request_commitment,
)
from palyra.core.ids import EventId, UlidFactory
from palyra.core.merkle import Frontier
from palyra.core.redact import payload_may_hold_secret, redact_payload_json, words_may_hold_secret
from palyra.domain.journal import Actor, EventDraft, EventFilter, EventRecord, Origin, Receipt, RequestKey, check_draft
from palyra.store.connection import ReadTx, WriteTx
from palyra.store.tiles.names import note_tile, places
from palyra.store.tiles.tree import TILE_WIDTH, join_tiles, put_tile, read_tiles

COLUMNS = (
    "e.seq, e.event_id, e.kind, e.v, e.actor, e.principal, e.channel, e.session_id, e.run_id, e.request_id, "
    "e.request_digest, e.occurred_at_ms, e.recorded_at_ms, e.commitment, e.prev_hash, e.hash, p.salt, p.payload"
)
FROM_EVENTS = " FROM journal_events e LEFT JOIN journal_payloads p ON p.seq = e.seq "

_NO_END = 1 << 62
_SALTS_PER_READ = 256
_MAX_ROWS = 64
_EVENT_COLUMNS, _PAYLOAD_COLUMNS = 16, 3
NO_REQUEST = header_names(None, None)
_ACTORS = frozenset(actor.value for actor in Actor)


class Prepared(NamedTuple):
    """A draft on its way in. (Named tuples here: they cost a third of a frozen dataclass, once per event.)"""

    draft: EventDraft
    payload: bytes
    names: bytes


def prepare(draft: EventDraft, max_payload_bytes: int) -> Prepared:
    """Checks, redacts and encodes a draft. Raises before anything is queued."""
    names = check_draft(draft)
    body = draft.body
    payload = _encode(body)
    words = body if draft.words is None else {name: body[name] for name in draft.words if name in body}
    if payload_may_hold_secret(body, payload) if words is body else words_may_hold_secret(words):  # most need no more
        redacted = redact_payload_json(words)
        if redacted is not words:
            payload = _encode({**body, **cast("dict[str, Json]", redacted)})
    if len(payload) > max_payload_bytes:
        raise TooLarge(
            f"the payload is {len(payload)} bytes; the limit is {max_payload_bytes}",
            hint="split it, or raise journal.max_payload_bytes (hard limit 1048576)",
            bytes=len(payload),
            limit=max_payload_bytes,
        )
    return tuple.__new__(Prepared, (draft, payload, names))  # a third of the price of a call


_FLAT = frozenset({str, int, bool, type(None)})
_encode_flat = msgspec.json.Encoder(order="sorted").encode


def _encode(body: dict[str, Json]) -> bytes:
    try:
        if _FLAT.issuperset(map(type, body.values())):  # as most are; of floats the two encoders have their own ideas
            return _encode_flat(body)
    except (TypeError, UnicodeEncodeError):
        pass  # a key that is no text, or a surrogate: said better below
    try:
        payload = canonical_json(body)
    except RecursionError:
        _check_depth(body)
        raise
    except UnicodeEncodeError:
        raise InvalidArgument(
            "the payload holds half of a surrogate pair", hint="send well-formed Unicode text"
        ) from None
    except (ValueError, TypeError) as error:
        raise InvalidArgument(f"the payload is not JSON: {error}", hint="NaN and Infinity cannot be stored") from error
    if payload.count(b"{") + payload.count(b"[") > limits.PAYLOAD_DEPTH:
        _check_depth(body)
    return payload


class Chain:
    """Head of the chain and of the tree. Used by the writer thread alone; readers read the tables.

    New rows gather here and reach SQLite many at a time: `flush` comes before any statement that could look
    for them, before a savepoint, and before the commit. The tree is worked out a tile at a time.
    """

    __slots__ = (
        "_clock", "_event_values", "_from_ms", "_hash", "_held", "_ids", "_payload_values", "_salts", "_tile", "_tiles",
        "_to_ms",
    )  # fmt: skip

    def __init__(self, clock: Clock, ids: UlidFactory) -> None:
        self._clock = clock
        self._ids = ids
        self._hash = GENESIS
        self._tiles = Frontier()
        """over complete tiles"""
        self._tile: list[bytes] = []
        """event hashes since the last complete tile"""
        self._held: list[bytes] = []
        """the names in the headers of those events"""
        self._from_ms, self._to_ms = _NO_END, 0
        """when they were recorded"""
        self._salts: list[bytes] = []
        self._event_values: list[object] = []
        self._payload_values: list[object] = []

    def load(self, tx: ReadTx) -> None:
        """Reads the head, in constant time whatever the journal's size."""
        head = read_head(tx)
        size = head.seq if head else 0
        self._hash = head.hash if head else GENESIS
        self._tiles, self._tile = read_tiles(tx, size)
        self._held, self._from_ms, self._to_ms = read_open_tile(tx, size - len(self._tile))

    @property
    def size(self) -> int:
        return self._tiles.size * TILE_WIDTH + len(self._tile)

    def root(self) -> bytes:
        return join_tiles(self._tiles, self._tile).root()

    def snapshot(self) -> object:
        """Copies nothing: a tile only grows, and a full one makes way for new objects."""
        return self._hash, self._tiles, self._tile, self._held, self._from_ms, self._to_ms, len(self._tile)

    def restore(self, snapshot: object) -> None:
        """Forgets what came after `snapshot`, which was taken with nothing waiting to be flushed."""
        before = cast("tuple[bytes, Frontier, list[bytes], list[bytes], int, int, int]", snapshot)
        self._hash, self._tiles, self._tile, self._held, self._from_ms, self._to_ms, length = before
        del self._tile[length:], self._held[length:]
        self._event_values.clear()
        self._payload_values.clear()

    @property
    def pending(self) -> bool:
        return bool(self._event_values)

    def flush(self, connection: apsw.Connection) -> None:
        if self._event_values:
            _insert(connection, "journal_events", _EVENT_COLUMNS, self._event_values)
            _insert(connection, "journal_payloads", _PAYLOAD_COLUMNS, self._payload_values)
            self._event_values.clear()
            self._payload_values.clear()

    def append(self, tx: WriteTx, batch: Sequence[Prepared], request: RequestKey | None = None) -> list[Receipt]:
        """Writes the next events, all of one request if any. The caller has made sure that their ids are new.

        One loop with everything at hand: this runs once per event on the only thread that may write.
        """
        now_ms, seq, prev_hash, tile, held = self._clock.now_ms(), self.size, self._hash, self._tile, self._held
        add_event, add_payload, new = self._event_values.extend, self._payload_values.extend, tuple.__new__
        request_id = request_digest = None
        receipts: list[Receipt] = []
        fresh_ids = cast("list[EventId]", self._ids.many(len(batch), now_ms))
        salts = self._take_salts(len(batch))
        for (draft, payload, names), fresh_id, salt in zip(batch, fresh_ids, salts, strict=True):
            kind, _, (principal, actor, channel, session_id, run_id), v, event_id, occurred_at_ms, _ = draft
            seq += 1
            if occurred_at_ms is None:
                occurred_at_ms = now_ms
            if event_id is None:
                event_id = fresh_id
            commitment = payload_commitment(salt, payload)
            if request is None:
                request_names = NO_REQUEST
            else:
                request_id, request_digest = request.request_id, request_commitment(salt, request.digest)
                request_names = header_names(request_id.encode(), request_digest)
            own_hash = event_hash(
                seq, v, occurred_at_ms, now_ms, event_id.encode(), names + request_names, commitment, prev_hash
            )
            add_event((
                seq, event_id, kind, v, actor, principal, channel, session_id, run_id, request_id, request_digest,
                occurred_at_ms, now_ms, commitment, prev_hash, own_hash,
            ))  # fmt: skip
            add_payload((seq, salt, payload))
            tile.append(own_hash)
            held.append(names)
            if len(tile) == TILE_WIDTH:
                note_tile(tx, self._tiles.size, held, min(self._from_ms, now_ms), max(self._to_ms, now_ms))
                self._tiles = put_tile(tx, self._tiles, tile)
                self._tile, self._held = tile, held = [], []
                self._from_ms, self._to_ms = _NO_END, 0
            prev_hash = own_hash
            receipts.append(new(Receipt, (seq, event_id, own_hash, now_ms, False)))  # a third of the price of a call
        self._hash = prev_hash
        if batch and tile:
            self._from_ms, self._to_ms = min(self._from_ms, now_ms), max(self._to_ms, now_ms)
        return receipts

    def _take_salts(self, count: int) -> list[bytes]:
        if len(self._salts) < count:
            pool = os.urandom(SALT_BYTES * max(count, _SALTS_PER_READ))  # one read of the kernel's serves many events
            self._salts = [pool[i : i + SALT_BYTES] for i in range(0, len(pool), SALT_BYTES)]
        left = len(self._salts) - count
        taken = self._salts[left:]
        del self._salts[left:]
        return taken


def _insert(connection: apsw.Connection, table: str, columns: int, values: list[object]) -> None:
    """Many rows per statement: SQLite then works without Python's lock, while the event loop prepares what is next."""
    done, rows = 0, len(values) // columns
    while done < rows:
        count = min(_MAX_ROWS, 1 << (rows - done).bit_length() - 1)
        these = values if count == rows else values[done * columns : (done + count) * columns]
        connection.execute(_insert_sql(table, columns, count), these)
        done += count


@cache
def _insert_sql(table: str, columns: int, count: int) -> str:
    row = "(" + ",".join("?" * columns) + ")"
    return f"INSERT INTO {table} VALUES " + ",".join([row] * count)


def read_open_tile(tx: ReadTx, after_seq: int) -> tuple[list[bytes], int, int]:
    """The encoded names of the events since, and between which times they were recorded."""
    sql = (
        "SELECT recorded_at_ms, kind, actor, principal, channel, session_id, run_id FROM journal_events"
        " WHERE seq > ? ORDER BY seq"
    )
    rows = cast("list[tuple[Any, ...]]", tx.execute(sql, (after_seq,)).fetchall())
    held = [header_names(*(None if name is None else name.encode() for name in names)) for _, *names in rows]
    times = [row[0] for row in rows]
    return held, min(times, default=_NO_END), max(times, default=0)


def read_head(tx: ReadTx) -> EventRecord | None:
    row = tx.execute(f"SELECT {COLUMNS}{FROM_EVENTS}ORDER BY e.seq DESC LIMIT 1").fetchone()
    return None if row is None else to_record(row)


def find_event(tx: ReadTx, event_id: str) -> EventRecord | None:
    row = tx.execute(f"SELECT {COLUMNS}{FROM_EVENTS}WHERE e.event_id = ?", (event_id,)).fetchone()
    return None if row is None else to_record(row)


def event_at(tx: ReadTx, seq: int) -> EventRecord | None:
    row = tx.execute(f"SELECT {COLUMNS}{FROM_EVENTS}WHERE e.seq = ?", (seq,)).fetchone()
    return None if row is None else to_record(row)


def events_of_request(tx: ReadTx, principal: str, request: RequestKey) -> list[EventRecord]:
    """The events a request wrote, empty if it is new. Another question under the same id is a conflict."""
    rows = tx.execute(
        f"SELECT {COLUMNS}{FROM_EVENTS}WHERE e.principal = ? AND e.request_id = ? ORDER BY e.seq",
        (principal, request.request_id),
    ).fetchall()
    records = [to_record(row) for row in rows]
    for record in records:
        if record.salt is not None and request_commitment(record.salt, request.digest) != record.request_digest:
            raise Conflict(
                f"request id {request.request_id!r} was used for a different request (event {record.event_id})",
                hint="repeat a request with exactly the same content, or choose a new id",
                event_id=record.event_id,
            )
    return records


def repeated_receipt(tx: ReadTx, prepared: Prepared) -> Receipt | None:
    """The first receipt when this event id was written before; a different body under it is a conflict."""
    draft = prepared.draft
    if draft.event_id is None:
        return None
    first = find_event(tx, draft.event_id)
    if first is None:
        return None
    same = (first.kind, first.v, first.origin) == (draft.kind, draft.v, draft.origin)
    if first.salt is not None:
        same = same and payload_commitment(first.salt, prepared.payload) == first.commitment
    if draft.occurred_at_ms is not None:
        same = same and draft.occurred_at_ms == first.occurred_at_ms
    if not same:
        raise Conflict(
            f"event id {draft.event_id} was used for a different event (seq {first.seq})",
            hint="repeat an event with exactly the same content, or leave out the id",
            event_id=draft.event_id,
            seq=first.seq,
        )
    return receipt_of(first)


def receipt_of(record: EventRecord) -> Receipt:
    return Receipt(record.seq, record.event_id, record.hash, record.recorded_at_ms, repeated=True)


def list_events(
    tx: ReadTx, want: EventFilter, after_seq: int, limit: int, *, newest_first: bool = False
) -> list[EventRecord]:
    """One page. `after_seq` is the last seq of the page before (0 to begin)."""
    where, arguments = _where(want)
    from_seq, to_seq = (1, after_seq - 1 if after_seq else _NO_END) if newest_first else (after_seq + 1, _NO_END)
    order = "DESC" if newest_first else "ASC"
    parts = places(tx, want, from_seq, to_seq)
    found: list[EventRecord] = []
    for part in reversed(parts) if newest_first else parts:
        sql = (
            f"SELECT {COLUMNS} FROM {part.source} LEFT JOIN journal_payloads AS p ON p.seq = e.seq"
            f" WHERE {part.tests}{where} ORDER BY {part.tile and f'{part.tile} {order}, '}e.seq {order} LIMIT ?"
        )
        rows = tx.execute(sql, (*part.values, *arguments, limit - len(found)))
        found += [to_record(row) for row in rows]
        if len(found) >= limit:
            break
    return found


def walk_events(tx: ReadTx, after_seq: int = 0, up_to_seq: int | None = None) -> Iterator[EventRecord]:
    last = _NO_END if up_to_seq is None else up_to_seq
    sql = f"SELECT {COLUMNS}{FROM_EVENTS}WHERE e.seq > ? AND e.seq <= ? ORDER BY e.seq"
    for row in tx.execute(sql, (after_seq, last)):
        yield to_record(row)


def to_record(row: tuple[object, ...]) -> EventRecord:
    """One row of COLUMNS. The table is STRICT, so the types are what the schema says."""
    (seq, event_id, kind, v, actor, principal, channel, session_id, run_id, request_id, request_digest,
     occurred_at_ms, recorded_at_ms, commitment, prev_hash, own_hash, salt, payload) = cast("Any", row)  # fmt: skip
    if actor not in _ACTORS:
        raise Integrity(f"event {seq} was changed: unknown actor {actor!r}", hint="palyra journal verify", seq=seq)
    origin = Origin(principal, Actor(actor), channel, session_id, run_id)
    return EventRecord(
        seq, event_id, kind, v, origin, request_id, request_digest, occurred_at_ms, recorded_at_ms, commitment,
        prev_hash, own_hash, salt, payload,
    )  # fmt: skip


def _where(want: EventFilter) -> tuple[str, list[object]]:
    tests = (
        ("e.kind = ?", want.kind),
        ("e.actor = ?", want.actor and want.actor.value),
        ("e.principal = ?", want.principal),
        ("e.channel = ?", want.channel),
        ("e.session_id = ?", want.session_id),
        ("e.run_id = ?", want.run_id),
        ("e.recorded_at_ms >= ?", want.since_ms),
        ("e.recorded_at_ms < ?", want.until_ms),
        ("e.event_id >= ?", want.from_id),
        ("e.event_id <= ?", want.to_id),
    )
    given = [(test, value) for test, value in tests if value is not None]
    return "".join(f" AND {test}" for test, _ in given), [value for _, value in given]


def _check_depth(body: object) -> None:
    """Refuses nesting that a reader in another language might not survive."""
    level = _children(body)
    for _ in range(limits.PAYLOAD_DEPTH):
        if not level:
            return
        level = [child for value in level for child in _children(value)]
    raise InvalidArgument(
        f"the payload is nested deeper than {limits.PAYLOAD_DEPTH} levels", hint="flatten it, or store it as text"
    )


def _children(value: object) -> list[object]:
    values = value.values() if isinstance(value, dict) else cast("list[object]", value)
    return [child for child in values if isinstance(child, (dict, list))]
