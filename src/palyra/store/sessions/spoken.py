"""What stands on the tape as text, each turn whole: what was said, what tools answered, what a file says."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

from palyra.core.ids import EventId
from palyra.domain.chat.session import TapeType
from palyra.domain.scope import Visibility
from palyra.store.connection import ReadTx
from palyra.store.visibility import place_clause

ATTACHMENT = "attachment"
_TYPES = (
    TapeType.USER_MESSAGE,
    TapeType.ASSISTANT_MESSAGE,
    TapeType.TOOL_RESULT,
    TapeType.SYSTEM_MESSAGE,
)
_WHERE = (
    "(SELECT seq, event_id, run_id, session_id, principal, channel, type, payload, at_ms FROM session_tape"
    f" WHERE payload IS NOT NULL AND type IN ({', '.join(repr(one.value) for one in _TYPES)})"
    " UNION ALL SELECT seq, (SELECT event_id FROM journal_events AS e WHERE e.seq = a.seq), '',"
    " coalesce(session_id, ''), principal, channel, 'attachment', json_object('text', text), at_ms"
    " FROM session_attachments AS a WHERE text <> '') AS spoken"
)
_COLUMNS = "seq, event_id, run_id, session_id, channel, type, payload, at_ms"


@dataclass(frozen=True, slots=True)
class Spoken:
    seq: int
    event_id: EventId
    run_id: str
    session_id: str
    channel: str | None
    type: str
    """what the tape calls it, or attachment"""
    text: str
    speaker: str
    actor: str
    """whose words a message of the user is; empty: the person's own"""
    at_ms: int


def spoken_after(tx: ReadTx, principal: str, after_seq: int) -> Iterator[Spoken]:
    """In no order, one at a time: for whoever follows the tape. It carries no permission to be shown."""
    sql = f"SELECT {_COLUMNS} FROM {_WHERE} WHERE seq > ? AND +principal = ?"
    for row in tx.execute(sql, (after_seq, principal)):
        yield _to_spoken(tx, row)


def spoken_at(tx: ReadTx, seqs: Sequence[int], seer: Visibility) -> dict[int, Spoken]:
    where, bindings = place_clause(seer)
    sql = f"SELECT {_COLUMNS} FROM {_WHERE} WHERE seq IN (SELECT value FROM json_each(?)) AND {where}"
    rows = tx.execute(sql, (json.dumps(list(seqs)), *bindings))
    return {one.seq: one for one in (_to_spoken(tx, row) for row in rows)}


def whole_answer(tx: ReadTx, run_id: str, seq: int, last: dict[str, Any]) -> str:
    """The pieces that were streamed before the end of an answer, and its own."""
    pieces, offset = [last.get("text", "")], last.get("offset", 0)
    if offset <= 0:
        return str(pieces[0])
    rows = tx.execute(
        "SELECT payload FROM session_tape WHERE run_id = ? AND seq < ? AND type = ? ORDER BY seq DESC",
        (run_id, seq, TapeType.ASSISTANT_TEXT.value),
    )
    for (payload,) in rows:
        if offset <= 0 or payload is None:
            break
        piece = json.loads(cast("str", payload))
        pieces.append(piece.get("text", ""))
        offset = piece.get("offset", 0)
    return "".join(reversed(pieces))


def _to_spoken(tx: ReadTx, row: tuple[object, ...]) -> Spoken:
    seq, event_id, run_id, session_id, channel, kind, payload, at_ms = cast("tuple[Any, ...]", row)
    said: dict[str, Any] = json.loads(payload)
    text = str(said.get("text", ""))
    if kind == TapeType.ASSISTANT_MESSAGE.value:
        text = whole_answer(tx, run_id, seq, said)
    return Spoken(
        seq,
        event_id,
        run_id,
        session_id,
        channel,
        kind,
        text,
        str(said.get("speaker", "")),
        str(said.get("actor", "")),
        at_ms,
    )
