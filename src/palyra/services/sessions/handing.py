"""Turns that were over before they came to us: onto the tape, each once, whoever hands them over.

A conversation may reach us by several ways at once: a proxy, a hook, a tool of the agent. The same turn is known by its
id, or by its role, its text and which occurrence of that text it is: of two equal ones in a call the first is the first
on the tape and the second the second. Where both times are known they have to agree as well.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from palyra.core import limits
from palyra.core.errors import InvalidArgument, TooLarge
from palyra.core.ids import EventId, RunId, SessionId
from palyra.core.redact import redact_text
from palyra.core.text import has_lone_surrogate, normalise
from palyra.domain.chat.session import RunOrigin, RunState, Session, TapeRecord, TapeType
from palyra.domain.chat.session_events import RunCreated
from palyra.domain.chat.transcript import TranscriptKind, messages
from palyra.domain.ingest import check_name
from palyra.domain.journal import Actor, Decision, EventDraft, draft_of_event
from palyra.domain.scope import Visibility
from palyra.language.statements import Role
from palyra.services.sessions.context import Sessions, TapePlace, new_session_id, origin_in
from palyra.services.sessions.lifecycle import found_or_made, title_drafts
from palyra.services.sessions.runs import Move, Payload, last_records, move_drafts, record_draft
from palyra.store.connection import ReadTx
from palyra.store.sessions.records import conversation_runs, fetch_session, records_since

EARLIEST_MS = 631_152_000_000
"""1990: what is earlier is a clock that was never set"""
_DAY_MS = 86_400_000
_APART_MS = 900_000
"""between when a turn was said and when another way has brought it"""
_SAID = (
    TapeType.USER_MESSAGE,
    TapeType.ASSISTANT_TEXT,
    TapeType.ASSISTANT_MESSAGE,
    TapeType.TOOL_PROPOSAL,
    TapeType.TOOL_RESULT,
    TapeType.SYSTEM_MESSAGE,
)
_ROLES = {
    TranscriptKind.USER: Role.USER,
    TranscriptKind.ASSISTANT: Role.ASSISTANT,
    TranscriptKind.TOOL: Role.TOOL,
    TranscriptKind.SYSTEM: Role.SYSTEM,
}
_SPEAKERS = {Role.ASSISTANT: Actor.AGENT, Role.TOOL: Actor.PLUGIN, Role.SYSTEM: Actor.SYSTEM}


@dataclass(frozen=True, slots=True)
class FinishedTurn:
    role: Role
    text: str
    said_at_ms: int | None = None
    speaker: str = ""
    turn_id: str = ""


@dataclass(frozen=True, slots=True)
class Handed:
    session_id: SessionId
    key: str
    events: tuple[EventId | None, ...]
    """of each turn its record on the tape; None: it was there already"""
    run_ids: tuple[RunId, ...]
    """those in which somebody spoke, to be read"""


async def hand_over(
    sessions: Sessions, name: str, turns: Sequence[FinishedTurn], caller: Visibility, actor: Actor
) -> Handed:
    """All of them or, if one of them cannot be taken, none. A session of that key is made if there is none."""
    checked = _checked(turns, sessions.clock.now_ms())
    new = new_session_id(sessions)
    run_ids = [RunId(sessions.store.ids.next(sessions.clock.now_ms())) for _ in checked]

    def look(tx: ReadTx) -> list[TapeRecord]:
        found = fetch_session(tx, name, caller)
        return [] if found is None else records_since(tx, found.session_id, _SAID, 0)

    seen = await sessions.store.db.read(look)  # a long conversation is not read while others wait to write

    def decide(tx: ReadTx) -> Decision[tuple[SessionId, str, list[int | None], tuple[RunId, ...]]]:
        session, there, drafts = found_or_made(tx, name, caller, actor, new)
        since = records_since(tx, there.session_id, _SAID, seen[-1].seq if seen else 0)
        known = _Known([*seen, *since])
        tape = _Tape(sessions, there, actor, list(drafts), None if session is None else _joinable(tx, session))
        for run_id, turn in zip(run_ids, checked, strict=True):
            tape.add(turn, run_id, is_new=not known.has(turn))
        tape.end()
        first = next((turn.text for turn in checked if turn.role is Role.USER), "")
        drafts = (*tape.drafts, *title_drafts(session, there, first))
        key = name if session is None else session.key
        return Decision(drafts if any(at is not None for at in tape.places) else (), (
            there.session_id, key, tape.places, tuple(tape.spoken)
        ))  # fmt: skip

    committed = await sessions.journal.commit(decide)
    session_id, key, places, spoken = committed.outcome
    events = [None if at is None else committed.receipts[at].event_id for at in places]
    if spoken and sessions.reflects:
        sessions.on_queued()
    return Handed(session_id, key, tuple(events), spoken)


@dataclass(slots=True)
class _Tape:
    """Grows by turns: what a person says begins a run, what others say belongs to the one before."""

    sessions: Sessions
    place: TapePlace
    actor: Actor
    drafts: list[EventDraft]
    run_id: RunId | None
    """that the next turn of somebody else belongs to"""
    places: list[int | None] = field(default_factory=list)
    spoken: list[RunId] = field(default_factory=list)
    _open: RunId | None = None

    def add(self, turn: FinishedTurn, run_id: RunId, *, is_new: bool) -> None:
        if not is_new:
            self.places.append(None)
            return
        if turn.role is Role.USER or self.run_id is None:
            self.end()
            self._begin(run_id)
        assert self.run_id is not None  # noqa: S101 - begun just now
        if turn.role is Role.USER:
            self.spoken.append(self.run_id)
        actor = _SPEAKERS.get(turn.role, self.actor)
        for kind, payload in _records(turn, self.actor):
            self.drafts.append(record_draft(self.place, self.run_id, actor, kind, payload))
        self.places.append(len(self.drafts) - 1)

    def _begin(self, run_id: RunId) -> None:
        created = RunCreated(run_id, self.place.session_id, RunState.IN_PROGRESS.value, RunOrigin.HANDED.value)
        self.drafts.append(draft_of_event(created, origin_in(self.place, self.actor, run_id)))
        self.run_id = self._open = run_id

    def end(self) -> None:
        """Of the run that was begun last. Where nobody has spoken there is nothing to read."""
        if self._open is None:
            return
        silent = replace(self.sessions, reflects=self.sessions.reflects and self._open in self.spoken)
        self.drafts += move_drafts(silent, self.place, self._open, Move(RunState.DONE))
        self._open = None


def _records(turn: FinishedTurn, actor: Actor) -> list[tuple[TapeType, Payload]]:
    more: Payload = {} if turn.said_at_ms is None else {"said_at_ms": turn.said_at_ms}
    more |= {name: value for name in ("speaker", "turn_id") if (value := getattr(turn, name))}
    match turn.role:
        case Role.USER:
            by: Payload = {} if actor is Actor.USER else {"actor": actor.value}
            return [(TapeType.USER_MESSAGE, {"text": turn.text, **by, **more})]
        case Role.ASSISTANT:
            *pieces, (kind, last) = last_records(turn.text, 0, "end", complete=True)
            return [*((piece, {**payload, **more}) for piece, payload in pieces), (kind, {**last, **more})]
        case Role.TOOL:
            result = {"call_id": turn.turn_id, "name": "", "text": turn.text, "is_error": False, "tainted": True}
            return [(TapeType.TOOL_RESULT, result | more)]
        case Role.SYSTEM:
            return [(TapeType.SYSTEM_MESSAGE, {"text": turn.text, **more})]


def _joinable(tx: ReadTx, session: Session) -> RunId | None:
    """The last run, if it was handed over as well."""
    last = conversation_runs(tx, session, 1)
    if not last or last[0].session_id != session.session_id or last[0].origin is not RunOrigin.HANDED:
        return None
    return last[0].run_id


@dataclass(slots=True)
class _HandedTurn:
    """One that is on the tape already."""

    at_ms: int
    is_exact: bool
    """when it was said, and not when it came to us"""
    turn_id: str


class _Known:
    """What is on the tape of the session; each turn of it can be one of those handed over, once."""

    def __init__(self, records: Iterable[TapeRecord]) -> None:
        self._by_text: dict[tuple[Role, str], list[_HandedTurn]] = defaultdict(list)
        self._ids: set[tuple[Role, str]] = set()
        for message in messages(records, to_be_shown=False):
            role = _ROLES.get(message.kind)
            if role is None:
                continue
            turn_id = str(message.details.get("turn_id", ""))
            exact = "said_at_ms" in message.details
            self._by_text[role, message.text].append(_HandedTurn(message.at_ms, exact, turn_id))
            if turn_id:
                self._ids.add((role, turn_id))

    def has(self, turn: FinishedTurn) -> bool:
        if turn.turn_id and (turn.role, turn.turn_id) in self._ids:
            return True
        there = self._by_text.get((turn.role, turn.text), [])
        same = next((one for one in there if _may_be(one, turn)), None)
        if same is not None:
            there.remove(same)
        elif turn.turn_id:
            self._ids.add((turn.role, turn.turn_id))
        return same is not None


def _may_be(there: _HandedTurn, turn: FinishedTurn) -> bool:
    if there.turn_id and turn.turn_id:
        return False  # they would have been found equal
    if turn.said_at_ms is None:
        return True
    return abs(there.at_ms - turn.said_at_ms) <= (0 if there.is_exact else _APART_MS)


def _checked(turns: Sequence[FinishedTurn], now_ms: int) -> list[FinishedTurn]:
    """With texts that may be kept and shown: normal form, secrets masked."""
    if not 1 <= len(turns) <= limits.TURNS_AT_ONCE:
        raise InvalidArgument(
            f"{len(turns)} turns given; between 1 and {limits.TURNS_AT_ONCE} at once",
            hint="hand them over in parts, in order",
        )
    return [_checked_turn(turn, number, now_ms) for number, turn in enumerate(turns)]


def _checked_turn(turn: FinishedTurn, number: int, now_ms: int) -> FinishedTurn:
    what = f"turns[{number}]"
    if has_lone_surrogate(turn.text):
        raise InvalidArgument(f"{what} holds half of a surrogate pair", hint="send well-formed Unicode text")
    size = len(turn.text.encode())
    if size > limits.MESSAGE_BYTES:
        raise TooLarge(
            f"{what} is {size} bytes; the limit is {limits.MESSAGE_BYTES}", hint="leave out what was pasted into it"
        )
    text = redact_text(normalise(turn.text)).text
    if not text.strip():
        raise InvalidArgument(f"{what} is empty", hint="leave out turns in which nothing is said")
    if turn.said_at_ms is not None and not EARLIEST_MS <= turn.said_at_ms <= now_ms + _DAY_MS:
        raise InvalidArgument(
            f"{what} has said_at_ms {turn.said_at_ms}, which is before 1990 or more than a day ahead",
            hint="give milliseconds since 1970-01-01 UTC, or leave it out",
        )
    check_name(turn.speaker, f"speaker of {what}")
    check_name(turn.turn_id, f"turn_id of {what}")
    return replace(turn, text=text)
