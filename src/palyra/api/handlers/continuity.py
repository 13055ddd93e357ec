"""What the operations on compactions, checkpoints and branches do."""

from collections.abc import Iterable
from typing import Any

from palyra.api import continuity as api
from palyra.api.call import Call, actor_of, seer
from palyra.api.handlers.binding import bind
from palyra.api.repeats import request_key
from palyra.core.errors import InvalidArgument
from palyra.core.redact import redact_memory_text_for_output as redact
from palyra.domain.compaction.plan import LossReport, SessionCompactionPlan
from palyra.domain.compaction.plan_json import plan_from_json
from palyra.domain.compaction.render import render_compaction_prompt_block
from palyra.services.continuity import checkpoints, compaction, compare, merging, previewing
from palyra.services.continuity.merging import Side
from palyra.services.continuity.planning import Planned
from palyra.store.continuity.records import Compaction, DocumentMark, SessionCheckpoint
from palyra.wire import chat
from palyra.wire import continuity as wire
from palyra.wire.from_domain.sessions import to_entry, to_session

# -- compactions


async def _preview(call: Call, request: wire.PreviewCompaction) -> wire.CompactionPreview:
    made = await previewing.preview(call.app.compactor, request.session, seer(call, request))
    return wire.CompactionPreview(plan_id=made.plan_id, **_planned(made.planned))


async def _apply(call: Call, request: wire.ApplyCompaction) -> wire.CompactionInfo:
    standing, actor = seer(call, request), actor_of(call, None)
    key = request_key(api.apply, request, standing, actor)
    done = await compaction.apply(
        call.app.compactor, request.session, standing, actor, key, request.plan_id, force=request.force
    )
    return _to_compaction(done, in_force=True)


async def _list(call: Call, request: wire.ListCompactions) -> wire.CompactionList:
    found = await compaction.list_(call.app.continuity, request.session, seer(call, request))
    return wire.CompactionList(compactions=[_to_compaction(one.compaction, in_force=one.counts) for one in found])


async def _expand(call: Call, request: wire.ExpandCompaction) -> wire.ExpandedEntries:
    found = await compaction.expand(
        call.app.continuity,
        request.session,
        seer(call, request),
        (request.from_seq, request.to_seq),
        request.after_seq,
        request.limit,
    )
    return wire.ExpandedEntries(
        compaction_id=None if found.compaction is None else found.compaction.compaction_id,
        entries=[to_entry(record) for record in found.entries],
        next_after_seq=found.entries[-1].seq if found.more else None,
    )


def _planned(planned: Planned) -> dict[str, Any]:
    return {
        **_plan_fields(planned.plan),
        "session_id": planned.session.session_id,
        "from_seq": planned.from_seq,
        "to_seq": planned.to_seq,
        "messages": planned.condensed,
        "notices": list(planned.notices),
    }


def _plan_fields(plan: SessionCompactionPlan) -> dict[str, Any]:
    return {
        "strategy": plan.strategy,
        "planner": plan.planner.value,
        "tokens_before": plan.tokens_before,
        "tokens_after": plan.tokens_after,
        "summary": redact(render_compaction_prompt_block(plan.artifact)),
        "candidates": [
            wire.DurableCandidateInfo(
                text=redact(candidate.text),
                kind=candidate.kind.value,
                disposition=candidate.disposition.value,
                target=candidate.target,
                confidence=candidate.confidence_bps / 10_000,
                reason=candidate.reason,
                seqs=[evidence.seq for evidence in candidate.evidence],
            )
            for candidate in plan.candidates
        ],
        "dropped": len(plan.dropped),
        "loss": _to_loss(plan.loss),
    }


def _to_loss(loss: LossReport) -> wire.LossInfo:
    return wire.LossInfo(
        facts=loss.statements,
        present=loss.present,
        lost=[wire.LostFact(seq=one.seq, kind=one.kind, text=redact(one.text)) for one in loss.lost],
        in_summary=loss.in_summary,
        in_memory=loss.in_memory,
        in_document=loss.in_document,
        turns=loss.turns,
        turns_in_sight=loss.turns_in_sight,
        unseen=[
            wire.UnseenTurnInfo(seq=one.seq, text=redact(one.text), partly=one.partly, why=one.why)
            for one in loss.unseen
        ],
    )


def _to_compaction(done: Compaction, *, in_force: bool) -> wire.CompactionInfo:
    body = done.artifact
    fields: dict[str, Any] = {
        **_plan_fields(plan_from_json(body["plan"])),
        "session_id": done.session_id,
        "from_seq": done.from_seq,
        "to_seq": done.to_seq,
        "messages": body["condensed"],
        "notices": body["notices"],
        "compaction_id": done.compaction_id,
        "at_ms": done.at_ms,
        "checkpoint_id": done.checkpoint_id,
        "in_force": in_force,
        "documents": body["documents"],
        "refused": [wire.Refusal(path=one["path"], why=redact(one["why"])) for one in body["refused"]],
        "stored": body["stored"],
        "held": body["held"],
    }
    return wire.CompactionInfo(**fields)


# -- checkpoints


async def _create(call: Call, request: wire.CreateCheckpoint) -> wire.CheckpointInfo:
    standing, actor = seer(call, request), actor_of(call, None)
    made = await checkpoints.create(
        call.app.continuity,
        request.session,
        standing,
        actor,
        request.name,
        request.note,
        request.tags,
        request_key(api.create, request, standing, actor),
    )
    return _to_checkpoint(made)


