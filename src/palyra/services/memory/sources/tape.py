"""The tape as a source: turns of every session in sight, word for word, with what tools answered and files said."""

from collections.abc import Collection, Iterator, Mapping, Sequence

from palyra.domain.chat.pieces import pieces
from palyra.domain.chat.session import TapeType
from palyra.domain.journal import Actor
from palyra.domain.memory import ACTOR_TRUST, MemoryLimits, Trust
from palyra.domain.retrieval.passages import Passage, PassagePlace
from palyra.domain.retrieval.query import RetrievalSourceProfileKind
from palyra.domain.scope import Visibility
from palyra.services.memory.sources.source import Key, Record
from palyra.store.connection import ReadTx
from palyra.store.sessions.records import fetch_session
from palyra.store.sessions.search import matching_words
from palyra.store.sessions.spoken import ATTACHMENT, Spoken, spoken_after, spoken_at


class Tape:
    def gone(self, _tx: ReadTx, _principal: str, _held: Collection[int]) -> Collection[int]:
        return ()

    def new(self, tx: ReadTx, principal: str, _held: Collection[int], after_seq: int) -> Iterator[Record]:
        for one in spoken_after(tx, principal, after_seq):
            yield Record(one.seq, one.channel, cut(one.text), _speaker(one), one.session_id, one.at_ms, trust_of(one))

    def words(self, tx: ReadTx, terms: Sequence[str], seer: Visibility, limit: int) -> list[tuple[Key, float]]:
        return [((seq, 0), score) for seq, score in matching_words(tx, terms, seer, limit)]

    def passages(self, tx: ReadTx, keys: Sequence[Key], seer: Visibility) -> Mapping[Key, Passage]:
        """Of each turn the best piece alone."""
        said = spoken_at(tx, [seq for seq, _ in keys], seer)
        found: dict[Key, Passage] = {}
        shown: set[int] = set()
        for seq, number in keys:
            one = said.get(seq)
            texts = () if one is None else cut(one.text)
            if one is None or seq in shown or number >= len(texts):
                continue
            shown.add(seq)
            session = fetch_session(tx, one.session_id, seer) if one.session_id else None
            place = PassagePlace(
                seq,
                one.event_id,
                session_id=one.session_id,
                session_key="" if session is None else session.key,
                session_title="" if session is None else session.title,
                run_id=one.run_id,
                type=one.type,
            )
            kind = RetrievalSourceProfileKind.TRANSCRIPT
            found[seq, number] = Passage(kind, texts[number], _speaker(one), one.at_ms, trust_of(one), place)
        return found


def cut(text: str) -> Sequence[str]:
    return tuple(pieces(text, MemoryLimits()))


def trust_of(one: Spoken) -> Trust:
    if one.type == ATTACHMENT:
        return Trust.IMPORT
    if one.type == TapeType.TOOL_RESULT.value:
        return Trust.TOOL
    if one.type == TapeType.USER_MESSAGE.value:
        return ACTOR_TRUST[Actor(one.actor or Actor.USER.value)]
    return Trust.AGENT


def _speaker(one: Spoken) -> str:
    if one.speaker or one.type == ATTACHMENT:
        return one.speaker
    return "user" if one.type == TapeType.USER_MESSAGE.value else "assistant"
