"""What operations do, by the name of their row."""

from collections.abc import Callable
from typing import Any

from palyra.api.call import Call
from palyra.api.handlers import (
    access,
    chat,
    console,
    continuity,
    cron,
    demo,
    external,
    jobs,
    journal,
    learning,
    memory,
    memory_changes,
    review,
    sessions,
    system,
    workspace,
)

HANDLERS: dict[str, Callable[[Call, Any], Any]] = {
    operation.name: handler
    for operation, handler in (
        *memory.HANDLERS,
        *memory_changes.HANDLERS,
        *external.HANDLERS,
        *journal.HANDLERS,
        *system.HANDLERS,
        *jobs.HANDLERS,
        *access.HANDLERS,
        *console.HANDLERS,
        *demo.HANDLERS,
        *sessions.HANDLERS,
        *chat.HANDLERS,
        *workspace.HANDLERS,
        *continuity.HANDLERS,
        *cron.HANDLERS,
        *learning.HANDLERS,
        *review.HANDLERS,
    )
}
