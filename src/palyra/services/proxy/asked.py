"""A client's request as far as memory is concerned: what the person said last, and how to add a block behind it.

Only the values on the way to that one text are taken apart; all others stay the bytes they were, so numbers, unknown
fields and images cannot change. A request that is not understood has nothing asked and passes as it came.
"""

import json
import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeVar

import msgspec

from palyra.core.errors import InvalidArgument

T = TypeVar("T")
Fields = dict[str, msgspec.Raw]


class ProxyProtocol(StrEnum):
    """A protocol: where its conversation is, and what a piece of text in it is called."""

    CHAT = "chat"
    RESPONSES = "responses"
    MESSAGES = "messages"

    @property
    def conversation(self) -> str:
        return "input" if self is ProxyProtocol.RESPONSES else "messages"

    @property
    def part_type(self) -> str:
        return "input_text" if self is ProxyProtocol.RESPONSES else "text"

    @property
    def told_first(self) -> str | None:
        """The field of what a model is told before the conversation; None: that stands in the conversation itself."""
        return {ProxyProtocol.RESPONSES: "instructions", ProxyProtocol.MESSAGES: "system", ProxyProtocol.CHAT: None}[
            self
        ]


INSTRUCTIONS = ("system", "developer")
"""roles of what a model is told first"""
_BY_A_MODEL_OR_TOOL = frozenset({"assistant", "tool", "function"})
_TEXT_PARTS = frozenset({"text", "input_text"})
_HALF = re.compile(rb"\\u[dD][89a-fA-F]")
_UNREADABLE = (msgspec.MsgspecError, RecursionError, UnicodeDecodeError)


@dataclass(frozen=True, slots=True)
class LastSaid:
    """What a person said last. Results of tools are not said by anybody."""

    text: str
    place: int
    """of its message in the conversation"""
    is_new: bool
    """nothing but instructions follows; else a model is being given the results of its tools"""
    first: str = field(default="", compare=False)
    """what a person said first: by it a conversation is known that has no name"""


@dataclass(frozen=True, slots=True)
class ProxyRequest:
    dialect: ProxyProtocol
    body: bytes
    fields: Fields
    asked: LastSaid | None

    def field(self, name: str, kind: type[T], default: T) -> T:
        """A field of the request, if it is there and of that kind."""
        raw = self.fields.get(name)
        try:
            return default if raw is None else msgspec.json.decode(raw, type=kind)
        except _UNREADABLE:
            return default

    def with_memory(self, standing: str, block: str) -> bytes:
        """The same request with `standing` as the last of what a model is told first, and `block` after what was asked;
        either may be empty. The client's own bytes before each of them stay as they were."""
        fields = self.fields
        if block and self.asked is not None:
            fields = _with_block(fields, self.dialect, self.asked.place, f"\n\n{block}")
        if standing and self.asked is not None:
            with suppress(*_UNREADABLE):  # what it is told first is no text: that is for the model's server to say
                fields = _with_standing(fields, self.dialect, standing)
        return self.body if fields is self.fields else msgspec.json.encode(fields)


def read_request(dialect: ProxyProtocol, body: bytes) -> ProxyRequest:
    """InvalidArgument for what is no JSON object; whether it means anything is for the model's server to say."""
    try:
        fields = msgspec.json.decode(body, type=Fields)
    except _UNREADABLE as error:
        if _is_object(body):
            return ProxyRequest(dialect, body, {}, None)
        raise InvalidArgument(f"the body is not a JSON object: {error}", hint="send JSON in UTF-8") from None
    try:
        asked = _asked(dialect, fields)
    except _UNREADABLE:
        asked = None
    return ProxyRequest(dialect, body, fields, asked)


def _is_object(body: bytes) -> bool:
    """With half of a surrogate pair in it, which is no text, but which clients write when they cut one short."""
    if not _HALF.search(body):
        return False
    try:
        return isinstance(json.loads(body), dict)
    except (ValueError, RecursionError):
        return False


