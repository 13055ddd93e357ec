"""From a message to what a model is sent: the stages, one `assemble`, and the receipt of what was recalled."""

from dataclasses import dataclass

from palyra.core.hashing import Json, sha256
from palyra.core.ids import MemoryId
from palyra.domain.chat.conversation import ChatRequest
from palyra.domain.journal import Actor, Decision, Origin, Receipt, draft_of_event
from palyra.domain.memory_events import MemoryRecalled
from palyra.domain.prompt import assemble
from palyra.domain.prompt.report import AssemblyReport, PartKind, PartReport, Source
from palyra.services.prompt.context import PromptContext
from palyra.services.prompt.recalled import recall_query
from palyra.services.prompt.stages import STAGES


@dataclass(frozen=True, slots=True)
class PreparedPrompt:
    request: ChatRequest
    report: AssemblyReport
    injection: dict[str, Json] | None
    """for the tape: which memories are in the prompt; None if none is"""


async def prepare_model_provider_input(ctx: PromptContext) -> PreparedPrompt:
    """Only reads, but for the receipt of a recall that found something.

    TooLarge if not even the question fits; InvalidArgument for an explicit recall that makes no sense."""
    parts = [part for stage in STAGES if (part := await stage(ctx)) is not None]
    assembled = assemble(parts, ctx.window)
    recalled = assembled.report.part(PartKind.MEMORY)
    injection = None
    if recalled is not None and (candidates := _candidates(recalled)):
        receipt = await _leave_receipt(ctx, recalled, candidates, assembled.report.degraded)
        injection = _injection(recalled, receipt) if recalled.kept else None
    return PreparedPrompt(assembled.request, assembled.report, injection)


def _candidates(recalled: PartReport) -> list[Source]:
    """Every memory that was considered, best first."""
    sources = [kept.source for kept in recalled.kept]
    sources += [gone.source for gone in recalled.left_out if gone.source is not None and gone.source.score is not None]
    return sorted(sources, key=lambda source: -(source.score or 0.0))


async def _leave_receipt(
    ctx: PromptContext, recalled: PartReport, candidates: list[Source], degraded: tuple[str, ...]
) -> Receipt:
    event = MemoryRecalled(
        sha256(recall_query(ctx).encode("utf-8", "replace")).hex(),
        recalled.sha256,
        recalled.tokens,
        tuple(MemoryId(kept.source.id) for kept in recalled.kept),
        tuple((source.id, source.score or 0.0) for source in candidates),
        degraded,
    )
    caller = ctx.caller
    origin = Origin(caller.principal, Actor.AGENT, caller.channel, caller.session_id, ctx.run_id)
    draft = draft_of_event(event, origin)
    return (await ctx.memory.journal.commit(lambda _tx: Decision((draft,), None))).receipts[0]


def _injection(recalled: PartReport, receipt: Receipt) -> dict[str, Json]:
    memories: list[Json] = [
        {
            "memory_id": kept.source.id,
            "citation": kept.source.citation,
            "score": kept.source.score,
            "trust": kept.source.trust,
        }
        for kept in recalled.kept
    ]
    return {
        "receipt_event_id": receipt.event_id,
        "tokens": recalled.tokens,
        "block_sha256": recalled.sha256,
        "memories": memories,
    }
