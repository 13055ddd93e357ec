"""What compacting a session would do: the conversation is read, and a plan made of it. Nothing is written."""

import asyncio
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from palyra.core.errors import FailedPrecondition, PalyraError
from palyra.core.hashing import Json, canonical_json, sha256
from palyra.core.ids import RunId
from palyra.domain.chat.session import Run, Session, TapeRecord, TapeType
from palyra.domain.chat.tool_policy import has_untrusted
from palyra.domain.compaction import model_plan
from palyra.domain.compaction.plan import CompactionLimits, SessionCompactionPlan
from palyra.domain.compaction.summary import Ground, chosen, finished, ground_of
from palyra.domain.compaction.tape import RunTape
from palyra.domain.scope import Visibility
from palyra.ports import ChatModel
from palyra.services.continuity.condensed import artifact_of, part_of, standing_compaction
from palyra.services.continuity.context import Continuity
from palyra.services.continuity.statements import ToldRun, no_longer_held, statements_of
from palyra.services.memory.context import Memory
from palyra.services.models import ask
from palyra.services.sessions.context import find_session
from palyra.store.connection import ReadTx
from palyra.store.continuity.records import Compaction, count_runs, line_of
from palyra.store.sessions.records import conversation_runs, tape_of
from palyra.store.workspace.records import documents_of, newest

if TYPE_CHECKING:
    from palyra.services.continuity.previewing import PreviewedPlans

_RUNS = 20_000
_RUNS_AT_ONCE = 200
_RECORDS_AT_ONCE = 100_000
_DOCUMENTS = 256
"""looked through for what is said nowhere else"""
_TEXTS = (TapeType.USER_MESSAGE, TapeType.ASSISTANT_MESSAGE)


@dataclass(frozen=True, slots=True)
class CompactionPolicy:
    keep_recent: int = 6
    min_condensed: int = 4
    trigger_percent: int = 70
    cooldown_ms: int = 300_000
    completes_thin_plans: bool = True
    """else a plan by a model that leaves statements out is not taken"""


@dataclass(frozen=True, slots=True)
class Compactor:
    continuity: Continuity
    memory: Memory
    model: ChatModel | None
    """None: statements are chosen, nothing is written anew"""
    policy: CompactionPolicy
    plans: "PreviewedPlans"
    """that somebody has looked at"""


@dataclass(frozen=True, slots=True)
class Planned:
    session: Session
    earlier: Compaction | None
    """what it builds on"""
    plan: SessionCompactionPlan
    from_seq: int
    to_seq: int
    kept_runs: tuple[RunId, ...]
    """turns between the two that stay as they are"""
    untrusted: bool
    condensed: int
    """messages that are not condensed yet"""
    last_seq: int
    run_count: int
    """of the conversation up to `last_seq`: it changes when something was undone or cut meanwhile"""
    notices: tuple[str, ...]
    tape_digest: str
    """of the conversation as it was read: it changes with whatever is said, pinned, undone or erased"""


@dataclass(frozen=True, slots=True)
class _PlannedTape:
    session: Session
    earlier: Compaction | None
    runs: Sequence[Run]
    """of the conversation, without what is condensed already"""
    records: Mapping[RunId, Sequence[TapeRecord]]
    last_seq: int
    run_count: int
    gone: frozenset[str]
    """memories of the earlier summary that do not hold any more"""
    documents: tuple[str, ...]
    """what they say, folded"""


async def plan_compaction(compactor: Compactor, name: str, caller: Visibility) -> Planned:
    """FailedPrecondition if there is too little to condense."""
    memory, policy = compactor.memory, compactor.policy
    tape = await memory.store.db.read(lambda tx: _read(tx, name, caller, memory.clock.now_ms()))
    told = [ToldRun(run, tape.records[run.run_id]) for run in tape.runs if run.state.is_over]
    said = sum(record.type in _TEXTS for one in told for record in one.records)
    # Before a turn is read or a model asked, which costs something.
    _check_enough(tape.session, max(0, said - policy.keep_recent), policy)
    stated = await statements_of(memory, tape.session, told)
    limits = CompactionLimits(keep_recent=policy.keep_recent, completes=policy.completes_thin_plans)
    earlier = None if tape.earlier is None else artifact_of(tape.earlier)
    runs = [RunTape.of(one.run, one.records) for one in told]
    ground = await asyncio.to_thread(ground_of, runs, stated, earlier, tape.gone, limits)
    plan, notices = await _plan(compactor.model, ground, tape.documents)
    planned = _planned(tape, plan, notices)
    _check_enough(tape.session, planned.condensed, policy)
    if not _says_something(plan):
        raise FailedPrecondition(
            f"what could be condensed of session {tape.session.key!r} is too short for a summary",
            hint="go on talking; nothing was changed",
        )
    return planned


