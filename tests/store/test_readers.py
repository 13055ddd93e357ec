"""The threads that read: in order, one loop at a time, and nobody who waits is forgotten."""

import asyncio
import threading
import time

import pytest

from palyra.core.errors import NotFound, Unavailable
from palyra.store.readers import Workers
from support import run


def test_work_is_done_in_the_order_it_came() -> None:
    workers, done = Workers("w", 1), list[int]()

    async def work() -> None:
        await asyncio.gather(*(workers.submit(lambda n=n: done.append(n)) for n in range(50)))  # type: ignore[misc]

    run(work())
    workers.close()
    assert done == list(range(50))


def test_what_goes_wrong_is_told_to_whoever_asked_and_the_thread_lives_on() -> None:
    workers = Workers("w", 1)

    def trip() -> None:
        raise NotFound("nothing here")

    async def work() -> int:
        with pytest.raises(NotFound):
            await workers.submit(trip)
        return await workers.submit(lambda: 7)

    assert run(work()) == 7
    workers.close()


def test_the_loop_has_its_turn_before_the_next_search_begins() -> None:
    searcher, seen = Workers("w", 1, turn_seconds=lambda: 20.0), list[str]()

    async def answer(name: str) -> None:
        await searcher.submit(lambda: seen.append(f"search {name}"))
        seen.append(f"answer {name}")

    async def work() -> None:
        await asyncio.gather(*map(answer, "abc"))

    run(work())
    searcher.close()
    assert seen == ["search a", "answer a", "search b", "answer b", "search c", "answer c"]


def test_a_loop_that_does_not_take_its_turn_holds_nobody_up_for_long() -> None:
    searcher, begun = Workers("w", 1, turn_seconds=lambda: 0.01), threading.Event()

    async def work() -> None:
        first = searcher.submit(lambda: None)
        second = searcher.submit(begun.set)
        assert begun.wait(20)  # meanwhile this very loop is blocked
        await asyncio.gather(first, second)

    run(work())
    searcher.close()


def test_work_that_nobody_waits_for_any_more_is_left_undone() -> None:
    workers, gate, done = Workers("w", 1), threading.Event(), list[str]()

    async def work() -> None:
        first = workers.submit(lambda: gate.wait(20))
        second = workers.submit(lambda: done.append("second"))
        third = workers.submit(lambda: done.append("third"))
        second.cancel()
        gate.set()
        await asyncio.gather(first, third)

    run(work())
    workers.close()
    assert done == ["third"]


def test_a_loop_that_has_ended_does_not_stop_the_thread() -> None:
    workers, gate = Workers("w", 1, turn_seconds=lambda: 20.0), threading.Event()

    async def leave() -> None:
        workers.submit(lambda: gate.wait(20))

    async def come() -> int:
        return await workers.submit(lambda: 7)

    run(leave())
    gate.set()
    started = time.monotonic()
    assert run(come()) == 7
    assert time.monotonic() - started < 15
    workers.close()


def test_closing_finishes_what_was_accepted_and_takes_nothing_new() -> None:
    workers, done = Workers("w", 2), list[int]()

    async def work() -> None:
        asked = [workers.submit(lambda n=n: done.append(n)) for n in range(20)]  # type: ignore[misc]
        await asyncio.to_thread(workers.close)
        await asyncio.gather(*asked)
        with pytest.raises(Unavailable, match="closing"):
            workers.submit(lambda: None)

    run(work())
    assert sorted(done) == list(range(20))
