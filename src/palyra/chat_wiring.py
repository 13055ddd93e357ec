"""Puts a chat together: which model, which tools, and where references and attachments are read."""

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from palyra.core.clock import Clock
from palyra.core.errors import FailedPrecondition, InvalidArgument, NotFound, PermissionDenied
from palyra.core.ids import is_ulid
from palyra.domain.access import Capability
from palyra.domain.chat.references import NamedText, PreviewOfReferences
from palyra.domain.chat.session import Session
from palyra.domain.chat.transcript import messages
from palyra.domain.chat.transcript_files import to_markdown
from palyra.domain.journal import Actor
from palyra.domain.memory import ItemFilter, Trust
from palyra.domain.scope import Visibility
from palyra.ports import ChatModel, ModelInfo, ToolRun
from palyra.providers.models.table import build_model
from palyra.providers.references.files import ReferenceFiles
from palyra.providers.references.git import GitDiffs
from palyra.providers.references.web import WebPages
from palyra.services.attachments import build_provider_image_inputs, load
from palyra.services.chat.engine import ChatEngine
from palyra.services.chat.parts import Attached, ChatParts, ChatPolicy
from palyra.services.memory import lifecycle as memories
from palyra.services.memory import search as searching
from palyra.services.memory.context import Memory
from palyra.services.prompt.context import AttachedText, ImageInput, PromptDocument
from palyra.services.prompt.counting import TokenCounter
from palyra.services.references import ReferenceSources, preview_context_references
from palyra.services.sessions import transcripts
from palyra.services.sessions.context import Sessions
from palyra.services.workspace.context import Workspace
from palyra.services.workspace.prompting import prompt_documents
from palyra.services.workspace.reading import read as read_document
from palyra.services.workspace.sync import read_files
from palyra.settings import Settings
from palyra.store.connection import ReadTx
from palyra.store.continuity.records import conversation_at, fetch_checkpoint, line_of, named_checkpoint
from palyra.store.sessions.records import fetch_session, tape_of
from palyra.tools.box import ToolBox

_SESSION_ENTRIES = 200
_TAGGED = 20
_LOOK_SECONDS = 2.0


def reference_roots(settings: Settings) -> tuple[Path, ...]:
    return tuple(
        Path(name.strip()).expanduser() for name in settings.workspace.reference_roots.split(":") if name.strip()
    )


def build_chat(
    settings: Settings, sessions: Sessions, memory: Memory, workspace: Workspace, model: ChatModel, clock: Clock
) -> ChatEngine:
    roots, closed = reference_roots(settings), [settings.data_dir]  # keys lie there, and everybody's memory
    sources = reference_sources(roots, closed, sessions, memory, workspace)
    without_files = replace(sources, files=None, git=None)

    async def references(text: str, caller: Visibility, may_read: bool) -> PreviewOfReferences:
        # The folders are the owner's, as they are for tools.
        found = sources if caller.principal == settings.memory.default_principal else without_files
        if not may_read:
            found = replace(found, named=None, memory=None)
        return await preview_context_references(text, found, caller)

    async def attachments(ids: Sequence[str], caller: Visibility, info: ModelInfo) -> Attached:
        return await _attached(sessions, ids, caller, info)

    chat, inject = settings.chat, settings.memory
    policy = ChatPolicy(
        chat.instructions,
        chat.max_tool_rounds,
        chat.approval_minutes * 60_000,
        inject.auto_inject_enabled,
        inject.auto_inject_max_items,
        chat.turns_percent,
    )
    files = ReferenceFiles(roots, closed) if roots else None
    tools = _Boxes(ToolBox(memory, files), ToolBox(memory, None), inject.default_principal)
    count = TokenCounter(model.count_tokens)
    documents = _Documents(workspace)
    return ChatEngine(
        ChatParts(sessions, memory, model, count, tools, references, documents, attachments, policy, clock)
    )


class _Documents:
    """What a person saves is in the next prompt; the folder is looked at no more than every two seconds."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._looked: dict[str, float] = {}

    async def __call__(self, session: Session) -> tuple[PromptDocument, ...]:
        caller = Visibility(session.principal)
        if time.monotonic() - self._looked.get(session.principal, -_LOOK_SECONDS) >= _LOOK_SECONDS:
            self._looked[session.principal] = time.monotonic()
            await read_files(self._workspace, caller)
        found = await self._workspace.store.db.read(lambda tx: prompt_documents(tx, caller, line_of(tx, session)))
        return tuple(PromptDocument(one.path, one.text, one.trust, one.quarantined, one.has_authority) for one in found)


class _Boxes:
    """The folders are the owner's: whoever else talks to this daemon has no files."""

    def __init__(self, with_files: ToolBox, without: ToolBox, owner: str) -> None:
        self._with_files, self._without, self._owner = with_files, without, owner

    def for_run(
        self, caller: Visibility, actor: Actor, capabilities: frozenset[Capability], provenance: tuple[str, ...]
    ) -> ToolRun:
        box = self._with_files if caller.principal == self._owner else self._without
        return box.for_run(caller, actor, capabilities, provenance)


