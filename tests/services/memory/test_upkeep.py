"""Keeping memory in order: what expires, what is evicted and in which order, and what the status says."""

from dataclasses import replace
from pathlib import Path

from palyra.core.clock import ManualClock
from palyra.core.ids import MemoryId
from palyra.domain.memory import DAY_MS, Change, ConflictFound, Draft, ItemFilter, MemorySource, RetentionPolicy, Stored
from palyra.domain.scope import Visibility
from palyra.services.memory import lifecycle
from palyra.services.memory.context import Memory
from palyra.services.memory.ingest import ingest, ingest_many
from palyra.services.memory.upkeep import _close, maintain, status
from support import a_memory, run

ANA = Visibility("user:ana")
TOM = Visibility("user:tom")


async def keep(memory: Memory, text: str, caller: Visibility = ANA, **given: object) -> str:
    outcome = (await ingest(memory, Draft(text, **given), caller)).outcome  # type: ignore[arg-type]
    assert isinstance(outcome, Stored | ConflictFound)
    return outcome.memory_id


async def left(memory: Memory, caller: Visibility = ANA) -> list[str]:
    want = ItemFilter(include_past=True)
    return [item.text for item in await lifecycle.list_(memory, caller, want, limit=500)]


async def many_that_end(memory: Memory, count: int, end_ms: int) -> None:
    drafts = [
        Draft(f"turn {n}", MemorySource.USER_MESSAGE, said_at_ms=n, expires_at_ms=end_ms) for n in range(1, count + 1)
    ]
    await ingest_many(memory, drafts, ANA)


# -- expiry


def test_an_item_expires_at_its_time_and_not_before(tmp_path: Path) -> None:
    async def story() -> None:
        clock = ManualClock()
        async with a_memory(tmp_path, clock) as memory:
            memory_id = await keep(memory, "The code is good for a minute", expires_at_ms=clock.now_ms() + 60_000)
            clock.advance(59_999)
            assert (await maintain(memory)).expired == 0
            clock.advance(1)
            assert await lifecycle.list_(memory, ANA, ItemFilter()) == []  # hidden at once, whoever has run since
            assert (await maintain(memory)).expired == 1
            assert (await maintain(memory)).expired == 0
            assert (await lifecycle.get(memory, memory_id, ANA)).item.closed_why == "expired"
            [*_, last] = await lifecycle.history(memory, memory_id, ANA)
            assert (last.kind, last.actor) == ("memory.deleted", "system")

    run(story())


def test_the_general_ttl_spares_what_a_person_wrote_and_what_is_pinned(tmp_path: Path) -> None:
    async def story() -> None:
        clock = ManualClock()
        async with a_memory(tmp_path, clock) as whole:
            memory = replace(whole, retention=RetentionPolicy(ttl_days=30))
            await keep(memory, "I wrote this myself")
            await keep(memory, "Summary to keep", source=MemorySource.SUMMARY, pinned=True)
            await keep(memory, "Summary with an end of its own", source=MemorySource.SUMMARY,
                       expires_at_ms=clock.now_ms() + 90 * DAY_MS)  # fmt: skip
            await keep(memory, "Summary of the week", source=MemorySource.SUMMARY)
            clock.advance(30 * DAY_MS)
            assert (await maintain(memory)).expired == 0
            clock.advance(1)
            assert (await maintain(memory)).expired == 1
            assert "Summary of the week" not in await left(memory)
            assert len(await left(memory)) == 3

    run(story())