def _check_enough(session: Session, messages: int, policy: CompactionPolicy) -> None:
    if messages < policy.min_condensed:
        raise FailedPrecondition(
            f"session {session.key!r} has {messages} messages to condense; it takes {policy.min_condensed}",
            hint="the last ones stay as they are; go on talking, or lower compaction.min_condensed",
            messages=messages,
        )


def _read(tx: ReadTx, name: str, caller: Visibility, now_ms: int) -> _PlannedTape:
    session = find_session(tx, name, caller)
    earlier = standing_compaction(tx, session)
    part = None if earlier is None else part_of(earlier)
    everything = conversation_runs(tx, session, _RUNS)
    runs = [run for run in everything if part is None or not part.covers(run)]
    records: dict[RunId, list[TapeRecord]] = {run.run_id: [] for run in runs}
    for start in range(0, len(runs), _RUNS_AT_ONCE):
        ids = [run.run_id for run in runs[start : start + _RUNS_AT_ONCE]]
        for record in tape_of(tx, ids, 0, _RECORDS_AT_ONCE):
            records[record.run_id].append(record)
    last_seq = everything[-1].seq if everything else 0
    owner = Visibility(session.principal, session.channel)
    lines = [] if earlier is None else [line for block in artifact_of(earlier).condensed for line in block.lines]
    return _PlannedTape(
        session,
        earlier,
        runs,
        records,
        last_seq,
        count_runs(tx, session, 0, last_seq),
        no_longer_held(tx, [line.memory_id for line in lines if line.memory_id], owner, now_ms),
        _documents(tx, session, owner),
    )


def _documents(tx: ReadTx, session: Session, owner: Visibility) -> tuple[str, ...]:
    line = line_of(tx, session)
    paths = [one.path for one in documents_of(tx, owner, line) if not one.deleted][:_DOCUMENTS]
    found = (newest(tx, path, owner, line) for path in paths)
    return tuple(one.text.casefold() for one in found if one is not None and one.text)


async def _plan(
    model: ChatModel | None, ground: Ground, documents: Sequence[str]
) -> tuple[SessionCompactionPlan, tuple[str, ...]]:
    """By the model, if there is one and its answer stands up; else by choosing statements, and it says why."""
    notices: tuple[str, ...] = ()
    if model is not None:
        try:
            answer = await ask(model, model_plan.request_text(ground, secrets.token_hex(8)))
        except PalyraError as error:
            notices = (f"the model made no plan: {error.message}",)
        else:
            parsed = await asyncio.to_thread(model_plan.parse, answer, ground, documents)
            if isinstance(parsed, SessionCompactionPlan) and _says_something(parsed):
                return parsed, parsed.rejections
            reasons = parsed.reasons if isinstance(parsed, model_plan.RejectedPlan) else ("its summary is too long",)
            notices = tuple(f"the model's plan was not taken: {reason}" for reason in reasons)
    return await asyncio.to_thread(lambda: finished(ground, chosen(ground), documents)), notices


def _says_something(plan: SessionCompactionPlan) -> bool:
    """A plan whose budget holds not one line would only take turns away."""
    return any(block.lines for block in plan.condensed)


def _planned(tape: _PlannedTape, plan: SessionCompactionPlan, notices: tuple[str, ...]) -> Planned:
    staying = {kept.seq for kept in plan.kept}
    condensed = [
        run
        for run in tape.runs
        if run.state.is_over and not any(record.seq in staying for record in tape.records[run.run_id])
    ]
    gone = [record for run in condensed for record in tape.records[run.run_id]]
    earlier = tape.earlier
    from_seq = min([run.seq for run in condensed] + ([] if earlier is None else [earlier.from_seq]), default=0)
    to_seq = max([record.seq for record in gone] + ([] if earlier is None else [earlier.to_seq]), default=0)
    ids = {run.run_id for run in condensed}
    kept_runs = [run.run_id for run in tape.runs if from_seq <= run.seq <= to_seq and run.run_id not in ids]
    untrusted = has_untrusted(gone) or (earlier is not None and bool(earlier.artifact["untrusted"]))
    return Planned(
        tape.session,
        earlier,
        plan,
        from_seq,
        to_seq,
        tuple(kept_runs),
        untrusted,
        sum(record.type in _TEXTS for record in gone),
        tape.last_seq,
        tape.run_count,
        notices,
        _digest(tape),
    )


async def tape_digest(compactor: Compactor, name: str, caller: Visibility) -> str:
    """As it is now, to be compared with that of a plan."""
    tape = await compactor.memory.store.db.read(lambda tx: _read(tx, name, caller, 0))
    return await asyncio.to_thread(_digest, tape)


def _digest(tape: _PlannedTape) -> str:
    told: list[Json] = []
    for run in tape.runs:
        records: list[Json] = [[one.seq, one.pinned, one.payload is None] for one in tape.records[run.run_id]]
        told.append([run.run_id, run.state.value, records])
    earlier = "" if tape.earlier is None else tape.earlier.compaction_id
    return sha256(canonical_json([earlier, told])).hex()
