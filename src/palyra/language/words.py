"""The word tables beside this module, `data/*.txt`: lists of words by language, as plain text that anyone can mend."""

import re
from functools import cache
from importlib.resources import files

from palyra.core.text import parse_table

_PACKAGE = "palyra.language"


@cache
def lines(name: str) -> dict[str, tuple[tuple[str, str], ...]]:
    """The `key: rest` lines of each `[section]` of a table, comments and empty lines left out."""
    return parse_table((files(_PACKAGE) / "data" / name).read_text("utf-8"))


@cache
def words(section: str, name: str = "words.txt") -> frozenset[str]:
    """Every word of a list, whatever its language; `_` within a word is a blank."""
    return frozenset(word.replace("_", " ") for _, rest in lines(name)[section] for word in rest.split())


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
