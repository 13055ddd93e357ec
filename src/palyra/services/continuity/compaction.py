"""Compactions: applied, listed, and the originals of what they stand for.

Applying one is one commit: the artifact, the documents and memories that come of it, and a checkpoint. A crash leaves
the state before or after it; only files follow, from the revisions that are on record.
"""

import asyncio
from dataclasses import dataclass
from typing import cast

from palyra.core.errors import Conflict, FailedPrecondition, InvalidArgument, NotFound
from palyra.core.hashing import Json
from palyra.core.redact import redact_payload_json
from palyra.domain.chat.continuity_events import CheckpointId, CompactionApplied, CompactionId
from palyra.domain.chat.session import Session, TapeRecord
from palyra.domain.compaction.plan_json import to_json
from palyra.domain.journal import Actor, Decision, EventDraft, EventRecord, RequestKey, draft_of_event
from palyra.domain.scope import Visibility
from palyra.services.continuity.checkpoints import body_of, checkpoint_draft, marks_in
from palyra.services.continuity.condensed import standing_compaction
from palyra.services.continuity.context import Continuity, marks_on
from palyra.services.continuity.documents import document_drafts
from palyra.services.continuity.planning import Compactor, Planned, plan_compaction
from palyra.services.continuity.previewing import previewed
from palyra.services.sessions.context import find_session, origin_in
from palyra.services.workspace.sync import sync
from palyra.store.connection import ReadTx
from palyra.store.continuity.records import Compaction, compactions_in, count_runs, fetch_compaction, line_of
from palyra.store.journal import events_of_request
from palyra.store.journal_store import Once
from palyra.store.sessions.records import conversation_runs, tape_of

_PAGE = 1_000
_RUNS = 20_000
_TAG = "compaction"


@dataclass(frozen=True, slots=True)
class StandingCompaction:
    compaction: Compaction
    counts: bool
    """it stands for its range in the next prompt"""


@dataclass(frozen=True, slots=True)
class Originals:
    compaction: Compaction | None
    entries: tuple[TapeRecord, ...]
    more: bool


async def apply(
    compactor: Compactor,
    name: str,
    caller: Visibility,
    actor: Actor,
    request: RequestKey | None = None,
    plan_id: str | None = None,
    *,
    force: bool = False,
) -> Compaction:
    """Conflict if the conversation changed while the plan was made. A repeated request gets the first answer.

    `plan_id`: the plan that was previewed, and no other; Conflict if what it rests on has changed since. `force`: also
    if a statement about health, safety, an obligation, a date or money is then nowhere but on the tape."""
    done = await _done_before(compactor, request, caller)
    if done is not None:
        return done
    try:
        return await _apply(compactor, name, caller, actor, request, plan_id, force=force)
    except (Conflict, FailedPrecondition):
        # The same request, sent twice at once: the other one has condensed what this one was to.
        done = await _done_before(compactor, request, caller)
        if done is None:
            raise
        return done


async def _apply(
    compactor: Compactor,
    name: str,
    caller: Visibility,
    actor: Actor,
    request: RequestKey | None,
    plan_id: str | None,
    *,
    force: bool,
) -> Compaction:
    memory, workspace = compactor.memory, compactor.continuity.workspace
    await sync(workspace, caller, begin=True)
    if plan_id is None:
        planned = await plan_compaction(compactor, name, caller)
    else:
        planned = await previewed(compactor, name, caller, plan_id)
    if not force:
        _check_nothing_grave_is_lost(planned)
    body = cast("dict[str, Json]", redact_payload_json(await asyncio.to_thread(to_json, planned.plan.on_record())))
    now_ms = memory.clock.now_ms()
    compaction_id = CompactionId(memory.store.ids.next(now_ms))
    checkpoint_id = CheckpointId(memory.store.ids.next(now_ms))

    def decide(tx: ReadTx) -> Decision[CompactionId]:
        session = find_session(tx, name, caller)
        _check_same(tx, session, planned)
        drafts = _drafts(tx, planned, body, (compaction_id, checkpoint_id), actor)
        return Decision(tuple(drafts), compaction_id)

    once = None if request is None else Once(caller.principal, request, _first_compaction)
    committed = await memory.journal.commit(decide, once)
    await sync(workspace, caller)
    return await show(compactor.continuity, committed.outcome, caller)


async def _done_before(compactor: Compactor, request: RequestKey | None, caller: Visibility) -> Compaction | None:
    """A repeated request makes no second plan, which would cost as much as the first."""
    if request is None:
        return None
    store = compactor.memory.store
    written = await store.db.read(lambda tx: events_of_request(tx, caller.principal, request))
    return await show(compactor.continuity, _first_compaction(written), caller) if written else None


def _first_compaction(written: list[EventRecord]) -> CompactionId:
    return CompactionId(body_of(written[0], CompactionApplied.KIND)["compaction_id"])


def _check_nothing_grave_is_lost(planned: Planned) -> None:
    lost = planned.plan.loss.grave
    if lost:
        raise FailedPrecondition(
            f"{len(lost)} statements that must not get lost would stand nowhere but on the tape, such as"
            f" {lost[0].text[:120]!r} ({lost[0].kind}); nothing was changed",
            hint="palyra session compact --preview names them; have them read into memory, or repeat it with --force",
            lost=len(lost),
        )


