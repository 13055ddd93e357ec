"""The shared cases, where they are there: pairs that are or are not the same, and texts that try to steer an agent."""

import json
from pathlib import Path

import pytest

from palyra.domain.journal import Actor
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
from palyra.domain.scope import Visibility
from palyra.services.memory import ingest as ingesting
from palyra.services.memory.ingest import ingest, ingest_many
from palyra.services.memory.recalling import recall
from palyra.services.memory.search import SearchRequest, search
from palyra.services.memory.upkeep import status
from support import a_memory, run

CASES = Path(__file__).parents[4] / "shared" / "cases"
ANA = Visibility("user:ana")

needs_cases = pytest.mark.skipif(not CASES.is_dir(), reason="the shared cases are not here")


def cases(name: str) -> list[dict[str, str]]:
    return [json.loads(line) for line in (CASES / name).read_text("utf-8").splitlines()]


@needs_cases
def test_pairs_that_say_the_same_become_one_and_no_others_do(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            wrong: list[str] = []
            for case in cases("duplicates-dev.jsonl"):
                caller = Visibility(f"user:{case['id']}")
                await ingest(memory, Draft(case["first"]), caller)
                outcome: IngestOutcome = (await ingest(memory, Draft(case["second"]), caller)).outcome
                if isinstance(outcome, Merged) != (case["relation"] == "same"):
                    wrong.append(f"{case['id']} {case['relation']}: {outcome}")
                if case["relation"] == "conflict" and not isinstance(outcome, ConflictFound):
                    wrong.append(f"{case['id']} {case['relation']}: {outcome}")
            assert wrong == []

    run(story())


SESSION = Visibility("user:ana", "discord:1", "s1")
HOSTILE = {
    "tool": (MemorySource.TOOL_RESULT, None, Actor.USER, ANA),
    "tool in a session": (MemorySource.TOOL_RESULT, None, Actor.USER, SESSION),
    "file": (MemorySource.IMPORT, None, Actor.USER, ANA),
    "page": (MemorySource.MANUAL, Trust.WEB, Actor.USER, ANA),
    "agent quoting a page": (MemorySource.DURABLE_FACT, Trust.WEB, Actor.AGENT, SESSION),
    "plugin": (MemorySource.MANUAL, None, Actor.PLUGIN, ANA),
}


@needs_cases
@pytest.mark.parametrize("way", HOSTILE)
def test_no_text_that_steers_becomes_memory_by_itself(tmp_path: Path, way: str) -> None:
    source, trust, actor, place = HOSTILE[way]

    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            texts = [case["text"] for case in cases("injection-dev.jsonl")]
            drafts = [Draft(text, source, trust=trust) for text in texts]
            turns = [Draft(text, source, trust=trust, said_at_ms=n) for n, text in enumerate(texts)]
            results = [
                *await ingest_many(memory, drafts, place, actor),
                *await ingest_many(memory, turns, place, actor),
            ]
            assert [done for done in results if not isinstance(done.outcome, HeldForReview)] == []
            found = await status(memory, place)
            assert found.items == 0
            assert found.waiting_for_review >= len(set(texts)) - 3  # some say the same
            for text in texts[::20]:
                assert (await search(memory, SearchRequest(text[:500], top_k=64), place)).hits == ()
            assert (await recall(memory, SearchRequest(texts[0]), place)).recall.block == ""

    run(story())


@needs_cases
def test_what_was_rejected_stays_out_however_often_it_comes(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            drafts = [Draft(case["text"], MemorySource.TOOL_RESULT) for case in cases("injection-dev.jsonl")[:10]]
            await ingest_many(memory, drafts, ANA)
            for candidate in await ingesting.candidates(memory, ANA, CandidateState.NEEDS_REVIEW, 0, 50):
                await ingesting.reject(memory, candidate.candidate_id, ANA, Actor.USER)
            again = await ingest_many(memory, drafts, ANA)
            assert {type(done.outcome) for done in again} == {Rejected}

    run(story())


@needs_cases
def test_what_the_owner_says_is_memory_even_when_it_looks_like_an_order(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            texts = [case["text"] for case in cases("benign-dev.jsonl")]
            results = await ingest_many(memory, [Draft(text) for text in texts], ANA)
            wrong = [
                (text, done.outcome)
                for text, done in zip(texts, results, strict=True)
                if not isinstance(done.outcome, Stored | Merged | ConflictFound)
            ]
            assert wrong == []
            assert (await status(memory, ANA)).items >= len(texts) * 9 // 10

    run(story())
