"""The one redactor: secrets are masked by span, personal data is labelled.

`find_spans` says what is there, `redact_text` masks what a policy wants masked, and
`redact_payload_json` does the same through a JSON value, by key as well as by content.
Redacting twice changes nothing: a mask is cut out before the rules look, so a redacted text
and its original leave the same remainder, and scanning ends when that remainder holds nothing.
"""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from hashlib import blake2b
from secrets import token_bytes
from typing import TypeAlias

from palyra.core.literals import Literals
from palyra.core.redact_context import CUT
from palyra.core.redact_rules import LABELS, LONG_WORD, PERSONAL_RULES, SECRET_RULES, Rule
from palyra.core.redact_values import Tier, Weight, name_tier, weigh
from palyra.core.text import ascii_digits
from palyra.core.told.words import telling, tells

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"


@dataclass(frozen=True, slots=True)
class Span:
    start: int
    end: int
    label: str


@dataclass(frozen=True, slots=True)
class Policy:
    mask_personal: bool = False


SECRETS_ONLY = Policy()
EVERYTHING = Policy(mask_personal=True)  # logs, metrics, index payloads


@dataclass(frozen=True, slots=True)
class Redacted:
    text: str
    spans: tuple[Span, ...]  # what was masked, in the original text


def find_spans(text: str) -> tuple[Span, ...]:
    """Secrets and personal data, sorted, not overlapping."""
    secret, personal = _may_hold_secret(text), _may_hold_personal(text)
    if not secret and not personal:
        return ()
    spans = _spans(text, secret=secret, personal=personal)
    if secret and not _secrets(spans):
        _remember_clean(_digest(text))
    return spans


def mask_secrets(text: str, spans: tuple[Span, ...]) -> str:
    """`text` with the secrets among its own `find_spans` masked, without looking twice.

    All that `redact_text` masks, and sometimes more: with personal data out of the way a token may stand out."""
    secrets = _secrets(spans)
    return _masked(text, secrets) if secrets else text


def _secrets(spans: tuple[Span, ...]) -> tuple[Span, ...]:
    return tuple([span for span in spans if not span.label.startswith("pii.")]) if spans else ()


def redact_text(text: str, policy: Policy = SECRETS_ONLY) -> Redacted:
    """`text` with what the policy names masked; the very same string when there is nothing to mask.

    What was found clean is remembered by its digest: a text is checked when it arrives, written a moment later, and
    read many times after that.
    """
    if policy.mask_personal:
        spans = _spans(text, secret=True, personal=True)
    elif not _may_hold_secret(text) or (digest := _digest(text)) in _CLEAN:
        return Redacted(text, ())
    else:
        spans = _spans(text, secret=True, personal=False)
        if not spans:
            _remember_clean(digest)
    return Redacted(_masked(text, spans), spans) if spans else Redacted(text, ())


def _masked(text: str, spans: tuple[Span, ...]) -> str:
    pieces: list[str] = []
    last = 0
    for span in spans:
        pieces += (text[last : span.start], mask(span.label))
        last = span.end
    return "".join([*pieces, text[last:]])


def redact_memory_text_for_output(text: str) -> str:
    """`text` as it may leave the house: secrets masked, everything else as written."""
    return redact_text(text).text


def _digest(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16, key=_CLEAN_KEY).digest()


def _remember_clean(digest: bytes) -> None:
    if len(_CLEAN) >= _MOST_CLEAN:
        _CLEAN.clear()
    _CLEAN.add(digest)


_CLEAN: set[bytes] = set()
_CLEAN_KEY = token_bytes(16)
"""of this process: nobody can look up what has been read"""
_MOST_CLEAN = 65_536


def redact_payload_json(value: Json, policy: Policy = SECRETS_ONLY) -> Json:
    """`value` with secrets masked in strings, in keys, and under keys that name a secret.

    Returns the same object where nothing changed. Deeper than `MAX_DEPTH` nothing is looked at, so nothing let through.
    """
    return _payload(value, policy, Tier.NONE, 0)


