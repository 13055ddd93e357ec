"""The statements of a conversation, as its turns were read: what each has become since, and what was left on the tape.

A turn that was not read yet is read here, by the same reader, for the plan alone: nothing of that is written.
"""

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from palyra.core.ids import RunId
from palyra.domain.chat.session import Run, Session, TapeRecord
from palyra.domain.chat.transcript import TranscriptKind, messages
from palyra.domain.compaction.plan import CandidateKind
from palyra.domain.compaction.stated import State, Stated
from palyra.domain.compaction.tape import spoken
from palyra.domain.labels import Category
from palyra.domain.learning.read import READER
from palyra.domain.learning.turn import NEIGHBOURS, HeardTurn, turns_in
from palyra.domain.memory import ACTOR_TRUST, CandidateState, MemoryItem, Trust
from palyra.domain.scope import Visibility
from palyra.language.change import Changes
from palyra.language.statements import Encode, Kind, Known, Statement
from palyra.services.memory.context import Memory
from palyra.store.connection import ReadTx
from palyra.store.learning.read_turns import WrittenStatement, read_runs, written_statements
from palyra.store.learning.records import candidates_of_runs
from palyra.store.memory.items import items_named

_RUNS_AT_ONCE = 500
_CHANGES = 0.5
"""how much a statement that was read just now has to sound like a change to be compared with those before it"""
_KINDS: dict[str, CandidateKind] = {
    Category.PREFERENCE: CandidateKind.PREFERENCE,
    Category.CONSTRAINT: CandidateKind.PREFERENCE,
    Category.PROCEDURE: CandidateKind.PROCEDURE,
    Category.DECISION: CandidateKind.DECISION,
    Kind.CONSTRAINT: CandidateKind.PREFERENCE,
}


@dataclass(frozen=True, slots=True)
class ToldRun:
    """A run with what is on the tape of it."""

    run: Run
    records: Sequence[TapeRecord]


async def statements_of(memory: Memory, session: Session, runs: Sequence[ToldRun]) -> dict[int, tuple[Stated, ...]]:
    """By the seq of the message."""
    over = [told for told in runs if told.run.state.is_over]
    known = await memory.store.db.read(lambda tx: _known(tx, session, over, memory.clock.now_ms()))
    unread = [n for n, told in enumerate(over) if told.run.run_id not in known.read]
    fresh = await asyncio.to_thread(_read_now, over, unread, memory.encoder) if unread else {}
    return {seq: tuple(stated) for seq, stated in {**known.stated, **fresh}.items()}


def no_longer_held(tx: ReadTx, memory_ids: Sequence[str], seer: Visibility, now_ms: int) -> frozenset[str]:
    """Of these memories, the ones that were replaced, rejected, erased or have run out."""
    found = items_named(tx, memory_ids, seer)
    return frozenset(one for one in memory_ids if one not in found or state_of(found[one], now_ms) is not State.HOLDS)


def state_of(item: MemoryItem, now_ms: int) -> State:
    if item.superseded_by is not None:
        return State.REPLACED
    over = item.closed_at_ms is not None or (item.expires_at_ms is not None and item.expires_at_ms <= now_ms)
    return State.REJECTED if over else State.HOLDS


# -- what was read before


@dataclass(frozen=True, slots=True)
class _ReadBefore:
    stated: dict[int, list[Stated]]
    read: set[RunId]


@dataclass(frozen=True, slots=True)
class _ToldMessage:
    """A message of a person, by its event."""

    seq: int
    run_id: RunId
    text: str


def _known(tx: ReadTx, session: Session, runs: Sequence[ToldRun], now_ms: int) -> _ReadBefore:
    seer = Visibility(session.principal, session.channel)
    known = _ReadBefore(defaultdict(list), set())
    for start in range(0, len(runs), _RUNS_AT_ONCE):
        places = {
            message.event_ids[0]: _ToldMessage(message.seq, told.run.run_id, spoken(message))
            for told in runs[start : start + _RUNS_AT_ONCE]
            for message in messages(told.records, to_be_shown=False)
            if message.kind is TranscriptKind.USER
        }
        for one in written_statements(tx, list(places), seer):
            place = places[one.event_id]
            known.stated[place.seq].append(_written(one, place, now_ms))
            known.read.add(place.run_id)
        ids = [told.run.run_id for told in runs[start : start + _RUNS_AT_ONCE]]
        for run in read_runs(tx, ids, session.principal):
            left = [_left(one, places[one["event_id"]]) for one in run.left if one["event_id"] in places]
            if left or run.reader == READER:
                known.read.add(run.run_id)
            for piece in left:
                known.stated[piece.seq].append(piece)
        for candidate in candidates_of_runs(tx, ids, session.principal):
            event_id = next((one.event_id for one in candidate.evidence if one.event_id in places), None)
            if candidate.state.waits and event_id is not None:
                place, kind = places[event_id], _KINDS.get(candidate.kind, CandidateKind.FACT)
                known.stated[place.seq].append(
                    Stated(place.seq, candidate.text, kind, State.WAITS, candidate.confidence_bps, candidate.trust)
                )
    return known


