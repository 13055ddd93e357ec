"""When a text speaks of: the stretches of time it names, as seen from the moment it was said.

`time_ranges` reads words of time around a key word (a unit, a month, a weekday, a date) and resolves them against an
anchor, in the UTC calendar. A month or weekday without more is the most recent one, since memory mostly looks back.
Weeks begin on Monday. Nothing is guessed from a word that may be a verb (`may`, `march`, `sat`) unless what stands
beside it says so.
"""

import re
from dataclasses import dataclass

from palyra.core.text import words_of
from palyra.domain import temporal_words as words
from palyra.domain.temporal_calendar import (
    DAY_MS,
    EARLIEST,
    Days,
    EastAsian,
    day_of,
    day_range,
    most_recent_before,
    named_month,
    numeric_date,
    season_range,
    shifted,
    weekday_range,
    year_range,
)
from palyra.domain.temporal_words import DAY, HOUR, MINUTE, MONTH, WEEK, WEEKEND, YEAR


@dataclass(frozen=True, slots=True)
class TimeRange:
    """[start, end) in epoch ms, and where in the text it is said."""

    start_ms: int
    end_ms: int
    start_char: int
    end_char: int


def time_ranges(text: str, anchor_ms: int) -> list[TimeRange]:
    """What `text` says about time, in order of saying, not overlapping; empty for most texts."""
    low = text.lower()
    if len(low) != len(text):
        low = text.replace("\u0130", "I").lower()  # the one character that grows when lowered
    east_asian = not low.isascii() and words.EAST_ASIAN_CLUE.search(low) is not None
    if not east_asian and not _may_speak_of_time(low):
        return []
    today = day_of(anchor_ms)
    found: list[TimeRange] = []
    if east_asian:
        reader = EastAsian(today)
        for match in words.EAST_ASIAN.finditer(low):
            days = reader.read(match)
            if days is not None:
                found.append(_in_ms(days, match.start(), match.end()))
    found += _Reader(text, low, today, anchor_ms).read()
    return _apart(found) if east_asian else found


_DIGIT_CLUE = re.compile(r"\b(?:1[89]|20)\d\d\b|\b\d{1,2}[/.]\d{1,2}[/.]\d{2}|\b\d{1,2}(?:st|nd|rd|th)\b")
_CLUE = re.compile("[0-9\"'(\u2019\u201c/*_-]")


def _may_speak_of_time(low: str) -> bool:
    if not words.CLUES.isdisjoint(low.split()):
        return True
    if _CLUE.search(low) is None:
        return False
    return _DIGIT_CLUE.search(low) is not None or not words.CLUES.isdisjoint(words_of(low))


def _in_ms(days: Days, start_char: int, end_char: int) -> TimeRange:
    first_ms, after_ms = ((day - EARLIEST.epoch) * DAY_MS for day in days)
    return TimeRange(first_ms, after_ms, start_char, end_char)


def _apart(found: list[TimeRange]) -> list[TimeRange]:
    kept: list[TimeRange] = []
    for item in sorted(found, key=lambda item: (item.start_char, -item.end_char)):
        if not kept or item.start_char >= kept[-1].end_char:
            kept.append(item)
    return kept


_TOKEN = re.compile(
    r"[^\W\d]\w*"
    r"|(?P<iso>(?<![\w-])\d{4}-\d{1,2}-\d{1,2}(?!\d)|(?<![\w/])\d{4}/\d{1,2}/\d{1,2}(?!\d))"
    r"|(?P<slashed>(?<![\w/])\d{1,2}/\d{1,2}/(?:\d{4}|\d{2})(?![\w/]))"
    r"|(?P<dotted>(?<![\w.])\d{1,2}\.\d{1,2}\.\d{4}(?!\w|\.\d))"
    r"|\w+"
)


@dataclass(frozen=True, slots=True)
class _Core:
    """A stretch of days said by the tokens first..last; `yearless` may still move by whole years."""

    days: Days
    first: int
    last: int
    yearless: bool = False


