"""The mirror in an external engine, on the wire."""

from palyra.wire.base import Request, Response


class GetExternalStatus(Request):
    pass


class ExternalShard(Response):
    name: str
    breaker: str
    """closed: it is asked; open: it failed, and only the follower tries it; half_open: it is tried next"""
    failures: int
    """in a row"""
    last_error: str
    held: int
    """vectors it may hold"""
    principals: int
    """that live there"""


class ExternalObjective(Response):
    name: str
    target: float
    value: float | None
    """none: nothing was measured yet"""
    unit: str
    """ms, or share: 0.01 is one in a hundred"""
    is_floor: bool
    """the value is to be the target or more; else the target or less"""
    is_met: bool


class ExternalStanding(Response):
    """At a glance."""

    provider: str
    state: str
    """healthy, filling or down; idle: no daemon runs that would tell it anything"""
    objectives: list[ExternalObjective]


class ExternalDrift(Response):
    at_ms: int
    items: int
    """that should be mirrored"""
    differences: int
    missing: int
    differing: int
    extra: int
    ranges: int
    """of ids, that differ"""


class ExternalStatus(Response):
    provider: str
    """off: there is no mirror, and the rest says nothing"""
    state: str
    """off, healthy, filling or down"""
    model: str
    watermark: int
    """the journal was looked through up to this seq"""
    unread_events: int
    pending: int
    """items the engine was not told about yet"""
    freshness_ms: int
    """how long the oldest of them waits"""
    shards: list[ExternalShard]
    """the server it is on"""
    elsewhere: dict[str, int]
    """servers or tables that are no longer used, and how many vectors they may hold"""
    searches: int
    fallbacks: dict[str, int]
    """searches that the local index answered alone, by why"""
    rejected: dict[str, int]
    """proposals that were not believed, by why"""
    sent: int
    removed: int
    query_p50_ms: float | None
    query_p95_ms: float | None
    objectives: list[ExternalObjective]
    last_drift: ExternalDrift | None
    doubt: str
    """why everything will be compared soon"""


class FindDrift(Request):
    pass


class Reconcile(Request):
    pass


class Reconciled(Response):
    before: ExternalDrift
    after: ExternalDrift


class RebuildExternal(Request):
    pass


class Mirrored(Response):
    items: int
    """that the engine has confirmed"""
    pending: int
