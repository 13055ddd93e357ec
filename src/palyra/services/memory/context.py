"""What every memory use-case works with, made once by the composition root."""

from dataclasses import dataclass, field

from palyra.core.clock import Clock
from palyra.domain.ingest import Terms
from palyra.domain.journal import Actor, Origin
from palyra.domain.labels import SensitivePolicy
from palyra.domain.memory import MemoryLimits, RetentionPolicy
from palyra.domain.scope import Visibility
from palyra.ports import SentenceEncoder
from palyra.services.journal import JournalService
from palyra.services.memory.embedding import EmbeddingFollower
from palyra.services.memory.engine import SearchEngine
from palyra.services.memory.nearby import ExternalSearch
from palyra.services.memory.sources.index import SourceIndexes
from palyra.store.journal_store import JournalStore


@dataclass(frozen=True, slots=True)
class Memory:
    store: JournalStore
    journal: JournalService
    engine: SearchEngine
    follower: EmbeddingFollower
    clock: Clock
    limits: MemoryLimits
    retention: RetentionPolicy
    auto_inject_max_items: int = 3
    auto_inject_min_score: float = 0.0
    """what bears on a question less surely is not given"""
    external: ExternalSearch | None = None
    """a mirror of the vectors in an engine elsewhere"""
    encoder: SentenceEncoder | None = None
    """what sentences are about; None: the settings leave it out"""
    sensitive: SensitivePolicy = field(default_factory=SensitivePolicy)

    sources: SourceIndexes = field(default_factory=SourceIndexes)

    @property
    def terms(self) -> Terms:
        """The encoder only once it is loaded: taking in a text waits for nothing."""
        encode = self.encoder if self.encoder is not None and self.encoder.is_loaded else None
        return Terms(self.limits, self.sensitive, encode)

    def forget(self, principal: str) -> None:
        """After erasing: nothing of the text stays in what is only in memory."""
        self.engine.forget(principal)
        self.sources.forget(principal)
        if self.encoder is not None:
            self.encoder.forget()


def origin_of(caller: Visibility, actor: Actor) -> Origin:
    """Who did it and where, for the header of an event."""
    return Origin(caller.principal, actor, caller.channel, caller.session_id)
