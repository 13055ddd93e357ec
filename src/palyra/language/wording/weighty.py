"""What must not get lost when a conversation is condensed, and a statement as a note would put it."""

import re
from enum import StrEnum
from functools import cache

from palyra.language.asking import CLOCK, MONEY
from palyra.language.dates import dates
from palyra.language.words import pattern

_TABLE = "weighty.txt"
_DIGIT = re.compile(r"\d")
_DAY = re.compile(r"\d{4}-\d\d|\d{1,2}[./]\d{1,2}[./]")


class Gravity(StrEnum):
    """Why a statement must not get lost; what comes first is the graver."""

    HEALTH = "health"
    SAFETY = "safety"
    OBLIGATION = "obligation"
    MONEY = "money"
    DATE = "date"
    PLAIN = ""


def weight_of(text: str, said_at_ms: int) -> Gravity:
    """Of what a person states; by words of a table and by dates and sums of money, whatever the language."""
    low = text.casefold()
    for weight in (Gravity.HEALTH, Gravity.SAFETY, Gravity.OBLIGATION):
        if pattern(weight.value, _TABLE).search(low):
            return weight
    if MONEY.search(text):
        return Gravity.MONEY
    if _DAY.search(text) or CLOCK.search(text) or _day_of_month().search(low):
        return Gravity.DATE
    is_timed = pattern("time_word", "asking.txt").search(low) is not None
    if is_timed and (_DIGIT.search(text) or dates(text, said_at_ms)):
        return Gravity.DATE
    return Gravity.PLAIN


@cache
def _day_of_month() -> re.Pattern[str]:
    month = pattern("month", "dates.txt").pattern
    return re.compile(rf"\d[\w.ºª]*\s+(?:of\s+|de\s+)?(?:{month})|(?:{month})\s+(?:the\s+)?\d")


def is_task(text: str) -> bool:
    """Whether it says that something is still to be done."""
    return pattern("task", _TABLE).search(text.casefold()) is not None


def project_of(text: str) -> str:
    """The name of a project that is called one; empty without."""
    found = _project().search(text)
    return "" if found is None else next(filter(None, found.groups()))


@cache
def _project() -> re.Pattern[str]:
    word = pattern("project", _TABLE).pattern
    name = r"([^\W\d_a-zß-öø-ÿ][\w-]{1,40})"
    return re.compile(rf"(?i:{word})\s+{name}|{name}\s+(?i:{word})")


def noted(text: str) -> str:
    """Without the words that are only spoken, and on one line."""
    told = " ".join(_spoken().sub("", " ".join(text.split())).split()).strip(" ,;:–—-")
    return told or text


@cache
def _spoken() -> re.Pattern[str]:
    return re.compile(rf"(?:{pattern('spoken', _TABLE).pattern})[ ,]*", re.IGNORECASE)
