"""The prompt `recall`: a question together with what is remembered about it."""

import mcp_types as types

from palyra.api import memory as api
from palyra.core.errors import InvalidArgument, NotFound
from palyra.transports.mcp.desk import McpClient
from palyra.wire import memory as wire

PROMPT = types.Prompt(
    name="recall",
    title="Recall",
    description="Ask a question together with what is remembered about it.",
    arguments=[types.PromptArgument(name="question", description="what to ask", required=True)],
)


async def written(desk: McpClient, name: str, arguments: dict[str, str] | None) -> types.GetPromptResult:
    if name != PROMPT.name:
        raise NotFound(f"no prompt {name[:128]!r}", hint=f"there is one: {PROMPT.name}")
    given = arguments or {}
    question = given.get("question", "")
    if not question.strip() or given.keys() != {"question"}:
        raise InvalidArgument(f"the prompt {name!r} takes exactly one argument", hint="give it a question")
    recalled = await desk.call(api.recall, wire.Recall(query=question, **desk.standing))
    block = recalled.block or "Nothing is remembered about this.\n"
    text = f"{block}\n{question}\n\nCite what you use from memory, such as [m1]."
    message = types.PromptMessage(role="user", content=types.TextContent(type="text", text=text))
    return types.GetPromptResult(description=PROMPT.description, messages=[message])
