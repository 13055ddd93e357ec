"""From path, query, headers and body to a request; everything that is none gets one clear error."""

from functools import cache
from typing import Any, TypeVar, get_args, get_origin, get_type_hints
from urllib.parse import parse_qsl

import msgspec
from starlette.requests import Request as HttpRequest

from palyra.api.operation import AnyOperation
from palyra.core.errors import InvalidArgument
from palyra.transports.http.headers import header
from palyra.wire.base import Request

T = TypeVar("T", bound=Request)

_HINT = "GET /v1/openapi.json says what it takes"
_MAX_QUERY_FIELDS = 256


def decode(operation: AnyOperation, http: HttpRequest, body: bytes) -> Request:
    values: dict[str, Any]
    if operation.method == "GET":
        if body:
            raise InvalidArgument(f"{operation.name} takes no body", hint="put the fields into the query")
        values = _query(operation.request, http.scope["query_string"])
    else:
        if http.scope["query_string"]:
            raise InvalidArgument(f"{operation.name} takes no query", hint="put the fields into the JSON body")
        values = json_object(http, body)
    for name, value in http.path_params.items():
        if values.setdefault(name, value) != value:
            raise InvalidArgument(f"{name} is {value!r} in the path and another in the request", hint="give it once")
    _idempotency_key(operation, http, values)
    request: Request = convert(values, operation.request, strict=operation.method != "GET")
    return request


def convert(values: object, kind: type[T], *, strict: bool = True) -> T:
    try:
        return msgspec.convert(values, kind, strict=strict)
    except (msgspec.ValidationError, ValueError) as error:
        raise InvalidArgument(f"the request is not valid: {error}", hint=_HINT) from None


def _parse_json(body: bytes) -> object:
    try:
        return msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InvalidArgument(f"the body is not JSON: {error}", hint="send a JSON object in UTF-8") from None
    except RecursionError:
        raise InvalidArgument("the body is nested too deeply", hint="flatten it") from None


def json_object(http: HttpRequest, body: bytes) -> dict[str, Any]:
    if not body:
        return {}
    given = header(http, "content-type")
    kind = "application/json" if given is None else given.partition(";")[0].strip().lower()
    if kind != "application/json":
        raise InvalidArgument(
            f"content type {kind[:64]!r}", hint="send it with the header content-type: application/json"
        )
    value = _parse_json(body)
    if not isinstance(value, dict):
        raise InvalidArgument(f"the body is a JSON {type(value).__name__}, not an object", hint=_HINT)
    return value


def _query(kind: type[Request], query: bytes) -> dict[str, Any]:
    try:
        pairs = parse_qsl(
            query.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=_MAX_QUERY_FIELDS
        )
    except ValueError:
        raise InvalidArgument("the query is not percent-encoded UTF-8", hint=_HINT) from None
    values: dict[str, Any] = {}
    many = _sequences(kind)
    for name, value in pairs:
        if name in many:
            values.setdefault(name, []).append(value)
        elif name in values:
            raise InvalidArgument(f"{name[:64]!r} stands in the query twice", hint="give it once")
        else:
            values[name] = value
    return values


@cache
def _sequences(kind: type[Request]) -> frozenset[str]:
    """Fields that may stand in a query more than once."""
    hints = get_type_hints(kind)
    return frozenset(
        name
        for name, hint in hints.items()
        if any(get_origin(option) in (list, tuple) for option in (hint, *get_args(hint)))
    )


def _idempotency_key(operation: AnyOperation, http: HttpRequest, values: dict[str, Any]) -> None:
    key = header(http, "idempotency-key")
    if key is None or operation.method == "GET":
        return
    if "request_id" not in operation.request.__struct_fields__:
        raise InvalidArgument(
            f"{operation.name} takes no Idempotency-Key", hint="leave it out: see the guide on repeating requests"
        )
    if values.setdefault("request_id", key) != key:
        raise InvalidArgument("request_id and Idempotency-Key differ", hint="give one of them")
