"""What a refusal means, when asking again is tried, and when a server is left alone for a while."""

import asyncio
from typing import Any

import pytest

from palyra.core.breaker import Breaker
from palyra.core.clock import ManualClock
from palyra.core.errors import Deadline, Exhausted, Integrity, InvalidArgument, PalyraError, TooLarge, Unavailable
from palyra.providers.models.refusal import Refused, Target, clean, refused_by_status, refused_in_stream
from palyra.providers.models.upstream import PATIENCE

TARGET = Target("host", "m", "")
NOW_MS = ManualClock().now_ms()


def refused(status: int, body: bytes = b"", headers: dict[str, str] | None = None) -> Refused:
    return refused_by_status(status, headers or {}, body, TARGET, NOW_MS)


@pytest.mark.parametrize(
    ("headers", "wait_ms"),
    [
        ({}, 0),
        ({"retry-after": "2"}, 2_000),
        ({"retry-after": " 0.5 "}, 500),
        ({"retry-after": "Tue, 14 Nov 2023 22:13:30 GMT"}, 10_000),
        ({"retry-after": "Tue, 14 Nov 2023 22:13:00 GMT"}, 0),
        ({"retry-after": "soon"}, 0),
        ({"retry-after": "-5"}, 0),
        ({"retry-after": "٣"}, 0),
        ({"retry-after": "9" * 400}, 0),
        ({"retry-after": "Fri, 99 Foo 2023"}, 0),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1_500),
    ],
)
def test_retry_after_is_seconds_or_a_date(headers: dict[str, str], wait_ms: int) -> None:
    assert refused(429, headers=headers).wait_ms == wait_ms
    assert refused(503, headers=headers).wait_ms == wait_ms


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422, 301, 402, 418])
def test_what_will_not_change_is_not_asked_again(status: int) -> None:
    assert refused(status, headers={"retry-after": "1"}).wait_ms is None


def test_who_has_no_credit_left_is_not_asked_again() -> None:
    answer = refused(429, b'{"error": {"code": "insufficient_quota", "message": "pay"}}')
    assert isinstance(answer.error, Exhausted)
    assert answer.wait_ms is None


@pytest.mark.parametrize(
    "body",
    [
        b'{"error": {"message": "too hot"}}',
        b'{"error": "too hot"}',
        b'{"type": "error", "error": {"type": "x", "message": "too hot"}}',
        b'{"message": "too hot"}',
        b'{"detail": "too hot"}',
    ],
)
def test_the_servers_words_are_found_where_servers_put_them(body: bytes) -> None:
    assert "too hot" in refused(400, body).error.message


@pytest.mark.parametrize(
    "body", [b"", b"<html>", b"[1]", b'{"error": 5}', b"\xff\xfe", b"[" * 70_000, b'{"error": {"message": {}}}']
)
def test_any_body_of_a_refusal_is_survived(body: bytes) -> None:
    assert refused(400, body).error.message == "the model server host answered HTTP 400"


def test_a_context_that_is_too_long_is_too_large_by_whatever_status() -> None:
    assert isinstance(refused(400, b'{"error": {"code": "context_length_exceeded"}}').error, TooLarge)


def test_the_servers_words_are_cut_masked_and_on_one_line() -> None:
    secret = "sk-" + "Ab9" * 12
    words = clean(f"no\n\x1b[31m key={secret} " + "long " * 4_000, Target("host", "m", secret))
    assert secret not in words
    assert "\n" not in words
    assert "\x1b" not in words
    assert len(words) <= 300


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"type": "overloaded_error"}, Unavailable),
        ({"type": "something new"}, Unavailable),
        ({"code": 400, "type": "BadRequestError"}, InvalidArgument),
        ({"code": 99_999_999_999}, Unavailable),
        ({"code": True}, Unavailable),
        ("out of memory", Unavailable),
        (None, Unavailable),
        (5, Unavailable),
    ],
)
def test_errors_in_a_stream_are_told_apart_by_what_servers_call_them(error: Any, kind: type[PalyraError]) -> None:
    assert type(refused_in_stream(error, TARGET).error) is kind


def state_of(breaker: Breaker) -> str:
    return breaker.state


def failing(breaker: Breaker, error: BaseException, times: int = 1) -> None:
    for _ in range(times):
        with pytest.raises(type(error)), breaker.call():
            raise error


