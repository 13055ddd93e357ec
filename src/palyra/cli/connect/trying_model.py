"""Says one thing to a model, in a memory of its own that is thrown away: nothing of anybody's is sent along."""

import tempfile
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from palyra.core.errors import InvalidArgument, PalyraError
from palyra.settings import EmbeddingSettings, ExternalSettings, Settings, WorkspaceSettings

if TYPE_CHECKING:
    from palyra.wire.chat import StreamLine

_FACT = "The test word of this connection is heron."
_QUESTION = "What is the test word of this connection? Answer in one short sentence."
_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Answered:
    text: str
    seconds: float
    memories: int
    """that it was given"""
    takes_tools: bool

    def __str__(self) -> str:
        given = f"it was given {self.memories} {'memory' if self.memories == 1 else 'memories'}"
        tools = "" if self.takes_tools else "; it takes no tools, so none are offered to it"
        return f"{given}, and answered in {self.seconds:.1f} s: “{' '.join(self.text.split())[:300]}”{tools}"


def check_model(settings: Settings) -> None:
    """Raises what is wrong with the settings themselves. Sends nothing."""
    from palyra.api import chat as api
    from palyra.client.local import LocalClient
    from palyra.wire.chat import CreateSession, GetModel

    with tempfile.TemporaryDirectory(prefix="palyra-connect-") as folder:
        client = LocalClient(_apart(settings, folder))
        client.call_now(api.create, CreateSession())  # where nothing was ever written there is nothing to ask
        client.call_now(api.model, GetModel())


def try_model(settings: Settings) -> Answered:
    """A whole turn: memory, prompt, tools, stream. Raises whatever it ended with."""
    try:
        return _turn(settings)
    except InvalidArgument as error:
        if "tool" not in error.message.lower() or not settings.models.takes_tools:
            raise
        return _turn(replace(settings, models=replace(settings.models, takes_tools=False)))


def _turn(settings: Settings) -> Answered:
    from palyra.api import chat, memory
    from palyra.cli.chat.turn import to_error
    from palyra.client.chat import AnswerText
    from palyra.client.local import LocalClient
    from palyra.wire.chat import SendMessage
    from palyra.wire.memory import Retain

    lines: list[StreamLine] = []
    with tempfile.TemporaryDirectory(prefix="palyra-connect-") as folder:
        client = LocalClient(_apart(settings, folder))
        client.call_now(memory.retain, Retain(text=_FACT))
        begun = time.monotonic()
        client.stream_now(chat.send, SendMessage(session="connect", text=_QUESTION, create=True), lines.append)
    failed: PalyraError | None = next((to_error(line.error) for line in lines if line.error), None)
    if failed is not None:
        raise type(failed)(failed.message, hint="nothing was changed; check --base-url, --key-file and --model")
    answer = AnswerText()
    given = [one for line in lines if line.event == "injection" for one in line.data.get("memories", ())]
    text = "".join(answer.take(line) for line in lines)
    return Answered(text, time.monotonic() - begun, len(given), settings.models.takes_tools)


def _apart(settings: Settings, folder: str) -> Settings:
    """The same models, and nothing of what is remembered here."""
    models = settings.models
    return replace(
        settings,
        daemon=replace(settings.daemon, data_dir=folder),
        journal=replace(settings.journal, checkpoint_file=""),
        memory=replace(
            settings.memory, embeddings=EmbeddingSettings(provider="hash"), external=ExternalSettings(), encoder="off"
        ),
        models=replace(models, max_retries=0, timeout_seconds=min(models.timeout_seconds, _SECONDS)),
        workspace=WorkspaceSettings(sync_files=False),
        learning=replace(settings.learning, enabled=False),
    )
