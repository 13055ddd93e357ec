"""Scheduled prompts as a person keeps them."""

from pathlib import Path
from typing import Any

import pytest

from palyra.core.errors import (
    AlreadyExists,
    FailedPrecondition,
    InvalidArgument,
    NotFound,
    PalyraError,
    PermissionDenied,
    TooLarge,
)
from palyra.core.ids import EventId
from palyra.domain.cron.events import CronJobWorded
from palyra.domain.journal import Actor, EventFilter, Origin
from palyra.domain.scope import Visibility
from palyra.services.cron import jobs
from palyra.services.cron.jobs import CronWish
from palyra.services.erase import erase
from palyra.store.journal import list_events
from scheduling import ANA, HOUR, MAKER, MINUTE, START, Scheduled, a_schedule
from support import files_holding, run, verify_directory

BOB = Visibility("user:bob", None)


def test_a_job_is_kept_as_it_was_given(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_schedule(tmp_path) as house:
            wish = CronWish(
                "morning", "What is due?", cron="0 9 * * mon-fri", zone="Europe/Lisbon", retries=2, jitter="5m"
            )
            made = (await jobs.create(house.cron, wish, ANA, MAKER)).job
            assert (made.name, made.prompt, made.zone) == ("morning", "What is due?", "Europe/Lisbon")
            assert made.policy.jitter_ms == 5 * MINUTE
            assert made.enabled
            assert [kept.job for kept in await jobs.list_(house.cron, ANA, 0, 10)] == [made]
            assert (await jobs.show(house.cron, "morning", ANA)).job == made
            assert (await jobs.show(house.cron, made.job_id, ANA)).job == made

    run(story())


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({}, "no schedule"),
    ({"cron": "@daily", "every": "5m"}, "more than one schedule"),
    ({"cron": "61 * * * *"}, "minute field has '61'"),
    ({"cron": "0 0 30 2 *"}, "never comes"),
    ({"cron": "@daily", "zone": "Mars/Base"}, "does not exist"),
    ({"every": "0s"}, "out of range"),
    ({"every": "5m", "jitter": "6m"}, "longer than the interval"),
    ({"every": "1d", "jitter": "2h"}, "out of range"),
    ({"at": "2020-01-01T00:00"}, "is past"),
    ({"every": "5m", "misfire": "retry"}, "unknown misfire 'retry'"),
    ({"every": "5m", "concurrency": "both"}, "unknown concurrency"),
    ({"every": "5m", "session": "own"}, "unknown session"),
    ({"every": "5m", "retries": 11}, "retries 11"),
    ({"every": "5m", "retries": -1}, "retries -1"),
    ({"every": "5m", "backoff": "2h"}, "out of range"),
    ({"every": "5m", "prompt": " \n"}, "prompt is empty"),
    ({"every": "5m", "prompt": "x" * 70_000}, "the limit is"),
    ({"every": "5m", "prompt": "\ud800"}, "surrogate"),
    ({"every": "5m", "name": ""}, "job name"),
    ({"every": "5m", "name": "a/b"}, "job name"),
    ({"every": "5m", "name": ".."}, "job name"),
    ({"cron": "*/10 2 * 3 7L", "zone": "Europe/Berlin"}, "no time to come"),
    ({"every": "5m", "name": "x" * 65}, "job name"),
    ({"every": "5m", "name": "01JD8QZ6T3M4N5P6Q7R8S9TABC"}, "looks like an id"),
    ({"every": "5m", "name": "two\nlines"}, "job name"),
]


def test_what_cannot_be_scheduled_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_schedule(tmp_path) as house:
            for wish, why in REFUSED:
                with pytest.raises(PalyraError, match=why) as caught:
                    await house.create(**wish)
                assert isinstance(caught.value, InvalidArgument | TooLarge), wish
                assert caught.value.hint, wish
            assert await jobs.list_(house.cron, ANA, 0, 10) == []

    run(story())