DOWN = Unavailable("down")


def an_open_breaker() -> tuple[Breaker, ManualClock]:
    clock = ManualClock()
    breaker = Breaker(clock, "host", PATIENCE)
    failing(breaker, DOWN, PATIENCE.failures)
    return breaker, clock


@pytest.mark.parametrize("error", [Unavailable("x"), Deadline("x"), Integrity("x")])
def test_five_failures_in_a_row_open_it(error: PalyraError) -> None:
    breaker = Breaker(ManualClock(), "host", PATIENCE)
    failing(breaker, error, PATIENCE.failures - 1)
    assert state_of(breaker) == "closed"
    failing(breaker, error)
    assert state_of(breaker) == "open"
    assert breaker.open_until_ms == NOW_MS + 30_000
    with pytest.raises(Unavailable, match="not asked for now") as caught, breaker.call():
        raise AssertionError("it is not called")
    assert caught.value.details["retry_after_ms"] == 30_000


def test_a_success_in_between_starts_the_count_anew() -> None:
    breaker = Breaker(ManualClock(), "host", PATIENCE)
    failing(breaker, DOWN, PATIENCE.failures - 1)
    with breaker.call() as call:
        call.succeeded()
    failing(breaker, DOWN, PATIENCE.failures - 1)
    assert state_of(breaker) == "closed"


@pytest.mark.parametrize("error", [InvalidArgument("x"), Exhausted("x"), asyncio.CancelledError(), GeneratorExit()])
def test_what_says_nothing_about_the_server_does_not_count(error: BaseException) -> None:
    breaker = Breaker(ManualClock(), "host", PATIENCE)
    failing(breaker, error, 3 * PATIENCE.failures)
    assert breaker.failures == 0
    assert state_of(breaker) == "closed"


def test_one_trial_at_a_time_is_let_through() -> None:
    breaker, clock = an_open_breaker()
    clock.advance(30_000)
    with breaker.call() as trial:
        assert state_of(breaker) == "half_open"
        with pytest.raises(Unavailable, match="not asked"), breaker.call():
            raise AssertionError("it is not called")
        trial.succeeded()
    assert state_of(breaker) == "closed"
    assert breaker.last_error == ""


def test_a_failed_trial_doubles_the_pause_up_to_five_minutes() -> None:
    breaker, clock = an_open_breaker()
    pauses = []
    for _ in range(6):
        retry_at_ms = breaker.open_until_ms
        assert retry_at_ms is not None
        pauses.append(retry_at_ms - clock.now_ms())
        clock.ms = retry_at_ms
        failing(breaker, DOWN)
    assert pauses == [30_000, 60_000, 120_000, 240_000, 300_000, 300_000]


def test_a_cancelled_trial_leaves_the_next_call_a_trial() -> None:
    breaker, clock = an_open_breaker()
    clock.advance(30_000)
    failing(breaker, asyncio.CancelledError())
    assert state_of(breaker) == "half_open"
    with breaker.call() as call:
        assert call.is_trial
        call.succeeded()
    assert state_of(breaker) == "closed"


def test_a_trial_that_answers_lets_others_in_and_one_that_then_breaks_closes_again() -> None:
    breaker, clock = an_open_breaker()
    clock.advance(30_000)

    def story() -> None:
        with breaker.call() as trial:
            trial.answered()
            with breaker.call() as other:
                assert not other.is_trial
            raise Unavailable("cut")

    with pytest.raises(Unavailable, match="cut"):
        story()
    assert state_of(breaker) == "open"


def test_calls_that_fail_after_it_opened_do_not_prolong_it() -> None:
    clock = ManualClock()
    breaker = Breaker(clock, "host", PATIENCE)

    def story() -> None:
        with breaker.call():
            failing(breaker, DOWN, PATIENCE.failures)
            clock.advance(20_000)
            raise Unavailable("late")

    with pytest.raises(Unavailable, match="late"):
        story()
    assert breaker.open_until_ms == NOW_MS + 30_000


def test_a_clock_that_is_set_back_does_not_keep_it_open() -> None:
    breaker, clock = an_open_breaker()
    clock.advance(-86_400_000)
    assert state_of(breaker) == "half_open"
