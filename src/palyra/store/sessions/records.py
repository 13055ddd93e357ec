"""Reading sessions, runs and the tape. Whoever reads for a caller says what the caller may see."""

import json
from collections.abc import Iterable, Sequence
from typing import Any, cast

from palyra.core.ids import EventId, RunId, SessionId
from palyra.domain.chat.conversation import Usage
from palyra.domain.chat.session import Run, RunOrigin, RunState, Session, TapeRecord, TapeType
from palyra.domain.journal import Actor
from palyra.domain.scope import Visibility
from palyra.store.connection import ReadTx
from palyra.store.visibility import place_clause

_SESSION = (
    "session_id, seq, key, principal, channel, title, titled_by_hand, created_at_ms, active_at_ms, archived,"
    " parent_id, branched_at_seq, cut_seq"
)
_RUN = (
    "run_id, seq, session_id, principal, channel, actor, state, origin, retry_of, model, input_tokens, output_tokens,"
    " cached_tokens, error_code, created_at_ms, started_at_ms, ended_at_ms, undone_seq"
)
_TAPE = "seq, event_id, run_id, session_id, type, payload, at_ms, pinned"
_LINEAGE = 64
"""branches of branches: how far back a conversation is followed"""


# -- sessions


def fetch_session(tx: ReadTx, name: str, seer: Visibility) -> Session | None:
    """By id, or by key."""
    where, bindings = place_clause(seer)
    row = tx.execute(
        f"SELECT {_SESSION} FROM sessions WHERE (session_id = ? OR key = ?) AND {where}"
        " ORDER BY session_id = ? DESC LIMIT 1",
        (name, name, *bindings, name),
    ).fetchone()
    return None if row is None else _to_session(row)


def newest_named(tx: ReadTx, key: str, seer: Visibility) -> Session | None:
    """The last of those called `key`, `key.2`, `key.3` and so on."""
    where, bindings = place_clause(seer)
    row = tx.execute(
        f"SELECT {_SESSION} FROM sessions WHERE (key = ? OR key GLOB ? || '.[0-9]*') AND {where}"
        " ORDER BY seq DESC LIMIT 1",
        (key, _literally(key), *bindings),
    ).fetchone()
    return None if row is None else _to_session(row)


def _literally(text: str) -> str:
    """In a GLOB pattern."""
    return "".join(f"[{sign}]" if sign in "*?[" else sign for sign in text)


def count_sessions(tx: ReadTx) -> int:
    """Of all principals: for whoever runs the installation."""
    return int(cast("int", tx.execute("SELECT count(*) FROM sessions").fetchone()[0]))  # type: ignore[index]


def session_exists(tx: ReadTx, session_id: str) -> bool:
    return tx.execute("SELECT 1 FROM sessions WHERE session_id = ?", (session_id,)).fetchone() is not None


def key_is_taken(tx: ReadTx, principal: str, key: str) -> bool:
    sql = "SELECT 1 FROM sessions WHERE principal = ? AND (key = ? OR session_id = ?)"
    return tx.execute(sql, (principal, key, key)).fetchone() is not None


def list_sessions(
    tx: ReadTx, seer: Visibility, after: Session | None, limit: int, *, archived: bool = False
) -> list[Session]:
    """Last active first; `after` is the last one of the page before."""
    where, bindings = place_clause(seer)
    if not archived:
        where += " AND archived = 0"
    if after is not None:
        where += " AND (active_at_ms, key) < (?, ?)"
        bindings = (*bindings, cast("str", after.active_at_ms), after.key)
    sql = f"SELECT {_SESSION} FROM sessions WHERE {where} ORDER BY active_at_ms DESC, key DESC LIMIT ?"
    return [_to_session(row) for row in tx.execute(sql, (*bindings, limit))]


def children_of(tx: ReadTx, session_id: str, seer: Visibility) -> list[Session]:
    where, bindings = place_clause(seer)
    sql = f"SELECT {_SESSION} FROM sessions WHERE parent_id = ? AND {where} ORDER BY seq"
    return [_to_session(row) for row in tx.execute(sql, (session_id, *bindings))]


# -- runs


def fetch_run(tx: ReadTx, run_id: str, seer: Visibility) -> Run | None:
    where, bindings = place_clause(seer)
    row = tx.execute(f"SELECT {_RUN} FROM session_runs WHERE run_id = ? AND {where}", (run_id, *bindings)).fetchone()
    return None if row is None else _to_run(row)


def run_exists(tx: ReadTx, run_id: str) -> bool:
    return tx.execute("SELECT 1 FROM session_runs WHERE run_id = ?", (run_id,)).fetchone() is not None


