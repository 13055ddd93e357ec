"""Asking a model one question and reading all of its answer: for those who work with it, not for a conversation."""

import asyncio
from contextlib import aclosing

from palyra.core.errors import FailedPrecondition, TooLarge
from palyra.domain.chat.conversation import ChatRequest, Message, Stopped, Text, TextDelta
from palyra.ports import ChatModel


async def ask(model: ChatModel, text: str) -> str:
    """A PalyraError if it cannot read that much, cannot be reached, or does not come to an end."""
    info = model.info
    tokens = await asyncio.to_thread(model.count_tokens, text)
    if tokens + info.max_output_tokens > info.window_tokens:
        raise TooLarge(
            f"the conversation is about {tokens} tokens, and its window holds {info.window_tokens}",
            hint="it is done without the model",
        )
    request = ChatRequest("", (Message("user", (Text(text),)),), max_output_tokens=info.max_output_tokens)
    pieces: list[str] = []
    async with aclosing(model.stream(request)) as events:
        async for event in events:
            match event:
                case TextDelta(text=piece):
                    pieces.append(piece)
                case Stopped(reason=reason) if reason != "end":
                    raise FailedPrecondition(f"its answer ended early ({reason})", hint="it is done without the model")
                case _:
                    pass  # there are no tools to call
    return "".join(pieces)
