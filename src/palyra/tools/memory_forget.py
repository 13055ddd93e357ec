"""Takes one memory out of use, after a person has seen which. Its history stays."""

from palyra.domain.chat.tool_policy import Effect
from palyra.services.memory import lifecycle
from palyra.tools.tool import AnswerOfTool, Bench, MemoryIdText, Tool, one_line
from palyra.wire.base import Arguments


class Forget(Arguments, kw_only=True):
    memory_id: MemoryIdText


async def _run(bench: Bench, asked: Forget) -> AnswerOfTool:
    await lifecycle.delete(bench.memory, [asked.memory_id], bench.caller, bench.writes_as)
    return AnswerOfTool(f"forgot {asked.memory_id}")


async def _question(bench: Bench, asked: Forget) -> str:
    """NotFound, PermissionDenied or InvalidArgument when there is nothing to ask about."""
    item = (await lifecycle.get(bench.memory, asked.memory_id, bench.caller)).item
    return f"forget {asked.memory_id}, said by the {item.trust.label}: {one_line(item.text)}"


TOOL = Tool(
    "memory_forget",
    "Delete one memory by its id, because the user wants it gone. The user is asked to confirm.",
    Forget,
    Effect.FORGET,
    _run,
    _question,
)
