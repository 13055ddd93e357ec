import re

import pytest
import ulid

from palyra.core.clock import ManualClock
from palyra.core.errors import InvalidArgument
from palyra.core.ids import UlidFactory, parse_ulid


def test_ids_of_one_millisecond_are_unique_and_in_order() -> None:
    made = UlidFactory(ManualClock())
    ids = [made.next() for _ in range(200_000)]
    assert ids == sorted(set(ids))


def test_ids_made_together_are_unique_and_in_order_with_those_made_alone() -> None:
    clock = ManualClock()
    made = UlidFactory(clock)
    ids: list[str] = []
    for count in (3, 0, 1, 5_000):
        some = made.many(count, clock.now_ms())
        assert len(some) == count
        ids += [*some, made.next()]
        clock.advance(count % 2)
    assert ids == sorted(set(ids))


def test_ids_keep_their_order_when_the_clock_steps_back() -> None:
    clock = ManualClock()
    made = UlidFactory(clock)
    first = made.next()
    clock.advance(-3_600_000)
    assert made.next() > first


def test_an_id_carries_its_time_and_agrees_with_another_implementation() -> None:
    clock = ManualClock(1_794_781_514_590)
    made = UlidFactory(clock).next()
    assert ulid.ULID.from_str(made).milliseconds == clock.ms
    assert str(ulid.ULID.from_str(made)) == made


@pytest.mark.parametrize(
    "text",
    [
        "",
        "01",
        "01JD8QZ6T3M4N5P6Q7R8S9TABCD",
        "81JD8QZ6T3M4N5P6Q7R8S9TABC",
        "01jd8qz6t3m4n5p6q7r8s9tabc",
        "U" * 26,
        "é" * 26,
    ],
)
def test_what_is_no_ulid_is_named_in_one_error(text: str) -> None:
    with pytest.raises(InvalidArgument, match=re.escape(repr(text[:64]))):
        parse_ulid(text)
