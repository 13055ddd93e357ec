"""One call in progress: who is asking, and what that lets them see and say. The one place where rights are decided."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from palyra.core.errors import InvalidArgument, PermissionDenied
from palyra.domain.access import Capability
from palyra.domain.events import SAMPLE_PRINCIPAL
from palyra.domain.journal import Actor
from palyra.domain.memory import ACTOR_TRUST, is_person
from palyra.domain.scope import Visibility, visibility

if TYPE_CHECKING:
    from palyra.app import App


@dataclass(frozen=True, slots=True)
class Caller:
    principal: str
    capabilities: frozenset[Capability]
    actor: Actor = Actor.USER
    """in whose name it writes; never with more trust than this"""
    channels: frozenset[str] | None = None
    """the channels it may stand in; None: any"""
    channel: str | None = None
    """where it stands unless the request says so"""
    name: str = "the owner"
    """for logs and the journal"""
    stands_for: str | None = None
    """the principal it speaks for unless the request says so; none: its own"""
    expires_at_ms: int | None = None
    """when its credential ends; None: never"""

    def may(self, capability: Capability) -> bool:
        return capability in self.capabilities


def owner(principal: str) -> Caller:
    """Whoever can open the files is the owner of this journal."""
    return Caller(principal, frozenset(Capability))


@dataclass(frozen=True, slots=True)
class Call:
    app: "App"
    caller: Caller
    progress: Callable[[str, int, int], None] = lambda _what, _done, _total: None


class Scoped(Protocol):
    """A request that says where the caller stands."""

    principal: str | None
    channel: str | None


def seer(call: Call, request: Scoped) -> Visibility:
    """Where a request's scope meets the caller's rights."""
    caller = call.caller
    principal = principal_of(caller, request.principal)
    return visibility(principal, _channel(caller, request.channel), getattr(request, "session_id", None))


def principal_of(caller: Caller, asked: str | None) -> str:
    """For whom it speaks: the principal it asks for, if it may."""
    principal = asked if asked is not None else caller.stands_for or caller.principal
    if principal != caller.principal and not caller.may(Capability.ANY_PRINCIPAL):
        raise PermissionDenied(
            f"you speak for {caller.principal!r}, not for {principal!r}", hint="use a token of that principal"
        )
    return principal


def _channel(caller: Caller, asked: str | None) -> str | None:
    channel = caller.channel if asked is None else asked
    if caller.channels is None:
        return channel
    if channel is None and len(caller.channels) == 1:
        [channel] = caller.channels
    if channel is None and caller.channels:
        raise PermissionDenied(
            "this token is confined to channels, and the request names none",
            hint=f"name one of {', '.join(sorted(caller.channels))}",
        )
    if channel is not None and channel not in caller.channels:
        allowed = ", ".join(sorted(caller.channels)) or "none"
        raise PermissionDenied(f"this token may not stand in channel {channel!r}", hint=f"its channels: {allowed}")
    return channel


def sees_sensitive(call: Call) -> bool:
    """Whether what is sensitive is shown to the caller as it is written."""
    return is_person(call.caller.actor) or call.caller.may(Capability.SENSITIVE)


def is_given_sensitive(call: Call, standing: Visibility) -> bool:
    """Whether it may stand in a prompt made for the caller: in its own principal's, and where it may be seen."""
    return sees_sensitive(call) and standing.principal in (call.caller.principal, call.caller.stands_for)


def actor_of(call: Call, name: str | None) -> Actor:
    """In whose name a request is written: the caller's own, or one that is trusted no more."""
    if name is None:
        return call.caller.actor
    actor = to_actor(name)
    if not call.caller.may(Capability.OWN) and ACTOR_TRUST[actor] < ACTOR_TRUST[call.caller.actor]:
        raise PermissionDenied(f"{call.caller.actor.value} may not write as {name}", hint="leave the actor out")
    return actor


def to_actor(name: str) -> Actor:
    try:
        return Actor(name)
    except ValueError:
        raise InvalidArgument(
            f"unknown actor {name[:64]!r}", hint=f"use one of {', '.join(actor.value for actor in Actor)}"
        ) from None


async def keep_from_sample(app: "App", principal: str) -> None:
    """FailedPrecondition if that principal is the sample's: whoever spoke in its name would lose what they said."""
    if principal != SAMPLE_PRINCIPAL:
        return
    from palyra.services.demo.standing import check_not_the_sample, sample_of  # noqa: PLC0415 - only in the sample

    sample = await app.store.db.read(sample_of)
    check_not_the_sample(sample, app.settings.memory.default_principal)
