"""What a server's refusal means to us: which error of the table, and whether asking again can help.

The server's own words go along where they help, with keys masked: servers like to quote what they were sent.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

from palyra.core.errors import (
    Exhausted,
    FailedPrecondition,
    Integrity,
    InvalidArgument,
    PalyraError,
    TooLarge,
    Unavailable,
)
from palyra.core.redact import redact_text

AGAIN = frozenset({408, 429, 500, 502, 503, 504, 529})
MESSAGE_CHARS, READ_CHARS = 300, 4_000
_SECONDS = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?")
# What servers call their failures in the middle of a stream, where there is no status any more.
STATUS_OF = {
    "invalid_request_error": 400,
    "invalid_prompt": 400,
    "authentication_error": 401,
    "invalid_api_key": 401,
    "permission_error": 403,
    "not_found_error": 404,
    "model_not_found": 404,
    "request_too_large": 413,
    "context_length_exceeded": 413,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "insufficient_quota": 429,
    "overloaded_error": 529,
}


@dataclass(frozen=True, slots=True)
class Target:
    """Whom we ask, for messages: nothing here is secret but the key, which is here to be masked."""

    server: str
    model: str
    key: str

    def __repr__(self) -> str:
        return f"Target({self.server!r}, {self.model!r})"


class Refused(Exception):
    """An error, and how long to wait before asking again: 0 as you like, None never. Never leaves this package."""

    def __init__(self, error: PalyraError, wait_ms: int | None) -> None:
        super().__init__(error.message)
        self.error, self.wait_ms = error, wait_ms


def refused_by_status(status: int, headers: Mapping[str, str], body: bytes, target: Target, now_ms: int) -> Refused:
    try:
        words: object = json.loads(body)
    except (ValueError, RecursionError):
        words = None
    kind, message = _words_of(words.get("error", words) if isinstance(words, dict) else None)
    if 300 <= status < 400:
        return Refused(_redirect(status, target), None)
    return _refused(status, kind, message, _wait_ms(headers, now_ms), target)


def refused_in_stream(error: object, target: Target) -> Refused:
    kind, message = _words_of(error)
    status = int(kind) if kind.isascii() and kind.isdigit() and 400 <= int(kind[:4]) < 600 else STATUS_OF.get(kind, 500)
    return _refused(status, kind, message, 0, target)


def _words_of(error: object) -> tuple[str, str]:
    """The kind and the message, as the many servers put them."""
    if isinstance(error, str):
        return "", error
    if not isinstance(error, dict):
        return "", ""
    code, kind = error.get("code"), error.get("type")
    kind = code if code and isinstance(code, str | int) and not isinstance(code, bool) else kind
    message = error.get("message") or error.get("detail")
    return str(kind or "")[:64], message if isinstance(message, str) else ""


def _refused(status: int, kind: str, message: str, wait_ms: int, target: Target) -> Refused:
    if kind == "context_length_exceeded":
        status = 413
    said = clean(message, target)
    what = f"the model server {target.server} answered HTTP {status}" + (f": {said}" if said else "")
    again = wait_ms if status in AGAIN and kind != "insufficient_quota" else None
    return Refused(_error(status, what, wait_ms, target), again)


def _error(status: int, what: str, wait_ms: int, target: Target) -> PalyraError:
    match status:
        case 401 | 403:
            # Its words would quote the key.
            return FailedPrecondition(
                f"the model server {target.server} refused the key (HTTP {status})"
                if target.key
                else f"the model server {target.server} wants a key (HTTP {status})",
                hint="check models.api_key or models.api_key_file, and that the key may use this model",
                status=status,
            )
        case 400 | 422:
            return InvalidArgument(what, hint="change the request, or choose another model", status=status)
        case 404:
            hint = f"check that models.base_url is right and knows the model {target.model!r} (models.model)"
            return FailedPrecondition(what, hint=hint, status=status)
        case 413:
            hint = "send less, or set models.window_tokens to what the model takes"
            return TooLarge(what, hint=hint, status=status)
        case 429:
            hint = "wait, or raise the limit or the credit of the key at the provider"
            return Exhausted(what, hint=hint, status=status, retry_after_ms=wait_ms or None)
        case _ if status >= 500 or status in AGAIN:
            hint = "try again later, or ask whoever runs the server"
            return Unavailable(what, hint=hint, status=status, retry_after_ms=wait_ms or None)
        case _ if status >= 400:
            return FailedPrecondition(what, hint="check models.base_url, models.api and models.model", status=status)
        case _:
            return Integrity(what, hint="is models.base_url the address of a model server?", status=status)


def _redirect(status: int, target: Target) -> PalyraError:
    return FailedPrecondition(
        f"the model server {target.server} sends elsewhere (HTTP {status}); redirects are not followed",
        hint="set models.base_url to the final address",
        status=status,
    )


def clean(message: str, target: Target) -> str:
    """A server's words as we may show them."""
    words = message[:READ_CHARS]
    if target.key:
        words = words.replace(target.key, "[redacted:credential]")
    words = " ".join("".join(character if character.isprintable() else " " for character in words).split())
    return redact_text(words).text[:MESSAGE_CHARS]


def _wait_ms(headers: Mapping[str, str], now_ms: int) -> int:
    """What Retry-After asks for, in seconds or as a date; 0 when it asks for nothing we understand."""
    precise = headers.get("retry-after-ms", "")
    if _SECONDS.fullmatch(precise):
        return int(float(precise))
    text = headers.get("retry-after", "").strip()
    if _SECONDS.fullmatch(text):
        return int(float(text) * 1000)
    try:
        return max(int(parsedate_to_datetime(text).timestamp() * 1000) - now_ms, 0)
    except (ValueError, OverflowError):
        return 0
