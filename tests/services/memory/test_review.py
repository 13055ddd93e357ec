"""What a person decides about texts that wait."""

from pathlib import Path

import pytest

from palyra.core.clock import ManualClock
from palyra.core.errors import FailedPrecondition, InvalidArgument, NotFound, PermissionDenied
from palyra.domain.journal import Actor, RequestKey
from palyra.domain.memory import (
    DAY_MS,
    CandidateState,
    ConflictFound,
    Draft,
    HeldForReview,
    MemorySource,
    Merged,
    Stored,
    Trust,
)
from palyra.domain.scope import Visibility
from palyra.services.memory import ingest as ingesting
from palyra.services.memory import lifecycle
from palyra.services.memory.context import Memory
from palyra.services.memory.deciding.reopening import reopen
from palyra.services.memory.ingest import approve, ingest, ingest_many, reject
from palyra.services.memory.search import SearchRequest, search
from support import a_memory, run

ANA = Visibility("user:ana")
R1 = RequestKey("r1", bytes(32))


async def hold(memory: Memory, text: str, caller: Visibility = ANA) -> str:
    outcome = (await ingest(memory, Draft(text, MemorySource.TOOL_RESULT), caller)).outcome
    assert isinstance(outcome, HeldForReview)
    return outcome.candidate_id


