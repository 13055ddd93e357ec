"""Which words of a turn are the person's own, and which a program, a log or a letter put around them.

One table of known wrappings (`data/wrappings.txt`) and one general rule: a pair of tags that opens at the beginning of
a line, and a block in the shape of code, a log or a quotation, is not the person's. Nor is what the caller has seen in
the requests before: that is found by repetition, not by name.
"""

import hashlib
import re
from collections.abc import Container, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal

from palyra.language.pasted import LEAST_LETTER, lines_of, pasted, quoted
from palyra.language.words import lines

HEAD, TAIL = 96_000, 32_000
"""characters of a turn that are looked at: its beginning and its end"""
LEAST_REPEATED = 24
"""characters; a shorter line said twice is a person who repeats herself"""
_TITLE = 80

Because = Literal["wrapping", "pasted", "too_long"]


@dataclass(frozen=True, slots=True)
class Own:
    """The person's own stretches of a turn, and what is around them, both in order."""

    spans: tuple[tuple[int, int], ...]
    around: tuple[tuple[int, int, Because], ...]


def own_words(text: str, repeated: Container[str] = ()) -> Own:
    """`repeated` holds what `blocks` gave for everything that every request of this conversation brings."""
    if len(text) > HEAD + TAIL:
        first, last = text.find("\n", HEAD - 2_000, HEAD), text.rfind("\n", len(text) - TAIL, len(text) - TAIL + 2_000)
        first, last = first if first > 0 else HEAD, last if last > 0 else len(text) - TAIL
        head, tail = _read(text[:first], repeated), _read(text[last:], repeated)
        moved = tuple((a + last, b + last) for a, b in tail.spans)
        behind = tuple((a + last, b + last, why) for a, b, why in tail.around)
        return Own(head.spans + moved, (*head.around, (first, last, "too_long"), *behind))
    return _read(text, repeated)


def own_text(text: str, repeated: Container[str] = ()) -> str:
    """The person's own words alone, a stretch a line."""
    return "\n".join(text[a:b] for a, b in own_words(text, repeated).spans)


def title(text: str, repeated: Container[str] = ()) -> str:
    """The first line of the person's own words, cut at a word; empty if there are none."""
    line = " ".join(next(iter(own_text(text, repeated).strip().splitlines()), "").split())
    if len(line) <= _TITLE:
        return line
    cut = line[: _TITLE - 1]
    return cut[: cut.rfind(" ")] + "…" if cut.rfind(" ") > _TITLE // 2 else cut + "…"


def blocks(text: str) -> frozenset[str]:
    """A digest of each line long enough to know again. What is in all requests of a conversation is a program's."""
    return frozenset(digest(line) for line in text.splitlines() if len(line.strip()) >= LEAST_REPEATED)


def digest(line: str) -> str:
    return hashlib.blake2b(" ".join(line.split()).encode("utf-8", "replace"), digest_size=12).hexdigest()


def _read(text: str, repeated: Container[str]) -> Own:
    taken = bytearray(len(text))  # 0: own, 1: wrapping, 2: pasted
    for start, end in _tagged(text):
        taken[start:end] = b"\1" * (end - start)
    for start, end in _spoken(text, taken):
        taken[start:end] = bytes(end - start)
    for start, end in _headed(text):
        taken[start:end] = b"\1" * (end - start)
    for start, end in quoted(text):
        taken[start:end] = b"\2" * (end - start)
    for start, end, mark in _by_line(text, taken, repeated):
        taken[start:end] = mark * (end - start)
    return _stretches(text, taken)


_RUNS = re.compile(rb"\x00+|\x01+|\x02+")


def _stretches(text: str, taken: bytearray) -> Own:
    spans: list[tuple[int, int]] = []
    around: list[tuple[int, int, Because]] = []
    for run in _RUNS.finditer(taken):
        inner = text[run.start() : run.end()]
        if not inner.strip():
            continue
        start = run.start() + len(inner) - len(inner.lstrip())
        end = run.start() + len(inner.rstrip())
        if run[0][0] == 0:
            spans.append((start, end))
        else:
            around.append((start, end, "wrapping" if run[0][0] == 1 else "pasted"))
    return Own(tuple(spans), tuple(around))


# --- tags --------------------------------------------------------------------------------------------------------


@cache
def _known(section: str) -> frozenset[str]:
    return frozenset(name.lower() for name, _ in lines("wrappings.txt")[section])


_TAG = re.compile(r"<(/?)([A-Za-z][\w-]{0,60})((?:\s[^<>\n]{0,400})?)(/?)>")


