"""A daemon with a scripted model's server behind it, and the official clients in front."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anthropic
import httpx2
import openai
import pytest

from palyra.app import App
from palyra.core.errors import Exhausted, PalyraError
from palyra.core.ids import RunId
from palyra.domain.chat.conversation import Usage
from palyra.domain.journal import Actor
from palyra.domain.scope import Visibility
from palyra.services.chat.exchanges import ConversationKey
from providers.models.scripted_provider import Provider, scripted_provider
from transports.http.support import EVERYDAY, WAIT_SECONDS, Serving, serving

FACT = "Ana's favourite tea is Darjeeling, second flush."
QUESTION = "Which tea is Ana's favourite?"


@dataclass
class Exchange:
    caller: Visibility
    actor: Actor
    place: ConversationKey
    user_text: str
    model: str
    ends: list[tuple[str, Usage, PalyraError | None]] = field(default_factory=list)

    @property
    def text(self) -> str:
        [(text, _, _)] = self.ends
        return text

    @property
    def error(self) -> PalyraError | None:
        [(_, _, error)] = self.ends
        return error


@dataclass
class Tape:
    """What would be recorded."""

    runs: list[Exchange] = field(default_factory=list)
    """of the test that looks at them"""
    by_id: dict[str, Exchange] = field(default_factory=dict)
    is_full: bool = False

    async def begin(
        self, caller: Visibility, actor: Actor, place: ConversationKey, user_text: str, model: str
    ) -> RunId | None:
        if self.is_full:
            raise Exhausted("the disk is full", hint="make room")
        run_id = RunId(secrets.token_hex(4))
        self.by_id[run_id] = Exchange(caller, actor, place, user_text, model)
        self.runs.append(self.by_id[run_id])
        return run_id

    async def finish(self, run_id: RunId, text: str, usage: Usage, error: PalyraError | None) -> None:
        self.by_id[run_id].ends.append((text, usage, error))

    def is_over(self) -> bool:
        return bool(self.runs) and all(run.ends for run in self.runs)


@dataclass
class Bench:
    served: Serving
    provider: Provider
    tape: Tape
    key: str
    """of the model's server"""
    token: str = ""

    def __post_init__(self) -> None:
        self.token = self.served.token()

    def fresh(self) -> "Bench":
        """For the next test."""
        self.provider.asked.clear()
        self.provider.queue.clear()
        self.tape.runs.clear()
        self.tape.is_full = False
        return self

    def remember(self, text: str = FACT, token: str | None = None, **more: Any) -> None:
        answer = self.served.client(token or self.token).post("/v1/memory/items", json={"text": text, **more})
        assert answer.status_code == 200, answer.text

    def http(self, token: str | None = None, **headers: str) -> httpx2.Client:
        return self.served.client(self.token if token is None else token, **headers)

    def openai(self, token: str | None = None, **headers: str) -> openai.OpenAI:
        return openai.OpenAI(
            api_key=token or self.token,
            base_url=f"{self.served.url}/v1",
            max_retries=0,
            timeout=WAIT_SECONDS,
            default_headers=headers,
            http_client=self.served.client(),
        )

    def anthropic(self, token: str | None = None, **headers: str) -> anthropic.Anthropic:
        return anthropic.Anthropic(
            api_key=token or self.token,
            base_url=self.served.url,
            max_retries=0,
            timeout=WAIT_SECONDS,
            default_headers=headers,
            http_client=self.served.client(),
        )


@contextmanager
def bench(root: Path, provider_name: str, patch: pytest.MonkeyPatch | None, **settings: str) -> Iterator[Bench]:
    """`patch`: to look at what is recorded; with None it is recorded as always."""
    tape, key = Tape(), secrets.token_urlsafe(24)
    if patch is not None:
        patch.setattr(App, "exchanges", property(lambda _app: tape))
    with scripted_provider() as provider:
        chosen: dict[str, Any] = {"PALYRA_MODELS_PROVIDER": provider_name, **settings}
        if provider_name != "offline":
            url = provider.url if provider_name == "openai" else provider.url.removesuffix("/v1")
            chosen = {"PALYRA_MODELS_BASE_URL": url, "PALYRA_MODELS_MODEL": "m", "PALYRA_MODELS_API_KEY": key, **chosen}
        with serving(root, drain_seconds=1, **chosen) as served:
            yield Bench(served, provider, tape, key)


def memory_header(answer: httpx2.Response) -> tuple[bool, bool]:
    """Whether there was memory in it, and whether it is recorded."""
    injected, recorded = answer.headers["x-palyra-memory"].split("; ")
    return injected != "injected=0", recorded == "recorded=yes"


def only_text(message: dict[str, Any]) -> str:
    content = message["content"]
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


__all__ = ["EVERYDAY", "FACT", "QUESTION", "Bench", "Exchange", "Tape", "bench", "memory_header", "only_text"]