def test_the_time_limit_of_a_source_does_not_end_what_is_pinned(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            draft = Draft("The build takes nine minutes", MemorySource.TOOL_RESULT, pinned=True, vouched=True)
            done = await ingest(memory, draft, ANA)
            assert isinstance(done.outcome, Stored)
            assert (await lifecycle.get(memory, done.outcome.memory_id, ANA)).item.expires_at_ms is None

    run(story())


def test_many_at_once_after_a_leap_of_the_clock_wait_for_however_long(tmp_path: Path) -> None:
    async def story() -> None:
        clock = ManualClock()
        async with a_memory(tmp_path, clock) as memory:
            await many_that_end(memory, 20, clock.now_ms() + 5 * DAY_MS)
            await maintain(memory)
            clock.advance(30 * DAY_MS)
            for _ in range(20):
                for step_ms in (300_000, 3_600_000, DAY_MS, 2 * DAY_MS):
                    clock.advance(step_ms)
                    report = await maintain(memory)
                    assert (report.deferred, report.expired, report.waiting) == (True, 0, 20)
            assert len(await left(memory)) == 20
            assert report.away_ms > 90 * DAY_MS

    run(story())


def test_few_wait_too_after_a_leap_that_no_machine_sleeps_through(tmp_path: Path) -> None:
    async def story() -> None:
        clock = ManualClock()
        async with a_memory(tmp_path, clock) as memory:
            await many_that_end(memory, 3, clock.now_ms() + 5 * DAY_MS)
            await maintain(memory)
            clock.advance(3_650 * DAY_MS)
            assert (await maintain(memory)).waiting == 3
            clock.advance(-3_650 * DAY_MS)
            assert not (await maintain(memory)).deferred
            assert len(await left(memory)) == 3

    run(story())


def test_a_leap_before_the_very_first_run_is_seen_by_the_newest_event(tmp_path: Path) -> None:
    async def story() -> None:
        clock = ManualClock()
        async with a_memory(tmp_path, clock) as memory:
            await many_that_end(memory, 20, clock.now_ms() + 5 * DAY_MS)
            clock.advance(3_650 * DAY_MS)
            assert (await maintain(memory)).deferred

    run(story())


def test_a_clock_that_goes_back_an_hour_or_stands_still_expires_nothing_early_and_everything_once(
    tmp_path: Path,
) -> None:
    async def story() -> None:
        clock = ManualClock()
        async with a_memory(tmp_path, clock) as memory:
            await many_that_end(memory, 20, clock.now_ms() + 3_600_000)
            clock.advance(3_599_999)
            for _ in range(3):
                assert (await maintain(memory)).expired == 0
            clock.advance(1)
            clock.advance(-3_600_000)
            assert (await maintain(memory)).expired == 0
            clock.advance(3_600_000)
            assert [(await maintain(memory)).expired for _ in range(3)] == [20, 0, 0]

    run(story())


def test_upkeep_stops_when_it_was_enough_and_the_next_run_goes_on(tmp_path: Path) -> None:
    async def story() -> None:
        clock = ManualClock()
        async with a_memory(tmp_path, clock) as memory:
            await many_that_end(memory, 600, clock.now_ms() + DAY_MS)
            clock.advance(DAY_MS)
            first = await maintain(memory, enough=lambda items: items >= 100)
            assert (first.expired, first.more) == (500, True)
            second = await maintain(memory, enough=lambda items: items >= 100)
            assert (second.expired, second.more) == (100, False)

    run(story())


def test_a_clock_that_leaps_and_comes_back_costs_nothing(tmp_path: Path) -> None:
    async def story() -> None:
        clock = ManualClock()
        async with a_memory(tmp_path, clock) as memory:
            await many_that_end(memory, 20, clock.now_ms() + 5 * DAY_MS)
            await maintain(memory)
            clock.advance(30 * DAY_MS)
            await maintain(memory)
            clock.advance(300_000)
            await maintain(memory)
            clock.advance(-30 * DAY_MS)
            for _ in range(20):
                clock.advance(300_000)
                assert await maintain(memory)
            assert len(await left(memory)) == 20

    run(story())


def test_few_at_once_and_many_in_the_usual_course_are_not_put_off(tmp_path: Path) -> None:
    async def story() -> None:
        clock = ManualClock()
        async with a_memory(tmp_path, clock) as memory:
            await many_that_end(memory, 5, clock.now_ms() + DAY_MS)
            await maintain(memory)
            clock.advance(30 * DAY_MS)
            assert (await maintain(memory)).expired == 5
            await many_that_end(memory, 600, clock.now_ms() + DAY_MS)
            clock.advance(DAY_MS)
            assert (await maintain(memory)).expired == 600

    run(story())


def test_a_person_who_is_sure_need_not_wait(tmp_path: Path) -> None:
    async def story() -> None:
        clock = ManualClock()
        async with a_memory(tmp_path, clock) as memory:
            await many_that_end(memory, 20, clock.now_ms() + DAY_MS)
            await maintain(memory)
            clock.advance(30 * DAY_MS)
            assert (await maintain(memory)).deferred
            report = await maintain(memory, sure=True)
            assert (report.deferred, report.expired) == (False, 20)

    run(story())


# -- eviction


def test_the_least_confident_go_first_and_of_those_the_oldest(tmp_path: Path) -> None:
    async def story() -> None:
        clock = ManualClock()
        async with a_memory(tmp_path, clock) as whole:
            memory = replace(whole, retention=RetentionPolicy(max_entries=2))
            for text, bps in (("Old and sure", 9_000), ("Old and vague", 4_000), ("New and vague", 4_000)):
                await keep(memory, text, confidence_bps=bps)
                clock.advance(1_000)
            await keep(memory, "Vague but pinned", confidence_bps=3_000, pinned=True)
            assert (await maintain(memory)).evicted == 2
            assert await left(memory) == ["Old and sure", "Vague but pinned"]
            assert (await maintain(memory)).evicted == 0

    run(story())


def test_limits_are_per_principal(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as whole:
            memory = replace(whole, retention=RetentionPolicy(max_entries=2))
            for n in range(4):
                await keep(memory, f"Box {n} is on shelf {n}")
            for n in range(2):
                await keep(memory, f"Box {n} is on shelf {n}", TOM)
            await keep(memory, "Channel item", Visibility("user:ana", "discord:1"))
            assert (await maintain(memory)).evicted == 3
            assert len(await left(memory, TOM)) == 2
            assert len(await left(memory, Visibility("user:ana", "discord:1"))) == 2

    run(story())


def test_bytes_count_as_they_are_stored_and_no_more_goes_than_must(tmp_path: Path) -> None:
    async def story() -> None:
        clock = ManualClock()
        async with a_memory(tmp_path, clock) as whole:
            memory = replace(whole, retention=RetentionPolicy(max_bytes=25))
            for text in ("日本語日本", "ten bytes!", "ten bytes?"):  # 15, 10 and 10 bytes
                await keep(memory, text, confidence_bps=5_000)
                clock.advance(1_000)
            assert (await maintain(memory)).evicted == 1
            assert await left(memory) == ["ten bytes!", "ten bytes?"]

    run(story())


def test_what_is_pinned_stays_even_over_the_limit(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as whole:
            memory = replace(whole, retention=RetentionPolicy(max_entries=1, max_bytes=1))
            for n in range(3):
                await keep(memory, f"Box {n} is on shelf {n}", pinned=True)
            assert (await maintain(memory)).evicted == 0
            assert len(await left(memory)) == 3

    run(story())


def test_what_was_pinned_since_it_was_chosen_stays(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            chosen = [MemoryId(await keep(memory, text)) for text in ("Box one is on shelf one", "The attic is empty")]
            await lifecycle.update(memory, chosen[0], Change(pinned=True), ANA)
            assert await _close(memory, "user:ana", chosen, "evicted", lambda item: not item.pinned) == 1
            assert await _close(memory, "user:ana", chosen, "evicted", lambda item: not item.pinned) == 0
            assert await left(memory) == ["Box one is on shelf one"]
            assert (await memory.journal.status()).size == 4

    run(story())


def test_superseded_items_go_before_those_that_hold(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as whole:
            memory = replace(whole, retention=RetentionPolicy(max_entries=2))
            await keep(memory, "Vague talk", confidence_bps=3_000)
            await keep(memory, "The staging port is 5432")
            await keep(memory, "Actually the staging port is 6543")
            assert (await maintain(memory)).evicted == 1
            assert await left(memory) == ["Vague talk", "Actually the staging port is 6543"]

    run(story())


# -- status


def test_the_status_counts_what_the_caller_sees(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            here = Visibility("user:ana", "discord:1")
            await keep(memory, "ten bytes!")
            await keep(memory, "日本語", source=MemorySource.SUMMARY)
            await keep(memory, "Only here", here)
            for n in range(5):
                await keep(memory, f"Box {n} is on shelf {n}", TOM)
            await ingest(memory, Draft("A page says so", MemorySource.TOOL_RESULT), here)
            await memory.follower.backfill()
            await maintain(memory)
            mine, there, theirs = [await status(memory, caller) for caller in (ANA, here, TOM)]
            assert (mine.items, mine.bytes, mine.waiting_for_review) == (2, 19, 0)
            assert (there.items, there.waiting_for_review) == (3, 1)
            assert [(count.name, count.items) for count in there.by_scope] == [("principal", 2), ("channel", 1)]
            assert {count.name: count.items for count in mine.by_source} == {"manual": 1, "summary": 1}
            assert (mine.vectors, mine.vectors_pending) == (2, 0)
            assert (theirs.items, theirs.vectors) == (5, 5)
            assert mine.last_maintenance is not None
            assert mine.embedding_error is None

    run(story())


def test_an_empty_memory_has_a_status(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            found = await status(memory, ANA)
            assert (found.items, found.bytes, found.by_scope, found.last_maintenance) == (0, 0, (), None)

    run(story())
