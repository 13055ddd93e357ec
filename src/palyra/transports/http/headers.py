"""Headers that decide something: given once, and in UTF-8, or the request is refused."""

from starlette.requests import HTTPConnection

from palyra.core.errors import InvalidArgument

_PRINCIPAL, _CHANNEL = "x-palyra-principal", "x-palyra-channel"


def header(http: HTTPConnection, name: str) -> str | None:
    values = http.headers.getlist(name)
    if len(values) > 1:
        raise InvalidArgument(f"{len(values)} headers {name}", hint="give it once")
    if not values:
        return None
    try:
        return values[0].encode("latin-1").decode("utf-8")  # what the server read as Latin-1
    except UnicodeDecodeError:
        raise InvalidArgument(f"the header {name} is not UTF-8", hint="send it in UTF-8") from None


def standing_headers(http: HTTPConnection) -> tuple[str | None, str | None]:
    """The principal to speak for and the channel to stand in."""
    return header(http, _PRINCIPAL), header(http, _CHANNEL)