def _asked(dialect: ProxyProtocol, fields: Fields) -> LastSaid | None:
    conversation = fields.get(dialect.conversation)
    if conversation is None:
        return None
    if _is_text(conversation) and dialect is ProxyProtocol.RESPONSES:
        text = msgspec.json.decode(conversation, type=str)
        return LastSaid(text, 0, is_new=True, first=text) if text.strip() else None
    messages = msgspec.json.decode(conversation, type=list[msgspec.Raw])
    is_new = True
    for place in range(len(messages) - 1, -1, -1):
        message = msgspec.json.decode(messages[place], type=Fields)
        if _text_of(message, "type", "message") != "message":
            is_new = False  # a call, its result, or a model's reasoning
            continue
        role = _text_of(message, "role", "")
        if role != "user":
            is_new = is_new and role not in _BY_A_MODEL_OR_TOOL
            continue
        text, has_results = _said(message.get("content"))
        if text.strip() and not has_results:
            return LastSaid(text, place, is_new, _first_said(messages[:place]) or text)
        is_new = is_new and not has_results
    return None


def _first_said(messages: list[msgspec.Raw]) -> str:
    for raw in messages:
        message = msgspec.json.decode(raw, type=Fields)
        if _text_of(message, "role", "") == "user":
            text, has_results = _said(message.get("content"))
            if text.strip() and not has_results:
                return text
    return ""


def _said(content: msgspec.Raw | None) -> tuple[str, bool]:
    """The text of a message, and whether it brings results of tools, which Anthropic has the user bring."""
    if content is None:
        return "", False
    if _is_text(content):
        return msgspec.json.decode(content, type=str), False
    parts = [msgspec.json.decode(part, type=Fields) for part in msgspec.json.decode(content, type=list[msgspec.Raw])]
    return "\n".join(_texts(parts)), any(_text_of(part, "type", "") == "tool_result" for part in parts)


def _texts(parts: Iterable[Fields]) -> Iterable[str]:
    return (_text_of(part, "text", "") for part in parts if _text_of(part, "type", "") in _TEXT_PARTS)


def _text_of(fields: Fields, name: str, default: str) -> str:
    raw = fields.get(name)
    value: Any = default if raw is None else msgspec.json.decode(raw)
    return value if isinstance(value, str) else default


def _is_text(raw: msgspec.Raw) -> bool:
    return bytes(raw).lstrip()[:1] == b'"'


def _with_block(fields: Fields, dialect: ProxyProtocol, place: int, addition: str) -> Fields:
    conversation = fields[dialect.conversation]
    if _is_text(conversation):
        return _with(fields, dialect.conversation, _longer(conversation, addition))
    messages = msgspec.json.decode(conversation, type=list[msgspec.Raw])
    message = msgspec.json.decode(messages[place], type=Fields)
    longer = _with_text(message["content"], addition, dialect.part_type)
    messages[place] = _raw(_with(message, "content", longer))
    return _with(fields, dialect.conversation, _raw(messages))


def _with_standing(fields: Fields, dialect: ProxyProtocol, text: str) -> Fields:
    """A request that cannot be told anything first stays as it was."""
    name = dialect.told_first
    if name is not None:
        told = fields.get(name)
        if told is None or bytes(told).strip() == b"null":
            return _with(fields, name, _raw(text))
        return _with(fields, name, _with_text(told, f"\n\n{text}", "text"))
    messages = msgspec.json.decode(fields[dialect.conversation], type=list[msgspec.Raw])
    roles = [_text_of(msgspec.json.decode(one, type=Fields), "role", "") for one in messages]
    first = next((n for n, role in enumerate(roles) if role not in INSTRUCTIONS), len(roles))
    message = {"role": roles[first - 1] if first else INSTRUCTIONS[0], "content": text}
    return _with(fields, dialect.conversation, _raw([*messages[:first], message, *messages[first:]]))


def _with_text(content: msgspec.Raw, addition: str, part_type: str) -> msgspec.Raw:
    """Text, or parts, with more at the end."""
    if _is_text(content):
        return _longer(content, addition)
    return _raw([*msgspec.json.decode(content, type=list[msgspec.Raw]), {"type": part_type, "text": addition}])


def _longer(text: msgspec.Raw, addition: str) -> msgspec.Raw:
    """A JSON string with more at its end; what was there keeps its spelling."""
    return msgspec.Raw(bytes(text).strip()[:-1] + msgspec.json.encode(addition)[1:])


def _with(fields: Fields, name: str, value: msgspec.Raw) -> Fields:
    return {**fields, name: value}


def _raw(value: object) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode(value))