async def _checkpoints(call: Call, request: wire.ListCheckpoints) -> wire.CheckpointPage:
    found = await checkpoints.list_(
        call.app.continuity, request.session, seer(call, request), request.before_seq, request.limit
    )
    more = len(found) == request.limit
    return wire.CheckpointPage(
        checkpoints=[_to_checkpoint(one) for one in found], next_before_seq=found[-1].seq if more else None
    )


async def _get(call: Call, request: wire.NameCheckpoint) -> wire.CheckpointInfo:
    return _to_checkpoint(await checkpoints.show(call.app.continuity, request.checkpoint, seer(call, request)))


async def _compare(call: Call, request: wire.CompareCheckpoints) -> wire.Comparison:
    found = await compare.compare(call.app.continuity, request.checkpoint, request.other, seer(call, request))
    return wire.Comparison(
        shared_runs=found.shared_runs,
        only_first=[wire.RunGlance(run_id=run.run_id, asked=run.asked) for run in found.only_first],
        only_first_count=found.only_first_count,
        only_second=[wire.RunGlance(run_id=run.run_id, asked=run.asked) for run in found.only_second],
        only_second_count=found.only_second_count,
        documents=[
            wire.DocumentDifference(path=one.path, change=one.change, diff=one.diff, missing=list(one.missing))
            for one in found.documents
        ],
        memories=[
            wire.MemoryDifference(memory_id=one.memory_id, change=one.change, text=redact(one.text), seq=one.seq)
            for one in found.memories
        ],
    )


async def _restore(call: Call, request: wire.RestoreCheckpoint) -> wire.RestoredCheckpoint:
    standing, actor = seer(call, request), actor_of(call, None)
    key = request_key(api.restore, request, standing, actor)
    if not request.in_place:
        made = await checkpoints.restore(
            call.app.continuity, request.checkpoint, standing, actor, request.key, request.title, key
        )
        return wire.RestoredCheckpoint(
            checkpoint_id=made.checkpoint.checkpoint_id,
            session=to_session(made.session),
            written=[],
            unchanged=[],
            missing=list(made.missing),
            refused=[],
            newer=[],
        )
    if request.key is not None or request.title:
        raise InvalidArgument("in place there is no new session to name", hint="leave the key and the title out")
    done = await checkpoints.roll_back(call.app.continuity, request.checkpoint, standing, actor, key)
    checkpoint = await checkpoints.show(call.app.continuity, request.checkpoint, standing)
    return wire.RestoredCheckpoint(
        checkpoint_id=checkpoint.checkpoint_id,
        session=None,
        written=_marks(done.written),
        unchanged=list(done.unchanged),
        missing=list(done.missing),
        refused=[wire.Refusal(path=path, why=redact(why)) for path, why in done.refused],
        newer=list(done.newer),
    )


async def _merge(call: Call, request: wire.MergeBranch) -> wire.MergedBranch:
    both = sorted(set(request.mine) & set(request.theirs))
    if both:
        raise InvalidArgument(f"{both[0][:64]!r} cannot be both mine and theirs", hint="name it once")
    sides: dict[str, Side] = dict.fromkeys(request.mine, "mine")
    sides |= dict.fromkeys(request.theirs, "theirs")
    standing, actor = seer(call, request), actor_of(call, None)
    key = request_key(api.merge, request, standing, actor)
    done = await merging.merge_back(call.app.continuity, request.session, standing, actor, sides, key)
    return wire.MergedBranch(
        written=_marks(done.written),
        deleted=list(done.deleted),
        conflicts=[
            wire.PathConflict(
                path=one.path,
                what=one.what,
                lines=[
                    wire.LineConflict(
                        line=c.line,
                        ours=redact(c.ours),
                        theirs=redact(c.theirs),
                        block_id=c.block_id,
                        item_id=c.item_id,
                    )
                    for c in one.conflicts
                ],
            )
            for one in done.conflicts
        ],
    )


async def _tree(call: Call, request: chat.NameSession) -> wire.SessionTree:
    nodes = await compare.tree(call.app.continuity, request.session, seer(call, request))
    return wire.SessionTree(
        nodes=[
            wire.TreeNode(
                session=to_session(node.session),
                depth=node.depth,
                from_checkpoint=node.from_checkpoint,
                checkpoints=[_to_checkpoint(one) for one in node.checkpoints],
            )
            for node in nodes
        ]
    )


def _to_checkpoint(one: SessionCheckpoint) -> wire.CheckpointInfo:
    return wire.CheckpointInfo(
        checkpoint_id=one.checkpoint_id,
        seq=one.seq,
        session_id=one.session_id,
        line=one.line,
        tape_seq=one.tape_seq,
        documents=_marks(one.documents),
        compactions=list(one.compactions),
        name=redact(one.name),
        note=redact(one.note),
        tags=[redact(tag) for tag in one.tags],
        at_ms=one.at_ms,
    )


def _marks(marks: Iterable[DocumentMark]) -> list[wire.MarkedDocument]:
    return [wire.MarkedDocument(path=mark.path, revision=mark.revision, sha256=mark.sha256) for mark in marks]


HANDLERS = (
    bind(api.preview, _preview),
    bind(api.apply, _apply),
    bind(api.list_, _list),
    bind(api.expand, _expand),
    bind(api.create, _create),
    bind(api.checkpoints, _checkpoints),
    bind(api.get, _get),
    bind(api.compare, _compare),
    bind(api.restore, _restore),
    bind(api.merge, _merge),
    bind(api.tree, _tree),
)