def test_names_are_unique_within_a_principal_and_free_again_after_deletion(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_schedule(tmp_path) as house:
            first = await house.create(name="news", every="5m")
            with pytest.raises(AlreadyExists, match="'news'"):
                await house.create(name="news", every="1h")
            await jobs.create(house.cron, CronWish("news", "Mine.", every="1h"), BOB, MAKER)
            await jobs.delete(house.cron, "news", ANA, Actor.USER)
            second = await house.create(name="news", every="1h")
            assert (await jobs.show(house.cron, "news", ANA)).job.job_id == second != first

    run(story())


def test_nobody_sees_or_changes_what_another_principal_scheduled(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_schedule(tmp_path) as house:
            job = await house.create(name="news", every="5m")
            await house.tick(5 * MINUTE)
            with pytest.raises(PermissionDenied):
                await jobs.show(house.cron, job, BOB)
            with pytest.raises(NotFound):
                await jobs.delete(house.cron, "news", BOB, Actor.USER)
            assert await jobs.list_(house.cron, BOB, 0, 10) == []
            assert await jobs.history(house.cron, None, BOB, 0, 10) == []

    run(story())


def test_a_change_leaves_the_rest_and_begins_anew_only_with_a_new_schedule(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_schedule(tmp_path) as house:
            job = await house.create(name="news", every="1h", retries=3)
            house.clock.advance(MINUTE)
            changed = (await jobs.update(house.cron, job, CronWish(prompt="Other?"), ANA, MAKER)).job
            assert (changed.name, changed.prompt, changed.policy.retries) == ("news", "Other?", 3)
            assert changed.next_ms == START + HOUR
            changed = (await jobs.update(house.cron, job, CronWish(every="2h"), ANA, MAKER)).job
            assert changed.next_ms == START + MINUTE + 2 * HOUR
            assert changed.prompt == "Other?"
            zoned = (await jobs.update(house.cron, job, CronWish(cron="0 9 * * *"), ANA, MAKER)).job
            moved = (await jobs.update(house.cron, job, CronWish(zone="Asia/Tokyo"), ANA, MAKER)).job
            assert zoned.next_ms is not None
            assert moved.next_ms is not None
            assert (zoned.next_ms - moved.next_ms) % (24 * HOUR) == 9 * HOUR
            with pytest.raises(InvalidArgument, match="nothing to change"):
                await jobs.update(house.cron, job, CronWish(), ANA, MAKER)

    run(story())


def test_what_passed_while_it_was_off_is_neither_run_nor_missed(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_schedule(tmp_path) as house:
            job = await house.create(every="1h", misfire="catch_up")
            await jobs.enable(house.cron, job, ANA, Actor.USER, enabled=False)
            await house.tick(5 * HOUR + MINUTE)
            assert await house.states() == []
            await jobs.enable(house.cron, job, ANA, Actor.USER, enabled=True)
            await house.tick()
            assert await house.states() == []
            await house.tick(HOUR - MINUTE)
            assert await house.states() == [(360, "running")]

    run(story())


def test_a_deleted_job_comes_no_more_and_keeps_its_history(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_schedule(tmp_path) as house:
            job = await house.create(name="news", every="1h")
            await house.tick(HOUR)
            await jobs.delete(house.cron, "news", ANA, Actor.USER)
            await house.tick(HOUR)
            assert await house.states("news") == [(60, "done")]
            assert await house.states(job) == [(60, "done")]
            with pytest.raises(NotFound):
                await jobs.show(house.cron, "news", ANA)
            with pytest.raises(NotFound):
                await jobs.enable(house.cron, job, ANA, Actor.USER, enabled=True)

    run(story())


async def _words_of(house: Scheduled) -> list[EventId]:
    found = await house.app.store.db.read(lambda tx: list_events(tx, EventFilter(kind=CronJobWorded.KIND), 0, 100))
    return [event.event_id for event in found]


def test_erased_words_are_gone_and_the_job_runs_no_more_but_says_what_it_did(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_schedule(tmp_path) as house:
            job = await house.create(name="news", prompt="Ask about the zebrafish.", every="1h")
            await jobs.update(house.cron, job, CronWish(prompt="Ask about the axolotl."), ANA, MAKER)
            await erase(house.app.store, house.app.journal, await _words_of(house), "asked", Origin("user:ana"))
            kept = (await jobs.show(house.cron, job, ANA)).job
            assert (kept.name, kept.prompt) == ("", "")
            await house.tick(3 * HOUR)
            assert await house.states(job) == []
            with pytest.raises(FailedPrecondition, match="was erased"):
                await jobs.enable(house.cron, job, ANA, Actor.USER, enabled=True)
            await jobs.update(house.cron, job, CronWish(name="again", prompt="Something else?"), ANA, MAKER)
            assert (await jobs.show(house.cron, "again", ANA)).job.prompt == "Something else?"

    run(story())
    assert verify_directory(tmp_path / "data").ok
    assert files_holding(tmp_path / "data", "axolotl") == files_holding(tmp_path / "data", "zebrafish") == []


def test_replaying_the_journal_gives_the_same_rows(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_schedule(tmp_path) as house:
            job = await house.create(name="news", every="1h", misfire="catch_up", retries=1)
            await house.create(name="bad", prompt="fail", cron="@hourly", zone="Asia/Kathmandu", retries=1)
            await house.tick(3 * HOUR)
            await house.tick(MINUTE)
            await house.tick(HOUR)
            await jobs.update(house.cron, job, CronWish(every="2h", session="fresh"), ANA, MAKER)
            await jobs.enable(house.cron, "bad", ANA, Actor.USER, enabled=False)
            await house.tick(2 * HOUR)
            await jobs.delete(house.cron, "bad", ANA, Actor.USER)

    run(story())
    assert verify_directory(tmp_path / "data").ok


def test_next_times_and_pages_have_bounds(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_schedule(tmp_path) as house:
            job = await house.create(every="1h")
            _, times = await jobs.upcoming(house.cron, job, ANA, 3)
            assert times == [START + n * HOUR for n in (1, 2, 3)]
            for count in (0, 101):
                with pytest.raises(InvalidArgument):
                    await jobs.upcoming(house.cron, job, ANA, count)
            for before, limit in ((0, 0), (0, 501), (-1, 10), (1 << 62, 10)):
                with pytest.raises(InvalidArgument):
                    await jobs.list_(house.cron, ANA, before, limit)
                with pytest.raises(InvalidArgument):
                    await jobs.history(house.cron, None, ANA, before, limit)
            with pytest.raises(InvalidArgument):
                await jobs.show(house.cron, "", ANA)

    run(story())
