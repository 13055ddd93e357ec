"""What a text says about time, seen from Wednesday 15 November 2023."""

import time
from datetime import UTC, date, datetime

import pytest

from palyra.domain.temporal import time_ranges

ANCHOR_MS = int(datetime(2023, 11, 15, 10, 30, tzinfo=UTC).timestamp() * 1000)


def said(text: str) -> list[str]:
    """Each range as `first..last`, or one day."""
    found = []
    for item in time_ranges(text, ANCHOR_MS):
        first = datetime.fromtimestamp(item.start_ms / 1000, UTC).date()
        last = date.fromordinal(datetime.fromtimestamp(item.end_ms / 1000, UTC).date().toordinal() - 1)
        found.append(f"{first}" if first == last else f"{first}..{last}")
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I saw her yesterday.", "2023-11-14"),
        ("What did I do today?", "2023-11-15"),
        ("see you tonight", "2023-11-15"),
        ("we leave tomorrow", "2023-11-16"),
        ("the day before yesterday", "2023-11-13"),
        ("the day after tomorrow", "2023-11-17"),
        ("last week", "2023-11-06..2023-11-12"),
        ("this week", "2023-11-13..2023-11-19"),
        ("next week", "2023-11-20..2023-11-26"),
        ("last weekend", "2023-11-11..2023-11-12"),
        ("this weekend", "2023-11-18..2023-11-19"),
        ("last month", "2023-10-01..2023-10-31"),
        ("next month", "2023-12-01..2023-12-31"),
        ("last year", "2022-01-01..2022-12-31"),
        ("last Monday", "2023-11-13"),
        ("last Wednesday", "2023-11-08"),
        ("next Friday", "2023-11-17"),
        ("next Wednesday", "2023-11-22"),
        ("this Friday", "2023-11-17"),
        ("on Friday", "2023-11-10"),
        ("on Sat we met", "2023-11-11"),
        ("3 days ago", "2023-11-12"),
        ("two weeks ago", "2023-10-29..2023-11-04"),
        ("a month ago", "2023-10-01..2023-10-31"),
        ("five years ago", "2018-01-01..2018-12-31"),
        ("a couple of weeks ago", "2023-10-25..2023-11-08"),
        ("a few days ago", "2023-11-11..2023-11-13"),
        ("in 10 days", "2023-11-25"),
        ("in two months", "2024-01-01..2024-01-31"),
        ("the past 7 days", "2023-11-08..2023-11-15"),
        ("in the last two weeks", "2023-10-30..2023-11-15"),
        ("in March", "2023-03-01..2023-03-31"),
        ("in December", "2022-12-01..2022-12-31"),
        ("next December", "2023-12-01..2023-12-31"),
        ("next March", "2024-03-01..2024-03-31"),
        ("last March", "2023-03-01..2023-03-31"),
        ("in March 2021", "2021-03-01..2021-03-31"),
        ("March 5", "2023-03-05"),
        ("March 5, 2021", "2021-03-05"),
        ("5 March 2021", "2021-03-05"),
        ("the 4th of October", "2023-10-04"),
        ("December 24th", "2023-12-24"),
        ("September 24th", "2023-09-24"),
        ("March 10th to 14th", "2023-03-10..2023-03-14"),
        ("May 15-17, 2022", "2022-05-15..2022-05-17"),
        ("Nov 1 - Nov 15, 2021", "2021-11-01..2021-11-15"),
        ("over the past week", "2023-11-08..2023-11-15"),
        ("2023-03-05", "2023-03-05"),
        ("on 3/5/2023", "2023-03-05"),
        ("on 25/5/2023", "2023-05-25"),
        ("am 5.3.2023", "2023-03-05"),
        ("in 2022", "2022-01-01..2022-12-31"),
        ("summer 2021", "2021-06-01..2021-08-31"),
        ("last summer", "2023-06-01..2023-08-31"),
        ("winter of 2020", "2020-12-01..2021-02-28"),
        ("the week before 5 June 2023", "2023-05-29..2023-06-04"),
        ("the week after March 5, 2023", "2023-03-06..2023-03-12"),
        ("the weekend before 5 June 2023", "2023-06-03..2023-06-04"),
        ("the first weekend of June", "2023-06-03..2023-06-04"),
        ("the last weekend of June 2022", "2022-06-25..2022-06-26"),
        ("between June and August", "2023-06-01..2023-08-31"),
        ("between June and August 2021", "2021-06-01..2021-08-31"),
        ("from November to February", "2022-11-01..2023-02-28"),
        ("since May", "2023-05-01..2023-11-15"),
        ("since 2020", "2020-01-01..2023-11-15"),
        ("before 2020", "1900-01-01..2019-12-31"),
        ("until June 2024", "2023-11-15..2024-06-30"),
        ('he said "yesterday"', "2023-11-14"),
    ],
)
def test_english(text: str, expected: str) -> None:
    assert said(text) == [expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("昨天我去了北京", "2023-11-14"),
        ("今天", "2023-11-15"),
        ("明天见", "2023-11-16"),
        ("前天", "2023-11-13"),
        ("后天", "2023-11-17"),
        ("上周三", "2023-11-08"),
        ("下周", "2023-11-20..2023-11-26"),
        ("下个月", "2023-12-01..2023-12-31"),
        ("去年", "2022-01-01..2022-12-31"),
        ("去年5月", "2022-05-01..2022-05-31"),
        ("今年三月", "2023-03-01..2023-03-31"),
        ("三天前", "2023-11-12"),
        ("两周前", "2023-10-29..2023-11-04"),
        ("2024年4月1日", "2024-04-01"),
        ("二〇二一年", "2021-01-01..2021-12-31"),
        ("4月", "2023-04-01..2023-04-30"),
        ("9月25日", "2023-09-25"),
        ("星期五", "2023-11-10"),
        ("昨日、大阪に行きました", "2023-11-14"),
        ("来月から働きます", "2023-12-01..2023-12-31"),
        ("先週の金曜日", "2023-11-06..2023-11-12 2023-11-10"),
        ("三日前", "2023-11-12"),
        ("gestern", "2023-11-14"),
        ("letzte Woche", "2023-11-06..2023-11-12"),
        ("vor drei Tagen", "2023-11-12"),
        ("im März 2021", "2021-03-01..2021-03-31"),
        ("nächsten Montag", "2023-11-20"),
        ("seit März", "2023-03-01..2023-11-15"),
        ("je l'ai vu hier soir", "2023-11-14"),
        ("avant-hier", "2023-11-13"),
        ("aujourd'hui", "2023-11-15"),
        ("la semaine dernière", "2023-11-06..2023-11-12"),
        ("il y a trois jours", "2023-11-12"),
        ("le 5 mars 2021", "2021-03-05"),
        ("ayer", "2023-11-14"),
        ("la semana pasada", "2023-11-06..2023-11-12"),
        ("hace dos días", "2023-11-13"),
        ("el 5 de marzo de 2021", "2021-03-05"),
        ("ontem", "2023-11-14"),
        ("o mês passado", "2023-10-01..2023-10-31"),
        ("há três dias", "2023-11-12"),
        ("semana que vem", "2023-11-20..2023-11-26"),
        ("ieri", "2023-11-14"),
        ("tre giorni fa", "2023-11-12"),
        ("la settimana scorsa", "2023-11-06..2023-11-12"),
        ("вчера", "2023-11-14"),
        ("на прошлой неделе", "2023-11-06..2023-11-12"),
        ("три дня назад", "2023-11-12"),
        ("5 марта 2021 года", "2021-03-05"),
    ],
)
def test_other_languages(text: str, expected: str) -> None:
    assert " ".join(said(text)) == expected


