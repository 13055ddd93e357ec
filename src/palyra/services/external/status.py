"""How the mirror stands, for people and programs."""

from dataclasses import dataclass

from palyra.services.external.counters import Objective, objectives
from palyra.services.external.drift import Drift
from palyra.services.external.mirror import Mirror
from palyra.services.external.proposing import UNMIRRORED
from palyra.services.external.shards import Shard, Shards
from palyra.store.connection import ReadTx
from palyra.store.external import ledger, outbox


@dataclass(frozen=True, slots=True)
class Standing:
    """At a glance."""

    provider: str
    state: str
    """healthy, filling, degraded or down"""
    pending: int
    freshness_ms: int
    objectives: tuple[Objective, ...]


@dataclass(frozen=True, slots=True)
class ShardHealth:
    name: str
    breaker: str
    failures: int
    last_error: str
    held: int
    """ids it may hold"""
    principals: int


@dataclass(frozen=True, slots=True)
class ExternalStatus:
    provider: str
    state: str
    """healthy, filling, degraded or down"""
    identity: str
    watermark: int
    unread_events: int
    pending: int
    freshness_ms: int
    shards: tuple[ShardHealth, ...]
    elsewhere: dict[str, int]
    """places that are no longer used, and how many ids they may hold"""
    searches: int
    fallbacks: dict[str, int]
    rejected: dict[str, int]
    sent: int
    removed: int
    query_p50_ms: float | None
    query_p95_ms: float | None
    objectives: tuple[Objective, ...]
    last_drift: Drift | None
    doubt: str


@dataclass(frozen=True, slots=True)
class _Recorded:
    backlog: outbox.Backlog
    places: dict[str, int]
    homes: dict[str, str]
    watermark: int


def standing_of(mirror: Mirror, provider: str, backlog: outbox.Backlog) -> Standing:
    oldest = backlog.oldest_at_ms
    freshness_ms = 0 if oldest is None else max(0, mirror.clock.now_ms() - oldest)
    state = _state(mirror.shards, backlog.items)
    return Standing(provider, state, backlog.items, freshness_ms, objectives(mirror.counters, freshness_ms))


async def status_of(mirror: Mirror, provider: str, last_drift: Drift | None) -> ExternalStatus:
    recorded = await mirror.store.db.read(_read)
    counters, shards = mirror.counters, list(mirror.shards.by_name.values())
    standing = standing_of(mirror, provider, recorded.backlog)
    used = {shard.place for shard in shards}
    return ExternalStatus(
        provider,
        standing.state,
        mirror.identity,
        recorded.watermark,
        recorded.backlog.unread_events,
        standing.pending,
        standing.freshness_ms,
        tuple(_health(shard, recorded) for shard in shards),
        {place: held for place, held in recorded.places.items() if place not in used},
        counters.searches,
        dict(counters.fallbacks),
        dict(counters.rejected),
        counters.sent,
        counters.removed,
        counters.percentile_ms(0.5),
        counters.percentile_ms(0.95),
        standing.objectives,
        last_drift,
        mirror.doubt,
    )


def _read(tx: ReadTx) -> _Recorded:
    state = outbox.read_mirror(tx)
    return _Recorded(outbox.backlog(tx), ledger.places(tx), ledger.homes(tx), 0 if state is None else state.watermark)


def _health(shard: Shard, recorded: _Recorded) -> ShardHealth:
    return ShardHealth(
        shard.name,
        shard.breaker.state,
        shard.breaker.failures,
        shard.breaker.last_error,
        recorded.places.get(shard.place, 0),
        sum(home == shard.name for home in recorded.homes.values()),
    )


def _state(shards: Shards, pending: int) -> str:
    asleep = len(shards.asleep)
    if asleep:
        return "down" if asleep == len(shards.names) else "degraded"
    is_loading = any(shard.is_loading for shard in shards.by_name.values())
    return "filling" if pending > UNMIRRORED or is_loading else "healthy"
