"""What the operations on the mirror do."""

from typing import TYPE_CHECKING

from palyra.api import external as api
from palyra.api.call import Call
from palyra.api.handlers.binding import bind
from palyra.core.errors import FailedPrecondition
from palyra.wire import external as wire

if TYPE_CHECKING:
    from collections.abc import Iterable

    from palyra.app import App
    from palyra.services.external.counters import Objective
    from palyra.services.external.drift import Drift
    from palyra.services.external.runtime import ExternalRuntime

_OFF = wire.ExternalStatus(
    provider="off", state="off", model="", watermark=0, unread_events=0, pending=0, freshness_ms=0, shards=[],
    elsewhere={}, searches=0, fallbacks={}, rejected={}, sent=0, removed=0, query_p50_ms=None, query_p95_ms=None,
    objectives=[], last_drift=None, doubt="",
)  # fmt: skip


async def _status(call: Call, _request: wire.GetExternalStatus) -> wire.ExternalStatus:
    if call.app.settings.memory.external.provider == "off":
        return _OFF
    found = await _runtime(call).status()
    return wire.ExternalStatus(
        provider=found.provider,
        state=found.state,
        model=found.identity,
        watermark=found.watermark,
        unread_events=found.unread_events,
        pending=found.pending,
        freshness_ms=found.freshness_ms,
        shards=[
            wire.ExternalShard(
                name=found.server.name,
                breaker=found.server.breaker,
                failures=found.server.failures,
                last_error=found.server.last_error,
                held=found.server.held,
                principals=found.server.principals,
            )
        ],
        elsewhere=found.elsewhere,
        searches=found.searches,
        fallbacks=found.fallbacks,
        rejected=found.rejected,
        sent=found.sent,
        removed=found.removed,
        query_p50_ms=found.query_p50_ms,
        query_p95_ms=found.query_p95_ms,
        objectives=_to_objectives(found.objectives),
        last_drift=None if found.last_drift is None else _to_drift(found.last_drift),
        doubt=found.doubt,
    )


def standing(app: "App") -> wire.ExternalStanding | None:
    """At a glance, read from memory alone; None: no engine is configured."""
    provider = app.settings.memory.external.provider
    if provider == "off":
        return None
    found = None if app.external is None else app.external.standing
    if found is None:
        return wire.ExternalStanding(provider=provider, state="idle", objectives=[])
    return wire.ExternalStanding(provider=provider, state=found.state, objectives=_to_objectives(found.objectives))


def _to_objectives(objectives: "Iterable[Objective]") -> list[wire.ExternalObjective]:
    return [
        wire.ExternalObjective(
            name=one.name,
            target=one.target,
            value=None if one.value is None else round(one.value, 4),
            unit=one.unit,
            is_floor=one.is_floor,
            is_met=one.is_met,
        )
        for one in objectives
    ]


async def _drift(call: Call, _request: wire.FindDrift) -> wire.ExternalDrift:
    return _to_drift(await _runtime(call).drift(call.progress))


async def _reconcile(call: Call, _request: wire.Reconcile) -> wire.Reconciled:
    before, after = await _runtime(call).reconcile(call.progress)
    return wire.Reconciled(before=_to_drift(before), after=_to_drift(after))


async def _rebuild(call: Call, _request: wire.RebuildExternal) -> wire.Mirrored:
    runtime = _runtime(call)
    return await _mirrored(runtime, await runtime.rebuild(call.progress))


async def _mirrored(runtime: "ExternalRuntime", items: int) -> wire.Mirrored:
    return wire.Mirrored(items=items, pending=(await runtime.status()).pending)


def _runtime(call: Call) -> "ExternalRuntime":
    if call.app.settings.memory.external.provider == "off":
        raise FailedPrecondition(
            "no external engine is switched on", hint="set memory.external.provider and memory.external.dsn"
        )
    _ = call.app.memory  # with its mirror
    runtime = call.app.external
    assert runtime is not None, "the app does not own its directory"  # noqa: S101 - the rows ask for that
    return runtime


def _to_drift(drift: "Drift") -> wire.ExternalDrift:
    return wire.ExternalDrift(
        at_ms=drift.at_ms,
        items=drift.items,
        differences=drift.count,
        missing=len(drift.missing),
        differing=len(drift.differing),
        extra=len(drift.extra),
        ranges=drift.ranges,
    )


HANDLERS = (
    bind(api.status, _status),
    bind(api.drift, _drift),
    bind(api.reconcile, _reconcile),
    bind(api.rebuild, _rebuild),
)
