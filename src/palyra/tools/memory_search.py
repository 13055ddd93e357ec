"""Finds memories by meaning and words."""

from datetime import UTC, datetime
from typing import Annotated

from msgspec import Meta

from palyra.core import limits
from palyra.domain.chat.tool_policy import Effect, is_untrusted
from palyra.domain.recall import Hit
from palyra.services.memory.search import SearchRequest, search
from palyra.tools.tool import NOTICE, AnswerOfTool, Bench, Tool, one_line
from palyra.wire.base import Arguments


class SearchCall(Arguments, kw_only=True):
    query: Annotated[str, Meta(min_length=1, max_length=limits.QUERY_BYTES, description="a question, or words")]
    top_k: Annotated[int, Meta(ge=1, le=10, description="at most so many")] = 5


async def _run(bench: Bench, asked: SearchCall) -> AnswerOfTool:
    found = await search(bench.memory, SearchRequest(asked.query, asked.top_k), bench.caller)
    without = f" (searched without: {', '.join(found.degraded)})" if found.degraded else ""
    if not found.hits:
        return AnswerOfTool(f"Nothing is remembered about this.{without}")
    lines = [f"Remembered earlier{without}. {NOTICE}", *map(_line, found.hits)]
    return AnswerOfTool("\n".join(lines), any(is_untrusted(hit.item.trust) for hit in found.hits))


def _line(hit: Hit) -> str:
    item = hit.item
    said = datetime.fromtimestamp(item.said_at_ms / 1_000, UTC).date().isoformat()
    who = f" speaker={one_line(item.speaker, 64)!r}" if item.speaker else ""
    return f"{item.memory_id} {hit.score:.2f} {said} trust={item.trust.label}{who}: {one_line(item.text)}"


TOOL = Tool(
    "memory_search",
    "Search what is remembered, in this conversation and earlier ones. Answers with ids, scores, dates and trust.",
    SearchCall,
    Effect.READ_MEMORY,
    _run,
)