def _written(one: WrittenStatement, place: _ToldMessage, now_ms: int) -> Stated:
    if one.item is None:
        kind = _KINDS.get(one.category, CandidateKind.FACT)
        state = _WAITING.get(one.state, State.ERASED) if one.state else State.ERASED
        return Stated(
            place.seq, one.text, kind, state, one.confidence_bps, Trust(one.trust), _span(one.text, place.text), "",
            one.because,
        )  # fmt: skip
    item = one.item
    return Stated(
        place.seq,
        item.text,
        _KINDS.get(item.category, CandidateKind.FACT),
        state_of(item, now_ms),
        item.confidence_bps,
        item.trust,
        _span(item.text, place.text),
        item.memory_id,
    )


_WAITING = {CandidateState.NEEDS_REVIEW: State.WAITS, CandidateState.REJECTED: State.REJECTED}


def _span(text: str, said: str) -> tuple[int, int]:
    """Where it stands; of what was put into other words, the whole message."""
    at = said.find(text)
    return (at, at + len(text)) if at >= 0 else (0, len(said))


def _left(one: Mapping[str, Any], place: _ToldMessage) -> Stated:
    span = int(one["start"]), int(one["end"])
    because = (str(one["reason"]),)
    sure_bps = int(one.get("sure_bps", 0))
    text = place.text[slice(*span)]
    return Stated(place.seq, text, CandidateKind.FACT, State.LEFT, sure_bps, Trust.OWNER, span, "", because)


# -- what is read only now


def _read_now(runs: Sequence[ToldRun], unread: Sequence[int], encode: Encode | None) -> dict[int, list[Stated]]:
    from palyra.language.reading import Reader  # noqa: PLC0415 - its weights

    reader, found = Reader(encode), defaultdict[int, list[Stated]](list)
    standing = _JustRead(Changes(encode))
    for n in unread:
        run, near = runs[n].run, runs[max(0, n - NEIGHBOURS) : n + 1]
        told = messages(record for one in near for record in one.records)
        seqs = {message.event_ids[0]: message.seq for message in told if message.run_id == run.run_id}
        for turn in turns_in(told, run):
            seq, trust = seqs[turn.event_id], ACTOR_TRUST[turn.actor]
            read = reader.read(turn.said, turn.before, turn.repeated)
            for statement in read.statements:
                kind = _KINDS.get(statement.kind, CandidateKind.FACT)
                span = min(one[0] for one in statement.spans), max(one[1] for one in statement.spans)
                state = State.READ if trust is Trust.OWNER or kind is CandidateKind.FACT else State.WAITS
                found[seq].append(Stated(seq, statement.text, kind, state, statement.confidence_bps, trust, span))
                standing.add(turn, statement, (seq, len(found[seq]) - 1))
            for piece in read.left:
                text, sure_bps = turn.said.text[slice(*piece.span)], round(10_000 * piece.probability)
                found[seq].append(
                    Stated(seq, text, CandidateKind.FACT, State.LEFT, sure_bps, trust, piece.span, "", (piece.because,))
                )
    for seq, number in standing.replaced:
        found[seq][number] = replace(found[seq][number], state=State.REPLACED)
    return found


class _JustRead:
    """Which of the statements that were read just now a later one of them has replaced."""

    def __init__(self, changes: Changes) -> None:
        self._changes = changes
        self._known: list[Known] = []
        self.replaced: set[tuple[int, int]] = set()

    def add(self, turn: HeardTurn, statement: Statement, key: tuple[int, int]) -> None:
        new = Known(key, statement.text, turn.said.text, turn.said.said_at_ms, statement.kind)
        if statement.change >= _CHANGES:
            links = self._changes.links(new, self._known, statement.change)
            self.replaced |= {link.key for link in links if link.relation == "replaces"}
        self._known.append(new)
