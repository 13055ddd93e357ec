"""What a draft has to be compared with, and what it is to each of these.

Reading, and the models that compare, come before the transaction; in it we look whether the same is still there, and
only what has come in between is compared again.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from palyra.domain.ingest import Known, Ready, decide
from palyra.domain.labels import Category
from palyra.domain.memory import IngestOutcome, MemoryItem
from palyra.domain.memory_events import MemoryEvent
from palyra.domain.retrieval.index import least_shared
from palyra.domain.retrieval.terms import query_terms
from palyra.domain.scope import Scope, Visibility
from palyra.language.change import Changes, Link
from palyra.language.statements import Encode, Kind
from palyra.language.statements import Known as Statement
from palyra.language.wording.frames import is_marked
from palyra.services.memory.context import Memory
from palyra.services.memory.engine import MAY_LAG
from palyra.store.connection import ReadTx
from palyra.store.memory.candidates import alike as alike_candidate
from palyra.store.memory.items import alike_items, fetch_seqs, replaced_texts, same_turns, texts_since

_NEIGHBOURS = 24
_JUST_WRITTEN = MAY_LAG + 8
_LATEST = 40
"""of a place: what people correct they have mostly said a moment ago, and in other words"""
_WITHIN = 2_048
"""events, to look for these"""
_MOST_LATER = 16
"""statements made later that a late one is compared with"""


_KINDS: dict[Category | None, Kind] = {
    Category.DURABLE_FACT: Kind.FACT,
    Category.PREFERENCE: Kind.PREFERENCE,
    Category.PROCEDURE: Kind.PROCEDURE,
    Category.DECISION: Kind.DECISION,
    Category.CONSTRAINT: Kind.CONSTRAINT,
}


@dataclass(frozen=True, slots=True)
class Looked:
    """A draft that may be written, and what it has to be compared with: for a decision of one's own."""

    ready: Ready
    terms: Sequence[str] = ()
    """its telling words"""
    neighbours: Sequence[int] = ()
    """seqs of items that share some of them"""
    since: int | None = None
    """up to where the journal was looked at; None: there is nothing to look for"""
    compared: tuple[int, ...] | None = None
    """seqs of the items that it has been compared with"""
    links: tuple[Link, ...] = ()
    """what it is to them"""


async def look(memory: Memory, ready: Ready) -> Looked:
    if ready.because or ready.draft.is_episode:
        return Looked(ready)
    terms = query_terms(ready.stored.text)
    found = memory.engine.similar_now(ready.scope, terms, _NEIGHBOURS, memory.store.chain.size)
    if found is None:
        found = await memory.store.db.read(lambda tx: memory.engine.similar(tx, ready.scope, terms, _NEIGHBOURS))
    looked = Looked(ready, terms, *found)
    known = await memory.store.db.read(lambda tx: known_now(tx, memory, looked))
    if known.alike or not known.neighbours:
        return looked
    encode = memory.encoder if memory.encoder is not None and memory.encoder.is_loaded else None
    links = await asyncio.to_thread(_links, memory, ready, known, encode)
    return replace(looked, compared=tuple(item.seq for item in known.neighbours), links=links)


def decide_looked(tx: ReadTx, memory: Memory, looked: Looked) -> tuple[tuple[MemoryEvent, ...], IngestOutcome]:
    """What follows from what is there in this very transaction."""
    known = known_now(tx, memory, looked)
    if known.neighbours and not known.alike:
        is_as_looked = looked.compared == tuple(item.seq for item in known.neighbours)
        links = (
            looked.links if is_as_looked else _links(memory, looked.ready, known, _remembered(memory, looked, known))
        )
        known = replace(known, links=links)
    return decide(looked.ready, known, memory.clock.now_ms(), memory.store.ids.next)


def known_now(tx: ReadTx, memory: Memory, looked: Looked) -> Known:
    ready, since = looked.ready, looked.since
    draft, likeness = ready.draft, ready.stored.likeness
    if ready.because:
        return Known(alike_items(tx, ready.scope, likeness), candidate=alike_candidate(tx, ready.scope, likeness))
    if draft.is_episode:
        return Known(same_turns(tx, ready.scope, likeness, draft.thread, draft.speaker, draft.said_at_ms))
    alike = alike_items(tx, ready.scope, likeness)
    if since is None or alike:
        return Known(alike)
    place = ready.scope
    sight = Visibility(place.principal, place.channel, place.session_id)
    near = {*looked.neighbours, *_just_written(tx, memory, looked, since)}
    found = fetch_seqs(tx, sorted(near), sight) if near else {}
    neighbours = [found[seq] for seq in sorted(found) if _is_open_in(found[seq], place)]
    ids = [item.memory_id for item in neighbours if item.supersedes is not None]
    return Known(alike, neighbours, before=replaced_texts(tx, ids, sight) if ids else {})


def _just_written(tx: ReadTx, memory: Memory, looked: Looked, since: int) -> list[int]:
    """Seqs of the latest items of the place, and of those that share words with it and are too new for the index."""
    place, draft = looked.ready.scope, looked.ready.draft
    # A plain statement that nobody said in a conversation, with no word of change: what it replaces shares its words.
    may_be_new_words = draft.said is not None or is_marked("", draft.text)
    head = max(0, memory.store.chain.size - _WITHIN)
    latest = texts_since(tx, place, head, _LATEST) if may_be_new_words else []
    unseen = texts_since(tx, place, since, _JUST_WRITTEN)
    terms = frozenset(looked.terms)
    enough = least_shared(len(terms))
    known = memory.engine.words_unseen(place.principal)
    near = [seq for seq, text in unseen if len(terms.intersection(known.get(seq) or query_terms(text))) >= enough]
    return [seq for seq, _ in latest] + near


def _is_open_in(item: MemoryItem, place: Scope) -> bool:
    return item.scope == place and item.closed_at_ms is None and item.superseded_by is None


# -- comparing


def _remembered(memory: Memory, looked: Looked, known: Known) -> Encode | None:
    """The encoder, if it need not work: a transaction is no place for that."""
    draft = looked.ready.draft
    texts = [looked.ready.stored.text, draft.said or looked.ready.stored.text, *(i.text for i in known.neighbours)]
    return memory.encoder if memory.encoder is not None and memory.encoder.knows(texts) else None


def _links(memory: Memory, ready: Ready, known: Known, encode: Encode | None) -> tuple[Link, ...]:
    """What it is to those said before it; and to those said after it, if it comes late."""
    changes, draft = Changes(encode), ready.draft
    now_ms = memory.clock.now_ms()
    text = ready.stored.text
    new = Statement(
        ready.stored.memory_id, text, draft.said or text, draft.said_at_ms or now_ms, _KINDS.get(draft.category)
    )
    others = [_statement(item, known) for item in known.neighbours]
    later = [one for one in others if one.said_at_ms > new.said_at_ms]
    links = list(changes.links(new, [one for one in others if one.said_at_ms <= new.said_at_ms], draft.change))
    for one in later[:_MOST_LATER]:
        earlier = [other for other in others if other.said_at_ms < one.said_at_ms]
        links += [replace(link, key=one.key) for link in changes.links(one, [*earlier, new]) if link.key == new.key]
    return tuple(links)


def _statement(item: MemoryItem, known: Known) -> Statement:
    before, kind = known.before.get(item.memory_id, ()), _KINDS.get(item.category)
    return Statement(item.memory_id, item.text, item.text, item.said_at_ms, kind, before)
