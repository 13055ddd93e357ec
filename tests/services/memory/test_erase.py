"""Forgetting a memory for good: no file, table, index or backup holds it, and the journal still replays."""

import asyncio
import tempfile
from pathlib import Path

import apsw
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from palyra.core.clock import ManualClock
from palyra.core.errors import FailedPrecondition, NotFound, PalyraError
from palyra.domain.journal import Actor, Origin, RequestKey
from palyra.domain.memory import (
    CandidateState,
    Change,
    ConflictFound,
    Draft,
    HeldForReview,
    ItemFilter,
    MemorySource,
    Merged,
    Stored,
)
from palyra.domain.scope import Visibility
from palyra.services import backup
from palyra.services import erase as journal_erase
from palyra.services.memory import ingest as ingesting
from palyra.services.memory import lifecycle
from palyra.services.memory.context import Memory
from palyra.services.memory.deciding.reopening import reopen
from palyra.services.memory.ingest import ingest
from palyra.services.memory.recalling import recall
from palyra.services.memory.search import SearchRequest, search
from palyra.store.upkeep.rebuild import find_drift
from support import a_memory, files_holding, run, verify_directory

ANA = Visibility("user:ana")
R1 = RequestKey("r1", bytes(32))
WORD = "xylophonequark"
OTHER_WORD = "marimbaneutrino"


async def keep(memory: Memory, text: str, **given: object) -> str:
    outcome = (await ingest(memory, Draft(text, **given), ANA)).outcome  # type: ignore[arg-type]
    assert isinstance(outcome, Stored | Merged | ConflictFound)
    return outcome.memory_id


async def hold(memory: Memory, text: str) -> str:
    outcome = (await ingest(memory, Draft(text, MemorySource.TOOL_RESULT), ANA)).outcome
    assert isinstance(outcome, HeldForReview)
    return outcome.candidate_id


async def found(memory: Memory, query: str) -> list[str]:
    return [hit.item.text for hit in (await search(memory, SearchRequest(query), ANA)).hits]


async def check_replay(memory: Memory) -> None:
    digest, findings = await memory.store.db.read(find_drift)
    assert findings == []
    assert await memory.journal.rebuild(lambda _seq: None) == (digest, digest)


