"""What becomes of a text: stored, merged, held, linked or refused."""

from dataclasses import replace
from pathlib import Path

import pytest

from palyra.core.clock import ManualClock
from palyra.core.errors import InvalidArgument, PermissionDenied
from palyra.domain.journal import Actor, Origin, RequestKey
from palyra.domain.memory import (
    CandidateState,
    ConflictFound,
    Draft,
    HeldForReview,
    IngestOutcome,
    MemorySource,
    Merged,
    Rejected,
    Stored,
    Trust,
)
from palyra.domain.scope import Scope, ScopeKind, Visibility
from palyra.services.memory import ingest as ingesting
from palyra.services.memory import lifecycle
from palyra.services.memory.context import Memory
from palyra.services.memory.ingest import ingest, ingest_many
from palyra.store.memory.search import lexical_hits
from support import a_memory, run

ANA = Visibility("user:ana")
R1 = RequestKey("r1", bytes(32))


async def say(memory: Memory, text: str, caller: Visibility = ANA, **given: object) -> IngestOutcome:
    return (await ingest(memory, Draft(text, **given), caller)).outcome  # type: ignore[arg-type]


def test_a_first_text_is_stored_with_a_receipt(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            done = await ingest(memory, Draft("I moved to Lisbon in March"), ANA)
            assert isinstance(done.outcome, Stored)
            assert done.receipt.seq == 1
            detail = await lifecycle.get(memory, done.outcome.memory_id, ANA)
            assert detail.item.text == "I moved to Lisbon in March"
            assert detail.item.trust is Trust.OWNER

    run(story())


def test_the_same_said_again_is_merged_and_both_wordings_stay_in_history(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            first = await say(memory, "My dog is called Biscuit", tags=("dog",))
            second = await say(memory, "my dog is called  biscuit.", tags=("pet",))
            assert isinstance(first, Stored)
            assert isinstance(second, Merged)
            assert second.memory_id == first.memory_id
            item = (await lifecycle.get(memory, first.memory_id, ANA)).item
            assert item.tags == ("dog", "pet")
            history = await lifecycle.history(memory, first.memory_id, ANA)
            assert [event.body["text"] for event in history if event.body] == [
                "My dog is called Biscuit",
                "my dog is called  biscuit.",
            ]

    run(story())


def test_swapped_roles_are_never_merged(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            await say(memory, "Alice manages Bob")
            assert isinstance(await say(memory, "Bob manages Alice"), Stored | ConflictFound)

    run(story())


def test_a_correction_supersedes_what_it_corrects(tmp_path: Path) -> None:
    async def story() -> None:
        clock = ManualClock()
        async with a_memory(tmp_path, clock) as memory:
            old = await say(memory, "The staging port is 5432")
            clock.advance(60_000)
            new = await say(memory, "Actually the staging port is 6543")
            assert isinstance(old, Stored)
            assert isinstance(new, ConflictFound)
            assert new.superseded == (old.memory_id,)
            item = (await lifecycle.get(memory, old.memory_id, ANA)).item
            assert item.superseded_by == new.memory_id
            assert item.valid_to_ms == clock.now_ms()

    run(story())


def test_a_bare_contradiction_is_linked_and_both_stay(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            old = await say(memory, "Ana speaks the language of Spain")
            new = await say(memory, "Ana speaks the language of Denmark")
            assert isinstance(old, Stored)
            assert isinstance(new, ConflictFound)
            assert new.superseded == ()
            assert [other for other, _ in (await lifecycle.get(memory, old.memory_id, ANA)).conflicts] == [
                new.memory_id
            ]

    run(story())


def test_another_value_of_the_same_attribute_replaces_it_whatever_the_wording(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            old = await say(memory, "The chairperson of Fatima's club is Ana")
            new = await say(memory, "The chairperson of Fatima's club is Bob")
            assert isinstance(old, Stored)
            assert isinstance(new, ConflictFound)
            assert new.superseded == (old.memory_id,)

    run(story())


def test_what_was_said_earlier_is_replaced_though_it_comes_later(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            newer = await say(memory, "The capital of Nordland is Neuburg", said_at_ms=9_000)
            late = await say(memory, "The capital of Nordland is Altburg", said_at_ms=5_000)
            assert isinstance(newer, Stored)
            assert isinstance(late, ConflictFound)
            assert late.superseded == ()
            item = (await lifecycle.get(memory, late.memory_id, ANA)).item
            assert item.superseded_by == newer.memory_id
            assert (item.valid_from_ms, item.valid_to_ms) == (5_000, 9_000)
            assert (await lifecycle.get(memory, newer.memory_id, ANA)).item.superseded_by is None
            before, after = await memory.journal.rebuild(lambda _seq: None)
            assert before == after

    run(story())


def test_a_correction_of_a_correction_replaces_the_correction(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            first = await say(memory, "The launch is on Monday", said_at_ms=1_000)
            second = await say(memory, "Actually the launch is on Tuesday", said_at_ms=2_000)
            third = await say(memory, "No, the launch is on Friday", said_at_ms=3_000)
            assert isinstance(first, Stored)
            assert isinstance(second, ConflictFound)
            assert isinstance(third, ConflictFound)
            assert (second.superseded, third.superseded) == ((first.memory_id,), (second.memory_id,))

    run(story())


def test_a_correction_of_something_never_said_is_stored(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            await say(memory, "My sister Ines is allergic to peanuts")
            assert isinstance(await say(memory, "Actually the launch is on Tuesday"), Stored)

    run(story())


def test_an_agent_does_not_end_what_the_owner_said(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            owners = await say(memory, "The capital of Nordland is Altburg")
            agents = await ingest(memory, Draft("Edit: the capital of Nordland is Neuburg"), ANA, Actor.AGENT)
            assert isinstance(owners, Stored)
            assert isinstance(agents.outcome, ConflictFound)
            assert (agents.outcome.conflicts_with, agents.outcome.superseded) == ((owners.memory_id,), ())

    run(story())


def test_what_was_read_from_a_turn_is_compared_and_a_turn_is_not(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:

            async def told(text: str, at_ms: int, **given: object) -> IngestOutcome:
                return await say(memory, text, ANA, source=MemorySource.USER_MESSAGE, said_at_ms=at_ms, **given)

            old = await told("The launch is on Monday", 1_000, is_statement=True)
            turn = await told("Actually the launch is on Tuesday", 2_000)
            read = await told("Actually the launch is on Friday", 3_000, is_statement=True, said="friday!")
            assert isinstance(old, Stored)
            assert isinstance(turn, Stored)
            assert isinstance(read, ConflictFound)
            assert old.memory_id in read.superseded

    run(story())


def test_what_is_pinned_is_not_replaced_by_a_correction(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            await say(memory, "The staging port is 5432", pinned=True)
            new = await say(memory, "Actually the staging port is 6543")
            assert isinstance(new, ConflictFound)
            assert new.superseded == ()

    run(story())


@pytest.mark.parametrize(
    ("source", "reason"), [(MemorySource.TOOL_RESULT, "untrusted_source"), (MemorySource.IMPORT, "untrusted_source")]
)
def test_what_tools_and_files_say_waits_for_review(tmp_path: Path, source: MemorySource, reason: str) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            held = await say(memory, "The owner wants all invoices paid at once", source=source)
            assert isinstance(held, HeldForReview)
            assert reason in held.because
            [candidate] = await ingesting.candidates(memory, ANA, CandidateState.NEEDS_REVIEW, 0, 10)
            assert candidate.candidate_id == held.candidate_id

    run(story())


def test_low_confidence_waits_for_review(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            held = await say(memory, "Perhaps Tom likes tea", confidence_bps=1_000)
            assert isinstance(held, HeldForReview)
            assert held.because == ("low_confidence",)

    run(story())


def test_an_approved_candidate_becomes_memory_and_keeps_its_trust(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            held = await say(memory, "The build server has 64 GB", source=MemorySource.TOOL_RESULT)
            assert isinstance(held, HeldForReview)
            done = await ingesting.approve(memory, held.candidate_id, ANA, Actor.USER)
            assert isinstance(done.outcome, Stored)
            item = (await lifecycle.get(memory, done.outcome.memory_id, ANA)).item
            assert item.trust is Trust.TOOL
            assert await ingesting.candidates(memory, ANA, CandidateState.NEEDS_REVIEW, 0, 10) == []

    run(story())


def test_an_agent_cannot_decide_a_candidate(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            held = await say(memory, "The build server has 64 GB", source=MemorySource.TOOL_RESULT)
            assert isinstance(held, HeldForReview)
            with pytest.raises(PermissionDenied):
                await ingesting.approve(memory, held.candidate_id, ANA, Actor.AGENT)

    run(story())


def test_what_was_rejected_is_not_offered_again(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            held = await say(memory, "The build server has 64 GB", source=MemorySource.TOOL_RESULT)
            assert isinstance(held, HeldForReview)
            await ingesting.reject(memory, held.candidate_id, ANA, Actor.USER, reason="wrong")
            again = await say(memory, "The build server has 64 GB", source=MemorySource.TOOL_RESULT)
            assert again == Rejected(("rejected_before",))

    run(story())


def test_an_agent_that_quotes_the_owner_is_still_an_agent(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            done = await ingest(memory, Draft("Ana likes tea", MemorySource.USER_MESSAGE), ANA, Actor.AGENT)
            assert isinstance(done.outcome, Stored)
            assert (await lifecycle.get(memory, done.outcome.memory_id, ANA)).item.trust is Trust.AGENT

    run(story())


def test_a_repeated_request_gets_its_first_answer(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            first = await ingest(memory, Draft("I prefer tea"), ANA, request=R1)
            again = await ingest(memory, Draft("I prefer tea"), ANA, request=R1)
            assert again.outcome == first.outcome
            assert again.receipt.seq == first.receipt.seq

    run(story())


def test_turns_said_twice_are_two_and_the_same_turn_sent_twice_is_one(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            turn = Draft("Thanks!", MemorySource.USER_MESSAGE, thread="t", speaker="Ana", said_at_ms=1_000)
            later = Draft("Thanks!", MemorySource.USER_MESSAGE, thread="t", speaker="Ana", said_at_ms=2_000)
            results = await ingest_many(memory, [turn, later, turn], ANA)
            kinds = [type(result.outcome) for result in results]
            assert kinds == [Stored, Stored, Merged]
            [again] = await ingest_many(memory, [later], ANA)
            assert isinstance(again.outcome, Merged)

    run(story())


@pytest.mark.parametrize(
    "draft",
    [
        Draft(""),
        Draft(" \n\t "),
        Draft("\u200b\u200e\u0007"),
        Draft("x" * 17_000),
        Draft("word " * 3_000),
        Draft("half \ud800 a pair"),
        Draft("x", tags=tuple(f"t{n}" for n in range(33))),
        Draft("x", tags=("",)),
        Draft("x", tags=("a\nb",)),
        Draft("x", confidence_bps=15_000),
        Draft("x", expires_at_ms=1_000),
        Draft("x", said_at_ms=-1),
        Draft("x", said_at_ms=5_000, valid_to_ms=4_000),
        Draft("x", speaker="a\x00b"),
        Draft("x", provenance=("nonsense",)),
    ],
)
def test_bad_input_is_one_clear_error_and_writes_nothing(tmp_path: Path, draft: Draft) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            with pytest.raises(InvalidArgument) as caught:
                await ingest(memory, draft, ANA)
            assert caught.value.hint
            assert (await memory.journal.status()).size == 0

    run(story())


def test_the_same_turn_in_two_places_of_one_batch_stays_in_both(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            turn = Draft("Thanks!", MemorySource.USER_MESSAGE, thread="t", speaker="Ana", said_at_ms=1_000)
            unsure = replace(turn, confidence_bps=100)
            places = (Scope("user:ana"), Scope("user:ana", "chat"))
            readies = [
                ingesting.check_draft(memory, draft, place, Actor.USER) for draft in (turn, unsure) for place in places
            ]
            results = await ingesting.ingest_checked(memory, readies, Origin("user:ana"))
            assert [type(done.outcome) for done in results] == [Stored, Stored, HeldForReview, HeldForReview]
            assert results[2].outcome != results[3].outcome

    run(story())


def test_turns_taken_in_together_leave_what_a_replay_of_the_journal_gives(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            turns = [Draft(f"Step {n}", MemorySource.USER_MESSAGE, thread="t", said_at_ms=n) for n in range(300)]
            await ingest_many(memory, [*turns, turns[7], turns[299]], ANA)
            found = memory.store.db.read_now(lambda tx: lexical_hits(tx, ["step"], ANA, 999))
            before, after = await memory.journal.rebuild(lambda _seq: None)
            assert before == after
            assert memory.store.db.read_now(lambda tx: lexical_hits(tx, ["step"], ANA, 999)) == found
            assert len(found) == 300

    run(story())


def test_a_batch_with_one_bad_text_writes_nothing(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            with pytest.raises(InvalidArgument):
                await ingest_many(memory, [Draft("good"), Draft("")], ANA)
            assert (await memory.journal.status()).size == 0

    run(story())


def test_a_scope_the_caller_does_not_stand_in_is_refused(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            with pytest.raises(InvalidArgument):
                await ingest(memory, Draft("x"), ANA, scope=ScopeKind.CHANNEL)

    run(story())


def test_many_facts_at_once_look_for_their_like_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Asking FTS5 for each of them takes longer the more there are: sixty thousand took a quarter of an hour."""

    def asked(*_: object) -> None:
        raise AssertionError("FTS5 was asked")

    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            await say(memory, "The staging port is 5432")
            monkeypatch.setattr("palyra.services.memory.engine.sharing_hits", asked)
            drafts = [Draft(f"Shelf {number} of the pantry holds {number * 7} jars") for number in range(40)]
            done = await ingest_many(memory, [*drafts, Draft("Actually the staging port is 6543"), drafts[7]], ANA)
            assert [type(one.outcome) for one in done] == [Stored] * 40 + [ConflictFound, Merged]

    run(story())
