"""Memory with a mirror in a real engine, and a way to look into PostgreSQL from outside."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from time import monotonic
from typing import Protocol

from palyra.app import App
from palyra.core.clock import Clock
from palyra.domain.access import Access
from palyra.domain.memory import Draft
from palyra.domain.scope import Visibility
from palyra.services.external.runtime import ExternalRuntime
from palyra.services.memory.ingest import ingest_many
from palyra.services.memory.search import SearchRequest, SearchResult, search
from postgres import Postgres
from support import an_app

ANA, BOB = Visibility("user:ana"), Visibility("user:bob")

ANIMALS = [
    f"the {size} {animal} {habit}"
    for size in ("small", "grey", "young", "noisy")
    for animal in ("cat", "dog", "parrot", "horse", "whale", "spider")
    for habit in ("drinks milk in the kitchen", "plays the piano", "sleeps on the roof", "swims in the river")
]


class Server(Protocol):
    @property
    def dsn(self) -> str: ...


@asynccontextmanager
async def a_mirrored_app(
    root: Path, *servers: Server, provider: str = "local", clock: Clock | None = None, **settings: str
) -> AsyncIterator[tuple[App, ExternalRuntime]]:
    named = zip("abcdef", servers, strict=False)
    dsn = servers[0].dsn if len(servers) == 1 else " ".join(f"{name}={server.dsn}" for name, server in named)
    environ = {
        "PALYRA_MEMORY_EXTERNAL_PROVIDER": "pgvector",
        "PALYRA_MEMORY_EXTERNAL_DSN": dsn,
        "PALYRA_MEMORY_EXTERNAL_SEARCH_TIMEOUT_MS": "2000",  # the machine may be busy with other tests
        "PALYRA_MEMORY_EMBEDDINGS_PROVIDER": provider,
        **settings,
    }
    async with an_app(root, clock, Access.OWN, **environ) as app:
        _ = app.memory
        assert app.external is not None
        yield app, app.external


async def remember(app: App, texts: Sequence[str], who: Visibility = ANA) -> list[str]:
    """Ids, in order; with their vectors, and told to the engine as far as it answers."""
    done = await ingest_many(app.memory, [Draft(text) for text in texts], who)
    await app.memory.follower.backfill()
    assert app.external is not None
    await app.external.catch_up()
    return [str(getattr(one.outcome, "memory_id", "")) for one in done]


async def ask(app: App, question: str, who: Visibility = ANA, top_k: int = 8) -> SearchResult:
    return await search(app.memory, SearchRequest(question, top_k=top_k), who)


def texts_of(found: SearchResult) -> list[str]:
    return [hit.item.text for hit in found.hits]


async def until(what: str, is_so: Callable[[], Awaitable[bool]], seconds: float = 30.0) -> None:
    end = monotonic() + seconds
    while not await is_so():
        assert monotonic() < end, f"not within {seconds} s: {what}"
        await asyncio.sleep(0.1)


def tables(server: Postgres) -> list[str]:
    found = server.sql("SELECT relname FROM pg_class WHERE relkind = 'p' AND relname LIKE 'palyra%' ORDER BY 1")
    return found.split()


def rows(server: Postgres) -> int:
    return sum(int(server.sql(f"SELECT count(*) FROM {table}")) for table in tables(server))


def clean(server: Postgres) -> None:
    for table in tables(server):
        server.sql(f"DROP TABLE {table}")
