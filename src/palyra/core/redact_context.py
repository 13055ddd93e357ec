"""Names beside values: what both look like, and the assignments they form.

Each finder runs one expression over the lower-cased text to locate a name, an operator and
the beginning of a value, then weighs the value as written. Values are looked ahead at, within
a bound, so a rejected one never hides a name inside it; only an accepted one is read to its end.
"""

import re
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from palyra.core.redact_values import (
    HARMLESS_OWNERS,
    KEY_OWNERS,
    NAME_SUFFIXES,
    NAME_TIERS,
    PASSWORD_NAMES,
    SECRET_NAMES,
    Tier,
    Weight,
    lazy,
    weigh,
)

Found: TypeAlias = tuple[int, int, str]
# Stands where a mask stands, so that a masked text and its original look the same to every rule.
CUT = "\ufdd0"
LABELS = frozenset(f"secret.{tail}" for tail in ("password", "token", "key", "credential"))


def trie(names: Iterable[str]) -> str:
    """An alternation that decides by the first letter: `re` skips at full speed to letters that may begin a name."""
    by_letter: dict[str, list[str]] = {}
    for name in sorted(names, key=len, reverse=True):
        by_letter.setdefault(name[:1], []).append(name[1:])
    rest = {letter: tails for letter, tails in by_letter.items() if letter}
    branches = [
        re.escape(letter) + (trie(tails) if len(tails) > 1 else re.escape(tails[0])) for letter, tails in rest.items()
    ]
    return "(?:" + "|".join(branches) + ")" + ("?+" if "" in by_letter else "")


ANY_NAME = f"(?P<name>{trie(NAME_TIERS)[3:-1]})(?<![a-z=:]pw)s?+"
# Names that make a value count even when it is not random; "key" and "pass" only after the right word.
TELLING_NAME = (
    f"(?P<name>{trie([*PASSWORD_NAMES, *SECRET_NAMES, 'key', 'pass'])[3:-1]})(?<![^a-z_\\-. ]key)(?<![a-z=:]pw)s?+"
)
_SUFFIX = rf"(?:[_\- ]?access)?(?:[_\-. ]?{trie(NAME_SUFFIXES)}(?![a-z]))?\d{{0,2}}"
# What an unquoted value may hold. A separator ends it only where another name, a quote or a blank follows.
_BARE = rf"(?:[^\s\"'`<>,;&|\\。，、；！？」』）{CUT}]{{1,32}}+|[,;&|](?![\w.\-]{{0,32}}[=:\s]|[\"'`]|\Z))"
# `token=password=…` is an assignment inside an assignment: the inner name will be met on its own.
_NESTED = "(?:[a-z]{1,16}+[_-]){0,2}" + trie([*PASSWORD_NAMES, *SECRET_NAMES, "key", "pass"]) + "s?[=:]"
VALUE = (
    rf"(?:(?P<q>\\{{0,7}}(?:\"(?!{_NESTED})(?=(?P<dv>[^\"\n\\{CUT}]{{1,256}}))"
    rf"|'(?!{_NESTED})(?=(?P<sv>[^'\n\\{CUT}]{{1,256}}))"
    rf"|`(?=(?P<bv>[^`\n\\{CUT}]{{1,256}}))))"
    rf"|(?!\$?[{{(<]|{_NESTED})(?=[^\s\"'`<>\\{CUT}]{{3}})(?=(?P<uv>{_BARE}{{1,4}}+)))"
)
_QUOTED_GROUP = {'"': "dv", "'": "sv", "`": "bv"}
_REST = {
    '"': re.compile(rf"(?:[^\"\\\n{CUT}]|\\[^\n\"])*+"),
    "'": re.compile(rf"(?:[^'\\\n{CUT}]|\\[^\n'])*+"),
    "`": re.compile(rf"(?:[^`\\\n{CUT}]|\\[^\n`])*+"),
    "": re.compile(rf"{_BARE}*+"),
    "line": re.compile(rf"[^\s{CUT}]*+"),
}


def value_span(match: re.Match[str]) -> tuple[int, int]:
    if match["uv"] is not None:
        return match.span("uv")
    return match.span(_QUOTED_GROUP[match["q"][-1]])


def value_end(match: re.Match[str], text: str, start: int, *, to_line_end: bool = False) -> int:
    """Where the accepted value that starts at `start` ends."""
    bare = match["uv"] is not None
    rest = _REST["line" if to_line_end else "" if bare else match["q"][-1]].match(text, start)
    end = rest.end() if rest else start
    return trim(text, start, end) if bare else end


def trim(text: str, start: int, end: int) -> int:
    """`end` without the sentence's punctuation; a closing bracket stays only if it was opened inside."""
    while end > start:
        last = text[end - 1]
        opener = {")": "(", "]": "[", "}": "{", ">": "<"}.get(last)
        if last in ".,;:\"'`*" or (opener is not None and opener not in text[start:end]):
            end -= 1
        else:
            break
    return end


