"""A model behind a server: a dialect, the settings and one upstream, as one `ChatModel`."""

import json
from collections.abc import AsyncGenerator
from urllib.parse import urlsplit

import httpx2

from palyra.core.clock import Clock
from palyra.core.errors import FailedPrecondition, InvalidArgument
from palyra.core.redact import redact_text
from palyra.domain.chat.conversation import ChatEvent, ChatRequest
from palyra.ports import ModelHealth, ModelInfo
from palyra.providers.models.dialect import Dialect, check
from palyra.providers.models.key import read_key
from palyra.providers.models.refusal import Target
from palyra.providers.models.said import names_from_model
from palyra.providers.models.tokens import counter_for
from palyra.providers.models.upstream import CallPace, Upstream
from palyra.settings import ModelSettings

ANSWER_BYTES, BYTES_PER_TOKEN = 16_777_216, 2_048
"""no answer needs more: each token may come in an event of its own, with all that is around it"""


class NetworkModel:
    def __init__(self, dialect: Dialect, settings: ModelSettings, clock: Clock, pace: CallPace | None = None) -> None:
        if not settings.model:
            raise FailedPrecondition(
                f"the model provider {settings.provider} needs a model", hint="set models.model to its name"
            )
        base_url = _checked_url(settings.base_url or dialect.base_url)
        key = read_key(settings)
        host = urlsplit(base_url).hostname
        self._is_own = host == urlsplit(dialect.base_url).hostname
        if self._is_own and not key:
            raise FailedPrecondition(
                f"{host} wants a key, and none is set",
                hint="set models.api_key_file (or PALYRA_MODELS_API_KEY), or models.base_url to a server without keys",
            )
        # Anthropic's base has no version, OpenAI's has: both ways of writing are understood.
        version = "/v1" if dialect.path.startswith("/v1/") else ""
        url = base_url.removesuffix(version) + dialect.path
        self.info = ModelInfo(
            settings.provider,
            settings.model,
            settings.window_tokens,
            settings.max_output_tokens,
            settings.takes_images,
            settings.takes_tools,
        )
        self._dialect = dialect
        self._count = counter_for(settings.model)
        self._upstream = Upstream(
            url,
            dialect.headers(key),
            Target(urlsplit(base_url).netloc, settings.model, key),
            pace or CallPace.of(settings.timeout_seconds, settings.max_retries),
            clock,
        )

    def __repr__(self) -> str:
        return f"NetworkModel({self.info.provider!r}, {self.info.model!r})"

    @property
    def health(self) -> ModelHealth:
        breaker = self._upstream.breaker
        return ModelHealth(breaker.state, breaker.failures, breaker.last_error, breaker.open_until_ms)

    def count_tokens(self, text: str) -> int:
        return self._count(text)

    def stream(self, request: ChatRequest) -> AsyncGenerator[ChatEvent, None]:
        check(request, self.info)
        names = names_from_model(request.tools)
        body = self._dialect.to_body(request, self.info, self._is_own)
        content = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
        max_bytes = ANSWER_BYTES + BYTES_PER_TOKEN * request.max_output_tokens
        return self._upstream.stream(content, lambda: self._dialect.new_reader(names), max_bytes)

    async def close(self) -> None:
        await self._upstream.close()


def _checked_url(url: str) -> str:
    hint = "such as http://127.0.0.1:11434/v1"
    try:
        parts = urlsplit(url)
        is_web = parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port is None or parts.port > 0)
        httpx2.URL(url)
        (parts.hostname or "").encode("idna")  # as looking it up does, which fails on an empty or endless label
    except (ValueError, httpx2.InvalidURL):
        raise InvalidArgument("models.base_url is not a web address", hint=hint) from None
    if "@" in url:
        raise InvalidArgument(
            "models.base_url holds a user or a password", hint="set the key as models.api_key_file instead"
        )
    if not is_web:
        shown = redact_text(url[:200]).text
        raise InvalidArgument(f"models.base_url {shown!r} is not a web address", hint=hint)
    if parts.query or parts.fragment or not url.isprintable() or not url.isascii() or " " in url:
        raise InvalidArgument("models.base_url holds more than host and path", hint=hint)
    return url.rstrip("/")
