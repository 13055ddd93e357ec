"""What was put into a prompt and what was not, and why: ids, numbers and hashes, no text but labels.

It is kept on the tape of its run, where it answers "why did it say that?" long after the texts may have been erased.
"""

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, Literal, TypeAlias, cast

from palyra.core.hashing import Json

MOST_LEFT_OUT = 64
"""named one by one, of each part; the rest is counted"""


class PartKind(StrEnum):
    """The parts of a prompt, in the order in which they are prepared."""

    INSTRUCTIONS = "instructions"
    PREFERENCES = "preferences"
    DOCUMENTS = "documents"
    COMPACTION = "compaction"
    MEMORY = "memory"
    REFERENCES = "references"
    IMAGES = "images"
    ATTACHMENTS = "attachments"
    TURNS = "turns"
    MESSAGE = "message"
    TOOLS = "tools"


class Why(StrEnum):
    """Why something is not in the prompt."""

    BUDGET = "budget"
    """the model's window is full"""
    LIMIT = "limit"
    """there are enough of its kind"""
    WEAK = "weak"
    """it hardly bears on the question"""
    REPEATS = "repeats"
    """what it says is in the prompt already"""
    ECHO = "echo"
    """it is the question itself"""
    DISABLED = "disabled"
    UNSUPPORTED = "unsupported"
    """the model does not take such"""
    QUARANTINED = "quarantined"
    NOT_FOUND = "not_found"
    """there is none, or not for this caller"""


SourceKind: TypeAlias = Literal["memory", "preferences", "document", "reference", "attachment", "run", "tool"]


@dataclass(frozen=True, slots=True)
class Source:
    """Where a piece of the prompt comes from."""

    kind: SourceKind
    id: str
    label: str = ""
    trust: str = ""
    score: float | None = None
    citation: str = ""


@dataclass(frozen=True, slots=True)
class LeftOut:
    source: Source | None
    """None: the part as a whole"""
    why: Why
    tokens: int = 0
    """0: nobody counted"""
    count: int = 1


@dataclass(frozen=True, slots=True)
class KeptSource:
    source: Source
    tokens: int
    cut: bool = False
    """only its beginning is there"""


@dataclass(frozen=True, slots=True)
class PartReport:
    kind: PartKind
    tokens: int
    units: int
    """pieces of it that are in the prompt"""
    sha256: str
    """of its text as it was sent; empty without any"""
    kept: tuple[KeptSource, ...] = ()
    left_out: tuple[LeftOut, ...] = ()


@dataclass(frozen=True, slots=True)
class AssemblyReport:
    provider: str
    model: str
    window_tokens: int
    max_output_tokens: int
    margin_tokens: int
    """kept free, because counting is not exact everywhere"""
    used_tokens: int
    sha256: str
    """of the whole prompt: system text, hash of the turns, last message, tools"""
    parts: tuple[PartReport, ...]
    degraded: tuple[str, ...] = ()
    """what failed while it was prepared"""

    @property
    def budget_tokens(self) -> int:
        return self.window_tokens - self.max_output_tokens - self.margin_tokens

    def part(self, kind: PartKind) -> PartReport | None:
        return next((part for part in self.parts if part.kind is kind), None)

    def to_json(self) -> dict[str, Json]:
        """Small, because it is kept for ever: what is empty is not written. Can always be encoded."""
        return cast("dict[str, Json]", _plain(asdict(self)))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        rows = {name: _plain(item) for name, item in value.items()}
        return {name: item for name, item in rows.items() if item is not None and item is not False and item != []}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    # Ids and labels are as somebody typed them: half a character could not be written to the tape.
    return str(value).encode("utf-8", "replace").decode() if isinstance(value, str) else value
