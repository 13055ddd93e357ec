"""Runs of which somebody else makes the answer: what passes through us is on the tape, and read, all the same."""

from dataclasses import dataclass

from palyra.core import limits
from palyra.core.errors import PalyraError
from palyra.core.ids import RunId
from palyra.core.redact import redact_text
from palyra.domain.chat.conversation import Usage
from palyra.domain.chat.session import RunOrigin, RunState, TapeType
from palyra.domain.chat.session_events import RunCreated
from palyra.domain.journal import Actor, Decision, draft_of_event
from palyra.domain.scope import Visibility
from palyra.services.chat.engine import check_message
from palyra.services.chat.parts import NewMessage
from palyra.services.sessions import lifecycle
from palyra.services.sessions.context import Sessions, TapePlace, new_session_id, origin_in
from palyra.services.sessions.runs import Move, Payload, append, last_records, move_drafts, record_draft
from palyra.store.connection import ReadTx
from palyra.store.sessions.records import newest_named

SILENCE_MS = 6 * 3_600_000
"""after which the same first words begin another conversation"""


@dataclass(frozen=True, slots=True)
class ConversationKey:
    """Which one a turn belongs to: the client has named it, or it goes by who speaks and how it began."""

    key: str
    is_named: bool = True

    def key_at(self, tx: ReadTx, caller: Visibility, now_ms: int) -> str:
        if self.is_named:
            return self.key
        last = newest_named(tx, self.key, caller)
        if last is None:
            return self.key
        if now_ms - last.active_at_ms < SILENCE_MS and not last.archived:
            return last.key
        number = int(last.key.removeprefix(self.key).lstrip(".") or 1)
        return f"{self.key}.{number + 1}"


class Exchanges:
    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions
        self._open: dict[RunId, TapePlace] = {}

    async def begin(
        self, caller: Visibility, actor: Actor, place: ConversationKey, user_text: str, model: str
    ) -> RunId | None:
        """In one commit: somebody waits for the first byte of an answer. None: there is nothing to record."""
        if not user_text.strip():
            return None
        sessions = self._sessions
        message = check_message(NewMessage(_clipped(user_text)))
        payload: Payload = {"text": message.text}
        if len(user_text.encode("utf-8", "surrogatepass")) > limits.MESSAGE_BYTES:
            payload["cut"] = True
        if actor is not Actor.USER:
            payload["actor"] = actor.value
        now_ms, session_id = sessions.clock.now_ms(), new_session_id(sessions)
        run_id = RunId(sessions.store.ids.next(now_ms))

        def decide(tx: ReadTx) -> Decision[TapePlace]:
            key = place.key_at(tx, caller, now_ms)
            session, there, made = lifecycle.found_or_made(tx, key, caller, actor, session_id)
            where = origin_in(there, actor, run_id)
            created = RunCreated(run_id, there.session_id, RunState.ACCEPTED.value, RunOrigin.PROXY.value)
            drafts = [
                *made,
                draft_of_event(created, where),
                record_draft(there, run_id, actor, TapeType.USER_MESSAGE, payload),
                *move_drafts(sessions, there, run_id, Move(RunState.IN_PROGRESS, model)),
            ]
            drafts += lifecycle.title_drafts(session, there, message.text)
            return Decision(tuple(drafts), there)

        self._open[run_id] = (await sessions.journal.commit(decide)).outcome
        return run_id

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


def _clipped(text: str) -> str:
    """Agents send whole files as messages; the tape keeps their beginning."""
    return text.encode("utf-8", "replace")[: limits.MESSAGE_BYTES].decode("utf-8", "ignore")
