"""Words for time, as `language/data/time.txt` has them: days, weekdays, months, units and what stands around them."""

import re

from palyra.language.words import by_word, groups, words

_TABLE = "time.txt"


def _numbers(section: str) -> dict[str, int]:
    return {word: int(number) for word, number in by_word(section, _TABLE).items()}


MINUTE, HOUR, DAY, WEEK, WEEKEND, MONTH, YEAR = range(7)
DAYS = _numbers("days")
WEEKDAYS = _numbers("weekdays")
SHORT_WEEKDAYS = _numbers("short_weekdays")
MONTHS = _numbers("months")
SEASONS = _numbers("seasons")
UNITS = _numbers("units")
SHIFTS = _numbers("shifts")
NUMBERS = _numbers("numbers")
ORDINALS = _numbers("ordinals")
UNSURE_MONTHS = words("unsure_months", _TABLE)
"""verbs, names and planets as well: they need a number or a word that expects a month beside them"""

AFTER_ITS_NOUN = words("after_its_noun", _TABLE)
ROLLING = words("rolling", _TABLE)
"""before a number: the days up to now"""
VAGUE = words("vague", _TABLE)
AGO = words("ago", _TABLE)
AGO_BEFORE = words("ago_before", _TABLE)
IN = words("in", _TABLE)
SINCE = words("since", _TABLE)
BEFORE = words("before", _TABLE)
AFTER = words("after", _TABLE)
UNTIL = words("until", _TABLE)
BETWEEN = words("between", _TABLE)
AND = words("and", _TABLE)
FILLERS = words("fillers", _TABLE)
EXPECTS_MONTH = words("expects_month", _TABLE)
EXPECTS_YEAR = words("expects_year", _TABLE)
EXPECTS_DAY = words("expects_day", _TABLE)
EVERY = words("every", _TABLE)
EXPECTS_SEASON = words("expects_season", _TABLE)
FRENCH = words("french", _TABLE)
NOT_AFTER = {word: frozenset(before) for word, before in groups("not_after", _TABLE).items()}
"""a day of time in one language and something else in another, unless led by these"""

KEYS = frozenset(DAYS) | frozenset(WEEKDAYS) | frozenset(SHORT_WEEKDAYS) | frozenset(MONTHS) | frozenset(SEASONS)
KEYS |= frozenset(UNITS)

# The same words with what may cling to them in running text: splitting at blanks is cheaper than finding words.
_CLINGING = ("", ",", ".", "?", "!", ";", ":", "'s", "...")
CLUES = frozenset(word + mark for word in KEYS - words("no_clue", _TABLE) for mark in _CLINGING)

# --- Chinese and Japanese --------------------------------------------------------------------------------------------

_N = "[0-9]{1,4}|[〇零一二两兩三四五六七八九十]{1,3}"
_WEEK = "周|週|星期|礼拜|禮拜"
_DAY_NAMES = (
    "大前天|前天|昨天|今天|明天|大后天|后天|後天|一昨日|昨日|今日|明日|明後日|昨晚|今晚|昨夜|今夜|"
    "おととい|きのう|きょう|あした"
)
EAST_ASIAN = re.compile(
    f"(?P<ago_n>{_N}|几|幾|数)(?:个|個|ヶ|か|カ)?(?P<ago_unit>天|日|周|週間|星期|礼拜|月|年)(?:之|以)?(?P<ago>前|后|後)"
    f"|(?P<year>[0-9]{{4}}|[〇零一二三四五六七八九]{{4}})年(?:(?P<ym>{_N})月(?:份|(?P<yd>{_N})[日号號])?)?"
    f"|(?P<rel_year>前年|去年|今年|明年|后年|後年|昨年|来年|一昨年)的?(?:(?P<rm>{_N})月(?:份|(?P<rd>{_N})[日号號])?)?"
    f"|(?P<shift>上上|上|这|這|本|下下|下|先々|先|今|来)(?:个|個)?(?P<shifted>(?:{_WEEK})末?|月)(?P<on>[一二三四五六日天])?"
    f"|(?P<day>{_DAY_NAMES})"
    f"|(?P<month>{_N})月(?:份|(?P<mday>{_N})[日号號])?"
    f"|(?:{_WEEK})(?P<weekday>[一二三四五六日天])|(?P<youbi>[月火水木金土日])曜日?"
)
EAST_ASIAN_CLUE = re.compile("[年月日天周週昨今明曜礼禮星前后後]|おとと|きのう|きょう|あした")
EAST_ASIAN_DAYS = _numbers("east_asian_days")
EAST_ASIAN_YEARS = _numbers("east_asian_years")
EAST_ASIAN_SHIFTS = _numbers("east_asian_shifts")
EAST_ASIAN_WEEKDAYS = _numbers("east_asian_weekdays")
EAST_ASIAN_DIGITS = _numbers("east_asian_digits")
