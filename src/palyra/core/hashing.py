"""The bytes that are hashed. `docs/journal-format.md` specifies them for a stranger; change both or neither.

Every hash starts with its own tag, so that no message of one kind can pass for another; every variable
field carries its length, so that no two headers share an encoding; null has a length no string can have.
"""

import hashlib
import json
from collections.abc import Callable
from struct import Struct
from typing import TypeAlias

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

GENESIS = bytes(32)
SALT_BYTES = 16

EVENT_TAG = b"palyra:event:v1\n"
PAYLOAD_TAG = b"palyra:payload:v1\n"
REQUEST_TAG = b"palyra:request:v1\n"
STATE_TAG = b"palyra:state:v1\n"

_sha256 = hashlib.sha256
_length = Struct(">I").pack
_NULL = b"\xff\xff\xff\xff"
_tagged = Struct(f">{len(EVENT_TAG)}sQIqq").pack

_encoder = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"), sort_keys=True)


def _make_encode() -> Callable[[Json], str]:
    """JSONEncoder.encode builds its C encoder anew for every call, which costs more than encoding: keep one."""
    make = getattr(json.encoder, "c_make_encoder", None)
    if make is None:
        return _encoder.encode
    encode = make(None, _encoder.default, json.encoder.encode_basestring, None, ":", ",", True, False, False)
    return lambda value: "".join(encode(value, 0))


canonical_text = _make_encode()
"""Keys sorted, no spaces, no NaN. ValueError or TypeError for what JSON cannot say, RecursionError for a loop."""


def canonical_json(value: Json) -> bytes:
    """The same as UTF-8. A lone surrogate is a UnicodeEncodeError, which is a ValueError."""
    return canonical_text(value).encode()


def field(value: bytes | None) -> bytes:
    return _NULL if value is None else _length(len(value)) + value


def payload_commitment(salt: bytes, payload: bytes) -> bytes:
    """Hides the payload behind the salt: once both are erased, the commitment says nothing about the text."""
    return _sha256(PAYLOAD_TAG + salt + payload).digest()


def request_commitment(salt: bytes, request: bytes) -> bytes:
    return _sha256(REQUEST_TAG + salt + request).digest()


def event_hash(
    seq: int,
    v: int,
    occurred_at_ms: int,
    recorded_at_ms: int,
    event_id: bytes,
    names: bytes,
    commitment: bytes,
    prev_hash: bytes,
) -> bytes:
    """`names` is `header_names(...)`: it repeats from event to event, so callers may keep it."""
    numbers = _tagged(EVENT_TAG, seq, v, occurred_at_ms, recorded_at_ms)
    return _sha256(b"".join((numbers, event_id, names, commitment, prev_hash))).digest()


def header_names(*values: bytes | None) -> bytes:
    """kind, actor, principal, channel, session_id, run_id, request_id, request_digest: in this order."""
    return b"".join(map(field, values))


def split_names(names: bytes) -> list[str | None]:
    """What `header_names` was made of."""
    values: list[str | None] = []
    at = 0
    while at < len(names):
        length = names[at : at + 4]
        at += 4
        if length == _NULL:
            values.append(None)
            continue
        end = at + int.from_bytes(length, "big")
        values.append(names[at:end].decode())
        at = end
    return values


def sha256(data: bytes) -> bytes:
    return _sha256(data).digest()