def own_run(tx: ReadTx, run_id: str) -> Run | None:
    """For whoever drives it, not for a caller."""
    row = tx.execute(f"SELECT {_RUN} FROM session_runs WHERE run_id = ?", (run_id,)).fetchone()
    return None if row is None else _to_run(row)


def open_runs(tx: ReadTx, session_id: str | None = None) -> list[Run]:
    """Runs that are not over, oldest first: of one session, or all there are (for whoever starts after a crash)."""
    where, bindings = ("", ()) if session_id is None else (" AND session_id = ?", (session_id,))
    sql = f"SELECT {_RUN} FROM session_runs WHERE ended_at_ms IS NULL{where} ORDER BY seq"
    return [_to_run(row) for row in tx.execute(sql, bindings)]


def conversation_runs(tx: ReadTx, session: Session, limit: int, before_seq: int | None = None) -> list[Run]:
    """The newest runs that are part of the conversation, oldest first: not undone, not cut, also from before it was
    branched. `before_seq`: only those that began before."""
    found: list[Run] = []
    for session_id, after, until, undone_until in _spans(tx, session):
        rows = tx.execute(
            f"SELECT {_RUN} FROM session_runs WHERE session_id = ? AND seq > ? AND seq < ?"
            " AND (undone_seq IS NULL OR undone_seq > ?) ORDER BY seq DESC LIMIT ?",
            (session_id, after, min(until, before_seq or until), undone_until, limit - len(found)),
        )
        found += map(_to_run, rows)
        if len(found) >= limit:
            break
    return found[::-1]


def runs_named(tx: ReadTx, run_ids: Iterable[str]) -> list[Run]:
    """For whoever has found their entries already; oldest first."""
    sql = f"SELECT {_RUN} FROM session_runs WHERE run_id IN (SELECT value FROM json_each(?)) ORDER BY seq"
    return [_to_run(row) for row in tx.execute(sql, (json.dumps(list(run_ids)),))]


# -- the tape


def page_of(
    tx: ReadTx,
    session: Session,
    after_seq: int,
    limit: int,
    before_seq: int | None = None,
    *,
    newest: bool = False,
    everything: bool = False,
) -> list[TapeRecord]:
    """Records of the conversation between the two, in order: the first of them, or the newest. Costs what the page
    holds, however long the conversation is. `everything`: those of the session itself, also what was cut or undone."""
    last = 1 << 62
    spans = [(session.session_id, 0, last, 0)] if everything else _spans(tx, session)
    order = "DESC" if newest else "ASC"
    seqs: list[int] = []
    for span in spans:
        # Along the tape, and not from the runs: there may be thousands of them before the page.
        rows = tx.execute(
            "SELECT t.seq FROM session_tape AS t CROSS JOIN session_runs AS r ON r.run_id = t.run_id"
            " WHERE t.session_id = ? AND r.seq > ? AND r.seq < ? AND (r.undone_seq IS NULL OR r.undone_seq > ?)"
            f" AND t.seq > ? AND t.seq < ? ORDER BY t.seq {order} LIMIT ?",
            (*span, after_seq, before_seq or last, limit),
        )
        seqs += [cast("int", seq) for (seq,) in rows]
    return _records(tx, sorted(seqs, reverse=newest)[:limit])


def _spans(tx: ReadTx, session: Session) -> list[tuple[str, int, int, int]]:
    """The conversation's runs by where they are: (session, after, before, not undone until), itself first."""
    session_id, until, undone_until = session.session_id, 1 << 62, 1 << 62
    spans: list[tuple[str, int, int, int]] = []
    for _ in range(_LINEAGE):
        spans.append((session_id, session.cut_seq, until, undone_until))
        row = tx.execute(
            "SELECT parent_id, branched_at_seq FROM sessions WHERE session_id = ?", (session_id,)
        ).fetchone()
        if row is None or row[0] is None:
            break
        session_id, branched = cast("tuple[SessionId, int]", row)
        until, undone_until = min(until, branched + 1), min(undone_until, branched)
    return spans


def tape_of(
    tx: ReadTx,
    run_ids: Sequence[str],
    after_seq: int = 0,
    limit: int = 10_000,
    before_seq: int | None = None,
    *,
    newest: bool = False,
) -> list[TapeRecord]:
    """The records of these runs, in order: the first of those between the two, or the newest."""
    marks, order = ", ".join("?" * len(run_ids)), "DESC" if newest else "ASC"
    seqs = tx.execute(
        f"SELECT seq FROM session_tape WHERE run_id IN ({marks}) AND seq > ? AND seq < ? ORDER BY seq {order} LIMIT ?",
        (*run_ids, after_seq, before_seq or 1 << 62, limit),
    )
    return _records(tx, [cast("int", seq) for (seq,) in seqs])


