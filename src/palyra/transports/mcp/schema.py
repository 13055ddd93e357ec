"""JSON Schemas of the tools, from the very types that check arguments and make answers."""

from functools import cache
from typing import Any

import msgspec

from palyra.transports.mcp.answers import Refusal

_PLACE = "#/$defs/{name}"


@cache
def input_schema(kind: type[msgspec.Struct]) -> dict[str, Any]:
    _, defs = msgspec.json.schema_components((kind,), ref_template=_PLACE)
    own: dict[str, Any] = defs.pop(kind.__name__)
    own.pop("title", None)
    return own | ({"$defs": defs} if defs else {})


@cache
def output_schema(kind: type[msgspec.Struct]) -> dict[str, Any]:
    """Also of an answer that is an error: some clients check those, too."""
    either, defs = msgspec.json.schema_components((kind, Refusal), ref_template=_PLACE)
    return {"type": "object", "anyOf": list(either), "$defs": defs}
