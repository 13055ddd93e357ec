"""A conversation partner for a terminal: one way to call operations that stays open for a whole chat.

By the daemon of the data directory if one serves it, else by the app in this process, which is then the directory's
owner until the chat ends. A daemon that goes away in the middle of an answer loses nothing: the stream goes on after
the last line that came, with its successor or here, and no text is shown twice.
"""

import asyncio
import os
import time
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from queue import SimpleQueue
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from palyra.api import chat as api
from palyra.api.operation import AnyOperation, Operation, StreamOperation
from palyra.api.running import find_daemon
from palyra.client.connect import LOOK_SECONDS, WAIT_SECONDS
from palyra.client.messages import BrokenOff, NotReached, broken, is_repeatable, not_reached
from palyra.core.errors import Unavailable
from palyra.wire.base import Request, Response
from palyra.wire.chat import FollowRun, InChat, StreamLine

if TYPE_CHECKING:
    from palyra.api.call import Call
    from palyra.settings import Settings

Q = TypeVar("Q", bound=Request)
R = TypeVar("R", bound=Response)
M = TypeVar("M", bound=InChat)

_PAUSE_SECONDS = 0.1
_RESTART_SECONDS = 10.0
"""what a daemon that went away gets to come back, before its directory is opened here"""


class Way(Protocol):
    """Somebody who carries out operations; a second one may begin before a stream has ended."""

    def call(self, operation: Operation[Q, R], request: Q) -> R: ...
    def stream(self, operation: StreamOperation[Q, R], request: Q) -> Iterator[R]: ...


class ChatClient:
    """Use as a context manager. `opened_for`: what only reads is done beside whoever owns the journal.
    `on_wait` is told whom it waits for, `on_lost` that the daemon went away and is looked for, `on_new` that there was
    no store before."""

    def __init__(
        self,
        settings: "Settings",
        *,
        opened_for: AnyOperation = api.send,
        on_wait: Callable[[str], None] = lambda _owner: None,
        on_lost: Callable[[], None] = lambda: None,
        on_new: Callable[[], None] = lambda: None,
    ) -> None:
        self._settings = settings
        self._opened_for = opened_for
        self._on_wait = on_wait
        self._on_lost = on_lost
        self._on_new = on_new
        self._here: _Here | None = None
        """none: a daemon does the work"""

    def __enter__(self) -> "ChatClient":
        self._find()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._here is not None:
            self._here.close()

    def call(self, operation: Operation[Q, R], request: Q) -> R:
        """Sent again if the daemon went away and that does no harm."""
        _identify(request)
        lost_at: float | None = None
        while True:
            try:
                return self._present().call(operation, request)
            except (NotReached, BrokenOff) as error:
                if isinstance(error, BrokenOff) and not is_repeatable(operation, request):
                    raise
                lost_at = self._find_again(error, lost_at)

    def stream(self, operation: StreamOperation[M, StreamLine], request: M) -> Generator[StreamLine, None, None]:
        """Every line once, up to `complete`, whoever has to be asked for the rest of them."""
        _identify(request)
        run_id, seq = "", 0
        lost_at: float | None = None
        while True:
            try:
                with closing(self._ask(operation, request, run_id, seq)) as lines:  # type: ignore[type-var]
                    for line in lines:
                        if (line.seq is not None and line.seq <= seq) or (line.type == "meta" and run_id):
                            continue
                        run_id, seq, lost_at = run_id or line.run_id, line.seq or seq, None
                        yield line
                        if line.type == "complete":
                            return
                raise broken(operation)
            except Unavailable as error:
                # Before anything is known of the run, it may mean that there will be none.
                if not run_id and not isinstance(error, NotReached | BrokenOff):
                    raise
                lost_at = self._find_again(error, lost_at)

    def _ask(
        self, operation: StreamOperation[M, StreamLine], request: M, run_id: str, seq: int
    ) -> Iterator[StreamLine]:
        if not run_id:
            return self._present().stream(operation, request)
        rest = FollowRun(run_id=run_id, after_seq=seq, principal=request.principal, channel=request.channel)
        return self._present().stream(api.follow, rest)

    def _present(self) -> Way:
        """Looked up for every call: a daemon that was started anew has another secret."""
        if self._here is not None:
            return self._here
        if (running := find_daemon(self._settings.data_dir)) is None:
            raise not_reached("its address any more")
        from palyra.client.remote import Remote  # noqa: PLC0415 - not for what is done here

        return Remote(running.http, running.secret)

    def _find_again(self, error: Unavailable, lost_at: float | None) -> float:
        """When it was lost first. Raises `error` if looking for it has taken too long."""
        now = time.monotonic()
        if self._here is not None or (lost_at is not None and now > lost_at + WAIT_SECONDS):
            raise error
        if lost_at is None:
            self._on_lost()
            lost_at = now
        time.sleep(_PAUSE_SECONDS)
        self._find(not_here_before=lost_at + _RESTART_SECONDS)
        return lost_at

    def _find(self, not_here_before: float = 0.0) -> None:
        """Waits for a daemon, or becomes the owner of its directory."""
        started, told = time.monotonic(), False
        while find_daemon(self._settings.data_dir) is None:
            now = time.monotonic()
            if now >= not_here_before:
                try:
                    self._here = _Here(self._settings, self._opened_for, self._on_new)
                except Unavailable as error:
                    # Whoever has the journal may be a daemon that does not listen yet.
                    owner = error.details.get("in_use_by")
                    if owner is None or now > started + WAIT_SECONDS:
                        raise
                    if now > started + 1 and not told:
                        self._on_wait(str(owner))
                        told = True
                else:
                    return
            time.sleep(_PAUSE_SECONDS)


