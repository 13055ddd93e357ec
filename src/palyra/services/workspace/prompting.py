"""Which documents a prompt is given: README.md and what is pinned stand in it, lines of MEMORY.md come with a question.

On a branch MEMORY.md stands, too, as it was there: recall looks at the main line alone. Of MEMORY.md only the owner's
own lines count: what its blocks say is memory.
"""

from dataclasses import dataclass

from palyra.domain.chat.continuity_events import MAIN, Line
from palyra.domain.memory import Trust
from palyra.domain.scope import Visibility
from palyra.domain.workspace.blocks import outside
from palyra.domain.workspace.documents import kind_of
from palyra.domain.workspace.risk import RiskLevel
from palyra.store.connection import ReadTx
from palyra.store.workspace.records import Mark, Revision, documents_of, marks_of, newest

_MOST = 16
_MEMORY, _INSTRUCTIONS = "MEMORY.md", "README.md"


@dataclass(frozen=True, slots=True)
class Prompted:
    path: str
    text: str
    trust: Trust
    quarantined: bool
    """no person has released that very text"""
    has_authority: bool
    """the owner's own instructions: nobody else wrote to it last, and nothing in it is suspicious"""


def prompt_documents(tx: ReadTx, caller: Visibility, line: Line) -> tuple[Prompted, ...]:
    """By path. A template that nobody has written to says nothing yet, and is left out."""
    marks = marks_of(tx, caller, line)
    found: list[Prompted] = []
    for head in documents_of(tx, caller, line):
        mark = marks.get(head.path)
        pinned = mark is not None and mark.pinned
        bound = pinned or head.path == _INSTRUCTIONS or line != MAIN
        if not _is_candidate(head, mark) or not bound or len(found) == _MOST:
            continue
        whole = newest(tx, head.path, caller, line)
        if whole is None or whole.text is None:  # erased
            continue
        quarantined = _is_quarantined(whole, mark)
        text = outside(whole.text) if whole.path == _MEMORY else whole.text
        is_owners = whole.path == _INSTRUCTIONS and whole.trust == Trust.OWNER and whole.risk == RiskLevel.CLEAN.label
        if text.strip():
            found.append(Prompted(whole.path, text, Trust(whole.trust), quarantined, is_owners))
    return tuple(found)


def candidate_documents(tx: ReadTx, caller: Visibility) -> dict[int, Revision]:
    """Those of the main line whose lines may be given with a question, by seq; nothing that is quarantined."""
    marks = marks_of(tx, caller)
    heads = [
        head
        for head in documents_of(tx, caller)
        if head.path != _INSTRUCTIONS and _is_candidate(head, marks.get(head.path))
    ]
    found = [newest(tx, head.path, caller) for head in heads[:_MOST]]
    return {one.seq: one for one in found if one is not None and not _is_quarantined(one, marks.get(one.path))}


def _is_candidate(head: Revision, mark: Mark | None) -> bool:
    """Bound to prompts by the table, or pinned there. A template that nobody has written to says nothing yet."""
    binding = kind_of(head.path).binding
    bound = binding == "system_candidate" or (mark is not None and mark.pinned and binding != "never")
    return bound and not head.deleted and head.source != "bootstrap"


def _is_quarantined(one: Revision, mark: Mark | None) -> bool:
    return one.risk == "quarantined" and (mark is None or mark.released_sha256 != one.sha256)
