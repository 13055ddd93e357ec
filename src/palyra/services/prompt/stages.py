"""The recipe of a prompt: STAGES, in order. Each reads the context and returns its part, and changes nothing.

Whatever leaves for a model passes the redactor here, once for each text.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import TypeAlias

from palyra.core import limits
from palyra.core.hashing import canonical_text
from palyra.core.ids import RunId
from palyra.core.redact import redact_memory_text_for_output as redact
from palyra.domain.chat.conversation import Image, Message, Part, Text, ToolAnswer, ToolCall
from palyra.domain.chat.fence import LABEL_CHARS, FenceKind, fence, stable_boundary
from palyra.domain.prompt import IMAGE_TOKENS, MESSAGE_TOKENS, PromptPart, Unit, turns_room
from palyra.domain.prompt.question import flat
from palyra.domain.prompt.report import LeftOut, PartKind, Source, Why
from palyra.domain.recall import shorten
from palyra.services.prompt.context import AttachedText, HistoryTurn, OlderTurns, PromptContext
from palyra.services.prompt.instructions import INSTRUCTIONS
from palyra.services.prompt.recalled import build_memory_augmented_prompt
from palyra.services.prompt.standing import fenced, owners_instructions

Stage: TypeAlias = Callable[[PromptContext], Awaitable[PromptPart | None]]

_CHARS_PER_TOKEN = 8
"""more than any text has on average: what is longer is cut before it is read"""
_FENCE_TOKENS = 128
"""about what a fence costs by itself"""
_CUTS = 3
_SECRET_CHARS = 8_192
"""read beyond a cut, so that a secret on the edge is still recognised"""


async def instructions(ctx: PromptContext) -> PromptPart:
    text = INSTRUCTIONS
    if added := redact(ctx.instructions).strip():
        text = f"{INSTRUCTIONS}\n{added}\n"
    for document in ctx.documents:
        if document.has_authority:
            text = f"{text}\n{owners_instructions(document.text)}"
    return PromptPart(PartKind.INSTRUCTIONS, (Unit(text, ctx.count(text) + MESSAGE_TOKENS),), required=True)


async def preferences(ctx: PromptContext) -> PromptPart | None:
    if not ctx.preferences:
        return None
    ids = " ".join(one.memory_id for one in ctx.preferences)
    source = Source("preferences", ids, f"{len(ctx.preferences)} preferences")
    text = fenced(ctx.preferences)
    return PromptPart(PartKind.PREFERENCES, (Unit(text, ctx.count(text), source),))


async def documents(ctx: PromptContext) -> PromptPart | None:
    """Workspace documents that are bound to the prompt."""
    if not ctx.documents:
        return None
    units: list[Unit] = []
    left_out: list[LeftOut] = []
    for document in ctx.documents:
        if document.has_authority:
            continue
        name, trust = _label(document.name), document.trust.label
        source = Source("document", name, trust=trust)
        if document.quarantined:
            left_out.append(LeftOut(source, Why.QUARANTINED))
            continue
        text = redact(document.text)
        fenced = fence(FenceKind.DOCUMENT, text, stable_boundary(text), name=name, trust=trust)
        units.append(Unit(fenced, ctx.count(fenced), source))
    return PromptPart(PartKind.DOCUMENTS, tuple(units), left_out=tuple(left_out))


def _label(text: str) -> str:
    """A name as it may stand in the prompt and in the report."""
    return flat(redact(text[:_SECRET_CHARS]))[:LABEL_CHARS]


async def compaction(ctx: PromptContext) -> PromptPart | None:
    """Its fence has to stay the same from turn to turn."""
    text = redact(ctx.compaction)
    if not text.strip():
        return None
    told = fence(FenceKind.COMPACTION, text, stable_boundary(text))
    return PromptPart(PartKind.COMPACTION, (Unit(told, ctx.count(told)),))


async def references(ctx: PromptContext) -> PromptPart | None:
    if not ctx.references:
        return None
    units: list[Unit] = []
    for reference in ctx.references:
        name, trust = _label(reference.label), reference.trust.label
        fenced = fence(
            FenceKind.REFERENCE,
            redact(reference.text),
            ctx.boundary,
            kind=reference.kind,
            name=name,
            trust=trust,
            warnings=_label("; ".join(reference.warnings)),
        )
        units.append(Unit(fenced, ctx.count(fenced), Source("reference", name, reference.kind, trust)))
    return PromptPart(PartKind.REFERENCES, tuple(units))


async def build_provider_image_inputs(ctx: PromptContext) -> PromptPart | None:
    if not ctx.images:
        return None
    units: list[Unit] = []
    left_out: list[LeftOut] = []
    room = limits.IMAGES_BYTES
    for given in ctx.images:
        source, size = Source("attachment", given.attachment_id), len(given.image.data)
        if not ctx.info.takes_images:
            left_out.append(LeftOut(source, Why.UNSUPPORTED, IMAGE_TOKENS))
        elif len(units) == limits.IMAGES or size > min(room, limits.IMAGE_BYTES):
            left_out.append(LeftOut(source, Why.LIMIT, IMAGE_TOKENS))
        else:
            units.append(Unit(given.image, IMAGE_TOKENS, source))
            room -= size
    return PromptPart(PartKind.IMAGES, tuple(units), left_out=tuple(left_out))


async def attachments(ctx: PromptContext) -> PromptPart | None:
    """Together at most half the window, so that the conversation they are asked about still has room."""
    if not ctx.attachments:
        return None
    share = max(2 * _FENCE_TOKENS, ctx.window.budget_tokens // (2 * len(ctx.attachments)))

    def units() -> tuple[Unit, ...]:
        return tuple(_attached(ctx, given, share) for given in ctx.attachments)

    return PromptPart(PartKind.ATTACHMENTS, await asyncio.to_thread(units))


def _attached(ctx: PromptContext, given: AttachedText, max_tokens: int) -> Unit:
    most = max_tokens * _CHARS_PER_TOKEN
    readable = redact(given.text[: most + _SECRET_CHARS])[:most]
    name, trust = _label(given.name), given.trust.label
    room = max_tokens
    for _ in range(_CUTS):
        text = shorten(readable, room)
        cut = "only its beginning" if text is not readable or len(given.text) > most else ""
        fenced = fence(FenceKind.ATTACHMENT, text, ctx.boundary, name=name, trust=trust, warnings=cut)
        tokens = ctx.count(fenced)
        if tokens <= max_tokens:
            break
        # Escaping makes text longer, most of all markup: less of it, by as much as it is over.
        room = max(1, room * max_tokens // (tokens + _FENCE_TOKENS))
    return Unit(fenced, tokens, Source("attachment", given.attachment_id, name, trust), cut=bool(cut))


async def recent_turns(ctx: PromptContext) -> PromptPart | None:
    if not ctx.history and ctx.older is None:
        return None
    return await asyncio.to_thread(_turns, ctx)


def _turns(ctx: PromptContext) -> PromptPart:
    """The newest, as many as there is room for; what is pinned stays, however old. Counted only as far as it fits."""
    units: list[Unit] = []
    older: list[HistoryTurn] = []
    room = turns_room(ctx.window, ctx.turns_percent)
    tokens = characters = 0
    for turn in reversed(ctx.history):
        if tokens > room and not turn.pinned:
            older.append(turn)
            continue
        messages = tuple(map(_clean, turn.messages))
        size = sum(_message_tokens(ctx, message) for message in messages)
        tokens += size
        characters += _characters(turn)
        if tokens > room and not turn.pinned:
            older.append(turn)
        else:
            units.append(Unit(messages, size, Source("run", turn.run_id), pinned=turn.pinned))
    share = tokens / max(1, characters)
    return PromptPart(PartKind.TURNS, tuple(reversed(units)), left_out=_older(ctx.older, older, share))


def _older(unread: OlderTurns | None, turns: list[HistoryTurn], share: float) -> tuple[LeftOut, ...]:
    """`share`: tokens for a character, about."""
    found = unread or OlderTurns(turns[-1].run_id if turns else RunId(""), 0, 0)
    tokens, count = found.tokens + int(share * sum(map(_characters, turns))), found.count + len(turns)
    return (LeftOut(Source("run", found.run_id), Why.BUDGET, tokens, count),) if count else ()


def _characters(turn: HistoryTurn) -> int:
    return sum(len(part.text) for message in turn.messages for part in message.parts if isinstance(part, Text))


def _clean(message: Message) -> Message:
    return replace(message, parts=tuple(map(_clean_part, message.parts)))


def _clean_part(part: Part) -> Part:
    match part:
        case Text(text):
            return Text(redact(text))
        case ToolCall(call_id, name, arguments):
            return ToolCall(call_id, name, redact(arguments))
        case ToolAnswer(call_id, text, is_error):
            return ToolAnswer(call_id, redact(text), is_error)
        case Image():
            return part


def _message_tokens(ctx: PromptContext, message: Message) -> int:
    tokens = MESSAGE_TOKENS
    for part in message.parts:
        match part:
            case Text(text):
                tokens += ctx.count(text)
            case ToolCall(_, name, arguments):
                tokens += MESSAGE_TOKENS + ctx.count(name) + ctx.count(arguments)
            case ToolAnswer(_, text):
                tokens += MESSAGE_TOKENS + ctx.count(text)
            case Image():
                tokens += IMAGE_TOKENS
    return tokens


async def message(ctx: PromptContext) -> PromptPart:
    """The question, in the form in which it will stand in the history. When it is asked stands before it."""
    question = redact(ctx.question)
    asked_at = datetime.fromtimestamp(ctx.asked_at_ms / 1000, UTC)
    opening = f"It is {asked_at:%A %Y-%m-%d %H:%M} UTC. The person says:\n"
    return PromptPart(
        PartKind.MESSAGE,
        (Unit(question, ctx.count(question) + MESSAGE_TOKENS),),
        required=True,
        opening=opening,
        frame_tokens=ctx.count(opening),
    )


async def tools(ctx: PromptContext) -> PromptPart | None:
    if not ctx.tools:
        return None
    if not ctx.info.takes_tools:
        gone = [LeftOut(Source("tool", tool.name), Why.UNSUPPORTED) for tool in ctx.tools]
        return PromptPart(PartKind.TOOLS, left_out=tuple(gone))
    units = [
        Unit(
            tool,
            MESSAGE_TOKENS
            + ctx.count(tool.name)
            + ctx.count(tool.description)
            + ctx.count(canonical_text(tool.parameters)),
            Source("tool", tool.name),
        )
        for tool in ctx.tools
    ]
    return PromptPart(PartKind.TOOLS, tuple(units))


STAGES: tuple[Stage, ...] = (
    instructions,
    preferences,
    documents,
    compaction,
    build_memory_augmented_prompt,
    references,
    build_provider_image_inputs,
    attachments,
    recent_turns,
    message,
    tools,
)
