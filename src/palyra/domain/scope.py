"""Who may see what: deny by default, one rule.

An item is visible iff the principal is equal, its channel is null or equal, and its session is null or equal.
The rule is written twice, here for one item and in `store/visibility.py` for SQL, and a property test holds the
two together. Nothing else in the product decides about visibility.
"""

from dataclasses import dataclass
from enum import StrEnum

from palyra.core.errors import InvalidArgument
from palyra.domain.journal import check_identifier


class ScopeKind(StrEnum):
    PRINCIPAL = "principal"
    CHANNEL = "channel"
    SESSION = "session"


@dataclass(frozen=True, slots=True)
class Scope:
    """Where an item lives. A session is part of a channel if it has one."""

    principal: str
    channel: str | None = None
    session_id: str | None = None

    @property
    def kind(self) -> ScopeKind:
        if self.session_id is not None:
            return ScopeKind.SESSION
        return ScopeKind.PRINCIPAL if self.channel is None else ScopeKind.CHANNEL


@dataclass(frozen=True, slots=True)
class Visibility:
    """Where a caller stands: its principal, and the channel and session it is authenticated in."""

    principal: str
    channel: str | None = None
    session_id: str | None = None

    def sees(self, scope: Scope) -> bool:
        return (
            scope.principal == self.principal
            and (scope.channel is None or scope.channel == self.channel)
            and (scope.session_id is None or scope.session_id == self.session_id)
        )


@dataclass(frozen=True, slots=True)
class Everyone:
    """For followers and upkeep, which see all items and show them to nobody. Never made from a request."""


def visibility(principal: str, channel: str | None, session_id: str | None) -> Visibility:
    """Checked names only. An empty channel is not "no channel": it is a mistake, and says so."""
    check_identifier(principal, "principal")
    if channel is not None:
        check_identifier(channel, "channel")
    if session_id is not None:
        check_identifier(session_id, "session id")
    return Visibility(principal, channel, session_id)


def scope_for(caller: Visibility, kind: ScopeKind | None) -> Scope:
    """Where a new item goes: the narrowest place the caller stands in, or the one it asks for."""
    match kind:
        case None:
            return Scope(caller.principal, caller.channel, caller.session_id)
        case ScopeKind.PRINCIPAL:
            return Scope(caller.principal)
        case ScopeKind.CHANNEL:
            if caller.channel is None:
                raise InvalidArgument("scope channel needs a channel", hint="pass --channel")
            return Scope(caller.principal, caller.channel)
        case ScopeKind.SESSION:
            if caller.session_id is None:
                raise InvalidArgument("scope session needs a session", hint="pass --session")
            return Scope(caller.principal, caller.channel, caller.session_id)
