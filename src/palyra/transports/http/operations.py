"""The table of operations as routes: under /v1 for programs, under /console/v1 for the web console."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from palyra.api import dispatch
from palyra.api.call import Call
from palyra.api.operation import AnyOperation, StreamOperation
from palyra.api.operations import OPERATIONS
from palyra.domain.access import Capability
from palyra.transports.http.answers import JsonLines, json_answer, with_progress
from palyra.transports.http.decode import decode
from palyra.transports.http.site import Door, Reply, Route, Visit

_NDJSON = "application/x-ndjson"


def _answer(operation: AnyOperation) -> Callable[[Visit], Awaitable[Reply]]:
    async def answer(visit: Visit) -> Reply:
        assert visit.caller is not None  # noqa: S101 - its door lets nobody in without one
        request, caller, app = decode(operation, visit.http, visit.body), visit.caller, visit.site.app
        if isinstance(operation, StreamOperation):
            items = dispatch.stream(Call(app, caller), operation, request)
            return JsonLines(items, visit.seen, visit.site.stopping)
        if _NDJSON in visit.http.headers.get("accept", ""):

            async def work(report: Callable[[str, int, int], None]) -> Any:
                return await dispatch.run(Call(app, caller, report), operation, request)

            # Not ended by a stopping daemon: what was accepted is finished.
            return JsonLines(with_progress(work), visit.seen, asyncio.Event())
        return json_answer(await dispatch.run(Call(app, caller), operation, request))

    return answer


def _routes() -> tuple[Route, ...]:
    served = [operation for operation in OPERATIONS if operation.is_served]
    programs = [Route(row.name, row.method, row.path, Door.BEARER, row.needs, _answer(row)) for row in served]
    # The owner's own commands name paths on this machine; a browser has no business there.
    console = [
        Route(f"console.{row.name}", row.method, f"/console{row.path}", Door.CONSOLE, row.needs, _answer(row))
        for row in served
        if row.needs is not Capability.OWN
    ]
    return (*programs, *console)


ROUTES = _routes()
