"""Our own errors in the shapes that OpenAI's and Anthropic's clients know, in answers and in streams."""

import msgspec
from starlette.requests import Request as HttpRequest

from palyra.core.errors import PalyraError
from palyra.transports.http.answers import WholeBody, error_answer
from palyra.transports.observe import public_body

_OPENAI_TYPES = {401: "authentication_error", 403: "permission_error", 404: "not_found_error", 429: "rate_limit_error"}
_ANTHROPIC_TYPES = {**_OPENAI_TYPES, 413: "request_too_large", 504: "timeout_error"}


def refuse_openai(
    _http: HttpRequest | None, error: PalyraError, request_id: str, status: int | None = None
) -> WholeBody:
    return _refusal(error, request_id, status, openai_body(error, request_id))


def refuse_anthropic(
    _http: HttpRequest | None, error: PalyraError, request_id: str, status: int | None = None
) -> WholeBody:
    return _refusal(error, request_id, status, anthropic_body(error, request_id))


def refuse_either(http: HttpRequest, error: PalyraError, request_id: str, status: int | None = None) -> WholeBody:
    """For what both have: whoever sends one of Anthropic's headers is one of its clients."""
    is_anthropics = "anthropic-version" in http.headers or "x-api-key" in http.headers
    return (refuse_anthropic if is_anthropics else refuse_openai)(http, error, request_id, status)


def openai_body(error: PalyraError, request_id: str) -> dict[str, object]:
    kind = _OPENAI_TYPES.get(error.http, "invalid_request_error" if error.http < 500 else "server_error")
    shown = {"message": _message(error), "type": kind, "param": None, "code": error.code, "request_id": request_id}
    return {"error": shown}


def anthropic_body(error: PalyraError, request_id: str) -> dict[str, object]:
    kind = _ANTHROPIC_TYPES.get(error.http, "invalid_request_error" if error.http < 500 else "api_error")
    shown = {"type": kind, "message": _message(error), "code": error.code}
    return {"type": "error", "error": shown, "request_id": request_id}


def openai_event(error: PalyraError, request_id: str) -> bytes:
    return b"data: " + msgspec.json.encode(openai_body(error, request_id)) + b"\n\n"


def anthropic_event(error: PalyraError, request_id: str) -> bytes:
    return b"event: error\ndata: " + msgspec.json.encode(anthropic_body(error, request_id)) + b"\n\n"


def _refusal(error: PalyraError, request_id: str, status: int | None, body: dict[str, object]) -> WholeBody:
    answer = error_answer(error, request_id, status)
    answer.body = msgspec.json.encode(body)
    return answer


def _message(error: PalyraError) -> str:
    shown = public_body(error, None)["error"]
    return f"{shown['message']} ({shown['hint']})" if shown["hint"] else str(shown["message"])
