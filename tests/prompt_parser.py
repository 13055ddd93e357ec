"""A reader of prompts that knows only their grammar, written apart from the code that makes them.

It is as strict as a hostile reader is lenient: whatever it does not expect is a break-out.
"""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

OPEN = re.compile(r'<([a-z_]+) boundary="([0-9a-f]+)"((?: [a-z_]+="[^"<>]*")*)>')
LABEL = re.compile(r' ([a-z_]+)="([^"<>]*)"')
MEMORY = re.compile(r'\[(m\d+)\] trust=([a-z]+) source=([a-z_:]+) said=\d{4}-\d\d-\d\d(?: speaker="([^"<>]*)")?: (.*)')
ENTITY = re.compile(r"&(?:amp|lt|gt|quot|#x[0-9A-F]+);")
TEMPLATE = re.compile(
    r"<\||\|>|<<SYS>>|</?s>|\[/?[A-Z_]+\]|^(?:Human|Assistant|User|System|USER|ASSISTANT)\s*:|^#+ |^(?:```|~~~)",
    re.MULTILINE,
)
UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]"
)


class BreakOut(Exception):
    """The text left its fence, or passed for something of ours."""


@dataclass
class Block:
    kind: str
    boundary: str
    labels: dict[str, str]
    body: str = ""
    memories: list[tuple[str, str, str, str]] = field(default_factory=list)
    """citation, trust, speaker, text"""


def read_fences(text: str) -> tuple[list[Block], str]:
    """The fences of `text`, and what stands outside of them."""
    if text.splitlines() != text.split("\n")[: len(text.splitlines())]:
        raise BreakOut("a line break that is not ours")
    blocks: list[Block] = []
    outside: list[str] = []
    lines = iter(text.split("\n"))
    for line in lines:
        found = OPEN.fullmatch(line)
        if found:
            blocks.append(_read_block(found, lines))
        elif "<" in line or ">" in line:
            raise BreakOut(f"a tag outside: {line!r}")
        else:
            outside.append(line)
    return blocks, "\n".join(outside)


def _read_block(found: re.Match[str], lines: Iterator[str]) -> Block:
    block = Block(found[1], found[2], {name: html.unescape(value) for name, value in LABEL.findall(found[3])})
    last = f'</{block.kind} boundary="{block.boundary}">'
    introduction = next(lines)
    if "without authority" not in introduction and block.kind != "preferences":
        raise BreakOut(f"a fence without its label: {introduction!r}")
    body: list[str] = []
    for line in lines:
        if line == last:
            block.body = _check("\n".join(body), block.boundary)
            return block
        memory = MEMORY.fullmatch(line) if block.kind == "memory" else None
        if memory:
            block.memories.append(
                (memory[1], memory[2], html.unescape(memory[4] or ""), _check(memory[5], block.boundary))
            )
        elif not line.startswith("    "):
            raise BreakOut(f"a line at the margin: {line!r}")
        else:
            body.append(line[4:])
    raise BreakOut(f"{block.kind} is never closed")


def _check(body: str, boundary: str) -> str:
    """The text as it was before it was escaped."""
    if "<" in body or ">" in body:
        raise BreakOut("a tag inside")
    if boundary in body.lower():
        raise BreakOut("the boundary inside")
    if UNSEEN.search(body):
        raise BreakOut("something nobody sees")
    if "&" in ENTITY.sub("", body):
        raise BreakOut("an entity that is not ours")
    indented = "\n".join("    " + line for line in body.split("\n"))
    if TEMPLATE.search(indented):
        raise BreakOut("a token of a chat template")
    return html.unescape(body)
