"""For whoever watches the daemon: alive, ready, counters, and what it answers."""

from functools import cache

from prometheus_client import generate_latest

from palyra.core.errors import PermissionDenied, Unavailable
from palyra.domain.access import Capability
from palyra.transports.http.answers import WholeBody, json_answer
from palyra.transports.http.site import Door, Route, Visit

_TEXT = (b"content-type", b"text/plain; version=0.0.4; charset=utf-8")


async def _alive(_visit: Visit) -> WholeBody:
    return json_answer({"status": "ok"})


async def _ready(visit: Visit) -> WholeBody:
    if not visit.site.ready:
        raise Unavailable("not ready", hint="ask again in a moment")
    if (refusal := visit.site.app.store.db.broken) is not None:
        raise Unavailable(refusal.message, hint=refusal.hint, **refusal.details)
    return json_answer({"status": "ready"})


async def _metrics(visit: Visit) -> WholeBody:
    assert visit.caller is not None  # noqa: S101 - its door lets nobody in without one
    if not visit.caller.may(Capability.METRICS):
        raise PermissionDenied(
            f"{visit.caller.name} lacks the capability 'metrics'", hint="create a token with --can metrics"
        )
    return WholeBody(generate_latest(visit.site.observer.metrics.registry), 200, (_TEXT,))


async def _openapi(_visit: Visit) -> WholeBody:
    return WholeBody(_document())


@cache
def _document() -> bytes:
    from palyra.transports.http.openapi import render  # noqa: PLC0415 - on demand

    return render()


ROUTES = (
    Route("healthz", "GET", "/healthz", Door.ANYONE, None, _alive),
    Route("healthz", "HEAD", "/healthz", Door.ANYONE, None, _alive),
    Route("readyz", "GET", "/readyz", Door.ANYONE, None, _ready),
    Route("readyz", "HEAD", "/readyz", Door.ANYONE, None, _ready),
    Route("metrics", "GET", "/metrics", Door.BEARER, Capability.METRICS, _metrics),
    Route("openapi", "GET", "/v1/openapi.json", Door.ANYONE, None, _openapi),
)
