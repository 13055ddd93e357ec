"""What waits for a person, whichever way it came into the queue, and what of it is meant."""

from dataclasses import dataclass

from palyra.domain.memory import Trust

STAGES = ("waiting", "approved", "rejected")


@dataclass(frozen=True, slots=True, kw_only=True)
class Queued:
    proposal_id: str
    seq: int
    queue: str
    """held on the way into memory, or learned: proposed by a model"""
    kind: str
    text: str
    stage: str
    """one of `STAGES`"""
    state: str
    """the same, as its queue calls it"""
    because: tuple[str, ...]
    confidence_bps: int
    trust: Trust
    source: str
    risks: tuple[str, ...]
    provenance: tuple[str, ...]
    at_ms: int
    memory_id: str | None
    document: str
    batch: str
    """of the decisions it was last decided with; empty: by itself, or not at all"""
    snoozed_until_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which of the queue: empty fields leave out nothing."""

    stage: str = ""
    kind: str = ""
    source: str = ""
    trust: Trust | None = None
    subject: str = ""
    """a name or word that stands in it, in any case"""
    reason: str = ""
    """a code of `because`"""
    batch: str = ""
    put_off: bool = False
    """those put off, too"""