@pytest.mark.parametrize(
    "text",
    [
        "You may go there, and they may march on.",
        "He sat in the sun for a second.",
        "The cat sat on the mat; wed her, mon ami.",
        "May I ask? March on!",
        "It cost 2000 dollars and weighs 1999 grams.",
        "Leaves fall and the spring is broken.",
        "I work five days and rest on two.",
        "Das liegt hier im Regal, guten Morgen.",
        "version 3.11.2023.4 of the tool, 12:30:00",
        "an apple a day",
        "I swim every Monday and run each Friday.",
        "Por la mañana tomo café.",
        "Our API rate limit is 200 requests per key.",
        "我对海鲜过敏。",
        "",
    ],
)
def test_words_that_only_look_like_time_are_left_alone(text: str) -> None:
    assert said(text) == []


def test_ranges_say_where_they_were_said_and_come_in_order() -> None:
    text = "We met last Monday, and in March 2021 before that."
    assert [text[item.start_char : item.end_char] for item in time_ranges(text, ANCHOR_MS)] == [
        "last Monday",
        "in March 2021"[3:],
    ]


def test_hours_are_counted_from_the_anchor_itself() -> None:
    (found,) = time_ranges("two hours ago", ANCHOR_MS)
    assert found.start_ms <= ANCHOR_MS - 7_200_000 < found.end_ms
    assert found.end_ms - found.start_ms == 3_600_000


@pytest.mark.parametrize(
    "unit", ["last week ", "between June and ", "in ", "1 ", "3/5/2023", "三天前", "月", "may ", "the "]
)
def test_hostile_text_costs_what_its_length_costs(unit: str) -> None:
    text = (unit * 16_384)[:16_384]
    started = time.thread_time()
    time_ranges(text, ANCHOR_MS)
    assert time.thread_time() - started < 2
