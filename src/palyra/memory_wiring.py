"""How memory is put together: the provider the settings name, the follower, the engine."""

from palyra.core.clock import Clock
from palyra.core.errors import PalyraError
from palyra.domain.labels import SensitivePolicy
from palyra.domain.memory import MemoryLimits, RetentionPolicy
from palyra.ports import EmbeddingProvider
from palyra.providers.embeddings.cache import QueryVectorCache
from palyra.providers.embeddings.table import PROVIDERS, EmbeddingOptions, make_provider
from palyra.providers.encoder import LocalEncoder
from palyra.services.journal import JournalService
from palyra.services.memory.context import Memory
from palyra.services.memory.embedding import EmbeddingFollower
from palyra.services.memory.engine import SearchEngine
from palyra.settings import Settings
from palyra.store.journal_store import JournalStore


def build_memory(settings: Settings, store: JournalStore, journal: JournalService, clock: Clock) -> Memory:
    chosen, memory = settings.memory.embeddings, settings.memory
    options = EmbeddingOptions(chosen.model, chosen.dims, chosen.base_url, chosen.api_key)
    provider = make_provider(chosen.provider, options)
    engine = SearchEngine(str(provider.identity), provider.identity.dims)
    follower = EmbeddingFollower(
        store,
        engine,
        provider,
        QueryVectorCache(),
        batch=chosen.backfill_batch,
        older=lambda identity: _provider_of(identity, options),
    )
    retention = memory.retention
    return Memory(
        store,
        journal,
        engine,
        follower,
        clock,
        MemoryLimits(memory.max_item_bytes, memory.max_item_tokens),
        RetentionPolicy(retention.ttl_days or None, retention.max_entries or None, retention.max_bytes or None),
        memory.auto_inject_max_items,
        memory.auto_inject_min_score,
        encoder=LocalEncoder(settings.cache_dir) if memory.encoder == "local" else None,
        sensitive=SensitivePolicy(memory.hold_sensitive == "all", memory.send_sensitive),
    )


def _provider_of(identity: str, options: EmbeddingOptions) -> EmbeddingProvider | None:
    """Whoever makes vectors of that identity, if anybody here still can."""
    for name in PROVIDERS:
        try:
            provider = make_provider(name, options)
        except PalyraError:
            continue
        if str(provider.identity) == identity:
            return provider
        provider.close()
    return None
