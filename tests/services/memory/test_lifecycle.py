"""Looking at single memories, changing them, and taking them out again."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from palyra.core import limits
from palyra.core.clock import ManualClock
from palyra.core.errors import FailedPrecondition, InvalidArgument, NotFound, PermissionDenied
from palyra.core.ids import MemoryId
from palyra.domain.journal import Actor
from palyra.domain.labels import Category
from palyra.domain.memory import AsOf, Change, ConflictFound, Draft, ItemFilter, MemorySource, Merged, Stored, Trust
from palyra.domain.scope import ScopeKind, Visibility
from palyra.services.memory import lifecycle, upkeep
from palyra.services.memory.context import Memory
from palyra.services.memory.ingest import ingest
from palyra.services.memory.search import SearchRequest, search
from support import a_memory, run

ANA = Visibility("user:ana")
TOM = Visibility("user:tom")
NOBODY = "01JD8QZ6T3M4N5P6Q7R8S9TABC"
SOMETHING = "01JD8QZ6T3M4N5P6Q7R8S9TABD"

Action = Callable[[Memory, str, Visibility], Awaitable[object]]


async def keep(memory: Memory, text: str, caller: Visibility = ANA, **given: object) -> MemoryId:
    outcome = (await ingest(memory, Draft(text, **given), caller)).outcome  # type: ignore[arg-type]
    assert isinstance(outcome, Stored | Merged | ConflictFound)
    return outcome.memory_id


async def texts(memory: Memory, caller: Visibility = ANA, **given: object) -> list[str]:
    want = ItemFilter(**given)  # type: ignore[arg-type]
    return [item.text for item in await lifecycle.list_(memory, caller, want)]


async def found(memory: Memory, query: str, as_of: AsOf | None = None, caller: Visibility = ANA) -> list[str]:
    result = await search(memory, SearchRequest(query, as_of=as_of), caller)
    return [hit.item.text for hit in result.hits]


ACTIONS: dict[str, Action] = {
    "get": lifecycle.get,
    "history": lifecycle.history,
    "update": lambda memory, memory_id, caller: lifecycle.update(memory, memory_id, Change(pinned=True), caller),
    "delete": lambda memory, memory_id, caller: lifecycle.delete(memory, [memory_id], caller),
    "erase": lambda memory, memory_id, caller: lifecycle.erase(memory, [memory_id], "asked for", caller),
    "supersede": lambda memory, memory_id, caller: lifecycle.supersede(memory, memory_id, SOMETHING, caller),
}


@pytest.mark.parametrize("action", ACTIONS)
def test_unknown_foreign_and_malformed_ids_are_three_errors_and_write_nothing(tmp_path: Path, action: str) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            memory_id = await keep(memory, "The spare key is under the blue pot")
            cases = [
                (NOBODY, ANA, NotFound),
                (memory_id, TOM, PermissionDenied),
                ("not-an-id", ANA, InvalidArgument),
                (memory_id.lower(), ANA, InvalidArgument),
                ("", ANA, InvalidArgument),
                (memory_id + "\ud800", ANA, InvalidArgument),
            ]
            for wanted, caller, error in cases:
                with pytest.raises(error) as caught:
                    await ACTIONS[action](memory, wanted, caller)
                assert caught.value.hint
                assert "blue pot" not in str(caught.value.body())
            assert (await memory.journal.status()).size == 1

    run(story())


@pytest.mark.parametrize("action", ["update", "delete", "supersede"])
def test_what_was_deleted_cannot_be_changed_again(tmp_path: Path, action: str) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            memory_id = await keep(memory, "The spare key is under the blue pot")
            await lifecycle.delete(memory, [memory_id], ANA)
            with pytest.raises(FailedPrecondition, match="deleted before"):
                await ACTIONS[action](memory, memory_id, ANA)

    run(story())


def test_an_item_of_one_channel_is_denied_in_another_and_without_one(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            here = Visibility("user:ana", "discord:1")
            memory_id = await keep(memory, "The launch code is on the wiki", here)
            assert (await lifecycle.get(memory, memory_id, here)).item.scope.kind is ScopeKind.CHANNEL
            for elsewhere in (ANA, Visibility("user:ana", "discord:2"), Visibility("user:ana", "discord:1 ")):
                with pytest.raises(PermissionDenied):
                    await lifecycle.get(memory, memory_id, elsewhere)

    run(story())


# -- listing


@pytest.mark.parametrize("newest_first", [False, True])
def test_pages_hold_every_item_once_in_the_order_asked_for(tmp_path: Path, *, newest_first: bool) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            made = [await keep(memory, f"Shelf {n} holds box number {n * 7}") for n in range(7)]
            seen: list[str] = []
            after = ""
            while page := await lifecycle.list_(memory, ANA, ItemFilter(), after, 3, newest_first=newest_first):
                seen += [item.memory_id for item in page]
                after = page[-1].memory_id
            assert seen == (made[::-1] if newest_first else made)

    run(story())


@pytest.mark.parametrize(("after", "limit"), [("", 0), ("", -1), ("", limits.PAGE_ITEMS + 1), ("x", 5), ("%", 5)])
def test_a_page_that_makes_no_sense_is_refused(tmp_path: Path, after: str, limit: int) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            with pytest.raises(InvalidArgument):
                await lifecycle.list_(memory, ANA, ItemFilter(), after, limit)

    run(story())


def test_a_list_is_filtered_by_all_that_is_given(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            await keep(memory, "The dog eats at seven", tags=("dog", "food"))
            await keep(memory, "Walks are at nine", tags=("dog",), category=Category.PROCEDURE)
            await keep(memory, "Summary of the week", source=MemorySource.SUMMARY, tags=("d_g",))
            assert len(await texts(memory, tags=("dog",))) == 2
            assert await texts(memory, tags=("dog", "food")) == ["The dog eats at seven"]
            assert await texts(memory, tags=("dog", "dog"), categories=(Category.PROCEDURE,)) == ["Walks are at nine"]
            assert await texts(memory, sources=(MemorySource.SUMMARY,)) == ["Summary of the week"]
            assert await texts(memory, trusts=(Trust.AGENT,)) == ["Summary of the week"]
            assert len(await texts(memory, trusts=(Trust.OWNER,))) == 2
            assert await texts(memory, tags=("d%",)) == []
            assert await texts(memory, tags=("d_g",)) == ["Summary of the week"]
            assert await texts(memory, tags=("half \ud800",)) == []

    run(story())


# -- changing


def test_a_new_text_is_a_new_version_and_the_old_one_is_answerable_as_of_before(tmp_path: Path) -> None:
    async def story() -> None:
        clock = ManualClock()
        async with a_memory(tmp_path, clock) as memory:
            memory_id = await keep(memory, "The quixotic office is on the second floor")
            before = AsOf(at_ms=clock.now_ms() + 1_000), AsOf(seq=1)
            clock.advance(60_000)
            item, receipt = await lifecycle.update(
                memory, memory_id, Change(text="The quixotic office is on the fifth floor", reason="moved"), ANA
            )
            assert (item.text, item.memory_id) == ("The quixotic office is on the fifth floor", memory_id)
            for moment in before:
                assert await found(memory, "quixotic office", moment) == ["The quixotic office is on the second floor"]
            for now in (None, AsOf(at_ms=clock.now_ms()), AsOf(seq=receipt.seq)):
                assert await found(memory, "quixotic office", now) == ["The quixotic office is on the fifth floor"]
            assert await texts(memory) == ["The quixotic office is on the fifth floor"]

    run(story())


def test_a_version_stays_answerable_as_of_its_time_whatever_happens_to_it_later(tmp_path: Path) -> None:
    async def story() -> None:
        clock = ManualClock()
        async with a_memory(tmp_path, clock) as memory:
            memory_id = await keep(memory, "The quixotic office is on the second floor")
            clock.advance(60_000)
            await lifecycle.update(memory, memory_id, Change(text="The quixotic office is on the fifth floor"), ANA)
            moment = AsOf(at_ms=clock.now_ms() + 1)
            clock.advance(60_000)
            await lifecycle.update(memory, memory_id, Change(pinned=True), ANA)
            assert await found(memory, "quixotic office", moment) == ["The quixotic office is on the fifth floor"]
            await lifecycle.delete(memory, [memory_id], ANA)
            assert await found(memory, "quixotic office", moment) == ["The quixotic office is on the fifth floor"]
            assert await found(memory, "quixotic office") == []

    run(story())


def test_a_fact_of_the_future_is_not_known_before_its_time_in_any_version(tmp_path: Path) -> None:
    async def story() -> None:
        clock = ManualClock()
        async with a_memory(tmp_path, clock) as memory:
            start = clock.now_ms() + 1_000_000
            memory_id = await keep(memory, "The quixotic office opens at eight", valid_from_ms=start)
            clock.advance(1_000)
            await lifecycle.update(memory, memory_id, Change(text="The quixotic office opens at nine"), ANA)
            assert await found(memory, "quixotic office", AsOf(at_ms=start - 1)) == []
            assert await found(memory, "quixotic office", AsOf(at_ms=start)) == ["The quixotic office opens at nine"]

    run(story())


def test_every_field_can_be_changed_by_itself(tmp_path: Path) -> None:
    async def story() -> None:
        clock = ManualClock()
        async with a_memory(tmp_path, clock) as memory:
            memory_id = await keep(memory, "Coffee is at ten", tags=("break",))

            async def change(**given: object) -> object:
                return (await lifecycle.update(memory, memory_id, Change(**given), ANA))[0]  # type: ignore[arg-type]

            item = await change(tags=())
            assert item.tags == ()  # type: ignore[attr-defined]
            item = await change(category=Category.DECISION, confidence_bps=0)
            assert (item.category, item.confidence_bps) == (Category.DECISION, 0)  # type: ignore[attr-defined]
            item = await change(pinned=True)
            assert item.pinned  # type: ignore[attr-defined]
            item = await change(pinned=False, expires_at_ms=clock.now_ms() + 5)
            assert (item.pinned, item.expires_at_ms) == (False, clock.now_ms() + 5)  # type: ignore[attr-defined]
            item = await change(never_expires=True)
            assert item.expires_at_ms is None  # type: ignore[attr-defined]
            assert item.text == "Coffee is at ten"  # type: ignore[attr-defined]
            assert item.seq == 1  # type: ignore[attr-defined]

    run(story())


@pytest.mark.parametrize(
    "change",
    [
        Change(),
        Change(reason="just so"),
        Change(text=""),
        Change(text="\u200b"),
        Change(text="half \ud800"),
        Change(text="x" * 17_000),
        Change(text="Coffee is at ten"),
        Change(text=" Coffee is at ten\n"),
        Change(tags=("",)),
        Change(tags=tuple(f"t{n}" for n in range(33))),
        Change(confidence_bps=10_001),
        Change(confidence_bps=-1),
        Change(expires_at_ms=1),
        Change(expires_at_ms=2**63),
        Change(expires_at_ms=2**80),
        Change(pinned=True, reason="half \ud800"),
    ],
)
def test_a_change_that_makes_no_sense_is_refused_and_writes_nothing(tmp_path: Path, change: Change) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            memory_id = await keep(memory, "Coffee is at ten")
            with pytest.raises(InvalidArgument) as caught:
                await lifecycle.update(memory, memory_id, change, ANA)
            assert caught.value.hint
            assert (await memory.journal.status()).size == 1

    run(story())


def test_an_agent_may_not_rewrite_what_the_owner_said(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            memory_id = await keep(memory, "Coffee is at ten")
            with pytest.raises(PermissionDenied):
                await lifecycle.update(memory, memory_id, Change(text="Coffee is at noon"), ANA, Actor.AGENT)

    run(story())


def test_rewriting_raises_nobodys_trust(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            done = await ingest(memory, Draft("Coffee is at ten"), ANA, Actor.AGENT)
            assert isinstance(done.outcome, Stored)
            change = Change(text="Coffee is at noon")
            item, _ = await lifecycle.update(memory, done.outcome.memory_id, change, ANA, Actor.USER)
            assert item.trust is Trust.AGENT

    run(story())


# -- superseding


def test_a_superseded_item_is_past_and_its_history_says_by_what(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            old = await keep(memory, "Standup is on Monday mornings")
            new = await keep(memory, "The team talks on Tuesdays after lunch")
            await lifecycle.supersede(memory, old, new, ANA)
            assert await texts(memory) == ["The team talks on Tuesdays after lunch"]
            assert len(await texts(memory, include_past=True)) == 2
            assert (await lifecycle.get(memory, old, ANA)).item.superseded_by == new
            last = (await lifecycle.history(memory, old, ANA))[-1]
            assert (last.kind, last.actor) == ("memory.superseded", "user")
            assert last.body is not None
            assert last.body["by"] == new

    run(story())


def test_superseding_in_a_circle_would_hide_both_and_is_refused(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            old = await keep(memory, "Standup is on Monday mornings")
            new = await keep(memory, "The team talks on Tuesdays after lunch")
            await lifecycle.supersede(memory, old, new, ANA)
            for one, other in ((new, old), (old, new)):
                with pytest.raises(FailedPrecondition):
                    await lifecycle.supersede(memory, one, other, ANA)
            with pytest.raises(InvalidArgument):
                await lifecycle.supersede(memory, new, new, ANA)
            assert await texts(memory) == ["The team talks on Tuesdays after lunch"]

    run(story())


def test_nothing_supersedes_across_scopes(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            here = Visibility("user:ana", "discord:1")
            old = await keep(memory, "Standup is on Monday mornings")
            new = await keep(memory, "The team talks on Tuesdays after lunch", here)
            with pytest.raises(FailedPrecondition, match="different scopes"):
                await lifecycle.supersede(memory, old, new, here)

    run(story())


# -- deleting


def test_a_deleted_item_is_in_no_answer_and_its_history_stays(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            memory_id = await keep(memory, "The zebra is in the yard")
            deleted, _ = await lifecycle.delete(memory, [memory_id, memory_id], ANA)
            assert deleted == 1
            assert await found(memory, "zebra yard") == []
            assert await texts(memory, include_past=True) == []
            assert (await lifecycle.get(memory, memory_id, ANA)).item.closed_why == "deleted"
            kinds = [event.kind for event in await lifecycle.history(memory, memory_id, ANA)]
            assert kinds == ["memory.stored", "memory.deleted"]

    run(story())


def test_the_history_of_a_deleted_item_names_no_other_item(tmp_path: Path) -> None:
    """One event may take out many, some of them in scopes that this caller does not see."""

    async def story() -> None:
        clock = ManualClock()
        async with a_memory(tmp_path, clock) as memory:
            end = clock.now_ms() + 1_000
            mine = await keep(memory, "The zebra is in the yard", expires_at_ms=end)
            hidden = await keep(memory, "The launch is late", Visibility("user:ana", "discord:1"), expires_at_ms=end)
            clock.advance(2_000)
            assert (await upkeep.maintain(memory)).expired == 2
            assert hidden not in repr(await lifecycle.history(memory, mine, ANA))

    run(story())


@pytest.mark.parametrize("count", [0, limits.BULK_ITEMS + 1])
def test_too_few_and_too_many_ids_are_refused(tmp_path: Path, count: int) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            with pytest.raises(InvalidArgument, match=f"{count} ids"):
                await lifecycle.delete(memory, [NOBODY] * count, ANA)
            with pytest.raises(InvalidArgument, match=f"{count} ids"):
                await lifecycle.erase(memory, [NOBODY] * count, "asked for", ANA)

    run(story())


def test_one_id_that_cannot_be_deleted_keeps_them_all(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            mine = await keep(memory, "The zebra is in the yard")
            theirs = await keep(memory, "The zebra is in the barn", TOM)
            with pytest.raises(PermissionDenied):
                await lifecycle.delete(memory, [mine, theirs], ANA)
            with pytest.raises(NotFound):
                await lifecycle.delete(memory, [mine, NOBODY], ANA)
            assert await texts(memory) == ["The zebra is in the yard"]

    run(story())


# -- purging

CHANNEL = Visibility("user:ana", "discord:1")
OTHER_CHANNEL = Visibility("user:ana", "discord:2")
SESSION = Visibility("user:ana", "discord:1", "s1")
BARE_SESSION = Visibility("user:ana", None, "s1")


async def furnish(memory: Memory) -> None:
    for number, caller in enumerate((ANA, CHANNEL, OTHER_CHANNEL, SESSION, BARE_SESSION, TOM)):
        await keep(memory, f"Place {number}", caller)


@pytest.mark.parametrize(
    ("caller", "everything", "left"),
    [
        (CHANNEL, False, {0, 2, 3, 4, 5}),
        (OTHER_CHANNEL, False, {0, 1, 3, 4, 5}),
        (SESSION, False, {0, 1, 2, 4, 5}),
        (BARE_SESSION, False, {0, 1, 2, 3, 5}),
        (ANA, True, {1, 2, 3, 4, 5}),
        (CHANNEL, True, {2, 3, 4, 5}),
        (SESSION, True, {2, 5}),
    ],
)
def test_a_purge_takes_what_is_scoped_to_the_place_and_never_what_is_out_of_sight(
    tmp_path: Path, caller: Visibility, everything: bool, left: set[int]
) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            await furnish(memory)
            deleted = (await lifecycle.purge(memory, caller, everything=everything)).deleted
            assert deleted == 6 - len(left)
            seen = set()
            for place in (ANA, CHANNEL, OTHER_CHANNEL, SESSION, BARE_SESSION, TOM):
                seen.update(await texts(memory, place))
            assert seen == {f"Place {number}" for number in left}
            assert (await lifecycle.purge(memory, caller, everything=everything)).deleted == 0

    run(story())


def test_a_purge_of_nowhere_in_particular_is_refused(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            await furnish(memory)
            with pytest.raises(InvalidArgument, match="channel or a session"):
                await lifecycle.purge(memory, ANA)
            assert await texts(memory) == ["Place 0"]

    run(story())
