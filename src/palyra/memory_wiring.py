"""How memory is put together: the provider the settings name, the follower, the engine."""

from functools import cache
from urllib.parse import urlsplit

from palyra.core.clock import Clock
from palyra.core.errors import PalyraError
from palyra.domain.labels import SensitivePolicy
from palyra.domain.memory import MemoryLimits, RetentionPolicy
from palyra.language.sensitive import sensing
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
    encoder = LocalEncoder(settings.cache_dir) if memory.encoder == "local" else None
    policy = SensitivePolicy(memory.hold_sensitive == "all", memory.send_sensitive)
    is_here = urlsplit(chosen.base_url).hostname in _THIS_MACHINE
    engine = SearchEngine(str(provider.identity), provider.identity.dims)
    follower = EmbeddingFollower(
        store,
        engine,
        provider,
        QueryVectorCache(),
        batch=chosen.backfill_batch,
        older=lambda identity: _provider_of(identity, options),
        leaves=lambda text: policy.leaves(sensing().kinds(text, encoder if encoder and encoder.is_loaded else None)),
        is_elsewhere=lambda identity: not memory.send_sensitive and not is_here and identity not in _ours(),
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
        encoder=encoder,
        sensitive=policy,
    )


_THIS_MACHINE = ("localhost", "127.0.0.1", "::1")


@cache
def _ours() -> frozenset[str]:
    """Models that come with the package and compute in this process."""
    return frozenset(str(make_provider(name).identity) for name in ("local", "hash"))


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
