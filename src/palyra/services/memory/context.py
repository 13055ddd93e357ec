"""What every memory use-case works with, made once by the composition root."""

from dataclasses import dataclass

from palyra.core.clock import Clock
from palyra.domain.memory import MemoryLimits, RetentionPolicy
from palyra.services.journal import JournalService
from palyra.services.memory.embedding import EmbeddingFollower
from palyra.services.memory.engine import SearchEngine
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
