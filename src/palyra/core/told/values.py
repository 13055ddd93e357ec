"""What may be a secret: numbers, words with digits, random strings, quotations, words that make no sentence."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

from palyra.core.redact_context import CUT, INFLECTED
from palyra.core.redact_values import Weight, is_placeholder, looks_random, weigh
from palyra.core.told.words import SECRETS, Noun, plain


class Look(IntEnum):
    NUMBER = 1
    NUMBERED = 2  # a word with digits behind it
    MIXED = 3  # letters, digits and signs
    RANDOM = 4  # what nobody would type
    QUOTED = 5  # one word in quotation marks
    WORDS = 6  # three or more words that make no sentence


@dataclass(frozen=True, slots=True)
class Shown:
    start: int
    end: int
    look: Look
    pair: bool = False  # behind a name and a slash
    quoted: bool = False
    capitals: bool = False
    digest: bool = False  # or a commit, or a ULID: such things are everywhere


REACH = 96
"""Characters between a noun and what it owns."""
CJK = "\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef"
_TOKEN = re.compile(
    rf"(?<![^\W_{CJK}])[\"“”„«‹「『'‘’`]"
    rf"(?=(?P<quoted>[^\"“”„«»‹›「」『』`\n{CUT}]{{3,64}}?)[\"”“»›」』'’`](?![^\W_{CJK}]))"
    r"|(?<![\w.,+-])(?P<spaced>\d(?:[ -]\d){3,9})(?![\w-]|[ .,]\d)"
    rf"|(?P<apart>(?<=[^\W\d_][ ])[\u3400-\u9fff]{{1,4}}[0-9]{{3,8}}(?![0-9\u3400-\u9fff]))"
    rf"|(?P<han>[\u3400-\u9fff]{{2}}(?=[0-9]{{4}}(?![0-9])))?(?P<bare>[^\s{CJK}\"“”„«»‹›`<>{CUT}]{{4,128}}+)"
)
_USERS = "(?:admin|administrator|root|user|guest)"
_NAME_BEFORE = re.compile(rf"(?<![\w/.])(?:[\w.@+-]{{2,40}}[ ][/／][ ]|{_USERS}[/／][ ]?)\Z", re.IGNORECASE)
_PAIR_WITHIN = re.compile(rf"{_USERS}/(?=[^/]{{4,64}}\Z)", re.IGNORECASE)


def values(text: str, low: str, nouns: list[Noun]) -> list[Shown]:
    """By where they start, the longer of two first."""
    telling = [noun for noun in nouns if noun.kind in SECRETS]
    found = [value for start, end in _windows(telling, low) for value in _tokens(text, start, end)]
    worded = [noun for noun in telling if noun.kind in ("password", "network")]
    if worded:
        words = plain(frozenset().union(*(noun.languages for noun in worded)))
        found += [value for start, end in _windows(worded, low) for value in _runs(text, start, end, words)]
    return sorted(found, key=lambda value: (value.start, -value.end))


_WHOLE = re.compile(r"[!-~]{0,96}")


def _windows(nouns: list[Noun], low: str) -> Iterator[tuple[int, int]]:
    """Where to look: around each noun, from between words to between words: half an id is not known for one."""
    first = last = 0
    for noun in nouns:
        start, end = max(0, noun.start - REACH), min(len(low), noun.end + REACH)
        if start > last:
            if last:
                yield first, last
            whole = _WHOLE.match(low, start, noun.start) if start else None
            first = whole.end() if whole else start
        whole = _WHOLE.match(low, end)
        last = max(last, whole.end() if whole else end)
    if last:
        yield first, last


def _tokens(text: str, start: int, end: int) -> Iterator[Shown]:
    for match in _TOKEN.finditer(text, start, end):
        kind = match.lastgroup or ""
        if match["han"] is not None:  # the sign before four digits may be part of it
            yield Shown(match.start("han"), match.start("han") + 6, Look.RANDOM)
        if kind == "apart":
            yield Shown(*match.span(kind), Look.NUMBERED)
        elif kind == "spaced":
            yield Shown(*match.span(kind), Look.NUMBER)
        elif kind == "quoted" and " " in match[kind]:
            if _is_quoted_phrase(match[kind]):
                yield Shown(*match.span(kind), Look.WORDS, quoted=True)
        elif kind == "quoted" or not match[0].isalpha() or len(match[0]) >= 10:
            yield from _token(text, *match.span(kind), quoted=kind == "quoted" and match[0] != "`")


def _token(text: str, start: int, end: int, *, quoted: bool) -> Iterator[Shown]:
    pair = _NAME_BEFORE.search(text, max(0, start - 44), start) is not None
    inner = _PAIR_WITHIN.match(text, start, end)
    if inner and not pair:
        start, pair = inner.end(), True
    start, end = _trimmed(text, start, end)
    value = text[start:end]
    look = _look(value, quoted=quoted)
    if look is not None:
        yield Shown(start, end, look, pair, quoted, value.isupper(), _DIGEST.match(value) is not None)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start] in "([{*-–—:;,.'’/=→>":
        start += 1
    while end > start and text[end - 1] in ".,:;([{)]}?!'’*…–—":
        end -= 1
    if text[start : end - 1].isdecimal() and text[end - 1] in "#*":
        end -= 1
    return start, end


_MEASURE = re.compile(
    r"[#~]?\d{1,4}[^\W\d_]{1,4}\d{0,2}\Z|[a-z]{1,3}\d{1,3}\Z|\d+(?:[.,:/x×-]\d+)+\w{0,3}\Z|v\d|"
    r"(?:ctrl|cmd|alt|shift|strg)\+|[^:]+:|(?:www|http)|.*\.\w{2,4}\Z|.*@.*\."
)
_NUMBERED_WORD = re.compile(r"[^\W\d_]+\d{1,4}\Z")
_PRODUCT = re.compile(
    r"(?:sha|md|base|utf|aes|rsa|ipv|ios|win|windows|python|argon|web|mp|ps|iphone|ipad|pixel|galaxy|android|macos|"
    r"ubuntu|debian|office|node|java|php|wpa|usb|fritzbox|gpt|rfc|iso|cve|covid|playstation|room|level|html|css|flake|"
    r"float|int|uint|esp|fat|exfat|ext|rtx|gtx|x)-?\d{1,4}(?:[-_]\w{1,4})?\Z"
)
_CODE = re.compile(r"[({\[\\}]|^\$\d|@v\d|\w/\w|[=:]{2}|\w=\w|^[a-z_]+[=.]|\w[_.][a-z]+(?:[_.]|\Z)")


def _look(value: str, *, quoted: bool) -> Look | None:
    """What a value looks like; None for what is none: a measure, a product, a name in a program."""
    if value.isdecimal():
        return Look.NUMBER if 4 <= len(value) <= 10 else None
    if value.isalpha() and not quoted and len(value) < 10:
        return None
    low = value.lower()
    if _CODE.search(value) or "://" in value:
        return None
    if len(value) < 5 or _MEASURE.match(low) or _PRODUCT.match(low):
        return None
    if _NUMBERED_WORD.match(value):
        return None if weigh(value) is Weight.NOTHING else Look.NUMBERED
    has_letter, has_digit = any(c.isalpha() for c in value), any(c.isdecimal() for c in value)
    if has_letter and _is_random(value):
        return Look.RANDOM
    if has_letter and has_digit and weigh(value, True) >= Weight.PHRASE:
        return Look.MIXED
    if len(value) >= 10 and len(_CASE_CHANGES.findall(value)) >= 2:
        return Look.MIXED
    return Look.QUOTED if quoted and weigh(value, True) >= Weight.WORD and not is_placeholder(value) else None


_CASE_CHANGES = re.compile(r"[a-z][A-Z]")
_RUN = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[^a-zA-Z0-9]+")  # a capitalised word is one run
_DIGEST = re.compile(r"[0-9a-f]{32,}\Z|[0-7][0-9A-HJKMNP-TV-Z]{25}\Z")
_HEX = re.compile(r"[0-9a-f]{16,}\Z")


def _is_random(value: str) -> bool:
    """Whether small letters, capitals, digits and signs change places all the time."""
    if _HEX.match(value):
        return looks_random(value) or len(set(value)) >= 9
    if any(sign in value for sign in "-.:'’+/"):
        return False
    if len(value) < 10 or value.islower() or value.isupper():
        return looks_random(value)
    return len(_RUN.findall(value)) > len(value) * (0.3 if any(c.isdecimal() for c in value) else 0.4)


_QUOTED_WORD = re.compile(r"[^\W\d_A-Z]{2,12}\Z|[0-9]{1,6}\Z|[^\W\d_]+\d{1,4}\Z")


def _is_quoted_phrase(content: str) -> bool:
    parts = content.split()
    english = plain(frozenset(("en",)))
    return 2 <= len(parts) <= 8 and all(_QUOTED_WORD.match(part) and part not in english for part in parts)


_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?|[^\w ]|\d+")


def _runs(text: str, start: int, end: int, words: frozenset[str]) -> Iterator[Shown]:
    """Three words or more in a row, none of which holds a sentence together."""
    run: list[re.Match[str]] = []
    for match in _WORD.finditer(text, start, end):
        word = match[0]
        if not (word.islower() and 3 <= len(word) <= 12 and word.isalpha() and word not in words):
            yield from _run(run)
            run = []
            continue
        if run and text[run[-1].end() : match.start()] != " ":
            yield from _run(run)
            run = []
        run.append(match)
    yield from _run(run)


def _run(run: list[re.Match[str]]) -> Iterator[Shown]:
    if 3 <= len(run) <= 12 and not any(len(word[0]) > 5 and INFLECTED.search(word[0]) for word in run[:2]):
        yield Shown(run[0].start(), run[-1].end(), Look.WORDS)