def _check_same(tx: ReadTx, session: Session, planned: Planned) -> None:
    now, before = standing_compaction(tx, session), planned.earlier
    is_same = (now is None) == (before is None) and (now is None or before is None or now.seq == before.seq)
    if not is_same or count_runs(tx, session, 0, planned.last_seq) != planned.run_count:
        raise Conflict(
            f"session {session.key!r} was changed while it was being condensed; nothing was written",
            hint="repeat the command",
        )


def _drafts(
    tx: ReadTx,
    planned: Planned,
    body: dict[str, Json],
    ids: tuple[CompactionId, CheckpointId],
    actor: Actor,
) -> list[EventDraft]:
    """The artifact first: a repeated request is answered from it. The checkpoint last: it holds all the others."""
    session, (compaction_id, checkpoint_id) = planned.session, ids
    caller, line, origin = (
        Visibility(session.principal, session.channel),
        line_of(tx, session),
        origin_in(session, actor),
    )
    documents = document_drafts(tx, planned, caller, line, compaction_id)
    artifact: dict[str, Json] = {
        "plan": body,
        "runs": count_runs(tx, session, planned.from_seq, planned.to_seq),
        "kept_runs": list(planned.kept_runs),
        "untrusted": planned.untrusted,
        "condensed": planned.condensed,
        "notices": list(planned.notices),
        "documents": [cast("Json", mark.path) for mark in marks_in(documents.drafts)],
        "refused": [{"path": path, "why": why} for path, why in documents.refused],
        "stored": [],
        "held": [],
    }
    event = CompactionApplied(
        compaction_id,
        session.session_id,
        planned.from_seq,
        planned.to_seq,
        artifact,
        planned.plan.tokens_before,
        planned.plan.tokens_after,
        checkpoint_id,
    )
    marks = {mark.path: mark for mark in (*marks_on(tx, line, caller), *marks_in(documents.drafts))}
    standing = tuple(marks[path] for path in sorted(marks))
    checkpoint = checkpoint_draft(tx, session, line, standing, (compaction_id,), checkpoint_id, origin)
    checkpoint.body["tags"] = [_TAG]
    # Redacted already: to look at so long a text once more would hold up the writer, and every other write with it.
    applied = draft_of_event(event, origin)._replace(words=())
    return [applied, *documents.drafts, checkpoint]


# -- reading


async def show(continuity: Continuity, compaction_id: str, caller: Visibility) -> Compaction:
    return await continuity.sessions.store.db.read(lambda tx: _find(tx, compaction_id, caller))


def _find(tx: ReadTx, compaction_id: str, caller: Visibility) -> Compaction:
    found = fetch_compaction(tx, compaction_id, caller)
    if found is None:
        raise NotFound(
            f"no compaction {compaction_id[:64]!r} in sight, or it was erased",
            hint="palyra session compact SESSION --list",
        )
    return found


async def list_(continuity: Continuity, name: str, caller: Visibility) -> list[StandingCompaction]:
    """Of a session and of those it was branched from, newest first."""

    def read(tx: ReadTx) -> list[StandingCompaction]:
        session = find_session(tx, name, caller)
        now = standing_compaction(tx, session)
        return [StandingCompaction(one, now is not None and one.seq == now.seq) for one in compactions_in(tx, session)]

    return await continuity.sessions.store.db.read(read)


async def expand(
    continuity: Continuity,
    name: str,
    caller: Visibility,
    between: tuple[int | None, int | None],
    after_seq: int,
    limit: int,
) -> Originals:
    """What was said in that range of the tape; without one, all that the compaction in force stands for."""
    first, last = between
    if not 1 <= limit <= _PAGE:
        raise InvalidArgument(f"limit {limit} is outside 1..{_PAGE}", hint="ask for smaller pages")
    if any(seq is not None and not 0 <= seq < 1 << 62 for seq in (first, last, after_seq)):
        raise InvalidArgument("a seq is outside 0..2**62", hint="take the numbers from the summary, such as 12-48")
    if first is not None and last is not None and last < first:
        raise InvalidArgument(f"the range {first}-{last} ends before it begins", hint="swap them")

    def read(tx: ReadTx) -> Originals:
        session = find_session(tx, name, caller)
        compaction = standing_compaction(tx, session)
        if compaction is None and first is None and last is None:
            raise NotFound(f"nothing of session {session.key!r} is condensed", hint="palyra session show has all of it")
        low = first if first is not None else 0 if compaction is None else compaction.from_seq
        high = last if last is not None else 1 << 62 if compaction is None else compaction.to_seq
        runs = [run for run in conversation_runs(tx, session, _RUNS) if run.seq <= high]
        found = tape_of(tx, [run.run_id for run in runs], max(low - 1, after_seq), limit) if runs else []
        entries = [record for record in found if record.seq <= high]
        return Originals(compaction, tuple(entries), len(found) == limit and len(entries) == limit)

    return await continuity.sessions.store.db.read(read)