def payload_may_hold_secret(payload: dict[str, Json], encoded: bytes) -> bool:
    """Whether `redact_payload_json` could change this payload. `encoded` is its JSON text.

    Flat payloads with harmless keys are the rule: their keys are remembered, and their values are asked all at
    once. Quotes end a value, so they count as space; a quote inside a value keeps its neighbours together.
    """
    find = encoded.find  # half the price of `in`
    if find(b"{", 1) > 0 or not encoded.isascii() or not _are_harmless_keys(tuple(payload)):
        return True
    if find(b"\\") > 0 and find(b'\\"') > 0:
        return _may_hold_secret(encoded.decode())
    has_long_word = encoded.translate(_GAPS_AND_QUOTES).find(_LONG) >= 0
    low = encoded.translate(_LOWER_WITHOUT_QUOTES)
    # Behind a backslash a word begins in the middle of a word.
    return has_long_word or (_TOLD.any_in(low) and (find(b"\\") > 0 or _TOLD.are_in(low)))


def words_may_hold_secret(words: dict[str, Json]) -> bool:
    """The same for texts and lists of texts, of which it needs no JSON; anything else deserves a closer look."""
    texts: list[str] = []
    for value in words.values():
        for one in value if isinstance(value, list) else (value,):
            if not isinstance(one, str):
                return True
            texts.append(one)
    return not _are_harmless_keys(tuple(words)) or _may_hold_secret(" ".join(texts))


@lru_cache(maxsize=4096)
def _are_harmless_keys(keys: tuple[str, ...]) -> bool:
    return all(name_tier(key) is Tier.NONE and not _may_hold_secret(key) for key in keys)


def mask(label: str) -> str:
    return f"[redacted:{label.partition('.')[2]}]"


TOO_DEEP = "secret.too_deep"
MAX_DEPTH = 128
# Only labels we give count as masks: otherwise `[redacted:<a token>]` would smuggle the token through.
_MASKS = re.compile(
    r"\[redacted:(?:" + "|".join(sorted(label.partition(".")[2] for label in LABELS | {TOO_DEEP})) + r")\]"
)


_TELLING = (
    "pass", "secret", "token", "key", "pw", "://", "cred", "auth", "cookie", "pin", "bearer", "basic", "phrase",
    "mnemonic", "recovery", "contrase", "senha", "wort", "woord", "heslo", "salasana", "sandi", "adgangskode", "seed",
    " -u", " -p", " -a", " --",
)  # fmt: skip


class _Telling:
    """The first look: the words above, and the nouns that a secret told in prose has. Made when first used."""

    @cached_property
    def any_in(self) -> Callable[[bytes], bool]:
        return Literals((*_TELLING, *(word for word in telling() if not any(old in word for old in _TELLING)))).any_in

    @cached_property
    def _surely_in(self) -> Callable[[bytes], bool]:
        return Literals(_TELLING).any_in

    def are_in(self, octets: bytes) -> bool:
        """Whether they are there as words: "sim" is in "simple", too."""
        return self._surely_in(octets) or tells(octets.decode())


_TOLD = _Telling()


def _may_hold_secret(text: str) -> bool:
    """Cheap and necessary: a telling word, a URL, or a word long enough to be a key. Most text ends here."""
    if not text.isascii():
        return True
    octets = text.encode()
    if octets.translate(_GAPS).find(_LONG) >= 0:
        return True
    low = octets.lower()
    return _TOLD.any_in(low) and _TOLD.are_in(low)  # `_has_long_word`, without a call


_LONG = b"x" * LONG_WORD
_GAPS = bytes(ord(" ") if chr(octet) in " \n" else ord("x") for octet in range(256))
_GAPS_AND_QUOTES = _GAPS[: ord('"')] + b" " + _GAPS[ord('"') + 1 :]
_LOWER_WITHOUT_QUOTES = bytes(range(256)).lower().replace(b'"', b" ")


