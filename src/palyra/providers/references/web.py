"""One page of the public web, fetched so that no address inside the house can be reached through us.

A name is resolved here, every address it has must be public, and the connection goes to one of just those addresses,
with the name in Host and in TLS: what the name resolves to a moment later does not matter. Each redirect starts from
the beginning. One time limit and one size cover all of it. No proxy, no cookies, no credentials.
"""

import asyncio
import ipaddress
import re
import socket
import ssl
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from palyra.core.errors import (
    Deadline,
    Exhausted,
    InvalidArgument,
    NotFound,
    PalyraError,
    PermissionDenied,
    Unavailable,
)
from palyra.domain.chat.references import PageText
from palyra.providers.references.addresses import Address, is_public

if TYPE_CHECKING:
    import httpx2

    from palyra.providers.references.page import Inflate

BODY_BYTES = 1_048_576
REDIRECTS = 5
TIMEOUT_SECONDS = 15
URL_CHARS = 2_048
ADDRESSES_TRIED = 3
PORTS = (80, 443)
"""and those from 1,024 on; the others are of services that are no web servers"""

Resolver: TypeAlias = Callable[[str, int], Awaitable[Sequence[str]]]
_HEADERS = {
    "User-Agent": "palyra",
    "Accept": "text/html, application/xhtml+xml, text/*, application/json, application/xml;q=0.9",
    "Accept-Encoding": "gzip",
    "Connection": "close",
}


@dataclass(frozen=True, slots=True)
class _Hop:
    """A URL that may be asked, if its addresses are public."""

    url: "httpx2.URL"
    host: str
    port: int


