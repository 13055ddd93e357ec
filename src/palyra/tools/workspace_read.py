"""Reads a text file of the workspace, a page at a time."""

import asyncio
from typing import Annotated

from msgspec import Meta

from palyra.core.redact import Span, mask_secrets, redact_text
from palyra.domain.chat.tool_policy import Effect
from palyra.tools.tool import NOTICE, AnswerOfTool, Bench, FileTools, PathText, Tool, one_line
from palyra.wire.base import Arguments

_PAGE_CHARS = 12_000
_MOST_CHARS = 500_000
_LONGEST_SECRET = 4_096


class ReadFile(Arguments, kw_only=True):
    path: PathText
    offset: Annotated[int, Meta(ge=0, le=_MOST_CHARS, description="characters to skip, as the last page said")] = 0


async def _run(bench: Bench, asked: ReadFile) -> AnswerOfTool:
    page, end, more = await asyncio.to_thread(_page, bench.open_files(), asked.path, asked.offset)
    path = one_line(asked.path, 256)
    if not (page or more):  # a page of nothing but the inside of a secret is empty, and the file goes on
        return AnswerOfTool(f"{path} has no characters from {asked.offset} on.")
    rest = f"more with offset {end}" if more else "this is the end"
    return AnswerOfTool(f"{path}, characters {asked.offset} to {end}; {rest}. {NOTICE}\n{page}", untrusted=True)


def _page(files: FileTools, path: str, offset: int) -> tuple[str, int, bool]:
    """(the page, where it ends in the file, whether the file goes on).

    All that precedes it is looked at, and a bit of what follows: a page cut out of the middle of a secret would show a
    part of it that nothing recognises. So no page begins or ends within one."""
    file = files.read(path, offset + _PAGE_CHARS + _LONGEST_SECRET)
    text = file.text
    spans = redact_text(text).spans
    start, end = _outside(min(offset, len(text)), spans), _outside(min(offset + _PAGE_CHARS, len(text)), spans)
    return _masked(text[:end], spans)[len(_masked(text[:start], spans)) :], end, len(text) > end or not file.whole


def _outside(place: int, spans: tuple[Span, ...]) -> int:
    return next((span.end for span in spans if span.start < place < span.end), place)


def _masked(text: str, spans: tuple[Span, ...]) -> str:
    return mask_secrets(text, tuple(span for span in spans if span.end <= len(text)))


TOOL = Tool(
    "workspace_read",
    f"Read a text file of the user's workspace, {_PAGE_CHARS} characters at a time.",
    ReadFile,
    Effect.READ_FILES,
    _run,
)
