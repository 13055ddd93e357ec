"""Errors as the protocol wants them, each with the code of our own table in `data`."""

from typing import Any

import mcp_types as types
from mcp.shared.exceptions import MCPError

from palyra.core.errors import FailedPrecondition, Internal, InvalidArgument, NotFound, PalyraError
from palyra.core.redact import redact_payload_json, redact_text
from palyra.transports.observe import public_body

_SERVER_ERROR = -32000
_FAULTS_OF_THE_REQUEST = frozenset({"invalid_argument", "too_large", "not_found"})
_VERSIONS_HINT = "speak 2026-07-28, or initialize with an earlier version"

_TABLE: dict[int, tuple[type[PalyraError], str]] = {
    types.PARSE_ERROR: (InvalidArgument, "send one JSON-RPC 2.0 message"),
    types.INVALID_REQUEST: (InvalidArgument, "send one JSON-RPC 2.0 message"),
    types.INVALID_PARAMS: (InvalidArgument, "see the protocol's schema of this method"),
    types.METHOD_NOT_FOUND: (NotFound, "tools, resources and prompts are served here"),
    types.HEADER_MISMATCH: (InvalidArgument, "headers and body must say the same"),
    types.MISSING_REQUIRED_CLIENT_CAPABILITY: (FailedPrecondition, "use a client that has it"),
    types.UNSUPPORTED_PROTOCOL_VERSION: (InvalidArgument, _VERSIONS_HINT),
}
"""what the SDK refuses by itself; the rest is internal"""


def to_protocol(error: PalyraError, request_id: str) -> MCPError:
    """For everything but a tool, which answers with its errors."""
    if isinstance(error, Internal):
        code = types.INTERNAL_ERROR
    else:
        code = types.INVALID_PARAMS if error.code in _FAULTS_OF_THE_REQUEST else _SERVER_ERROR
    body = public_body(error, request_id)
    return MCPError(code, str(body["error"]["message"]), body)


def with_our_code(error: types.ErrorData) -> types.ErrorData:
    """An error of the SDK's, made to carry what every error of ours carries."""
    if isinstance(error.data, dict) and "error" in error.data:
        return error
    kind, hint = _TABLE.get(error.code, (Internal, "repeat; if it stays, see the log"))
    message = "something broke here" if kind is Internal else redact_text(error.message).text
    kept = redact_payload_json(error.data) if isinstance(error.data, dict) else None
    data: dict[str, Any] = {**(kept if isinstance(kept, dict) else {}), **public_body(kind(message, hint=hint), None)}
    return types.ErrorData(code=error.code or types.INTERNAL_ERROR, message=message, data=data)


def refusal(code: int, error: PalyraError) -> types.JSONRPCError:
    """For a message so wrong that it has no id."""
    body = public_body(error, None)
    return types.JSONRPCError(
        jsonrpc="2.0", id=None, error=types.ErrorData(code=code, message=str(body["error"]["message"]), data=body)
    )
