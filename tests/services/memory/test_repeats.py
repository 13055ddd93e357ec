"""Whoever got no answer asks again with the same id: the effect is there once, and the answer is the first one."""

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from palyra.api import dispatch
from palyra.api import journal as journal_api
from palyra.api import memory as api
from palyra.api.call import Call, Caller, owner
from palyra.api.operation import Operation
from palyra.app import App
from palyra.core import limits
from palyra.core.clock import ManualClock
from palyra.core.errors import Conflict, FailedPrecondition, InvalidArgument, NotFound, Unavailable
from palyra.domain.access import Capability
from palyra.domain.journal import Actor
from palyra.store.upkeep.rebuild import find_drift
from palyra.wire import memory as wire
from palyra.wire.base import Request
from palyra.wire.journal import AppendEvent
from support import an_app, files_holding, run

Asked = tuple[Operation[Any, Any], Request]
ANA = owner("user:ana")
AGENT = Caller("user:ana", frozenset({Capability.READ, Capability.WRITE}), Actor.AGENT)


def opened(root: Path, clock: ManualClock | None = None) -> App:
    return an_app(root, clock, PALYRA_MEMORY_EMBEDDINGS_PROVIDER="hash")


async def ask(app: App, asked: Asked, caller: Caller = ANA) -> Any:
    return await dispatch.run(Call(app, caller), *asked)


async def keep(app: App, text: str, **given: Any) -> str:
    done = await ask(app, (api.retain, wire.Retain(text=text, **given)))
    return str(done.memory_id or done.candidate_id)


async def size(app: App) -> int:
    return (await app.journal.head())[0]


def told(answer: Any) -> Any:
    """An answer without the one thing in which a repeated one may differ."""
    fields = msgspec.to_builtins(answer)
    for one in (fields, *fields.get("results", [])):
        one.pop("repeated", None)
    return fields


def is_repeat(answer: Any) -> bool:
    results = getattr(answer, "results", None)
    return all(one.repeated for one in results) if results else bool(answer.repeated)


async def retain(_app: App) -> Asked:
    return api.retain, wire.Retain(text="I prefer tea", tags=("drinks",), request_id="r")


async def retain_what_conflicts(app: App) -> Asked:
    await keep(app, "Ana lives in Lisbon")
    return api.retain, wire.Retain(text="Ana lives in Porto", request_id="r")


async def retain_what_is_held(_app: App) -> Asked:
    return api.retain, wire.Retain(text="The disk is full", source="tape:tool_result", request_id="r")


async def retain_many(_app: App) -> Asked:
    texts = ("I prefer tea", "Ana lives in Lisbon", "Ana lives in Porto", "I prefer  tea")
    return api.retain_many, wire.RetainMany(items=[wire.RetainedText(text=text) for text in texts], request_id="r")


async def retain_turns(_app: App) -> Asked:
    turns = [
        wire.RetainedText(text="Thanks!", source="tape:user_message", thread="t", said_at_ms=n % 300 + 1)
        for n in range(310)
    ]
    return api.retain_many, wire.RetainMany(items=turns, request_id="r")


async def update(app: App) -> Asked:
    return api.update, wire.UpdateItem(memory_id=await keep(app, "I prefer tea"), text="I like tea", request_id="r")


async def supersede(app: App) -> Asked:
    old, new = await keep(app, "I prefer tea"), await keep(app, "The car is red")
    return api.supersede, wire.SupersedeItem(old_id=old, new_id=new, request_id="r")


async def delete(app: App) -> Asked:
    ids = [await keep(app, "I prefer tea"), await keep(app, "The car is red")]
    return api.delete, wire.DeleteItems(memory_ids=ids, request_id="r")


async def purge(app: App) -> Asked:
    await keep(app, "I prefer tea", channel="c")
    await keep(app, "The car is red", channel="c")
    return api.purge, wire.Purge(channel="c", request_id="r")


async def purge_nothing(_app: App) -> Asked:
    return api.purge, wire.Purge(channel="c", request_id="r")


async def approve(app: App) -> Asked:
    held = await keep(app, "The disk is full", source="tape:tool_result")
    return api.decide, wire.DecideCandidate(candidate_id=held, approve=True, text="A disk was full", request_id="r")


async def reject(app: App) -> Asked:
    held = await keep(app, "The disk is full", source="tape:tool_result")
    return api.decide, wire.DecideCandidate(candidate_id=held, approve=False, reason="noise", request_id="r")


WRITES = (
    retain, retain_what_conflicts, retain_what_is_held, retain_many, retain_turns, update, supersede, delete, purge,
    purge_nothing, approve, reject,
)  # fmt: skip
every_write = pytest.mark.parametrize("prepare", WRITES)
Prepare = Callable[[App], Awaitable[Asked]]


