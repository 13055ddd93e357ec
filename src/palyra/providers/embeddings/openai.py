"""Any server that speaks OpenAI's `POST /v1/embeddings`: the hosted one, or a local model behind the same protocol.

One call has one time limit that covers every batch, retry and wait in it. A busy server (429, 5xx, a broken
connection) is asked again after what its Retry-After says, else after a growing, jittered pause. An answer that is
not exactly one usable vector per text is an error and never a vector. Neither the key nor the server's words, which
may quote the key or the texts, appear in an error.
"""

import json
import random
import re
import threading
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import numpy as np

from palyra.core.errors import Deadline, Exhausted, FailedPrecondition, InvalidArgument, PalyraError, Unavailable
from palyra.domain.retrieval.vectors import Floats
from palyra.ports import EmbeddingIdentity, Role

if TYPE_CHECKING:
    import httpx2

TEXTS_PER_REQUEST = 256
ATTEMPTS = 4
BACKOFF_MS = 500
BYTES_PER_NUMBER, BYTES_PER_ANSWER = 64, 1_048_576
"""an answer longer than its numbers could need is not read to the end"""
KNOWN_DIMS = {
    "text-embedding-3-small": 1_536,
    "text-embedding-3-large": 3_072,
    "text-embedding-ada-002": 1_536,
    "nomic-embed-text": 768,
    "mxbai-embed-large": 1_024,
    "bge-m3": 1_024,
    "all-minilm": 384,
}
"""for who leaves dims at 0; a vector's size must be known before the first one is made"""
AGAIN = frozenset({408, 429, 500, 502, 503, 504})
_SECONDS = re.compile(r"[0-9]{1,6}(\.[0-9]{1,3})?")
BLANK = "-"
"""sent for a text without a visible character, which the protocol refuses"""


class OpenAIEmbedding:
    """`base_url` ends in the version, like https://api.openai.com/v1. Both roles are embedded alike."""

    def __init__(
        self,
        *,
        base_url: str,
        model: str,
        dims: int,
        api_key: str = "",
        timeout_ms: int = 10_000,
        backoff_ms: int = BACKOFF_MS,
    ) -> None:
        dims = dims or KNOWN_DIMS.get(model, 0)
        _check(base_url, model, dims)
        self.identity = EmbeddingIdentity(f"openai:{model}", dims, "1")
        self._url = base_url.rstrip("/") + "/embeddings"
        self._model = model
        self._headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self._timeout_ms, self._backoff_ms = timeout_ms, backoff_ms
        self._client: httpx2.Client | None = None
        self._opening = threading.Lock()
        self._closed = threading.Event()

    def __repr__(self) -> str:
        return f"OpenAIEmbedding({str(self.identity)!r}, {self._url!r})"

    def embed(self, texts: Sequence[str], role: Role) -> Floats:  # noqa: ARG002 - the protocol knows no roles
        deadline = time.monotonic() + self._timeout_ms / 1000
        out = np.empty((len(texts), self.identity.dims), dtype=np.float32)
        for start in range(0, len(texts), TEXTS_PER_REQUEST):
            batch = [_sendable(text) for text in texts[start : start + TEXTS_PER_REQUEST]]
            out[start : start + len(batch)] = parse_answer(
                self._ask(batch, deadline), len(batch), self.identity.dims, self._url
            )
        return out

    def close(self) -> None:
        """Wakes whoever waits to try again."""
        self._closed.set()
        with self._opening:
            if self._client is not None:
                self._client.close()

    def _ask(self, batch: list[str], deadline: float) -> bytes:
        """The body of the first answer with status 200."""
        body = {"model": self._model, "input": batch, "encoding_format": "float"}
        for attempt in range(1, ATTEMPTS + 1):
            outcome, wait_ms = self._attempt(body, len(batch), deadline)
            if isinstance(outcome, bytes):
                return outcome
            if wait_ms is None or attempt == ATTEMPTS:
                raise outcome
            if wait_ms == 0:
                spread = random.uniform(0.5, 1.0)  # noqa: S311 - keeps clients apart, guards nothing
                wait_ms = int(self._backoff_ms * 2 ** (attempt - 1) * spread)
            if time.monotonic() + wait_ms / 1000 >= deadline or self._closed.wait(wait_ms / 1000):
                raise outcome
        raise AssertionError("unreachable: the last attempt returns or raises")

    def _attempt(
        self, body: dict[str, Any], count: int, deadline: float
    ) -> tuple[bytes, None] | tuple[PalyraError, int | None]:
        """An answer, or an error and how long to wait before the next try: 0 for as you like, None for never."""
        import httpx2  # noqa: PLC0415 - only who chose this provider should wait for its import

        remaining = deadline - time.monotonic()
        if remaining <= 0:
            return self._too_slow(), None
        try:
            with self._open().stream("POST", self._url, json=body, headers=self._headers, timeout=remaining) as answer:
                if answer.status_code != 200:
                    return self._refused(answer.status_code, answer.headers.get("retry-after", ""))
                return self._read(answer, count, deadline), None
        except httpx2.TimeoutException:
            return self._too_slow(), None
        except (httpx2.HTTPError, httpx2.StreamError) as error:
            what = f"the embedding server {self._url} broke off: {type(error).__name__}"
            return Unavailable(what, hint="is it running, and reachable from here?"), 0
        except PalyraError as error:
            return error, None

    def _read(self, answer: "httpx2.Response", count: int, deadline: float) -> bytes:
        # A server that drips a byte a second never trips a read timeout, and one that never stops fills the memory.
        limit = BYTES_PER_ANSWER + count * self.identity.dims * BYTES_PER_NUMBER
        body = bytearray()
        for piece in answer.iter_bytes():
            body += piece
            if len(body) > limit:
                raise unusable(self._url, f"more than {limit} bytes for {count} texts")
            if time.monotonic() > deadline:
                raise self._too_slow()
        return bytes(body)

    def _refused(self, status: int, retry_after: str) -> tuple[PalyraError, int | None]:
        what = f"the embedding server {self._url} answered HTTP {status}"
        if status not in AGAIN:
            hint = "check the key" if status in {401, 403} else "check the address and the model's name"
            return FailedPrecondition(what, hint=hint, status=status), None
        wait_ms = int(float(retry_after) * 1000) if _SECONDS.fullmatch(retry_after) else 0
        if status == 429:
            hint = "wait, or lower memory.embeddings.backfill_batch"
            return Exhausted(what, hint=hint, status=status, retry_after_ms=wait_ms or None), wait_ms
        hint = "try again later, or ask whoever runs the server"
        return Unavailable(what, hint=hint, status=status, retry_after_ms=wait_ms or None), wait_ms

    def _too_slow(self) -> Deadline:
        return Deadline(
            f"the embedding server {self._url} did not finish within {self._timeout_ms} ms",
            hint="raise the time limit, lower the batch size, or use the local provider",
        )

    def _open(self) -> "httpx2.Client":
        import httpx2  # noqa: PLC0415 - see _attempt

        with self._opening:
            if self._closed.is_set():
                raise Unavailable("the embedding provider is closed", hint="make a new one")
            if self._client is None:
                # No proxy, certificate or password from the environment: texts go where the settings say, or nowhere.
                self._client = httpx2.Client(trust_env=False, follow_redirects=False)
            return self._client


