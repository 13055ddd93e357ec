"""What an answer says, read while it passes: its text, what it cost, whether it asks for tools.

Nothing here may stop an answer: what cannot be read is not heard, and has passed all the same.
"""

from collections.abc import Callable
from typing import Any

import msgspec

from palyra.domain.chat.conversation import Usage
from palyra.services.proxy.asked import ProxyProtocol

TEXT_CHARS = 250_000
"""more of an answer is not kept"""
_CLIENTS_CALLS = frozenset(
    {"function_call", "custom_tool_call", "computer_call", "local_shell_call", "shell_call", "apply_patch_call"}
)


class AnswerListener:
    def __init__(self, dialect: ProxyProtocol) -> None:
        self._hear: Callable[[AnswerListener, Any], None] = _HEARERS[dialect]
        self._texts: list[str] = []
        self._chars = 0
        self.usage = Usage()
        self.wants_tools = False
        """the client is to run tools, and come back with what they brought"""
        self.failed = False
        """the model's server broke off and said so"""
        self.is_over = False
        """a stream has said how the answer ends; one that only stops is no whole answer"""

    @property
    def text(self) -> str:
        return "".join(self._texts)

    def line(self, line: bytes) -> None:
        """One line of an event stream."""
        name, _, data = line.partition(b":")
        if name.strip() == b"data":
            self.whole(data)

    def whole(self, body: bytes) -> None:
        try:
            value = msgspec.json.decode(body)
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
            return
        if _at(value, "error") is not None:
            self.failed = True
        self._hear(self, value)

    def add(self, text: object) -> None:
        if isinstance(text, str) and self._chars < TEXT_CHARS:
            self._texts.append(text[: TEXT_CHARS - self._chars])
            self._chars += len(text)

    def count(self, usage: Any, read: str, written: str, *cached: str) -> None:
        """Later numbers stand in for earlier ones, where they are given."""
        if isinstance(usage, dict):
            self.usage = Usage(
                _number(_at(usage, read), self.usage.input_tokens),
                _number(_at(usage, written), self.usage.output_tokens),
                _number(_at(usage, *cached), self.usage.cached_tokens),
            )


def _hear_chat(heard: AnswerListener, value: Any) -> None:
    heard.count(_at(value, "usage"), "prompt_tokens", "completion_tokens", "prompt_tokens_details", "cached_tokens")
    for choice in _list(_at(value, "choices")):
        if _at(choice, "index") not in (0, None):
            continue
        heard.add(_at(choice, "delta", "content"))
        heard.add(_at(choice, "message", "content"))
        heard.wants_tools |= _at(choice, "finish_reason") in ("tool_calls", "function_call")
        heard.is_over |= _at(choice, "finish_reason") is not None


def _hear_responses(heard: AnswerListener, value: Any) -> None:
    match _at(value, "type"):
        case "response.output_text.delta":
            heard.add(_at(value, "delta"))
        case "response.output_item.done":
            heard.wants_tools |= _at(value, "item", "type") in _CLIENTS_CALLS
        case "response.completed" | "response.incomplete" | "response.failed" as kind:
            heard.failed |= kind == "response.failed"
            heard.is_over = True
            _count_responses(heard, _at(value, "response", "usage"))
        case "error":
            heard.failed = True
        case None:
            _count_responses(heard, _at(value, "usage"))
            for item in _list(_at(value, "output")):
                heard.wants_tools |= _at(item, "type") in _CLIENTS_CALLS
                for part in _list(_at(item, "content")):
                    heard.add(_at(part, "text") if _at(part, "type") == "output_text" else None)


def _count_responses(heard: AnswerListener, usage: Any) -> None:
    heard.count(usage, "input_tokens", "output_tokens", "input_tokens_details", "cached_tokens")


def _hear_messages(heard: AnswerListener, value: Any) -> None:
    match _at(value, "type"):
        case "message_start":
            _count_messages(heard, _at(value, "message", "usage"))
        case "content_block_delta":
            heard.add(_at(value, "delta", "text") if _at(value, "delta", "type") == "text_delta" else None)
        case "message_delta":
            _count_messages(heard, _at(value, "usage"))
            heard.wants_tools |= _at(value, "delta", "stop_reason") == "tool_use"
            heard.is_over |= _at(value, "delta", "stop_reason") is not None
        case "message":
            _count_messages(heard, _at(value, "usage"))
            heard.wants_tools |= _at(value, "stop_reason") == "tool_use"
            for block in _list(_at(value, "content")):
                heard.add(_at(block, "text") if _at(block, "type") == "text" else None)
        case "error":
            heard.failed = True


def _count_messages(heard: AnswerListener, usage: Any) -> None:
    """Anthropic counts what it had seen before apart from the rest of the input."""
    if _at(usage, "input_tokens") is not None:
        parts = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
        usage = {**usage, "input_tokens": sum(_number(_at(usage, part), 0) for part in parts)}
    heard.count(usage, "input_tokens", "output_tokens", "cache_read_input_tokens")


_HEARERS: dict[ProxyProtocol, Callable[[AnswerListener, Any], None]] = {
    ProxyProtocol.CHAT: _hear_chat,
    ProxyProtocol.RESPONSES: _hear_responses,
    ProxyProtocol.MESSAGES: _hear_messages,
}


def _at(value: Any, *path: str) -> Any:
    for name in path:
        if not isinstance(value, dict):
            return None
        value = value.get(name)
    return value


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _number(value: Any, default: int) -> int:
    return value if type(value) is int and 0 <= value < 1 << 40 else default
