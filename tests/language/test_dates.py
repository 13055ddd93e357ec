"""Relative dates, as seen from the day of saying."""

from datetime import UTC, datetime

import pytest

from palyra.language.dates import MOST, dated, dates

SAID_AT_MS = int(datetime(2026, 5, 6, 9, tzinfo=UTC).timestamp() * 1000)  # a Wednesday


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("the piano goes on Friday", "2026-05-08"),
        ("she came on Friday", "2026-05-01"),
        ("it moved last Friday", "2026-05-01"),
        ("Thursday next week at 10", "2026-05-14"),
        ("i pick it up saturday week", "2026-05-16"),
        ("tomorrow we sign", "2026-05-07"),
        ("it was signed yesterday", "2026-05-05"),
        ("we open in three days", "2026-05-09"),
        ("he left two days ago", "2026-05-04"),
        ("she gets the keys on the 12th", "2026-05-12"),
        ("closed until June 5th", "2026-06-05"),
        ("it begins on 3 July", "2026-07-03"),
        ("we met on 3 March", "2026-03-03"),
        ("the lease ends next month", "2026-06"),
        ("am Samstag hole ich es", "2026-05-09"),
        ("seit gestern steht es da", "2026-05-05"),
        ("ab übernächsten montag", "2026-05-18"),
        ("je repars vendredi", "2026-05-08"),
        ("depuis hier il est là", "2026-05-05"),
        ("llega el viernes", "2026-05-08"),
        ("desde ayer no funciona", "2026-05-05"),
        ("da lunedì prossimo è chiusa", "2026-05-11"),
        ("a partir da próxima segunda", "2026-05-11"),
        ("vrijdag kom ik", "2026-05-08"),
        ("w piątek jadę", "2026-05-08"),
        ("v pátek jedu", "2026-05-08"),
        ("下周五交稿", "2026-05-15"),
        ("明天开会", "2026-05-07"),
        ("来週の金曜に届く", "2026-05-15"),
        ("引き渡しは来月の末日", "2026-06-30"),
        ("다음 주 금요일에 가요", "2026-05-15"),
    ],
)
def test_a_phrase_of_time_is_a_day(text: str, iso: str) -> None:
    assert [one.iso for one in dates(text, SAID_AT_MS)] == [iso]
    assert f"({iso})" in dated(text, SAID_AT_MS)


@pytest.mark.parametrize(
    "text",
    [
        "every Friday we meet",
        "we met on 3 March 2024",
        "may I ask you",
        "the Saturday before the show",
        "das ist hier so",
        "guten morgen",
        "a week later",
        "",
        "version 3.5 of 12",
    ],
)
def test_what_is_no_day_or_not_plain_stays_as_it_is(text: str) -> None:
    assert dated(text, SAID_AT_MS) == text


def test_dates_beyond_the_calendar_and_very_many_are_no_failure() -> None:
    assert dated("on Friday", 10**18) == "on Friday"
    assert dated("tomorrow and " * 50, SAID_AT_MS).count("(2026-05-07)") == MOST