def rows(root: Path, table: str) -> int:
    connection = apsw.Connection(str(root / "palyra.db"), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        [(count,)] = connection.execute(f"SELECT count(*) FROM {table}").fetchall()
        assert isinstance(count, int)
        return count
    finally:
        connection.close()


def gone(root: Path, *words: str) -> None:
    """Words are looked for as they were typed, and as the indexes write them."""
    for word in words:
        for form in (word, word[:12], word[2:], word.encode("utf-16-le").decode("latin-1")):
            assert files_holding(root, form) == [], form
    report = verify_directory(root)
    assert report.ok, report.findings


def test_an_erased_memory_is_in_no_file_and_the_journal_verifies(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            memory_id = await keep(memory, f"My nurse said {WORD} twice", tags=(OTHER_WORD,), speaker="Nurse Zyzzyva")
            await memory.follower.backfill()
            assert await found(memory, WORD)
            report = await lifecycle.erase(memory, [memory_id], "asked for", ANA)
            assert len(report.erasures) == 1
            assert report.checkpoint_note
            assert await found(memory, WORD) == []
            gone(tmp_path, WORD, OTHER_WORD, "Zyzzyva")
            with pytest.raises(NotFound):
                await lifecycle.get(memory, memory_id, ANA)
            await check_replay(memory)
        gone(tmp_path, WORD, OTHER_WORD, "Zyzzyva")

    run(story())


def test_every_version_merge_and_reason_goes_with_the_item(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            words = [f"{WORD}{letter}" for letter in "abcd"]
            memory_id = await keep(memory, f"The code word is {words[0]}")
            assert await keep(memory, f"the code word is  {words[0].upper()}.", tags=(words[1],)) == memory_id
            change = Change(text=f"The code word is {words[2]}", reason=f"it was not {words[3]}")
            await lifecycle.update(memory, memory_id, change, ANA)
            await lifecycle.delete(memory, [memory_id], ANA)
            await memory.follower.backfill()
            await lifecycle.erase(memory, [memory_id], "asked for", ANA)
            gone(tmp_path, *words, words[0].upper())
            await check_replay(memory)

    run(story())


def test_followers_and_indexes_are_emptied_of_it(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            target = await keep(memory, f"The code word is {WORD}")
            await keep(memory, "Ana lives in Lisbon")
            await memory.follower.backfill()
            await lifecycle.erase(memory, [target], "asked for", ANA)
            assert await found(memory, "where does Ana live Lisbon") == ["Ana lives in Lisbon"]
        for table in ("memory_items", "memory_vectors", "memory_fingerprints"):
            assert rows(tmp_path, table) == 1, table
        assert rows(tmp_path, f"memory_fts WHERE memory_fts MATCH '\"{WORD}\"'") == 0

    run(story())


def test_backups_beside_it_are_scrubbed_too(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            memory_id = await keep(memory, f"The code word is {WORD}")
            candidate_id = await hold(memory, f"A page says {OTHER_WORD}")
            await keep(memory, "Ana lives in Lisbon")
            await memory.follower.backfill()
            await backup.create(memory.store, tmp_path / "backups" / "one", lambda _done, _total: None)
            assert len(files_holding(tmp_path / "backups", WORD)) == 1
            report = await lifecycle.erase(memory, [memory_id, candidate_id], "asked for", ANA)
            assert report.untouched_copies == ()
            gone(tmp_path, WORD, OTHER_WORD)
        assert backup.verify(tmp_path / "backups" / "one").size == 3

    run(story())


@pytest.mark.parametrize("reworded", [False, True])
def test_an_approved_candidate_goes_with_the_item_it_became(tmp_path: Path, reworded: bool) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            candidate_id = await hold(memory, f"The build server is {WORD}")
            text = f"The build server is {OTHER_WORD}" if reworded else None
            done = await ingesting.approve(memory, candidate_id, ANA, Actor.USER, text=text)
            assert isinstance(done.outcome, Stored)
            await lifecycle.erase(memory, [done.outcome.memory_id], "asked for", ANA)
            gone(tmp_path, WORD, OTHER_WORD)
            assert await ingesting.candidates(memory, ANA, CandidateState.APPROVED, 0, 10) == []
            await check_replay(memory)

    run(story())


def test_a_candidate_that_was_merged_into_an_item_goes_with_it(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            candidate_id = await hold(memory, f"the build server is  {WORD}.")
            memory_id = await keep(memory, f"The build server is {WORD}")
            done = await ingesting.approve(memory, candidate_id, ANA, Actor.USER)
            assert isinstance(done.outcome, Merged)
            await lifecycle.erase(memory, [memory_id], "asked for", ANA)
            gone(tmp_path, WORD)
            await check_replay(memory)

    run(story())


def test_erasing_an_approved_candidate_takes_the_item_it_became(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            candidate_id = await hold(memory, f"The build server is {WORD}")
            await ingesting.approve(memory, candidate_id, ANA, Actor.USER)
            await lifecycle.erase(memory, [candidate_id], "asked for", ANA)
            gone(tmp_path, WORD)
            await check_replay(memory)

    run(story())


@pytest.mark.parametrize("approved", [False, True])
def test_the_reason_of_a_decision_goes_with_what_was_decided(tmp_path: Path, approved: bool) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            candidate_id = await hold(memory, f"The build server is {WORD}")
            decide = ingesting.approve if approved else ingesting.reject
            await decide(memory, candidate_id, ANA, Actor.USER, reason=f"because {OTHER_WORD}")
            await lifecycle.erase(memory, [candidate_id], "asked for", ANA)
            gone(tmp_path, WORD, OTHER_WORD)
            await check_replay(memory)

    run(story())


@pytest.mark.parametrize("approved", [False, True])
def test_the_reasons_of_all_decisions_go_also_when_they_were_taken_back(tmp_path: Path, approved: bool) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            candidate_id = await hold(memory, f"The build server is {WORD}")
            decide = ingesting.approve if approved else ingesting.reject
            await decide(memory, candidate_id, ANA, Actor.USER, reason=f"because {OTHER_WORD}")
            await reopen(memory, candidate_id, ANA, Actor.USER, reason=f"not because {OTHER_WORD}")
            await ingesting.reject(memory, candidate_id, ANA, Actor.USER)
            await lifecycle.erase(memory, [candidate_id], "asked for", ANA)
            gone(tmp_path, WORD, OTHER_WORD)
            await check_replay(memory)

    run(story())


@pytest.mark.parametrize("rejected", [False, True])
def test_a_candidate_can_be_erased_before_and_after_it_was_rejected(tmp_path: Path, rejected: bool) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            candidate_id = await hold(memory, f"The build server is {WORD}")
            if rejected:
                await ingesting.reject(memory, candidate_id, ANA, Actor.USER)
            await lifecycle.erase(memory, [candidate_id], "asked for", ANA)
            gone(tmp_path, WORD)
            await check_replay(memory)
            with pytest.raises(NotFound):
                await ingesting.approve(memory, candidate_id, ANA, Actor.USER)

    run(story())


def test_one_of_two_that_contradict_each_other_can_go(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            first = await keep(memory, "Ana lives in Lisbon")
            second = await keep(memory, "Ana lives in Porto")
            assert (await lifecycle.get(memory, first, ANA)).conflicts
            await lifecycle.erase(memory, [second], "asked for", ANA)
            assert (await lifecycle.get(memory, first, ANA)).conflicts == ()
            await check_replay(memory)
            assert len(await lifecycle.history(memory, first, ANA)) >= 1

    run(story())


@pytest.mark.parametrize("old_goes", [True, False])
def test_either_side_of_a_correction_can_go(tmp_path: Path, old_goes: bool) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            old = await keep(memory, "The staging port is 5432")
            new = await keep(memory, "Actually the staging port is 6543")
            await lifecycle.erase(memory, [old if old_goes else new], "asked for", ANA)
            await check_replay(memory)
            left = await lifecycle.list_(memory, ANA, ItemFilter(include_past=True))
            assert [item.memory_id for item in left] == [new if old_goes else old]

    run(story())


def test_what_was_recalled_can_be_erased_and_the_receipt_stays(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            memory_id = await keep(memory, f"The code word is {WORD}")
            given = await recall(memory, SearchRequest(f"the code word {WORD}"), ANA)
            assert WORD in given.recall.block
            await lifecycle.erase(memory, [memory_id], "asked for", ANA)
            gone(tmp_path, WORD)
            await check_replay(memory)
            assert given.receipt is not None
            record = await memory.journal.get(given.receipt.event_id)
            assert memory_id.encode() in (record.payload or b"")

    run(story())


def test_a_memory_event_is_not_erased_by_itself(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            done = await ingest(memory, Draft(f"The code word is {WORD}"), ANA)
            with pytest.raises(FailedPrecondition, match=r"memory\.stored") as caught:
                await journal_erase.erase(
                    memory.store, memory.journal, [done.receipt.event_id], "asked for", Origin("user:ana")
                )
            assert "palyra memory erase" in caught.value.hint
            assert await found(memory, WORD)

    run(story())


def test_an_unknown_id_among_others_erases_nothing(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            memory_id = await keep(memory, f"The code word is {WORD}")
            with pytest.raises(NotFound):
                await lifecycle.erase(memory, [memory_id, "01JD8QZ6T3M4N5P6Q7R8S9TABC"], "asked for", ANA)
            assert await found(memory, WORD)

    run(story())


def test_a_request_whose_text_was_erased_is_not_answered_from_it(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            done = await ingest(memory, Draft(f"The code word is {WORD}"), ANA, request=R1)
            assert isinstance(done.outcome, Stored)
            await lifecycle.erase(memory, [done.outcome.memory_id], "asked for", ANA)
            with pytest.raises(FailedPrecondition, match="erased"):
                await ingest(memory, Draft(f"The code word is {WORD}"), ANA, request=R1)
            gone(tmp_path, WORD)

    run(story())


# -- any order of anything

SUBJECTS = (
    "Ana lives in Lisbon",
    "Ana lives in Porto",
    "Actually Ana lives in Faro",
    "The port is 5432",
    "tea is good",
)
STEPS = (
    *("retain", "retain", "hold", "update", "pin", "supersede", "delete", "recall"),
    *("approve", "reject", "reopen", "erase"),
)
steps = st.lists(
    st.tuples(
        st.sampled_from(STEPS),
        st.integers(0, 20),
        st.integers(0, 20),
    ),
    min_size=2,
    max_size=14,
)


class Teller:
    """Acts out steps on whatever ids there are; what the product refuses is refused."""

    def __init__(self, memory: Memory, clock: ManualClock) -> None:
        self.memory = memory
        self.clock = clock
        self.items: list[str] = []
        self.candidates: list[str] = []

    async def act(self, step: str, a: int, b: int) -> None:
        memory, self.clock.ms = self.memory, self.clock.ms + 1_000
        item, other = self._pick(self.items, a), self._pick(self.items, b)
        candidate = self._pick(self.candidates, a)
        match step:
            case "retain":
                await self._retain(Draft(SUBJECTS[a % len(SUBJECTS)], tags=(f"t{b % 3}",)))
            case "hold":
                await self._retain(Draft(SUBJECTS[a % len(SUBJECTS)], MemorySource.TOOL_RESULT))
            case "update":
                await lifecycle.update(memory, item, Change(text=SUBJECTS[b % len(SUBJECTS)], tags=(f"u{b}",)), ANA)
            case "pin":
                await lifecycle.update(memory, item, Change(pinned=bool(b % 2), reason="so"), ANA)
            case "supersede":
                await lifecycle.supersede(memory, item, other, ANA)
            case "delete":
                await lifecycle.delete(memory, [item, other], ANA)
            case "recall":
                await recall(memory, SearchRequest(SUBJECTS[a % len(SUBJECTS)]), ANA)
            case "approve":
                text = SUBJECTS[b % len(SUBJECTS)] if b % 3 == 0 else None
                done = await ingesting.approve(memory, candidate, ANA, Actor.USER, text=text, reason="fine")
                self._note(done.outcome)
            case "reject":
                await ingesting.reject(memory, candidate, ANA, Actor.USER)
            case "reopen":
                await reopen(memory, candidate, ANA, Actor.USER, reason="not so fast")
            case _:
                await lifecycle.erase(memory, [candidate if b % 3 == 0 else item], "asked for", ANA)

    async def _retain(self, draft: Draft) -> None:
        self._note((await ingest(self.memory, draft, ANA)).outcome)

    def _note(self, outcome: object) -> None:
        if isinstance(outcome, Stored | Merged | ConflictFound):
            self.items.append(outcome.memory_id)
        if isinstance(outcome, HeldForReview):
            self.candidates.append(outcome.candidate_id)

    @staticmethod
    def _pick(ids: list[str], n: int) -> str:
        return ids[n % len(ids)] if ids else "01JD8QZ6T3M4N5P6Q7R8S9TABC"


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(steps)
def test_any_sequence_with_any_erasures_replays_to_the_live_state(story: list[tuple[str, int, int]]) -> None:
    async def work(root: Path) -> None:
        clock = ManualClock()
        async with a_memory(root, clock) as memory:
            teller = Teller(memory, clock)
            for step, a, b in story:
                try:
                    await teller.act(step, a, b)
                except PalyraError as error:
                    if error.code not in {"not_found", "failed_precondition", "invalid_argument"}:
                        raise
            await check_replay(memory)

    with tempfile.TemporaryDirectory() as root:
        asyncio.run(work(Path(root)))
        report = verify_directory(Path(root))
        assert report.ok, report.findings
