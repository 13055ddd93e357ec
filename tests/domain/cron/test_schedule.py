"""Which strings are schedules, when they come, and what a clock change does to them."""

import re
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from palyra.core.errors import InvalidArgument
from palyra.domain.cron.schedule import (
    LAST_MS,
    At,
    CronSchedule,
    EverySchedule,
    describe,
    following,
    following_slots,
    parse_at,
    parse_cron,
    parse_every,
)


def ms(text: str) -> int:
    return int(datetime.fromisoformat(text).timestamp() * 1000)


def come(expression: str, after: str, count: int, zone: str = "UTC") -> list[str]:
    """The next slots as local times with their offsets, without the year's noise."""
    slots = following_slots(parse_cron(expression, zone), ms(after), count)
    return [datetime.fromtimestamp(slot / 1000, ZoneInfo(zone)).isoformat(timespec="minutes") for slot in slots]


VALID = [
    ("* * * * *", "2026-01-01T00:01"),
    ("*/15 * * * *", "2026-01-01T00:15"),
    ("5-7 * * * *", "2026-01-01T00:05"),
    ("5-50/20 * * * *", "2026-01-01T00:05"),
    ("10/20 * * * *", "2026-01-01T00:10"),
    ("0 9 * * mon-fri", "2026-01-01T09:00"),
    ("0 9 * * MON,wed,Fri", "2026-01-02T09:00"),
    ("0 0 * * 0", "2026-01-04T00:00"),
    ("0 0 * * 7", "2026-01-04T00:00"),
    ("0 0 * * sun", "2026-01-04T00:00"),
    ("0 0 * * 6-7", "2026-01-03T00:00"),
    ("0 0 L * *", "2026-01-31T00:00"),
    ("0 0 l feb *", "2026-02-28T00:00"),
    ("0 0 LW * *", "2026-01-30T00:00"),
    ("0 0 * * 5L", "2026-01-30T00:00"),
    ("0 0 * * mon#2", "2026-01-12T00:00"),
    ("0 0 29 2 *", "2028-02-29T00:00"),
    ("0 0 29 feb 0", "2026-02-01T00:00"),
    ("0 0 31 * *", "2026-01-31T00:00"),
    ("0 0 31 4,5 *", "2026-05-31T00:00"),
    ("0 0 13 * fri", "2026-01-02T00:00"),
    ("0 0 */13 * fri", "2026-02-27T00:00"),
    ("0 0 1 jan-mar/2 *", "2026-03-01T00:00"),
    ("59 23 31 12 *", "2026-12-31T23:59"),
    ("0 */6 * * *", "2026-01-01T06:00"),
    ("0,30 8-10,14 * * *", "2026-01-01T08:00"),
    ("  0   12  *  *  * ", "2026-01-01T12:00"),
    ("0 0 * 2 mon#5", "2044-02-29T00:00"),
    ("@yearly", "2027-01-01T00:00"),
    ("@annually", "2027-01-01T00:00"),
    ("@monthly", "2026-02-01T00:00"),
    ("@weekly", "2026-01-04T00:00"),
    ("@daily", "2026-01-02T00:00"),
    ("@midnight", "2026-01-02T00:00"),
    ("@hourly", "2026-01-01T01:00"),
    ("@Daily", "2026-01-02T00:00"),
]


@pytest.mark.parametrize(("expression", "first"), VALID)
def test_a_valid_expression_comes_first_at(expression: str, first: str) -> None:
    assert come(expression, "2026-01-01T00:00:00Z", 1) == [f"{first}+00:00"]


