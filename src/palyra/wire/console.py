"""Signing in to the web console, on the wire."""

from palyra.wire.base import Request, Response


class NewLink(Request):
    pass


class LoginLink(Response):
    link: str
    expires_in_ms: int


class ListPlaces(Request):
    pass


class Place(Response):
    principal: str
    channel: str | None
    memories: int
    sessions: int


class Places(Response):
    places: list[Place]
    """by principal; without a channel first"""


class SetPassword(Request):
    password: str | None = None
    """none: remove it"""


class PasswordSet(Response):
    is_set: bool
