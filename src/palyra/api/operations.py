"""The one table of operations."""

from palyra.api import journal, system
from palyra.api.operation import AnyOperation

OPERATIONS: tuple[AnyOperation, ...] = (*journal.OPERATIONS, *system.OPERATIONS)