@every_write
def test_a_repeated_request_gets_its_first_answer_and_changes_nothing(tmp_path: Path, prepare: Prepare) -> None:
    async def work() -> None:
        clock = ManualClock()
        async with opened(tmp_path, clock) as app:
            asked = await prepare(app)
            first = await ask(app, asked)
            after = await size(app)
            assert not is_repeat(first)
            for _ in range(3):
                clock.advance(1_000)
                again = await ask(app, asked)
                assert is_repeat(again)
                assert told(again) == told(first)
            assert await size(app) == after
            assert (await app.store.db.read(find_drift))[1] == []

    run(work())


@every_write
def test_a_request_is_known_again_after_a_restart(tmp_path: Path, prepare: Prepare) -> None:
    async def before() -> tuple[Asked, Any, int]:
        async with opened(tmp_path) as app:
            asked = await prepare(app)
            return asked, await ask(app, asked), await size(app)

    async def after(asked: Asked, first: Any, events: int) -> None:
        async with opened(tmp_path) as app:
            before, rebuilt = await app.journal.rebuild(lambda _seq: None)
            assert before == rebuilt
            again = await ask(app, asked)
            assert is_repeat(again)
            assert told(again) == told(first)
            assert await size(app) == events

    run(after(*run(before())))


@every_write
def test_of_equal_requests_at_the_same_time_one_has_an_effect(tmp_path: Path, prepare: Prepare) -> None:
    async def work() -> None:
        async with opened(tmp_path / "one") as app:
            alone = await prepare(app)
            await ask(app, alone)
            expected = await size(app)
        async with opened(tmp_path / "many") as app:
            asked = await prepare(app)
            answers = await asyncio.gather(*(ask(app, asked) for _ in range(8)))
            assert await size(app) == expected
            assert all(told(answer) == told(answers[0]) for answer in answers)

    run(work())


@every_write
def test_the_same_id_with_another_content_is_a_conflict(tmp_path: Path, prepare: Prepare) -> None:
    async def work() -> None:
        async with opened(tmp_path) as app:
            operation, request = await prepare(app)
            await ask(app, (operation, request))
            after = await size(app)
            for other in (
                (operation, msgspec.structs.replace(request, session_id="elsewhere")),
                (operation, msgspec.structs.replace(request, actor="operator")),
                (api.retain, wire.Retain(text="I drink coffee", request_id="r")),
                (api.retain_many, wire.RetainMany(items=[wire.RetainedText(text="I prefer tea")], request_id="r")),
                (api.purge, wire.Purge(purge_all_principal=True, request_id="r")),
            ):
                with pytest.raises(Conflict, match="used for a different request"):
                    await ask(app, other)
            assert await size(app) == after

    run(work())


def test_a_time_to_live_is_the_same_request_a_moment_later(tmp_path: Path) -> None:
    async def work() -> None:
        clock = ManualClock()
        async with opened(tmp_path, clock) as app:
            held = wire.Retain(text="I prefer tea", ttl_ms=60_000, request_id="a")
            first = await ask(app, (api.retain, held))
            longer = wire.UpdateItem(memory_id=first.memory_id, ttl_ms=90_000, request_id="b")
            await ask(app, (api.update, longer))
            clock.advance(10)
            assert (await ask(app, (api.retain, held))).memory_id == first.memory_id
            assert (await ask(app, (api.update, longer))).repeated

    run(work())


def test_an_id_belongs_to_its_principal(tmp_path: Path) -> None:
    async def work() -> None:
        async with opened(tmp_path) as app:
            asked = await retain(app)
            first = await ask(app, asked)
            other = await ask(app, asked, owner("user:bob"))
            assert not other.repeated
            assert other.memory_id != first.memory_id

    run(work())


def test_an_agent_does_not_get_the_answer_to_a_persons_request(tmp_path: Path) -> None:
    async def work() -> None:
        async with opened(tmp_path) as app:
            asked = await retain(app)
            await ask(app, asked)
            with pytest.raises(Conflict):
                await ask(app, asked, AGENT)

    run(work())


def test_a_request_that_fails_can_be_asked_again_under_its_id(tmp_path: Path) -> None:
    async def work() -> None:
        async with opened(tmp_path) as app:
            unknown = wire.UpdateItem(memory_id="01JD8QZ6T3M4N5P6Q7R8S9TABC", pinned=True, request_id="r")
            with pytest.raises(NotFound):
                await ask(app, (api.update, unknown))
            memory_id = await keep(app, "I prefer tea")
            found = wire.UpdateItem(memory_id=memory_id, pinned=True, request_id="r")
            assert not (await ask(app, (api.update, found))).repeated

    run(work())


