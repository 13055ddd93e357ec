"""The model that ships: no key, no network, always the same answer. It quotes memory, see `offline_answer.py`."""

import asyncio
import re
from collections.abc import AsyncGenerator

from palyra.core.tokens import estimate_tokens
from palyra.domain.chat.conversation import (
    ChatEvent,
    ChatRequest,
    Message,
    Stopped,
    StopReason,
    Text,
    TextDelta,
    ToolAnswer,
    Usage,
)
from palyra.ports import ModelHealth, ModelInfo
from palyra.providers.models.dialect import check
from palyra.providers.models.offline_answer import answer_to

EARLIER_MESSAGES = 20
MESSAGE_CHARS = 2_000
"""of a long message the beginning is read"""
_WORD = re.compile(r"\s*\S+")
_FENCED = re.compile(r'\s*<[a-z_]+ boundary="')
_FILES = re.compile(r'(?m)^<(?:attachment|reference) boundary="')


class OfflineModel:
    def __init__(self, window_tokens: int = 128_000, max_output_tokens: int = 4_096) -> None:
        self.info = ModelInfo(
            "offline", "offline", window_tokens, max_output_tokens, takes_images=False, takes_tools=False
        )
        self.health = ModelHealth("closed", 0, "", None)

    def count_tokens(self, text: str) -> int:
        return estimate_tokens(text)

    def stream(self, request: ChatRequest) -> AsyncGenerator[ChatEvent, None]:
        check(request, self.info)
        return self._stream(request)

    async def close(self) -> None:
        """Nothing is open."""

    async def _stream(self, request: ChatRequest) -> AsyncGenerator[ChatEvent, None]:
        *before, last = request.messages
        earlier = [
            words for message in before[-EARLIER_MESSAGES:] if message.role == "user" and (words := _words(message))
        ]
        fenced = [part.text for part in last.parts if isinstance(part, Text) and _FENCED.match(part.text)]
        said = answer_to(_words(last), request.facts, earlier, has_files=any(map(_FILES.search, fenced)))
        output_tokens = 0
        reason: StopReason = "end"
        for word in _WORD.findall(said):
            cost = estimate_tokens(word)
            if output_tokens + cost > min(request.max_output_tokens, self.info.max_output_tokens):
                reason = "length"
                break
            output_tokens += cost
            yield TextDelta(word)
            await asyncio.sleep(0)  # others have their turn, and whoever wants to stop this can
        yield Stopped(reason, Usage(_input_tokens(request), output_tokens))


def _words(message: Message) -> str:
    """What the person wrote: the last text. What stands before it, in fences, was put there by the prompt."""
    texts = [part.text for part in message.parts if isinstance(part, Text)]
    return texts[-1][:MESSAGE_CHARS].strip() if texts and not _FENCED.match(texts[-1]) else ""


def _input_tokens(request: ChatRequest) -> int:
    parts = (part for message in request.messages for part in message.parts)
    texts = (part.text for part in parts if isinstance(part, Text | ToolAnswer))
    return estimate_tokens(request.system) + sum(map(estimate_tokens, texts))
