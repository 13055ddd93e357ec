"""A person's part: approve, reword, reject, put off, take back; and that nobody else decides."""

from pathlib import Path

import pytest

from chatting import ANA as ANA_NAME
from chatting import a_chat
from palyra.api import chat as sessions
from palyra.api import memory
from palyra.api import workspace as documents
from palyra.core.errors import FailedPrecondition, InvalidArgument, NotFound, PermissionDenied
from palyra.domain.journal import Actor
from palyra.domain.learning.candidate import TRANSITIONS, LearningState
from palyra.domain.learning.proposal import LearnedKind
from palyra.domain.memory import MemorySource
from palyra.domain.scope import Visibility
from palyra.services.learning import looking, review
from palyra.services.memory import lifecycle
from proposing import a_preference, a_procedure
from services.learning.studying import (
    ANA,
    UNREAD,
    approve,
    learned,
    only,
    preference_of,
    preferences_told,
    reject,
    told,
)
from support import files_holding, run, verify_directory

TABS = "I prefer tabs over spaces in every repo of mine."


def test_a_preference_waits_and_stands_in_the_next_prompt_once_it_is_approved(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path, **UNREAD) as chat:
            session = await chat.new("s")
            await told(chat, session, a_preference(TABS))
            found = await only(chat)
            assert (found.kind, found.state) == (LearnedKind.PREFERENCE, LearningState.NEEDS_REVIEW)
            assert found.because == ("preference",)
            assert await preferences_told(chat) == ""
            done = await approve(chat, found)
            assert done.state is LearningState.APPLIED
            assert await preferences_told(chat) == TABS

    run(story())


def test_a_preference_that_answers_is_recalled_besides_standing_so_that_it_can_be_cited(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path, **UNREAD) as chat:
            session = await chat.new("s")
            await preference_of(chat, session, TABS)
            heard = await chat.say(await chat.new("other"), "Tabs or spaces in my repo?")
            shown = [one["memory_id"] for event in heard.events("injection") for one in event["memories"]]
            [preference] = await looking.preferences(chat.app.learning, ANA)
            assert preference.memory_id in shown

    run(story())


def test_a_person_may_reword_what_they_approve(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path, **UNREAD) as chat:
            session = await chat.new("s")
            await told(chat, session, a_preference(TABS))
            done = await approve(chat, await only(chat), "I prefer tabs over spaces in Go code.")
            assert done.text == "I prefer tabs over spaces in Go code."
            assert await preferences_told(chat) == "I prefer tabs over spaces in Go code."
            steps = (await looking.get(chat.app.learning, done.candidate_id, ANA)).steps
            assert [step.state.value for step in steps] == ["needs_review", "approved", "applied"]
            assert steps[1].text == done.text

    run(story())


def test_a_newer_preference_takes_the_place_of_an_older_one_and_rolling_back_brings_that_back(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path, **UNREAD) as chat:
            session = await chat.new("s")
            await preference_of(chat, session, "Always answer me in British English.", "answer.language")
            newer = await preference_of(chat, session, "From now on, always answer me in French.", "answer.language")
            assert "French" in await preferences_told(chat)
            assert "British" not in await preferences_told(chat)
            back = await review.roll_back(chat.app.learning, newer.candidate_id, ANA, Actor.USER, "no")
            assert back.state is LearningState.ROLLED_BACK
            assert await preferences_told(chat) == "Always answer me in British English."
        report = verify_directory(tmp_path / "data")
        assert not report.findings

    run(story())


def test_preferences_about_different_things_stand_beside_each_other(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path, **UNREAD) as chat:
            session = await chat.new("s")
            await preference_of(chat, session, TABS)
            await preference_of(chat, session, "Use metric units when you talk to me about distances.")
            assert len((await preferences_told(chat)).splitlines()) == 2

    run(story())


