"""Lines that were pasted, by their shape: fenced code, quoted letters, and runs of code, logs and output."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from palyra.language.words import pattern, words

LEAST_LETTER = 120
"""characters of a paragraph in quotation marks; a shorter one is what somebody said"""


@dataclass(slots=True)
class PastedLine:
    start: int
    end: int
    text: str


def lines_of(text: str) -> list[PastedLine]:
    found = (match for match in _LINE.finditer(text) if match.end() > match.start())
    return [PastedLine(match.start(), match.end(), match[0].rstrip("\n")) for match in found]


def pasted(every: list[PastedLine], free: list[bool]) -> Iterator[int]:
    """The lines nobody wrote here, of those that are free."""
    for rule in (_fenced, _ruled, _letters, _machine, _introduced):
        for first, last in rule(every, free):
            for n in range(first, last + 1):
                if free[n]:
                    free[n] = False
                    yield n


_LINE = re.compile(r"[^\n]*\n?")
_SURE = re.compile(
    r"\s*(?:"
    r"[$%❯➜#]\s+(?:\./|[a-z][\w.-]*(?:\s+[-./~\w=:$'\"{]+)+$)|PS [A-Z]:\\|>>> |\.\.\. "  # prompts
    r"|at [\w$.<>/@\[\] ]+\(.*\)?$|at \S+:\d+|File \"[^\"]+\", line \d+|Traceback \(most|Caused by: |goroutine \d+"
    r"|\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d(?:[.,]\d+)?[\]\s]|[A-Z][a-z]{2} +\d+ \d\d:\d\d:\d\d "
    r"|(?:\.{0,2}/)?[\w@.+/-]+\.[A-Za-z]{1,6}:\d+(?::\d+)?[:\s)]|(?:[\w-]+/)+[\w.-]+\(\d+"
    r"|[+-](?:\t| {2,})\S|@@ -\d|diff --git |index [0-9a-f]{7,}\.\.|(?:\+\+\+|---) [ab]?/|=== "
    r"|--- (?:FAIL|PASS)|exit (?:status|code) \d"
    r"|(?:[\w.$]+(?:Exception|Error|Warning))(?::|\b.*\bat\b)|(?:ERROR|WARN|WARNING|INFO|DEBUG|FATAL|TRACE)\b[\s:\[(]"
    r"|(?:FAIL|PASS|FAILED)\b[\s:\[(]"
    r"|(?:error|warning|fatal|panic|npm ERR!)(?:\[\w+\])?: |[{}\[\]();,]+$|\"[\w.-]+\"\s*:\s|</?\w[^>]*>$"
    r"|(?:from [\w.]+ )?(?:import|const|let|var|def|class|func|fn|static|package)\b.*[;{(=:]\s*$"
    r"|(?:SELECT|INSERT|UPDATE|CREATE|ALTER)\b.*[;{(=:]\s*$"
    r"|\S+\s*(?:\||│).*(?:\||│)"
    r")"
)
_INDENT = re.compile(r"(?:\t| {4,})\S")
_CODE = re.compile(r"[{}<>=|\\/_#$;()\[\]]|::|->")
_COLUMNS = re.compile(r"\S(?: {2,}|\t)\S")
_KEY = re.compile(r"\s*[\w.-]+\s*[=:]\s*\S+$")
_FENCE = re.compile(r"\s*(?:```|~~~)")
_QUOTED = re.compile(r"\s*(?:>|\|)(?:\s|$)")
_QUOTES = {'"': '"', "“": "”", "„": "“", "«": "»", "»": "«", "「": "」", "『": "』"}
_RULE = re.compile(r"([-=*_~+#<>\"'])\1{2,}\s*[\w ]{0,40}?\s*[-=*_~+#<>\"']*$")
_LONG_QUOTE = re.compile("|".join(rf"{a}[^{a}{b}\n]{{{LEAST_LETTER},}}{b}" for a, b in _QUOTES.items()))


def quoted(text: str) -> Iterator[tuple[int, int]]:
    """Quotations within a line, too long for what somebody said."""
    return (found.span() for found in _LONG_QUOTE.finditer(text))


def _fenced(every: list[PastedLine], free: list[bool]) -> Iterator[tuple[int, int]]:
    opened: int | None = None
    for n, line in enumerate(every):
        if free[n] and _FENCE.match(line.text):
            if opened is None:
                opened = n if line.text.count("```") < 2 else None
            else:
                yield opened, n
                opened = None
    if opened is not None:
        yield opened, len(every) - 1


def _ruled(every: list[PastedLine], free: list[bool]) -> Iterator[tuple[int, int]]:
    """What stands between two lines that are drawn the same way."""
    drawn = [(n, line.text.strip()[:3]) for n, line in enumerate(every) if free[n] and _RULE.match(line.text.strip())]
    at = 0
    while at + 1 < len(drawn):
        (first, opens), (last, closes) = drawn[at], drawn[at + 1]
        if _MIRRORED.get(opens, opens) == closes and last > first + 1:
            yield first, last
            at += 1
        at += 1


_MIRRORED = {"<<<": ">>>"}


def _letters(every: list[PastedLine], free: list[bool]) -> Iterator[tuple[int, int]]:
    """Quoted lines with the line that introduces them, letters under their head, paragraphs in quotation marks."""
    wrote, heads = tuple(words("wrote", "wrappings.txt")), tuple(words("letter", "wrappings.txt"))
    n = 0
    while n < len(every):
        low = every[n].text.strip().lower()
        if not free[n] or not low:
            n += 1
        elif _QUOTED.match(every[n].text):
            first = n
            while n + 1 < len(every) and (_QUOTED.match(every[n + 1].text) and free[n + 1]):
                n += 1
            if first and every[first - 1].text.strip().lower().endswith(wrote):
                first -= 1
            yield first, n
            n += 1
        elif low.startswith(heads) and len(low) < 200 and (n + 1 < len(every) and every[n + 1].text.strip()):
            first = n
            while n + 1 < len(every) and every[n + 1].text.strip():
                n += 1
            yield first, n
            n += 1
        else:
            closing = _QUOTES.get(low[0])
            last = n
            if closing:
                while last < len(every) and not every[last].text.rstrip().endswith(closing):
                    last += 1
                size = every[last].end - every[n].start if last < len(every) else 0
                if last < len(every) and size >= LEAST_LETTER and _alone(every[n : last + 1], low[0], closing):
                    yield n, last
                    n = last
            n += 1


def _introduced(every: list[PastedLine], free: list[bool]) -> Iterator[tuple[int, int]]:
    """Prose to the end, behind one line that asks about it or ends in a colon, in which nobody says I, my or we."""
    first = next((n for n, line in enumerate(every) if line.text.strip()), None)
    if first is None or not free[first] or not every[first].text.rstrip().endswith(_INTRODUCES):
        return
    block = every[first + 1 :]
    text = "\n".join(line.text for line in block).strip()
    is_whole = all(free[first + 1 :]) and not any(_ITEM.match(line.text) for line in block)
    if is_whole and len(text) >= LEAST_LETTER and not pattern("own", "steering.txt").search(text.casefold()):
        yield first + 1, len(every) - 1


_INTRODUCES = (":", "?", "：", "？")
_ITEM = re.compile(r"\s*(?:[-*•–]|\d{1,2}[.)])\s")


def _alone(block: list[PastedLine], opening: str, closing: str) -> bool:
    """Whether one quotation is the whole of the block."""
    inner = "\n".join(line.text.strip() for line in block)[1:-1]
    return opening not in inner and closing not in inner


def _machine(every: list[PastedLine], free: list[bool]) -> Iterator[tuple[int, int]]:
    """Runs of lines in the shape of code, logs and output; one that only looks a little so counts beside others."""
    shape = [_shape(line.text) if free[n] else -1 for n, line in enumerate(every)]
    n = 0
    while n < len(every):
        if shape[n] < 1:
            n += 1
            continue
        first = last = n
        total = shape[n]
        while last + 1 < len(every) and shape[last + 1] != -1:
            ahead = next((k for k in range(last + 1, min(last + 3, len(every))) if shape[k] >= 1), None)
            if ahead is None or any(shape[k] == 0 for k in range(last + 1, ahead)):
                break
            total += shape[ahead]
            last = ahead
        if total >= 2:
            yield first, last
        n = last + 1


def _shape(line: str) -> int:
    """2: surely no prose; 1: perhaps; 0: prose; -2: blank."""
    stripped = line.strip()
    if not stripped:
        return -2
    if len(line) > 4_000 or _SURE.match(line):
        return 2
    share = len(_CODE.findall(stripped[:400])) / min(400, len(stripped))
    if share > 0.16 or _INDENT.match(line) or len(_COLUMNS.findall(line)) >= 2 or _KEY.match(line):
        return 1
    return 0
