"""The model's server: where it is, and what of a request and of its answer may pass between it and a client."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from palyra.core.errors import FailedPrecondition
from palyra.providers.models.key import read_key
from palyra.settings import ModelSettings

if TYPE_CHECKING:
    import httpx2

Header = tuple[bytes, bytes]

_BASE_URLS = {"openai": "https://api.openai.com/v1", "anthropic": "https://api.anthropic.com"}
_ANTHROPIC_VERSION = (b"anthropic-version", b"2023-06-01")
_CONNECT_SECONDS = 10.0

_ASKED_HEADERS = frozenset(
    {
        b"accept",
        b"anthropic-beta",
        b"anthropic-version",
        b"content-type",
        b"idempotency-key",
        b"openai-beta",
        b"openai-organization",
        b"openai-project",
        b"user-agent",
    }
)
_ANSWERED_HEADERS = frozenset(
    {
        b"content-encoding",
        b"content-type",
        b"openai-processing-ms",
        b"request-id",
        b"retry-after",
        b"retry-after-ms",
        b"x-request-id",
    }
)
_ANSWERED_PREFIXES = (b"x-ratelimit-", b"anthropic-ratelimit-")


@dataclass(frozen=True, slots=True)
class Outgoing:
    method: str
    url: str
    headers: list[Header] = field(repr=False)
    body: bytes = field(repr=False)


class PassThrough:
    """One pool of connections for all who pass through. `settings.provider` is not offline."""

    def __init__(self, settings: ModelSettings) -> None:
        self._settings = settings
        self._base_url = (settings.base_url or _BASE_URLS[settings.provider]).rstrip("/")
        if settings.provider == "anthropic":
            self._base_url = self._base_url.removesuffix("/v1") + "/v1"  # written with it or without, as in a chat
        self._key = read_key(settings)
        self._opening = asyncio.Lock()
        self._client: httpx2.AsyncClient | None = None

    def outgoing(self, method: str, path: str, query: bytes, headers: Iterable[Header], body: bytes) -> Outgoing:
        """`path` below /v1; of the client's headers only those that are no secret and no business of one connection."""
        passed = [(name, value) for name, value in headers if name in _ASKED_HEADERS]
        # The bytes pass as they are, so they must come as a client without any wish can read them.
        passed.append((b"accept-encoding", b"identity"))
        if self._settings.provider == "anthropic":
            if not any(name == b"anthropic-version" for name, _ in passed):
                passed.append(_ANTHROPIC_VERSION)
            if self._key:
                passed.append((b"x-api-key", self._key.encode()))
        elif self._key:
            passed.append((b"authorization", b"Bearer " + self._key.encode()))
        url = f"{self._base_url}{path}" + (f"?{query.decode('latin-1')}" if query else "")
        return Outgoing(method, url, passed, body)

    async def client(self) -> "httpx2.AsyncClient":
        async with self._opening:
            if self._client is None:
                self._client = await asyncio.to_thread(_make_client, float(self._settings.timeout_seconds))
            return self._client

    async def close(self) -> None:
        if self._client is not None:
            await self._client.aclose()


def answered_headers(headers: Iterable[Header]) -> list[Header]:
    lower = [(name.lower(), value) for name, value in headers]
    return [(name, value) for name, value in lower if name in _ANSWERED_HEADERS or name.startswith(_ANSWERED_PREFIXES)]


def _make_client(timeout_seconds: float) -> "httpx2.AsyncClient":
    import httpx2  # noqa: PLC0415 - only where a model is asked

    # Its certificates take a while to load. Nothing comes from the environment: texts go where the settings say.
    return httpx2.AsyncClient(
        trust_env=False,
        follow_redirects=False,
        timeout=httpx2.Timeout(timeout_seconds, connect=min(_CONNECT_SECONDS, timeout_seconds)),
        limits=httpx2.Limits(max_connections=None, max_keepalive_connections=64),
    )


def no_upstream(what: str) -> FailedPrecondition:
    return FailedPrecondition(
        f"there is no model's server to pass {what} on to: models.provider is offline",
        hint="set models.provider, models.base_url and models.api_key_file, and restart the daemon",
    )