def test_an_interrupted_batch_goes_on_where_it_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def work(prepare: Prepare, root: Path, done: int, events: int) -> None:
        async with opened(root) as app:
            asked = await prepare(app)
            break_after(app, monkeypatch, 1)
            with pytest.raises(Unavailable):
                await ask(app, asked)
            assert await size(app) == done
        async with opened(root) as app:
            finished = await ask(app, asked)
            assert [one.repeated for one in finished.results].count(True) == done
            assert await size(app) == events
            again = await ask(app, asked)
            assert is_repeat(again)
            assert told(again) == told(finished)

    run(work(retain_many, tmp_path / "items", 1, 6))
    run(work(retain_turns, tmp_path / "turns", 256, 310))


def test_a_repeated_purge_finishes_what_was_begun_and_spares_what_came_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work() -> None:
        monkeypatch.setattr(limits, "BULK_ITEMS", 2)
        async with opened(tmp_path) as app:
            for text in ("I prefer tea", "The car is red", "Ana lives in Lisbon", "Bob plays chess"):
                await keep(app, text, channel="c")
            asked: Asked = (api.purge, wire.Purge(channel="c", request_id="r"))
            break_after(app, monkeypatch, 1)
            with pytest.raises(Unavailable):
                await ask(app, asked)
        async with opened(tmp_path) as app:
            finished = await ask(app, asked)
            assert (finished.deleted, finished.repeated) == (4, False)
            later = await keep(app, "The boat is blue", channel="c")
            again = await ask(app, asked)
            assert (again.deleted, again.repeated) == (4, True)
            page = await ask(app, (api.list_, wire.ListItems(channel="c")))
            assert [item.memory_id for item in page.items] == [later]

    run(work())


def break_after(app: App, monkeypatch: pytest.MonkeyPatch, commits: int) -> None:
    """The journal of `app` takes so many commits, and then no more."""
    commit, left = app.journal.commit, [None] * commits

    async def breaking(*given: Any) -> Any:
        if not left:
            raise Unavailable("the disk is gone")
        left.pop()
        return await commit(*given)

    monkeypatch.setattr(app.journal, "commit", breaking)


def test_what_was_erased_since_is_not_answered_again(tmp_path: Path) -> None:
    async def work() -> None:
        async with opened(tmp_path) as app:
            asked = await update(app)
            changed = await ask(app, asked)
            await ask(app, (api.erase, wire.EraseMemory(ids=[changed.item.memory_id])))
            with pytest.raises(FailedPrecondition, match="erased"):
                await ask(app, asked)

    run(work())


def test_a_request_id_leaves_no_secret_of_its_request_behind(tmp_path: Path) -> None:
    async def work() -> None:
        token = "ghp_" + secrets.token_hex(20)
        async with opened(tmp_path) as app:
            asked: Asked = (api.retain, wire.Retain(text=f"the key is {token}", request_id="r"))
            first = await ask(app, asked)
            assert (await ask(app, asked)).candidate_id == first.candidate_id
            # Which secret it was is no part of the digest, or it could be tried out.
            other: Asked = (api.retain, wire.Retain(text=f"the key is ghp_{secrets.token_hex(20)}", request_id="r"))
            assert (await ask(app, other)).repeated
        assert files_holding(tmp_path, token) == []

    run(work())


def test_an_id_that_leaves_no_room_for_parts_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    async def work() -> None:
        async with opened(tmp_path) as app:
            long = "r" * limits.IDENTIFIER_BYTES
            await ask(app, (api.retain, wire.Retain(text="I prefer tea", request_id=long)))
            for asked in (
                (api.retain_many, wire.RetainMany(items=[wire.RetainedText(text="x y z")], request_id=long)),
                (api.purge, wire.Purge(channel="c", request_id=long)),
                (api.delete, wire.DeleteItems(memory_ids=["01JD8QZ6T3M4N5P6Q7R8S9TABC"], request_id="")),
                (api.retain, wire.Retain(text="x y z", request_id="a\nb")),
            ):
                with pytest.raises(InvalidArgument, match="request id"):
                    await ask(app, asked)
            assert await size(app) == 1

    run(work())


@pytest.mark.parametrize("payload", [{"a": "\ud800"}, {"a": float("nan")}])
def test_a_repeatable_event_that_is_no_json_is_one_clear_error(tmp_path: Path, payload: dict[str, Any]) -> None:
    async def work() -> None:
        async with opened(tmp_path) as app:
            with pytest.raises(InvalidArgument):
                await ask(app, (journal_api.append, AppendEvent(kind="note", payload=payload, request_id="r")))
            with pytest.raises(InvalidArgument):
                await ask(app, (api.retain, wire.Retain(text="half \ud800 a pair", request_id="r")))
            assert await size(app) == 0

    run(work())
