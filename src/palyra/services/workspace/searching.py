"""Finding sections of documents by words and by meaning, ranked as memory is.

Whatever the index says, a hit is read through the caller's visibility in the same snapshot before anybody sees it.
Where the index fails, the words in the database answer; what took no part is named in `degraded`.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from palyra.core import limits
from palyra.core.errors import Deadline, InvalidArgument, PalyraError
from palyra.core.redact import redact_memory_text_for_output
from palyra.domain.chat.continuity_events import MAIN
from palyra.domain.recall import snippet
from palyra.domain.retrieval.query import Scored
from palyra.domain.retrieval.terms import query_terms
from palyra.domain.scope import Visibility
from palyra.domain.workspace.sections import sections
from palyra.services.memory.asking import Question, checked_query
from palyra.services.memory.embedding import EmbeddingFollower
from palyra.services.workspace.context import Workspace
from palyra.services.workspace.reading import DocumentState, to_document
from palyra.services.workspace.section_index import SectionIndex, SectionIndexes
from palyra.services.workspace.sync import read_files
from palyra.store.connection import ReadTx
from palyra.store.workspace.records import known_files, marks_of, revision_with_seq
from palyra.store.workspace.search import matching_sections, section_key, seq_and_number

_EMBED_SECONDS = 5.0
_BY_NETWORK = limits.BACKFILL_BATCH
"""sections that one search sends to a model over the network; the rest waits for the next one"""


@dataclass(frozen=True, slots=True)
class SectionHit:
    document: DocumentState
    heading: str
    line_number: int
    snippet: str
    score: float
    parts: dict[str, float]
    """what the score is made of; adds up to it"""


@dataclass(frozen=True, slots=True)
class SectionHits:
    hits: tuple[SectionHit, ...]
    degraded: tuple[str, ...]
    """parts that took no part, or not for every section: vector, index"""


async def search(
    workspace: Workspace,
    follower: EmbeddingFollower,
    query: str,
    caller: Visibility,
    limit: int,
    min_score: float = 0.0,
) -> SectionHits:
    """Sections of documents on the main line as they are now, best first."""
    if not 1 <= limit <= limits.TOP_K:
        raise InvalidArgument(f"limit {limit} is outside 1..{limits.TOP_K}", hint="20 is a good start")
    if not 0.0 <= min_score <= 1.0:
        raise InvalidArgument(f"min_score {min_score} is outside 0..1", hint="0.3 leaves out weak hits")
    question = Question(checked_query(query))
    await read_files(workspace, caller)
    await question.embed(follower)
    index = await _prepared(workspace, follower, question, caller)

    def find(tx: ReadTx) -> list[SectionHit]:
        scored = _scored(tx, workspace, index, question, caller, limit)
        wanted = [hit for hit in scored if hit.score >= min_score and hit.has_evidence]
        return _hits(tx, workspace, wanted[:limit], query_terms(question.text), caller)

    hits = await workspace.store.db.read_alone(find)
    return SectionHits(tuple(hits), tuple(question.degraded))


async def _prepared(
    workspace: Workspace, follower: EmbeddingFollower, question: Question, caller: Visibility
) -> SectionIndex:
    """The index, with vectors for what is new since the last search."""
    if workspace.indexes is None:
        workspace.indexes = SectionIndexes()
    index = workspace.indexes.of(caller.principal, follower.serving, follower.serving_dims)
    await workspace.store.db.read(lambda tx: index.follow(tx, caller))
    bare = index.bare(None if follower.answers_at_once else _BY_NETWORK)
    if not bare or question.degraded:
        return index
    try:
        async with asyncio.timeout(None if follower.answers_at_once else _EMBED_SECONDS):
            identity, vectors = await follower.embed_as_served([text for _, text in bare])
    except TimeoutError:
        error = Deadline(f"the sections had no vectors within {_EMBED_SECONDS:g} s", hint="palyra memory status")
        question.say_without_vectors(error)
    except PalyraError as error:
        question.say_without_vectors(error)
    else:
        if identity == index.identity:
            await asyncio.to_thread(index.put_vectors, [key for key, _ in bare], vectors)
    if index.bare(1):
        question.say_without_vectors(Deadline("some sections have no vectors yet", hint="search again"))
    return index


def _scored(
    tx: ReadTx, workspace: Workspace, index: SectionIndex, question: Question, caller: Visibility, limit: int
) -> list[Scored]:
    now_ms = workspace.clock.now_ms()
    try:
        try:
            return index.search(tx, caller, question, now_ms, limit)
        except InvalidArgument as error:
            # The model was changed between embedding the question and looking it up: its vector is of another kind.
            question.go_without_vectors(error)
            return index.search(tx, caller, question, now_ms, limit)
    except (ValueError, IndexError, KeyError, MemoryError, FloatingPointError):
        # A defect of the index must not take the documents away: the database has an index of its own.
        question.go_without_index()
        if workspace.indexes is not None:
            workspace.indexes.forget(caller.principal)
    found = matching_sections(tx, query_terms(question.text), caller, limit)
    best = max((score for _, _, score in found), default=1.0) or 1.0
    halves = [(section_key(seq, number), score / best / 2) for seq, number, score in found]
    return [Scored(key, score, {"lexical": score}) for key, score in halves]


def _hits(
    tx: ReadTx, workspace: Workspace, scored: Sequence[Scored], terms: Sequence[str], caller: Visibility
) -> list[SectionHit]:
    marks, files = marks_of(tx, caller), known_files(tx, caller)
    found: list[SectionHit] = []
    for hit in scored:
        seq, number = seq_and_number(hit.key)
        one = revision_with_seq(tx, seq, caller)
        parts = () if one is None or one.line != MAIN else sections(one.text or "")
        if one is None or number >= len(parts):
            continue
        part = parts[number]
        text = snippet(redact_memory_text_for_output(part.text), terms)
        document = to_document(workspace, one, marks, files.get(one.path))
        found.append(SectionHit(document, " > ".join(part.headings), part.line, text, hit.score, hit.parts))
    return found
