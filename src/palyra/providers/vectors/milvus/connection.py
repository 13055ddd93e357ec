"""The connection to one Milvus server, for callers in any thread, and what goes wrong with it in our words.

Every call has a time limit, which each request to the server is given the rest of; a new connection may take one more
second. The client library reconnects by itself when a server is back. After a failure the table is looked for anew.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias, TypeVar, cast
from urllib.parse import unquote, urlsplit

from palyra.core.errors import Deadline, Exhausted, FailedPrecondition, Integrity, PalyraError, Unavailable
from palyra.providers.extras import how_to_add

T = TypeVar("T")
Client: TypeAlias = Any
"""pymilvus.MilvusClient, which comes without types"""
Left: TypeAlias = Callable[[], float]
"""seconds that remain; Deadline if none do"""

_CONNECT_SECONDS = 1.0
_PORT = 19_530
_CHATTY = ("pymilvus", "pymilvus.milvus_client", "pymilvus.bulk_writer")

# What the server numbers its errors with.
_FULL = {3, 4, 7, 8, 9, 102}
_GONE = {100, 101}
_LOST = {1_000}
_REFUSED = {1_100, 1_101, 1_400, 1_401}
_FULL_STATUSES = {"RESOURCE_EXHAUSTED"}
_REFUSED_STATUSES = {"UNAUTHENTICATED", "PERMISSION_DENIED", "UNIMPLEMENTED", "INVALID_ARGUMENT"}


class Connection:
    def __init__(self, name: str, address: str, prepare: Callable[[Client, Left], None]) -> None:
        """`name` is what people call the server: the address may hold a password and is never shown.

        `prepare` finds or makes the table; it is done before the first call and after one that failed."""
        self._name = name
        self._address = address
        self._prepare = prepare
        self._opening = threading.Lock()
        self._client: Client | None = None
        self._is_ready = False
        self._closed = False

    def call(self, work: Callable[[Client, Left], T], seconds: float) -> T:
        """What `work` returns; Deadline after so many seconds, else what went wrong in our words."""
        left = _countdown(self._name, seconds)
        with _in_our_words(self._name, self._address, seconds):
            client = self._opened(left)
            try:
                return work(client, left)
            except BaseException:
                self._is_ready = False
                raise

    def close(self) -> None:
        with self._opening:
            self._closed = True
            client, self._client = self._client, None
        if client is not None:
            client.close()

    def _opened(self, left: Left) -> Client:
        if not self._opening.acquire(timeout=left()):
            raise TimeoutError
        try:
            if self._closed:
                raise Unavailable(f"the connection to {self._name} is closed")
            if self._client is None:
                self._client = _connect(self._name, self._address)
                self._is_ready = False
            if not self._is_ready:
                self._prepare(self._client, left)
                self._is_ready = True
            return self._client
        finally:
            self._opening.release()


def _countdown(name: str, seconds: float) -> Left:
    until = time.monotonic() + seconds

    def left() -> float:
        remaining = until - time.monotonic()
        if remaining <= 0:
            raise _too_late(name, seconds)
        return remaining

    return left


def _connect(name: str, address: str) -> Client:
    wrong = FailedPrecondition(
        f"{name}: its address cannot be used",
        hint="set memory.external.dsn to http://user:password@host:19530/database, or https://…",
    )
    try:
        given = urlsplit(address)
        host, port = given.hostname, given.port
    except ValueError:
        raise wrong from None
    if given.scheme not in {"http", "https"} or not host:
        raise wrong
    # The library is given an address without a password: it shows addresses in its errors.
    return _driver()(
        f"{given.scheme}://{host}:{port or _PORT}",
        token=":".join(_secrets(address)),
        db_name=given.path.strip("/"),
        dedicated=True,
        timeout=_CONNECT_SECONDS,
    )


def _driver() -> Callable[..., Client]:
    try:
        from pymilvus import MilvusClient  # noqa: PLC0415 - 90 MB; nobody pays for it who has not switched it on
    except ImportError as error:
        raise FailedPrecondition(
            f"Milvus needs the package {error.name}",
            hint=f"{how_to_add('milvus')}, or set memory.external.provider off",
        ) from None
    for logger in _CHATTY:  # it writes every error to stderr; ours say the same, once
        logging.getLogger(logger).setLevel(logging.CRITICAL + 1)
    return cast("Callable[..., Client]", MilvusClient)


def _secrets(address: str) -> list[str]:
    """User and password, or a token, as the server wants them."""
    given = urlsplit(address)
    return [unquote(part) for part in (given.username, given.password) if part]


@contextmanager
def _in_our_words(name: str, address: str, seconds: float) -> Iterator[None]:
    until = time.monotonic() + seconds
    try:
        yield
    except PalyraError:
        raise
    except TimeoutError:
        raise _too_late(name, seconds) from None
    except Exception as error:  # noqa: BLE001 - whatever a driver or server comes up with, search goes on without it
        told = _named(name, address, seconds, error)
        if isinstance(told, Unavailable) and time.monotonic() >= until:  # it says so in many different ways
            told = _too_late(name, seconds)
        raise told from None


def _too_late(name: str, seconds: float) -> Deadline:
    return Deadline(f"{name} gave no answer within {seconds:g} s", hint="palyra memory external status")


def _named(name: str, address: str, seconds: float, error: Exception) -> PalyraError:
    code, status, text = _facts(error)
    text = text.splitlines()[0][:200] if text else "no message"
    for secret in _secrets(address)[-1:]:  # the password, or a token alone
        text = text.replace(secret, "(hidden)")
    told = f"{name}: {type(error).__name__}: {text}"
    if status == "DEADLINE_EXCEEDED":
        return _too_late(name, seconds)
    if code in _FULL or status in _FULL_STATUSES:
        return Exhausted(told, hint="the server is full or limits requests: give it room; search goes on without it")
    if code in _LOST or status == "DATA_LOSS":
        return Integrity(told, hint="repair the server, then palyra memory external rebuild")
    if code in _GONE:
        return Unavailable(told, hint="the table is made and loaded again by itself")
    if code in _REFUSED or status in _REFUSED_STATUSES:
        return FailedPrecondition(told, hint="see docs/guides/external.md for what the server must allow")
    return Unavailable(told, hint="palyra memory external status")


def _facts(error: Exception) -> tuple[int | None, str, str]:
    """The server's number, the name of the status of the call, and the text: as far as the error has them."""
    code = getattr(error, "code", None)
    if callable(code):  # of the call itself
        return None, getattr(code(), "name", ""), str(error.details() if hasattr(error, "details") else error)
    cause = getattr(error.__cause__, "code", None)
    status = getattr(code, "name", "") if not isinstance(code, int) else ""
    if not status and callable(cause):
        status = getattr(cause(), "name", "")
    return (code if isinstance(code, int) else None), status, str(getattr(error, "message", error))