def _identify(request: Request) -> None:
    if getattr(request, "request_id", "") is None:
        request.request_id = os.urandom(16).hex()  # type: ignore[attr-defined] # so it can be sent again unharmed


class _Here:
    """The app on a thread of its own, so that answers come while the terminal waits for a key."""

    def __init__(self, settings: "Settings", opened_for: AnyOperation, on_new: Callable[[], None]) -> None:
        self._settings = settings
        self._opened_for = opened_for
        self._on_new = on_new
        self._opened: Future[tuple[Call, asyncio.AbstractEventLoop]] = Future()
        self._leave = asyncio.Event()
        self._ended = ThreadPoolExecutor(1, "chat").submit(asyncio.run, self._live())
        try:
            self._call, self._loop = self._opened.result()
        except BaseException:
            self._opened.cancel()  # interrupted: the thread ends as soon as it sees that
            raise

    async def _live(self) -> None:
        from palyra.api.call import Call, owner  # noqa: PLC0415 - all of Palyra
        from palyra.app import build_app  # noqa: PLC0415 - all of Palyra

        app = build_app(
            self._settings,
            access=self._opened_for.access,
            wait_seconds=LOOK_SECONDS,
            makes_store=self._opened_for.makes_store,
            on_new=self._on_new,
        )
        try:
            async with app:
                if self._opened.set_running_or_notify_cancel():
                    call = Call(app, owner(self._settings.memory.default_principal))
                    self._opened.set_result((call, asyncio.get_running_loop()))
                    await self._leave.wait()
        except BaseException as error:
            if self._opened.done():
                raise
            self._opened.set_exception(error)

    def call(self, operation: Operation[Q, R], request: Q) -> R:
        from palyra.api import dispatch  # noqa: PLC0415 - all of Palyra

        work = asyncio.run_coroutine_threadsafe(dispatch.run(self._call, operation, request), self._loop)
        try:
            return work.result()
        finally:
            work.cancel()

    def stream(self, operation: StreamOperation[Q, R], request: Q) -> Iterator[R]:
        from palyra.api import dispatch  # noqa: PLC0415 - all of Palyra

        items: SimpleQueue[R | None] = SimpleQueue()

        async def listen() -> None:
            async for item in dispatch.stream(self._call, operation, request):
                items.put(item)

        listening = asyncio.run_coroutine_threadsafe(listen(), self._loop)
        listening.add_done_callback(lambda _: items.put(None))
        try:
            while (item := items.get()) is not None:
                yield item
            listening.result()
        finally:
            listening.cancel()

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._leave.set)
        self._ended.result()


class AnswerText:
    """The text of a run's answers as it comes: every character once, however often it is said."""

    def __init__(self) -> None:
        self._shown = 0
        """characters of the answer that is coming"""

    def take(self, line: StreamLine) -> str:
        """What is new in it."""
        if line.event not in ("preview", "assistant_text", "assistant_message"):
            return ""
        data: dict[str, Any] = line.data
        offset, text = int(data.get("offset", 0)), str(data.get("text", ""))
        new = text[max(0, self._shown - offset) :]
        self._shown = max(self._shown, offset + len(text))
        if line.event == "assistant_message":
            self._shown = 0
        return new
