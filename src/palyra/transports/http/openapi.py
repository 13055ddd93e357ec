"""The OpenAPI document, made from the table of operations. `schemas/openapi.json` is this, committed."""

import json
import sys
from importlib.metadata import version
from typing import Any

import msgspec

from palyra.api.operation import AnyOperation, StreamOperation
from palyra.api.operations import OPERATIONS
from palyra.core.errors import TABLE, PalyraError

_REFERENCE = "#/components/schemas/{name}"
_DESCRIPTION = (
    "The memory of record for AI agents. Errors everywhere: components/schemas/Error. application/x-ndjson is one such"
    " object per line, and an error as the last line if there is one. Whoever accepts application/x-ndjson from an"
    ' operation that answers once gets lines {"progress": …} while it works, then {"result": …}.'
)
_ERROR = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message", "hint", "details", "request_id"],
            "properties": {
                "code": {"type": "string", "enum": [error.code for error in TABLE]},
                "message": {"type": "string"},
                "hint": {"type": "string"},
                "details": {"type": "object"},
                "request_id": {"type": ["string", "null"]},
            },
        }
    },
}


def render() -> bytes:
    return (json.dumps(document(), indent=1, sort_keys=True, ensure_ascii=False) + "\n").encode()


def document() -> dict[str, Any]:
    served = [operation for operation in OPERATIONS if operation.is_served]
    types = [kind for operation in served for kind in (operation.request, operation.response)]
    _, components = msgspec.json.schema_components(types, ref_template=_REFERENCE)
    paths: dict[str, Any] = {}
    for operation in served:
        paths.setdefault(operation.path, {})[operation.method.lower()] = _operation(operation, components)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Palyra",
            "version": version("palyra"),
            "description": _DESCRIPTION,
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "http://127.0.0.1:7142"}],
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "schemas": {**components, "Error": _ERROR},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(operation: AnyOperation, components: dict[str, Any]) -> dict[str, Any]:
    described = components[operation.request.__name__]
    fields, required = described.get("properties", {}), set(described.get("required", ()))
    in_path = [name for name in fields if f"{{{name}}}" in operation.path]
    rest = [name for name in fields if name not in in_path]
    answer: dict[str, Any] = {"$ref": _REFERENCE.format(name=operation.response.__name__)}
    kind = "application/x-ndjson" if isinstance(operation, StreamOperation) else "application/json"
    found: dict[str, Any] = {
        "operationId": operation.name,
        "summary": operation.summary,
        "tags": [operation.name.partition(".")[0]],
        "x-palyra-needs": operation.needs.value,
        "parameters": [_parameter(name, "path", fields[name], required=True) for name in in_path],
        "responses": {"200": {"description": "done", "content": {kind: {"schema": answer}}}, **_errors()},
    }
    if operation.method == "GET":
        found["parameters"] += [_parameter(name, "query", fields[name], required=name in required) for name in rest]
        return found
    if "request_id" in fields:
        found["parameters"].append(_parameter("Idempotency-Key", "header", {"type": "string"}, required=False))
    body = {
        "type": "object",
        "properties": {name: fields[name] for name in rest},
        "required": sorted(required - set(in_path)),
        "additionalProperties": False,
    }
    found["requestBody"] = {"required": bool(body["required"]), "content": {"application/json": {"schema": body}}}
    return found


def _parameter(name: str, place: str, schema: dict[str, Any], *, required: bool) -> dict[str, Any]:
    # A query has no null: leaving the parameter out is the same.
    options = [option for option in schema.get("anyOf", ()) if option.get("type") != "null"]
    shown = options[0] if len(options) == 1 else {key: value for key, value in schema.items() if value is not None}
    return {"name": name, "in": place, "required": required, "schema": shown}


def _errors() -> dict[str, Any]:
    by_status: dict[int, list[type[PalyraError]]] = {}
    for error in TABLE:
        by_status.setdefault(error.http, []).append(error)
    schema = {"application/json": {"schema": {"$ref": _REFERENCE.format(name="Error")}}}
    return {
        str(status): {"description": " or ".join(error.code for error in errors), "content": schema}
        for status, errors in sorted(by_status.items())
    }


if __name__ == "__main__":
    sys.stdout.buffer.write(render())