BROKEN = [
    ("", "0 fields"),
    ("   ", "0 fields"),
    ("* * * *", "4 fields"),
    ("0 * * * * *", "6 fields"),
    ("60 * * * *", "minute field has '60'"),
    ("-1 * * * *", "minute field has a value missing"),
    ("* 24 * * *", "hour field has '24'"),
    ("* * 0 * *", "day of month field has '0'"),
    ("* * 32 * *", "day of month field has '32'"),
    ("* * * 0 *", "month field has '0'"),
    ("* * * 13 *", "month field has '13'"),
    ("* * * * 8", "day of week field has '8'"),
    ("mon * * * *", "minute field has 'MON'"),
    ("* * * foo *", "month field has 'FOO'"),
    ("* * * * funday", "day of week field has 'FUNDAY'"),
    ("* * * january *", "month field has 'JANUARY'"),
    ("7-5 * * * *", "range '7-5', which runs backwards"),
    ("* * * * sat-sun", "range 'SAT-SUN', which runs backwards"),
    ("* * * nov-feb *", "range 'NOV-FEB', which runs backwards"),
    ("*/0 * * * *", "minute field has the step '0'"),
    ("*/90 * * * *", "minute field has the step '90'"),
    ("*/x * * * *", "minute field has the step 'X'"),
    ("*/ * * * *", "minute field has the step ''"),
    ("*/-5 * * * *", "minute field has the step '-5'"),
    ("1,,2 * * * *", "minute field has an empty value"),
    ("1, * * * *", "minute field has an empty value"),
    ("1.5 * * * *", "minute field has '1.5'"),
    ("1-2-3 * * * *", "minute field has '2-3'"),
    ("? * * * *", "minute field has '?'"),
    ("** * * * *", "minute field has '**'"),
    ("L * * * *", "minute field has 'L'"),
    ("0 0 L-3 * *", "day of month field has 'L'"),
    ("0 0 15W * *", "day of month field has '15W'"),
    ("0 0 * * mon#6", "day of week field has the week '6'"),
    ("0 0 * * L", "day of week field has 'L'"),
    ("٣ * * * *", "not plain ASCII"),
    ("0 0 ３ * *", "not plain ASCII"),
    ("0 0 30 2 *", "never comes"),
    ("0 0 31 2,4,6,9,11 *", "never comes"),
    ("0 0 30 feb */1", "never comes"),
    ("@reboot", "macro '@reboot' does not exist"),
    ("@every 5m", "macro '@every 5m' does not exist"),
    ("@", "macro '@' does not exist"),
    ("1" * 300 + " * * * *", "too long"),
    ("0 9 * * mon-fri; rm -rf /", "8 fields"),
]


@pytest.mark.parametrize(("expression", "why"), BROKEN)
def test_a_broken_expression_is_refused_with_the_field_and_the_value(expression: str, why: str) -> None:
    with pytest.raises(InvalidArgument, match=re.escape(why)) as caught:
        parse_cron(expression)
    assert caught.value.hint


@pytest.mark.parametrize(
    "zone", ["Mars/Base", "", "Europe", "../etc/passwd", "/etc/localtime", "europe/berlin", "UTC+2", "x" * 5000, "\0"]
)
def test_a_zone_that_is_no_iana_name_is_refused(zone: str) -> None:
    with pytest.raises(InvalidArgument, match="does not exist"):
        parse_cron("@daily", zone)


def test_a_misspelt_zone_is_answered_with_the_nearest_one() -> None:
    with pytest.raises(InvalidArgument) as caught:
        parse_cron("@daily", "europe/lisboa")
    assert caught.value.hint == "did you mean Europe/Lisbon?"


def test_a_slot_is_strictly_after_the_instant() -> None:
    hourly = parse_cron("@hourly")
    noon = ms("2026-01-01T12:00:00Z")
    assert following(hourly, noon - 1) == noon
    assert following(hourly, noon) == noon + 3_600_000


def test_leap_days_come_in_leap_years_only_and_not_in_2100() -> None:
    assert [day[:4] for day in come("0 0 29 2 *", "2095-01-01T00:00:00Z", 2)] == ["2096", "2104"]


def test_day_of_month_and_day_of_week_are_joined_by_or_unless_one_starts_with_a_star() -> None:
    assert [day[8:10] for day in come("0 0 13 * fri", "2026-01-01T00:00:00Z", 4)] == ["02", "09", "13", "16"]
    assert [day[5:10] for day in come("0 0 */1 * fri", "2026-01-01T00:00:00Z", 2)] == ["01-02", "01-09"]


