"""Every embedding provider by the name the setting `memory.embeddings.provider` uses."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from palyra.core.errors import InvalidArgument
from palyra.ports import EmbeddingProvider
from palyra.providers.embeddings.hash import HashMemoryEmbeddingProvider
from palyra.providers.embeddings.local import LocalEmbedding
from palyra.providers.embeddings.openai import OpenAIEmbedding


@dataclass(frozen=True, slots=True)
class EmbeddingOptions:
    """What the settings may say; a provider reads what concerns it."""

    model: str = ""
    dims: int = 0
    base_url: str = ""
    api_key: str = field(default="", repr=False)
    timeout_ms: int = 10_000


PROVIDERS: Mapping[str, Callable[[EmbeddingOptions], EmbeddingProvider]] = MappingProxyType(
    {
        "local": lambda _: LocalEmbedding(),
        "hash": lambda _: HashMemoryEmbeddingProvider(),
        "openai": lambda options: OpenAIEmbedding(
            base_url=options.base_url,
            model=options.model,
            dims=options.dims,
            api_key=options.api_key,
            timeout_ms=options.timeout_ms,
        ),
    }
)


def make_provider(name: str, options: EmbeddingOptions | None = None) -> EmbeddingProvider:
    factory = PROVIDERS.get(name)
    if factory is None:
        raise InvalidArgument(f"no embedding provider {name[:64]!r}", hint=f"choose one of {', '.join(PROVIDERS)}")
    return factory(options or EmbeddingOptions())
