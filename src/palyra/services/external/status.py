"""How the mirror stands, for people and programs."""

from dataclasses import dataclass

from palyra.services.external.counters import Objective, objectives
from palyra.services.external.drift import Drift
from palyra.services.external.mirror import Mirror
from palyra.services.external.proposing import UNMIRRORED
from palyra.services.external.server import MirrorServer
from palyra.store.connection import ReadTx
from palyra.store.external import ledger, outbox


@dataclass(frozen=True, slots=True)
class MirrorStanding:
    """At a glance."""

    provider: str
    state: str
    """healthy, filling or down"""
    pending: int
    freshness_ms: int
    objectives: tuple[Objective, ...]


@dataclass(frozen=True, slots=True)
class ServerHealth:
    name: str
    breaker: str
    failures: int
    last_error: str
    held: int
    """ids it may hold"""
    principals: int


@dataclass(frozen=True, slots=True)
class MirrorStatus:
    provider: str
    state: str
    """healthy, filling or down"""
    identity: str
    watermark: int
    unread_events: int
    pending: int
    freshness_ms: int
    server: ServerHealth
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
    principals: int
    watermark: int


def standing_of(mirror: Mirror, provider: str, backlog: outbox.Backlog) -> MirrorStanding:
    oldest = backlog.oldest_at_ms
    freshness_ms = 0 if oldest is None else max(0, mirror.clock.now_ms() - oldest)
    state = _state(mirror.server, backlog.items)
    return MirrorStanding(provider, state, backlog.items, freshness_ms, objectives(mirror.counters, freshness_ms))


async def status_of(mirror: Mirror, provider: str, last_drift: Drift | None) -> MirrorStatus:
    counters, server = mirror.counters, mirror.server
    recorded = await mirror.store.db.read(lambda tx: _read(tx, server.place))
    standing = standing_of(mirror, provider, recorded.backlog)
    return MirrorStatus(
        provider,
        standing.state,
        mirror.identity,
        recorded.watermark,
        recorded.backlog.unread_events,
        standing.pending,
        standing.freshness_ms,
        _health(server, recorded),
        {place: held for place, held in recorded.places.items() if place != server.place},
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


def _read(tx: ReadTx, place: str) -> _Recorded:
    state = outbox.read_mirror(tx)
    watermark = 0 if state is None else state.watermark
    return _Recorded(outbox.backlog(tx), ledger.places(tx), ledger.count_principals(tx, place), watermark)


def _health(server: MirrorServer, recorded: _Recorded) -> ServerHealth:
    return ServerHealth(
        server.name,
        server.breaker.state,
        server.breaker.failures,
        server.breaker.last_error,
        recorded.places.get(server.place, 0),
        recorded.principals,
    )


def _state(server: MirrorServer, pending: int) -> str:
    if not server.breaker.is_closed:
        return "down"
    return "filling" if pending > UNMIRRORED or server.is_loading else "healthy"
