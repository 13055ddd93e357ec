"""What kind of value a few words are, and whether two such values exclude each other."""

import re
from enum import StrEnum

from palyra.language.wording import words as w
from palyra.language.wording.text import WordedStatement

_DATE = re.compile(r"(?:\d{4}-)?\d\d-\d\d")
_CLOCK = re.compile(r"\d\d:\d\d(?::\d\d)?")
_UNIT_NAMES = {unit: (of, size) for unit, of, size in w.UNITS.values()}
_CLOCK_WORDS = {"noon": "12:00", "midnight": "00:00"}


class ValueKind(StrEnum):
    NUMBER = "number"
    UNIT = "unit"
    DATE = "date"
    CLOCK = "clock"
    MONTH = "month"
    WEEKDAY = "weekday"
    LAND = "land"
    NAME = "name"
    WORD = "word"


TEMPORAL = frozenset((ValueKind.DATE, ValueKind.CLOCK, ValueKind.MONTH, ValueKind.WEEKDAY))
COUNTED = frozenset((ValueKind.NUMBER, ValueKind.UNIT))


def kind_of(words: tuple[str, ...], n: int, names: frozenset[str]) -> ValueKind:
    word = words[n]
    if word[0].isdigit() or (word[0] == "-" and len(word) > 1):
        if _DATE.fullmatch(word):
            return ValueKind.DATE
        return ValueKind.CLOCK if _CLOCK.fullmatch(word) else ValueKind.NUMBER
    if word in w.NUMBER_WORDS or word in w.NUMBER_NAMES:
        return ValueKind.NUMBER
    if word in w.WEEKDAYS:
        return ValueKind.WEEKDAY
    if word in w.MONTH_NAMES:
        return ValueKind.MONTH
    if word in _CLOCK_WORDS:
        return ValueKind.CLOCK
    if word in _UNIT_NAMES and n and words[n - 1][0].isdigit():
        return ValueKind.UNIT
    if word in w.COUNTRIES:
        return ValueKind.LAND
    return ValueKind.NAME if word in names else ValueKind.WORD


def kinds_of(statement: WordedStatement, start: int, end: int) -> set[ValueKind]:
    return {kind_of(statement.words, n, statement.names) for n in range(start, end)}


def counted_change(older: WordedStatement, a: range, newer: WordedStatement, b: range) -> str | None:
    """The reason code when two amounts differ, None when they are equal or may be (1.000 and 1000, 60 min and 1 h)."""
    first, second = _amount(older.words, a), _amount(newer.words, b)
    if first is None or second is None:
        return None
    (numbers, unit), (others, other) = first, second
    if unit == other:
        return None if not numbers.isdisjoint(others) else "number_changed"
    if not unit or not other:
        return None
    (of, size), (of_other, size_other) = _UNIT_NAMES[unit], _UNIT_NAMES[other]
    if of == of_other and any(
        abs(x * size - y * size_other) <= 1e-6 * abs(x * size) for x in numbers for y in others if x * y
    ):
        return None
    return "unit_changed" if not numbers.isdisjoint(others) else "number_changed"


def _amount(words: tuple[str, ...], span: range) -> tuple[set[float], str] | None:
    """The number and unit that stand at `span`, which may hold only one of the two."""
    number = unit = ""
    start, end = span.start, span.stop
    if words[start] in _UNIT_NAMES and start:
        start -= 1
    if end < len(words) and words[end] in _UNIT_NAMES:
        end += 1
    for word in words[start:end]:
        if word in _UNIT_NAMES and number:
            unit = word
        elif number:
            return None
        else:
            number = word
    return (readings(number), unit) if number else None


def readings(number: str) -> set[float]:
    """Every value the digits may stand for: 1.000 is one or a thousand, depending on who writes."""
    number = w.NUMBER_WORDS.get(number, number)
    values: set[float] = set()
    plain = number.replace(",", "."), number.replace(".", "").replace(",", ""), number.replace(",", "")
    for reading in plain:
        try:
            values.add(float(reading))
        except ValueError:
            continue
    if not values or not re.search(r"[.,]\d{3}(?!\d)", number):
        try:
            return {float(number.replace(",", "."))}
        except ValueError:
            return {_as_code(number)}
    return values


def _as_code(word: str) -> int:
    """A number that differs whenever the word does: for versions and codes, which are equal or not."""
    return int.from_bytes(word.encode("utf-8", "surrogatepass")[:48], "big")


def temporal_change(first: str, kind: ValueKind, second: str, other: ValueKind) -> str | None:
    """The reason code when two days or times exclude each other; a weekday and a date may be the same day."""
    first, second = _CLOCK_WORDS.get(first, first), _CLOCK_WORDS.get(second, second)
    if kind is other:
        if kind is ValueKind.CLOCK:
            return "time_changed" if first != second else None
        if kind is ValueKind.MONTH:
            return "date_changed" if w.MONTHS.get(first, first) != w.MONTHS.get(second, second) else None
        if kind is ValueKind.WEEKDAY:
            return "date_changed" if first.rstrip("s")[:3] != second.rstrip("s")[:3] else None
        return "date_changed" if first[-5:] != second[-5:] or len(first) == len(second) else None
    if {kind, other} == {ValueKind.DATE, ValueKind.MONTH}:
        date, month = (first, second) if kind is ValueKind.DATE else (second, first)
        return "date_changed" if month in w.MONTHS and int(date[-5:-3]) != w.MONTHS[month] else None
    return None