def test_rolling_back_a_promoted_memory_leaves_what_was_said(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path, **UNREAD) as chat:
            await chat.do(memory.retain, text="My dog's name is Biscuit.", source="tape:user_message")
            await told(chat, await chat.new("s"), a_preference("My dog's name is Biscuit."))
            found = await approve(chat, await only(chat))
            assert found.memory_id is not None
            await review.roll_back(chat.app.learning, found.candidate_id, ANA, Actor.USER)
            item = (await lifecycle.get(chat.app.memory, found.memory_id, ANA)).item
            assert (item.source, item.closed_at_ms) == (MemorySource.USER_MESSAGE, None)
            with pytest.raises(FailedPrecondition, match="rolled_back"):
                await review.roll_back(chat.app.learning, found.candidate_id, ANA, Actor.USER)

    run(story())


def test_what_was_superseded_since_is_not_rolled_back(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path, **UNREAD) as chat:
            await told(chat, await chat.new("s"), "My dog's name is Biscuit.")
            found = await only(chat)
            newer = await chat.do(memory.retain, text="The cat is called Tom.")
            await chat.do(memory.supersede, old_id=found.memory_id, new_id=newer.memory_id)
            with pytest.raises(FailedPrecondition, match=f"superseded by memory {newer.memory_id}"):
                await review.roll_back(chat.app.learning, found.candidate_id, ANA, Actor.USER)
            assert (await only(chat)).state is LearningState.AUTO_APPLIED

    run(story())


def test_what_was_rejected_is_not_proposed_again_until_it_is_reopened(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path, **UNREAD) as chat:
            session = await chat.new("s")
            await told(chat, session, a_preference(TABS))
            found = await reject(chat, await only(chat))
            await told(chat, session, a_preference(TABS))
            assert (await only(chat)).state is LearningState.REJECTED
            again = review.Verdict(LearningState.NEEDS_REVIEW)
            done = await review.decide(chat.app.learning, found.candidate_id, again, ANA, Actor.USER)
            assert done.state is LearningState.NEEDS_REVIEW
            assert (await approve(chat, done)).state is LearningState.APPLIED

    run(story())


def test_every_step_that_is_not_in_the_table_is_refused(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path, **UNREAD) as chat:
            await told(chat, await chat.new("s"), a_preference(TABS))
            found = await approve(chat, await only(chat))
            for state in (LearningState.APPROVED, LearningState.REJECTED, LearningState.NEEDS_REVIEW):
                assert state not in TRANSITIONS[found.state]
                verdict = review.Verdict(state)
                with pytest.raises(FailedPrecondition, match="is applied and cannot become"):
                    await review.decide(chat.app.learning, found.candidate_id, verdict, ANA, Actor.USER)
            assert (await only(chat)).state is LearningState.APPLIED

    run(story())


@pytest.mark.parametrize("actor", [Actor.AGENT, Actor.PLUGIN, Actor.SYSTEM])
def test_only_a_person_decides(tmp_path: Path, actor: Actor) -> None:
    async def story() -> None:
        async with a_chat(tmp_path, **UNREAD) as chat:
            await told(chat, await chat.new("s"), a_preference(TABS))
            found = await only(chat)
            learning = chat.app.learning
            with pytest.raises(PermissionDenied, match="decided by a person"):
                await review.decide(learning, found.candidate_id, review.Verdict(LearningState.APPROVED), ANA, actor)
            with pytest.raises(PermissionDenied):
                await review.snooze(learning, found.candidate_id, 0, ANA, actor)
            with pytest.raises(PermissionDenied):
                await review.roll_back(learning, found.candidate_id, ANA, actor)
            assert (await only(chat)).state is LearningState.NEEDS_REVIEW

    run(story())


def test_another_principal_and_another_channel_see_nothing(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path, **UNREAD) as chat:
            session = await chat.new("s", channel="work")
            learning, everything = chat.app.learning, tuple(LearningState)
            await told(chat, session, a_preference(TABS), caller=Visibility(ANA_NAME, "work"))
            for stranger in (Visibility("user:bob"), Visibility("user:bob", "work"), ANA, Visibility(ANA_NAME, "home")):
                assert await looking.list_(learning, stranger, everything) == []
            [found] = await looking.list_(learning, Visibility(ANA_NAME, "work"), everything)
            with pytest.raises(PermissionDenied):
                await looking.get(learning, found.candidate_id, Visibility("user:bob", "work"))
            with pytest.raises(NotFound):
                await looking.get(learning, "01ARZ3NDEKTSV4RRFFQ69G5FAV", ANA)

    run(story())