def parse_answer(body: bytes, count: int, dims: int, url: str) -> Floats:
    """Unit rows in the order of the texts, or Unavailable that says what is wrong with the answer."""
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise unusable(url, "a body that is not JSON") from error
    data = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(data, list) or not all(isinstance(entry, dict) for entry in data):
        raise unusable(url, "no list `data`")
    if len(data) != count:
        raise unusable(url, f"{len(data)} vectors for {count} texts")
    places = [entry.get("index") for entry in data]
    if any(type(place) is not int for place in places) or sorted(places) != list(range(count)):
        raise unusable(url, f"`index` values that are not 0 to {count - 1}")
    out = np.empty((count, dims), dtype=np.float32)
    for entry in data:
        out[entry["index"]] = _unit(entry.get("embedding"), entry["index"], dims, url)
    return out


def _unit(numbers: object, place: int, dims: int, url: str) -> Floats:
    if not isinstance(numbers, list) or not all(type(number) in (int, float) for number in numbers):
        raise unusable(url, f"a vector {place} that is not a list of numbers")
    if len(numbers) != dims:
        hint = f"set memory.embeddings.dims to the model's size; it is {dims}"
        raise unusable(url, f"vector {place} of {len(numbers)} numbers, not {dims}", hint)
    vector = np.array(numbers, dtype=np.float64)
    largest = np.abs(vector).max()
    if not np.isfinite(largest):
        raise unusable(url, f"NaN or an infinity in vector {place}")
    if largest == 0.0:
        raise unusable(url, f"vector {place} of zeros only")
    vector /= largest  # so that squaring neither overflows nor vanishes
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def unusable(url: str, what: str, hint: str = "use a server that speaks the OpenAI embeddings protocol") -> Unavailable:
    return Unavailable(f"the embedding server {url} answered with {what}", hint=hint)


def _check(base_url: str, model: str, dims: int) -> None:
    parts = urlsplit(base_url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise InvalidArgument(
            f"embedding base_url {base_url[:64]!r} is not a web address", hint="such as http://127.0.0.1:8080/v1"
        )
    if parts.username or parts.password or parts.query or parts.fragment:
        raise InvalidArgument("the embedding base_url holds more than host and path", hint="pass a key as the key")
    if not model:
        raise InvalidArgument("the embedding provider openai needs a model", hint="set memory.embeddings.model")
    if not 1 <= dims <= 8_192:
        raise InvalidArgument(
            f"embedding dims {dims} is not between 1 and 8192", hint="set memory.embeddings.dims to the model's size"
        )


def _sendable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8") if text.strip() else BLANK
