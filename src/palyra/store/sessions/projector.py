"""How the events of sessions, runs and the tape become rows."""

import json
from typing import Any, cast

from palyra.domain.chat.session import RunState, TapeType
from palyra.domain.chat.session_events import (
    RunCreated,
    RunMoved,
    RunUndone,
    SessionArchived,
    SessionCreated,
    SessionRenamed,
    SessionReset,
    TapeAppended,
    TapePinned,
)
from palyra.store.connection import WriteTx
from palyra.store.projector import Applied, Body, ErasedEvent, Projector
from palyra.store.sessions.search import forget_words, index_words
from palyra.store.sessions.spoken import whole_answer


def _created(tx: WriteTx, event: Applied, body: Body) -> None:
    if body is None:
        return
    get: Any = body.get
    tx.execute(
        "INSERT INTO sessions VALUES (?, ?, ?, ?, ?, '', 0, 0, ?, ?, 0, ?, ?, ?)",
        (
            body["session_id"],
            event.seq,
            body["key"],
            event.origin.principal,
            event.origin.channel,
            event.occurred_at_ms,
            event.occurred_at_ms,
            get("parent_id"),
            get("branched_at_seq"),
            get("cut_seq", 0),
        ),
    )


def _renamed(tx: WriteTx, event: Applied, body: Body) -> None:
    title = "" if body is None else cast("str", body.get("title", ""))
    by_hand = body is not None and bool(body.get("by_hand"))
    tx.execute(
        "UPDATE sessions SET title = ?, title_seq = ?, titled_by_hand = ? WHERE session_id = ?",
        (title, event.seq, int(by_hand), event.origin.session_id),
    )


def _erase_title(tx: WriteTx, erased: ErasedEvent) -> None:
    tx.execute("UPDATE sessions SET title = '', titled_by_hand = 0 WHERE title_seq = ?", (erased.seq,))


def _reset(tx: WriteTx, event: Applied, body: Body) -> None:
    if body is not None:
        tx.execute("UPDATE sessions SET cut_seq = ? WHERE session_id = ?", (event.seq, body["session_id"]))


def _archived(tx: WriteTx, _event: Applied, body: Body) -> None:
    if body is not None:
        archived = int(bool(body.get("archived")))
        tx.execute("UPDATE sessions SET archived = ? WHERE session_id = ?", (archived, body["session_id"]))


def _run_created(tx: WriteTx, event: Applied, body: Body) -> None:
    if body is None:
        return
    origin, get = event.origin, cast("Any", body.get)
    tx.execute(
        "INSERT INTO session_runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, '', 0, 0, 0, '', ?, NULL, NULL, NULL)",
        (
            body["run_id"],
            event.seq,
            body["session_id"],
            origin.principal,
            origin.channel,
            origin.actor.value,
            body["state"],
            body["origin"],
            get("retry_of"),
            event.occurred_at_ms,
        ),
    )
    tx.execute("UPDATE sessions SET active_at_ms = ? WHERE session_id = ?", (event.occurred_at_ms, body["session_id"]))


def _run_moved(tx: WriteTx, event: Applied, body: Body) -> None:
    if body is None:
        return
    get: Any = body.get
    state = RunState(cast("str", body["state"]))
    started = event.occurred_at_ms if state is RunState.IN_PROGRESS else None
    ended = event.occurred_at_ms if state.is_over else None
    tx.execute(
        "UPDATE session_runs SET state = ?, model = coalesce(nullif(?, ''), model), input_tokens = input_tokens + ?,"
        " output_tokens = output_tokens + ?, cached_tokens = cached_tokens + ?, error_code = ?,"
        " started_at_ms = coalesce(?, started_at_ms), ended_at_ms = ? WHERE run_id = ?",
        (
            state.value,
            get("model", ""),
            get("input_tokens", 0),
            get("output_tokens", 0),
            get("cached_tokens", 0),
            get("error_code", ""),
            started,
            ended,
            body["run_id"],
        ),
    )


def _run_undone(tx: WriteTx, event: Applied, body: Body) -> None:
    if body is not None:
        tx.execute("UPDATE session_runs SET undone_seq = ? WHERE run_id = ?", (event.seq, body["run_id"]))


def _appended(tx: WriteTx, event: Applied, body: Body) -> None:
    origin = event.origin
    tx.execute(
        "INSERT INTO session_tape VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0)",
        (
            event.seq,
            event.event_id,
            origin.run_id,
            origin.session_id,
            origin.principal,
            origin.channel,
            TapeType.ERASED.value if body is None else body["type"],
            None if body is None else json.dumps(body.get("payload", {}), ensure_ascii=False),
            event.occurred_at_ms,
        ),
    )


def _erase_record(tx: WriteTx, erased: ErasedEvent) -> None:
    tx.execute(
        "UPDATE session_tape SET type = ?, payload = NULL, pinned = 0 WHERE seq = ?",
        (TapeType.ERASED.value, erased.seq),
    )
    forget_words(tx, [erased.seq])


def _index_record(tx: WriteTx, event: Applied, body: Body) -> None:
    if body is None:
        return
    payload = cast("dict[str, Any]", body.get("payload", {}))
    match TapeType(cast("str", body["type"])):
        case TapeType.USER_MESSAGE | TapeType.TOOL_RESULT | TapeType.SYSTEM_MESSAGE:
            index_words(tx, event.seq, payload.get("text", ""))
        case TapeType.ASSISTANT_MESSAGE:
            index_words(tx, event.seq, whole_answer(tx, cast("str", event.origin.run_id), event.seq, payload))
        case _:
            pass


def _pinned(tx: WriteTx, _event: Applied, body: Body) -> None:
    if body is not None:
        tx.execute(
            "UPDATE session_tape SET pinned = ? WHERE event_id = ? AND payload IS NOT NULL",
            (int(bool(body.get("pinned"))), body["event_id"]),
        )


_TABLES = ("sessions", "session_runs", "session_tape")
_SESSION = "palyra session erase"

SESSION_PROJECTORS: dict[str, Projector] = {
    SessionCreated.KIND: Projector(_TABLES, _created, erasable=False),
    SessionRenamed.KIND: Projector(_TABLES, _renamed, _erase_title, unit=_SESSION),
    SessionReset.KIND: Projector(_TABLES, _reset, erasable=False),
    SessionArchived.KIND: Projector(_TABLES, _archived, erasable=False),
    RunCreated.KIND: Projector(_TABLES, _run_created, erasable=False),
    RunMoved.KIND: Projector(_TABLES, _run_moved, erasable=False),
    RunUndone.KIND: Projector(_TABLES, _run_undone, erasable=False),
    TapeAppended.KIND: Projector(_TABLES, _appended, _erase_record, index=_index_record, unit=_SESSION),
    TapePinned.KIND: Projector(_TABLES, _pinned, erasable=False),
}