def test_an_approved_text_that_contradicts_memory_is_linked_to_it(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            first = (await ingest(memory, Draft("Ana lives in Lisbon"), ANA)).outcome
            assert isinstance(first, Stored)
            done = await approve(memory, await hold(memory, "Ana lives in Porto"), ANA, Actor.USER)
            assert isinstance(done.outcome, ConflictFound)
            assert done.outcome.conflicts_with == (first.memory_id,)
            [link] = (await lifecycle.get(memory, first.memory_id, ANA)).conflicts
            assert link[0] == done.outcome.memory_id

    run(story())


def test_an_approved_text_does_not_replace_what_is_better_founded(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            first = (await ingest(memory, Draft("The staging port is 5432"), ANA)).outcome
            assert isinstance(first, Stored)
            done = await approve(memory, await hold(memory, "Actually the staging port is 6543"), ANA, Actor.USER)
            assert isinstance(done.outcome, ConflictFound)
            assert done.outcome.superseded == ()

    run(story())


def test_an_approved_text_that_is_known_already_is_merged(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            candidate_id = await hold(memory, "ana lives in Lisbon.")
            await ingest(memory, Draft("Ana lives in Lisbon"), ANA)
            done = await approve(memory, candidate_id, ANA, Actor.USER)
            assert isinstance(done.outcome, Merged)

    run(story())


def test_a_candidate_that_waited_longer_than_its_time_to_live_can_still_be_approved(tmp_path: Path) -> None:
    async def story() -> None:
        clock = ManualClock()
        async with a_memory(tmp_path, clock) as memory:
            candidate_id = await hold(memory, "The build server has 64 GB")
            clock.advance(200 * DAY_MS)
            done = await approve(memory, candidate_id, ANA, Actor.USER)
            assert isinstance(done.outcome, Stored)
            item = (await lifecycle.get(memory, done.outcome.memory_id, ANA)).item
            assert item.expires_at_ms == clock.now_ms() + 90 * DAY_MS

    run(story())


def test_a_reworded_candidate_keeps_its_trust_and_is_found_in_its_new_words_only(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            candidate_id = await hold(memory, "The zebra server has 64 GB")
            done = await approve(memory, candidate_id, ANA, Actor.USER, text="The okapi server has 32 GB")
            assert isinstance(done.outcome, Stored)
            item = (await lifecycle.get(memory, done.outcome.memory_id, ANA)).item
            assert (item.text, item.trust) == ("The okapi server has 32 GB", Trust.TOOL)
            hits = (await search(memory, SearchRequest("zebra okapi server"), ANA)).hits
            assert [hit.item.text for hit in hits] == ["The okapi server has 32 GB"]

    run(story())


@pytest.mark.parametrize("text", ["", "\u200b", "half \ud800", "x" * 17_000])
def test_a_rewording_that_makes_no_sense_leaves_the_candidate_waiting(tmp_path: Path, text: str) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            candidate_id = await hold(memory, "The zebra server has 64 GB")
            with pytest.raises(InvalidArgument):
                await approve(memory, candidate_id, ANA, Actor.USER, text=text)
            assert len(await ingesting.candidates(memory, ANA, CandidateState.NEEDS_REVIEW, 0, 10)) == 1

    run(story())


def test_a_decision_is_final_and_the_candidate_must_be_there_and_visible(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            candidate_id = await hold(memory, "The zebra server has 64 GB")
            for decide in (approve, reject):
                with pytest.raises(NotFound):
                    await decide(memory, "01JD8QZ6T3M4N5P6Q7R8S9TABC", ANA, Actor.USER)
                with pytest.raises(InvalidArgument):
                    await decide(memory, "nonsense", ANA, Actor.USER)
                with pytest.raises(PermissionDenied) as caught:
                    await decide(memory, candidate_id, Visibility("user:tom"), Actor.USER)
                assert "zebra" not in str(caught.value.body())
            await reject(memory, candidate_id, ANA, Actor.USER)
            for decide in (approve, reject):
                with pytest.raises(FailedPrecondition):
                    await decide(memory, candidate_id, ANA, Actor.USER)

    run(story())


def test_a_repeated_request_for_what_waits_already_gets_its_first_answer(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            await hold(memory, "The zebra server has 64 GB")
            draft = Draft("The zebra server has 64 GB", MemorySource.TOOL_RESULT)
            first = await ingest(memory, draft, ANA, request=R1)
            again = await ingest(memory, draft, ANA, request=R1)
            assert isinstance(first.outcome, HeldForReview)
            assert again.outcome == first.outcome

    run(story())


def test_a_conversation_sent_again_is_the_same_conversation_however_often_a_word_was_said(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            turns = [Draft("Thanks!", MemorySource.USER_MESSAGE, thread="t", said_at_ms=n) for n in range(1, 31)]
            first = await ingest_many(memory, turns, ANA)
            assert {type(done.outcome) for done in first} == {Stored}
            for again in (await ingest_many(memory, turns, ANA), [await ingest(memory, turn, ANA) for turn in turns]):
                assert {type(done.outcome) for done in again} == {Merged}

    run(story())


def test_the_same_held_twice_in_one_batch_waits_once(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            turns = [Draft("The disk is full", MemorySource.TOOL_RESULT, said_at_ms=n) for n in (1, 2)]
            first, second = await ingest_many(memory, turns, ANA)
            assert first.outcome == second.outcome
            assert len(await ingesting.candidates(memory, ANA, CandidateState.NEEDS_REVIEW, 0, 10)) == 1

    run(story())


# -- taking a decision back


async def waiting(memory: Memory) -> list[str]:
    found = await ingesting.candidates(memory, ANA, CandidateState.NEEDS_REVIEW, 0, 10)
    return [one.candidate_id for one in found]


def test_a_rejected_text_waits_again_and_can_be_approved(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            candidate_id = await hold(memory, "The pier closes at six")
            await reject(memory, candidate_id, ANA, Actor.USER)
            again = await reopen(memory, candidate_id, ANA, Actor.USER)
            assert (again.state, again.text) == (CandidateState.NEEDS_REVIEW, "The pier closes at six")
            assert await waiting(memory) == [candidate_id]
            assert isinstance((await approve(memory, candidate_id, ANA, Actor.USER)).outcome, Stored)

    run(story())


def test_what_an_approved_text_became_is_forgotten_when_it_waits_again(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            candidate_id = await hold(memory, "The pier closes at six")
            outcome = (await approve(memory, candidate_id, ANA, Actor.USER)).outcome
            assert isinstance(outcome, Stored)
            await reopen(memory, candidate_id, ANA, Actor.USER, request=R1)
            await reopen(memory, candidate_id, ANA, Actor.USER, request=R1)
            item = (await lifecycle.get(memory, outcome.memory_id, ANA)).item
            assert item.closed_why == "rolled_back"
            assert (await search(memory, SearchRequest("when does the pier close"), ANA)).hits == ()
            second = (await approve(memory, candidate_id, ANA, Actor.USER)).outcome
            assert isinstance(second, Stored)
            assert second.memory_id != outcome.memory_id

    run(story())


def test_what_an_approved_text_had_replaced_holds_again_when_it_is_taken_back(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            said = Draft("The staging port is 5432", MemorySource.IMPORT, vouched=True)
            first = (await ingest(memory, said, ANA)).outcome
            assert isinstance(first, Stored)
            done = await approve(memory, await hold(memory, "Actually the staging port is 6543"), ANA, Actor.USER)
            assert isinstance(done.outcome, ConflictFound)
            [candidate] = await ingesting.candidates(memory, ANA, CandidateState.APPROVED, 0, 10)
            if not done.outcome.superseded:
                await lifecycle.supersede(memory, first.memory_id, done.outcome.memory_id, ANA)
            await reopen(memory, candidate.candidate_id, ANA, Actor.USER)
            assert (await lifecycle.get(memory, first.memory_id, ANA)).item.superseded_by is None

    run(story())


def test_what_was_merged_into_another_memory_is_not_taken_out_of_it(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            candidate_id = await hold(memory, "ana lives in Lisbon.")
            await ingest(memory, Draft("Ana lives in Lisbon"), ANA)
            assert isinstance((await approve(memory, candidate_id, ANA, Actor.USER)).outcome, Merged)
            with pytest.raises(FailedPrecondition, match="was there before"):
                await reopen(memory, candidate_id, ANA, Actor.USER)
            assert await waiting(memory) == []

    run(story())


def test_only_a_person_takes_a_decision_back_and_only_where_there_is_one(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            candidate_id = await hold(memory, "The pier closes at six")
            with pytest.raises(FailedPrecondition, match="waits already"):
                await reopen(memory, candidate_id, ANA, Actor.USER)
            await reject(memory, candidate_id, ANA, Actor.USER)
            with pytest.raises(PermissionDenied):
                await reopen(memory, candidate_id, ANA, Actor.AGENT)
            with pytest.raises(PermissionDenied):
                await reopen(memory, candidate_id, Visibility("user:bob"), Actor.USER)
            assert await waiting(memory) == []

    run(story())
