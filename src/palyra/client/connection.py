"""A way to call operations that stays open: to a daemon, or into the app in this process."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Protocol, TypeVar

from palyra.api import dispatch
from palyra.api.call import Call, Caller, owner
from palyra.api.operation import Operation, StreamOperation
from palyra.api.running import find_daemon
from palyra.app import App, build_app
from palyra.client.connect import LOOK_SECONDS, WAIT_SECONDS
from palyra.core.errors import Unavailable
from palyra.settings import Settings
from palyra.wire.base import Request, Response

Q = TypeVar("Q", bound=Request)
R = TypeVar("R", bound=Response)


class Connection(Protocol):
    async def call(self, operation: Operation[Q, R], request: Q) -> R: ...

    def stream(self, operation: StreamOperation[Q, R], request: Q) -> AsyncIterator[R]: ...


@asynccontextmanager
async def connected(settings: Settings) -> AsyncIterator[Connection]:
    """The daemon that serves the data directory now; if there is none, the app, which is then the directory's owner."""
    give_up_at = time.monotonic() + WAIT_SECONDS
    while True:
        if (running := find_daemon(settings.data_dir)) is not None:
            async with connected_to(running.http, running.secret, is_ours=True) as remote:
                yield remote
            return
        async with AsyncExitStack() as opened:
            try:
                app = await opened.enter_async_context(build_app(settings, wait_seconds=LOOK_SECONDS))
            except Unavailable as error:
                # Whoever has the journal may be a daemon that does not listen yet.
                if "in_use_by" not in error.details or time.monotonic() > give_up_at:
                    raise
                await asyncio.sleep(0)
            else:
                yield _InProcess(app, owner(settings.memory.default_principal))
                return


@asynccontextmanager
async def connected_to(url: str, secret: str, *, is_ours: bool = False) -> AsyncIterator[Connection]:
    """A daemon anywhere."""
    from palyra.client.remote_async import AsyncRemote  # noqa: PLC0415 - httpx2, which no other way needs

    remote = AsyncRemote(url, secret, is_ours=is_ours)
    try:
        yield remote
    finally:
        await remote.close()


class _InProcess:
    def __init__(self, app: App, caller: Caller) -> None:
        self._call = Call(app, caller)

    async def call(self, operation: Operation[Q, R], request: Q) -> R:
        return await dispatch.run(self._call, operation, request)

    def stream(self, operation: StreamOperation[Q, R], request: Q) -> AsyncIterator[R]:
        return dispatch.stream(self._call, operation, request)
