"""The console blocks of a page, as they are written: what is typed, and what is printed in answer.

    ```console fixture=model
    $ palyra memory retain "My dog is called Biscuit"
    stored <id1>
    $ palyra chat
    > What is my dog called?
    I remember from <date>: “My dog is called Biscuit” [m1]
    > ^D
    ```

Every line that begins with `$ ` is a command; a backslash at its end, or `<<'EOF'`, continues it. What follows is what
it prints. Lines that begin with `> `, and what follows a question (`? [y/N]`), are typed by a person: such a command
sits at a terminal.

A block of another kind holds no command and no Python, unless it says why nobody can run it: ```sh not run: REASON
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
_FENCE = re.compile(r"```(\w*)(.*)")
_COMMAND = re.compile(r"\s*(\$ |palyrad? |.*\| palyra )")
_EXCUSED = re.compile(r"not run: \w.+")
_TYPED = re.compile(r"^> (.+)$|\?.*\[[^\]]*\]:? (\S.*)$", re.MULTILINE)
_HERE = "<<'EOF'"


@dataclass(frozen=True, slots=True)
class Step:
    command: str
    printed: str
    """as the page has it"""
    at: slice
    """its lines on the page"""

    @property
    def line(self) -> int:
        """where the command begins, as editors count"""
        begins: int = self.at.start
        return begins - self.command.count("\n")

    @property
    def typed(self) -> list[str]:
        """What a person types while it runs; empty: it needs no terminal."""
        return [said or answered for said, answered in _TYPED.findall(self.printed)]


@dataclass(slots=True)
class Block:
    line: int
    fixtures: tuple[str, ...]
    steps: list[Step] = field(default_factory=list)


def guides() -> list[Path]:
    return [*sorted((ROOT / "docs" / "guides").glob("*.md")), ROOT / "docs" / "operations.md"]


def blocks_of(text: str) -> list[Block]:
    lines, found = text.splitlines(), []
    for start, kind, more, end in _fences(lines):
        if kind == "console":
            fixtures = tuple(more.removeprefix("fixture=").split(",")) if more else ()
            found.append(Block(start, fixtures, list(_steps(lines, start + 1, end))))
    return found


def unrun(text: str) -> list[str]:
    """Commands and programs that stand in a block of another kind, or indented, where nobody runs them."""
    lines, found, at = text.splitlines(), [], 0
    for start, kind, more, end in [*_fences(lines), (len(lines), "console", "", len(lines))]:
        found += [line for line in lines[at:start] if line.startswith("    ") and _COMMAND.match(line)]
        if kind != "console" and not _EXCUSED.fullmatch(more):
            block = lines[start + 1 : end]
            found += block if kind in ("python", "sh", "bash") else filter(_COMMAND.match, block)
        at = end
    return found


def settings_of(text: str) -> list[str]:
    """What a page says to write into palyra.toml."""
    lines = text.splitlines()
    return ["\n".join(lines[start + 1 : end]) for start, kind, _, end in _fences(lines) if kind == "toml"]


def with_printed(text: str, printed: Sequence[tuple[Step, str]]) -> str:
    """The page with these outputs in place of the ones it had."""
    lines = text.splitlines()
    for step, new in sorted(printed, key=lambda one: -one[0].at.start):
        lines[step.at] = new.rstrip("\n").splitlines()
    return "\n".join(lines) + "\n"


def _fences(lines: list[str]) -> list[tuple[int, str, str, int]]:
    found, at = [], 0
    while at < len(lines):
        if opening := _FENCE.fullmatch(lines[at]):
            end = lines.index("```", at + 1)
            found.append((at, opening[1], opening[2].strip(), end))
            at = end
        at += 1
    return found


def _steps(lines: list[str], at: int, end: int) -> list[Step]:
    found = []
    while at < end:
        assert lines[at].startswith("$ "), f"a console block begins with a command, not with {lines[at]!r}"
        command = [lines[at].removeprefix("$ ")]
        while command[-1].endswith("\\") or (_HERE in command[0] and command[-1] != "EOF"):
            at += 1
            command.append(lines[at])
        first = at = at + 1
        while at < end and not lines[at].startswith("$ "):
            at += 1
        found.append(Step("\n".join(command), "\n".join(lines[first:at]), slice(first, at)))
    return found
