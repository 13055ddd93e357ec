"""A breaker opens after three failures, is tried less and less often, and closes with one success."""

import pytest

from palyra.core.errors import Unavailable
from palyra.services.external import breaker as module
from palyra.services.external.breaker import Breaker
from palyra.services.external.counters import Counters, objectives

FAILED = Unavailable("connection to postgresql://ana:" + "hunter2" + "@db refused")


class Time:
    now = 100.0

    def monotonic(self) -> float:
        return self.now


def state(breaker: Breaker) -> str:
    return breaker.state


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Time:
    made = Time()
    monkeypatch.setattr(module, "time", made)
    return made


def test_it_opens_after_three_failures_in_a_row_and_waits_longer_each_time(time: Time) -> None:
    breaker = Breaker()
    for _ in range(2):
        breaker.fail(FAILED)
    assert state(breaker) == "closed"
    breaker.succeed()
    for _ in range(3):
        breaker.fail(FAILED)
    waits = []
    for _ in range(6):
        assert state(breaker) == "open"
        waits.append(breaker.seconds_to_trial)
        time.now += breaker.seconds_to_trial
        assert state(breaker) == "half_open"
        breaker.fail(FAILED)
    assert waits == [1.0, 2.0, 4.0, 8.0, 15.0, 15.0]
    time.now += 15
    breaker.succeed()
    assert (state(breaker), breaker.failures, breaker.opened) == ("closed", 0, 1)


def test_calls_that_began_before_it_opened_do_not_prolong_the_pause(time: Time) -> None:
    breaker = Breaker()
    for _ in range(9):
        breaker.fail(FAILED)
    assert breaker.seconds_to_trial == 1.0


def test_the_last_error_holds_no_password() -> None:
    breaker = Breaker()
    breaker.fail(FAILED)
    assert "hunter2" not in breaker.last_error


def test_objectives_are_met_when_nothing_was_asked_and_missed_when_searches_fall_back() -> None:
    counters = Counters()
    assert all(one.is_met for one in objectives(counters, 0))
    for why_alone in ("deadline", "deadline", *[""] * 98):
        counters.searched(why_alone)
    counters.query_ms.extend([300.0] * 10)
    counters.reconcile_failures = 1
    assert [one.name for one in objectives(counters, 60_001) if not one.is_met] == [
        "freshness",
        "query_p95",
        "fallback_rate",
        "reconcile_success",
    ]


def test_an_outage_is_forgotten_by_the_objective_after_a_thousand_searches_and_by_the_counter_never() -> None:
    counters = Counters()
    for why_alone in (*["asleep"] * 50, *[""] * 1_000):
        counters.searched(why_alone)
    assert counters.fallback_share == 0.0
    assert (counters.searches, counters.fallbacks["asleep"]) == (1_050, 50)
