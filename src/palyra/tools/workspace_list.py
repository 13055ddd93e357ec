"""Lists a folder of the workspace."""

import asyncio

from palyra.domain.chat.references import FolderEntry
from palyra.domain.chat.tool_policy import Effect
from palyra.tools.tool import NOTICE, AnswerOfTool, Bench, PathText, Tool, one_line
from palyra.wire.base import Arguments

_SHOWN = 300
_NAME_CHARS = 256


class ListFolder(Arguments, kw_only=True):
    path: PathText = "."


async def _run(bench: Bench, asked: ListFolder) -> AnswerOfTool:
    entries = await asyncio.to_thread(bench.open_files().entries, asked.path or ".")
    if not entries:
        return AnswerOfTool("The folder is empty.")
    lines = [f"{len(entries)} entries. {NOTICE}", *map(_line, entries[:_SHOWN])]
    if len(entries) > _SHOWN:
        lines.insert(1, f"(the first {_SHOWN} are shown)")
    return AnswerOfTool("\n".join(lines), untrusted=True)


def _line(entry: FolderEntry) -> str:
    name = one_line(entry.name, _NAME_CHARS)
    return f"{name}/" if entry.is_folder else f"{name} ({entry.size_bytes} bytes)"


TOOL = Tool(
    "workspace_list",
    "List a folder of the user's workspace. Leave the path out for the top.",
    ListFolder,
    Effect.READ_FILES,
    _run,
)
