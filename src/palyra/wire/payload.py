"""A payload from outside: one JSON object, or one clear error."""

import json
from collections import Counter

from palyra.core import limits
from palyra.core.errors import InvalidArgument
from palyra.core.hashing import Json


def parse_payload(text: bytes) -> dict[str, Json]:
    """A JSON object from outside. One clear error for everything that is none."""
    hint = """give a JSON object, such as '{"text": "hi"}'"""
    try:
        value = json.loads(text.decode("utf-8"), parse_constant=_refuse_constant, object_pairs_hook=_unique)
    except UnicodeDecodeError as error:
        raise InvalidArgument(f"the payload is not UTF-8: {error.reason} at byte {error.start}", hint=hint) from None
    except RecursionError:
        message = f"the payload is nested deeper than {limits.PAYLOAD_DEPTH} levels"
        raise InvalidArgument(message, hint="flatten it, or store it as text") from None
    except ValueError as error:
        raise InvalidArgument(f"the payload is not JSON: {error}", hint=hint) from None
    if not isinstance(value, dict):
        raise InvalidArgument(f"the payload is a JSON {type(value).__name__}, not an object", hint=hint)
    return value


def _refuse_constant(name: str) -> Json:
    raise ValueError(f"{name} is not JSON")


def _unique(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    value = dict(pairs)
    if len(value) != len(pairs):
        [(double, _)] = Counter(key for key, _ in pairs).most_common(1)
        raise ValueError(f"the key {double!r} stands there twice")
    return value
