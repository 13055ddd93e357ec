"""Who is calling: from what a surface was shown to a `Caller`. The same on HTTP, gRPC and MCP."""

import hmac
from dataclasses import replace
from typing import TYPE_CHECKING

from palyra.api.call import Caller, owner, principal_of
from palyra.core.errors import InvalidArgument, Unauthenticated
from palyra.core.hashing import sha256
from palyra.domain.scope import visibility
from palyra.domain.tokens import ANY_CHANNEL, Token

if TYPE_CHECKING:
    from palyra.app import App

_HINT = "send authorization: Bearer TOKEN; palyra token create makes one"


class Gate:
    """Turns credentials into callers. `owner_secret`: what the owner's own commands show; another at each start."""

    def __init__(self, app: "App", owner_secret: str) -> None:
        self._app = app
        self._owner_digest = sha256(owner_secret.encode())

    async def caller(
        self, authorization: str | None, principal: str | None = None, channel: str | None = None
    ) -> Caller:
        """`authorization` is the header's value; the others say where the caller wants to stand."""
        if not authorization:
            raise Unauthenticated("no credentials", hint=_HINT)
        scheme, _, credentials = authorization.partition(" ")
        if scheme.lower() != "bearer" or not credentials.strip():
            raise Unauthenticated("the authorization header is not a bearer token", hint=_HINT)
        text = credentials.strip()
        if hmac.compare_digest(sha256(text.encode("utf-8", "surrogatepass")), self._owner_digest):
            found = owner(self._app.settings.memory.default_principal)
        else:
            found = of_token(await self._app.tokens.authenticate(text))
        return standing(found, principal, channel)


def of_token(token: Token) -> Caller:
    grant = token.grant
    channels = None if ANY_CHANNEL in grant.channels else frozenset(grant.channels)
    return Caller(
        grant.principal,
        grant.capabilities,
        grant.actor,
        channels,
        name=f"caller {token.token_id}",
        expires_at_ms=grant.expires_at_ms,
    )


def standing(caller: Caller, principal: str | None, channel: str | None) -> Caller:
    """The caller as it asks to be seen: `x-palyra-principal` and `x-palyra-channel`, as far as it may."""
    if principal is None and channel is None:
        return caller
    if principal == "" or channel == "":
        raise InvalidArgument("an empty principal or channel is none", hint="leave the header out")
    visibility(principal or caller.principal, channel, None)
    return replace(caller, channel=channel, stands_for=principal_of(caller, principal))
