"""What kind of thing a text is, what in it is sensitive, and whether it reads like an attempt to steer an agent.

Category and risks are rules and cost microseconds; what is sensitive is a fitted model's to say, beside the redactor's
check digits, and what follows from that is one table, `sensitivity.py`. Risks warn the reader of the review queue, and
an agent's text with one waits there; text from elsewhere waits whatever it looks like, so a missed risk opens no door.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

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
from palyra.domain.labels import Category
from palyra.language.sensitive import NUMBERS, sensing
from palyra.language.statements import Encode


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
    sensitive: tuple[str, ...]
    """of `SENSITIVE`, in that order; empty: nothing is"""
    risks: tuple[str, ...]  # values of `Risk`, sorted


def classify_memory_write(
    text: str, spans: tuple[Span, ...] | None = None, encode: Encode | None = None, *, with_risks: bool = True
) -> Classification:
    """`text` is normalised but not yet redacted: a secret must be seen to be counted.

    `spans`, if somebody has looked already: its `find_spans`. `encode`: what it is about, if an encoder is at hand.
    Risks help a person to decide about what others say; nobody reviews the owner's own words, so they need not be
    looked for there."""
    return Classification(
        category=category_of(text),
        sensitive=sensitive_kinds(text, find_spans(text) if spans is None else spans, encode),
        risks=risks_in(text) if with_risks else (),
    )


def sensitive_kinds(text: str, spans: tuple[Span, ...], encode: Encode | None = None) -> tuple[str, ...]:
    found = sensing().kinds(text, encode, spans)
    return (*found, "secret") if holds_secret(spans) else found


def holds_secret(spans: Sequence[Span]) -> bool:
    return any(not span.label.startswith("pii.") for span in spans)


def holds_account(spans: Sequence[Span]) -> bool:
    """A credential, or a number with check digits that opens an account or an identity."""
    return holds_secret(spans) or any(span.label in NUMBERS for span in spans)


def category_of(text: str) -> Category:
    low = text.lower()
    words = words_of(low)
    return _category(low, words, frozenset(words), unspaced=_is_unspaced(low))


def risks_in(text: str) -> tuple[str, ...]:
    """Values of `Risk`, sorted."""
    low = text.lower()
    words = words_of(low)
    return _risks(text, low, words, frozenset(words), unspaced=_is_unspaced(low))


def _is_unspaced(low: str) -> bool:
    return not low.isascii() and UNSPACED_SCRIPT.search(low) is not None


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