_OWNER = re.compile(r"([a-z]+)[_\- .]?\Z")
_GLUED_OWNERS = tuple(sorted(KEY_OWNERS))
_PASS_OWNERS = re.compile(r"(?:wi-?fi|login|network|guest|admin|root|router|vpn|my|our)[ ]\Z")


def tier_of(match: re.Match[str], text: str, low: str) -> Tier:
    """The tier of the name matched, with regard to what stands before it."""
    name, start = match["name"], match.start("name")
    tier = NAME_TIERS[name]
    if tier is Tier.PASSWORD and name != "pw":
        return tier
    before = low[max(0, start - 24) : start]
    if name == "pw":
        return Tier.NONE if before[-1:].isalpha() else tier
    owner = found[1] if (found := _OWNER.search(before)) else ""
    if owner in HARMLESS_OWNERS:
        return Tier.NONE
    if name == "key" and (owner in KEY_OWNERS or (before.endswith(owner) and owner.endswith(_GLUED_OWNERS))):
        return Tier.SECRET
    if name == "pass" and _PASS_OWNERS.search(before):
        return Tier.PASSWORD
    starts_word = not before[-1:].isalpha() or (text[start].isupper() and text[start - 1].islower())
    return tier if tier is not Tier.HINT or starts_word else Tier.NONE


def label_of(tier: Tier, match: re.Match[str]) -> str:
    if tier is Tier.PASSWORD or match["name"] == "pass":
        return "secret.password"
    name = match["name"]
    return f"secret.{name}" if name in ("token", "key") else "secret.credential"


# `password: and then` is the commonest case by far: a plain word with more words behind it is no value.
_NOT_PROSE = r"(?![a-z]{1,15}[ ][^\s])"
_ASSIGN = lazy(
    rf"{TELLING_NAME}{_SUFFIX}(?P<close>\\{{0,7}}[\"'`]?)\]?[*_]{{0,2}}"
    r"(?P<op>[ \t]{0,8}(?:=>|->|:=|={1,3}|：|:)|(?:,|\n)[ \t]{0,16}\\{0,7}[\"']?value\\{0,7}[\"']?[ \t]{0,4}[:=]"
    r"|(?<=[\"'`\]]),[ \t]{0,4}(?=\\{0,7}[\"'])|>)"
    rf"\*{{0,2}}(?P<gap>[ \t]{{0,8}})(?:[furb@$]{{1,2}}(?=[\"'`]))?{_NOT_PROSE}{VALUE}"
)
# The one word that counts with more text behind it: `DB_PASSWORD=swordfish ./run`.
_IN_CAPITALS = lazy(r"(?:PASSWORD|PASSWD|PASSPHRASE|PWD|PASS)=(?=(?P<v>[A-Za-z]{4,15})[ ])")
_ENV_LINE = re.compile(r"(?:\A|\n)[ \t]*(?:export |set |env |- )?[A-Z][A-Z0-9_]{2,64}=\Z")


def assignments(text: str, low: str) -> Iterator[Found]:
    """`API_KEY=…`, `"clientSecret": "…"`, `password: …`, `<token>…`, `X-Api-Key: …`."""
    for plain in _IN_CAPITALS().finditer(text):
        if weigh(plain["v"]) is Weight.WORD:
            yield *plain.span("v"), "secret.password"
    matches = _ASSIGN().finditer(low)
    while match := next(matches, None):
        start, end = value_span(match)
        bare = match["uv"] is not None
        value = text[start:end]
        weight = weigh(value.rstrip(")]}") if bare else value, not bare)
        if weight is Weight.NOTHING and (bare or len(value) > 2):
            continue
        tier = tier_of(match, text, low)
        if tier is Tier.NONE or (weight is Weight.NOTHING and not _is_short_json(match, tier)):
            continue
        if not (weight is Weight.STRONG or _assigned(match, tier, weight, value, text)):
            continue
        to_line_end = bare and match["gap"] == "" and _ENV_LINE.search(text, max(0, start - 80), start) is not None
        done = value_end(match, text, start, to_line_end=to_line_end)
        yield start, done, label_of(tier, match)
        matches = _ASSIGN().finditer(low, done)  # what was taken is not looked at again


def _is_short_json(match: re.Match[str], tier: Tier) -> bool:
    """`{"password": "x"}`: in JSON even one letter is a password."""
    return tier is Tier.PASSWORD and match["close"].endswith('"') and match["op"].strip() == ":"


