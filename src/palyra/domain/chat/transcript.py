"""A conversation as people and models read it: from the tape to messages, and on to the turns of a prompt.

Pure: the same records always give the same bytes. Texts are redacted here, after their pieces are joined: a secret that
was streamed in two halves is one again only now.
"""

import json
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from palyra.core.hashing import canonical_json
from palyra.core.redact import redact_memory_text_for_output, redact_payload_json
from palyra.core.text import normalise
from palyra.domain.chat.conversation import Message, Part, Text, ToolAnswer, ToolCall
from palyra.domain.chat.fence import FenceKind, fence, stable_boundary
from palyra.domain.chat.session import TapeRecord, TapeType
from palyra.language.wrappings import own_text

ERASED = "[erased]"
NO_RESULT = "no result"
TITLE_CHARS = 60


class TranscriptKind(StrEnum):
    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    """instructions of a client whose conversation was handed over"""
    TOOL = "tool"
    """a call: what was proposed, what was decided about it, what came back"""
    INJECTION = "injection"
    REFERENCE = "reference"
    ATTACHMENT = "attachment"
    PROMPT_REPORT = "prompt_report"
    NOTICE = "notice"
    ERASED = "erased"
    """nobody can tell any more what it was"""


class Wholeness(StrEnum):
    COMPLETE = "complete"
    PARTIAL = "partial"
    """an answer that was cut off, a call without a result"""
    ERASED = "erased"
    """all of it, or a piece"""


@dataclass(frozen=True, slots=True)
class TranscriptMessage:
    kind: TranscriptKind
    run_id: str
    seq: int
    """of its first record; it stands in this order"""
    last_seq: int
    event_ids: tuple[str, ...]
    at_ms: int
    text: str
    """what was said; of a call: what came back"""
    wholeness: Wholeness
    pinned: bool
    details: dict[str, Any]
    """what else the tape says about it, under the tape's own names"""


# -- from the tape


_KINDS = {
    TapeType.USER_MESSAGE: TranscriptKind.USER,
    TapeType.ASSISTANT_TEXT: TranscriptKind.ASSISTANT,
    TapeType.ASSISTANT_MESSAGE: TranscriptKind.ASSISTANT,
    TapeType.SYSTEM_MESSAGE: TranscriptKind.SYSTEM,
    TapeType.TOOL_PROPOSAL: TranscriptKind.TOOL,
    TapeType.TOOL_DECISION: TranscriptKind.TOOL,
    TapeType.TOOL_RESULT: TranscriptKind.TOOL,
    TapeType.INJECTION: TranscriptKind.INJECTION,
    TapeType.REFERENCE: TranscriptKind.REFERENCE,
    TapeType.ATTACHMENT: TranscriptKind.ATTACHMENT,
    TapeType.PROMPT_REPORT: TranscriptKind.PROMPT_REPORT,
    TapeType.NOTICE: TranscriptKind.NOTICE,
    TapeType.ERASED: TranscriptKind.ERASED,
}
_NOT_DETAILS = frozenset({"text", "offset", "complete"})


def messages(records: Iterable[TapeRecord], *, to_be_shown: bool = True) -> tuple[TranscriptMessage, ...]:
    """In the order they began. The pieces of an answer are one message, and so is all that belongs to one call.

    Every record was redacted when it was written. For whoever redacts what they make of it (`to_be_shown` is False),
    only what comes in pieces is redacted once more."""
    found: list[_Growing] = []
    answers: dict[str, _Growing] = {}
    """the open one of each run"""
    calls: dict[tuple[str, str], _Growing] = {}
    """the latest of each run under its call id: some models begin to count anew with every round"""
    for record in records:
        call = (record.run_id, str((record.payload or {}).get("call_id")))
        growing: _Growing | None = None
        if record.type in _ANSWERING:
            growing = answers.get(record.run_id)
        elif record.type in (TapeType.TOOL_DECISION, TapeType.TOOL_RESULT):
            growing = calls.get(call)
        if growing is None:
            growing = _Growing(_KINDS[record.type])
            found.append(growing)
        growing.records.append(record)
        if record.type is TapeType.ASSISTANT_TEXT:
            answers[record.run_id] = growing
        elif record.type is TapeType.ASSISTANT_MESSAGE:
            answers.pop(record.run_id, None)
        elif record.type is TapeType.TOOL_PROPOSAL:
            calls[call] = growing
    return tuple(growing.grown(as_written=not to_be_shown and len(growing.records) == 1) for growing in found)


