"""What the use-cases of checkpoints and branches work with, and how one is found."""

from dataclasses import dataclass

from palyra.core.errors import NotFound, PermissionDenied
from palyra.domain.chat.continuity_events import Line
from palyra.domain.scope import Visibility
from palyra.services.sessions.context import Sessions
from palyra.services.workspace.context import Workspace
from palyra.store.connection import ReadTx
from palyra.store.continuity.records import (
    DocumentMark,
    SessionCheckpoint,
    checkpoint_exists,
    fetch_checkpoint,
    named_checkpoint,
)
from palyra.store.workspace.records import documents_of


@dataclass(frozen=True, slots=True)
class Continuity:
    sessions: Sessions
    workspace: Workspace


def find_checkpoint(tx: ReadTx, name: str, caller: Visibility) -> SessionCheckpoint:
    """By id, or the newest of that name; one clear error if the caller may not know of it."""
    found = fetch_checkpoint(tx, name, caller) or named_checkpoint(tx, name, caller)
    if found is not None:
        return found
    if checkpoint_exists(tx, name):
        raise PermissionDenied(
            f"checkpoint {name} is not visible to principal {caller.principal!r} here",
            hint="pass --principal and --channel of its owner",
        )
    raise NotFound(f"no checkpoint {name[:64]!r}", hint="palyra checkpoint list")


def marks_on(tx: ReadTx, line: Line, caller: Visibility) -> tuple[DocumentMark, ...]:
    """The documents of a line as they stand."""
    return tuple(
        DocumentMark(one.path, one.revision, one.sha256) for one in documents_of(tx, caller, line) if not one.deleted
    )
