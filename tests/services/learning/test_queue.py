"""One queue for what was held and what was learned: chosen by what it says, decided at once, taken back together."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from palyra.app import App
from palyra.core.errors import FailedPrecondition, InvalidArgument, NotFound, PermissionDenied
from palyra.domain.journal import Actor
from palyra.domain.learning.queue import Wanted
from palyra.domain.memory import Draft, MemorySource, Trust
from palyra.domain.scope import Visibility
from palyra.services.learning import queue
from palyra.services.learning.queue import Ruled, Ruling
from palyra.services.memory.ingest import ingest_many
from palyra.services.memory.search import SearchRequest, search
from proposing import Said, a_procedure, propose
from support import an_app, run, verify_directory

ANA = Visibility("user:ana")
WAITING = Wanted(stage="waiting")


@asynccontextmanager
async def an_app_where(tmp_path: Path, *held: Draft | str, said: tuple[Said | str, ...] = ()) -> AsyncIterator[App]:
    async with an_app(tmp_path, PALYRA_MEMORY_EMBEDDINGS_PROVIDER="hash", PALYRA_MEMORY_ENCODER="off") as app:
        drafts = [Draft(one, MemorySource.TOOL_RESULT) if isinstance(one, str) else one for one in held]
        await ingest_many(app.memory, drafts, ANA)
        await propose(app, said)
        yield app


async def rule(app: App, what: str, *ids: str, wanted: Wanted | None = None, request_id: str | None = None) -> Ruled:
    return await queue.rule(app.learning, ids, wanted, Ruling(what, request_id=request_id), ANA, Actor.USER)


async def texts(app: App, wanted: Wanted = WAITING, caller: Visibility = ANA) -> list[str]:
    return [one.text for one in (await queue.page(app.learning, wanted, caller, 0, 500)).rows]


async def count_events(app: App) -> int:
    rows = await app.memory.store.db.read(lambda tx: tx.execute("SELECT max(seq) FROM journal_events").fetchall())
    return cast("int", rows[0][0])


async def known(app: App, question: str) -> list[str]:
    return [hit.item.text for hit in (await search(app.memory, SearchRequest(question), ANA)).hits]


def test_what_was_held_and_what_was_learned_wait_in_one_line_in_the_order_they_came(tmp_path: Path) -> None:
    async def story() -> None:
        async with an_app_where(tmp_path, "The depot opens at six", said=("I own a boat",)) as app:
            found = await queue.page(app.learning, WAITING, ANA, 0, 500)
            assert [(one.text, one.queue) for one in found.rows] == [
                ("The depot opens at six", "held"),
                ("I own a boat", "learned"),
            ]
            assert found.total == 2
            second = await queue.page(app.learning, WAITING, ANA, found.rows[0].seq, 1)
            assert ([one.text for one in second.rows], second.total) == (["I own a boat"], 2)

    run(story())


def test_a_thousand_are_decided_by_what_they_say_and_taken_back_together(tmp_path: Path) -> None:
    async def story() -> None:
        held = [Draft(f"Locker {n} belongs to Ülkü", MemorySource.TOOL_RESULT) for n in range(1_000)]
        async with an_app_where(tmp_path, *held, "Bins go out on Monday") as app:
            done = await rule(app, "reject", wanted=Wanted(stage="waiting", subject="ülkü", trust=Trust.TOOL))
            assert (len(done.rows), done.refused) == (1_000, ())
            assert await texts(app) == ["Bins go out on Monday"]
            again = await rule(app, "undo", wanted=Wanted(batch=done.batch))
            assert len(again.rows) == 1_000
            assert len((await queue.page(app.learning, WAITING, ANA, 0, 500)).rows) == 500
            assert (await queue.page(app.learning, WAITING, ANA, 0, 500)).total == 1_001
        verify_directory(tmp_path)

    run(story())


@pytest.mark.parametrize(
    ("wanted", "left"),
    [
        (Wanted(source="import"), ["The pier is closed"]),
        (Wanted(trust=Trust.TOOL), ["The depot opens at six"]),
        (Wanted(reason="not_sure_enough"), ["I own a boat"]),
        (Wanted(kind="procedure"), ["release"]),
        (Wanted(subject="BOAT"), ["I own a boat"]),
        (Wanted(subject="nobody"), []),
    ],
)
def test_the_queue_is_chosen_from_by_each_thing_a_row_says(tmp_path: Path, wanted: Wanted, left: list[str]) -> None:
    async def story() -> None:
        imported = Draft("The pier is closed", MemorySource.IMPORT)
        said = ("I own a boat", a_procedure("release", "test", "tag"))
        async with an_app_where(tmp_path, "The depot opens at six", imported, said=said) as app:
            assert await texts(app, replace(wanted, stage="waiting")) == left

    run(story())


def test_approved_is_memory_undone_is_none_and_what_each_replaced_comes_back(tmp_path: Path) -> None:
    async def story() -> None:
        ports = tuple(f"The staging port is {n}" for n in (5432, 6543, 7654))
        async with an_app_where(tmp_path, *ports, said=("I own a boat",)) as app:
            done = await rule(app, "approve", wanted=WAITING)
            assert (len(done.rows), done.refused) == (4, ())
            assert await known(app, "staging port") == [ports[-1]]
            assert "I own a boat" in await known(app, "who owns a boat?")
            undone = await rule(app, "undo", wanted=Wanted(batch=done.batch))
            assert undone.refused == ()
            assert await known(app, "staging port") == []
            assert await known(app, "who owns a boat?") == []
            assert await texts(app) == [*ports, "I own a boat"]

    run(story())


def test_the_same_request_again_ends_the_same_and_decides_nothing_twice(tmp_path: Path) -> None:
    async def story() -> None:
        async with an_app_where(tmp_path, "The depot opens at six", "Bins go out on Monday") as app:
            first = await rule(app, "reject", wanted=WAITING, request_id="tidy-up")
            before = await count_events(app)
            second = await rule(app, "reject", wanted=WAITING, request_id="tidy-up")
            assert [one.proposal_id for one in second.rows] == [one.proposal_id for one in first.rows]
            assert await count_events(app) == before

    run(story())


def test_one_that_cannot_be_decided_holds_up_no_other(tmp_path: Path) -> None:
    async def story() -> None:
        async with an_app_where(tmp_path, "The depot opens at six", "Bins go out on Monday") as app:
            [first, second] = [one.proposal_id for one in (await queue.page(app.learning, WAITING, ANA, 0, 9)).rows]
            await rule(app, "reject", first)
            done = await rule(app, "approve", first, second)
            assert [one.proposal_id for one in done.rows] == [second]
            assert [no.error.code for no in done.refused] == ["failed_precondition"]
            with pytest.raises(FailedPrecondition):
                await rule(app, "approve", first)

    run(story())


def test_only_a_person_decides_and_only_what_they_see(tmp_path: Path) -> None:
    async def story() -> None:
        async with an_app_where(tmp_path, "The depot opens at six") as app:
            with pytest.raises(PermissionDenied):
                await queue.rule(app.learning, (), WAITING, Ruling("approve"), ANA, Actor.AGENT)
            bob = Visibility("user:bob")
            assert await texts(app, WAITING, bob) == []
            done = await queue.rule(app.learning, (), WAITING, Ruling("approve"), bob, Actor.USER)
            assert done.rows == ()
            [one] = (await queue.page(app.learning, WAITING, ANA, 0, 9)).rows
            with pytest.raises(NotFound):
                await queue.rule(app.learning, (one.proposal_id,), None, Ruling("approve"), bob, Actor.USER)
            assert await texts(app) == ["The depot opens at six"]

    run(story())


@pytest.mark.parametrize(
    ("ids", "wanted", "ruling"),
    [
        ((), None, Ruling("approve")),
        (("01JD8QZ6T3M4N5P6Q7R8S9TABC",), WAITING, Ruling("approve")),
        ((), WAITING, Ruling("burn")),
        ((), Wanted(stage="lost"), Ruling("approve")),
        ((), Wanted(stage="rejected"), Ruling("approve")),
        ((), WAITING, Ruling("approve", text="In other words")),
        ((), WAITING, Ruling("reject", reason="x" * 501)),
    ],
)
def test_a_bad_request_is_one_clear_error_and_decides_nothing(
    tmp_path: Path, ids: tuple[str, ...], wanted: Wanted | None, ruling: Ruling
) -> None:
    async def story() -> None:
        async with an_app_where(tmp_path, "The depot opens at six") as app:
            with pytest.raises(InvalidArgument):
                await queue.rule(app.learning, ids, wanted, ruling, ANA, Actor.USER)
            assert await texts(app) == ["The depot opens at six"]

    run(story())