def _tagged(text: str) -> Iterator[tuple[int, int]]:
    """Every outermost pair of a program's tags, the marks of tags that hold the person's words, and half of a pair."""
    if "<" not in text:
        return
    around, inside = _known("around"), _known("inside")
    tags = list(_TAG.finditer(text))
    closers: dict[str, list[int]] = {}
    for n, tag in enumerate(tags):
        if tag[1]:
            closers.setdefault(tag[2].lower(), []).append(n)
    after = 0
    for n, tag in enumerate(tags):
        name = tag[2].lower()
        if tag.start() < after:
            continue
        if name in inside and (tag[1] or _leads(text, tag.start()) or name in closers):
            yield tag.span()
        elif tag[4]:
            if name in around:
                yield tag.span()
        elif tag[1]:
            if name in around and _half_closed(text, tag):
                yield after, tag.end()
                after = tag.end()
        elif end := _until(text, tags, n, closers):
            yield tag.start(), end
            after = end


def _until(text: str, tags: list[re.Match[str]], at: int, closers: dict[str, list[int]]) -> int | None:
    """Where what the tag opens ends, if it is a program's: the end of the text for half of a wrapping."""
    tag, name = tags[at], tags[at][2].lower()
    end, known = _closed(tags, at, name, closers), name in _known("around")
    if end is None:
        return len(text) if known and _half_open(text, tag) else None
    is_block = end - tag.start() >= LEAST_LETTER or (_leads(text, tag.start()) and _is_block(text, tag, end))
    return end if known or is_block else None


def _closed(tags: list[re.Match[str]], at: int, name: str, closers: dict[str, list[int]]) -> int | None:
    """Where the tag that is opened at `at` is closed, those of its name within it counted."""
    if not closers.get(name) or closers[name][-1] < at:
        return None
    depth = 0
    for tag in tags[at:]:
        if tag[2].lower() == name and not tag[4]:
            depth += -1 if tag[1] else 1
            if depth == 0:
                return tag.end()
    return tags[closers[name][-1]].end()


def _leads(text: str, at: int) -> bool:
    """Whether nothing but tags stands before it on its line."""
    before = text[text.rfind("\n", 0, at) + 1 : at].rstrip()
    return not before or before.endswith(">")


def _is_block(text: str, tag: re.Match[str], end: int) -> bool:
    """A tag nobody knows: a program's, unless it is a word of mark-up within a line."""
    return "\n" in text[tag.start() : end] or bool(re.search("[-_A-Z]", tag[2]))


def _half_open(text: str, tag: re.Match[str]) -> bool:
    """A wrapping that was cut off, not a person who names it: it leads its line and no blank comes after it."""
    after = text[tag.end() : tag.end() + 1]
    return _leads(text, tag.start()) and bool(after) and after not in " \t?,.!"


def _half_closed(text: str, tag: re.Match[str]) -> bool:
    before, after = text[tag.start() - 1 : tag.start()], text[tag.end() : tag.end() + 1]
    return before not in (" ", "\t", "`", '"', "'", "(") and after in ("", "\n")


def _spoken(text: str, taken: bytearray) -> Iterator[tuple[int, int]]:
    """What a person said while a program was at work, which it hands on within a wrapping."""
    low = text.lower()
    for _, begins in lines("wrappings.txt")["said"]:
        at = low.find(begins)
        while at >= 0:
            if taken[at] == 1:
                start = text.find("\n", at)
                ends = [low.find(mark, start) for _, mark in lines("wrappings.txt")["said_until"]]
                ends += [low.find("</", start)]
                if start >= 0:
                    yield start, min([end for end in ends if end >= 0], default=start)
            at = low.find(begins, at + 1)


def _headed(text: str) -> Iterator[tuple[int, int]]:
    """A program's heading and everything under it, as far as the heading of the person's own request."""
    low = text.lower()
    for _, begins in lines("wrappings.txt")["heading"]:
        at = low.find(begins)
        if at >= 0 and _leads(text, at):
            asked = [low.find(mark, at) for _, mark in lines("wrappings.txt")["request_heading"]]
            found = min([place for place in asked if place >= 0], default=-1)
            if found >= 0:
                line_end = text.find("\n", found)
                yield at, len(text) if line_end < 0 else line_end
            elif at == 0 or text[at - 1] == "\n":
                yield at, len(text)


def _by_line(text: str, taken: bytearray, repeated: Container[str]) -> Iterator[tuple[int, int, bytes]]:
    every = lines_of(text)
    free = [not taken[line.start] or not all(taken[line.start : line.start + len(line.text)]) for line in every]
    begins = tuple(mark for _, mark in lines("wrappings.txt")["line"])
    for n, line in enumerate(every):
        stripped = line.text.strip()
        if free[n] and stripped:
            known = stripped.lower().startswith(begins)
            if known or (len(stripped) >= LEAST_REPEATED and repeated and digest(stripped) in repeated):
                bracket = line.text.find("]") + 1 if known and stripped[0] == "[" else 0
                free[n] = bool(line.text[bracket:].strip()) if bracket else False
                yield line.start, line.start + bracket if bracket else line.end, b"\1"
    for n in pasted(every, free):
        yield every[n].start, every[n].end, b"\2"
