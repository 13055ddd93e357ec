"""Context references: what a message points at, and what was found there.

`[[name]]`, `@file:path`, `@folder:path`, `@diff`, `@staged`, `@url:https://…` and `@memory:id-or-words`; a target with
spaces is quoted, and `@@` stands for the sign itself. Addresses of mail and `@someone` are words like any other, and
nothing inside Markdown code points anywhere. Parsing is linear in the message and never fails: what is written wrongly
is a reference with a `problem`.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from palyra.core.text import normalise
from palyra.domain.memory import Trust


class ReferenceKind(StrEnum):
    NAMED = "named"
    FILE = "file"
    FOLDER = "folder"
    DIFF = "diff"
    STAGED = "staged"
    URL = "url"
    MEMORY = "memory"


FOLDER_FILES = 6
MAX_CHARS: dict[ReferenceKind, int] = {
    ReferenceKind.NAMED: 8_000,
    ReferenceKind.FILE: 8_000,
    ReferenceKind.FOLDER: 12_000,
    ReferenceKind.DIFF: 10_000,
    ReferenceKind.STAGED: 10_000,
    ReferenceKind.URL: 8_000,
    ReferenceKind.MEMORY: 8_000,
}
LABEL_CHARS = 80


@dataclass(frozen=True, slots=True)
class MessageReference:
    """`start` and `end` are places in the message as it was written; `raw` is what stands there."""

    kind: ReferenceKind
    target: str
    start: int
    end: int
    raw: str
    problem: str = ""
    """why it cannot be looked up, whatever is there"""

    @property
    def label(self) -> str:
        """What stands for it in the clean text: one readable line."""
        match self.kind:
            case ReferenceKind.DIFF:
                return "the diff"
            case ReferenceKind.STAGED:
                return "the staged diff"
            case ReferenceKind.URL:
                # Neither the query, where secrets travel, nor a name and password before the host.
                name = re.split("[?#]", re.sub(r"^[A-Za-z]+://([^/@]*@)?", "", self.target), maxsplit=1)[0].rstrip("/")
            case _:
                name = self.target
        return one_line(name) or self.kind.value


@dataclass(frozen=True, slots=True)
class Parsed:
    clean_text: str
    """with a label for each reference that can be looked up, and `@` for `@@`"""
    references: tuple[MessageReference, ...]
    """in the order of appearance, repeated ones too"""


@dataclass(frozen=True, slots=True)
class FileText:
    """The beginning of a file. `whole`: there is no more of it."""

    path: str
    """below its root, without links"""
    text: str
    size_bytes: int
    whole: bool
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FolderEntry:
    name: str
    is_folder: bool
    size_bytes: int


@dataclass(frozen=True, slots=True)
class FolderText:
    path: str
    text: str
    shown: tuple[str, ...]
    """files whose text is in `text`"""
    others: tuple[str, ...]
    """files of which only the name is"""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DiffText:
    text: str
    whole: bool
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PageText:
    url: str
    """where the text came from at last, after every redirect"""
    title: str
    text: str
    whole: bool
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NamedText:
    """What a name or a memory stands for."""

    label: str
    text: str
    provenance: str
    trust: Trust
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Resolved:
    """One reference with what was found, redacted and shortened, or with an error and no text.

    `reference` holds what the user wrote, as it was written: it passes the redactor before it leaves."""

    reference: MessageReference
    label: str
    text: str
    tokens: int
    provenance: str
    trust: Trust
    warnings: tuple[str, ...] = ()
    error: str = ""
    """what went wrong and what to do about it"""
    error_code: str = ""
    """one of core/errors"""


@dataclass(frozen=True, slots=True)
class PreviewOfReferences:
    clean_text: str
    references: tuple[Resolved, ...]
    """in the order of first appearance, each once"""
    tokens: int
    warnings: tuple[str, ...]
    """of the message as a whole; those of one reference are there"""


def parse_references(message: str) -> Parsed:
    pieces: list[str] = []
    references: list[MessageReference] = []
    code = tuple(_code_spans(message))
    starts = [start for start, _ in code]
    done = at = 0
    while match := _MARK.search(message, at):
        inside = bisect_left(starts, match.start() + 1) - 1
        if inside >= 0 and match.start() < code[inside][1]:
            at = code[inside][1]
            continue
        found = _read(message, match)
        if found is None:
            at = match.start() + len(match[0])
            continue
        pieces.append(message[done : match.start()])
        if isinstance(found, MessageReference):
            references.append(found)
            pieces.append(found.raw if found.problem else found.label)
            done = at = found.end
        else:
            pieces.append("@")
            done = at = match.start() + 2
    return Parsed("".join([*pieces, message[done:]]), tuple(references))


def shorten(text: str, max_chars: int) -> str:
    """At most `max_chars` of the beginning, ended at a line or a word where one ends near by."""
    if len(text) <= max_chars:
        return text
    cut = text[:max_chars]
    for end in ("\n", " "):
        at = cut.rfind(end)
        if at >= max_chars * 9 // 10:
            return cut[:at]
    return cut


def one_line(text: str, max_chars: int = LABEL_CHARS) -> str:
    """`text` with nothing invisible and no line break, cut to be a label."""
    line = " ".join(normalise(text[: 4 * max_chars]).split())
    return line if len(line) <= max_chars else line[: max_chars - 1] + "…"


def distinct(references: tuple[MessageReference, ...]) -> tuple[MessageReference, ...]:
    """The first of each: what is named twice is looked up, shown and counted once."""
    return tuple({(reference.kind, reference.target): reference for reference in reversed(references)}.values())[::-1]


# What may stand before a reference: no letter or digit of an address, since ana@file.example is mail. Scripts that
# part no words by spaces may stand right before it.
_BEFORE = r"(?<![0-9A-Za-z\u00c0-\u024f_.+%\-])"
_MARK = re.compile(
    rf"@@|{_BEFORE}@(?:(?P<kind>file|folder|url|memory):|(?P<alone>diff|staged)(?![\w@/-]|\.\w|:\S))"
    r"|(?<![\\\[])\[\[(?P<name>[^\s\[\]](?:[^\[\]\n]{0,254}[^\s\[\]])?)\]\](?!\])"
)
_NUMBERS = re.compile(r"[\d\s,.+-]*")
_DATE = re.compile(r"\d{4}-\d{2}(-\d{2})?")
_QUOTES = {'"': '"', "'": "'", "“": "”", "„": "“", "«": "»"}
# Signs that end a sentence or a clause where no space follows them, and what no path or address holds unquoted.
_BARE = re.compile('[^\\s`<>"“”«»\u3001\u3002\u300c-\u3011\uff01\uff08\uff09\uff0c\uff1a\uff1b\uff1f]+')
_TRAILING = frozenset(".,;:!?'’…*_|")
_CLOSING = {")": "(", "]": "[", "}": "{"}
_TARGET_CHARS = 4_096


def _read(message: str, match: re.Match[str]) -> MessageReference | str | None:
    """A reference, the literal sign, or None for what only looks like one."""
    if match[0] == "@@":
        return "@"
    if match["alone"]:
        return MessageReference(ReferenceKind(match["alone"]), "", match.start(), match.end(), match[0])
    if match["name"]:
        # Rows of numbers in brackets are data; days are names of notes.
        if _NUMBERS.fullmatch(match["name"]) and not _DATE.fullmatch(match["name"]):
            return None
        return MessageReference(ReferenceKind.NAMED, match["name"], match.start(), match.end(), match[0])
    kind = ReferenceKind(match["kind"])
    target, end, problem = _target(message, match.end())
    if not target.strip() and not problem:
        problem = f"@{kind}: names nothing"
    elif len(target) > _TARGET_CHARS:
        problem = f"@{kind}: its target has {len(target):,} characters, at most {_TARGET_CHARS:,} can be looked up"
        target = target[:_TARGET_CHARS]
    return MessageReference(kind, target, match.start(), end, message[match.start() : end], problem)


def _target(message: str, at: int) -> tuple[str, int, str]:
    """What follows the colon, where it ends, and what is wrong with it."""
    closing = _QUOTES.get(message[at : at + 1])
    if closing is not None:
        line_end = message.find("\n", at)
        end = message.find(closing, at + 1, line_end if line_end >= 0 else len(message))
        if end >= 0:
            return message[at + 1 : end], end + 1, ""
        return "", at + 1, f"the quote {message[at]} is not closed on its line"
    match = _BARE.match(message, at)
    if match is None:
        return "", at, ""
    target = _without_trailing(match[0])
    return target, at + len(target), ""


def _without_trailing(target: str) -> str:
    """Without the signs of the sentence around it; a bracket that was opened inside belongs to it."""
    surplus = {closing: target.count(closing) - target.count(opening) for closing, opening in _CLOSING.items()}
    end = len(target)
    while end:
        last = target[end - 1]
        if last in _CLOSING and surplus[last] > 0:
            surplus[last] -= 1
        elif last not in _TRAILING:
            break
        end -= 1
    # Dots alone are a path: the folder itself, or the one above, which is refused where paths are.
    return target[:end] or target.rstrip(",;:!?'’…*_|)]}")


# However deep in quotes and lists it stands; what is indented further is code, too.
_FENCE = re.compile(
    r"^[ \t]*(?P<lead>(?:(?:>|[-*+]|\d{1,9}[.)])[ \t]*)*)(?P<run>`{3,}|~{3,})(?P<info>[^\n]*)$", re.MULTILINE
)
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_TICKS = re.compile("`+")


def _code_spans(message: str) -> Iterator[tuple[int, int]]:
    """Where fenced blocks and inline code are, in order. A fence that is never closed runs to the end."""
    if "`" not in message and "~~~" not in message:
        return
    done = 0
    opened: tuple[int, str] | None = None
    for match in _FENCE.finditer(message):
        run, info, in_item = match["run"], match["info"], match["lead"].strip("> \t") != ""
        if opened is None:
            if run[0] == "`" and "`" in info:
                continue  # inline code at the start of a line
            yield from _inline_code(message, done, match.start())
            opened = (match.start(), run)
        elif run[0] == opened[1][0] and len(run) >= len(opened[1]) and not (info.strip() or in_item):
            yield opened[0], match.end()
            done, opened = match.end(), None
    if opened is not None:
        yield opened[0], len(message)
    else:
        yield from _inline_code(message, done, len(message))


def _inline_code(message: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Runs of backticks up to the next run of the same length in the same paragraph."""
    while start < end:
        blank = _BLANK_LINE.search(message, start, end)
        stop = blank.start() if blank else end
        runs = [(match.start(), match.end()) for match in _TICKS.finditer(message, start, stop)]
        later: dict[int, list[int]] = {}
        for index in range(len(runs) - 1, -1, -1):
            later.setdefault(runs[index][1] - runs[index][0], []).append(index)
        index = 0
        while index < len(runs):
            begin, after = runs[index]
            same = later[after - begin]
            while same and same[-1] <= index:
                same.pop()
            if same and not _is_escaped(message, begin, start):
                yield begin, runs[same[-1]][1]
                index = same[-1]
            index += 1
        start = blank.end() - 1 if blank else end


def _is_escaped(message: str, at: int, start: int) -> bool:
    before = at
    while before > start and message[before - 1] == "\\":
        before -= 1
    return (at - before) % 2 == 1
