"""A breaker opens after three failures, is tried less and less often, and closes with one success."""

from typing import cast

from exact_index import ExactVectorIndex
from palyra.core.breaker import Breaker
from palyra.core.clock import ManualClock
from palyra.core.errors import Unavailable
from palyra.ports import MirrorIndex
from palyra.services.external.counters import Counters, objectives
from palyra.services.external.server import PATIENCE, MirrorServer


def a_breaker() -> tuple[Breaker, ManualClock]:
    clock = ManualClock()
    return Breaker(clock, "db", PATIENCE), clock


def state(breaker: Breaker) -> str:
    return breaker.state


def test_it_opens_after_three_failures_in_a_row_and_waits_longer_each_time() -> None:
    breaker, clock = a_breaker()
    opened = [breaker.fail("refused", is_trial=False) for _ in range(2)]
    assert state(breaker) == "closed"
    breaker.succeed()
    opened += [breaker.fail("refused", is_trial=False) for _ in range(3)]
    waits = []
    for _ in range(6):
        assert state(breaker) == "open"
        waits.append(breaker.ms_to_trial)
        clock.advance(breaker.ms_to_trial)
        assert state(breaker) == "half_open"
        opened.append(breaker.fail("refused", is_trial=True))
    assert waits == [1_000, 2_000, 4_000, 8_000, 15_000, 15_000]
    clock.advance(15_000)
    breaker.succeed()
    assert (state(breaker), breaker.failures, sum(opened)) == ("closed", 0, 1)


def test_calls_that_began_before_it_opened_do_not_prolong_the_pause() -> None:
    breaker, _ = a_breaker()
    for _ in range(9):
        breaker.fail("refused", is_trial=False)
    assert breaker.ms_to_trial == 1_000


def test_the_last_error_holds_no_password() -> None:
    server = MirrorServer("db", lambda _table, dims: cast("MirrorIndex", ExactVectorIndex(dims)), "t", 8)
    server.fail(Unavailable("connection to postgresql://ana:" + "hunter2" + "@db refused"))
    assert "refused" in server.breaker.last_error
    assert "hunter2" not in server.breaker.last_error
    server.close()


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