CLOCK_CHANGES = [
    ("Europe/Berlin", "30 2 * * *", "2026-03-28T12:00:00Z", ["2026-03-29T03:00+02:00", "2026-03-30T02:30+02:00"]),
    ("Europe/Berlin", "0 2,3 * * *", "2026-03-28T12:00:00Z", ["2026-03-29T03:00+02:00", "2026-03-30T02:00+02:00"]),
    ("Europe/Berlin", "30 2 * * *", "2026-10-24T12:00:00Z", ["2026-10-25T02:30+02:00", "2026-10-26T02:30+01:00"]),
    ("Europe/Berlin", "*/30 2 * * *", "2026-03-28T12:00:00Z", ["2026-03-30T02:00+02:00", "2026-03-30T02:30+02:00"]),
    (
        "Europe/Berlin",
        "*/30 * * * *",
        "2026-10-25T00:00:00Z",
        ["2026-10-25T02:30+02:00", "2026-10-25T02:00+01:00", "2026-10-25T02:30+01:00", "2026-10-25T03:00+01:00"],
    ),
    ("Europe/Berlin", "0 * * * *", "2026-03-29T00:00:00Z", ["2026-03-29T03:00+02:00", "2026-03-29T04:00+02:00"]),
    ("America/New_York", "15 2 * * *", "2026-03-08T00:00:00Z", ["2026-03-08T03:00-04:00", "2026-03-09T02:15-04:00"]),
    ("America/New_York", "15 1 * * *", "2026-11-01T00:00:00Z", ["2026-11-01T01:15-04:00", "2026-11-02T01:15-05:00"]),
    (
        "America/New_York",
        "20 * * * *",
        "2026-11-01T05:00:00Z",
        ["2026-11-01T01:20-04:00", "2026-11-01T01:20-05:00", "2026-11-01T02:20-05:00"],
    ),
    ("Australia/Lord_Howe", "15 2 * * *", "2026-10-03T00:00:00Z", ["2026-10-04T02:30+11:00", "2026-10-05T02:15+11:00"]),
    (
        "Australia/Lord_Howe",
        "*/10 2 * * *",
        "2026-10-03T00:00:00Z",
        [
            *(f"2026-10-04T02:{minute}+11:00" for minute in (30, 40, 50)),
            "2026-10-05T02:00+11:00",
        ],
    ),
    (
        "Australia/Lord_Howe",
        "*/20 1 * * *",
        "2026-04-04T12:00:00Z",
        [
            *(f"2026-04-05T01:{minute}+11:00" for minute in ("00", "20", "40")),
            "2026-04-05T01:40+10:30",
            "2026-04-06T01:00+10:30",
        ],
    ),
    ("Africa/Cairo", "*/30 0 * * fri", "2026-04-20T00:00:00Z", ["2026-05-01T00:00+03:00"]),
    ("Africa/Cairo", "0 0 * * fri", "2026-04-20T00:00:00Z", ["2026-04-24T01:00+03:00", "2026-05-01T00:00+03:00"]),
    ("Pacific/Apia", "0 12 * * *", "2011-12-29T00:00:00Z", ["2011-12-29T12:00-10:00", "2011-12-31T00:00+14:00"]),
]


@pytest.mark.parametrize(("zone", "expression", "after", "slots"), CLOCK_CHANGES)
def test_a_clock_change_neither_loses_nor_doubles(zone: str, expression: str, after: str, slots: list[str]) -> None:
    assert come(expression, after, len(slots), zone) == slots


def test_asked_in_the_repeated_hour_a_fixed_time_that_has_been_does_not_come_again() -> None:
    cron = parse_cron("45 2 * * *", "Europe/Berlin")
    second_pass = ms("2026-10-25T02:15:00+01:00")
    assert following(cron, second_pass) == ms("2026-10-26T02:45:00+01:00")


def test_a_time_that_a_zone_skips_every_year_never_comes_and_never_hangs() -> None:
    cron = parse_cron("*/10 2 * 3 7L", "Europe/Berlin")  # before 1980 it came
    assert following(cron, ms("2026-01-01T00:00:00Z")) is None


