"""Whether two short statements say the same in other words: never where a number, a name, a role or a "not" differs.

Both are brought to one form by tables (`data/same.txt`) and by what grammar allows: whose it is, who did it, in which
order places and times stand. Only equal forms are the same; what the tables do not know stays two statements.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache

from palyra.language.wording.opposites import lemma
from palyra.language.wording.text import parse
from palyra.language.words import lines, pattern, words

_TABLE = "same.txt"
_LONGEST = 24
"""words: what is longer says more than one thing"""
_IS = frozenset(("is", "are", "was", "were"))
_PAST = frozenset(("was", "were"))
_PLACES = frozenset(("in", "on", "at", "under", "near", "by", "ve", "v", "na", "u"))
_PLACED = _PLACES | {"from", "to", "with", "for", "as", "every", "since", "until", "jako", "od", "do", "s", "z"}
_THOUSANDS = re.compile(r"(?<!\S)(\d+) ?k(?!\S)")
_CLOCK = re.compile(r"(?<!\S)(\d{1,2}) (am|pm)(?!\S)")
_UNITS = re.compile(r"(?<!\S)(euro|dollar|pound|crown|hour|minute)s(?!\S)")
_MINE = frozenset(("my", "our"))


def same(first: str, second: str) -> bool:
    one, other = _plain(first), _plain(second)
    if not one or not other or max(len(one), len(other)) > _LONGEST or parse(first).plain == parse(second).plain:
        return False
    is_apart = any(
        (mine := _chosen(one, group)) and (its := _chosen(other, group)) and mine != its for group in _apart()
    )
    return not is_apart and not _forms(one).isdisjoint(_forms(other))


def _chosen(said: Sequence[str], group: frozenset[str]) -> frozenset[str]:
    return group.intersection(said)


@cache
def _apart() -> list[frozenset[str]]:
    return [frozenset(rest.split()) for _, rest in lines(_TABLE)["apart"]]


@lru_cache(maxsize=2048)
def _plain(text: str) -> tuple[str, ...]:
    if len(text) > 200:
        return ()
    found = parse(text)
    if found.is_question or found.is_code:
        return ()
    said = " ".join(word for word in found.plain if word != '"')
    return tuple(_UNITS.sub(r"\1", _CLOCK.sub(_to_24, _THOUSANDS.sub(r"\g<1>000", said))).split())


def _to_24(match: re.Match[str]) -> str:
    return f"{int(match[1]) % 12 + 12 * (match[2] == 'pm'):02}:00"


@lru_cache(maxsize=2048)
def _forms(said: tuple[str, ...]) -> frozenset[tuple[str, ...]]:
    """What a statement may be written as; two that share one of these are the same."""
    texts = {" ".join(said)}
    for _ in range(2):
        texts |= {turned for text in texts for turned in _rewritten(text)}
    forms = {_in_order(tuple(_worded(text).split())) for text in texts}
    forms |= {_in_order(tuple(_worded(" ".join(turned)).split())) for text in texts for turned in _turned(text.split())}
    return frozenset(forms)


def _rewritten(text: str) -> Iterator[str]:
    for form, to in _table():
        match = form.fullmatch(text)
        if match:
            yield to.format(**match.groupdict())


def _turned(said: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """The same with whose, who and what is what the other way round."""
    if said[0] in _MINE and len(said) > 2:
        yield tuple(said[1:])  # "our staging server" and "the staging server": there is one
    for n, word in enumerate(said):
        if word == "of" and 0 < n < len(said) - 1:
            yield from _whose(said, n)
        if word in _IS and n:
            yield from _passive(said, n)
            yield from _swapped(said, n)
            yield from _doer(said, n)


def _whose(said: Sequence[str], at: int) -> Iterator[tuple[str, ...]]:
    """ "dog of bo is called rex": bo's dog is called rex."""
    verb = next((n for n in range(at + 2, len(said)) if said[n] in _IS), None)
    if verb is not None and at == 1 and verb - at <= 4:
        turned = (*said[at + 1 : verb], "'s", said[0], *said[verb:])
        yield turned
        yield from (tuple(text.split()) for text in _rewritten(" ".join(turned)))


