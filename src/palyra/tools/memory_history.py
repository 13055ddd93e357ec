"""How a memory came to be what it is: who, when, what changed."""

from datetime import UTC, datetime

from palyra.domain.chat.tool_policy import Effect, is_untrusted
from palyra.domain.memory_events import MemoryMerged
from palyra.services.memory import lifecycle
from palyra.tools.tool import NOTICE, AnswerOfTool, Bench, MemoryIdText, Tool, one_line
from palyra.wire.base import Arguments

_SHOWN = 40


class History(Arguments, kw_only=True):
    memory_id: MemoryIdText


async def _run(bench: Bench, asked: History) -> AnswerOfTool:
    item = (await lifecycle.get(bench.memory, asked.memory_id, bench.caller)).item
    events = await lifecycle.history(bench.memory, asked.memory_id, bench.caller)
    left_out = len(events) - _SHOWN
    head = f"History of {asked.memory_id}, trust={item.trust.label}, oldest first. {NOTICE}"
    lines = [head, *map(_line, events[-_SHOWN:])]
    if left_out > 0:
        lines.insert(1, f"({left_out} earlier entries left out)")
    # What was merged into it keeps its own words here, and those may be anybody's.
    merged = any(event.kind == MemoryMerged.KIND for event in events)
    return AnswerOfTool("\n".join(lines), merged or is_untrusted(item.trust))


def _line(event: lifecycle.ItemEvent) -> str:
    at = datetime.fromtimestamp(event.at_ms / 1_000, UTC).isoformat(timespec="seconds")
    head = f"{at} {event.actor} {event.kind}"
    if event.body is None:
        return f"{head}: erased"
    told = [str(event.body[name]) for name in ("text", "by", "why", "reason") if event.body.get(name)]
    return f"{head}: {one_line('; '.join(told))}" if told else head


TOOL = Tool(
    "memory_history",
    "Show how one memory came about and changed: what was said when and by whom, what took its place.",
    History,
    Effect.READ_MEMORY,
    _run,
)
