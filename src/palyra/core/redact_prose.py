"""Secrets told in sentences: a name, perhaps a verb, and a value somewhere near.

People do not write `password=hunter2` to each other. The less a sentence ties name and value
together, the more the value must look like nothing anybody would otherwise write.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator

from palyra.core.redact_context import (
    ANY_NAME,
    CUT,
    INFLECTED,
    TELLING_NAME,
    VALUE,
    Found,
    is_plain_password,
    is_spoken_phrase,
    label_of,
    tier_of,
    trie,
    trim,
    value_end,
    value_span,
)
from palyra.core.redact_values import NAME_TIERS, PASSWORD_NAMES, Tier, Weight, lazy, weigh

LABELS = frozenset(("secret.pin", "secret.seed_phrase"))

_OF_WORDS = "for to on of in at from i we you they that für zum pour de du para del der do da"
_OF = trie(_OF_WORDS.split())
# Word by word, not letter by letter: a few tries instead of forty.
_QUALIFIER = rf"[ ]{_OF}(?:[ ][^\s.:=;!?\"'`{CUT}]{{1,24}}+){{1,5}}?"
_FENCE = r"(?:[ \t]*\n{1,2}(?:```[a-z]{0,10}\n)?)?"
_IS = trie(
    ("is", "was", "are", "were", "be", "being", "should be", "will be", "has been", "became", "to", "as", "use", "with",
     "ist",
     "lautet", "war", "est", "es", "era", "è", "é", "jest", "är", "er", "это", "olan")
)  # fmt: skip
_NOW = trie(
    ("now", "currently", "still", "set to", "changed to", "actually", "probably", "always", "literally", "just",
     "simply", "jetzt", "ahora", "maintenant", "agora")
)  # fmt: skip
_VERB = rf"(?:(?:,?[ ](?:which|that))?[ ]{_IS}|'s(?=[ ])|[ ][-–—](?=[ ])|是|为|為|は|는|은|이)(?:[ ]{_NOW}(?![a-z]))?:?"
_SAID = lazy(
    rf"{TELLING_NAME}(?:{_QUALIFIER}(?:{_VERB}|[ ]?(?:[:=→]|->){_FENCE})|{_VERB}"
    rf"|(?P<loose>(?:[ ][a-z]{{2,12}}+){{0,3}}+:{_FENCE}))[ \t]{{0,3}}\*{{0,2}}{VALUE}"
)


def sentences(text: str, low: str) -> Iterator[Found]:
    """A name, a verb, a value: "my password is hunter2", "passwort ist …", "the client secret for staging was …"."""
    done = 0
    for match in _SAID().finditer(low):
        bare = match["uv"]
        if bare is not None and bare.isalpha() and NAME_TIERS[match["name"]] is Tier.SECRET:
            continue
        start, end = value_span(match)
        if start < done:
            continue
        value = text[start:end]
        if bare is not None:
            value = value.rstrip(".,;:!?)")
        if weigh(value, match["uv"] is None) <= Weight.WORD and NAME_TIERS[match["name"]] is Tier.SECRET:
            continue
        tier = tier_of(match, text, low)
        if tier >= Tier.SECRET and _said(match, tier, value, text):
            done = value_end(match, text, start)
            yield start, done, label_of(tier, match)


def _said(match: re.Match[str], tier: Tier, value: str, text: str) -> bool:
    bare = match["uv"] is not None
    if not bare and " " in value:
        return tier is Tier.PASSWORD and is_spoken_phrase(value)
    weight = weigh(value, not bare)
    if match["loose"] not in (None, ":") and (weight < Weight.PHRASE or _ALGORITHM.match(value)):
        return False
    if tier is not Tier.PASSWORD:
        return weight >= Weight.MEDIUM and any(c.isdecimal() for c in value)
    if weight is Weight.NUMBER:
        return len(value) >= 4 and not bare
    if bare and value.isalpha():
        said = text[match.start() : match.end()].rstrip(" *")[-1:] not in ":=>→"
        return is_plain_password(match, value, text, said=said)
    if match["bv"] is not None and weight <= Weight.PHRASE and "_" in value:
        return False  # `generate_password_hash` in backticks is code
    if weight is Weight.WORD:
        return not bare and len(value) >= 4 and (match["bv"] is None or value.isalnum())
    return weight is not Weight.NOTHING and len(value) >= 5 and not _ALGORITHM.match(value)


_ALGORITHM = re.compile(
    r"(?i:sha|md|base|utf|aes|rsa|oauth|http|ipv|ios|win|python|argon|pbkdf|scrypt|web|mp|ps|node|es|rfc|iso|nist|cve|"
    r"gpt|id|v|windows|iphone|type|level|step|part|version)[-_]?\d{1,4}(?:[-_.]?\w{1,6}){0,2}\Z"
)
# Without a verb the value must hold a digit or be joined: looked for here, as most words have neither.
_PASSWORD = lazy(f"(?P<name>{trie([*PASSWORD_NAMES, 'creds', 'credential'])[3:-1]})")
_CASE_RUNS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_BESIDE = lazy(rf"(?P<name>{trie(PASSWORD_NAMES)[3:-1]})(?:[ ]?[(「]|\??[ ])(?=[^\s0-9\-_.]{{0,40}}+[0-9\-_.]){VALUE}")


def beside(text: str, low: str) -> Iterator[Found]:
    """No verb at all: "log in with password hunter2", "the passphrase (correct-horse-battery)"."""
    done = 0
    for match in _BESIDE().finditer(low):
        start, end = value_span(match)
        bare = match["uv"] is not None
        value = text[start:end].rstrip(".,;:!?)") if bare else text[start:end]
        if start < done or " " in value or tier_of(match, text, low) is not Tier.PASSWORD:
            continue
        weight = weigh(value, not bare)
        if weight is Weight.PHRASE:
            counts = "_" not in value and "." not in value
        else:
            counts = weight >= Weight.WEAK and len(value) >= 6 and _is_mixed(value)
        if counts:
            done = value_end(match, text, start)
            yield start, done, label_of(Tier.PASSWORD, match)


def _is_mixed(value: str) -> bool:
    mixed = any(c.isdecimal() for c in value) and any(c.isalpha() for c in value)
    return mixed and not _ALGORITHM.match(value)


_VALUE_FIRST = lazy(
    r"[ ](?:as|(?:as|is|was)[ ](?:the|my|our|your|his|her|their|a))[ ](?:[\w.\-]{1,20}+[ ]){0,3}?"
    rf"{TELLING_NAME}(?![a-z_\-])"
)


def value_first(text: str, low: str) -> Iterator[Found]:
    """The value first: "I put hunter2 as the password", "hunter2 is my password"."""
    for match in _VALUE_FIRST().finditer(low):
        words = text[max(0, match.start() - 256) : match.start()].split()
        value = words[-1].strip("\"'`()*,") if words else ""
        if not value or CUT in value or "=" in value:
            continue
        tier, weight = tier_of(match, text, low), weigh(value)
        long_enough = weight >= Weight.WEAK and len(value) >= 6 if tier is Tier.PASSWORD else weight is Weight.STRONG
        if tier >= Tier.SECRET and long_enough and _is_mixed(value):
            start = text.rindex(value, 0, match.start())
            yield start, start + len(value), label_of(tier, match)


_IT_IS = lazy(rf"[.,;!?](?<=\w.)[ ](?:it's|it is|it was|that's)[ ]{VALUE}")
_NAME_BEFORE = lazy(rf"{TELLING_NAME}(?![a-z_\-])")


def value_later(text: str, low: str) -> Iterator[Found]:
    """The value in the next sentence: "I finally got the password from support. It's hunter2"."""
    for match in _IT_IS().finditer(low):
        start, end = value_span(match)
        value = text[start:end].rstrip(".,;:!?)")
        weight = weigh(value, match["uv"] is None)
        if weight is not Weight.PHRASE and not (weight >= Weight.WEAK and _is_mixed(value)):
            continue
        for name in _NAME_BEFORE().finditer(low, max(0, match.start() - 64), match.start()):
            tier = tier_of(name, text, low)
            if tier is Tier.PASSWORD or (tier is Tier.SECRET and weight >= Weight.MEDIUM):
                yield start, value_end(match, text, start), label_of(tier, name)
                break


_NAMED = lazy(ANY_NAME)
_LONG = re.compile(r"[A-Za-z0-9+/_.~%$-]{16,}+={0,2}", re.ASCII)
_LONG_CHARS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_.~%$@#-")
_NOT_AFTER = (_LONG_CHARS | {"("}) - {"."}
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
    names = [(match.end(), match["name"]) for match in _NAMED().finditer(low) if not _is_part_of_a_word(match, low)]
    ends = [end for end, _ in names]
    for match in _LONG.finditer(text):
        start, end = match.span()
        before = bisect_right(ends, start) - 1
        near_before = before >= 0 and start - ends[before] <= 64
        after = bisect_left(ends, end + 3)
        near_after = after < len(ends) and ends[after] - end <= 48
        if not (near_before or near_after) or end - start > _LONGEST:
            continue
        if text[start - 1 : start] in _LONG_CHARS or text[end : end + 1] in _NOT_AFTER:
            continue
        value = match[0].rstrip(".")
        if weigh(value) is not Weight.STRONG or value.startswith(("//", "sha")) or low.endswith("base64,", 0, start):
            continue
        if (near_before and _linked(low[ends[before] : start], value, names[before][1])) or (
            near_after and names[after][1] not in ("session", "code") and _linked_after(low[end : ends[after]], value)
        ):
            yield start, start + len(value), "secret.credential"


def _is_part_of_a_word(match: re.Match[str], low: str) -> bool:
    """ "sig" in "sign-in": a mere hint counts as a whole word only."""
    return NAME_TIERS[match["name"]] is Tier.HINT and low[match.end() : match.end() + 1].isalpha()


_IDENTIFIER = re.compile(
    r"(?:[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[0-7][0-9A-HJKMNP-TV-Z]{25})\Z"
)
_TIGHT = re.compile(
    r"\W*\Z|[^\n]{0,40}(?:\bis|\bwas|\bbe|:|=|\bto|\bas|\buse|it's|->|→|\bwith|\bhave|\bhas|\bbelow\W|\bhere\W|\busing)[\s\"'`(*:]*\Z"
)


def _linked(gap: str, value: str, name: str) -> bool:
    if _OTHER_TOPIC.search(gap) or (len(gap) > 40 and _SENTENCE_END.search(gap)):
        return False
    if name in ("session", "code") and not gap.strip():
        return False  # "in session …" names it
    # Commits, digests, UUIDs and ULIDs are everywhere: a name in the same sentence does not make them secret,
    # and a session or a code is expected to have one.
    if not _IDENTIFIER.match(value):
        return True
    return _TIGHT.match(gap) is not None and (name == "key" or NAME_TIERS[name] >= Tier.SECRET)


def _linked_after(gap: str, value: str) -> bool:
    return not _IDENTIFIER.match(value) and not _OTHER_TOPIC.search(gap) and not re.search(r"[.!?]\s|\n", gap)


_TOUGH = lazy(rf"(?<![^\s\"'`(])[^\s\"'`<>(){CUT}0-9]{{0,63}}+[0-9][^\s\"'`<>(){CUT}]{{0,63}}+(?![^\s\"'`<>(){CUT}])")


def tough(text: str, low: str) -> Iterator[Found]:
    """Near "password", what no sentence holds by itself: letters, digits and signs mixed within one word."""
    ends = [match.end() for match in _PASSWORD().finditer(low)]
    if not ends:
        return
    for match in _TOUGH().finditer(text):
        start = match.start()
        before = bisect_right(ends, start) - 1
        if before < 0 or start - ends[before] > 48:
            continue
        end = trim(text, start, match.end())
        if _is_tough(text[start:end]) and not _OTHER_TOPIC.search(low, ends[before], start):
            yield start, end, "secret.password"


def _is_tough(value: str) -> bool:
    if len(value) < 8 or not _is_mixed(value) or weigh(value) < Weight.WEAK or "://" in value:
        return False
    inner = value[1:-1]
    if any(sign in inner for sign in "!@#$%^*+~"):
        return value.count("@") == 0 or "." not in value.partition("@")[2]  # not an e-mail address
    runs = len(_CASE_RUNS.findall(value))
    return value.isalnum() and runs / len(value) >= 0.4


_PIN = lazy(
    r"(?<![a-z])pin(?:[ ](?:code|number))?(?:[ ](?:for|to|on|of)[ ][a-z ]{1,24}?)??(?:[ ](?:is|was)|:)[ ]?"
    r"(?P<s>\d{4,8})(?![\w.,:/]{0,16}\d)"
)
_PIN_OWNERS = re.compile(
    r"(?<![a-z])(?:my|our|card|atm|bank|phone|sim|alarm|debit|credit|his|her)[ ](?:[a-z]{1,12}[ ])?\Z"
)
_SEED = lazy(
    r"(?:seed|recovery|mnemonic|backup|secret)(?:[ ](?:phrase|words|seed))?(?:[ ](?:is|was)|:|=)[ ]?[\"'`]?"
    r"(?P<s>[a-z]{3,8}(?:[ ][a-z]{3,8}){11,23})(?![a-z ])"
)
_SPOKEN_PHRASE = lazy(
    r"(?:pass ?phrase|passwor[dt]|mot de passe)(?:[ ](?:is|was|ist|est)|:)[ ]?"
    r"(?P<s>[a-z]{3,10}(?:[ ][a-z]{3,10}){2,7})(?=[.,;!?\n]|\Z)"
)


def numbers_and_words(text: str, low: str) -> Iterator[Found]:
    """Card PINs, wallet seeds and pass phrases spoken as plain words."""
    del text
    for match in _PIN().finditer(low):
        if _PIN_OWNERS.search(low, max(0, match.start() - 24), match.start()):
            yield *match.span("s"), "secret.pin"
    for match in _SEED().finditer(low):
        yield *match.span("s"), "secret.seed_phrase"
    for match in _SPOKEN_PHRASE().finditer(low):
        words = match["s"].split(" ")
        if is_spoken_phrase(match["s"]) and not any(INFLECTED.search(word) for word in words[:2]):
            yield *match.span("s"), "secret.password"
