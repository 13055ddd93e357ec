"""Runs of which somebody else makes the answer: what passes through us is on the tape and in memory all the same."""

from palyra.core import limits
from palyra.core.errors import AlreadyExists, NotFound, PalyraError
from palyra.core.ids import RunId
from palyra.core.redact import redact_text
from palyra.domain.chat.conversation import Usage
from palyra.domain.chat.session import RunOrigin, RunState, Session, TapeType
from palyra.domain.chat.transcript import auto_title
from palyra.domain.journal import Actor
from palyra.domain.scope import Visibility
from palyra.services.chat.engine import check_message
from palyra.services.chat.parts import NewMessage
from palyra.services.chat.remember import remember_message
from palyra.services.memory.context import Memory
from palyra.services.sessions import lifecycle
from palyra.services.sessions.context import Sessions
from palyra.services.sessions.runs import Move, Payload, append, begin, last_records


class Exchanges:
    def __init__(self, sessions: Sessions, memory: Memory) -> None:
        self._sessions = sessions
        self._memory = memory
        self._open: dict[RunId, Session] = {}

    async def begin(
        self, caller: Visibility, actor: Actor, session_key: str, user_text: str, model: str
    ) -> RunId | None:
        """None: there is nothing to record."""
        if not user_text.strip():
            return None
        message = check_message(NewMessage(_clipped(user_text)))
        session = await self._session(caller, actor, session_key)
        payload: Payload = {"text": message.text}
        if len(user_text.encode("utf-8", "surrogatepass")) > limits.MESSAGE_BYTES:
            payload["cut"] = True
        if actor is not Actor.USER:
            payload["actor"] = actor.value
        begun = await begin(self._sessions, session, actor, payload, RunOrigin.PROXY)
        await append(self._sessions, session, begun.run_id, actor, (), Move(RunState.IN_PROGRESS, model))
        self._open[begun.run_id] = session
        if not session.title and (title := auto_title(message.text)):
            await lifecycle.rename(self._sessions, session.session_id, caller, Actor.SYSTEM, title, by_hand=False)
        await remember_message(self._memory, session, begun.event_id, message.text, actor)
        return begun.run_id

    async def finish(self, run_id: RunId, text: str, usage: Usage, error: PalyraError | None) -> None:
        session = self._open.get(run_id)
        if session is None:
            return
        records: list[tuple[TapeType, Payload]] = []
        if text or error is None:
            shown = redact_text(text).text
            stop = "end" if error is None else "failed"
            records += last_records(shown, 0, stop, complete=error is None)
        if error is not None:
            notice = {"code": error.code, "message": redact_text(error.message).text}
            records.append((TapeType.NOTICE, notice))
        state = RunState.DONE if error is None else RunState.FAILED
        move = Move(state, usage=usage, error_code="" if error is None else error.code)
        await append(self._sessions, session, run_id, Actor.AGENT, records, move)
        self._open.pop(run_id, None)

    async def _session(self, caller: Visibility, actor: Actor, key: str) -> Session:
        try:
            return await lifecycle.get(self._sessions, key, caller)
        except NotFound:
            pass
        try:
            return await lifecycle.create(self._sessions, caller, actor, key)
        except AlreadyExists:  # somebody was faster
            return await lifecycle.get(self._sessions, key, caller)


def _clipped(text: str) -> str:
    """Agents send whole files as messages; the tape keeps their beginning."""
    return text.encode("utf-8", "replace")[: limits.MESSAGE_BYTES].decode("utf-8", "ignore")
