"""What was learned, to look at: listed, counted, and one by one with what it rests on."""

from collections.abc import Sequence
from dataclasses import dataclass

from palyra.core.errors import InvalidArgument, NotFound
from palyra.core.ids import ALPHABET
from palyra.domain.chat.session import Run
from palyra.domain.chat.transcript import messages
from palyra.domain.compaction.tape import spoken
from palyra.domain.learning.candidate import LearningCandidate, LearningState, LearningStep
from palyra.domain.learning.proposal import EvidenceSpan, LearnedKind
from palyra.domain.learning.read import FoundStatement
from palyra.domain.memory import MemoryItem
from palyra.domain.scope import Visibility
from palyra.services.learning.context import Learning, find_candidate
from palyra.store.connection import ReadTx
from palyra.store.journal_store import JournalStore
from palyra.store.learning.read_turns import read_runs
from palyra.store.learning.records import (
    Preference,
    count_by_state,
    count_queued,
    count_snoozed,
    ids_beginning,
    list_candidates,
    preferences_in_force,
    steps_of,
)
from palyra.store.memory.items import fetch_item
from palyra.store.memory.usage import count_candidates
from palyra.store.sessions.records import fetch_record, tape_of

WAITING = (LearningState.NEEDS_REVIEW, LearningState.CONFLICTED)
_PAGE = 500
_ID_CHARS = 26
_SHORTEST_ID = 6
_SHOWN_IDS = 5
_CONTEXT_CHARS = 2_000
_PREFERENCES = 64


@dataclass(frozen=True, slots=True)
class Quote:
    """A place in a conversation that a candidate rests on. Empty words: erased since."""

    seq: int
    event_id: str
    session_id: str
    run_id: str
    at_ms: int
    words: str
    message: str
    """all that was said there, cut if it is long"""


@dataclass(frozen=True, slots=True)
class CandidateDetail:
    candidate: LearningCandidate
    evidence: tuple[Quote, ...]
    similar: tuple[MemoryItem, ...]
    conflicts: tuple[MemoryItem, ...]
    steps: tuple[LearningStep, ...]


@dataclass(frozen=True, slots=True)
class Overview:
    counts: dict[LearningState, int]
    snoozed: int
    """of those that wait"""
    queued: int
    """runs that were not read yet"""
    held: int
    """texts that wait on the way into memory"""


async def list_(
    learning: Learning,
    caller: Visibility,
    states: Sequence[LearningState],
    kinds: Sequence[LearnedKind] = (),
    after_seq: int = 0,
    limit: int = 50,
    *,
    snoozed: bool = False,
) -> list[LearningCandidate]:
    """In the order they were proposed; those that were put off only with `snoozed`."""
    if not 1 <= limit <= _PAGE:
        raise InvalidArgument(f"limit {limit} is outside 1..{_PAGE}", hint="ask for smaller pages")
    if not 0 <= after_seq < 1 << 62:
        raise InvalidArgument(f"after_seq {after_seq} is outside 0..2**62", hint="0 begins at the beginning")
    awake = None if snoozed else learning.clock.now_ms()
    return await learning.store.db.read(
        lambda tx: list_candidates(tx, caller, states, kinds, awake_at_ms=awake, after_seq=after_seq, limit=limit)
    )


async def overview(learning: Learning, caller: Visibility) -> Overview:
    now_ms = learning.clock.now_ms()

    def read(tx: ReadTx) -> Overview:
        return Overview(
            count_by_state(tx, caller),
            count_snoozed(tx, caller, now_ms),
            count_queued(tx, caller),
            count_candidates(tx, caller),
        )

    return await learning.store.db.read(read)


async def quotes(
    learning: Learning, candidates: Sequence[LearningCandidate], caller: Visibility
) -> list[tuple[Quote, ...]]:
    """What each of them rests on, in the same order."""
    return await learning.store.db.read(lambda tx: [_quotes(tx, one, caller) for one in candidates])


async def get(learning: Learning, candidate_id: str, caller: Visibility) -> CandidateDetail:
    """By its id, or by a beginning of it that no other candidate in sight shares."""

    def read(tx: ReadTx) -> CandidateDetail:
        found = find_candidate(tx, _whole_id(tx, candidate_id, caller), caller)
        return CandidateDetail(
            found,
            _quotes(tx, found, caller),
            _items(tx, found.similar, caller),
            _items(tx, found.conflicts, caller),
            tuple(steps_of(tx, found.candidate_id)),
        )

    return await learning.store.db.read(read)


async def preferences(learning: Learning, caller: Visibility) -> list[Preference]:
    """Those that stand in prompts, newest first."""
    now_ms = learning.clock.now_ms()
    return await learning.store.db.read(lambda tx: preferences_in_force(tx, caller, now_ms, _PREFERENCES))


async def left_on_tape(store: JournalStore, run: Run) -> list[FoundStatement]:
    """What a turn said and memory does not keep, with the reason."""

    def read(tx: ReadTx) -> list[FoundStatement]:
        said = {one.event_ids[0]: spoken(one) for one in messages(tape_of(tx, [run.run_id]))}
        return [
            FoundStatement(said[one["event_id"]][one["start"] : one["end"]], one["event_id"], one["start"], one["end"],
                  because=one["reason"])
            for read in read_runs(tx, [run.run_id], run.principal)
            for one in read.left
            if said.get(one["event_id"])
        ]  # fmt: skip

    return await store.db.read(read)


def _whole_id(tx: ReadTx, text: str, caller: Visibility) -> str:
    if not _SHORTEST_ID <= len(text) < _ID_CHARS or not set(text.upper()) <= set(ALPHABET):
        return text
    found = ids_beginning(tx, text.upper(), caller, _SHOWN_IDS)
    if not found:
        raise NotFound(f"no learning candidate begins with {text.upper()}", hint="palyra learning list --state all")
    if len(found) > 1:
        raise InvalidArgument(
            f"several candidates begin with {text.upper()}", hint=f"write more of it: {', '.join(found)}"
        )
    return found[0]


def _items(tx: ReadTx, memory_ids: Sequence[str], caller: Visibility) -> tuple[MemoryItem, ...]:
    found = [fetch_item(tx, memory_id, caller) for memory_id in memory_ids]
    return tuple(item for item in found if item is not None)


def _quotes(tx: ReadTx, found: LearningCandidate, caller: Visibility) -> tuple[Quote, ...]:
    return tuple(quote for span in found.evidence if (quote := _quote(tx, span, caller)))


def _quote(tx: ReadTx, span: EvidenceSpan, caller: Visibility) -> Quote | None:
    record = fetch_record(tx, span.event_id, caller)
    if record is None:
        return None
    said = messages(tape_of(tx, [record.run_id]))
    message = next((one for one in said if one.seq <= record.seq <= one.last_seq), None)
    text = "" if message is None or record.payload is None else spoken(message)
    words = text[span.start : span.end] if span.end else text
    return Quote(
        record.seq,
        record.event_id,
        record.session_id,
        record.run_id,
        record.at_ms,
        words[:_CONTEXT_CHARS],
        text[:_CONTEXT_CHARS],
    )
