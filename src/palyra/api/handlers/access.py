"""What the operations on API tokens do."""

from palyra.api import access as api
from palyra.api.call import Call, Caller, principal_of, to_actor
from palyra.api.handlers.binding import bind
from palyra.core.errors import InvalidArgument, PermissionDenied
from palyra.domain.access import Capability
from palyra.domain.journal import Actor, Origin
from palyra.domain.tokens import Token, TokenGrant, parse_capabilities
from palyra.wire import access as wire


async def _create(call: Call, request: wire.CreateToken) -> wire.TokenMade:
    caller = call.caller
    now_ms = call.app.clock.now_ms()
    if request.ttl_ms is not None and request.ttl_ms <= 0:
        raise InvalidArgument(f"a time to live of {request.ttl_ms} ms is past", hint="give one above 0, or none")
    grant = TokenGrant(
        caller.principal if request.principal is None else principal_of(caller, request.principal),
        to_actor(request.actor),
        request.channels,
        parse_capabilities(request.capabilities),
        request.label,
        None if request.ttl_ms is None else now_ms + request.ttl_ms,
    )
    if not caller.may(Capability.OWN):
        _within(caller, grant)
    made = await call.app.tokens.create(grant, _by(call))
    return wire.TokenMade(token=made.text, info=_info(made.token, now_ms))


async def _list(call: Call, request: wire.ListTokens) -> wire.TokenPage:
    found = await call.app.tokens.list(request.after, request.limit)
    now_ms = call.app.clock.now_ms()
    return wire.TokenPage(
        tokens=[_info(token, now_ms) for token in found],
        next_after=found[-1].token_id if len(found) == request.limit else None,
    )


async def _revoke(call: Call, request: wire.RevokeToken) -> wire.TokenInfo:
    return _info(await call.app.tokens.revoke(request.token_id, _by(call)), call.app.clock.now_ms())


def _within(caller: Caller, grant: TokenGrant) -> None:
    """Nobody passes on more than they have: neither what to do, nor where, nor for how long."""
    if missing := grant.capabilities - caller.capabilities:
        raise PermissionDenied(
            f"you cannot grant what you lack: {', '.join(sorted(missing))}", hint="grant fewer capabilities"
        )
    if caller.channels is not None and (beyond := set(grant.channels) - caller.channels):
        raise PermissionDenied(
            f"you may not stand in {', '.join(sorted(beyond))}, so you cannot grant it",
            hint=f"your channels: {', '.join(sorted(caller.channels)) or 'none'}",
        )
    if caller.expires_at_ms is not None and (grant.expires_at_ms is None or grant.expires_at_ms > caller.expires_at_ms):
        raise PermissionDenied(
            f"your own token ends at {caller.expires_at_ms}; what it grants cannot outlive it",
            hint="give a shorter time to live",
        )


def _by(call: Call) -> Origin:
    return Origin(call.caller.principal, Actor.OPERATOR)


def _info(token: Token, now_ms: int) -> wire.TokenInfo:
    grant = token.grant
    return wire.TokenInfo(
        token_id=token.token_id,
        principal=grant.principal,
        actor=grant.actor.value,
        channels=list(grant.channels),
        capabilities=sorted(grant.capabilities),
        label=grant.label,
        state=token.state(now_ms),
        created_at_ms=token.created_at_ms,
        expires_at_ms=grant.expires_at_ms,
        revoked_at_ms=token.revoked_at_ms,
    )


HANDLERS = (bind(api.create, _create), bind(api.list_, _list), bind(api.revoke, _revoke))
