"""What is written when a document changes: one event for each new revision, made inside a decision.

`revise` is the one way to a revision. Whoever decides more than a document (a compaction, a restored checkpoint) calls
it in a decision of their own; files follow with `sync.apply`.
"""

import hashlib
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import cast

from palyra.core.errors import AlreadyExists, Conflict, FailedPrecondition, InvalidArgument, PalyraError
from palyra.core.hashing import canonical_text
from palyra.core.redact import redact_payload_json, redact_text
from palyra.domain.chat.continuity_events import MAIN, DocumentWritten, FileApplied, Line
from palyra.domain.journal import Actor, EventDraft, Origin, draft_of_event
from palyra.domain.memory import Trust
from palyra.domain.scope import Visibility
from palyra.domain.workspace import blocks
from palyra.domain.workspace.documents import check_content, check_path, path_key
from palyra.domain.workspace.risk import Scan, scan
from palyra.services.workspace.context import check_line
from palyra.store.connection import ReadTx
from palyra.store.journal_store import JournalStore
from palyra.store.workspace.records import Revision, newest, paths_of
from palyra.store.workspace.search import section_terms

_MOST_REASONS = 50
_ROOMY = 8_192
"""a text whose JSON is that much longer than its bytes is stored in base64"""


@dataclass(frozen=True, slots=True)
class Writer:
    """In whose name, from where, and how far it is to be trusted."""

    caller: Visibility
    actor: Actor
    source: str
    trust: Trust
    because: str = ""
    reason: str = ""

    @property
    def origin(self) -> Origin:
        return Origin(self.caller.principal, self.actor)


@dataclass(frozen=True, slots=True)
class WantedDocument:
    """A document as it is to be. `text` None: deleted."""

    path: str
    text: str | None
    line: Line = MAIN
    moved_from: str = ""
    own_blocks: frozenset[str] = frozenset()
    """managed blocks that are ours though the document has not got them yet"""
    base_sha256: str | None = None
    """what the writer has seen; None: whatever is there. Empty: nothing"""


async def rehearse(store: JournalStore, decide: Callable[[ReadTx], object]) -> None:
    """Runs a decision once for nothing, beside the writer, who then need not wait for a long text to be scanned."""
    with suppress(PalyraError):  # the decision itself says so, unless its request was answered before
        await store.db.read(decide)


def revise(tx: ReadTx, change: WantedDocument, writer: Writer, *, from_file: bool = False) -> EventDraft | None:
    """The next revision; None if the document says that already.

    Conflict if the writer has seen another text. FailedPrecondition if a secret would be written, or lost."""
    if redact_text(check_path(change.path)).spans:
        raise InvalidArgument("the path looks like it holds a secret", hint="use a name, not a credential")
    check_line(tx, change.line, writer.caller)
    current = newest(tx, change.path, writer.caller, change.line)
    live = None if current is None or current.deleted else current
    _check_base(change, live)
    if live is None:
        if change.text is None:
            return None
        check_free(tx, change.path, writer.caller, change.line, change.moved_from)
    event = _written(change, current, writer)
    if live is not None and not event.deleted and event.sha256 == live.sha256:
        return None
    if not from_file:
        _check_secrets(event, live)
    return draft_of_event(event, writer.origin)


def edit_blocks(
    tx: ReadTx, path: str, items: Mapping[str, Sequence[blocks.BlockItem]], writer: Writer, line: Line = MAIN
) -> EventDraft | None:
    """The items of managed blocks as they are to be, everything around them as it is. None: nothing changes.

    FailedPrecondition with the line of a block that was edited by hand, or is broken."""
    current = newest(tx, path, writer.caller, line)
    text = "" if current is None or current.deleted else current.text or ""
    if current is not None and current.masked and not current.deleted:
        raise holds_secret(path)
    for block_id, wanted in items.items():
        text = blocks.edit(text, block_id, wanted, path=path)
    return revise(tx, WantedDocument(path, text, line, own_blocks=frozenset(items)), writer)