def test_every_counts_from_its_anchor_and_never_drifts() -> None:
    schedule = EverySchedule(7_000, 100)
    assert following_slots(schedule, 100, 3) == [7_100, 14_100, 21_100]
    assert following(schedule, 14_100) == 21_100
    assert following(schedule, 14_099) == 14_100
    assert following(EverySchedule(7_000, 7_000_000_100), 0) == 100
    assert following(EverySchedule(1_000, 1_000), 10**15) is None


def test_at_comes_once() -> None:
    assert following(At(5_000), 4_999) == 5_000
    assert following(At(5_000), 5_000) is None


def test_nothing_comes_after_the_end_of_the_calendar() -> None:
    assert following(CronSchedule("* * * * *"), LAST_MS) is None
    assert following(CronSchedule("0 0 29 2 *"), LAST_MS - 1) is not None
    assert following(CronSchedule("* * * * *"), 10**30) is None
    assert following(CronSchedule("* * * * *"), -(10**30)) == 60_000


@pytest.mark.parametrize(
    ("text", "every_ms"), [("1s", 1_000), ("90s", 90_000), ("15m", 900_000), (" 2H ", 7_200_000), ("1d", 86_400_000)]
)
def test_intervals(text: str, every_ms: int) -> None:
    assert parse_every(text, 42) == EverySchedule(every_ms, 42)


@pytest.mark.parametrize(
    "text",
    ["", "0s", "5", "s", "-5s", "1.5h", "5 m", "5w", "500ms", "367d", "9999999999s", "１５m", "1h30m", "1e3s", "∞"],
)
def test_an_interval_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(InvalidArgument, match="interval"):
        parse_every(text, 0)


NOW = ms("2026-06-01T00:00:00Z")


@pytest.mark.parametrize(
    ("text", "zone", "at"),
    [
        ("2026-12-01T09:00", "UTC", "2026-12-01T09:00:00Z"),
        ("2026-12-01 09:00:30", "Europe/Lisbon", "2026-12-01T09:00:30Z"),
        ("2026-07-01T09:00", "Europe/Lisbon", "2026-07-01T08:00:00Z"),
        ("2026-12-01T09:00Z", "Asia/Tokyo", "2026-12-01T09:00:00Z"),
        ("2026-12-01T09:00+05:30", "UTC", "2026-12-01T03:30:00Z"),
        ("2027-03-28T02:30", "Europe/Berlin", "2027-03-28T01:00:00Z"),
        ("2026-10-25T02:30", "Europe/Berlin", "2026-10-25T00:30:00Z"),
        ("+20m", "UTC", "2026-06-01T00:20:00Z"),
        ("+1d", "Asia/Tokyo", "2026-06-02T00:00:00Z"),
    ],
)
def test_times(text: str, zone: str, at: str) -> None:
    assert parse_at(text, NOW, zone) == At(ms(at))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "tomorrow",
        "2026-12-01",
        "09:00",
        "2026-13-01T09:00",
        "2026-02-30T09:00",
        "2026-12-01T25:00",
        "2026-05-31T19:59",
        "1969-01-01T00:00",
        "0001-01-01T00:00",
        "9999-12-31T23:59",
        "0001-01-01T00:00+23:00",
        "9999-12-31T23:59-23:00",
        "+",
        "+20",
        "+-20m",
        "+0s",
        "1764579600000",
        "2026-12-01T09:00 Europe/Berlin",
    ],
)
def test_a_time_that_is_none_or_past_is_refused(text: str) -> None:
    for zone in ("UTC", "Europe/Berlin", "America/New_York"):
        with pytest.raises(InvalidArgument):
            parse_at(text, NOW, zone)


def test_schedules_in_words() -> None:
    assert describe(parse_cron("0 9 * * mon-fri", "Europe/Lisbon")) == (
        "At 09:00 on Monday through Friday (Europe/Lisbon)"
    )
    assert describe(EverySchedule(60_000, 0)) == "Every minute"
    assert describe(EverySchedule(90_000, 0)) == "Every 90 seconds"
    assert describe(At(ms("2026-12-01T09:00:00Z"))) == "Once at 2026-12-01 09:00:00 (UTC)"


@pytest.mark.parametrize(("expression", "_first"), VALID)
def test_every_valid_expression_has_words(expression: str, _first: str) -> None:
    assert describe(parse_cron(expression)).endswith("(UTC)")