def _has_long_word(octets: bytes) -> bool:
    """Letters all alike, and then one search: a fifth of the price of cutting the text into words."""
    return _LONG in octets.translate(_GAPS)


# A chain of secrets, each visible only once the one before it is gone, would cost a scan per link.
_MAX_ROUNDS = 8


_DIGIT = re.compile(r"\d")
_ADDRESS = re.compile(r"\d\.\d+\.\d+\.\d|:[0-9A-Fa-f]{0,4}:")


def _may_hold_personal(text: str) -> bool:
    """Cheap and necessary: an at sign, a network address, or the six digits that every other kind has."""
    if "@" in text:
        return True
    digits = ascii_digits(text.encode()) if text.isascii() else len(_DIGIT.findall(text))
    return digits > 5 or ((digits > 3 or ":" in text) and _ADDRESS.search(text) is not None)


def _spans(text: str, *, secret: bool, personal: bool) -> tuple[Span, ...]:
    masks = [(match.start(), match.end(), "") for match in _MASKS.finditer(text)] if "[redacted:" in text else []
    found: list[tuple[int, int, str]] = masks
    for _ in range(_MAX_ROUNDS):
        work, at_work, at_text = _cut(text, found)
        low = _lower(work)
        new = _SECRETS.scan(work, low) if secret or masks else []
        if not new and personal:
            new = _PERSONAL.scan(work, low)
        if not new:
            break
        mapped = [(_back(start, at_work, at_text), _back(end, at_work, at_text), label) for start, end, label in new]
        found = _merged(found + mapped)
    weigh.cache_clear()  # it speeds up one text; kept longer it would be a list of secrets
    return tuple(Span(*item) for item in found if item[2])


def _lower(text: str) -> str:
    low = text.lower()
    # The dotted capital I is the one character whose lower case is longer than itself.
    return low if len(low) == len(text) else text.replace("\u0130", "I").lower()


class _RuleSet:
    """Rules, and a quick look at which of them have anything to find. Made when first used: starting must be fast."""

    def __init__(self, rules: tuple[Rule, ...]) -> None:
        self._rules = rules

    def scan(self, work: str, low: str) -> list[tuple[int, int, str]]:
        octets = low.encode("utf-8", "surrogatepass")
        numbers = self._anywhere(octets)
        if _has_long_word(octets):
            words = [word for word in low.split() if len(word) >= LONG_WORD]
            numbers |= self._in_long_words(" ".join(words).encode("utf-8", "surrogatepass"))
        found: list[tuple[int, int, str]] = []
        for number in sorted(numbers):
            found += self._rules[number].find(work, low)
        return _merged(found) if found else found

    @cached_property
    def _anywhere(self) -> Callable[[bytes], set[int]]:
        return self._by_needle(in_long_words=False)

    @cached_property
    def _in_long_words(self) -> Callable[[bytes], set[int]]:
        return self._by_needle(in_long_words=True)

    def _by_needle(self, *, in_long_words: bool) -> Callable[[bytes], set[int]]:
        """The numbers of the rules any of whose needles is in a text; one without a needle always is."""
        rules_of: defaultdict[str, set[int]] = defaultdict(set)
        for number, rule in enumerate(self._rules):
            for needle in rule.needles if rule.in_long_words is in_long_words else ():
                rules_of[needle].add(number)
        always = rules_of.pop("", set())
        literals, numbers = Literals(tuple(rules_of)), tuple(rules_of.values())
        return lambda octets: always.union(*(numbers[at] for at in literals.all_in(octets)))


_SECRETS = _RuleSet(SECRET_RULES)
_PERSONAL = _RuleSet(PERSONAL_RULES)


