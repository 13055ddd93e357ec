"""What was looked at is what is applied, or nothing."""

from pathlib import Path

import pytest

from chatting import ANA, Chat, a_chat, with_provider
from palyra.api import chat as sessions
from palyra.api import continuity as api
from palyra.api import memory as memories
from palyra.api.call import owner
from palyra.core.errors import Conflict, FailedPrecondition, NotFound, PalyraError, PermissionDenied
from palyra.services.continuity.previewing import PreviewedPlans
from providers.models.scripted_provider import says, scripted_provider
from services.continuity.continuing import FACTS, compact, read, record, taped, turns, write
from services.continuity.test_automatic import an_answer, first_seq
from support import run


async def nothing_was_condensed(chat: Chat, session: str) -> bool:
    return not (await chat.do(api.list_, session=session)).compactions


def test_with_a_model_the_plan_that_was_looked_at_is_applied_and_the_model_is_not_asked_again(tmp_path: Path) -> None:
    async def story() -> None:
        with scripted_provider() as provider:
            async with a_chat(tmp_path, **with_provider(provider.url)) as chat:
                session = await taped(chat, "trip", 40)
                provider.then(says(an_answer(await first_seq(chat, session))))
                seen = await chat.do(api.preview, session=session)
                assert seen.planner == "model"
                asked = len(provider.bodies)
                provider.then(says("I would rather not."))
                done = await compact(chat, session, plan_id=seen.plan_id)
                assert (done.planner, done.summary) == ("model", seen.summary)
                assert len(provider.bodies) == asked

    run(story())


def test_with_a_model_a_plan_that_is_not_kept_is_refused(tmp_path: Path) -> None:
    async def story() -> None:
        with scripted_provider() as provider:
            settings = with_provider(provider.url)
            async with a_chat(tmp_path, **settings) as chat:
                session = await taped(chat, "trip", 40)
                provider.then(says(an_answer(await first_seq(chat, session))))
                seen = await chat.do(api.preview, session=session)
            async with a_chat(tmp_path, **settings) as chat:
                asked = len(provider.bodies)
                with pytest.raises(FailedPrecondition, match="no plan") as caught:
                    await compact(chat, session, plan_id=seen.plan_id)
                assert "--preview again" in caught.value.hint
                assert len(provider.bodies) == asked
                assert await nothing_was_condensed(chat, session)

    run(story())


def test_without_a_model_a_plan_holds_from_one_process_to_the_next(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            session = await taped(chat, "trip")
            seen = await chat.do(api.preview, session=session)
            assert (await chat.do(api.preview, session=session)).plan_id == seen.plan_id
        async with a_chat(tmp_path) as chat:
            done = await compact(chat, session, plan_id=seen.plan_id)
            assert done.summary == seen.summary
            assert FACTS[0] in await read(chat, "MEMORY.md")
            with pytest.raises(PalyraError):
                await compact(chat, session, plan_id=seen.plan_id)
            assert len((await chat.do(api.list_, session=session)).compactions) == 1

    run(story())


@pytest.mark.parametrize("what", ["said", "undone", "pinned", "document", "file"])
@pytest.mark.parametrize("is_kept", [True, False], ids=["kept", "planned anew"])
def test_what_moved_on_since_is_one_clear_error(tmp_path: Path, what: str, is_kept: bool) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            session = await taped(chat, "trip")
            seen = await chat.do(api.preview, session=session)
            if what == "said":
                await record(chat, session, turns(2))
            elif what == "undone":
                await chat.do(sessions.undo, session=session)
            elif what == "pinned":
                [entry, *_] = (await chat.do(api.expand, session=session, from_seq=0)).entries
                await chat.do(sessions.pin, session=session, event_id=entry.event_id)
            elif what == "document":
                await write(chat, "MEMORY.md", "# Mine\n")
            else:
                folder = chat.app.workspace_folder(ANA)
                assert folder is not None
                folder.mkdir(parents=True, exist_ok=True)
                (folder / "MEMORY.md").write_text("# By hand\n")
            if not is_kept:
                chat.app.plans.forget(ANA)
            with pytest.raises(Conflict, match="has changed since") as caught:
                await compact(chat, session, plan_id=seen.plan_id)
            assert "--preview again" in caught.value.hint
            assert await nothing_was_condensed(chat, session)
            again = await chat.do(api.preview, session=session)
            assert again.plan_id != seen.plan_id
            await compact(chat, session, plan_id=again.plan_id)

    run(story())


def test_another_document_may_change_and_a_repeated_request_gets_the_first_answer(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            session = await taped(chat, "trip")
            seen = await chat.do(api.preview, session=session)
            await write(chat, "projects/garden.md", "compost\n")
            done = await compact(chat, session, plan_id=seen.plan_id, request_id="one")
            again = await compact(chat, session, plan_id=seen.plan_id, request_id="one")
            assert again.compaction_id == done.compaction_id

    run(story())


def test_a_plan_is_of_one_session_and_of_those_who_see_it(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            session = await taped(chat, "trip")
            other = await taped(chat, "other")
            seen = await chat.do(api.preview, session=session)
            with pytest.raises(FailedPrecondition, match="another session"):
                await compact(chat, other, plan_id=seen.plan_id)
            with pytest.raises((NotFound, PermissionDenied)):
                await compact(Chat(chat.app, owner("user:bob")), session, plan_id=seen.plan_id)
            for wrong in ("", "0" * 32, "x" * 5_000):
                with pytest.raises(PalyraError):
                    await compact(chat, session, plan_id=wrong)
            assert await nothing_was_condensed(chat, session)

    run(story())


def test_erasing_drops_the_plans_that_hold_the_text(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            session = await taped(chat, "trip")
            seen = await chat.do(api.preview, session=session)
            assert chat.app.plans.get(seen.plan_id) is not None
            await chat.do(sessions.erase, session=session)
            assert chat.app.plans.get(seen.plan_id) is None
            session = await taped(chat, "second")
            seen = await chat.do(api.preview, session=session)
            kept = await chat.do(memories.retain, text="I keep bees.")
            await chat.do(memories.erase, ids=(kept.memory_id,))
            assert chat.app.plans.get(seen.plan_id) is None

    run(story())


def test_only_the_newest_plans_are_kept(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            session = await taped(chat, "trip")
            seen = await chat.do(api.preview, session=session)
            kept = chat.app.plans.get(seen.plan_id)
            assert kept is not None
            plans = PreviewedPlans(2)
            for name in ("a", "b", "a", "c"):
                plans.keep(type(kept)(name, kept.planned, {}))
            assert [plans.get(name) is not None for name in "abc"] == [True, False, True]

    run(story())
