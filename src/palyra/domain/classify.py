"""What kind of thing a text is, how private it is, and whether it reads like an attempt to steer an agent.

Rules only, no model: the same text always gets the same answer, and the answer costs microseconds. Sensitivity comes
from the one redactor. Risks warn the reader of the review queue; what may become memory is decided by where a
text came from, never by what it looks like, so a missed risk opens no door and a false one closes none.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from ipaddress import ip_address

from palyra.core.redact import Span, find_spans
from palyra.core.text import hidden_characters, words_of
from palyra.domain.classify_risks import (
    BEFORE_AN_ORDER,
    PHRASES,
    RISK_WORDS,
    SHAPE_SIGNS,
    SHAPE_WORDS,
    SHAPES,
    UNSPACED_RISKS,
    UNSPACED_SCRIPT,
    WINDOWS,
    Window,
    holds_encoded_text,
)
from palyra.domain.classify_rules import (
    BY_WORD,
    CATEGORY_WORDS,
    CLAUSE,
    RULES,
    UNSPACED_RULES,
    is_acknowledgement,
    is_list_of_steps,
)
from palyra.domain.labels import Category, Sensitivity


class Risk(StrEnum):
    """What a text seems to be after, when it seems to address the agent rather than to inform it."""

    INSTRUCTION_OVERRIDE = "instruction_override"
    ROLE_PLAY = "role_play"
    EXFILTRATION = "exfiltration"
    HIDDEN_TEXT = "hidden_text"
    REMOTE_LOAD = "remote_load"
    TOOL_CALL = "tool_call"
    ENCODED_PAYLOAD = "encoded_payload"
    AUTHORITY_CLAIM = "authority_claim"
    REPLY_STEERING = "reply_steering"
    UNSAFE_ACTION = "unsafe_action"
    CONCEALMENT = "concealment"
    CHAT_MARKUP = "chat_markup"


@dataclass(frozen=True, slots=True)
class Classification:
    category: Category
    sensitivity: Sensitivity
    risks: tuple[str, ...]  # values of `Risk`, sorted


def classify(text: str, spans: tuple[Span, ...] | None = None, *, with_risks: bool = True) -> Classification:
    """`text` is normalised but not yet redacted: a secret must be seen to be counted.

    `spans`, if somebody has looked already: its `find_spans`. Risks help a person to decide about what others say;
    nobody reviews the owner's own words, so they need not be looked for there."""
    low = text.lower()
    words = words_of(low)
    seen = frozenset(words)
    unspaced = not low.isascii() and UNSPACED_SCRIPT.search(low) is not None
    return Classification(
        category=_category(low, words, seen, unspaced=unspaced),
        sensitivity=sensitivity_of(text, find_spans(text) if spans is None else spans),
        risks=_risks(text, low, words, seen, unspaced=unspaced) if with_risks else (),
    )


# What a text is shows in its opening; the bound also keeps any pattern below from costing more on longer text.
_OPENING_CHARS = 512


def _category(low: str, words: list[str], seen: frozenset[str], *, unspaced: bool) -> Category:
    opening = low[:_OPENING_CHARS]
    telling = CATEGORY_WORDS & seen
    if telling:
        clauses: list[int] = []
        for index in sorted({index for word in telling for index in BY_WORD[word]}):
            rule = RULES[index]
            if rule.holds is not None and rule.holds.search(opening):
                return Category(rule.category)
            if rule.opens is not None:
                clauses = clauses or [0, *(match.end() for match in CLAUSE.finditer(opening))]
                if any(rule.opens.match(opening, start) for start in clauses):
                    return Category(rule.category)
    if unspaced:
        for category, pattern in UNSPACED_RULES:
            if pattern.search(opening):
                return Category(category)
    if is_list_of_steps(opening, seen):
        return Category.PROCEDURE
    return Category.TRANSIENT if is_acknowledgement(words) else Category.DURABLE_FACT


_GRAVE = frozenset({"pii.card", "pii.iban", "pii.national_id"})


def sensitivity_of(text: str, spans: tuple[Span, ...]) -> Sensitivity:
    """Secret for credentials and for numbers that open an account or an identity; personal for contact data."""
    level = Sensitivity.PUBLIC
    for span in spans:
        if span.label in _GRAVE or not span.label.startswith("pii."):
            return Sensitivity.SECRET
        if not _is_private_address(text, span):
            level = Sensitivity.PERSONAL
    return level


def _is_private_address(text: str, span: Span) -> bool:
    """`10.0.0.5` and `::1` say nothing about a person."""
    if span.label != "pii.ip_address":
        return False
    try:
        return not ip_address(text[span.start : span.end]).is_global
    except ValueError:
        return False


def _risks(text: str, low: str, words: list[str], seen: frozenset[str], *, unspaced: bool) -> tuple[str, ...]:
    found: set[str] = set()
    telling = RISK_WORDS & seen
    if telling:
        found.update(code for word in telling for code, phrase in PHRASES.get(word, ()) if phrase in low)
        windows = {word: near for word in telling if (near := _possible(word, seen))}
        if windows:
            found.update(_in_windows(windows, words))
    if SHAPE_SIGNS.search(low) or not SHAPE_WORDS.isdisjoint(seen):
        found.update(code for code, needle, pattern in SHAPES if needle in low and _has_shape(low, needle, pattern))
    if unspaced:
        found.update(code for code, pattern in UNSPACED_RISKS if pattern.search(low))
    if hidden_characters(text):
        found.add(Risk.HIDDEN_TEXT.value)
    if holds_encoded_text(text):
        found.add(Risk.ENCODED_PAYLOAD.value)
    return tuple(sorted(found)) if found else ()


def _possible(head: str, seen: frozenset[str]) -> list[Window]:
    """The windows of a head word whose other words occur at all."""
    return [window for window in WINDOWS.get(head, ()) if not any(needed.isdisjoint(seen) for needed in window.needs)]


# Text that repeats a head word or a literal without end is not worth reading to the end.
_MOST_HEADS, _MOST_SHAPES = 512, 32


def _in_windows(windows: dict[str, list[Window]], words: list[str]) -> set[str]:
    """Codes whose head word is followed closely by a word of each set it needs."""
    found: set[str] = set()
    heads = [index for index, word in enumerate(words) if word in windows]
    for index in heads[:_MOST_HEADS]:
        for window in windows[words[index]]:
            if window.code in found or (window.as_order and index and words[index - 1] not in BEFORE_AN_ORDER):
                continue
            near = words[index + 1 : index + 1 + window.within]
            if not any(needed.isdisjoint(near) for needed in window.needs):
                found.add(window.code)
    return found


def _has_shape(low: str, needle: str, pattern: re.Pattern[str]) -> bool:
    start = -1
    for _ in range(_MOST_SHAPES):
        start = low.find(needle, start + 1)
        if start < 0:
            return False
        if pattern.match(low, start):
            return True
    return False
