"""Where our version of a document goes when a person has changed the file at the same time."""

from palyra.core.errors import PalyraError
from palyra.domain.journal import Actor, EventDraft
from palyra.domain.memory import Trust
from palyra.domain.scope import Visibility
from palyra.domain.workspace.documents import check_path
from palyra.services.workspace.decisions import WantedDocument, Writer, revise, sound_blocks
from palyra.store.connection import ReadTx
from palyra.store.workspace.records import Revision, newest


def kept_copy(tx: ReadTx, ours: Revision, caller: Visibility) -> tuple[str, EventDraft] | None:
    """A document of its own beside it. None if there is nothing to keep: it was deleted, or is only a template."""
    if ours.deleted or ours.masked or ours.source == "bootstrap":
        return None
    path = _free_name(tx, ours, caller)
    writer = Writer(
        caller, Actor(ours.actor), ours.source, Trust(ours.trust), ours.because, f"{ours.path} was changed by hand"
    )
    draft = revise(tx, WantedDocument(path, ours.text or "", own_blocks=sound_blocks(ours.text or "")), writer)
    return None if draft is None else (path, draft)


def conflict_name(path: str, revision: int, number: int = 1) -> str:
    """`NAME.conflict-7.md`; for a name that is too long to be extended, one in `conflicts/`."""
    suffix = f"conflict-{revision}" + (f"-{number}" if number > 1 else "")
    name = f"{path.removesuffix('.md')}.{suffix}.md"
    try:
        return check_path(name)
    except PalyraError:
        return f"conflicts/{suffix}.md"


def _free_name(tx: ReadTx, ours: Revision, caller: Visibility) -> str:
    number = 1
    while newest(tx, name := conflict_name(ours.path, ours.revision, number), caller) is not None:
        number += 1
    return name
