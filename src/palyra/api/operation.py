"""What an operation is. Every surface is derived from the table of them; one that does not say who may call it
does not start."""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, Generic, TypeVar

from palyra.app import Access, App
from palyra.wire.journal import Request, Response

Q = TypeVar("Q", bound=Request)
R = TypeVar("R", bound=Response)


class Who(Enum):
    """Who may call an operation."""

    OPERATOR = "operator"
    """whoever runs this installation"""
    PRINCIPAL = "principal"
    """whoever may speak for the principal that the request names"""


@dataclass(frozen=True, slots=True)
class Caller:
    principal: str
    who: Who


@dataclass(frozen=True, slots=True)
class Call:
    """One call in progress: the app, who is asking, and where to report progress."""

    app: App
    caller: Caller
    progress: Callable[[str, int, int], None] = lambda _what, _done, _total: None


@dataclass(frozen=True, slots=True)
class Operation(Generic[Q, R]):
    name: str
    method: str
    path: str
    request: type[Q]
    response: type[R]
    who: Who
    access: Access
    handler: Callable[[Call, Q], Awaitable[R]]


@dataclass(frozen=True, slots=True)
class StreamOperation(Generic[Q, R]):
    """Answers with a sequence; over HTTP as NDJSON."""

    name: str
    method: str
    path: str
    request: type[Q]
    response: type[R]
    who: Who
    access: Access
    handler: Callable[[Call, Q], AsyncIterator[R]]


AnyOperation = Operation[Any, Any] | StreamOperation[Any, Any]
