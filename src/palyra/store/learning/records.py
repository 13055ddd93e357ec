"""Reading the queue and the candidates. Whoever reads for a caller says what the caller may see."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from palyra.core.ids import CandidateId, EventId, MemoryId, RunId, SessionId
from palyra.domain.learning.candidate import LearningCandidate, LearningState, LearningStep
from palyra.domain.learning.proposal import EvidenceSpan, LearnedKind
from palyra.domain.memory import Trust
from palyra.domain.scope import Scope, Visibility
from palyra.store.connection import ReadTx
from palyra.store.visibility import place_clause, visible_clause

_COLUMNS = (
    "candidate_id, seq, principal, channel, run_id, from_session, kind, text, confidence_bps, basis, evidence, trust,"
    " risks, sensitivity, slot, steps, title, extractor, dedupe_key, similar, conflicts, because, state,"
    " proposed_at_ms, updated_at_ms, snoozed_until_ms, memory_id, made_item, document, before"
)
_WAITING = tuple(state.value for state in LearningState if state.waits)
_IN_FORCE = tuple(state.value for state in LearningState if state.is_in_force)


# -- the queue


@dataclass(frozen=True, slots=True)
class QueuedSession:
    """Runs of one session that wait to be read, oldest first."""

    session_id: SessionId
    principal: str
    channel: str | None
    run_ids: tuple[RunId, ...]
    last_read_ms: int | None
    """when a run of this session was read last"""


def queued_sessions(tx: ReadTx, limit: int, seer: Visibility | None = None) -> list[QueuedSession]:
    """The one that waits longest first; of every principal, or those in sight."""
    where, bindings = ("TRUE", ()) if seer is None else place_clause(seer, "q")
    rows = tx.execute(
        "SELECT q.session_id, q.principal, q.channel, json_group_array(q.run_id ORDER BY q.seq),"
        " (SELECT max(at_ms) FROM learning_reflections r WHERE r.session_id = q.session_id)"
        f" FROM learning_queue q WHERE {where} GROUP BY q.session_id ORDER BY min(q.seq) LIMIT ?",
        (*bindings, limit),
    )
    return [
        QueuedSession(
            SessionId(cast("str", session_id)),
            cast("str", principal),
            cast("str | None", channel),
            tuple(json.loads(cast("str", run_ids))),
            cast("int | None", last),
        )
        for session_id, principal, channel, run_ids, last in rows
    ]


def queued_runs(tx: ReadTx, after_seq: int, limit: int) -> list[tuple[int, RunId]]:
    """Of everybody, in the order they ended, each with the seq by which to go on."""
    rows = tx.execute("SELECT seq, run_id FROM learning_queue WHERE seq > ? ORDER BY seq LIMIT ?", (after_seq, limit))
    return [cast("tuple[int, RunId]", row) for row in rows]


def is_queued(tx: ReadTx, run_id: str) -> bool:
    return tx.execute("SELECT 1 FROM learning_queue WHERE run_id = ?", (run_id,)).fetchone() is not None


def count_queued(tx: ReadTx, seer: Visibility) -> int:
    where, bindings = place_clause(seer)
    row = tx.execute(f"SELECT count(*) FROM learning_queue WHERE {where}", bindings).fetchone()
    return cast("int", row[0]) if row else 0


# -- candidates


def fetch_candidate(tx: ReadTx, candidate_id: str, seer: Visibility) -> LearningCandidate | None:
    where, bindings = place_clause(seer)
    row = tx.execute(
        f"SELECT {_COLUMNS} FROM learning_candidates WHERE candidate_id = ? AND {where}", (candidate_id, *bindings)
    ).fetchone()
    return None if row is None else _to_candidate(row)


def candidate_exists(tx: ReadTx, candidate_id: str) -> bool:
    sql = "SELECT 1 FROM learning_candidates WHERE candidate_id = ?"
    return tx.execute(sql, (candidate_id,)).fetchone() is not None


def ids_beginning(tx: ReadTx, prefix: str, seer: Visibility, limit: int) -> list[CandidateId]:
    """Of what is in sight. `prefix` is of the alphabet of ids, in which `~` follows every character."""
    where, bindings = place_clause(seer)
    rows = tx.execute(
        f"SELECT candidate_id FROM learning_candidates WHERE candidate_id >= ? AND candidate_id < ? AND {where}"
        " ORDER BY candidate_id LIMIT ?",
        (prefix, f"{prefix}~", *bindings, limit),
    )
    return [CandidateId(cast("str", row[0])) for row in rows]


def list_candidates(
    tx: ReadTx,
    seer: Visibility,
    states: Sequence[LearningState],
    kinds: Sequence[LearnedKind] = (),
    *,
    awake_at_ms: int | None = None,
    after_seq: int = 0,
    limit: int = 50,
) -> list[LearningCandidate]:
    """In the order they were proposed. With `awake_at_ms` without those that are snoozed then."""
    where, bindings = place_clause(seer)
    more, values = "", cast("list[str | int]", [])
    if kinds:
        more += f" AND kind IN ({_marks(kinds)})"
        values += [kind.value for kind in kinds]
    if awake_at_ms is not None:
        more += " AND (snoozed_until_ms IS NULL OR snoozed_until_ms <= ?)"
        values.append(awake_at_ms)
    rows = tx.execute(
        f"SELECT {_COLUMNS} FROM learning_candidates WHERE state IN ({_marks(states)}) AND seq > ? AND {where}{more}"
        " ORDER BY seq LIMIT ?",
        (*(state.value for state in states), after_seq, *bindings, *values, limit),
    )
    return [_to_candidate(row) for row in rows]


def count_by_state(tx: ReadTx, seer: Visibility) -> dict[LearningState, int]:
    where, bindings = place_clause(seer)
    rows = tx.execute(f"SELECT state, count(*) FROM learning_candidates WHERE {where} GROUP BY state", bindings)
    return {LearningState(cast("str", state)): cast("int", count) for state, count in rows}


def count_snoozed(tx: ReadTx, seer: Visibility, now_ms: int) -> int:
    where, bindings = place_clause(seer)
    row = tx.execute(
        f"SELECT count(*) FROM learning_candidates WHERE state IN ({_marks(_WAITING)}) AND snoozed_until_ms > ?"
        f" AND {where}",
        (*_WAITING, now_ms, *bindings),
    ).fetchone()
    return cast("int", row[0]) if row else 0


def count_waiting(tx: ReadTx, seer: Visibility | None = None) -> int:
    """In sight; or, for the status, of everybody."""
    where, bindings = ("TRUE", ()) if seer is None else place_clause(seer)
    sql = f"SELECT count(*) FROM learning_candidates WHERE state IN ({_marks(_WAITING)}) AND {where}"
    row = tx.execute(sql, (*_WAITING, *bindings)).fetchone()
    return cast("int", row[0]) if row else 0


def steps_of(tx: ReadTx, candidate_id: str) -> list[LearningStep]:
    rows = tx.execute(
        "SELECT seq, state, at_ms, actor, reason, text FROM learning_steps WHERE candidate_id = ? ORDER BY seq",
        (candidate_id,),
    )
    return [
        LearningStep(seq, LearningState(state), at_ms, actor, reason, text)
        for seq, state, at_ms, actor, reason, text in cast("list[tuple[Any, ...]]", list(rows))
    ]


def alike(tx: ReadTx, scope: Scope, dedupe_key: str) -> LearningCandidate | None:
    """The newest in that very scope that proposes the same."""
    row = tx.execute(
        f"SELECT {_COLUMNS} FROM learning_candidates WHERE principal = ? AND dedupe_key = ? AND channel IS ?"
        " ORDER BY seq DESC LIMIT 1",
        (scope.principal, dedupe_key, scope.channel),
    ).fetchone()
    return None if row is None else _to_candidate(row)


def candidates_of_runs(tx: ReadTx, run_ids: Sequence[str], principal: str) -> list[LearningCandidate]:
    rows = tx.execute(
        f"SELECT {_COLUMNS} FROM learning_candidates WHERE run_id IN (SELECT value FROM json_each(?))"
        " AND principal = ? ORDER BY seq",
        (json.dumps(list(run_ids)), principal),
    )
    return [_to_candidate(row) for row in rows]


def candidates_of_items(tx: ReadTx, memory_ids: Sequence[str], principal: str) -> list[LearningCandidate]:
    """Those that became one of these memories."""
    rows = tx.execute(
        f"SELECT {_COLUMNS} FROM learning_candidates WHERE memory_id IN (SELECT value FROM json_each(?))"
        " AND principal = ? ORDER BY seq",
        (json.dumps(list(memory_ids)), principal),
    )
    return [_to_candidate(row) for row in rows]


def candidates_resting_on(tx: ReadTx, event_ids: Sequence[str], principal: str) -> list[LearningCandidate]:
    """Those with evidence in one of these records of the tape."""
    rows = tx.execute(
        f"SELECT {_COLUMNS} FROM learning_candidates WHERE principal = ? AND EXISTS"
        " (SELECT 1 FROM json_each(evidence) e WHERE json_extract(e.value, '$.event_id') IN"
        "  (SELECT value FROM json_each(?))) ORDER BY seq",
        (principal, json.dumps(list(event_ids))),
    )
    return [_to_candidate(row) for row in rows]


# -- preferences


@dataclass(frozen=True, slots=True)
class Preference:
    """One that is in force: a person has approved it, and its memory still stands."""

    candidate_id: CandidateId
    memory_id: MemoryId
    slot: str
    text: str
    since_ms: int


def preferences_in_force(tx: ReadTx, seer: Visibility, now_ms: int, limit: int) -> list[Preference]:
    """Newest first. What it says is what its memory says now."""
    where, bindings = visible_clause(seer, "i")
    rows = tx.execute(
        "SELECT c.candidate_id, i.memory_id, c.slot, i.text, c.updated_at_ms FROM learning_candidates c"
        " JOIN memory_items i ON i.memory_id = c.memory_id AND i.closed_seq IS NULL AND i.superseded_by IS NULL"
        f" WHERE c.principal = ? AND c.kind = ? AND c.state IN ({_marks(_IN_FORCE)}) AND {where}"
        " AND (i.expires_at_ms IS NULL OR i.expires_at_ms > ?) GROUP BY i.memory_id ORDER BY c.seq DESC LIMIT ?",
        (seer.principal, LearnedKind.PREFERENCE.value, *_IN_FORCE, *bindings, now_ms, limit),
    )
    return [Preference(*cast("tuple[CandidateId, MemoryId, str, str, int]", row)) for row in rows]


def same_slot(tx: ReadTx, scope: Scope, slot: str) -> list[LearningCandidate]:
    """Preferences in force in that very scope that fill the slot."""
    rows = tx.execute(
        f"SELECT {_COLUMNS} FROM learning_candidates WHERE principal = ? AND channel IS ? AND slot = ? AND kind = ?"
        f" AND state IN ({_marks(_IN_FORCE)}) ORDER BY seq",
        (scope.principal, scope.channel, slot, LearnedKind.PREFERENCE.value, *_IN_FORCE),
    )
    return [_to_candidate(row) for row in rows]


# -- what it has touched


@dataclass(frozen=True, slots=True)
class UsedIn:
    """A run whose prompt held the memory."""

    run_id: RunId
    session_id: SessionId
    seq: int
    at_ms: int


def runs_shown(tx: ReadTx, memory_ids: Sequence[str], seer: Visibility, limit: int) -> list[UsedIn]:
    """Newest first."""
    where, bindings = place_clause(seer, "t")
    rows = tx.execute(
        "SELECT t.run_id, t.session_id, t.seq, t.at_ms FROM session_tape t WHERE t.type = 'injection'"
        f" AND t.payload IS NOT NULL AND {where} AND EXISTS (SELECT 1 FROM json_each(t.payload, '$.memories') m"
        "  WHERE json_extract(m.value, '$.memory_id') IN (SELECT value FROM json_each(?))) ORDER BY t.seq DESC LIMIT ?",
        (*bindings, json.dumps(list(memory_ids)), limit),
    )
    return [UsedIn(*cast("tuple[RunId, SessionId, int, int]", row)) for row in rows]


# -- erasing


def events_of_candidates(tx: ReadTx, candidate_ids: Sequence[str]) -> list[str]:
    """The events that hold their words: proposals, and steps with a reason or another text."""
    wanted = json.dumps(list(candidate_ids))
    rows = tx.execute(
        "SELECT event_id FROM learning_candidates WHERE candidate_id IN (SELECT value FROM json_each(?1))"
        " UNION ALL SELECT event_id FROM learning_steps WHERE candidate_id IN (SELECT value FROM json_each(?1))",
        (wanted,),
    )
    return [cast("str", row[0]) for row in rows]


def reflections_of(tx: ReadTx, run_ids: Sequence[str], principal: str) -> list[str]:
    rows = tx.execute(
        "SELECT event_id FROM learning_reflections WHERE run_id IN (SELECT value FROM json_each(?)) AND principal = ?",
        (json.dumps(list(run_ids)), principal),
    )
    return [cast("str", row[0]) for row in rows]


def events_learned_from(tx: ReadTx, said: Sequence[str], memory_id: str, principal: str) -> list[str]:
    """What was learned from these records of the tape or became this memory, and what reading their runs put down."""
    learned = (
        *candidates_resting_on(tx, said, principal),
        *candidates_of_items(tx, [memory_id] if memory_id else [], principal),
    )
    runs = tx.execute(
        "SELECT DISTINCT run_id FROM session_tape WHERE event_id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(said)),),
    ).fetchall()
    events = events_of_candidates(tx, list(dict.fromkeys(one.candidate_id for one in learned)))
    return events + reflections_of(tx, [cast("str", row[0]) for row in runs], principal)


def undo_of(tx: ReadTx, candidate_id: str) -> dict[str, Any]:
    """What it takes to change back the memory it was written to."""
    row = tx.execute("SELECT before FROM learning_candidates WHERE candidate_id = ?", (candidate_id,)).fetchone()
    found: dict[str, Any] = json.loads(cast("str", row[0])) if row else {}
    return found


def _marks(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))


def _to_candidate(row: tuple[Any, ...]) -> LearningCandidate:
    (
        candidate_id, seq, principal, channel, run_id, from_session, kind, text, confidence_bps, basis, evidence, trust,
        risks, sensitivity, slot, steps, title, extractor, dedupe_key, similar, conflicts, because, state,
        proposed_at_ms, updated_at_ms, snoozed_until_ms, memory_id, made_item, document, _,
    ) = row  # fmt: skip
    return LearningCandidate(
        CandidateId(candidate_id),
        seq,
        Scope(principal, channel),
        RunId(run_id),
        SessionId(from_session),
        LearnedKind(kind),
        text,
        confidence_bps,
        tuple(json.loads(basis)),
        tuple(
            EvidenceSpan(one["seq"], EventId(one["event_id"]), one.get("start", 0), one.get("end", 0))
            for one in json.loads(evidence)
        ),
        Trust(trust),
        tuple(json.loads(risks)),
        sensitivity,
        slot,
        tuple(json.loads(steps)),
        title,
        extractor,
        dedupe_key,
        tuple(json.loads(similar)),
        tuple(json.loads(conflicts)),
        tuple(json.loads(because)),
        LearningState(state),
        proposed_at_ms,
        updated_at_ms,
        snoozed_until_ms,
        None if memory_id is None else MemoryId(memory_id),
        bool(made_item),
        document,
    )
