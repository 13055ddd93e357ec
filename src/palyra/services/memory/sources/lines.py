"""What recall takes from documents: single lines of those that are bound as candidates, never a document whole.

Of MEMORY.md the owner's own lines alone: what its blocks say is memory itself.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from palyra.domain.memory import Trust
from palyra.domain.retrieval.passages import Passage, PassageHit, PassagePlace
from palyra.domain.retrieval.query import RetrievalSourceProfileKind
from palyra.domain.scope import Visibility
from palyra.domain.workspace.blocks import parse
from palyra.domain.workspace.lines import LineKind
from palyra.services.memory.context import Memory
from palyra.services.memory.sources.searching import search_in
from palyra.services.memory.sources.source import Key, Record
from palyra.services.workspace.prompting import candidate_documents
from palyra.store.connection import ReadTx
from palyra.store.workspace.records import Revision

_MOST = 8
"""lines are weighed"""
_LINE_CHARS = 600
"""what is longer is no line that answers one question"""


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    text: str


class OwnersLines:
    def gone(self, tx: ReadTx, principal: str, held: Collection[int]) -> Collection[int]:
        return set(held) - candidate_documents(tx, Visibility(principal)).keys()

    def new(self, tx: ReadTx, principal: str, held: Collection[int], _after_seq: int) -> Iterator[Record]:
        for seq, one in candidate_documents(tx, Visibility(principal)).items():
            if seq not in held:
                yield Record(seq, None, [line.text for line in _lines(one)], "", one.path, one.at_ms, one.trust)

    def words(self, _tx: ReadTx, _terms: Sequence[str], _seer: Visibility, _limit: int) -> list[tuple[Key, float]]:
        return []  # an answer goes without them

    def passages(self, tx: ReadTx, keys: Sequence[Key], seer: Visibility) -> Mapping[Key, Passage]:
        documents = candidate_documents(tx, seer)
        lines = {seq: _lines(documents[seq]) for seq in {seq for seq, _ in keys} & documents.keys()}
        return {
            (seq, number): _passage(documents[seq], lines[seq][number])
            for seq, number in keys
            if number < len(lines.get(seq, ()))
        }


_SOURCE = OwnersLines()


async def owners_lines(memory: Memory, question: str, caller: Visibility) -> list[PassageHit]:
    """Lines that may answer, best first. They say nothing of where the person has to be seen."""
    kind = RetrievalSourceProfileKind.WORKSPACE
    found = await search_in(memory, _SOURCE, kind, question, caller, _MOST)
    return [replace(hit, score=0.0) for hit in found.hits]


def still_stands(tx: ReadTx, hit: PassageHit, caller: Visibility) -> bool:
    """Whether the document is as it was when the line was given."""
    return hit.passage.place.seq in candidate_documents(tx, caller)


def _lines(one: Revision) -> list[_Line]:
    document = parse(one.text or "")
    ours = [(block.start, block.end) for block in document.blocks]
    found: list[_Line] = []
    for line in document.lines.lines:
        text = document.lines.of(line).strip().lstrip("-*+>").strip()
        is_own = not any(start <= line.start < end for start, end in ours)
        if (
            is_own
            and line.kind in (LineKind.TEXT, LineKind.NESTED)
            and any(map(str.isalpha, text))
            and len(text) <= _LINE_CHARS
        ):
            found.append(_Line(line.number, text))
    return found


def _passage(one: Revision, line: _Line) -> Passage:
    place = PassagePlace(one.seq, one.event_id, path=one.path, revision=one.revision, line=line.number, risk=one.risk)
    return Passage(RetrievalSourceProfileKind.WORKSPACE, line.text, "", one.at_ms, Trust(one.trust), place)
