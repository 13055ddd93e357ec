"""Relative dates made absolute: "next Friday" said on a Tuesday is a day, and the statement says which.

`dates` reads the words of `data/dates.txt` against the day of saying, in the UTC calendar. A weekday without more is
the coming one, or the most recent one where the words before it speak of the past. What is not plain is left as it is.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import cache

from palyra.language.words import lines, words

MOST = 3
"""dates written into one statement"""
_TABLE = "dates.txt"
_SOON_DAYS = 45
"""a day of the year that is so little behind is meant, not its next return"""


@dataclass(frozen=True, slots=True)
class Dated:
    """What text[start:end] speaks of: a day, a month or a year, as ISO writes it."""

    start: int
    end: int
    iso: str


def dated(text: str, said_at_ms: int) -> str:
    """The text with the day behind each phrase that names it relatively."""
    out, after = [], 0
    for one in dates(text, said_at_ms)[:MOST]:
        out.append(f"{text[after : one.end]} ({one.iso})")
        after = one.end
    return "".join(out) + text[after:]


def dates(text: str, said_at_ms: int) -> list[Dated]:
    """In order, not overlapping."""
    low = text.lower()
    if len(low) != len(text):
        low = "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
    try:
        today = datetime.fromtimestamp(said_at_ms / 1000, UTC).date()
        found = [one for rule in _RULES for one in rule(text, low, today)]
    except (ValueError, OverflowError):  # a day before the first or after the last year there is
        return []
    kept: list[Dated] = []
    for one in found:  # a rule before another is the surer one
        if all(one.end <= other.start or one.start >= other.end for other in kept):
            kept.append(one)
    return sorted(kept, key=lambda one: one.start)


# --- words -------------------------------------------------------------------------------------------------------


@cache
def _values(section: str) -> dict[str, int]:
    return {word.replace("_", " "): int(value) for value, rest in lines(_TABLE)[section] for word in rest.split()}


_EAST = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


@cache
def _any(section: str, east: bool = False) -> str:
    """The words of a list as one pattern, longest first; those of scripts with or without blanks."""
    found = [w for w in words(section, _TABLE) if bool(_EAST.search(w)) == east]
    return "|".join(re.escape(w) for w in sorted(found, key=lambda w: (-len(w), w))) or r"(?!)"


@cache
def _pattern(template: str) -> re.Pattern[str]:
    """`{name}` stands for a list, `{name!}` for its words in scripts without blanks."""
    filled = re.sub(r"\{(\w+)(!?)\}", lambda m: f"(?:{_any(m[1], bool(m[2]))})", template)
    return re.compile(filled)


_FUTURE = re.compile(
    r"\b(?:from|by|until|till|ab|bis|bis zum|dès|jusqu'à|jusqu'au|à partir de|à partir du|a partir de|a partir da"
    r"|a partire da|entro|fino a|hasta|até|vanaf|tot|do|will|'ll|next|to|should|must"
    r"|wird|werde)\s*(?:the|le|el|il|de)?\s*$"
)
_SINCE = re.compile(r"\b(?:since|seit|depuis|desde|sinds)\s*(?:the|dem|le|el)?\s*$")
_ENGLISH = re.compile(r"\b(?:the|and|is|to|i|of|on|we|she|he|it|my)\b")
_CLAUSE = re.compile(r"[.!?;,:\n]| and | und | et | y | e | en | i | a ")
_PERFECT = re.compile(
    r"\b(?:he|ha|han|hemos|hanno|ho) \w+(?:ado|ido|to|cho|so)\b"
    r"|\b(?:ai|as|a|est|sont|avons|ont) \w+(?:é|ée|és|i|u|it|is)\b"
)
_DONE = re.compile(r"\b[a-z]{3,}ed\b")
_EAST_DONE = re.compile("了|ました|だった|었|았|했")


def _is_past(low: str, start: int, end: int) -> bool:
    """Whether the words before speak of what has been."""
    before = low[max(0, start - 70) : start]
    clause = _CLAUSE.split(before)[-1]
    before = clause if clause.strip(" onamle") else before
    if _SINCE.search(before):
        return True
    if _FUTURE.search(before):
        return False
    if _PERFECT.search(before) or _pattern(r"(?<!\w){past}(?!\w)").search(before):
        return True
    if _EAST.search(low):
        return bool(_EAST_DONE.search(low[end : end + 14]))
    return bool(_ENGLISH.search(low) and _DONE.search(before))


def _number(word: str) -> int | None:
    word = word.strip()
    return int(word) if word.isdecimal() and word.isascii() else _values("number").get(word)


# --- what a phrase means -----------------------------------------------------------------------------------------


def _weekday(today: date, day: int, shift: int | None, past: bool) -> date:
    """`shift` counts weeks from the one that holds today; None: the coming one, or the one that was."""
    if shift is not None:
        return today + timedelta(days=day - today.weekday() + 7 * shift)
    if past:
        return today - timedelta(days=(today.weekday() - day) % 7 or 7)
    return today + timedelta(days=(day - today.weekday()) % 7 or 7)


def _in_year(today: date, month: int, day: int, past: bool) -> date | None:
    nearest = (-400, 0) if past else (-_SOON_DAYS, 400)
    for year in (today.year, today.year + 1, today.year - 1):
        try:
            found = date(year, month, day)
        except ValueError:
            continue
        if nearest[0] <= (found - today).days <= nearest[1]:
            return found
    return None


def _in_month(today: date, day: int, past: bool) -> date | None:
    """The next, or the last, day of that number."""
    if not 1 <= day <= 31:
        return None
    step = -1 if past else 1
    found = today if past else today + timedelta(days=1)
    for _ in range(62):
        if found.day == day:
            return found
        found += timedelta(days=step)
    return None


def _month(today: date, shift: int) -> str:
    months = today.year * 12 + today.month - 1 + shift
    return f"{months // 12:04d}-{months % 12 + 1:02d}"


def _stretch(today: date, unit: int, shift: int) -> str | None:
    """So many days, weeks, months or years off, as far as that names a time."""
    if unit == 1:
        return (today + timedelta(days=shift)).isoformat()
    if unit == 7:
        return f"week of {_of_week(today, shift)}"
    return _month(today, shift) if unit == 30 else f"{today.year + shift:04d}"


def _of_week(today: date, shift: int) -> str:
    return (today + timedelta(days=7 * shift - today.weekday())).isoformat()


# --- rules, the surer one first ----------------------------------------------------------------------------------

_Rule = Callable[[str, str, date], Iterator[Dated]]


def _numbered(_text: str, low: str, today: date) -> Iterator[Dated]:
    """A day of a month, its year not said."""
    ordinal = r"(?<![\w.:/-])(\d{1,2})(?:st|nd|rd|th|\.|er|º|ª)?"
    for match in _pattern(rf"{ordinal} (?:of |de |di )?({{month}})(?!\w)(?!,? (?:de |del )?(?:19|20)\d\d)").finditer(
        low
    ):
        yield from _day(match, int(match[1]), _values("month")[match[2]], low, today)
    for match in _pattern(
        r"(?<!\w)({month}) (?:the )?(\d{1,2})(?:st|nd|rd|th)?(?![\w:.]\d|\w|%)(?!,? (?:19|20)\d\d)"
    ).finditer(low):
        yield from _day(match, int(match[2]), _values("month")[match[1]], low, today)
    for match in re.finditer(r"(?<![\d年년])(?<!年 )(?<!년 )(\d{1,2}) ?[月월] ?(\d{1,2}) ?(?:[日号號]|일)?", low):
        yield from _day(match, int(match[2]), int(match[1]), low, today)


def _day(match: re.Match[str], day: int, month: int, low: str, today: date) -> Iterator[Dated]:
    if 1 <= month <= 12 and 1 <= day <= 31:
        found = _in_year(today, month, day, _is_past(low, match.start(), match.end()))
        if found:
            yield Dated(match.start(), match.end(), found.isoformat())


def _counted(_text: str, low: str, today: date) -> Iterator[Dated]:
    """In three weeks, vor zwei Tagen, 三天后."""
    number = r"(\d{1,3}|{number})"
    forms = (
        (rf"(?<!\w){{in}} {number} ({{unit}})(?!\w)(?! (?:later|long|more|earlier|after))", 1),
        (rf"(?<!\w){number} ({{unit}}) {{ago}}(?!\w)", -1),
        (rf"(?<!\w){{ago_before}} {number} ({{unit}})(?!\w)", -1),
        (r"(\d{1,3}|{number!}) ?({unit!})(?:之|以)? ?{later!}", 1),
        (r"(\d{1,3}|{number!}) ?({unit!})(?:之|以)? ?{ago!}", -1),
    )
    for form, sign in forms:
        for match in _pattern(form).finditer(low):
            count = _number(match[1])
            iso = _stretch(today, _values("unit")[match[2]], sign * count) if count is not None else None
            if iso:
                yield Dated(match.start(), match.end(), iso)


def _weekdays(text: str, low: str, today: date) -> Iterator[Dated]:
    lead = r"(?:({after_next})|({next})|({last})|({this})) "
    week = r"(?:woche|week|semaine|semana|settimana|weken|tydzień|tygodniu|týden)"
    every = _pattern(r"(?<!\w){every}(?: (?:other|2\.|second|zweiten))? ?(?:the )?$")
    form = (
        rf"(?<!\w)(?:{lead}(?:{week} )?)?(?:(?:a|one) week on )?({{weekday}})(?!\w)"
        rf"(?: (?:({{next}}|{{after_next}})|({{last}}))(?: {week})?| (week|en quinze|in einer woche)"
        rf"| (?:de |van )?(?:la )?({week} (?:{{next}}|prochaine)))?"
        r"(?!\w)(?! (?:before|after|przed|vor|avant|antes|prima|voor|před))"
    )
    for match in _pattern(form).finditer(low):
        far, coming, gone, now, name, later, before, fortnight, then = match.groups()
        if every.search(low[: match.start()]) or _date_follows(low, match.end()):
            continue
        if len(name) <= 5 and name in _SHORT and not text[match.start(5)].isupper():
            continue
        past = not fortnight and (bool(gone or before) or _is_past(low, match.start(), match.end()))
        if far or (later and later.startswith("über")):
            shift = 2
        elif (coming and re.search(week, match[0])) or then or (later and re.search(week, match[0])):
            shift = 1
        elif now:
            shift = 0
        else:
            shift = None
        found = _weekday(today, _values("weekday")[name], shift, past)
        if fortnight or "week on" in match[0]:
            found += timedelta(days=7)
        elif shift is None and coming and (found - today).days <= 1:
            found += timedelta(days=7)  # nobody calls tomorrow "next Friday"
        yield Dated(match.start(), match.end(), found.isoformat())


_SHORT = frozenset(["tue", "tues", "thu", "thurs", "fri"])


def _date_follows(low: str, at: int) -> bool:
    return bool(
        re.match(
            r",? ?(?:the |der |den |dem |le |el |il |dia |de )?\d{1,2}(?!\d|:|\.\d\d| ?(?:h|uhr|am|pm)\b)",
            low[at : at + 14],
        )
    )


_EAST_WEEKS = {
    **dict.fromkeys(("下下", "再来", "다다음"), 2),
    **dict.fromkeys(("下", "来", "다음"), 1),
    **dict.fromkeys(("这", "這", "本", "今", "이번"), 0),
    **dict.fromkeys(("上", "先", "지난"), -1),
}


def _east_weekdays(_text: str, low: str, today: date) -> Iterator[Dated]:
    shift = "|".join(_EAST_WEEKS)
    forms = (
        rf"(?:({shift})(?:个|個)? ?(?:週|周|주)?の? ?)?({{weekday!}})(?:日)?"
        rf"|({shift})(?:个|個)?(?:周|星期|礼拜)([一二三四五六日天])"
    )
    for match in _pattern(forms).finditer(low):
        name = match[2] or f"周{match[4]}"
        lead = match[1] or match[3]
        if re.search("每周?$|毎週?$|매주 ?$|第\\d$", low[: match.start()]):
            continue
        past = _is_past(low, match.start(), match.end())
        found = _weekday(today, _values("weekday")[name], _EAST_WEEKS[lead] if lead else None, past)
        yield Dated(match.start(), match.end(), found.isoformat())


def _days(text: str, low: str, today: date) -> Iterator[Dated]:
    """Tomorrow, gestern, 明天."""
    for match in _pattern(r"(?<!\w)({day})(?!\w)").finditer(low):
        name, before = match[1], low[: match.start()].split()[-1:]
        if name == "hier" and not re.search(r"\b(?:je|j'\w+|le|la|les|c'est|nous|on|est|et|du|une?)\b", low):
            continue  # German for "here"
        if name in ("morgen", "mañana") and before and before[0] in _NOT_TOMORROW:
            continue
        if name == "morgen" and text[match.start()].isupper() and match.start():
            continue
        yield Dated(match.start(), match.end(), (today + timedelta(days=_values("day")[name])).isoformat())
    for match in _pattern(r"({day!})").finditer(low):
        if not re.match("[年月]", low[match.end() : match.end() + 1]):
            yield Dated(match.start(), match.end(), (today + timedelta(days=_values("day")[match[1]])).isoformat())


_NOT_TOMORROW = frozenset(["guten", "am", "jeden", "den", "la", "esta", "una", "buena", "por", "goede", "in"])


def _stretches(_text: str, low: str, today: date) -> Iterator[Dated]:
    """Next week, le mois prochain, 下个月18号."""
    for match in _pattern(r"(?<!\w)(?:({next})|({last})|({this})) ({unit})(?!\w)").finditer(low):
        shift = 1 if match[1] else -1 if match[2] else 0
        yield from _unit(match, _values("unit")[match[4]], shift, today)
    for match in _pattern(r"(?<!\w)({unit}) (?:({next})|({last}))(?!\w)").finditer(low):
        yield from _unit(match, _values("unit")[match[1]], 1 if match[2] else -1, today)
    shift_of = {"下": 1, "来": 1, "다음": 1, "上": -1, "先": -1, "지난": -1, "这": 0, "本": 0, "今": 0, "이번": 0}
    for match in re.finditer(
        rf"({'|'.join(shift_of)})(?:个|個)? ?(?:月|달)の?(?:(\d{{1,2}})[号日]?|(末日?|底|말))?", low
    ):
        month = _month(today, shift_of[match[1]])
        if match[2]:
            yield Dated(match.start(), match.end(), f"{month}-{int(match[2]):02d}")
        elif match[3] == "末日":
            after = date.fromisoformat(f"{_month(today, shift_of[match[1]] + 1)}-01")
            yield Dated(match.start(), match.end(), (after - timedelta(days=1)).isoformat())
        else:
            yield Dated(match.start(), match.end(), month)
    for word, shift in (
        ("去年", -1),
        ("昨年", -1),
        ("작년", -1),
        ("今年", 0),
        ("올해", 0),
        ("明年", 1),
        ("来年", 1),
        ("내년", 1),
    ):
        for match in re.finditer(rf"{word}(?: ?(\d{{1,2}}) ?[月월])?", low):
            month = f"-{int(match[1]):02d}" if match[1] else ""
            yield Dated(match.start(), match.end(), f"{today.year + shift:04d}{month}")


def _unit(match: re.Match[str], unit: int, shift: int, today: date) -> Iterator[Dated]:
    if unit == 7:
        yield Dated(match.start(), match.end(), f"week of {_of_week(today, shift)}" if shift else _of_week(today, 0))
    elif unit >= 30:
        yield Dated(match.start(), match.end(), _month(today, shift) if unit == 30 else f"{today.year + shift:04d}")


def _of_month(_text: str, low: str, today: date) -> Iterator[Dated]:
    """The 25th, am 25., el día 30."""
    forms = (
        r"(?<!\w)the (\d{1,2})(?:st|nd|rd|th)(?!\w)(?! (?:of|floor|century|line|time|item|row))",
        r"(?<!\w)(?:mon|tue|wed|thu|fri|sat|sun)\w* (?:the )?(\d{1,2})(?:st|nd|rd|th)(?!\w)",
        r"(?<!\w)(?:am|dem|zum|den|der) (\d{1,2})\.(?! ?\w|\d)",
        r"(?<!\w)d[ií]a (\d{1,2})(?!\w)",
        r"(?<!\w)(?:le|il|el|op de|op) (\d{1,2})(?=[,.;!?)]|$)",
        r"(?<![\d月월/.-])(\d{1,2})[号號]",
    )
    for form in forms:
        for match in re.finditer(form, low):
            found = _in_month(today, int(match[1]), _is_past(low, match.start(), match.end()))
            if found:
                yield Dated(match.start(), match.end(), found.isoformat())


def _months(_text: str, low: str, today: date) -> Iterator[Dated]:
    """Until September, im Mai."""
    lead = (
        r"(?:in|until|till|of|since|by|from|im|bis|ab|seit|ende|anfang|en|de|depuis|em|até|desde|a|da|entro|fine"
        r"|w|do|od|v|tot|sinds|eind)"
    )
    for match in _pattern(rf"(?<!\w){lead} ({{month}})(?!\w)(?! ?\d)").finditer(low):
        if match[1] in ("mar", "mai", "a") and not match[0].startswith(("in", "until", "since", "en", "em", "de")):
            continue
        past = _is_past(low, match.start(), match.end())
        found = _in_year(today, _values("month")[match[1]], 15, past)
        if found:
            yield Dated(match.start(), match.end(), found.isoformat()[:7])
    for match in re.finditer(r"(?<![\d年년])(?<!年 )(?<!년 )(\d{1,2}) ?[月월](?! ?\d|曜)", low):
        found = (
            _in_year(today, int(match[1]), 15, _is_past(low, match.start(), match.end()))
            if 0 < int(match[1]) < 13
            else None
        )
        if found:
            yield Dated(match.start(), match.end(), found.isoformat()[:7])


_RULES: tuple[_Rule, ...] = (
    _numbered, _counted, _weekdays, _east_weekdays, _stretches, _of_month, _days, _months,
)  # fmt: skip
