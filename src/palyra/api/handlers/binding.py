"""Ties what is done to the row that announces it; the type checker holds the two together."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, TypeVar, overload

from palyra.api.call import Call
from palyra.api.operation import AnyOperation, Operation, StreamOperation
from palyra.wire.base import Request, Response

Q = TypeVar("Q", bound=Request)
R = TypeVar("R", bound=Response)

Bound = tuple[AnyOperation, Callable[[Call, Any], Any]]


@overload
def bind(operation: Operation[Q, R], handler: Callable[[Call, Q], Awaitable[R]]) -> Bound: ...
@overload
def bind(operation: StreamOperation[Q, R], handler: Callable[[Call, Q], AsyncIterator[R]]) -> Bound: ...
def bind(operation: Any, handler: Any) -> Bound:
    return operation, handler