class _Reader:
    """One text, as tokens; each key word is read with the few tokens around it."""

    def __init__(self, text: str, low: str, today: int, anchor_ms: int) -> None:
        self.text, self.today, self.anchor_ms = text, today, anchor_ms
        self.matches = list(_TOKEN.finditer(low))
        self.tokens = [match[0] for match in self.matches]
        self.is_not_french = words.FRENCH.isdisjoint(self.tokens)
        self.floor = 0  # tokens before it belong to what was already read

    def read(self) -> list[TimeRange]:
        found: list[TimeRange] = []
        opened: tuple[_Core, int, bool] | None = None  # the time before this one, where it began, whether by `between`
        index = 0
        while index < len(self.tokens):
            token = self.tokens[index]
            if token not in words.KEYS and not token[0].isdigit():
                index += 1
                continue
            clock = self._clock(index)
            core = None if clock is not None else self._core(index)
            if core is None:
                if clock is not None:
                    found.append(clock)
                    opened = None
                index += 1
                continue
            joined = self._joined(*opened, core) if opened is not None else None
            if joined is not None and opened is not None:
                found[-1] = self._said(joined, opened[1], core.last)
                opened = None
            else:
                days, first = self._qualified(core)
                opened = core, first, bool(self._at(core.first - 1, core.first - 2) & words.BETWEEN)
                found.append(self._said(days, first, core.last))
            self.floor = index = core.last + 1
        return found

    def _word(self, index: int) -> str:
        return self.tokens[index] if self.floor <= index < len(self.tokens) else ""

    def _at(self, *indices: int) -> set[str]:
        """The words there; of several, those further off only count behind a filler."""
        seen: set[str] = set()
        for index in indices:
            word = self._word(index)
            seen.add(word)
            if word not in words.FILLERS:
                break
        return seen

    def _said(self, days: Days, first: int, last: int) -> TimeRange:
        return _in_ms(days, self.matches[first].start(), self.matches[last].end())

    def _core(self, index: int) -> _Core | None:
        token = self.tokens[index]
        if token[0].isdigit():
            return self._dated(index) or self._day_then_month(index) or self._year(index)
        return (
            self._named_day(index)
            or self._weekday(index)
            or self._month(index)
            or self._season(index)
            or self._unit(index)
        )

    # --- dates in figures ------------------------------------------------------------------------------------------

    def _dated(self, index: int) -> _Core | None:
        kind = self.matches[index].lastgroup
        days = numeric_date(kind, self.tokens[index]) if kind else None
        return _Core(days, index, index) if days is not None else None

    def _year(self, index: int) -> _Core | None:
        year = _year_of(self.tokens[index])
        led = self._at(index - 1, index - 2) & words.EXPECTS_YEAR
        return _Core(year_range(year), index, index) if year is not None and led else None

    # --- days and months by name -------------------------------------------------------------------------------------

    def _named_day(self, index: int) -> _Core | None:
        name = self.tokens[index]
        offset = words.DAYS.get(name)
        before = self._word(index - 1)
        if offset is None or before in words.NOT_AFTER.get(name, ()):
            return None
        if name == "hier" and before != "avant" and self.is_not_french:
            return None  # German for "here"
        if name == "hui":
            return _Core(day_range(self.today), index - 1, index) if before == "aujourd" else None
        if (name, before) in {("hier", "avant"), ("demain", "après"), ("ieri", "altro"), ("domani", "dopo")}:
            return _Core(day_range(self.today + 2 * offset), index - 1, index)
        return _Core(day_range(self.today + offset), index, index)

    def _weekday(self, index: int) -> _Core | None:
        token = self.tokens[index]
        weekday = words.WEEKDAYS.get(token)
        if weekday is None:
            weekday = words.SHORT_WEEKDAYS.get(token)
            if weekday is None or not self._capital(index) or not self._at(index - 1) & words.EXPECTS_DAY:
                return None
        if self._word(index - 1) in words.EVERY:
            return None
        shift, first, last = self._shift(index)
        return _Core(weekday_range(self.today, weekday, shift), first, last)

    def _month(self, index: int) -> _Core | None:
        month = words.MONTHS.get(self.tokens[index])
        if month is None:
            return None
        day = _day_number(self._word(index + 1))
        shift, first, last = self._shift(index)
        last += day is not None
        until = self._until_day(last) if day is not None else None  # March 10 to 14
        last = until[1] if until is not None else last
        after = last + 1 + (self._word(last + 1) in {"of", "de", "del"})
        year = _year_of(self._word(after))
        if day is None and year is None and shift is None and not self._is_month(index):
            return None
        days = named_month(self.today, month, day, year, shift)
        if days is not None and until is not None:
            days = Days(days.first, days.first + max(until[0] - (day or 0), 0) + 1)
        yearless = year is None and shift is None
        return _Core(days, first, last if year is None else after, yearless) if days is not None else None

    def _until_day(self, index: int) -> tuple[int, int] | None:
        """The day of the month that `index` runs to, and its token."""
        at = index + 1 if self._is_dash(index) else index + 2
        if at == index + 2 and self._word(index + 1) not in {"to", "through"}:
            return None
        day = _day_number(self._word(at))
        return (day, at) if day is not None and self._word(at + 1) not in words.MONTHS else None

    def _is_month(self, index: int) -> bool:
        """Whether a month's name stands for the month: `May` may be a verb, `in May` may not."""
        name, before = self.tokens[index], self._word(index - 1)
        if before in words.EXPECTS_MONTH:
            return name not in {"may", "march"} or before not in {"to", "and", "this"} or self._capital(index)
        return name not in words.UNSURE_MONTHS or (name == "august" and self._capital(index))

    def _capital(self, index: int) -> bool:
        return self.text[self.matches[index].start()].isupper()

    def _day_then_month(self, index: int) -> _Core | None:
        """`5 March 2023`, `the 4th of October`, `le 5 mars`, `5. März`."""
        day = _day_number(self.tokens[index])
        if day is None:
            return None
        at = index + 1 + (self._word(index + 1) in {"of", "de", "di"})
        month = words.MONTHS.get(self._word(at))
        if month is None:
            return None
        after, later = self._word(at + 1), self._word(at + 2)
        year = _year_of(after) or (_year_of(later) if after in {"of", "de", "del"} else None)
        last = at if year is None else (at + 1 if _year_of(after) else at + 2)
        days = named_month(self.today, month, day, year, None)
        return _Core(days, index, last, yearless=year is None) if days is not None else None

    def _season(self, index: int) -> _Core | None:
        season = words.SEASONS.get(self.tokens[index])
        if season is None:
            return None
        after = self._word(index + 1)
        year = _year_of(self._word(index + 2) if after in {"of", "de"} else after)
        shift, first, last = self._shift(index)
        if year is None and shift is None and not self._at(index - 1, index - 2) & words.EXPECTS_SEASON:
            return None
        if year is not None:
            last = index + 1 + (after in {"of", "de"})
        return _Core(season_range(self.today, season, year, shift), first, last)

    # --- units -----------------------------------------------------------------------------------------------------

    def _shift(self, index: int) -> tuple[int | None, int, int]:
        """`last`, `this`, `next` beside a noun: which, and the tokens first..last they stretch over."""
        before, after = self._word(index - 1), self._word(index + 1)
        if before in words.SHIFTS:
            return words.SHIFTS[before], index - 1, index
        if after in words.AFTER_ITS_NOUN:
            return words.SHIFTS[after], index, index + 1
        if after == "que" and self._word(index + 2) in {"viene", "vem"}:
            return 1, index, index + 2
        return None, index, index

    def _amount(self, index: int) -> tuple[int, bool, int] | None:
        """The number that ends just before `index`: how many, whether vaguely, and its first token."""
        at = index - 1 - (self._word(index - 1) == "of")
        word = self._word(at)
        if word.isdecimal() and word.isascii() and len(word) <= 3:
            return int(word), False, at
        number = words.NUMBERS.get(word)
        if number is None:
            return None
        first = at - 1 if word in words.VAGUE and self._word(at - 1) in words.NUMBERS else at
        return number, word in words.VAGUE, first

    def _direction(self, first: int, index: int) -> tuple[int, int, int] | None:
        """Whether `N units` lies behind (-1) or ahead (+1), and the tokens it stretches over."""
        before = self._word(first - 1)
        if self._word(index + 1) in words.AGO:
            return -1, first, index + 1
        if before in words.AGO_BEFORE:
            return -1, first - 1, index
        if before == "a" and self._word(first - 2) in {"y", "il"}:
            return -1, first - 2, index
        return (1, first - 1, index) if before in words.IN else None

    def _unit(self, index: int) -> _Core | None:
        unit = words.UNITS.get(self.tokens[index])
        if unit is None:
            return None
        amount = self._amount(index)
        if amount is not None:
            return self._counted(unit, index, *amount)
        shift, first, last = self._shift(index)
        if unit == WEEKEND and self._word(index + 1) == "of":
            return self._nth_weekend(index)
        if shift is None or unit in {MINUTE, HOUR, DAY}:
            return None
        if self._word(index - 1) == "past" and unit != WEEKEND:  # the past week runs up to now, last week does not
            return _Core(Days(self.today - {WEEK: 7, MONTH: 30}.get(unit, 365), self.today + 1), first, last)
        return _Core(shifted(self.today, unit, shift), first, last)

    def _counted(self, unit: int, index: int, number: int, vague: bool, first: int) -> _Core | None:
        if self._word(first - 1) in words.ROLLING and unit >= DAY:
            start = shifted(self.today, DAY, -number) if unit == DAY else shifted(self.today, unit, -number)
            return _Core(Days(min(start.first, self.today), self.today + 1), first - 1, index)
        direction = self._direction(first, index)
        if direction is None or unit < DAY:
            return None
        sign, begin, end = direction
        days = shifted(self.today, unit, sign * number)
        if unit == WEEK:  # "two weeks ago" is a day two weeks back, give or take a few
            centre = self.today + sign * 7 * number
            days = Days(centre - 3, centre + 4)
        if vague:
            width = {DAY: 1, WEEK: 4, MONTH: 31, YEAR: 366}.get(unit, 1)
            days = Days(days.first - width, min(days.after + width, self.today + 1) if sign < 0 else days.after + width)
        return _Core(days, begin, end)

    def _clock(self, index: int) -> TimeRange | None:
        """`two hours ago`: finer than a day, so around the anchor itself."""
        unit = words.UNITS.get(self.tokens[index])
        if unit not in {MINUTE, HOUR}:
            return None
        amount = self._amount(index)
        direction = self._direction(amount[2], index) if amount is not None else None
        if amount is None or direction is None:
            return None
        size_ms = 60_000 if unit == MINUTE else 3_600_000
        centre = self.anchor_ms + direction[0] * amount[0] * size_ms
        self.floor = index + 1
        begin, end = self.matches[direction[1]].start(), self.matches[direction[2]].end()
        return TimeRange(centre - size_ms // 2, centre + size_ms // 2, begin, end)

    def _nth_weekend(self, index: int) -> _Core | None:
        """`the first weekend of June`."""
        nth = words.ORDINALS.get(self._word(index - 1))
        at = index + 2 + (self._word(index + 2) == "the")
        month = words.MONTHS.get(self._word(at))
        if nth is None or month is None:
            return None
        year = _year_of(self._word(at + 1))
        whole = named_month(self.today, month, None, year, None)
        if whole is None:
            return None
        saturdays = [day for day in range(whole.first, whole.after) if (day - 1) % 7 == 5]
        saturday = saturdays[nth - 1 if nth > 0 else -1]
        return _Core(Days(saturday, saturday + 2), index - 1, at + (year is not None))

    # --- what stands before a time -----------------------------------------------------------------------------------

    def _qualified(self, core: _Core) -> tuple[Days, int]:
        at = core.first - 1
        while at >= self.floor and self.tokens[at] in words.FILLERS and core.first - at <= 2:
            at -= 1
        word, days = self._word(at), core.days
        unit = words.UNITS.get(self._word(at - 1))
        if unit is not None and unit >= DAY and word in words.BEFORE | words.AFTER:
            return _beside(days, unit, after=word in words.AFTER), at - 1
        if word in words.SINCE:
            return Days(days.first, max(self.today + 1, days.after)), at
        if word in words.AFTER:
            return Days(days.after, max(self.today + 1, days.after + 366)), at
        if word in words.BEFORE:
            return Days(min(EARLIEST.day, days.first - 1), days.first), at
        if word in words.UNTIL:
            begins = min(self.today, days.first) if days.after > self.today else min(EARLIEST.day, days.first)
            return Days(begins, days.after), at
        return days, core.first

    def _joined(self, earlier: _Core, _begun: int, between: bool, later: _Core) -> Days | None:
        """`between June and August`, `Nov 1 - Nov 15, 2023`: from the beginning of the one to the end of the other."""
        near = later.first - earlier.last <= 3
        if not (near and between and self._word(later.first - 1) in words.AND) and not self._is_dash(earlier.last):
            return None
        first = earlier.days
        if earlier.yearless:
            first = most_recent_before(first, later.days.first)
        return Days(min(first.first, later.days.first), max(first.after, later.days.after))

    def _is_dash(self, index: int) -> bool:
        """Whether only a dash stands between this token and the next."""
        if index + 1 >= len(self.matches):
            return False
        start, end = self.matches[index].end(), self.matches[index + 1].start()
        return end - start <= 3 and self.text[start:end].strip() in _DASHES


_DASHES = frozenset("-\u2013\u2014~")


def _beside(days: Days, unit: int, *, after: bool) -> Days:
    length = {DAY: 1, WEEK: 7, WEEKEND: 7, MONTH: 30, YEAR: 365}[unit]
    if unit == WEEKEND:
        saturday = days.after + (5 - (days.after - 1)) % 7 if after else days.first - 1 - (days.first - 2 - 5) % 7
        return Days(saturday, saturday + 2)
    return Days(days.after, days.after + length) if after else Days(days.first - length, days.first)


def _year_of(word: str) -> int | None:
    return int(word) if len(word) == 4 and word.isdecimal() and word.isascii() and "1800" <= word < "2200" else None


_DAY_NUMBER = re.compile(r"([12]?[0-9]|3[01])(?:st|nd|rd|th|er|º|ª)?")


def _day_number(word: str) -> int | None:
    match = _DAY_NUMBER.fullmatch(word)
    return int(match[1]) or None if match else None
