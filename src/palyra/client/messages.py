"""How an operation travels over HTTP: a request as method, target and body; an answer as a response, or as its error.

What is sent and read the same way by every client over HTTP, blocking or not.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import quote, urlencode

import msgspec

from palyra.api.operation import AnyOperation, Operation, StreamOperation
from palyra.core.errors import TABLE, Internal, InvalidArgument, PalyraError, Unauthenticated, Unavailable
from palyra.wire.base import Request, Response

Q = TypeVar("Q", bound=Request)
R = TypeVar("R", bound=Response)

LINES = "application/x-ndjson"

Progress = Callable[[str, int, int], None]


class NotReached(Unavailable):
    """Nobody listens there: the request was not sent."""


class BrokenOff(Unavailable):
    """The connection ended before the whole answer was there: the request may or may not have been carried out."""


@dataclass(frozen=True, slots=True)
class ClientRequest:
    method: str
    target: str
    body: bytes | None
    headers: dict[str, str]


def to_message(operation: AnyOperation, request: Request, secret: str, *, in_lines: bool) -> ClientRequest:
    """`in_lines`: ask for progress while it lasts."""
    if not (secret.isascii() and secret.isprintable()):
        raise Unauthenticated("the token holds what no token holds", hint="palyra token create makes one")
    fields = {name: value for name, value in msgspec.to_builtins(request).items() if value is not None}
    headers = {"accept": LINES if in_lines else "application/json", "authorization": f"Bearer {secret}"}
    try:
        target = _PARAMETER.sub(lambda match: _segment(match[1], fields.pop(match[1])), operation.path)
        if operation.method == "GET":
            query = urlencode({name: _words(value) for name, value in fields.items()}, doseq=True)
            return ClientRequest("GET", f"{target}?{query}" if query else target, None, headers)
        body = json.dumps(fields, ensure_ascii=False, allow_nan=False).encode()
    except UnicodeEncodeError:
        raise InvalidArgument("the request is not text in UTF-8", hint="check the encoding of what you give") from None
    except ValueError:
        raise InvalidArgument("the request holds a number that is not finite", hint="give plain numbers") from None
    return ClientRequest(operation.method, target, body, {**headers, "content-type": "application/json"})


def read_answer(operation: Operation[Q, R], status: int, body: bytes) -> R:
    if status != 200:
        raise to_error(status, body)
    return _decode(body, operation.response)


def read_step(operation: Operation[Q, R], line: bytes, progress: Progress) -> R | None:
    """One line of an answer in lines: None while it lasts."""
    step = _decode(line, _Step)
    if step.progress is not None:
        progress(step.progress.what, step.progress.done, step.progress.total)
        return None
    if not (result := bytes(step.result)):
        raise to_error(500, line)
    return _decode(result, operation.response)


def read_item(operation: StreamOperation[Q, R], line: bytes) -> R:
    """One line of a stream."""
    if line.startswith(b'{"error":'):
        raise to_error(500, line)
    return _decode(line, operation.response)


def to_error(status: int, body: bytes) -> PalyraError:
    """The error an answer names; one that is not ours is told by its status."""
    try:
        told = msgspec.json.decode(body, type=_Failure).error
    except msgspec.MsgspecError:
        kind = Unavailable if status in (502, 503, 504) else next((e for e in TABLE if e.http == status), Internal)
        return kind(f"the answer was {status}, and not in Palyra's words", hint="check that the address is a daemon's")
    kind = next((error for error in TABLE if error.code == told.code), Internal)
    hint = f"{told.hint} ({told.request_id})" if kind is Internal and told.request_id else told.hint
    error = kind(told.message, hint=hint)
    error.details = told.details
    return error


def is_repeatable(operation: AnyOperation, request: Request) -> bool:
    """Whether sending it twice does no harm: it only reads, or says by an id that it is the same."""
    reads = operation.method == "GET" or "read" in (operation.needs.value, operation.access.value)
    return reads or bool(getattr(request, "request_id", None))


def not_reached(url: str) -> NotReached:
    return NotReached(f"nobody answers at {url}", hint="start the daemon: palyra serve")


def broken(operation: AnyOperation) -> BrokenOff:
    return BrokenOff(
        f"the daemon went away before it answered {operation.name}",
        hint="see whether it was done before you repeat it"
        if operation.method != "GET"
        else "repeat it, or start the daemon: palyra serve",
    )


class _Progress(msgspec.Struct):
    what: str
    done: int
    total: int


class _Step(msgspec.Struct):
    progress: _Progress | None = None
    result: msgspec.Raw = msgspec.Raw()


class _Told(msgspec.Struct):
    code: str
    message: str
    hint: str = ""
    details: dict[str, str | int | bool | None] = {}
    request_id: str | None = None


class _Failure(msgspec.Struct):
    error: _Told


_PARAMETER = re.compile(r"\{(\w+)\}")
T = TypeVar("T")


def _decode(data: bytes, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(data, type=kind)
    except msgspec.MsgspecError as error:
        raise Internal(
            f"the answer cannot be read: {error}", hint="is the daemon of the same version? palyra --version"
        ) from None


def _segment(name: str, value: Any) -> str:
    # A server takes such a path apart before it looks for the operation, and would answer something else.
    if value in {"", ".", ".."} or "/" in value:
        raise InvalidArgument(f"{name} {value[:64]!r} is not an id", hint="give an id as a list shows it")
    return quote(value, safe="")


def _words(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value