def _passive(said: Sequence[str], at: int) -> Iterator[tuple[str, ...]]:
    """ "guide was written by marta": marta wrote the guide."""
    if said[at + 2 : at + 3] == ["by"] and len(said) > at + 3 and _is_participle(said[at + 1]):
        tense = "did" if said[at] in _PAST else "does"
        yield (*said[at + 3 :], tense, lemma(_base(said[at + 1])), *said[:at])


def _swapped(said: Sequence[str], at: int) -> Iterator[tuple[str, ...]]:
    """ "carlos is ceo of brightwave": what stands on either side of "is", if one side says whose it is."""
    left, right = tuple(said[:at]), tuple(said[at + 1 :])
    whose = [side for side in (left, right) if "of" in side[1:-1] or "'s" in side[1:-1]]
    is_plain = _PLACED.isdisjoint((left[0], *right[:1])) and "not" not in right
    if len(whose) == 1 and is_plain and len(left) <= 6 and len(right) <= 6:
        yield (*sorted((" ".join(left), " ".join(right))), said[at])


def _doer(said: Sequence[str], at: int) -> Iterator[tuple[str, ...]]:
    """ "lea is cello player": lea plays the cello."""
    rest = said[at + 1 :]
    if said[at] == "is" and len(rest) >= 2 and rest[1].endswith("er") and len(rest[1]) > 4:
        yield (*said[:at], "does", rest[1][:-2], rest[0], *rest[2:])


def _in_order(said: tuple[str, ...]) -> tuple[str, ...]:
    """Verbs by their base and time, and the places and times behind the verb in one order."""
    said = _active(said)
    starts = [n for n, word in enumerate(said) if n and word in _PLACED]
    if len(starts) < 2 or len({said[n] for n in starts}) < len(starts):
        return said
    parts = [said[a:b] for a, b in zip(starts, [*starts[1:], len(said)], strict=True)]
    where = [part for part in parts if part[0] in _PLACES and not pattern("dates", "change.txt").search(" ".join(part))]
    if len([part for part in where if not any(word[0].isdigit() for word in part)]) > 1:
        return said  # in the box on the table is not on the table in the box
    return (*said[: starts[0]], *(word for part in sorted(parts) for word in part))


def _active(said: tuple[str, ...]) -> tuple[str, ...]:
    """ "marta wrote guide" as "marta did write guide": as a passive comes out when it is turned."""
    if not {"does", "did", "'s"}.isdisjoint(said):
        return said
    for n in range(1, min(4, len(said) - 1)):
        if said[n] in _IS or said[n] in _PLACED:
            return said
        base = _base(said[n])
        if said[n].endswith("ed") or (base != said[n] and not said[n].endswith("s")):
            return (*said[:n], "did", lemma(base), *said[n + 1 :])
        if said[n].endswith("s"):
            return (*said[:n], "does", lemma(base), *said[n + 1 :])
    return said


def _is_participle(word: str) -> bool:
    return word.endswith(("ed", "en", "ne", "wn")) or lemma(word) != word or word in words("participle", _TABLE)


def _base(word: str) -> str:
    for line in lines(_TABLE)["verbs"]:
        if word == line[0] or word in line[1].split():
            return line[0]
    return word


def _worded(text: str) -> str:
    for form, stands in _words_table():
        text = form.sub(stands, text)
    return text


@cache
def _table() -> list[tuple[re.Pattern[str], str]]:
    made = []
    for key, rest in lines(_TABLE)["forms"]:
        before, _, after = f"{key}:{rest}".rstrip(":").partition(" => ")
        parts = re.split(r"\{([a-d])\}", before)
        wanted = "".join(f"(?P<{part}>.+?)" if n % 2 else re.escape(part) for n, part in enumerate(parts))
        made.append((re.compile(wanted), after))
    return made


@cache
def _words_table() -> list[tuple[re.Pattern[str], str]]:
    made = []
    for key, rest in lines(_TABLE)["words"]:
        variants = sorted((word.replace("_", " ") for word in rest.split()), key=lambda word: -len(word))
        made.append((re.compile(rf"(?<!\S)(?:{'|'.join(map(re.escape, variants))})(?!\S)"), f"<{key}>"))
    return made
