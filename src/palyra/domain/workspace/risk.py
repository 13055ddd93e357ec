"""What speaks against showing a document to a model: reasons with their lines, and one verdict.

Whom a text comes from decides; what it looks like only orders and warns. A person's own text is never quarantined:
its instructions are meant, its secrets are masked on every way out, and what is invisible in it is removed on the way
into a prompt, so a warning says all there is to say. The same signs in text of others are held back until a person
releases it. Secrets alone hold nothing back: the redactor stands between them and everybody.
"""

import html
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum, StrEnum

from palyra.core.redact import find_spans
from palyra.core.text import hidden_characters, normalise
from palyra.domain.classify import Risk, risks_in
from palyra.domain.memory import Trust
from palyra.domain.workspace.blocks import Block, Document, parse
from palyra.domain.workspace.lines import LineKind, spans


class RiskLevel(IntEnum):
    CLEAN = 0
    WARNING = 1
    QUARANTINED = 2

    @property
    def label(self) -> str:
        return self.name.lower()


class RiskReason(StrEnum):
    HIDDEN_CHARACTERS = "hidden_characters"
    INSTRUCTIONS = "instructions"
    SECRET = "secret"  # noqa: S105 - the name of a reason, not a secret
    REMOTE_IMAGE = "remote_image"
    """shown, it tells somebody that it was"""
    ACTIVE_CONTENT = "active_content"
    """shown, it runs or loads something"""
    HIDDEN_TEXT = "hidden_text"
    """a reader of the page does not see it, a model does"""
    MARKER = "marker"
    """it passes itself off as a managed block"""


