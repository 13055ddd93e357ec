"""Days as numbers, and the stretches of them that weeks, months, seasons and years are.

A day is its proleptic ordinal, as in `datetime.date`; a stretch is [first, after). Whatever a text asks for stays
within the calendar: a thousand thousand years ago is the beginning of it, not an error.
"""

import re
from datetime import date
from typing import NamedTuple

from palyra.domain import temporal_words as words
from palyra.domain.temporal_words import DAY, MONTH, WEEK, WEEKEND, YEAR

DAY_MS = 86_400_000
_SOON_DAYS = 92


class Days(NamedTuple):
    first: int
    after: int


class _Calendar(NamedTuple):
    epoch: int  # 1970-01-01
    day: int  # where "before" begins


EARLIEST = _Calendar(date(1970, 1, 1).toordinal(), date(1900, 1, 1).toordinal())
_FIRST_YEAR, _LAST_YEAR = 2, 9_998


def day_of(anchor_ms: int) -> int:
    """The UTC day an instant falls on, kept far enough inside the calendar to look around from there."""
    lowest, highest = date(1_000, 1, 1).toordinal(), date(9_000, 1, 1).toordinal()
    return min(max(anchor_ms // DAY_MS + EARLIEST.epoch, lowest), highest)


def day_range(day: int) -> Days:
    return Days(day, day + 1)


def year_range(year: int) -> Days:
    year = min(max(year, _FIRST_YEAR), _LAST_YEAR)
    return Days(date(year, 1, 1).toordinal(), date(year + 1, 1, 1).toordinal())


def _months(index: int) -> Days:
    """The month `index` months after January of the year 0."""
    index = min(max(index, _FIRST_YEAR * 12), _LAST_YEAR * 12)
    after = index + 1
    return Days(
        date(index // 12, index % 12 + 1, 1).toordinal(),
        date(after // 12, after % 12 + 1, 1).toordinal(),
    )


def most_recent_before(days: Days, limit: int) -> Days:
    """The same month or day of the month in the last year in which it begins no later than `limit`."""
    when, year = date.fromordinal(days.first), date.fromordinal(limit).year
    for candidate in (year, year - 1):
        whole = _months(candidate * 12 + when.month - 1)
        first = min(whole.first + when.day - 1, whole.after - 1)
        if first <= limit:
            break
    return Days(first, whole.after if days.after - days.first >= 28 else first + days.after - days.first)


def shifted(today: int, unit: int, by: int) -> Days:
    """The day, week, weekend, month or year that lies `by` of them from today's."""
    by = min(max(by, -12_000), 12_000)
    when = date.fromordinal(today)
    if unit == DAY:
        return day_range(today + by)
    if unit in {WEEK, WEEKEND}:
        monday = today - when.weekday() + 7 * by
        return Days(monday + (5 if unit == WEEKEND else 0), monday + 7)
    if unit == MONTH:
        return _months(when.year * 12 + when.month - 1 + by)
    return year_range(when.year + by)


def weekday_range(today: int, weekday: int, shift: int | None) -> Days:
    """Last: before today. Next: after today. This: in this week. Otherwise the most recent, today included."""
    back = (date.fromordinal(today).weekday() - weekday) % 7
    if shift == 0:
        return day_range(today - date.fromordinal(today).weekday() + weekday)
    if shift == 1:
        return day_range(today - back + 7)
    return day_range(today - (back or 7) if shift == -1 else today - back)


def named_month(today: int, month: int, day: int | None, year: int | None, shift: int | None) -> Days | None:
    """A month, or one of its days; without a year the most recent. None for a day no such month has.

    A day less than a quarter ahead is the coming one: people name days for what they plan, months for what was.
    """
    when = date.fromordinal(today)
    if year is None and day is not None and shift is None:
        coming = _months((when.year + (month < when.month)) * 12 + month - 1).first + day - 1
        year = date.fromordinal(coming).year if today < coming <= today + _SOON_DAYS else None
    if year is None:
        year = when.year + (shift if shift is not None and abs(shift) == 1 else 0)
        is_ahead = (month, day or 1) > (when.month, when.day if day else 1)
        if shift is None or shift == -1:
            year = when.year - (1 if is_ahead else (shift == -1 and month == when.month))
        elif shift == 1:
            year = when.year + (not is_ahead)
    whole = _months(year * 12 + month - 1)
    if day is None:
        return whole
    return day_range(whole.first + day - 1) if day <= whole.after - whole.first else None


def season_range(today: int, season: int, year: int | None, shift: int | None) -> Days:
    """Northern seasons, from March, June, September and December; the winter of a year begins in its December."""
    when = date.fromordinal(today)
    if year is None:
        begun = when.month >= 3 * season + 3
        year = when.year + (shift or 0) if shift == 1 else when.year - (not begun)
        inside = begun and when.month < 3 * season + 6
        if shift == -1 and inside:
            year -= 1
        if shift == 1 and not begun:
            year = when.year
    first = year * 12 + 3 * season + 2
    return Days(_months(first).first, _months(first + 2).after)


_FIGURES = re.compile("[0-9]+")


def numeric_date(kind: str, token: str) -> Days | None:
    """`2023-03-05`, `3/5/2023` (the month first unless it cannot be), `5.3.2023`."""
    first, second, third = (int(part) for part in _FIGURES.findall(token))
    if kind == "iso":
        year, month, day = first, second, third
    else:
        year = third + (2_000 if third < 70 else 1_900) if third < 100 else third
        month, day = (first, second) if kind == "slashed" and first <= 12 else (second, first)
    try:
        return day_range(date(year, month, day).toordinal())
    except ValueError:
        return None


class EastAsian:
    """Chinese and Japanese write no spaces: one pattern finds the phrase, its named parts say what it is."""

    def __init__(self, today: int) -> None:
        self.today = today
        self.year = date.fromordinal(today).year

    def read(self, match: re.Match[str]) -> Days | None:
        part = match.groupdict()
        if part["day"]:
            return day_range(self.today + words.EAST_ASIAN_DAYS[part["day"]])
        if part["ago_n"]:
            return self._ago(part["ago_n"], part["ago_unit"] or "", behind=part["ago"] == "前")
        if part["year"]:
            return self._dated(_figure(part["year"]), part["ym"], part["yd"])
        if part["rel_year"]:
            return self._dated(self.year + words.EAST_ASIAN_YEARS[part["rel_year"]], part["rm"], part["rd"])
        if part["shift"]:
            return self._shifted(words.EAST_ASIAN_SHIFTS[part["shift"]], part["shifted"] or "", part["on"])
        if part["month"]:
            return self._month(part["month"], part["mday"])
        return weekday_range(self.today, words.EAST_ASIAN_WEEKDAYS[part["weekday"] or part["youbi"] or "一"], None)

    def _ago(self, number: str, unit: str, *, behind: bool) -> Days:
        vague = number in "几幾数"
        count = (3 if vague else _figure(number)) * (-1 if behind else 1)
        kind = {"天": DAY, "日": DAY, "月": MONTH, "年": YEAR}.get(unit, WEEK)
        days = shifted(self.today, kind, count)
        if kind == WEEK:
            days = Days(self.today + 7 * count - 3, self.today + 7 * count + 4)
        width = {DAY: 1, WEEK: 4, MONTH: 31}.get(kind, 366) if vague else 0
        return Days(days.first - width, days.after + width)

    def _dated(self, year: int, month: str | None, day: str | None) -> Days | None:
        if month is None:
            return year_range(year)
        number = _figure(month)
        if not 1 <= number <= 12 or not _FIRST_YEAR <= year <= _LAST_YEAR:
            return None
        return named_month(self.today, number, _figure(day) if day else None, year, None)

    def _month(self, month: str, day: str | None) -> Days | None:
        number = _figure(month)
        if not 1 <= number <= 12 or (day is not None and not 1 <= _figure(day) <= 31):
            return None
        return named_month(self.today, number, _figure(day) if day else None, None, None)

    def _shifted(self, by: int, unit: str, on: str | None) -> Days:
        if unit == "月":
            return shifted(self.today, MONTH, by)
        if unit.endswith("末"):
            return shifted(self.today, WEEKEND, by)
        week = shifted(self.today, WEEK, by)
        return day_range(week.first + words.EAST_ASIAN_WEEKDAYS[on]) if on else week


def _figure(text: str) -> int:
    """`12`, `十二`, `二十`, `二〇二四`."""
    if text.isascii():
        return int(text)
    if "十" in text:
        tens, _, ones = text.partition("十")
        return 10 * (words.EAST_ASIAN_DIGITS.get(tens[-1:], 1) if tens else 1) + words.EAST_ASIAN_DIGITS.get(
            ones[:1], 0
        )
    return int("".join(str(words.EAST_ASIAN_DIGITS.get(character, 0)) for character in text))
