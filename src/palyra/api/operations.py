"""The one table of operations."""

from palyra.api import access, chat, continuity, external, journal, learning, memory, system, workspace
from palyra.api.operating import console, cron, demo, jobs, review
from palyra.api.operation import AnyOperation

OPERATIONS: tuple[AnyOperation, ...] = (
    *memory.OPERATIONS,
    *external.OPERATIONS,
    *journal.OPERATIONS,
    *system.OPERATIONS,
    *jobs.OPERATIONS,
    *access.OPERATIONS,
    *console.OPERATIONS,
    *demo.OPERATIONS,
    *chat.OPERATIONS,
    *workspace.OPERATIONS,
    *continuity.OPERATIONS,
    *cron.OPERATIONS,
    *learning.OPERATIONS,
    *review.OPERATIONS,
)
