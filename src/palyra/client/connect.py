"""Who carries out a call: the daemon of the data directory if one serves it at that moment, else this process.

Looked up for every call, so that a daemon may start and stop between two of them. Nothing of the journal, nor an
event loop, is loaded for a call that a daemon answers.
"""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from palyra.api.operation import AnyOperation, Operation, StreamOperation
from palyra.api.running import find_daemon
from palyra.client.messages import BrokenOff, NotReached, Progress, is_repeatable
from palyra.core.errors import Unavailable
from palyra.wire.base import Request, Response

if TYPE_CHECKING:
    from palyra.client.local import LocalClient
    from palyra.client.remote import Remote
    from palyra.settings import Settings

Q = TypeVar("Q", bound=Request)
R = TypeVar("R", bound=Response)
T = TypeVar("T")

WAIT_SECONDS = 60.0
"""for whoever has the journal"""
LOOK_SECONDS = 0.5
"""a daemon that is starting has the journal before it listens: how long to wait before looking for it again"""
_TRY_SECONDS = 5.0
"""for a daemon that does not answer, because it is just stopping"""
_PAUSE_SECONDS = 0.1


class Client:
    """`progress` is only asked for if somebody watches; `on_wait` is told whom a call waits for, `on_new` that there
    was no store before it."""

    def __init__(
        self,
        settings: "Settings",
        *,
        on_wait: Callable[[str], None] = lambda _owner: None,
        on_new: Callable[[], None] = lambda: None,
        progress: Progress | None = None,
    ) -> None:
        self._settings = settings
        self._on_wait = on_wait
        self._on_new = on_new
        self._progress = progress

    async def call(self, operation: Operation[Q, R], request: Q) -> R:
        """`call_now` for a program with an event loop."""
        import asyncio  # noqa: PLC0415 - a command that a daemon answers needs none

        return await asyncio.to_thread(self.call_now, operation, request)

    def call_now(self, operation: Operation[Q, R], request: Q) -> R:
        return self._by_whom(
            operation,
            request,
            lambda daemon: daemon.call(operation, request, self._progress),
            lambda here: here.call_now(operation, request),
        )

    def stream_now(self, operation: StreamOperation[Q, R], request: Q, show: Callable[[R], None]) -> None:
        """Shows one item after the other. A stream that broke off is not begun again."""

        def ask(daemon: "Remote") -> None:
            for item in daemon.stream(operation, request):
                show(item)

        self._by_whom(operation, None, ask, lambda here: here.stream_now(operation, request, show))

    def _by_whom(
        self,
        operation: AnyOperation,
        repeatable: Request | None,
        ask: "Callable[[Remote], T]",
        do: "Callable[[LocalClient], T]",
    ) -> T:
        started = time.monotonic()
        give_up_at: float | None = None
        told = False
        while True:
            now = time.monotonic()
            try:
                if (give_up_at is None or now < give_up_at) and (daemon := self._daemon(operation)) is not None:
                    return ask(daemon)
                return do(self._here(operation))
            except (NotReached, BrokenOff) as error:
                give_up_at = give_up_at or now + _TRY_SECONDS
                if isinstance(error, BrokenOff) and not (repeatable and is_repeatable(operation, repeatable)):
                    raise
            except Unavailable as error:
                owner = error.details.get("in_use_by")
                if owner is None or now > started + WAIT_SECONDS:
                    raise
                if now > started + 1 and not told:
                    self._on_wait(str(owner))
                    told = True
            time.sleep(_PAUSE_SECONDS)

    def _daemon(self, operation: AnyOperation) -> "Remote | None":
        if not _is_for_daemons(operation) or (running := find_daemon(self._settings.data_dir)) is None:
            return None
        from palyra.client.remote import Remote  # noqa: PLC0415 - not for what is done here

        return Remote(running.http, running.secret)

    def _here(self, operation: AnyOperation) -> "LocalClient":
        from palyra.client.local import LocalClient  # noqa: PLC0415 - all of Palyra

        wait_seconds = LOOK_SECONDS if _is_for_daemons(operation) else WAIT_SECONDS
        return LocalClient(
            self._settings,
            wait_seconds=wait_seconds,
            on_wait=self._on_wait,
            on_new=self._on_new,
            progress=self._progress or _unwatched,
        )


def _is_for_daemons(operation: AnyOperation) -> bool:
    """What does not open the journal is done where the person is: it may be the daemon that is in trouble."""
    return operation.access.value != "none"


def _unwatched(_what: str, _done: int, _total: int) -> None:
    pass
