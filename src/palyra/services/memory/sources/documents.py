"""DocumentSections of the main line as a source: the sections of each as it stands."""

from collections.abc import Collection, Iterator, Mapping, Sequence

from palyra.domain.chat.continuity_events import MAIN
from palyra.domain.memory import Trust
from palyra.domain.retrieval.passages import Passage, PassagePlace
from palyra.domain.retrieval.query import RetrievalSourceProfileKind
from palyra.domain.scope import Visibility
from palyra.domain.workspace.sections import sections
from palyra.services.memory.sources.source import Key, Record
from palyra.store.connection import ReadTx
from palyra.store.workspace.records import documents_of, revision_with_seq
from palyra.store.workspace.search import matching_sections


class DocumentSections:
    def gone(self, tx: ReadTx, principal: str, held: Collection[int]) -> Collection[int]:
        return set(held) - _heads(tx, principal)

    def new(self, tx: ReadTx, principal: str, held: Collection[int], _after_seq: int) -> Iterator[Record]:
        for seq in sorted(_heads(tx, principal) - set(held)):
            one = revision_with_seq(tx, seq, Visibility(principal))
            if one is not None:
                texts = [part.text for part in sections(one.text or "")]
                yield Record(seq, None, texts, "", one.path, one.at_ms, one.trust)

    def words(self, tx: ReadTx, terms: Sequence[str], seer: Visibility, limit: int) -> list[tuple[Key, float]]:
        return [((seq, number), score) for seq, number, score in matching_sections(tx, terms, seer, limit)]

    def passages(self, tx: ReadTx, keys: Sequence[Key], seer: Visibility) -> Mapping[Key, Passage]:
        found: dict[Key, Passage] = {}
        heads = {seq: revision_with_seq(tx, seq, seer) for seq in {seq for seq, _ in keys}}
        cut = {seq: sections(one.text or "") for seq, one in heads.items() if one is not None and one.line == MAIN}
        for seq, number in keys:
            one, parts = heads[seq], cut.get(seq, ())
            if one is None or number >= len(parts):
                continue
            part = parts[number]
            place = PassagePlace(
                seq,
                one.event_id,
                path=one.path,
                revision=one.revision,
                heading=" > ".join(part.headings),
                line=part.line,
                risk=one.risk,
            )
            kind = RetrievalSourceProfileKind.WORKSPACE
            found[seq, number] = Passage(kind, part.text, "", one.at_ms, Trust(one.trust), place)
        return found


def _heads(tx: ReadTx, principal: str) -> set[int]:
    return {one.seq for one in documents_of(tx, Visibility(principal)) if not one.deleted}
