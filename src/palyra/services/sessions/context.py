"""What every use-case of sessions works with, and how one is found."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from palyra.core.clock import Clock
from palyra.core.errors import NotFound, PermissionDenied
from palyra.core.ids import SessionId, parse_ulid
from palyra.domain.chat.session import Run, Session
from palyra.domain.journal import Actor, Origin
from palyra.domain.scope import Visibility
from palyra.services.journal import JournalService
from palyra.store.connection import ReadTx
from palyra.store.journal_store import JournalStore
from palyra.store.sessions.records import fetch_run, fetch_session, run_exists, session_exists


@dataclass(frozen=True, slots=True)
class Sessions:
    store: JournalStore
    journal: JournalService
    clock: Clock
    reflects: bool = False
    """runs are queued to be read as they end"""
    on_queued: Callable[[], None] = lambda: None
    """told when one was, and is durable"""


def find_session(tx: ReadTx, name: str, caller: Visibility) -> Session:
    """By id or key; one clear error if the caller may not know of it."""
    found = fetch_session(tx, name, caller)
    if found is not None:
        return found
    if session_exists(tx, name):
        raise PermissionDenied(
            f"session {name} is not visible to principal {caller.principal!r} here",
            hint="pass --principal and --channel of its owner",
        )
    raise NotFound(f"no session {name[:64]!r}", hint="palyra session list")


def find_run(tx: ReadTx, run_id: str, caller: Visibility) -> Run:
    parse_ulid(run_id, "run id")
    found = fetch_run(tx, run_id, caller)
    if found is not None:
        return found
    if run_exists(tx, run_id):
        raise PermissionDenied(
            f"run {run_id} is not visible to principal {caller.principal!r} here",
            hint="pass --principal and --channel of its owner",
        )
    raise NotFound(f"no run {run_id}", hint="palyra session show SESSION lists its runs")


class TapePlace(Protocol):
    """A session or a run, as far as the header of an event names it."""

    @property
    def principal(self) -> str: ...
    @property
    def channel(self) -> str | None: ...
    @property
    def session_id(self) -> SessionId: ...


@dataclass(frozen=True, slots=True)
class SessionPlace:
    """Of a session that is about to be."""

    principal: str
    channel: str | None
    session_id: SessionId


def origin_in(place: TapePlace, actor: Actor, run_id: str | None = None) -> Origin:
    """Whoever acts, what happens in a session is its principal's."""
    return Origin(place.principal, actor, place.channel, place.session_id, run_id)


def standing_in(session: Session) -> Visibility:
    """What a run of this session may see: its principal's memory, that of its channel, and its own."""
    return Visibility(session.principal, session.channel, session.session_id)


def new_session_id(sessions: Sessions) -> SessionId:
    return SessionId(sessions.store.ids.next(sessions.clock.now_ms()))
