"""The one table of operations."""

from palyra.api import access, chat, console, journal, memory, system
from palyra.api.operation import AnyOperation

OPERATIONS: tuple[AnyOperation, ...] = (
    *memory.OPERATIONS,
    *journal.OPERATIONS,
    *system.OPERATIONS,
    *access.OPERATIONS,
    *console.OPERATIONS,
    *chat.OPERATIONS,
)
