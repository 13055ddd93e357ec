"""Checkpoints: a point in a session to come back to. Made, listed, and gone back to as a branch or in place.

Restoring never deletes: a branch is a new session, and documents are rolled back by writing what they said.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, cast

from palyra.core.errors import FailedPrecondition, InvalidArgument, PalyraError
from palyra.core.hashing import Json
from palyra.core.ids import SessionId
from palyra.core.text import has_lone_surrogate, normalise
from palyra.domain.chat.continuity_events import (
    CheckpointCreated,
    CheckpointId,
    CompactionId,
    DocumentWritten,
    Line,
    LineOpened,
)
from palyra.domain.chat.session import Session
from palyra.domain.chat.session_events import SessionCreated
from palyra.domain.ingest import check_tags
from palyra.domain.journal import Actor, Decision, EventDraft, EventRecord, Origin, RequestKey, draft_of_event
from palyra.domain.memory import Trust
from palyra.domain.scope import Visibility
from palyra.services.continuity.condensed import standing_compaction
from palyra.services.continuity.context import Continuity, find_checkpoint, marks_on
from palyra.services.sessions.context import find_session, new_session_id, origin_in
from palyra.services.sessions.lifecycle import (
    check_free,
    check_key,
    check_title,
    creation_drafts,
    end_of,
    first_session,
    get,
)
from palyra.services.workspace.decisions import WantedDocument, Writer, holds_secret, revise, sound_blocks
from palyra.services.workspace.sync import sync
from palyra.store.connection import ReadTx
from palyra.store.continuity.records import DocumentMark, SessionCheckpoint, line_of, list_checkpoints
from palyra.store.journal_store import Once
from palyra.store.workspace.records import Revision, newest, revision_at

_NOTE_CHARS = 4_000
_PAGE = 500


@dataclass(frozen=True, slots=True)
class RestoredSession:
    session: Session
    checkpoint: SessionCheckpoint
    missing: tuple[str, ...]
    """documents whose text was erased since"""


@dataclass(frozen=True, slots=True)
class RolledBack:
    written: tuple[DocumentMark, ...]
    unchanged: tuple[str, ...]
    missing: tuple[str, ...]
    refused: tuple[tuple[str, str], ...]
    """path, and why it was left as it is"""
    newer: tuple[str, ...]
    """documents that were not there then; they stay"""


async def create(
    continuity: Continuity,
    name: str,
    caller: Visibility,
    actor: Actor,
    title: str = "",
    note: str = "",
    tags: tuple[str, ...] = (),
    request: RequestKey | None = None,
) -> SessionCheckpoint:
    """Of that session as it stands: what was said, the documents it works with, what was condensed."""
    sessions = continuity.sessions
    title, tags = check_title(title), check_tags(tags)
    note = _check_note(note)
    checkpoint_id = CheckpointId(sessions.store.ids.next(sessions.clock.now_ms()))
    await sync(continuity.workspace, caller)

    def decide(tx: ReadTx) -> Decision[CheckpointId]:
        session = find_session(tx, name, caller)
        line = line_of(tx, session)
        compaction = standing_compaction(tx, session)
        compactions = () if compaction is None else (compaction.compaction_id,)
        marks = marks_on(tx, line, caller)
        draft = checkpoint_draft(tx, session, line, marks, compactions, checkpoint_id, origin_in(session, actor))
        draft.body.update(_words(title, note, tags))
        return Decision((draft,), checkpoint_id)

    once = None if request is None else Once(caller.principal, request, _first_checkpoint)
    committed = await sessions.journal.commit(decide, once)
    return await show(continuity, committed.outcome, caller)


def _check_note(note: str) -> str:
    if has_lone_surrogate(note):
        raise InvalidArgument("the note holds half of a surrogate pair", hint="send well-formed Unicode text")
    if len(note) > _NOTE_CHARS:
        raise InvalidArgument(f"the note has {len(note)} characters; at most {_NOTE_CHARS}", hint="shorten it")
    return normalise(note)


def _words(title: str, note: str, tags: tuple[str, ...]) -> dict[str, Json]:
    words: dict[str, Json] = {"name": title, "note": note, "tags": cast("list[Json]", list(tags))}
    return {name: value for name, value in words.items() if value}


def checkpoint_draft(
    tx: ReadTx,
    session: Session,
    line: Line,
    marks: tuple[DocumentMark, ...],
    compactions: tuple[CompactionId, ...],
    checkpoint_id: CheckpointId,
    origin: Origin,
) -> EventDraft:
    """For a decision that makes one, also along with other things."""
    tape_seq = end_of(tx, session, None, Visibility(session.principal, session.channel))
    documents = tuple(cast("dict[str, Json]", asdict(mark)) for mark in marks)
    event = CheckpointCreated(
        checkpoint_id, session.session_id, tape_seq, documents, line, session.cut_seq, compactions
    )
    return draft_of_event(event, origin)


def _first_checkpoint(written: list[EventRecord]) -> CheckpointId:
    body = body_of(written[0], CheckpointCreated.KIND)
    return CheckpointId(body["checkpoint_id"])


def body_of(record: EventRecord, kind: str) -> dict[str, Any]:
    if record.kind != kind:
        raise InvalidArgument("this request id was used for something else", hint="use a new one for every request")
    if record.payload is None:
        raise FailedPrecondition("what this request wrote has been erased since", hint="use a new request id")
    body: dict[str, Any] = json.loads(record.payload)
    return body


async def show(continuity: Continuity, name: str, caller: Visibility) -> SessionCheckpoint:
    return await continuity.sessions.store.db.read(lambda tx: find_checkpoint(tx, name, caller))


async def list_(
    continuity: Continuity, session: str | None, caller: Visibility, before_seq: int, limit: int
) -> list[SessionCheckpoint]:
    """Newest first, of one session or of all in sight."""
    if not 1 <= limit <= _PAGE:
        raise InvalidArgument(f"limit {limit} is outside 1..{_PAGE}", hint="ask for smaller pages")
    if not 0 <= before_seq < 1 << 62:
        raise InvalidArgument(f"before_seq {before_seq} is outside 0..2**62", hint="0 begins with the newest")

    def read(tx: ReadTx) -> list[SessionCheckpoint]:
        session_id = None if session is None else find_session(tx, session, caller).session_id
        return list_checkpoints(tx, caller, session_id, before_seq or 1 << 62, limit)

    return await continuity.sessions.store.db.read(read)


# -- going back


async def restore(
    continuity: Continuity,
    name: str,
    caller: Visibility,
    actor: Actor,
    key: str | None = None,
    title: str = "",
    request: RequestKey | None = None,
) -> RestoredSession:
    """A branch: a new session with what was said until then, and documents of its own as they were then."""
    sessions = continuity.sessions
    session_id = new_session_id(sessions)
    new_key, title = check_key(key, session_id), check_title(title)

    def decide(tx: ReadTx) -> Decision[SessionId]:
        checkpoint = find_checkpoint(tx, name, caller)
        parent = find_session(tx, checkpoint.session_id, caller)
        check_free(tx, caller.principal, new_key)
        event = SessionCreated(session_id, new_key, parent.session_id, checkpoint.tape_seq, checkpoint.cut_seq)
        origin = Origin(parent.principal, actor, parent.channel, session_id)
        opened = LineOpened(Line(session_id), checkpoint.checkpoint_id)
        created = creation_drafts(event, title or checkpoint.name or parent.title, origin)
        return Decision((*created, draft_of_event(opened, origin)), session_id)

    once = None if request is None else Once(caller.principal, request, first_session)
    committed = await sessions.journal.commit(decide, once)
    session = await get(sessions, committed.outcome, caller)
    return await sessions.store.db.read(lambda tx: _restored(tx, session, name, caller))


def _restored(tx: ReadTx, session: Session, name: str, caller: Visibility) -> RestoredSession:
    checkpoint = find_checkpoint(tx, name, caller)
    missing = [mark.path for mark in checkpoint.documents if marked(tx, checkpoint, mark, caller) is None]
    return RestoredSession(session, checkpoint, tuple(missing))


def marked(tx: ReadTx, checkpoint: SessionCheckpoint, mark: DocumentMark, caller: Visibility) -> Revision | None:
    """The document as it was; None: erased since."""
    return revision_at(tx, mark.path, mark.revision, caller, checkpoint.line)


async def roll_back(
    continuity: Continuity, name: str, caller: Visibility, actor: Actor, request: RequestKey | None = None
) -> RolledBack:
    """The documents where they are say again what they said then, each as a new revision. The session stays."""
    sessions = continuity.sessions
    await sync(continuity.workspace, caller)

    def decide(tx: ReadTx) -> Decision[RolledBack]:
        checkpoint = find_checkpoint(tx, name, caller)
        drafts: list[EventDraft] = []
        unchanged: list[str] = []
        missing: list[str] = []
        refused: list[tuple[str, str]] = []
        for mark in checkpoint.documents:
            then, now = marked(tx, checkpoint, mark, caller), newest(tx, mark.path, caller, checkpoint.line)
            if now is not None and not now.deleted and now.sha256 == mark.sha256:
                unchanged.append(mark.path)
            elif then is None:
                missing.append(mark.path)
            else:
                try:
                    drafts += _again(tx, then, checkpoint, caller, actor)
                except PalyraError as error:
                    refused.append((mark.path, error.message))
        known = {mark.path for mark in checkpoint.documents}
        newer = [mark.path for mark in marks_on(tx, checkpoint.line, caller) if mark.path not in known]
        written = tuple(marks_in(drafts))
        return Decision(
            tuple(drafts), RolledBack(written, tuple(unchanged), tuple(missing), tuple(refused), tuple(newer))
        )

    once = None if request is None else Once(caller.principal, request, _first_rolled_back)
    committed = await sessions.journal.commit(decide, once)
    await sync(continuity.workspace, caller)
    return committed.outcome


def _again(
    tx: ReadTx, then: Revision, checkpoint: SessionCheckpoint, caller: Visibility, actor: Actor
) -> tuple[EventDraft, ...]:
    if then.masked:
        raise holds_secret(then.path)
    writer = Writer(caller, actor, "restore", Trust(then.trust), checkpoint.checkpoint_id)
    text = then.text or ""
    draft = revise(tx, WantedDocument(then.path, text, checkpoint.line, own_blocks=sound_blocks(text)), writer)
    return () if draft is None else (draft,)


def _first_rolled_back(written: list[EventRecord]) -> RolledBack:
    return RolledBack(tuple(mark_in(body_of(record, DocumentWritten.KIND)) for record in written), (), (), (), ())


def marks_in(drafts: Iterable[EventDraft]) -> list[DocumentMark]:
    """The documents that these drafts write."""
    return [mark_in(draft.body) for draft in drafts if draft.kind == DocumentWritten.KIND]


def mark_in(body: Mapping[str, Any]) -> DocumentMark:
    return DocumentMark(body["path"], body["revision"], body["sha256"])
