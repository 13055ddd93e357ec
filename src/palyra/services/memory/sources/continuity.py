"""Checkpoints and summaries as sources: what a checkpoint is called, and the sentences that stand for what was said."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime

from palyra.domain.compaction.plan import SummaryLine, Voice
from palyra.domain.compaction.plan_json import artifact_from_json
from palyra.domain.memory import Trust
from palyra.domain.retrieval.passages import Passage, PassagePlace
from palyra.domain.retrieval.query import RetrievalSourceProfileKind
from palyra.domain.scope import Visibility
from palyra.services.memory.sources.source import Key, Record
from palyra.store.connection import ReadTx
from palyra.store.continuity.records import (
    Compaction,
    SessionCheckpoint,
    checkpoints_after,
    checkpoints_at,
    compactions_after,
    compactions_at,
)
from palyra.store.sessions.records import fetch_session

_TRUST = {Voice.USER: Trust.OWNER, Voice.ASSISTANT: Trust.AGENT, Voice.TOOL: Trust.TOOL}


class _KeptRecord:
    """What is written once and stays: nothing goes but by erasure, which drops the index."""

    def gone(self, _tx: ReadTx, _principal: str, _held: Collection[int]) -> Collection[int]:
        return ()

    def words(self, _tx: ReadTx, _terms: Sequence[str], _seer: Visibility, _limit: int) -> list[tuple[Key, float]]:
        return []  # there are few of them, and no index in the database


class Checkpoints(_KeptRecord):
    def new(self, tx: ReadTx, principal: str, _held: Collection[int], after_seq: int) -> Iterator[Record]:
        for one in checkpoints_after(tx, principal, after_seq):
            yield Record(one.seq, one.channel, (_told(one),), "", one.session_id, one.at_ms, Trust.OWNER)

    def passages(self, tx: ReadTx, keys: Sequence[Key], seer: Visibility) -> Mapping[Key, Passage]:
        found: dict[Key, Passage] = {}
        for one in checkpoints_at(tx, [seq for seq, _ in keys], seer):
            session = fetch_session(tx, one.session_id, seer)
            place = PassagePlace(
                one.seq,
                one.event_id,
                session_id=one.session_id,
                session_key="" if session is None else session.key,
                session_title="" if session is None else session.title,
                checkpoint_id=one.checkpoint_id,
                name=one.name,
            )
            kind = RetrievalSourceProfileKind.CHECKPOINT
            found[one.seq, 0] = Passage(kind, _told(one), "", one.at_ms, Trust.OWNER, place)
        return found


class Summaries(_KeptRecord):
    def new(self, tx: ReadTx, principal: str, _held: Collection[int], after_seq: int) -> Iterator[Record]:
        for one in compactions_after(tx, principal, after_seq):
            texts = [line.text for line in _lines(one)]
            yield Record(one.seq, one.channel, texts, "", one.session_id, one.at_ms, Trust.AGENT)

    def passages(self, tx: ReadTx, keys: Sequence[Key], seer: Visibility) -> Mapping[Key, Passage]:
        made = {one.seq: one for one in compactions_at(tx, [seq for seq, _ in keys], seer)}
        found: dict[Key, Passage] = {}
        for seq, number in keys:
            lines = _lines(made[seq]) if seq in made else ()
            if number < len(lines):
                found[seq, number] = _passage(tx, made[seq], lines[number], seer)
        return found


def _passage(tx: ReadTx, one: Compaction, line: SummaryLine, seer: Visibility) -> Passage:
    session = fetch_session(tx, one.session_id, seer)
    place = PassagePlace(
        line.seq,
        one.event_id,
        session_id=one.session_id,
        session_key="" if session is None else session.key,
        session_title="" if session is None else session.title,
        compaction_id=one.compaction_id,
    )
    said_at_ms = int(datetime.fromisoformat(line.day).replace(tzinfo=UTC).timestamp() * 1000)
    trust = Trust.TOOL if one.artifact.get("untrusted") else _TRUST[line.voice]
    kind = RetrievalSourceProfileKind.COMPACTION
    return Passage(kind, line.text, line.voice.value, said_at_ms, trust, place)


def _told(one: SessionCheckpoint) -> str:
    return "\n".join(part for part in (one.name, one.note, " ".join(one.tags)) if part)


def _lines(one: Compaction) -> list[SummaryLine]:
    plan = one.artifact["plan"]
    artifact = artifact_from_json({name: plan[name] for name in ("condensed", "strategy")})
    return [line for block in artifact.condensed for line in block.lines]
