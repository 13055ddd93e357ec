"""What an operation is: a row that says everything a surface must know, and loads nothing of what it does.

Every surface is derived from the table of them. What an operation does is in `handlers/`, bound to its row.
"""

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from palyra.domain.access import Access, Capability
from palyra.wire.base import Request, Response

Q = TypeVar("Q", bound=Request)
R = TypeVar("R", bound=Response)


@dataclass(frozen=True, slots=True)
class _Row(Generic[Q, R]):
    name: str
    method: str
    path: str
    request: type[Q]
    response: type[R]
    needs: Capability
    """who may call it: whoever has this"""
    access: Access
    summary: str
    of_everyone: bool = False
    """reaches what every principal wrote: takes `any_principal`, too, and reading is journaled"""
    makes_store: bool = False
    """may be the first thing done in a data directory; any other finds that there is nothing"""

    @property
    def is_served(self) -> bool:
        """By a daemon. What works on the files without opening the journal is done where the files are."""
        return not (self.access is Access.NONE and self.needs is Capability.OWN)


@dataclass(frozen=True, slots=True)
class Operation(_Row[Q, R]):
    """Answers once."""


@dataclass(frozen=True, slots=True)
class StreamOperation(_Row[Q, R]):
    """Answers with a sequence; over HTTP as NDJSON."""


AnyOperation = Operation[Any, Any] | StreamOperation[Any, Any]