def _merged(found: list[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """Sorted, overlaps joined. The label of the rule that comes first in the table stays."""
    merged: list[tuple[int, int, str]] = []
    rank_of_last = 0
    for rank, (start, end, label) in sorted(enumerate(found), key=lambda item: (item[1][0], item[0])):
        if merged and start < merged[-1][1]:
            first, last, kept = merged[-1]
            # A mask ("") inside a longer secret gives way to the secret.
            better = label if not kept or (label and rank < rank_of_last) else kept
            rank_of_last = min(rank, rank_of_last) if kept else rank
            merged[-1] = (first, max(last, end), better)
        elif start < end:
            merged.append((start, end, label))
            rank_of_last = rank
    return merged


def _cut(text: str, found: list[tuple[int, int, str]]) -> tuple[str, list[int], list[int]]:
    """`text` with each found span replaced by one sentinel, and the way back."""
    if not found:
        return text, [0], [0]
    pieces: list[str] = []
    at_work, at_text = [0], [0]
    for start, end, _ in found:
        piece = text[at_text[-1] : start]
        pieces += (piece, CUT)
        at_work.append(at_work[-1] + len(piece) + 1)
        at_text.append(end)
    pieces.append(text[at_text[-1] :])
    return "".join(pieces), at_work, at_text


def _back(position: int, at_work: list[int], at_text: list[int]) -> int:
    segment = bisect_right(at_work, position) - 1
    return at_text[segment] + position - at_work[segment]


# Beside a secret, inside something called "credentials": who it belongs to, not what it is.
_IDENTITY_WORDS = (
    "user username user_name login email name id type kind host hostname port url uri endpoint region scope "
    "scopes provider account account_id client_id tenant tenant_id project project_id issuer audience description "
    "label database db env created_at updated_at expires_at expires expires_in status enabled version role roles"
)
_IDENTITY = frozenset(_IDENTITY_WORDS.split())


def _payload(value: Json, policy: Policy, tier: Tier, depth: int) -> Json:
    if isinstance(value, str):
        return _payload_text(value, policy, tier)
    if isinstance(value, list | dict):
        if depth >= MAX_DEPTH:
            return mask(TOO_DEEP)
        return (
            _payload_list(value, policy, tier, depth)
            if isinstance(value, list)
            else _payload_dict(value, policy, tier, depth)
        )
    if tier is Tier.PASSWORD and isinstance(value, int | float) and not isinstance(value, bool):
        return mask("secret.password")
    return value


def _payload_text(value: str, policy: Policy, tier: Tier) -> str:
    if tier is not Tier.NONE and value and not _MASKS.fullmatch(value):
        if tier is Tier.PASSWORD:
            return mask("secret.password")
        if tier is Tier.SECRET or weigh(value, True) is Weight.STRONG:
            return mask("secret.credential")
    return redact_text(value, policy).text


def _payload_list(value: list[Json], policy: Policy, tier: Tier, depth: int) -> Json:
    items = [_payload(item, policy, tier, depth + 1) for item in value]
    return items if any(new is not old for new, old in zip(items, value, strict=True)) else value


def _payload_dict(value: dict[str, Json], policy: Policy, tier: Tier, depth: int) -> Json:
    out: dict[str, Json] = {}
    changed = False
    for key, item in value.items():
        new_key = redact_text(key, policy).text
        if new_key is not key:
            changed = True
            new_key = _unused(new_key, value, out)
        new_item = _payload(item, policy, _tier_below(new_key, tier), depth + 1)
        changed = changed or new_item is not item
        out[new_key] = new_item
    return out if changed else value


def _unused(key: str, *taken: dict[str, Json]) -> str:
    """Two masked keys must not become one: an entry would be lost."""
    candidate, number = key, 1
    while any(candidate in names for names in taken):
        number += 1
        candidate = f"{key} {number}"
    return candidate


def _tier_below(key: str, tier: Tier) -> Tier:
    # Masks are no part of the name: `[redacted:github_token]` must not make its value a token the second time.
    own = name_tier(_MASKS.sub("", key) if "[redacted:" in key else key)
    if own is Tier.NONE and tier >= Tier.SECRET and key.lower() not in _IDENTITY:
        return tier
    return own