def check_free(tx: ReadTx, path: str, caller: Visibility, line: Line, moved_from: str = "") -> None:
    """One name for one document, on every file system; and no file where another document needs a folder."""
    wanted = _key(path)
    for other in paths_of(tx, caller, line) - {path, moved_from}:
        taken = _key(other)
        if taken == wanted or taken.startswith(f"{wanted}/") or wanted.startswith(f"{taken}/"):
            one = newest(tx, other, caller, line)
            if one is not None and not one.deleted:
                raise AlreadyExists(f"{path} cannot be beside {other}", hint="choose another name")


_key = lru_cache(maxsize=16_384)(path_key)


def applied(path: str, revision: int, sha256: str | None, caller: Visibility) -> EventDraft:
    """The file is that revision, or is not there."""
    return draft_of_event(FileApplied(path, revision, sha256 or ""), Origin(caller.principal, Actor.SYSTEM))


def sound_blocks(text: str) -> frozenset[str]:
    """The managed blocks in it that are as we wrote them."""
    return frozenset(block.block_id for block in blocks.parse(text).blocks if block.edited is None)


def sha256_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def holds_secret(path: str) -> FailedPrecondition:
    return FailedPrecondition(
        f"{path} holds a secret, which the journal has only masked; nothing was written",
        hint="change the file itself, or take the secret out of it first",
    )


def _written(change: WantedDocument, current: Revision | None, writer: Writer) -> DocumentWritten:
    text = change.text or ""
    check_content(text.encode("utf-8", "surrogatepass"))
    live = None if current is None or current.deleted else current
    own_blocks = change.own_blocks | (frozenset() if live is None else sound_blocks(live.text or ""))
    risk = _scanned(text, writer.trust, own_blocks)
    stored = cast("dict[str, str]", redact_payload_json({"text": text}))["text"]  # as the journal would
    section_terms(stored)  # the index wants them, and this may be the rehearsal
    event = DocumentWritten(
        change.path,
        1 if current is None else current.revision + 1,
        sha256_of(text) if change.text is not None else "",
        writer.source,
        int(writer.trust),
        risk.level.label,
        change.line,
        stored,
        base_sha256="" if live is None else live.sha256,
        reasons=tuple(f"line {one.line}: {one.reason} ({one.detail})" for one in risk.findings[:_MOST_REASONS]),
        masked=stored != text,
        deleted=change.text is None,
        moved_from=change.moved_from,
        because=writer.because,
        reason=writer.reason,
    )
    if len(canonical_text(stored).encode()) - len(stored.encode()) > _ROOMY:
        event = replace(event, text="", text_base64=b64encode(stored.encode()).decode())
    return event


@lru_cache(maxsize=4)
def _scanned(text: str, trust: Trust, own_blocks: frozenset[str]) -> Scan:
    return scan(text, trust, own_blocks=own_blocks)


def forget_texts() -> None:
    """What was worked out about the last texts, for whoever destroys them."""
    _scanned.cache_clear()
    section_terms.cache_clear()


def _check_base(change: WantedDocument, live: Revision | None) -> None:
    seen, is_now = change.base_sha256, "" if live is None else live.sha256
    if seen is None or seen == is_now:
        return
    revision = 0 if live is None else live.revision
    raise Conflict(
        f"{change.path} is {is_now[:12] or 'not there'} by now, not {seen[:12] or 'missing'}; nothing was written",
        hint="read it again and repeat the change",
        expected_sha256=seen,
        current_sha256=is_now,
        current_revision=revision,
    )


def _check_secrets(event: DocumentWritten, live: Revision | None) -> None:
    if live is not None and live.masked:
        raise holds_secret(event.path)
    if event.masked:
        raise FailedPrecondition(
            f"the text for {event.path} holds a secret; nothing was written",
            hint="take it out: the journal keeps no secrets, and memory should not either",
        )
