"""Secrets told in prose, in twelve languages: a noun, a way of telling, a value.

"La clave del servidor es …", "ich habe mein Passwort auf … geändert", "the safe opens with …", "login: admin / …".
A value is judged by what it looks like, by the noun that owns it and by the words right before and after it, all
within a sentence or two; what a word of its own calls an order or a session is an identifier, and stays.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator
from enum import IntFlag

from palyra.core.redact_context import CUT, Found
from palyra.core.told.values import REACH, Look, Shown, values
from palyra.core.told.words import NOUNS, SECRETS, Noun, anywhere, ending, opening

_MARKER = re.compile(r"<!-- palyra:(?:begin|item|end) [\w./=-]{1,128}(?: sha=[0-9a-f]{8,64})? -->")
"""of a managed block: the id of a line is no part of what it says"""
LABELS = frozenset(("secret.pin", "secret.password", "secret.credential"))
_LABELS = dict.fromkeys(("password", "network", "login"), "secret.password") | {"key": "secret.credential"}


def told(text: str, low: str) -> Iterator[Found]:
    """Values told as a secret, each with the label of the noun that owns it."""
    nouns = NOUNS.find(low)
    if not any(noun.kind in SECRETS for noun in nouns):
        return
    starts = [noun.start for noun in nouns]
    markers = [found.span() for found in _MARKER.finditer(low)] if "<!--" in low else []
    done = 0
    for value in values(text, low, nouns):
        if value.start < done or any(start < value.start < end for start, end in markers):
            continue
        first = bisect_left(starts, value.start - 2 * REACH)
        last = bisect_left(starts, value.end + 2 * REACH, first)
        owner = _owner(_Spot(low, value, nouns[first:last]))
        if owner is not None:
            done = value.end
            yield value.start, value.end, _LABELS.get(owner.kind, "secret.pin")


class Join(IntFlag):
    """How the words between and around tie a value to a noun."""

    NONE = 0
    BESIDE = 1  # nothing between them
    COLON = 2
    COMMA = 4
    IS = 8
    TO = 16  # changed to, set to
    ENTER = 32
    THEN = 64  # told by what follows
    BY = 128  # with it one gets in
    LOOSE = 256  # a word that tells stands somewhere between


_TIGHT = Join.BESIDE | Join.COLON | Join.IS | Join.TO | Join.ENTER | Join.THEN
_WORDED = Join.IS | Join.TO | Join.COLON | Join.ENTER | Join.THEN
_AFTER = 48
_MOST = 6
"""nouns on either side; beyond that it is a list of words"""
_END = re.compile(r"[.!?…](?=[\s\"'”»“」)]|\Z)|[。！？\n;；]")
_OPENERS = " \t\"'“”„«‹「『‘’`(*[（"
_CLAUSE_END = re.compile(r"[\"”»“」』][ ]|[\"'”»“」』’`)）]*(?:\Z|[.,;!?。，、！？；\n)）]|[ ]?[-–—])")


class _Spot:
    """What surrounds a value: its sentence, the nouns in and around it."""

    def __init__(self, low: str, value: Shown, nouns: list[Noun]) -> None:
        self.low, self.value = low, value
        begin = max(0, value.start - REACH - 64)
        ends = [match.end() for match in _END.finditer(low, begin, value.start)]
        self.start = ends[-1] if ends else begin
        previous = ends[-2] if len(ends) > 1 else begin
        stop = _END.search(low, value.end, value.end + REACH)
        self.end = stop.start() if stop else min(len(low), value.end + REACH)
        self.text = low[self.start : value.start].rstrip(_OPENERS)
        self.after = low[value.end : value.end + _AFTER]
        self.clause_ends = _CLAUSE_END.match(self.after) is not None
        self.near = [noun for noun in nouns if previous <= noun.start and noun.end <= self.end + 64]
        here = [noun for noun in self.near if self.start <= noun.start < self.end]
        self.before = [noun for noun in here if noun.end <= value.start][: -_MOST - 1 : -1]
        self.behind = [noun for noun in here if noun.start >= value.end][:_MOST]
        self._links: dict[frozenset[str], Join] = {}

    def links(self, languages: frozenset[str]) -> Join:
        found = self._links.get(languages)
        if found is None:
            found = self._links[languages] = _links(self, languages)
        return found

    def is_named(self, noun: Noun) -> bool:
        """Whether the sentence speaks of what the thing is called, or of what kind it is."""
        return any(anywhere("named", language).search(self.low, self.start, self.end) for language in noun.languages)


def _links(place: _Spot, languages: frozenset[str]) -> Join:
    tail, after = place.text[-48:], place.after
    links = Join.NONE
    if tail.endswith((":", "=", "→", "：", "->")):
        links |= Join.COLON
    elif tail.endswith((",", "，", "、", "(", "（", " -", " –", " —")):
        links |= Join.COMMA
    for language in languages:
        if ending("is", language).search(tail):
            links |= Join.IS
        if ending("enter", language).search(tail) or ending("change", language).search(tail):
            links |= Join.ENTER
        if ending("to", language).search(tail) and (
            anywhere("change", language).search(place.text[-REACH:])
            or anywhere("change", language).search(after, 0, 32)
        ):
            links |= Join.TO
        if (Join.IS in links or ending("by", language).search(tail)) and anywhere("gets", language).search(
            place.low, place.start, min(place.end, place.value.end + _AFTER)
        ):
            links |= Join.BY
        if opening("then", language).match(after):
            links |= Join.THEN
    return links


def _owner(place: _Spot) -> Noun | None:
    """The noun that makes a secret of the value."""
    if not any(noun.kind in SECRETS for noun in place.near):
        return None
    owner = next((noun for noun in place.before if _is_told_after(place, noun)), None)
    if owner is None:
        owner = next((noun for noun in place.behind if _is_told_before(place, noun)), None)
    if owner is None and not any(noun.kind in SECRETS for noun in (*place.before, *place.behind)):
        others = [noun for noun in place.near if noun.end <= place.start or noun.start >= place.end]
        owner = next((noun for noun in others[: -_MOST - 1 : -1] if _is_told_elsewhere(place, noun)), None)
    in_code = place.value.look is not Look.RANDOM and _is_code(place)
    if owner is None or in_code or _is_quantity(place) or _is_identifier(place, owner):
        return None
    if place.value.digest and not place.links(owner.languages) & _SURE:
        return None
    return owner


def _is_told_after(place: _Spot, noun: Noun) -> bool:
    """The noun, then the value, in one sentence."""
    gap = place.low[noun.end : place.value.start]
    if noun.kind not in (*SECRETS, "number") or len(gap) > REACH or CUT in gap:
        return False
    links = place.links(noun.languages)
    if not gap.strip(_OPENERS + "#"):
        links |= Join.BESIDE
    elif any(anywhere(section, own).search(gap) for own in noun.languages for section in ("is", "change", "enter")):
        links |= Join.LOOSE
    return _accepts(place, noun, links, {other.kind for other in (*place.before, *place.behind)})


def _is_told_before(place: _Spot, noun: Noun) -> bool:
    """ "X as my password", "with X the safe opens", "it's X, and that is the last time I tell you my PIN"."""
    value, gap = place.value, place.low[place.value.end : noun.start]
    if noun.kind not in SECRETS or len(gap) > REACH or CUT in gap:
        return False
    if _is_followed(place, noun, "as"):
        number_fits = {"key": False, "network": False, "lock": True}.get(noun.kind)
        return len(gap.split()) <= 6 and noun.kind != "login" and number_fits in (None, value.look is Look.NUMBER)
    if noun.kind == "lock":
        if value.look <= Look.NUMBERED and _is_followed(place, noun, "opens"):
            return True
        if value.look is not Look.NUMBER and not value.pair:
            return False
    if value.look is Look.WORDS and noun.kind != "password":
        return False
    links = place.links(noun.languages) & (Join.IS | Join.TO | Join.ENTER | Join.BY)
    kinds = {other.kind for other in (*place.before, *place.behind)} if links else set[str]()
    return _accepts(place, noun, links, kinds)


def _is_told_elsewhere(place: _Spot, noun: Noun) -> bool:
    """The noun in another sentence: "I forgot the PIN. It's 4821", or a question and nothing but the answer."""
    look = place.value.look
    if look is Look.RANDOM and not place.value.digest and noun.kind in ("password", "code", "loose", "key", "network"):
        return True
    if noun.start >= place.end or noun.kind not in SECRETS:
        return False
    alone = not place.text.strip() and place.clause_ends
    if alone and look >= Look.MIXED and place.low[place.start - 1 : place.start] not in "?？":
        return False
    if not alone and len(place.text.split()) > 4:
        return False
    links = Join.COLON | Join.ENTER if alone else place.links(noun.languages) & ~Join.COMMA
    return _accepts(place, noun, links, {other.kind for other in place.near})


def _is_followed(place: _Spot, noun: Noun, section: str) -> bool:
    return any(opening(section, language).match(place.after) for language in noun.languages)


_YEAR = re.compile(r"(?:19|20)\d\d(?!\d)")


def _accepts(place: _Spot, noun: Noun, links: Join, kinds: set[str]) -> bool:
    """Whether this noun, tied to the value in these ways, makes a secret of what looks like that."""
    look, kind = place.value.look, noun.kind
    if place.value.pair and kind not in ("key", "number"):
        return look <= Look.QUOTED
    if look is Look.NUMBER and _YEAR.match(place.low, place.value.start) and not links & _SURE:
        return False
    if links & Join.COMMA and place.clause_ends and look <= Look.RANDOM:
        links |= Join.IS
    if look is Look.WORDS and not (
        place.value.quoted or place.clause_ends or links & (Join.IS | Join.COLON | Join.THEN)
    ):
        return False
    tight = bool(links & _TIGHT)
    match kind:
        case "password":
            return _is_password_told(place, links)
        case "code" | "loose":
            return _is_code_told(place, kind, links, kinds)
        case "key":
            if look is Look.WORDS:
                return place.value.quoted and bool(links & (Join.ENTER | Join.THEN))
            return look is Look.RANDOM or (tight and look <= Look.MIXED and bool(kinds & {"network", "lock"}))
        case "login":
            return look is Look.RANDOM and bool(links & (_TIGHT | Join.BY | Join.LOOSE))
        case "number":
            return tight and look <= Look.NUMBERED and "lock" in kinds and not place.is_named(noun)
        case _:
            return _is_let_in(place, noun, links) and not place.is_named(noun)


_SURE = Join.IS | Join.COLON | Join.ENTER


def _is_password_told(place: _Spot, links: Join) -> bool:
    look = place.value.look
    if look >= Look.QUOTED:
        listed = place.clause_ends and Join.COMMA in links and Join.LOOSE in links
        return listed or bool(links & _WORDED) or (place.value.quoted and Join.BESIDE in links)
    if look is Look.RANDOM or links & (_TIGHT | Join.BY):
        return True
    return Join.LOOSE in links and look is not Look.MIXED


def _is_let_in(place: _Spot, noun: Noun, links: Join) -> bool:
    """A network lets in with anything but a number, a lock with a number or a word with digits."""
    look, told_how = place.value.look, bool(links & (Join.ENTER | Join.TO | Join.BY | Join.THEN))
    if noun.kind == "network":
        is_told = look is Look.RANDOM or told_how or (place.clause_ends and Join.COLON in links)
        return is_told and look is not Look.NUMBER
    if look is Look.NUMBER and not told_how:
        return bool(links & (Join.IS | Join.COLON)) or (
            Join.LOOSE in links and place.clause_ends and place.value.start - noun.end <= _AFTER
        )
    sure = bool(links & (Join.ENTER | Join.TO | Join.BY))  # "it is a Kiwi42" names a make
    return told_how if look is Look.NUMBER else sure and look is Look.NUMBERED


def _is_code_told(place: _Spot, kind: str, links: Join, kinds: set[str]) -> bool:
    look, opens = place.value.look, bool(kinds & {"lock", "login", "network", "password"})
    if look > Look.RANDOM:
        return False
    if look is Look.RANDOM:
        return True
    if (look is Look.MIXED or (look is Look.NUMBERED and place.value.capitals)) and not opens:
        return False
    if look is not Look.NUMBER and not links & (Join.IS | Join.COLON | Join.TO | Join.THEN | Join.LOOSE):
        return False
    if kind == "loose" and links == Join.BESIDE and not place.clause_ends and not opens:
        return False
    if kind == "code" and look is Look.NUMBER and place.clause_ends and len(place.text) <= _AFTER:
        return True
    return bool(links & _TIGHT) or (Join.LOOSE in links and look is not Look.MIXED)


# What only looks like one.

_BESIDE_NUMBER = re.compile(
    r"[€$£¥]|[ ]?%|[.,:/×x-]\d|[ ]\d{2}|[ ]?°"
    r"|[ ]?(?:mm|cm|km|kg|mg|ml|kwh?|[kmg]?hz|[kmgt]b|ms|sec|min|[ap]m|fps|dpi|px|ft|lbs?|mph)\b"
    r"|[ ]?(?:eur|usd|gbp|chf|m|g|l|h)\b",
    re.ASCII,
)
_NUMBER_BEFORE = re.compile(r"(?:[€$£¥+]|\d[ .,:/-]|[ (]\d{2,4}[)]?)[ ]?\Z")


def _is_quantity(place: _Spot) -> bool:
    value = place.value
    if value.look is not Look.NUMBER:
        return False
    if _BESIDE_NUMBER.match(place.after) or _NUMBER_BEFORE.search(place.low, max(0, value.start - 6), value.start):
        return True
    return any(opening("unit", language).match(place.after) for noun in place.near for language in noun.languages)


def _is_identifier(place: _Spot, owner: Noun) -> bool:
    """Whether a word right before the value, or right behind it, calls it an order, a session, a code name."""
    before, after = place.text[-64:], place.after
    for language in owner.languages.union(*(noun.languages for noun in place.near)):
        names = ending("identifier", language)
        if (names.search(before) and not before.endswith((",", "，"))) or opening("identifier", language).match(after):
            return True
        said = ending("is", language).sub("", before).rstrip()
        if len(said) < len(before.rstrip()) and owner.kind not in _HEADS and names.search(said):
            return True
        if (verb := opening("is", language).match(after)) is not None:
            rest = " ".join(after[verb.end() :].split()[:3])
            if anywhere("identifier", language).search(rest) or anywhere("about", language).search(rest):
                return True
    return False


_HEADS = ("password", "key", "code", "loose")
"""Of "the password of the order portal is" the password is what the sentence is about."""

_CODE_LINE = re.compile(
    r"[a-z_]\w*\([^\W\d_]*[\w,.'\"]*\)?|[{};][ ]*(?:\n|\Z)|[\w\])][ ]?[!=]?={1,2}[ ]?[\w\"'\[({]|</?[a-z]|\(\)"
    r"|[\"'][ ]?:[ ]?[\"{\[\d]|from \S+ import |(?:\A|\n)[ ]*(?:import|def|class|const|export|\$|>>>|#|//)[ ]",
    re.ASCII,
)


def _is_code(place: _Spot) -> bool:
    """Programs have rules of their own."""
    low, value = place.low, place.value
    first, last = max(0, value.start - 160), min(len(low), value.end + 80)
    start, end = low.rfind("\n", first, value.start), low.find("\n", value.end, last)
    return _CODE_LINE.search(low[max(start, first) : end if end >= 0 else last]) is not None