def make_model(settings: Settings, clock: Clock) -> ChatModel:
    return build_model(settings.models, clock)


def reference_sources(
    roots: Sequence[Path], closed: Sequence[Path], sessions: Sessions, memory: Memory, workspace: Workspace
) -> ReferenceSources:
    async def named(name: str, caller: Visibility) -> NamedText | None:
        """A document, a memory tag, a session, or a checkpoint, in this order."""
        return (
            await _document_text(workspace, name, caller)
            or await _tagged(memory, name, caller)
            or await _session_text(sessions, name, caller)
            or await _checkpoint_text(sessions, name, caller)
        )

    async def remembered(target: str, caller: Visibility) -> NamedText | None:
        return await _remembered(memory, target, caller)

    return ReferenceSources(ReferenceFiles(roots, closed), GitDiffs(roots, closed), WebPages(), named, remembered)


async def _attached(sessions: Sessions, ids: Sequence[str], caller: Visibility, info: ModelInfo) -> Attached:
    loaded = [await load(sessions.store, one, caller) for one in dict.fromkeys(ids)]
    images, refused = build_provider_image_inputs(loaded, info)
    files = [one.attachment for one in loaded]
    return Attached(
        tuple(AttachedText(file.attachment_id, file.name, file.text) for file in files if file.text),
        tuple(ImageInput(image.attachment_id, image.image) for image in images),
        tuple((file.attachment_id, file.name, file.media_type) for file in files),
        refused,
    )


async def _document_text(workspace: Workspace, name: str, caller: Visibility) -> NamedText | None:
    """By its path, with or without the ending. Of the main line: what a branch has of its own is in its prompt."""
    path = name if name.endswith(".md") else f"{name}.md"
    try:
        found = await read_document(workspace, path, caller)
    except (NotFound, InvalidArgument):
        return None
    one = found.revision
    if one.deleted or one.text is None:
        return None
    if not found.may_be_injected:
        raise FailedPrecondition(f"{path} is quarantined", hint=f"read it, then palyra workspace release {path}")
    return NamedText(path, one.text, f"document {path} r{one.revision}", Trust(one.trust))


async def _checkpoint_text(sessions: Sessions, name: str, caller: Visibility) -> NamedText | None:
    """What had been said by then."""

    def read(tx: ReadTx) -> tuple[str, str] | None:
        found = fetch_checkpoint(tx, name, caller) or named_checkpoint(tx, name, caller)
        if found is None:
            return None
        session = fetch_session(tx, found.session_id, caller)
        if session is None:
            return None
        runs = conversation_at(tx, found, _SESSION_ENTRIES)
        records = [one for one in tape_of(tx, runs) if one.seq <= found.tape_seq] if runs else []
        return found.name or found.checkpoint_id, to_markdown(session, messages(records))

    found = await sessions.store.db.read(read)
    return None if found is None else NamedText(found[0], found[1], f"checkpoint {found[0]}", Trust.TOOL)


async def _tagged(memory: Memory, tag: str, caller: Visibility) -> NamedText | None:
    items = await memories.list_(memory, caller, ItemFilter(tags=(tag,)), "", _TAGGED, newest_first=True)
    if not items:
        return None
    text = "\n".join(f"- {item.text}" for item in items)
    return NamedText(tag, text, f"memories tagged {tag}", max(item.trust for item in items))


async def _session_text(sessions: Sessions, name: str, caller: Visibility) -> NamedText | None:
    try:
        page = await transcripts.read_page(sessions, name, caller, 0, _SESSION_ENTRIES)
    except (NotFound, PermissionDenied):  # whose it is, is nobody else's business
        return None
    text = to_markdown(page.session, messages(page.entries))
    # An assistant's words, and whatever its tools have brought.
    return NamedText(page.session.title or page.session.key, text, f"session {page.session.session_id}", Trust.TOOL)


async def _remembered(memory: Memory, target: str, caller: Visibility) -> NamedText | None:
    """By id, else the best that is found."""
    if is_ulid(target):
        try:
            item = (await memories.get(memory, target, caller)).item
        except (NotFound, PermissionDenied):
            return None
    else:
        found = await searching.search(memory, searching.SearchRequest(target, top_k=1), caller)
        if not found.hits:
            return None
        item = found.hits[0].item
    return NamedText(f"memory {item.memory_id}", item.text, f"memory {item.memory_id}", item.trust)
