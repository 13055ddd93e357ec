"""`reflect`: what is remembered about a question, sorted. It quotes and invents nothing: same memories, same digest."""

from palyra.api import memory as api
from palyra.core.errors import NotFound, PermissionDenied
from palyra.transports.mcp.answers import NOTICE, Answer, one_line
from palyra.transports.mcp.arguments import ReflectArguments
from palyra.transports.mcp.desk import McpClient
from palyra.wire import memory as wire
from palyra.wire.base import Response

_TRUSTED = frozenset({"owner", "agent"})
_SURE = 0.5
_NOISE = 0.01


class Fact(Response):
    citation: str
    memory_id: str
    text: str
    trust: str
    confidence: float
    said_at_ms: int
    uncertain: list[str]
    """why not to rely on it alone: trust, confidence or contradicted"""


class Contradiction(Response):
    one: str
    """a citation, or the id of a memory that was not recalled"""
    other: str
    reasons: list[str]
    text: str
    """what the other one says"""


class Replaced(Response):
    memory_id: str
    text: str
    superseded_by: str


class Digest(Response):
    question: str
    facts: list[Fact]
    contradictions: list[Contradiction]
    superseded: list[Replaced]
    degraded: list[str]
    receipt: str
    """id of the journal event that says what was given"""


async def reflect(desk: McpClient, asked: ReflectArguments) -> Answer:
    recalled = await desk.call(
        api.recall, wire.Recall(query=asked.question, top_k=asked.max_items, max_items=asked.max_items, **desk.standing)
    )
    before = await desk.call(
        api.search_,
        wire.Search(
            query=asked.question, top_k=2 * asked.max_items, min_score=_NOISE, include_past=True, **desk.standing
        ),
    )
    details = {memory.memory_id: await _detail(desk, memory.memory_id) for memory in recalled.memories}
    citations = {memory.memory_id: memory.citation for memory in recalled.memories}
    facts = [_fact(memory, known) for memory in recalled.memories if (known := details[memory.memory_id]) is not None]
    digest = Digest(
        question=asked.question,
        facts=facts,
        contradictions=await _contradictions(desk, details, citations),
        superseded=[
            Replaced(memory_id=hit.item.memory_id, text=hit.item.text, superseded_by=hit.item.superseded_by)
            for hit in before.hits
            if hit.item.superseded_by is not None
        ],
        degraded=sorted({*recalled.degraded, *before.degraded}),
        receipt=recalled.receipt,
    )
    return Answer(_text(digest, citations), digest)


async def _detail(desk: McpClient, memory_id: str) -> wire.ItemDetail | None:
    """None for what was forgotten since, or is out of sight."""
    try:
        return await desk.call(api.get, wire.GetItem(memory_id=memory_id, **desk.standing))
    except (NotFound, PermissionDenied):
        return None


def _fact(memory: wire.RecalledMemory, known: wire.ItemDetail) -> Fact:
    item = known.item
    doubts = {
        "trust": item.trust not in _TRUSTED,
        "confidence": item.confidence < _SURE,
        "contradicted": bool(known.conflicts),
    }
    return Fact(
        citation=memory.citation,
        memory_id=memory.memory_id,
        text=memory.text,
        trust=item.trust,
        confidence=item.confidence,
        said_at_ms=item.said_at_ms,
        uncertain=[name for name, holds in doubts.items() if holds],
    )


async def _contradictions(
    desk: McpClient, details: dict[str, wire.ItemDetail | None], citations: dict[str, str]
) -> list[Contradiction]:
    """Each pair once, whichever of the two names the other."""
    found: list[Contradiction] = []
    seen: set[frozenset[str]] = set()
    for memory_id, known in details.items():
        for link in known.conflicts if known is not None else ():
            pair = frozenset({memory_id, link.memory_id})
            other = details.get(link.memory_id) or await _detail(desk, link.memory_id)
            if pair in seen or other is None:
                continue
            seen.add(pair)
            found.append(
                Contradiction(
                    one=citations[memory_id],
                    other=citations.get(link.memory_id, link.memory_id),
                    reasons=link.reasons,
                    text=other.item.text,
                )
            )
    return found


def _text(digest: Digest, citations: dict[str, str]) -> str:
    if not digest.facts:
        return "Nothing is remembered about this."
    lines = [NOTICE, "Facts:"]
    for fact in digest.facts:
        doubt = f" (uncertain: {', '.join(fact.uncertain)})" if fact.uncertain else ""
        lines.append(f"[{fact.citation}] trust={fact.trust}{doubt}: {one_line(fact.text)}")
    if digest.contradictions:
        lines.append("Contradictions:")
        lines += [
            f"[{pair.one}] against [{pair.other}] ({', '.join(pair.reasons)}): {one_line(pair.text)}"
            for pair in digest.contradictions
        ]
    if digest.superseded:
        lines.append("No longer holds:")
        for old in digest.superseded:
            newer = citations.get(old.superseded_by, old.superseded_by)
            lines.append(f"{old.memory_id}, superseded by [{newer}]: {one_line(old.text)}")
    return "\n".join(lines)
