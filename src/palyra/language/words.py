"""The word tables beside this module, `data/*.txt`: lists of words by language, as plain text that anyone can mend."""

import re
from functools import cache
from pathlib import Path

from palyra.core.text import parse_table

_DATA = Path(__file__).with_name("data")


@cache
def lines(name: str) -> dict[str, tuple[tuple[str, str], ...]]:
    """The `key: rest` lines of each `[section]` of a table, comments and empty lines left out."""
    return parse_table((_DATA / name).read_text("utf-8"))


@cache
def meanings(section: str, name: str) -> dict[str, str]:
    """Codes with what they mean in plain English."""
    return dict(lines(name)[section])


@cache
def words(section: str, name: str = "words.txt") -> frozenset[str]:
    """Every word of a list, whatever its language; `_` within a word is a blank."""
    return frozenset(word.replace("_", " ") for _, rest in lines(name)[section] for word in rest.split())


def groups(section: str, name: str) -> dict[str, tuple[str, ...]]:
    """The words of each line, by what stands before the colon; a key that comes again goes on."""
    found: dict[str, tuple[str, ...]] = {}
    for key, rest in lines(name)[section]:
        found[key] = (*found.get(key, ()), *(word.replace("_", " ") for word in rest.split()))
    return found


def by_word(section: str, name: str) -> dict[str, str]:
    """Each word of a list, to what stands before the colon of its line."""
    return {word: key for key, held in groups(section, name).items() for word in held}


def pairs(section: str, name: str) -> frozenset[tuple[str, str]]:
    """Both orders of every `a/b` of a list."""
    split = [tuple(pair.split("/")) for pair in words(section, name)]
    return frozenset((a, b) for a, b in split) | frozenset((b, a) for a, b in split)


def fragments(pattern: str, name: str) -> str:
    """A regular expression of a table, with the `{names}` in it replaced by what `[fragments]` says they stand for."""
    stands = dict(lines(name)["fragments"])
    return re.sub(r"\{([a-z_]+)\}", lambda match: stands[match[1]], pattern)


@cache
def pattern(section: str, name: str = "words.txt") -> re.Pattern[str]:
    """Finds a word of the list as a word, or anywhere where the script writes no blanks."""
    apart: list[str] = []
    within: list[str] = []
    for word in sorted(words(section, name), key=lambda word: (-len(word), word)):
        (within if _NO_BLANKS.match(word) else apart).append(re.escape(word).replace(r"\*", r"\w*"))
    parts = ([rf"(?<!\w)(?:{'|'.join(apart)})(?!\w)"] if apart else []) + within
    return re.compile("|".join(parts))


_NO_BLANKS = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