_ANSWERING = frozenset({TapeType.ASSISTANT_TEXT, TapeType.ASSISTANT_MESSAGE, TapeType.ERASED})
"""what can be a piece of an answer once one has begun"""


@dataclass(slots=True)
class _Growing:
    kind: TranscriptKind
    records: list[TapeRecord] = field(default_factory=list)

    def grown(self, *, as_written: bool) -> TranscriptMessage:
        first = self.records[0]
        pieces: list[str] = []
        details: dict[str, Any] = {}
        for record in self.records:
            if record.payload is None:
                pieces.append(ERASED)
                continue
            pieces.append(str(record.payload.get("text", "")))
            details |= {name: value for name, value in record.payload.items() if name not in _NOT_DETAILS}
        wholeness = self._wholeness()
        readable = any(record.payload is not None for record in self.records)
        redacted = details if as_written else redact_payload_json(details)
        text = "".join(pieces) if readable else ""
        return TranscriptMessage(
            self.kind,
            first.run_id,
            first.seq,
            self.records[-1].seq,
            tuple(record.event_id for record in self.records),
            first.at_ms,
            text if as_written else redact_memory_text_for_output(text),
            wholeness,
            any(record.pinned for record in self.records),
            redacted if isinstance(redacted, dict) else {},
        )

    def _wholeness(self) -> Wholeness:
        if any(record.payload is None for record in self.records):
            return Wholeness.ERASED
        last = self.records[-1]
        match self.kind:
            case TranscriptKind.ASSISTANT:
                ended = last.type is TapeType.ASSISTANT_MESSAGE and (last.payload or {}).get("complete") is True
            case TranscriptKind.TOOL:
                ended = any(record.type is TapeType.TOOL_RESULT for record in self.records)
            case _:
                ended = True
        return Wholeness.COMPLETE if ended else Wholeness.PARTIAL


# -- to a prompt


@dataclass(slots=True)
class _Turn:
    """One message of the model: text, and calls with the answers to them."""

    text: str = ""
    calls: list[TranscriptMessage] = field(default_factory=list)


def history_messages(records: Iterable[TapeRecord]) -> tuple[Message, ...]:
    """What one run contributes to later prompts. Every call has its answer, as all providers demand; of a run that
    failed there is what had arrived; of one that was erased, nothing."""
    said: list[Message] = []
    used: set[str] = set()
    turn = _Turn()
    for message in messages(records):
        if message.kind in (TranscriptKind.USER, TranscriptKind.ASSISTANT):
            said += _turn_messages(turn, used)
            turn = _Turn()
        if message.kind is TranscriptKind.USER:
            text = str(message.details.get("clean_text") or message.text)
            said = _with_user(said, text) if text.strip() else said
        elif message.kind is TranscriptKind.ASSISTANT:
            turn.text = message.text if message.text.replace(ERASED, "").strip() else ""
        elif message.kind is TranscriptKind.TOOL and "arguments" in message.details:
            turn.calls.append(message)
    said += _turn_messages(turn, used)
    if said and said[0].role != "user":  # what was asked is gone, but an answer has to follow something
        said.insert(0, Message("user", (Text(ERASED),)))
    return tuple(said)


def _with_user(said: list[Message], text: str) -> list[Message]:
    """Messages that were sent one after the other are one message to a model."""
    if said and said[-1].role == "user":
        return [*said[:-1], Message("user", (*said[-1].parts, Text(text)))]
    return [*said, Message("user", (Text(text),))]


def _turn_messages(turn: _Turn, used: set[str]) -> list[Message]:
    parts: list[Part] = [Text(turn.text)] if turn.text else []
    answers: list[Part] = []
    for call in turn.calls:
        call_id = _unused(_name(call.details.get("call_id")), used)
        parts.append(ToolCall(call_id, _name(call.details.get("name")), _object(str(call.details["arguments"]))))
        answers.append(_answer(call_id, call))
    if not parts:
        return []
    return [Message("assistant", tuple(parts)), *([Message("tool", tuple(answers))] if answers else [])]


_OTHERWISE = re.compile(r"[^A-Za-z0-9_-]")


