"""Remembers one statement beyond the conversation it was made in."""

from typing import Annotated, assert_never

from msgspec import Meta

from palyra.core import limits
from palyra.domain.chat.tool_policy import Effect
from palyra.domain.labels import Category
from palyra.domain.memory import (
    ConflictFound,
    Draft,
    HeldForReview,
    IngestOutcome,
    MemorySource,
    Merged,
    Rejected,
    Stored,
)
from palyra.domain.scope import ScopeKind
from palyra.services.memory.ingest import ingest
from palyra.tools.tool import AnswerOfTool, Bench, Tool, one_line
from palyra.wire.base import Arguments


class RetainCall(Arguments, kw_only=True):
    text: Annotated[
        str, Meta(min_length=1, max_length=limits.ITEM_BYTES, description="one self-contained statement, no secrets")
    ]
    category: Annotated[Category | None, Meta(description="guessed from the text if absent")] = None


async def _run(bench: Bench, asked: RetainCall) -> AnswerOfTool:
    # Not into the session: what only this conversation needs to know is in it already.
    scope = ScopeKind.PRINCIPAL if bench.caller.channel is None else ScopeKind.CHANNEL
    # The agent's own words about what was said, whoever said it.
    draft = Draft(asked.text, MemorySource.SUMMARY, category=asked.category, provenance=bench.provenance)
    done = await ingest(bench.memory, draft, bench.caller, bench.writes_as, scope=scope)
    return AnswerOfTool(_told(done.outcome))


async def _question(_bench: Bench, asked: RetainCall) -> str:
    return f"remember: {one_line(asked.text, limits.ITEM_BYTES)}"


def _told(outcome: IngestOutcome) -> str:
    match outcome:
        case Stored(memory_id):
            return f"stored as {memory_id}"
        case Merged(memory_id):
            return f"known already: {memory_id}"
        case ConflictFound(memory_id, conflicts_with, superseded):
            replaced = f"; takes the place of {', '.join(superseded)}" if superseded else ""
            return f"stored as {memory_id}; contradicts {', '.join(conflicts_with)}{replaced}"
        case HeldForReview(_, because):
            return f"not stored yet: a person has to review it first ({', '.join(because)})"
        case Rejected(reasons):
            return f"not stored ({', '.join(reasons)})"
        case _:
            assert_never(outcome)


TOOL = Tool(
    "memory_retain",
    "Remember one statement for later conversations: a fact, preference, decision or correction the user would want"
    " kept. What was said here is kept by itself; use this for conclusions.",
    RetainCall,
    Effect.WRITE_MEMORY,
    _run,
    _question,
)
