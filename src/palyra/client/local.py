"""Calls operations in this process, on a data directory of its own choice. Needs no daemon."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

from palyra.api import dispatch
from palyra.api.call import Call, owner
from palyra.api.operation import AnyOperation, Operation, StreamOperation
from palyra.app import App, build_app
from palyra.settings import Settings
from palyra.wire.base import Request, Response

Q = TypeVar("Q", bound=Request)
R = TypeVar("R", bound=Response)


class LocalClient:
    def __init__(
        self,
        settings: Settings,
        *,
        wait_seconds: float = 60.0,
        on_wait: Callable[[str], None] = lambda _owner: None,
        on_new: Callable[[], None] = lambda: None,
        progress: Callable[[str, int, int], None] = lambda _what, _done, _total: None,
    ) -> None:
        self._settings = settings
        self._wait_seconds = wait_seconds
        self._on_wait = on_wait
        self._on_new = on_new
        self._progress = progress

    async def call(self, operation: Operation[Q, R], request: Q) -> R:
        async with self._open(operation) as app:
            return await dispatch.run(self._as_owner(app), operation, request)

    def call_now(self, operation: Operation[Q, R], request: Q) -> R:
        return asyncio.run(self.call(operation, request))

    def stream_now(self, operation: StreamOperation[Q, R], request: Q, show: Callable[[R], None]) -> None:
        async def run() -> None:
            async with self._open(operation) as app:
                async for item in dispatch.stream(self._as_owner(app), operation, request):
                    show(item)

        asyncio.run(run())

    def _open(self, operation: AnyOperation) -> App:
        return build_app(
            self._settings,
            access=operation.access,
            wait_seconds=self._wait_seconds,
            makes_store=operation.makes_store,
            on_wait=self._on_wait,
            on_new=self._on_new,
        )

    def _as_owner(self, app: App) -> Call:
        return Call(app, owner(self._settings.memory.default_principal), self._progress)