def _name(given: object) -> str:
    """A model may call for a tool by any name. One that its provider does not take would spoil every later prompt."""
    return _OTHERWISE.sub("_", str(given))[:_NAME_CHARS] or "_"


_NAME_CHARS = 60
"""providers take 64"""


def _object(arguments: str) -> str:
    """The same holds for arguments that are no JSON object."""
    try:
        value = json.loads(arguments)
        canonical_json(value)
    except (ValueError, RecursionError):
        return "{}"
    return arguments if isinstance(value, dict) else "{}"


def _answer(call_id: str, call: TranscriptMessage) -> ToolAnswer:
    if _has_result(call):
        name = str(call.details.get("name", ""))
        return tool_answer(call_id, name, call.text, is_error=call.details["is_error"] is True)
    decision, reason = call.details.get("decision"), call.details.get("reason")
    why = ", ".join(str(word) for word in (decision, reason) if word)
    return ToolAnswer(call_id, f"{NO_RESULT} ({why})" if why else NO_RESULT, is_error=True)


def tool_answer(call_id: str, name: str, text: str, *, is_error: bool) -> ToolAnswer:
    """As a model is given it: fenced like all text from outside, and the same bytes now as in every later prompt."""
    fenced = fence(FenceKind.TOOL_RESULT, text, stable_boundary(text), name=name, trust="tool")
    return ToolAnswer(call_id, fenced, is_error)


def _has_result(call: TranscriptMessage) -> bool:
    return "is_error" in call.details


def _unused(call_id: str, used: set[str]) -> str:
    """Two calls must not share an id: providers refuse the whole prompt."""
    candidate, number = call_id, 1
    while candidate in used:
        number += 1
        candidate = f"{call_id}_{number}"
    used.add(candidate)
    return candidate


# -- titles

_CODE_BLOCK = re.compile(r"^(```|~~~).*?(^\1|\Z)", re.MULTILINE | re.DOTALL)
_CODE_FENCE = re.compile(r"^(?:```|~~~).*", re.MULTILINE)
_LINK = re.compile(r"!?\[([^\]\[]*)\]\([^)\s]*(?:\s[^)]*)?\)")
_LINE_MARKS = re.compile(r"^\s*(?:(?:#{1,6}|[-*+>]|\d{1,3}[.)]|\[[ xX]\])\s+|[-*_=]{3,}\s*$|>)+")
_EMPHASIS = re.compile(r"(\*{1,3}|~~|`+)(?=\S)(.+?)(?<=\S)\1|(?<!\w)(_{1,3})(?=\S)(.+?)(?<=\S)\3(?!\w)")
_TAG = re.compile(r"</?[A-Za-z][^<>]*>|<!--.*?-->")


def auto_title(message: str) -> str:
    """The first line that says something, without Markdown, at most `TITLE_CHARS`, cut between words where there are
    any. Empty when nothing is said."""
    own = own_text(message[:_OWN_CHARS]) or message  # never what a client put around the person's words
    text = redact_memory_text_for_output(normalise(own.lstrip()[: _LOOKED_AT + 256]))[:_LOOKED_AT]
    for candidate in (_CODE_BLOCK.sub("", text), _CODE_FENCE.sub("", text)):
        for line in candidate.split("\n"):
            plain = _TAG.sub("", _LINK.sub(r"\1", _LINE_MARKS.sub("", line)))
            for _ in range(3):  # one in another
                plain = _EMPHASIS.sub(r"\2\4", plain)
            flat = " ".join(plain.split())
            if any(character.isalnum() or ord(character) > 0x2000 for character in flat):
                return _cut(flat)
    return ""


_LOOKED_AT = 2_048
_OWN_CHARS = 20_000


def _cut(flat: str) -> str:
    if len(flat) <= TITLE_CHARS:
        return flat
    end = flat.rfind(" ", TITLE_CHARS // 2, TITLE_CHARS)
    if end < 0:
        end = TITLE_CHARS - 1
        while end > TITLE_CHARS // 2 and _are_one(flat[end - 1], flat[end]):
            end -= 1
    return flat[:end].rstrip(" ,;:.-–—、。，") + "…"


def _are_one(before: str, after: str) -> bool:
    """Whether the two are drawn together: marks, tones of skin, what a joiner joins."""
    return "\u200d" in (before, after) or unicodedata.category(after) in ("Mn", "Mc", "Me", "Sk")
