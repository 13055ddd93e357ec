"""API tokens: what one allows, what it looks like, and the events that make and unmake it.

A token is `pal_<id>_<secret>`. The secret has 256 random bits, so a plain SHA-256 of it is all that is kept: there is
nothing to guess. Whoever holds the token is its principal, in its channels, with its capabilities and no others.
"""

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import ClassVar, NewType, TypeAlias, cast

from palyra.core import limits
from palyra.core.errors import InvalidArgument
from palyra.core.hashing import Json, sha256
from palyra.domain.access import GRANTABLE, PERSONS_ONLY, Capability
from palyra.domain.journal import Actor, EventDraft, Origin, check_identifier

TokenId = NewType("TokenId", str)

ANY_CHANNEL = "*"
_TOKEN = re.compile(r"pal_([0-7][0-9A-HJKMNP-TV-Z]{25})_([A-Za-z0-9_-]{43})", re.ASCII)


@dataclass(frozen=True, slots=True)
class TokenGrant:
    """What somebody asks a token to allow."""

    principal: str
    actor: Actor
    channels: tuple[str, ...]
    capabilities: frozenset[Capability]
    label: str
    expires_at_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Token:
    token_id: TokenId
    grant: TokenGrant
    digest: bytes
    created_at_ms: int
    revoked_at_ms: int | None = None

    def state(self, now_ms: int) -> str:
        if self.revoked_at_ms is not None:
            return "revoked"
        expires = self.grant.expires_at_ms
        return "active" if expires is None or now_ms < expires else "expired"


@dataclass(frozen=True, slots=True)
class TokenCreated:
    KIND: ClassVar = "token.created"
    V: ClassVar = 1
    TELLS: ClassVar = "made token {token_id} for {principal}: {capabilities}[ ({label})]"
    token_id: TokenId
    digest: str
    principal: str
    actor: str
    channels: tuple[str, ...]
    capabilities: tuple[str, ...]
    label: str
    expires_at_ms: int | None


@dataclass(frozen=True, slots=True)
class TokenRevoked:
    KIND: ClassVar = "token.revoked"
    V: ClassVar = 1
    TELLS: ClassVar = "made token {token_id} useless"
    token_id: TokenId


@dataclass(frozen=True, slots=True)
class PrincipalCrossed:
    """Somebody spoke for a principal that is not their own, as their credential allows."""

    KIND: ClassVar = "access.crossed"
    V: ClassVar = 1
    TELLS: ClassVar = "{by} spoke for this principal: {operation}"
    by: str
    operation: str


@dataclass(frozen=True, slots=True)
class AccessRefused:
    """Somebody called for what only a person may do, and may not. Nothing of what they sent is here."""

    KIND: ClassVar = "access.refused"
    V: ClassVar = 1
    TELLS: ClassVar = "{by} was refused {operation}, which needs {needs}"
    by: str
    operation: str
    needs: str


@dataclass(frozen=True, slots=True)
class ConsolePasswordSet:
    """The console's password was set or removed. Not even its hash is here: journals are exported."""

    KIND: ClassVar = "console.password_set"
    V: ClassVar = 1
    TELLS: ClassVar = "the console's password was {is_set}"
    MEANS: ClassVar = {"True": "set", "False": "removed"}
    is_set: bool


AccessEvent: TypeAlias = TokenCreated | TokenRevoked | PrincipalCrossed | AccessRefused | ConsolePasswordSet
ACCESS_EVENTS: tuple[type[AccessEvent], ...] = (
    TokenCreated,
    TokenRevoked,
    PrincipalCrossed,
    AccessRefused,
    ConsolePasswordSet,
)


def access_draft(event: AccessEvent, origin: Origin) -> EventDraft:
    body = {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(event).items()}
    # Ids, digests and checked names: nothing in it is somebody's words.
    return EventDraft(event.KIND, cast("dict[str, Json]", body), origin, event.V, None, None, ())


def check_grant(grant: TokenGrant, now_ms: int) -> TokenGrant:
    check_identifier(grant.principal, "principal")
    for channel in grant.channels:
        check_identifier(channel, "channel")
    if len(grant.channels) > limits.TOKEN_CHANNELS:
        raise InvalidArgument(
            f"{len(grant.channels)} channels; at most {limits.TOKEN_CHANNELS}", hint="use '*' for any"
        )
    if grant.label:
        check_identifier(grant.label, "label")
    if not grant.capabilities:
        raise InvalidArgument("a token without capabilities can do nothing", hint="give at least one --can")
    if refused := grant.capabilities - GRANTABLE:
        raise InvalidArgument(
            f"{', '.join(sorted(refused))} cannot be granted to a token", hint=f"use {', '.join(sorted(GRANTABLE))}"
        )
    reserved = grant.capabilities & PERSONS_ONLY
    if reserved and grant.actor is not Actor.USER:
        raise InvalidArgument(
            f"{', '.join(sorted(reserved))} is for persons; a token for actor {grant.actor.value} cannot have it",
            hint="create the token with --for person, and give it to one",
        )
    if grant.expires_at_ms is not None and not now_ms < grant.expires_at_ms < 1 << 48:
        raise InvalidArgument(
            f"the token would expire at {grant.expires_at_ms}, which is past or beyond 2**48",
            hint="give a time to come, or none",
        )
    return grant


def parse_capabilities(names: Sequence[str]) -> frozenset[Capability]:
    known = {capability.value: capability for capability in GRANTABLE}
    for name in names:
        if name not in known:
            raise InvalidArgument(f"unknown capability {name[:64]!r}", hint=f"use {', '.join(sorted(known))}")
    return frozenset(known[name] for name in names)


def write_token(token_id: TokenId, secret: str) -> str:
    return f"pal_{token_id}_{secret}"


def read_token(text: str) -> tuple[TokenId, bytes] | None:
    """Its id and the digest of its secret, if it has the form of a token."""
    match = _TOKEN.fullmatch(text)
    return None if match is None else (TokenId(match[1]), sha256(match[2].encode()))
