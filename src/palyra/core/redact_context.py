"""Secrets given away by the words around them: names beside values.

Each finder runs one expression over the lower-cased text to locate a name, an operator and
the beginning of a value, then weighs the value as written. Values are looked ahead at, within
a bound, so a rejected one never hides a name inside it; only an accepted one is read to its end.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from palyra.core.redact_values import HARMLESS_OWNERS, KEY_OWNERS, NAME_SUFFIXES, NAME_TIERS, PASSWORD_NAMES, SECRET_NAMES, Tier, Weight, weigh

Found: TypeAlias = tuple[int, int, str]
# Stands where a mask stands, so that a masked text and its original look the same to every rule.
CUT = "\ufdd0"
LABELS = frozenset(f"secret.{tail}" for tail in ["password", "token", "key", "credential", "pin", "seed_phrase"])


def _trie(names: Iterable[str]) -> str:
    """An alternation that decides by the first letter: `re` skips at full speed to letters that may begin a name."""
    by_letter: dict[str, list[str]] = {}
    for name in sorted(names, key=len, reverse=True):
        by_letter.setdefault(name[:1], []).append(name[1:])
    rest = {letter: tails for letter, tails in by_letter.items() if letter}
    branches = [
        re.escape(letter) + (_trie(tails) if len(tails) > 1 else re.escape(tails[0])) for letter, tails in rest.items()
    ]
    return "(?:" + "|".join(branches) + ")" + ("?" if "" in by_letter else "")


_ANY_NAME = f"(?P<name>{_trie(NAME_TIERS)[3:-1]})s?"
# Names that make a value count even when it is not random; "key" and "pass" only after the right word.
_TELLING_NAME = f"(?P<name>{_trie([*PASSWORD_NAMES, *SECRET_NAMES, 'key', 'pass'])[3:-1]})(?<![^a-z_\\-. ]key)s?"
_SUFFIX = rf"(?:[_\- ]?access)?(?:[_\-. ]?(?:{'|'.join(NAME_SUFFIXES)})(?![a-z]))?\d{{0,2}}"
# What an unquoted value may hold. A separator ends it only where another name, a quote or a blank follows.
_BARE = rf"(?:[^\s\"'`<>,;&|\\{CUT}]{{1,64}}+|[,;&|](?![\w.\-]{{0,32}}[=:\s]|[\"'`]|\Z))"
_VALUE = (
    rf"(?:(?P<q>\\{{0,7}}(?:\"(?=(?P<dv>[^\"\n\\{CUT}]{{1,256}}))|'(?=(?P<sv>[^'\n\\{CUT}]{{1,256}}))"
    rf"|`(?=(?P<bv>[^`\n\\{CUT}]{{1,256}}))))|(?=[^\s\"'`<>\\{CUT}]{{3}})(?=(?P<uv>{_BARE}{{1,4}}+)))"
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


def _tier(match: re.Match[str], text: str, low: str) -> Tier:
    """The tier of the name matched, with regard to what stands before it."""
    name, start = match["name"], match.start("name")
    tier = NAME_TIERS[name]
    before = low[max(0, start - 24) : start]
    if tier is Tier.PASSWORD:
        return Tier.NONE if name == "pw" and before[-1:].isalpha() else tier
    owner = found[1] if (found := _OWNER.search(before)) else ""
    if owner in HARMLESS_OWNERS:
        return Tier.NONE
    if name == "key" and (owner in KEY_OWNERS or (before.endswith(owner) and owner.endswith(_GLUED_OWNERS))):
        return Tier.SECRET
    if name == "pass" and _PASS_OWNERS.search(before):
        return Tier.PASSWORD
    starts_word = not before[-1:].isalpha() or (text[start].isupper() and text[start - 1].islower())
    return tier if tier is not Tier.HINT or starts_word else Tier.NONE


def _label(tier: Tier, match: re.Match[str]) -> str:
    if tier is Tier.PASSWORD or match["name"] == "pass":
        return "secret.password"
    name = match["name"]
    return f"secret.{name}" if name in ("token", "key") else "secret.credential"


_ASSIGN = re.compile(
    rf"{_TELLING_NAME}{_SUFFIX}(?P<close>\\{{0,7}}[\"'`]?)\]?[*_]{{0,2}}"
    r"(?P<op>[ \t]{0,8}(?:=>|->|:=|={1,3}|：|:)|(?:,|\n)[ \t]{0,16}\\{0,7}[\"']?value\\{0,7}[\"']?[ \t]{0,4}[:=]"
    r"|(?<=[\"'`\]]),[ \t]{0,4}(?=\\{0,7}[\"'])|>)"
    rf"\*{{0,2}}(?P<gap>[ \t]{{0,8}})(?:[furb@$]{{1,2}}(?=[\"'`]))?{_VALUE}"
)
_ENV_LINE = re.compile(r"(?:\A|\n)[ \t]*(?:export |set |env |- )?[A-Z][A-Z0-9_]{2,64}=\Z")


def assignments(text: str, low: str) -> Iterator[Found]:
    """`API_KEY=…`, `"clientSecret": "…"`, `password: …`, `<token>…`, `X-Api-Key: …`."""
    done = 0
    for match in _ASSIGN.finditer(low):
        start, end = value_span(match)
        if start < done:
            continue
        value = text[start:end]
        bare = match["uv"] is not None
        weight = weigh(value.rstrip(")]}") if bare else value, quoted=not bare)
        if weight is Weight.NOTHING and (bare or len(value) > 2):
            continue
        tier = _tier(match, text, low)
        if tier is Tier.NONE or (weight is Weight.NOTHING and not _is_short_json(match, tier)):
            continue
        if not (weight is Weight.STRONG or _assigned(match, tier, weight, value, text)):
            continue
        to_line_end = bare and match["gap"] == "" and _ENV_LINE.search(text, max(0, start - 80), start) is not None
        done = value_end(match, text, start, to_line_end=to_line_end)
        yield start, done, _label(tier, match)


def _is_short_json(match: re.Match[str], tier: Tier) -> bool:
    """`{"password": "x"}`: in JSON even one letter is a password."""
    return tier is Tier.PASSWORD and match["close"].endswith('"') and match["op"].strip() == ":"


def _assigned(match: re.Match[str], tier: Tier, weight: Weight, value: str, text: str) -> bool:
    """Whether a value that is not random still counts after this name and operator."""
    operator = match["op"].strip()
    tight = operator == "=" and match["op"] == "=" and match["gap"] == ""
    if match["name"] == "pass" and (tight or match["close"]):
        tier = Tier.PASSWORD
    if tier is Tier.HINT:
        return False
    is_header = match.start() > 0 and text[match.start() - 1] == "-"
    in_capitals = text[match.start() : match.end("name")].isupper()
    if operator in (",", ">"):
        return weight >= Weight.MEDIUM or (is_header and weight is Weight.PHRASE)
    if match["uv"] is None:
        return _quoted(tier, weight, value, in_code=match["op"] == " =" or "==" in operator)
    if tier is Tier.PASSWORD:
        if weight in (Weight.NUMBER, Weight.POOR):
            return len(value) >= 4 and (tight or operator == ":")
        if weight is Weight.WORD:
            return (tight and in_capitals) or is_plain_password(value, text, match.end())
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


_PREDICATES = frozenset(
    [
        "too",
        "not",
        "wrong",
        "right",
        "correct",
        "incorrect",
        "weak",
        "strong",
        "short",
        "long",
        "invalid",
        "valid",
        "expired",
        "missing",
        "required",
        "mandatory",
        "optional",
        "empty",
        "null",
        "none",
        "blank",
        "secure",
        "insecure",
        "safe",
        "unsafe",
        "same",
        "different",
        "unique",
        "new",
        "old",
        "easy",
        "hard",
        "simple",
        "complex",
        "compromised",
        "hidden",
        "visible",
        "plaintext",
        "plain",
        "public",
        "private",
        "important",
        "necessary",
        "good",
        "bad",
        "fine",
        "ok",
        "okay",
        "great",
        "broken",
        "lost",
        "gone",
        "there",
        "here",
        "in",
        "on",
        "at",
        "to",
        "for",
        "the",
        "an",
        "any",
        "all",
        "my",
        "your",
        "our",
        "his",
        "her",
        "their",
        "its",
        "it",
        "this",
        "that",
        "what",
        "which",
        "who",
        "how",
        "why",
        "when",
        "where",
        "very",
        "so",
        "just",
        "only",
        "also",
        "still",
        "now",
        "never",
        "always",
        "already",
        "probably",
        "maybe",
        "really",
        "actually",
        "basically",
        "apparently",
        "case",
        "sensitive",
        "stored",
        "saved",
        "set",
        "reset",
        "needed",
        "unknown",
        "known",
        "default",
        "temporary",
        "permanent",
        "ready",
        "active",
        "inactive",
        "accepted",
        "rejected",
        "denied",
        "up",
        "down",
        "off",
        "out",
        "over",
        "under",
        "true",
        "false",
        "yes",
        "no",
        "something",
        "anything",
        "nothing",
        "somewhere",
        "everywhere",
        "crucial",
        "essential",
        "key",
        "vital",
        "critical",
        "part",
        "one",
        "two",
        "three",
        "bcrypt",
        "argon",
        "text",
        "string",
        "hashed",
        "terrible",
        "awful",
        "stupid",
        "silly",
        "dumb",
        "funny",
        "annoying",
        "confusing",
        "ridiculous",
        "perfect",
        "enough",
        "stale",
        "please",
        "see",
        "via",
        "with",
        "from",
        "about",
        "like",
        "because",
        "since",
        "until",
        "if",
        "then",
        "than",
        "both",
        "either",
        "neither",
        "alphanumeric",
        "numeric",
        "random",
        "memorable",
        "predictable",
        "guessable",
        "obvious",
        "mismatch",
        "varchar",
        "char",
        "bool",
        "boolean",
        "bytes",
        "object",
        "number",
        "integer",
        "array",
        "field",
        "input",
        "form",
        "login",
        "hash",
        "user",
        "admin",
        "page",
        "reset",
        "change",
        "update",
        "security",
        "authentication",
        "manager",
        "policy",
        "str",
        "int",
        "any",
        "secret",
        "confidential",
        "password",
        "pass",
        "pwd",
        "passphrase",
        "token",
        "sufficient",
        "consistent",
        "identical",
        "relevant",
        "significant",
        "generic",
        "fixed",
        "mine",
        "yours",
        "ours",
        "case-insensitive",
        "enter",
        "confirm",
        "req",
        "res",
        "data",
        "value",
        "params",
        "args",
        "self",
        "this",
        "none",
    ]
)
_INFLECTED = re.compile(r"(?:ed|ing|able|ible|ly|ful|less|ous|ive)\Z")
_CLAUSE_END = re.compile(rf"[ \t]*(?:\Z|[\n{CUT}]|[.,;!?)](?:\s|\Z)|(?:and|but|for|so|on|if|in case)\b)")
_LINE_END = re.compile(rf"[.!]?[ \t]*(?:\Z|[\n{CUT}])")


def is_plain_password(value: str, text: str, start: int, *, said: bool = False) -> bool:
    """ "my password is swordfish": one word that says nothing about the password and ends its clause.

    After a colon (not `said`) it must end its line as well: in code `password: pwd,` names a variable.
    """
    word = value.rstrip("!?.,;:)")
    if not word.isascii() or len(word) < 3 or not word.islower() or not word.isalpha():
        return False
    if word in _PREDICATES or _INFLECTED.search(word):
        return False
    return (_CLAUSE_END if said else _LINE_END).match(text, start + len(word)) is not None


def is_spoken_phrase(value: str) -> bool:
    words = value.split(" ")
    plain = all(word.isalpha() and word.islower() and 3 <= len(word) <= 10 for word in words)
    return plain and 3 <= len(words) <= 24 and not _PREDICATES.intersection(words)


_QUALIFIER = (
    r"[ ](?:for|to|on|of|in|at|from|i|we|you|they|that|für|zum|pour|de|du|para|del|der|do|da)[ ]"
    rf"[^\n.:=;!?\"'`{CUT}]{{1,40}}?"
)
_FENCE = r"(?:[ \t]*\n{1,2}```[a-z]{0,10}\n)?"
_VERB = (
    r"(?:[ ](?:is|was|are|were|be|being|should be|will be|has been|became|to|as|use|ist|lautet|war|est|es|era|è|é|jest|är|er|"
    r"это|olan)|是|为|為|は|는|은|이)"
    r"(?:[ ](?:now|currently|still|set to|changed to|actually|probably|always|literally|just|simply|jetzt|ahora|"
    r"maintenant|agora)(?![a-z]))?:?"
)
# `name: value` without a word between them is an assignment.
_SAID = re.compile(
    rf"{_TELLING_NAME}(?:(?:{_QUALIFIER})??{_VERB}|{_QUALIFIER}[ ]?(?:[:=→]|->){_FENCE}"
    rf"|(?P<loose>(?:[ ][a-z]{{2,12}}+){{0,3}}:{_FENCE}))[ \t]{{0,3}}\*{{0,2}}{_VALUE}"
)
# Without a verb the value must hold a digit or be joined: looked for here, as most words have neither.
_BESIDE = re.compile(rf"(?P<name>{_trie(PASSWORD_NAMES)[3:-1]})(?P<op>[ ]?[(「]|\??[ ])(?=[^\s]{{0,40}}[0-9\-_.]){_VALUE}")


def sentences(text: str, low: str) -> Iterator[Found]:
    """"my password is hunter2", "passwort ist …", "the client secret for staging was …", "with password …"."""
    yield from _values_first(text, low)
    yield from _values_later(text, low)
    for pattern, counts in ((_SAID, _said), (_BESIDE, _beside)):
        done = 0
        for match in pattern.finditer(low):
            start, end = value_span(match)
            if start < done:
                continue
            value = text[start:end]
            bare = match["uv"] is not None
            if bare:
                value = value.rstrip(".,;:!?)")
            if weigh(value, quoted=not bare) <= Weight.WORD and NAME_TIERS[match["name"]] is Tier.SECRET:
                continue
            tier = _tier(match, text, low)
            if tier >= Tier.SECRET and counts(match, tier, value, text):
                done = value_end(match, text, start)
                yield start, done, _label(tier, match)


_VALUE_FIRST = re.compile(
    rf"[ ](?:as|is|was)[ ](?:the|my|our|your|his|her|their|a)[ ](?:[\w.\-]{{1,20}}+[ ]){{0,3}}?(?:{_TELLING_NAME})(?![a-z_\-])"
)


def _values_first(text: str, low: str) -> Iterator[Found]:
    """ "I put hunter2 as the password", "hunter2 is my password"."""
    for match in _VALUE_FIRST.finditer(low):
        words = text[max(0, match.start() - 256) : match.start()].split()
        value = words[-1].strip("\"'`()*,") if words else ""
        weight = weigh(value) if value and CUT not in value and "=" not in value else Weight.NOTHING
        tier = _tier(match, text, low)
        if tier is Tier.PASSWORD:
            counts = weight >= Weight.WEAK and len(value) >= 6 and not _ALGORITHM.match(value)
        else:
            counts = tier is Tier.SECRET and weight is Weight.STRONG
        if counts and any(c.isdecimal() for c in value):
            start = text.rindex(value, 0, match.start())
            yield start, start + len(value), _label(tier, match)


_IT_IS = re.compile(rf"[.,;!?][ ](?:it's|it is|it was|that's)[ ]{_VALUE}")
_LAST_NAME = re.compile(rf"{_TELLING_NAME}(?![a-z_\-])")


def _values_later(text: str, low: str) -> Iterator[Found]:
    """"I finally got the password from support. It's hunter2"."""
    for match in _IT_IS.finditer(low):
        start, end = value_span(match)
        value = text[start:end].rstrip(".,;:!?)")
        if weigh(value, quoted=match["uv"] is None) < Weight.PHRASE or _ALGORITHM.match(value):
            continue
        for name in _LAST_NAME.finditer(low, max(0, match.start() - 64), match.start()):
            tier = _tier(name, text, low)
            if tier is Tier.PASSWORD or (tier is Tier.SECRET and weigh(value) >= Weight.MEDIUM and value.isalnum()):
                yield start, value_end(match, text, start), _label(tier, name)
                break


def _said(match: re.Match[str], tier: Tier, value: str, text: str) -> bool:
    bare = match["uv"] is not None
    if not bare and " " in value:
        return tier is Tier.PASSWORD and is_spoken_phrase(value)
    weight = weigh(value, quoted=not bare)
    if match["loose"] not in (None, ":") and (weight < Weight.PHRASE or _ALGORITHM.match(value)):
        return False
    if tier is not Tier.PASSWORD:
        return weight >= Weight.MEDIUM and any(c.isdecimal() for c in value)
    if weight is Weight.NUMBER:
        return len(value) >= 4 and not bare
    if bare and value.isalpha():
        said = text[match.start() : match.end()].rstrip(" *")[-1:] not in ":=>→"
        return is_plain_password(value, text, match.end(), said=said)
    if match["bv"] is not None and weight <= Weight.PHRASE and "_" in value:
        return False  # `generate_password_hash` in backticks is code
    if weight is Weight.WORD:
        return not bare and len(value) >= 4 and (match["bv"] is None or value.isalnum())
    return weight is not Weight.NOTHING and len(value) >= 5


_ALGORITHM = re.compile(
    r"(?i:sha|md|base|utf|aes|rsa|oauth|http|ipv|ios|win|python|argon|pbkdf|scrypt|web|mp|ps|node|es|rfc|iso|nist|cve|gpt|"
    r"id|v|windows|iphone|type|level|step|part|version)[-_]?\d{1,4}(?:[-_.]?\w{1,6}){0,2}\Z"
)


def _beside(match: re.Match[str], tier: Tier, value: str, text: str) -> bool:
    """Without a verb the value must have both letters and digits, or stand in brackets."""
    del text
    if tier is not Tier.PASSWORD or " " in value:
        return False
    weight = weigh(value, quoted=match["uv"] is None)
    if weight is Weight.PHRASE:
        return "_" not in value and "." not in value
    if weight < Weight.WEAK or len(value) < 6 or _ALGORITHM.match(value):
        return False
    return any(c.isdecimal() for c in value) and any(c.isalpha() for c in value)


_NAMED = re.compile(_ANY_NAME)
_LONG = re.compile(r"[A-Za-z0-9+/_.~%$-]{16,}+={0,2}", re.ASCII)
_LONG_CHARS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_.~%$@#-")
_LONGEST = 512  # beyond this it is data: an image, a bundle
_OTHER_TOPIC = re.compile(
    rf"{CUT}|\b(?:commit|sha-?\d*|hash|digest|checksum|etag|uuid|guid|ids?|md5|revision|rev|blob|image|build|"
    r"trace|request|transaction|tx|fingerprint|version|integrity|file|path|url|link|https?|public|branch|order|invoice|"
    r"ticket|tracking|serial|model|bug|issue|count|limit|budget)\b"
)


_SENTENCE_END = re.compile(r"[.!?]\s")


def neighbours(text: str, low: str) -> Iterator[Found]:
    """A random-looking value in the company of "key", "token", "secret", before it or just after it."""
    if not any(len(word) >= 16 for word in text.split()):
        return
    ends = [match.end() for match in _NAMED.finditer(low)]
    for match in _LONG.finditer(text):
        start, end = match.span()
        before = bisect_right(ends, start) - 1
        near_before = before >= 0 and start - ends[before] <= 64
        after = bisect_left(ends, end + 3)
        near_after = after < len(ends) and ends[after] - end <= 48
        if not (near_before or near_after) or end - start > _LONGEST:
            continue
        if text[start - 1 : start] in _LONG_CHARS or text[end : end + 1] in _LONG_CHARS or text[end : end + 1] == "(":
            continue
        value = match[0].rstrip(".")
        if weigh(value) is not Weight.STRONG or value.startswith(("//", "sha")) or low.endswith("base64,", 0, start):
            continue
        if (near_before and _linked(low[ends[before] : start], value)) or (
            near_after and _linked_after(low[end : ends[after]], value)
        ):
            yield start, start + len(value), "secret.credential"


_IDENTIFIER = re.compile(
    r"(?:[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[0-7][0-9A-HJKMNP-TV-Z]{25})\Z"
)
_TIGHT = re.compile(r"\W*\Z|[^\n]{0,40}(?:\bis|\bwas|\bbe|:|=|\bto|\bas|\buse|it's|->|→)[\s\"'`(*:]*\Z")


def _linked(gap: str, value: str) -> bool:
    if _OTHER_TOPIC.search(gap) or (len(gap) > 40 and _SENTENCE_END.search(gap)):
        return False
    # Commits, digests, UUIDs and ULIDs are everywhere: a name in the same sentence does not make them secret.
    return not _IDENTIFIER.match(value) or _TIGHT.match(gap) is not None


def _linked_after(gap: str, value: str) -> bool:
    return not _IDENTIFIER.match(value) and not _OTHER_TOPIC.search(gap) and not re.search(r"[.!?]\s|\n", gap)


_PIN = re.compile(
    r"(?<![a-z])pin(?:[ ](?:code|number))?(?:[ ](?:for|to|on|of)[ ][a-z ]{1,24}?)??(?:[ ](?:is|was)|:)[ ]?"
    r"(?P<s>\d{4,8})(?![\w.,:/]{0,16}\d)"
)
_PIN_OWNERS = re.compile(
    r"(?<![a-z])(?:my|our|card|atm|bank|phone|sim|alarm|debit|credit|his|her)[ ](?:[a-z]{1,12}[ ])?\Z"
)
_SEED = re.compile(
    r"(?:seed|recovery|mnemonic|backup|secret)(?:[ ](?:phrase|words|seed))?(?:[ ](?:is|was)|:|=)[ ]?[\"'`]?"
    r"(?P<s>[a-z]{3,8}(?:[ ][a-z]{3,8}){11,23})(?![a-z ])"
)
_SPOKEN_PHRASE = re.compile(
    r"(?:pass ?phrase|passwor[dt]|mot de passe)(?:[ ](?:is|was|ist|est)|:)[ ]?"
    r"(?P<s>[a-z]{3,10}(?:[ ][a-z]{3,10}){2,7})(?=[.,;!?\n]|\Z)"
)


def numbers_and_words(text: str, low: str) -> Iterator[Found]:
    """Card PINs, wallet seeds and pass phrases spoken as plain words."""
    del text
    for match in _PIN.finditer(low):
        if _PIN_OWNERS.search(low, max(0, match.start() - 24), match.start()):
            yield *match.span("s"), "secret.pin"
    for match in _SEED.finditer(low):
        yield *match.span("s"), "secret.seed_phrase"
    for match in _SPOKEN_PHRASE.finditer(low):
        words = match["s"].split(" ")
        if is_spoken_phrase(match["s"]) and not any(_INFLECTED.search(word) for word in words[:2]):
            yield *match.span("s"), "secret.password"
