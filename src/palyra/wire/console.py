"""Signing in to the web console, on the wire."""

from palyra.wire.base import Request, Response


class NewLink(Request):
    pass


class LoginLink(Response):
    link: str
    expires_in_ms: int


class SetPassword(Request):
    password: str | None = None
    """none: remove it"""


class PasswordSet(Response):
    is_set: bool
