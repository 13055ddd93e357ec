"""A prompt is made of parts, parts of units: the smallest things that are kept or left out as a whole.

`assemble` is pure. It fits the parts into one budget of tokens, the important ones first, and puts them where a
provider's cache can use them:

    system         instructions, preferences, documents, compaction: what changes rarely
    turns          oldest first, each exactly as it was sent before
    last message   memory, references, attachments, images: what is found anew each time; at its end the question

The context of the last message is not repeated in later prompts, so a turn's bytes never change once it is history.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from palyra.core.errors import TooLarge
from palyra.core.hashing import Json, canonical_text, sha256
from palyra.domain.chat.conversation import (
    ChatRequest,
    Image,
    Message,
    Part,
    PromptFact,
    Text,
    ToolAnswer,
    ToolCall,
    ToolSpec,
)
from palyra.domain.prompt.report import (
    MOST_LEFT_OUT,
    AssemblyReport,
    KeptSource,
    LeftOut,
    PartKind,
    PartReport,
    Source,
    Why,
)

MESSAGE_TOKENS = 4
"""what a message costs besides its words: who speaks, where it ends"""
IMAGE_TOKENS = 5_400
"""a bound for one image: 2,048 x 2,048 pixels in patches of 28, as the dearest of the common models count"""

Turn: TypeAlias = tuple[Message, ...]
Content: TypeAlias = str | Turn | Image | ToolSpec
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Unit:
    content: Content
    tokens: int
    source: Source | None = None
    fact: PromptFact | None = None
    cut: bool = False
    pinned: bool = False
    """of turns: it stays while there is room for it, however old"""


@dataclass(frozen=True, slots=True)
class PromptPart:
    kind: PartKind
    units: tuple[Unit, ...] = ()
    """best first, but for turns: oldest first"""
    required: bool = False
    opening: str = ""
    """stands before the units, and `closing` after them, if any of them is kept"""
    closing: str = ""
    frame_tokens: int = 0
    """of opening and closing"""
    left_out: tuple[LeftOut, ...] = ()
    """by whoever prepared it"""
    degraded: tuple[str, ...] = ()


PRIORITY: tuple[PartKind, ...] = (
    PartKind.INSTRUCTIONS,
    PartKind.MESSAGE,
    PartKind.TOOLS,
    PartKind.PREFERENCES,
    PartKind.DOCUMENTS,
    PartKind.COMPACTION,
    PartKind.MEMORY,
    PartKind.REFERENCES,
    PartKind.IMAGES,
    PartKind.ATTACHMENTS,
    PartKind.TURNS,
)
"""Who gets room first. Turns come last because they take all there is; each of the others is bounded."""

_SYSTEM = (PartKind.INSTRUCTIONS, PartKind.PREFERENCES, PartKind.DOCUMENTS, PartKind.COMPACTION)
_CONTEXT = (PartKind.MEMORY, PartKind.REFERENCES, PartKind.ATTACHMENTS)


@dataclass(frozen=True, slots=True)
class ModelWindow:
    provider: str
    model: str
    window_tokens: int
    max_output_tokens: int

    @property
    def margin_tokens(self) -> int:
        return self.window_tokens // 50 + 64

    @property
    def budget_tokens(self) -> int:
        """for the whole prompt; not above 0 if the answer alone fills the window"""
        return self.window_tokens - self.max_output_tokens - self.margin_tokens


def turns_room(window: ModelWindow, percent: int) -> int:
    """How many tokens the turns before the question may take."""
    return max(0, window.budget_tokens) * percent // 100


@dataclass(frozen=True, slots=True)
class Assembled:
    request: ChatRequest
    report: AssemblyReport


@dataclass(frozen=True, slots=True)
class _Fitted:
    """A part with what is kept of it."""

    part: PromptPart
    units: tuple[Unit, ...]
    left_out: tuple[LeftOut, ...]

    @property
    def tokens(self) -> int:
        return _tokens(self.part, self.units)

    @property
    def words(self) -> str:
        return "".join(unit.content for unit in self.units if isinstance(unit.content, str))

    @property
    def text(self) -> str:
        return self.part.opening + self.words + self.part.closing if self.units else ""


def assemble(parts: Sequence[PromptPart], window: ModelWindow) -> Assembled:
    """The request and its report. TooLarge if what is required does not fit.

    At most one part of each kind; the message is always there."""
    fitted = _fit(parts, window)
    found = {entry.part.kind: entry for entry in fitted}

    def text(kinds: Iterable[PartKind]) -> str:
        return "".join(found[kind].text for kind in kinds if kind in found)

    def contents(kind: PartKind, wanted: type[T]) -> tuple[T, ...]:
        units = found[kind].units if kind in found else ()
        return tuple(unit.content for unit in units if isinstance(unit.content, wanted))

    before: list[Message] = []
    if PartKind.TURNS in found:
        before = [message for unit in found[PartKind.TURNS].units for message in _messages(unit)]
    question = found[PartKind.MESSAGE]
    context = text(_CONTEXT) + question.part.opening
    last: list[Part] = [Text(context)] if context else []
    last += contents(PartKind.IMAGES, Image)
    if question.words:
        last.append(Text(question.words))  # by itself, as it will stand in the history
    request = ChatRequest(
        system=text(_SYSTEM),
        messages=(*before, Message("user", tuple(last))),
        tools=contents(PartKind.TOOLS, ToolSpec),
        max_output_tokens=window.max_output_tokens,
        facts=tuple(unit.fact for entry in fitted for unit in entry.units if unit.fact is not None),
    )
    return Assembled(request, _report(fitted, request, window))


def _fit(parts: Sequence[PromptPart], window: ModelWindow) -> list[_Fitted]:
    required = sum(_tokens(part, part.units) for part in parts if part.required)
    free = window.budget_tokens - required
    if free < 0:
        raise TooLarge(
            f"instructions and message take {required} tokens; the window of {window.model or window.provider} leaves"
            f" {max(0, window.budget_tokens)} of {window.window_tokens}",
            hint="write less or attach it as a file, or set models.window_tokens and models.max_output_tokens"
            " to what the model has",
            required_tokens=required,
            budget_tokens=window.budget_tokens,
            window_tokens=window.window_tokens,
        )
    fitted: dict[PartKind, _Fitted] = {}
    for part in sorted(parts, key=lambda part: PRIORITY.index(part.kind)):
        if part.required:
            fitted[part.kind] = _Fitted(part, part.units, part.left_out)
            continue
        kept = _newest(part, free) if part.kind is PartKind.TURNS else _best(part, free)
        free -= _tokens(part, kept)
        fitted[part.kind] = _Fitted(part, kept, part.left_out + _over_budget(part, kept))
    return [fitted[part.kind] for part in parts]


def _tokens(part: PromptPart, units: Sequence[Unit]) -> int:
    return part.frame_tokens + sum(unit.tokens for unit in units) if units else 0


def _best(part: PromptPart, free: int) -> tuple[Unit, ...]:
    """One that does not fit gives way to the next."""
    kept: list[Unit] = []
    free -= part.frame_tokens
    for unit in part.units:
        if unit.tokens <= free:
            kept.append(unit)
            free -= unit.tokens
    return tuple(kept)


def _newest(part: PromptPart, free: int) -> tuple[Unit, ...]:
    """Without a gap, but for what a person has pinned: an answer to what is not there would mislead."""
    kept: set[int] = set()
    for at in reversed(range(len(part.units))):
        if part.units[at].pinned and part.units[at].tokens <= free:
            kept.add(at)
            free -= part.units[at].tokens
    for at in reversed(range(len(part.units))):
        if at in kept:
            continue
        if part.units[at].tokens > free:
            break
        kept.add(at)
        free -= part.units[at].tokens
    return tuple(unit for at, unit in enumerate(part.units) if at in kept)


def _over_budget(part: PromptPart, kept: Sequence[Unit]) -> tuple[LeftOut, ...]:
    places = set(map(id, kept))
    gone = [unit for unit in part.units if id(unit) not in places]
    return tuple(LeftOut(unit.source, Why.BUDGET, unit.tokens) for unit in gone)


def _messages(unit: Unit) -> Turn:
    return unit.content if isinstance(unit.content, tuple) else ()


def _report(fitted: Sequence[_Fitted], request: ChatRequest, window: ModelWindow) -> AssemblyReport:
    parts = tuple(map(_part_report, fitted))
    # The turns by their hash: they are most of the prompt, and have been read once.
    turns = next((part.sha256 for part in parts if part.kind is PartKind.TURNS), "")
    tools: Json = [_content_json(tool) for tool in request.tools]
    whole = _canonical([request.system, turns, _message_json(request.messages[-1]), tools])
    return AssemblyReport(
        window.provider,
        window.model,
        window.window_tokens,
        window.max_output_tokens,
        window.margin_tokens,
        sum(entry.tokens for entry in fitted),
        sha256(whole).hex(),
        parts,
        tuple(dict.fromkeys(name for entry in fitted for name in entry.part.degraded)),
    )


def _part_report(entry: _Fitted) -> PartReport:
    kept = tuple(KeptSource(unit.source, unit.tokens, unit.cut) for unit in entry.units if unit.source is not None)
    text = entry.text
    shown = text.encode("utf-8", "surrogatepass") if text else _canonical(_contents_json(entry.units))
    return PartReport(
        entry.part.kind,
        entry.tokens,
        len(entry.units),
        sha256(shown).hex() if entry.units else "",
        kept,
        _counted(entry.left_out),
    )


def _counted(left_out: tuple[LeftOut, ...]) -> tuple[LeftOut, ...]:
    rest = left_out[MOST_LEFT_OUT:]
    if not rest:
        return left_out
    total = sum(one.count for one in rest)
    return (*left_out[:MOST_LEFT_OUT], LeftOut(None, rest[0].why, sum(one.tokens for one in rest), total))


def _canonical(value: Json) -> bytes:
    return canonical_text(value).encode("utf-8", "surrogatepass")


def _contents_json(units: Sequence[Unit]) -> Json:
    return [_content_json(unit.content) for unit in units]


def _message_json(message: Message) -> Json:
    return [message.role, [_spoken_json(part) for part in message.parts]]


def _spoken_json(part: Part) -> Json:
    match part:
        case Text(text):
            return text
        case Image():
            return _content_json(part)
        case ToolCall(call_id, name, arguments):
            return ["call", call_id, name, arguments]
        case ToolAnswer(call_id, text, is_error):
            return ["answer", call_id, text, is_error]


def _content_json(content: Content) -> Json:
    match content:
        case str():
            return content
        case Image(media_type, data):
            return ["image", media_type, sha256(data).hex()]
        case ToolSpec(name, description, parameters):
            return ["tool", name, description, parameters]
        case _:
            return [_message_json(message) for message in content]