_W, _Q = RiskLevel.WARNING, RiskLevel.QUARANTINED
LEVELS: dict[RiskReason, dict[Trust, RiskLevel]] = {
    reason: dict(zip(Trust, levels, strict=True))
    for reason, *levels in (
        # ............................ owner, agent, tool, web, import
        (RiskReason.HIDDEN_CHARACTERS, _W, _Q, _Q, _Q, _Q),
        (RiskReason.INSTRUCTIONS,      _W, _Q, _Q, _Q, _Q),
        (RiskReason.SECRET,            _W, _W, _W, _W, _W),
        (RiskReason.REMOTE_IMAGE,      _W, _W, _W, _W, _W),
        (RiskReason.ACTIVE_CONTENT,    _W, _Q, _Q, _Q, _Q),
        (RiskReason.HIDDEN_TEXT,       _W, _Q, _Q, _Q, _Q),
        (RiskReason.MARKER,            _W, _Q, _Q, _Q, _Q),
    )
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class RiskFinding:
    line: int
    reason: RiskReason
    detail: str
    """which kind of it; never the text itself"""
    level: RiskLevel


@dataclass(frozen=True, slots=True)
class Scan:
    level: RiskLevel
    findings: tuple[RiskFinding, ...]
    """by line; at most `MOST_FINDINGS`, the graver first to stay"""


MOST_FINDINGS = 200


def scan(text: str, provenance: Trust, *, own_blocks: frozenset[str] = frozenset()) -> Scan:
    """The verdict on `text`. `own_blocks`: ids of the managed blocks that we know to have written in it."""
    document = parse(text)
    own = [block for block in document.blocks if block.block_id in own_blocks and not block.edited]
    text = _without_own_markers(text, document, own)
    starts = [line.start for line in document.lines.lines]
    seen = {*_hidden_characters(text), *_secrets(text, starts), *_markers(text, document), *_in_windows(text, starts)}
    findings = [RiskFinding(line, reason, detail, LEVELS[reason][provenance]) for line, reason, detail in seen]
    findings.sort(key=lambda finding: (-finding.level, finding.line, finding.reason, finding.detail))
    kept = sorted(findings[:MOST_FINDINGS], key=lambda finding: (finding.line, finding.reason, finding.detail))
    return Scan(max((finding.level for finding in findings), default=RiskLevel.CLEAN), tuple(kept))


_Seen = tuple[int, RiskReason, str]

_BY_RISK = {
    Risk.HIDDEN_TEXT.value: RiskReason.HIDDEN_TEXT,
    Risk.REMOTE_LOAD.value: RiskReason.ACTIVE_CONTENT,
}
"""all other risks of `classify` are instructions"""

_REMOTE = r"\s{0,4}[\"'(<]?\s?(?:https?:)?//"
_TAG = r"[^<>]{0,1000}?"
_LOADING = "img|video|audio|source|picture|image|track|input"
_SCRIPT = r"\s{0,4}".join("script:")
_SCRIPTS = rf"(?:j\s{{0,4}}a\s{{0,4}}v\s{{0,4}}a|v\s{{0,4}}b)\s{{0,4}}{_SCRIPT}(?!\s)"
_IN_URL_PLACE = r"(?:\]\(\s{0,8}<?|\]:\s{0,8}<?|(?:src|href|data|action)\s{0,4}=\s{0,4}[\"']?|url\([\"']?|<)"
_PATTERNS: tuple[tuple[RiskReason, str, re.Pattern[str]], ...] = tuple(
    (reason, detail, re.compile(pattern, re.IGNORECASE | re.MULTILINE))
    for reason, detail, pattern in (
        (RiskReason.REMOTE_IMAGE, "image", rf"!\[[^\[\]\n]{{0,500}}\](?:\({_REMOTE}|\[)"),
        (RiskReason.REMOTE_IMAGE, "image", rf"<(?:{_LOADING})\b{_TAG}\b(?:src|srcset|href|poster)\s{{0,4}}={_REMOTE}"),
        (RiskReason.REMOTE_IMAGE, "style", rf"\burl\({_REMOTE}|@import\b"),
        (RiskReason.ACTIVE_CONTENT, "tracking_pixel", rf"<img\b{_TAG}\b(?:width|height)\s?[=:]\s?[\"']?[01](?:px)?\b"),
        (RiskReason.ACTIVE_CONTENT, "script_url", _SCRIPTS),
        (RiskReason.ACTIVE_CONTENT, "data_url", rf"{_IN_URL_PLACE}data:"),
        (RiskReason.ACTIVE_CONTENT, "element", r"<(?:iframe|script|object|embed|applet|frame|base|form|portal)\b"),
        (RiskReason.ACTIVE_CONTENT, "element", rf"<(?:link|meta)\b{_TAG}(?:href|http-equiv)"),
        (RiskReason.ACTIVE_CONTENT, "event_handler", rf"<[a-z]{_TAG}[\s\"'/]on[a-z]{{3,20}}\s{{0,4}}="),
        (RiskReason.HIDDEN_TEXT, "attribute", rf"<[a-z]{_TAG}\s(?:hidden(?=[\s=/>])|aria-hidden\s?=\s?[\"']?true)"),
        (RiskReason.HIDDEN_TEXT, "style", r"\bstyle\s?=[^<>]{0,200}?(?:color\s?:\s?transparent|left\s?:\s?-\d{3})"),
        (RiskReason.HIDDEN_TEXT, "link_comment", r"^ {0,3}\[(?://|comment|_|\.|-)[^\]\n]{0,80}\]:\s?(?:#|<>)"),
    )
)  # fmt: skip
"""what a page would load, run or hide; how instructions read is the matter of `classify`"""


def _hidden_characters(text: str) -> Iterator[_Seen]:
    if not hidden_characters(text):
        return
    for number, (start, end, _) in enumerate(spans(text), 1):
        # A byte order mark is excused at the beginning of a text, and a line is not one.
        for name in hidden_characters("-" + text[start:end]):
            yield number, RiskReason.HIDDEN_CHARACTERS, name


def _secrets(text: str, starts: list[int]) -> Iterator[_Seen]:
    for span in find_spans(text):
        if not span.label.startswith("pii."):
            yield _line(starts, span.start), RiskReason.SECRET, span.label


def _without_own_markers(text: str, document: Document, own: list[Block]) -> str:
    """Our markers as white space, line by line: ids and digests are not what somebody says."""
    if not own:
        return text
    starts = [block.start for block in own]
    pieces: list[str] = []
    done = 0
    for line in document.lines.lines:
        index = bisect_right(starts, line.start) - 1
        if line.kind is LineKind.MARKER and index >= 0 and line.start < own[index].end:
            pieces += [text[done : line.start], " " * (line.end - line.start)]
            done = line.end
    return "".join([*pieces, text[done:]])


def _markers(text: str, document: Document) -> Iterator[_Seen]:
    """Every marker but those of our own blocks, which are white space by now."""
    faults = {broken.line for broken in document.broken}
    for line in document.lines.lines:
        if (line.kind is LineKind.MARKER or line.number in faults) and text[line.start : line.end].strip():
            yield line.number, RiskReason.MARKER, "spoofed"


def _line(starts: list[int], offset: int) -> int:
    return max(1, bisect_right(starts, offset))


# A risk is a matter of words near each other. Windows overlap by more than any rule looks ahead, so that nothing
# is cut in two, and they are small, so that the limits within `classify` are never met and a line can be named.
_WINDOW_CHARS, _OVERLAP_CHARS = 4_000, 1_200


def _in_windows(text: str, starts: list[int]) -> Iterator[_Seen]:
    at = 0
    while at < len(text):
        window = text[at : at + _WINDOW_CHARS]
        read = _readable(window)
        for risk in risks_in(read):
            reason = _BY_RISK.get(risk, RiskReason.INSTRUCTIONS)
            yield _line(starts, at + _where(window, risk)), reason, risk
        yield from _by_pattern(window, read, at, starts)
        at += _WINDOW_CHARS - _OVERLAP_CHARS


def _readable(text: str) -> str:
    """As a model takes it: nothing invisible, character references resolved."""
    return normalise(html.unescape(text) if "&" in text else text)


def _where(window: str, risk: str) -> int:
    """Where in `window` the risk begins: the last place from which it is still seen."""
    places = [start for start, _, _ in spans(window)]
    low, high = 0, len(places) - 1
    while low < high:
        middle = (low + high + 1) // 2
        if risk in risks_in(_readable(window[places[middle] :])):
            low = middle
        else:
            high = middle - 1
    return places[low]


def _by_pattern(window: str, read: str, at: int, starts: list[int]) -> Iterator[_Seen]:
    for reason, detail, pattern in _PATTERNS:
        found = list(pattern.finditer(window))
        for match in found:
            yield _line(starts, at + match.start()), reason, detail
        if not found and read != window and pattern.search(read):
            yield _line(starts, at), reason, detail  # written in references or with something invisible in it