def told_characters(tx: ReadTx, run_ids: Sequence[str]) -> int:
    """About how long the messages of these runs are, without reading them."""
    row = tx.execute(
        "SELECT coalesce(sum(length(payload)), 0) FROM session_tape"
        " WHERE run_id IN (SELECT value FROM json_each(?)) AND type IN (?, ?, ?)",
        (json.dumps(list(run_ids)), *(one.value for one in _TOLD)),
    ).fetchone()
    return cast("int", row[0]) if row else 0


_TOLD = (TapeType.USER_MESSAGE, TapeType.ASSISTANT_MESSAGE, TapeType.ASSISTANT_TEXT)


def _records(tx: ReadTx, seqs: Sequence[int]) -> list[TapeRecord]:
    sql = f"SELECT {_TAPE} FROM session_tape WHERE seq IN (SELECT value FROM json_each(?)) ORDER BY seq"
    return [_to_record(row) for row in tx.execute(sql, (json.dumps(seqs),))]


def pinned_runs(tx: ReadTx, run_ids: Sequence[str]) -> set[str]:
    """Those of the runs in which something is pinned."""
    sql = "SELECT DISTINCT run_id FROM session_tape WHERE pinned = 1 AND run_id IN (SELECT value FROM json_each(?))"
    return {cast("str", row[0]) for row in tx.execute(sql, (json.dumps(list(run_ids)),))}


def records_since(tx: ReadTx, session_id: str, types: Sequence[TapeType], after_seq: int) -> list[TapeRecord]:
    """All of these types in a session, also what was cut or undone, in order."""
    marks = ", ".join("?" * len(types))
    sql = f"SELECT {_TAPE} FROM session_tape WHERE session_id = ? AND seq > ? AND type IN ({marks}) ORDER BY seq"
    return [_to_record(row) for row in tx.execute(sql, (session_id, after_seq, *(one.value for one in types)))]


def fetch_record(tx: ReadTx, event_id: str, seer: Visibility) -> TapeRecord | None:
    where, bindings = place_clause(seer)
    sql = f"SELECT {_TAPE} FROM session_tape WHERE event_id = ? AND {where}"
    row = tx.execute(sql, (event_id, *bindings)).fetchone()
    return None if row is None else _to_record(row)


def records_at(tx: ReadTx, seqs: Sequence[int], seer: Visibility) -> dict[int, TapeRecord]:
    where, bindings = place_clause(seer)
    sql = f"SELECT {_TAPE} FROM session_tape WHERE seq IN (SELECT value FROM json_each(?)) AND {where}"
    rows = tx.execute(sql, (json.dumps(list(seqs)), *bindings))
    return {record.seq: record for record in map(_to_record, rows)}


def all_runs(tx: ReadTx, session_id: str, after_seq: int = 0, limit: int = 10_000) -> list[Run]:
    """Also those that were cut or undone."""
    sql = f"SELECT {_RUN} FROM session_runs WHERE session_id = ? AND seq > ? ORDER BY seq LIMIT ?"
    return [_to_run(row) for row in tx.execute(sql, (session_id, after_seq, limit))]


def _to_session(row: tuple[Any, ...]) -> Session:
    session_id, seq, key, principal, channel, title, by_hand, created, active, archived, parent, branched, cut = row
    return Session(
        SessionId(session_id),
        seq,
        key,
        principal,
        channel,
        title,
        bool(by_hand),
        created,
        active,
        bool(archived),
        parent,
        branched,
        cut,
    )


def _to_run(row: tuple[Any, ...]) -> Run:
    run_id, seq, session_id, principal, channel, actor, state, origin, retry_of, model = row[:10]
    spent, (error_code, created, started, ended, undone_seq) = Usage(*row[10:13]), row[13:]
    return Run(
        RunId(run_id),
        seq,
        SessionId(session_id),
        principal,
        channel,
        Actor(actor),
        RunState(state),
        RunOrigin(origin),
        retry_of,
        model,
        spent,
        error_code,
        created,
        started,
        ended,
        undone_seq,
    )


def _to_record(row: tuple[Any, ...]) -> TapeRecord:
    seq, event_id, run_id, session_id, type_, payload, at_ms, pinned = row
    return TapeRecord(
        seq,
        EventId(event_id),
        RunId(run_id),
        SessionId(session_id),
        TapeType(type_),
        None if payload is None else json.loads(payload),
        at_ms,
        bool(pinned),
    )