def _assigned(match: re.Match[str], tier: Tier, weight: Weight, value: str, text: str) -> bool:
    """Whether a value that is not random still counts after this name and operator."""
    operator = match["op"].strip()
    tight = operator == "=" and match["op"] == "=" and match["gap"] == ""
    if match["name"] == "pass" and (tight or match["close"] or weight >= Weight.MEDIUM):
        tier = Tier.PASSWORD
    if tier is Tier.HINT:
        return False
    is_header = text[match.start() - 1 : match.start()] == "-"
    in_capitals = text[match.start()].isupper()
    if operator in (",", ">"):
        return weight >= Weight.MEDIUM or (is_header and weight is Weight.PHRASE)
    if match["uv"] is None:
        return _quoted(tier, weight, value, in_code=match["op"] == " =" or "==" in operator)
    if tier is Tier.PASSWORD:
        if weight in (Weight.NUMBER, Weight.POOR):
            return len(value) >= 4 and (tight or operator == ":")
        if weight is Weight.WORD:
            return (tight and in_capitals) or is_plain_password(match, value, text)
        return weight >= Weight.WEAK or tight or operator != "=" or "-" in value
    if tight and (weight is Weight.WEAK or (weight is Weight.POOR and in_capitals)):
        return len(value) >= 6
    if weight is Weight.PHRASE:
        return tight or is_header or ("_" not in value and (operator == ":" or match["close"] != ""))
    return weight >= Weight.MEDIUM


def _quoted(tier: Tier, weight: Weight, value: str, *, in_code: bool) -> bool:
    if " " in value:  # a message about the field, unless it is a phrase nobody would say
        return tier is Tier.PASSWORD and is_spoken_phrase(value)
    if tier is Tier.PASSWORD:
        return not in_code if weight is Weight.POOR else weight is not Weight.NUMBER or len(value) >= 4
    return weight >= Weight.MEDIUM or weight is Weight.PHRASE or (weight is Weight.WEAK and len(value) >= 6)


_PREDICATES_WORDS = (
    "too not wrong right correct incorrect weak strong short long invalid valid expired missing required "
    "mandatory optional empty null none blank secure insecure safe unsafe same different unique new old easy hard "
    "simple complex compromised hidden visible plaintext plain public private important necessary good bad fine "
    "ok okay great broken lost gone there here in on at to for the an any all my your our his her their its it "
    "this that what which who how why when where very so just only also still now never always already probably "
    "maybe really actually basically apparently case sensitive stored saved set reset needed unknown known "
    "default temporary permanent ready active inactive accepted rejected denied up down off out over under true "
    "false yes no something anything nothing somewhere everywhere crucial essential key vital critical part one "
    "two three bcrypt argon text string hashed terrible awful stupid silly dumb funny annoying confusing "
    "ridiculous perfect enough stale please see via with from about like because since until if then than both "
    "either neither alphanumeric numeric random memorable predictable guessable obvious mismatch varchar char "
    "bool boolean bytes object number integer array field input form login hash user admin page reset change "
    "update security authentication manager policy str int any secret confidential password pass pwd passphrase "
    "token sufficient consistent identical relevant significant generic fixed mine yours ours case-insensitive "
    "enter confirm req res data value params args self this none"
)
_PREDICATES = frozenset(_PREDICATES_WORDS.split())
_ENGLISH = frozenset(("password", "passwd", "passphrase", "passcode", "pwd", "pw", "pass"))
_GRAMMAR_WORDS = (
    "too not the any all your our his her their its this that what which who how why when where very just only also "
    "still now never always for with from about like because since until then than both either neither and but are "
    "was were been has have had must should will would can could may might does did use used using needs contains"
)
_GRAMMAR = frozenset(_GRAMMAR_WORDS.split())
INFLECTED = re.compile(r"(?:ed|ing|able|ible|ly|ful|less|ous|ive)\Z")
_CLAUSE_END = re.compile(rf"[ \t]*(?:\Z|[\n{CUT}]|[.,;!?)](?:\s|\Z)|(?:and|but|for|so|on|if|in case)\b)")
_LINE_END = re.compile(rf"[.!]?[ \t]*(?:\Z|[\n{CUT}])")


def is_plain_password(match: re.Match[str], value: str, text: str, *, said: bool = False) -> bool:
    """ "my password is swordfish": one word that says nothing about the password and ends its clause.

    After a colon (not `said`) it must end its line as well: in code `password: pwd,` names a variable.
    """
    # What a word of another language says about a password, the list below does not know.
    if match["name"] not in _ENGLISH:
        return False
    word = value.rstrip("!?.,;:)")
    if not word.isascii() or len(word) < 3 or not word.islower() or not word.isalpha():
        return False
    if word in _PREDICATES or INFLECTED.search(word):
        return False
    return (_CLAUSE_END if said else _LINE_END).match(text, match.end() + len(word)) is not None


def is_spoken_phrase(value: str) -> bool:
    words = value.split(" ")
    plain = all(word.isalpha() and word.islower() and 3 <= len(word) <= 10 for word in words)
    # "correct horse battery staple": four words that could each describe the password are still a phrase.
    excluded = _PREDICATES if len(words) == 3 else _GRAMMAR
    return plain and 3 <= len(words) <= 24 and not excluded.intersection(words)
