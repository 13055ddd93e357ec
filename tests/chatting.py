"""What tests of conversations share: an app with a model, a caller, and short ways to say and hear something."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from palyra.api import chat as api
from palyra.api import dispatch
from palyra.api.call import Call, Caller, owner
from palyra.app import App
from palyra.core.ids import RunId
from palyra.domain.access import Access
from palyra.wire import chat as wire
from palyra.wire.chat import StreamLine
from support import an_app

ANA = "user:ana"


class Chat:
    """One caller's way to the app, with nothing between but the gate."""

    def __init__(self, app: App, caller: Caller) -> None:
        self.app = app
        self.call = Call(app, caller)

    def as_(self, caller: Caller) -> "Chat":
        return Chat(self.app, caller)

    async def new(self, key: str | None = None, **more: Any) -> str:
        made = await dispatch.run(self.call, api.create, wire.CreateSession(key=key, **more))
        return made.session_id

    def lines(self, session: str, text: str, **more: Any) -> AsyncIterator[StreamLine]:
        return dispatch.stream(self.call, api.send, wire.SendMessage(session=session, text=text, **more))

    async def say(self, session: str, text: str, **more: Any) -> "Heard":
        return Heard([line async for line in self.lines(session, text, **more)])

    async def tell(self, session: str, text: str, **more: Any) -> "Heard":
        """Says it, and waits until it was read."""
        heard = await self.say(session, text, **more)
        await self.app.turns.wait([RunId(heard.run_id)], 20)
        return heard

    async def follow(self, run_id: str, after_seq: int = 0) -> "Heard":
        request = wire.FollowRun(run_id=run_id, after_seq=after_seq)
        return Heard([line async for line in dispatch.stream(self.call, api.follow, request)])

    async def do(self, operation: Any, **fields: Any) -> Any:
        return await dispatch.run(self.call, operation, operation.request(**fields))


class Heard:
    """A stream that came to its end."""

    def __init__(self, lines: Sequence[StreamLine]) -> None:
        self.lines = list(lines)
        self.run_id = self.lines[0].run_id
        self.state = self.lines[-1].state

    @property
    def answer(self) -> str:
        return text_of(self.lines)

    @property
    def error(self) -> dict[str, Any] | None:
        return next((line.error for line in self.lines if line.type == "error"), None)

    def events(self, name: str) -> list[dict[str, Any]]:
        return [line.data for line in self.lines if line.event == name]

    @property
    def notices(self) -> list[str]:
        return [data["code"] for data in self.events("notice")]


def text_of(lines: Sequence[StreamLine]) -> str:
    """The last answer, put together as a client would: by offset, each character once."""
    text, ended = "", False
    for line in lines:
        if line.event in ("preview", "assistant_text", "assistant_message"):
            text = "" if ended else text
            offset = line.data["offset"]
            assert offset <= len(text), "a piece is missing"
            text = text[:offset] + line.data["text"] + text[offset + len(line.data["text"]) :]
            ended = line.event == "assistant_message"
    return text


@asynccontextmanager
async def a_chat(root: Path, **settings: str) -> AsyncIterator[Chat]:
    """With the offline model and the small hash embeddings, unless the settings say otherwise."""
    environ = {"PALYRA_MEMORY_EMBEDDINGS_PROVIDER": "hash", **settings}
    async with an_app(root / "data", None, Access.OWN, **environ) as app:
        yield Chat(app, owner(ANA))


def with_provider(url: str, **more: str) -> dict[str, str]:
    """Settings for a scripted provider."""
    return {
        "PALYRA_MODELS_PROVIDER": "openai",
        "PALYRA_MODELS_BASE_URL": url,
        "PALYRA_MODELS_MODEL": "scripted",
        **more,
    }
