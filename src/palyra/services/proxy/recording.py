"""Both sides of a conversation that passes through, onto the tape.

A turn may take several requests: a model asks for tools, the client runs them and sends everything again. It is one
run on the tape, begun with what the person said and ended with the answer that asks for no more tools.
"""

import logging
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from palyra.core.errors import Cancelled, PalyraError
from palyra.core.hashing import sha256
from palyra.core.ids import RunId
from palyra.core.redact import redact_text
from palyra.domain.chat.conversation import Usage
from palyra.domain.journal import Actor
from palyra.domain.scope import Visibility
from palyra.services.chat.exchanges import ConversationKey
from palyra.services.proxy.asked import LastSaid
from palyra.services.proxy.heard import TEXT_CHARS, AnswerListener

log = logging.getLogger("palyra.proxy")

HELD_SECONDS = 600.0
"""for a client to come back with what its tools brought"""
HELD_RUNS = 1_024


class RecordsExchanges(Protocol):
    """Runs of which somebody else makes the answer."""

    async def begin(
        self, caller: Visibility, actor: Actor, place: ConversationKey, user_text: str, model: str
    ) -> RunId | None:
        """None: nothing is recorded of it."""

    async def finish(self, run_id: RunId, text: str, usage: Usage, error: PalyraError | None) -> None: ...


@dataclass(frozen=True, slots=True)
class RecordedTurn:
    caller: Visibility
    actor: Actor
    place: ConversationKey
    asked: LastSaid
    model: str

    @property
    def identity(self) -> tuple[Visibility, ConversationKey, int, bytes]:
        """The same for every request of one turn."""
        return self.caller, self.place, self.asked.place, sha256(self.asked.text.encode())


@dataclass(slots=True)
class Recording:
    run_id: RunId
    turn: RecordedTurn
    texts: list[str] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)
    held_at: float = 0.0

    def add(self, heard: AnswerListener) -> None:
        text = heard.text[: max(0, TEXT_CHARS - sum(map(len, self.texts)))]
        if text:
            self.texts.append(text)
        self.usage = self.usage.plus(heard.usage)


class Recorder:
    """A tape that cannot be written to stops nobody's conversation; the log says so."""

    def __init__(self, exchanges: RecordsExchanges, now: Callable[[], float] = time.monotonic) -> None:
        self._exchanges = exchanges
        self._now = now
        self._held: OrderedDict[tuple[Visibility, ConversationKey, int, bytes], Recording] = OrderedDict()
        """runs whose client is busy with tools; the oldest first"""

    async def begin(self, turn: RecordedTurn) -> Recording | None:
        """The run this request belongs to; None if nothing of it is recorded."""
        held = self._held.pop(turn.identity, None)
        if not turn.asked.is_new:
            return held
        if held is not None:
            await self._give_up(held)
        try:
            run_id = await self._exchanges.begin(turn.caller, turn.actor, turn.place, turn.asked.text, turn.model)
        except Exception as error:  # noqa: BLE001 - ours, and not the conversation's
            _say("a conversation is not recorded", error)
            return None
        return None if run_id is None else Recording(run_id, turn)

    async def end(self, recording: Recording, heard: AnswerListener, error: PalyraError | None) -> None:
        """After an answer, however it ended."""
        recording.add(heard)
        if error is not None or not heard.wants_tools:
            await self._finish(recording, error)
            return
        if (other := self._held.pop(recording.turn.identity, None)) is not None:
            await self._give_up(other)  # the same at the same time: nobody could tell whose results come next
        recording.held_at = self._now()
        self._held[recording.turn.identity] = recording
        while len(self._held) > HELD_RUNS:
            await self._give_up(self._held.popitem(last=False)[1])

    async def give_up_old(self) -> None:
        """Ends the runs whose client has not come back for too long."""
        while self._held:
            oldest = next(iter(self._held.values()))
            if oldest.held_at > self._now() - HELD_SECONDS:
                return
            self._held.popitem(last=False)
            await self._give_up(oldest)

    async def close(self) -> None:
        while self._held:
            await self._give_up(self._held.popitem()[1])

    async def _give_up(self, recording: Recording) -> None:
        await self._finish(recording, Cancelled("its tools were called, and nobody came back with what they brought"))

    async def _finish(self, recording: Recording, error: PalyraError | None) -> None:
        try:
            await self._exchanges.finish(recording.run_id, "\n\n".join(recording.texts), recording.usage, error)
        except Exception as failure:  # noqa: BLE001 - ours, and not the conversation's
            _say(f"the end of run {recording.run_id} is not recorded", failure)


def _say(what: str, error: Exception) -> None:
    if isinstance(error, PalyraError):
        log.warning("%s: %s", what, redact_text(error.message).text)
    else:
        log.error("%s", what, exc_info=error)