def test_put_off_it_is_out_of_sight_and_comes_back(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path, **UNREAD) as chat:
            await told(chat, await chat.new("s"), a_preference(TABS))
            found, learning = await only(chat), chat.app.learning
            until_ms = chat.app.clock.now_ms() + 86_400_000
            await review.snooze(learning, found.candidate_id, until_ms, ANA, Actor.USER)
            assert await looking.list_(learning, ANA, looking.WAITING) == []
            assert len(await looking.list_(learning, ANA, looking.WAITING, snoozed=True)) == 1
            await review.snooze(learning, found.candidate_id, 0, ANA, Actor.USER)
            assert len(await looking.list_(learning, ANA, looking.WAITING)) == 1
            with pytest.raises(InvalidArgument, match="more than a year"):
                await review.snooze(learning, found.candidate_id, 1 << 47, ANA, Actor.USER)

    run(story())


def test_many_are_decided_each_by_itself(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path, **UNREAD) as chat:
            session = await chat.new("s")
            await told(chat, session, a_preference(TABS))
            await told(chat, session, a_preference("Use metric units when you talk to me about distances.", "units"))
            ids = [one.candidate_id for one in await learned(chat)]
            verdict = review.Verdict(LearningState.APPROVED)
            unknown = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
            done = await review.decide_many(chat.app.learning, [*ids, unknown], verdict, ANA, Actor.USER)
            assert [one.error is None for one in done] == [True, True, False]
            assert {one.state for one in await learned(chat)} == {LearningState.APPLIED}

    run(story())


def test_a_procedure_becomes_a_document_and_goes_again_unless_a_person_has_changed_it(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path, **UNREAD) as chat:
            session = await chat.new("s")
            await told(chat, session, a_procedure("deploy the site", "run make build", "push the image"))
            found = await only(chat)
            done = await approve(chat, found)
            assert done.document.startswith("procedures/")
            text = (await chat.do(documents.get, path=done.document)).text
            assert "1. " in text
            assert "make build" in text
            await review.roll_back(chat.app.learning, done.candidate_id, ANA, Actor.USER)
            assert done.document not in {one.path for one in (await chat.do(documents.list_)).documents}
            again = review.Verdict(LearningState.NEEDS_REVIEW)
            await review.decide(chat.app.learning, done.candidate_id, again, ANA, Actor.USER)
            done = await approve(chat, found)
            await chat.do(documents.write, path=done.document, text="# Mine\n")
            with pytest.raises(FailedPrecondition, match="was changed since"):
                await review.roll_back(chat.app.learning, done.candidate_id, ANA, Actor.USER)

    run(story())


def test_erasing_what_was_said_erases_what_was_learned_from_it(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path, **UNREAD) as chat:
            session = await chat.new("s")
            await told(chat, session, "My dog's name is Biscuit.", a_preference(TABS))
            await approve(chat, next(one for one in await learned(chat) if one.kind is LearnedKind.PREFERENCE))
            await chat.do(sessions.erase, session=session, reason="asked")
            assert await learned(chat) == []
            assert await looking.preferences(chat.app.learning, ANA) == []
        report = verify_directory(tmp_path / "data")
        assert not report.findings
        for word in ("Biscuit", "over spaces"):
            assert files_holding(tmp_path / "data", word) == []

    run(story())


def test_erasing_the_memory_erases_the_candidate_it_was(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path, **UNREAD) as chat:
            await told(chat, await chat.new("s"), "My dog's name is Biscuit.")
            found = await only(chat)
            await chat.do(memory.erase, ids=[found.memory_id], reason="asked")
            assert await learned(chat) == []
        assert files_holding(tmp_path / "data", "Biscuit") == []

    run(story())
