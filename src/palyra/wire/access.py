"""API tokens on the wire."""

from palyra.wire.base import Request, Response


class CreateToken(Request):
    principal: str | None = None
    actor: str = "agent"
    channels: tuple[str, ...] = ()
    """none: at principal scope only; `*`: any"""
    capabilities: tuple[str, ...] = ("read", "write")
    label: str = ""
    ttl_ms: int | None = None


class TokenInfo(Response):
    token_id: str
    principal: str
    actor: str
    channels: list[str]
    capabilities: list[str]
    label: str
    state: str
    """active, expired or revoked"""
    created_at_ms: int
    expires_at_ms: int | None
    revoked_at_ms: int | None


class TokenMade(Response):
    token: str
    """shown once, kept nowhere"""
    info: TokenInfo


class ListTokens(Request):
    after: str = ""
    limit: int = 100


class TokenPage(Response):
    tokens: list[TokenInfo]
    next_after: str | None


class RevokeToken(Request):
    token_id: str
