"""The one table of operations."""

from palyra.api import access, chat, console, continuity, journal, memory, system, workspace
from palyra.api.operation import AnyOperation

OPERATIONS: tuple[AnyOperation, ...] = (
    *memory.OPERATIONS,
    *journal.OPERATIONS,
    *system.OPERATIONS,
    *access.OPERATIONS,
    *console.OPERATIONS,
    *chat.OPERATIONS,
    *workspace.OPERATIONS,
    *continuity.OPERATIONS,
)