async def system_resolver(host: str, port: int) -> Sequence[str]:
    """All addresses of a name, as the system knows them."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(str(address[0]) for *_, address in found))


class WebPages:
    """`allows` says which addresses may be asked; `transport` is what carries the requests, closed after each page."""

    def __init__(
        self,
        *,
        resolve: Resolver = system_resolver,
        transport: "httpx2.AsyncBaseTransport | None" = None,
        allows: Callable[[Address], bool] = is_public,
        timeout_seconds: float = TIMEOUT_SECONDS,
    ) -> None:
        self._resolve, self._transport, self._allows = resolve, transport, allows
        self._timeout_seconds = timeout_seconds
        self._certificates: ssl.SSLContext | None = None

    async def fetch(self, url: str, max_chars: int) -> PageText:
        """At most `max_chars` characters of the page's text.

        InvalidArgument for no web address or no text, PermissionDenied for an address that is not public, NotFound,
        Exhausted, Unavailable or Deadline as the other side does."""
        try:
            async with asyncio.timeout(self._timeout_seconds):
                return await self._fetch(url, max_chars)
        except TimeoutError:
            raise Deadline(f"the page did not come within {self._timeout_seconds:g} s") from None

    async def _fetch(self, url: str, max_chars: int) -> PageText:
        import httpx2  # noqa: PLC0415 - only who points at a page should wait for its import

        hop = _checked(url)
        transport = self._transport
        if transport is None:
            if self._certificates is None:  # reading them takes a while
                self._certificates = await asyncio.to_thread(httpx2.create_ssl_context)
            transport = httpx2.AsyncHTTPTransport(verify=self._certificates, trust_env=False)
        # The transport alone: a client would add cookies and a proxy, and look at where a redirect leads before we do.
        async with transport:
            for _ in range(REDIRECTS + 1):
                answer = await self._ask(transport, hop)
                try:
                    if answer.status_code not in (301, 302, 303, 307, 308):
                        return await _page(answer, hop, max_chars)
                    hop = _redirected(hop, answer.headers.get("location", ""))
                finally:
                    await answer.aclose()
        raise Unavailable(f"the page redirects more than {REDIRECTS} times")

    async def _ask(self, transport: "httpx2.AsyncBaseTransport", hop: _Hop) -> "httpx2.Response":
        import httpx2  # noqa: PLC0415 - only who points at a page should wait for it

        headers = {**_HEADERS, "Host": hop.url.netloc.decode("ascii")}
        extensions = {"sni_hostname": hop.host, "timeout": httpx2.Timeout(self._timeout_seconds).as_dict()}
        for address in (await self._addresses(hop))[:ADDRESSES_TRIED]:
            request = httpx2.Request(
                "GET", hop.url.copy_with(host=str(address)), headers=headers, extensions=extensions
            )
            try:
                return await transport.handle_async_request(request)
            except httpx2.ConnectError as error:
                if "CERTIFICATE_VERIFY_FAILED" in str(error):
                    raise Unavailable(f"the certificate of {hop.host} is not valid") from error
            except httpx2.TransportError as error:
                raise Unavailable(f"{hop.host} broke off: {type(error).__name__}") from error
        raise Unavailable(f"{hop.host} cannot be reached")

    async def _addresses(self, hop: _Hop) -> list[Address]:
        """Every address of the name, all of them allowed."""
        literal = _address(hop.host)
        try:
            texts = [hop.host] if literal else await self._resolve(hop.host, hop.port)
        except (OSError, UnicodeError):
            raise Unavailable(f"{hop.host} is not known to the name service", hint="check how it is spelt") from None
        addresses = [_address(text) for text in texts]
        if not addresses:
            raise Unavailable(f"{hop.host} has no address")
        good = [address for address in addresses if address is not None and self._allows(address)]
        if len(good) < len(addresses):
            raise _not_public(hop.host)
        return good


_URL = re.compile(r"(?P<scheme>https?)://(?P<authority>[^/?#\\\s@%]+)(?:[/?#][^\\\x00-\x20\x7f]*)?", re.IGNORECASE)
_LOCAL_NAMES = ("localhost", "localdomain", "local", "internal", "intranet", "lan", "home.arpa", "onion")
_NUMBER = re.compile(r"(0x[0-9a-f]*|\d+)", re.IGNORECASE)


def _checked(text: str) -> _Hop:
    """What may be asked, without a look at the network."""
    import httpx2  # noqa: PLC0415 - only who points at a page should wait for it

    if len(text) > URL_CHARS:
        raise InvalidArgument(f"the address has {len(text):,} characters, at most {URL_CHARS:,} are fetched")
    if not _URL.fullmatch(text):
        raise InvalidArgument(
            f"{text[:120]!r} is not an address of a web page",
            hint="write http:// or https:// with a host; a name, password, space or backslash has no place in it",
        )
    try:
        url = httpx2.URL(text)
        host = url.raw_host.decode("ascii").lower().rstrip(".")
    except (httpx2.InvalidURL, UnicodeError):
        raise InvalidArgument(f"{text[:120]!r} is not an address of a web page") from None
    port = url.port if url.port is not None else 443 if url.scheme == "https" else 80
    if not host or url.userinfo or (port not in PORTS and not 1_024 <= port <= 65_535):
        raise InvalidArgument(
            f"host or port of {text[:120]!r} cannot be fetched from", hint="ports 80, 443 and those from 1024 on can"
        )
    last = host.rpartition(".")[2]
    if _address(host) is None:
        # Numbers that are not four plain ones are other spellings of an address; "localhost" and its like need no look.
        if _NUMBER.fullmatch(last) or ":" in host or "." not in host:
            raise _not_public(host)
        if any(host == name or host.endswith("." + name) for name in _LOCAL_NAMES):
            raise _not_public(host)
    return _Hop(url.copy_with(fragment=None), host, port)


def _redirected(hop: _Hop, location: str) -> _Hop:
    import httpx2  # noqa: PLC0415 - only who points at a page should wait for it

    if not location:
        raise Unavailable(f"{hop.host} redirects to nowhere")
    try:
        target = str(hop.url.join(location))
    except (httpx2.InvalidURL, ValueError):
        raise InvalidArgument(f"{hop.host} redirects to what is no address") from None
    try:
        return _checked(target)
    except PalyraError as error:
        raise type(error)(f"{hop.host} redirects: {error.message}", hint=error.hint) from None


def _address(host: str) -> Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def _not_public(host: str) -> PermissionDenied:
    return PermissionDenied(
        f"{host[:120]!r} is not on the public web", hint="only pages on public addresses are fetched"
    )


async def _page(answer: "httpx2.Response", hop: _Hop, max_chars: int) -> PageText:
    from palyra.providers.references.page import Inflate, media_type, page_text  # noqa: PLC0415 - with its parser

    if answer.status_code != 200:
        raise _refused(answer.status_code, hop.host)
    content_type = answer.headers.get("content-type", "")
    media_type(content_type)
    data, whole = await _body(answer, Inflate(answer.headers.get("content-encoding", "")), hop.host)
    url = str(hop.url)
    title, text, warnings = await asyncio.to_thread(page_text, data, content_type, url)
    if not whole:
        warnings = (*warnings, f"only the first {BODY_BYTES:,} bytes of the page were read")
    return PageText(url, title, text[:max_chars], whole and len(text) <= max_chars, warnings)


async def _body(answer: "httpx2.Response", inflate: "Inflate", host: str) -> tuple[bytes, bool]:
    import httpx2  # noqa: PLC0415 - only who points at a page should wait for it

    pieces: list[bytes] = []
    left = BODY_BYTES
    try:
        async for raw in answer.aiter_raw(1 << 16):
            piece = inflate.take(raw, left + 1)
            pieces.append(piece[:left])
            left -= len(piece)
            if left < 0:
                return b"".join(pieces), False
    except httpx2.TransportError as error:
        raise Unavailable(f"{host} broke off in the middle of the page: {type(error).__name__}") from error
    return b"".join(pieces), True


def _refused(status: int, host: str) -> PalyraError:
    if status in (404, 410):
        return NotFound(f"{host} has no such page (HTTP {status})")
    if status == 429:
        return Exhausted(f"{host} is asked too often (HTTP 429)", hint="try again later")
    if status >= 500:
        return Unavailable(f"{host} cannot answer (HTTP {status})", hint="try again later")
    return PermissionDenied(f"{host} does not show this page (HTTP {status})")
