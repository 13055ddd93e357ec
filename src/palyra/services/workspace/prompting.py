"""The documents that stand at the beginning of every prompt: those the table binds there, and what is pinned.

Of MEMORY.md only the owner's own lines: what its blocks say is memory, and comes with the question it bears on.
"""

from dataclasses import dataclass

from palyra.domain.chat.continuity_events import Line
from palyra.domain.memory import Trust
from palyra.domain.scope import Visibility
from palyra.domain.workspace.blocks import outside
from palyra.domain.workspace.documents import kind_of
from palyra.domain.workspace.risk import RiskLevel
from palyra.store.connection import ReadTx
from palyra.store.workspace.records import documents_of, marks_of, newest

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
        binding = kind_of(head.path).binding
        bound = binding == "system_candidate" or (pinned and binding != "never")
        if head.deleted or head.source == "bootstrap" or not bound or len(found) == _MOST:
            continue
        whole = newest(tx, head.path, caller, line)
        if whole is None or whole.text is None:  # erased
            continue
        released = mark is not None and mark.released_sha256 == whole.sha256
        quarantined = whole.risk == "quarantined" and not released
        text = outside(whole.text) if whole.path == _MEMORY else whole.text
        is_owners = whole.path == _INSTRUCTIONS and whole.trust == Trust.OWNER and whole.risk == RiskLevel.CLEAN.label
        if text.strip():
            found.append(Prompted(whole.path, text, Trust(whole.trust), quarantined, is_owners))
    return tuple(found)
