"""Whatever bytes arrive as a request, the answer is one of the statuses we give, and the server goes on.

`--fuzz-inputs` says how many; the seed is fixed, so a failing input comes again.
"""

import random
from collections import Counter
from pathlib import Path
from typing import Any

import grpc
import pytest

from support import run
from transports.grpc.serving import serving, status_of
from transports.grpc.wire_table import MEMORY, METHODS, message

SESSION = {"ulid": "01JD8QZ6T3M4N5P6Q7R8S9TABC"}
SEEDS: dict[str, dict[str, Any]] = {
    "IngestMemory": {
        "source": 4,
        "content_text": "Prefers green tea over coffee in the morning",
        "channel": "work",
        "session_id": SESSION,
        "tags": ["drinks", "morning"],
        "confidence": 0.8,
        "ttl_unix_ms": 4_000_000_000_000,
    },
    "SearchMemory": {
        "query": "tea or coffee",
        "channel": "work",
        "session_id": SESSION,
        "top_k": 5,
        "min_score": 0.1,
        "tags": ["drinks"],
        "sources": [1, 4],
        "include_score_breakdown": True,
    },
    "GetMemoryItem": {"memory_id": SESSION},
    "DeleteMemoryItem": {"memory_id": SESSION},
    "ListMemoryItems": {"limit": 3, "channel": "work", "session_id": SESSION, "tags": ["drinks"], "sources": [4]},
    "PurgeMemory": {"channel": "work", "session_id": SESSION},
}
HUGE_VARINTS = (b"\xff" * 9 + b"\x01", b"\xff" * 10, b"\xff" * 20, b"\x80" * 10 + b"\x01", b"\xff\xff\xff\xff\x0f")
NO_UTF8 = (b"\xff", b"\xc3\x28", b"\xed\xa0\x80", b"\xf8\x88\x80\x80\x80", b"\x00")
EXPECTED = {
    grpc.StatusCode.OK,
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.NOT_FOUND,
    grpc.StatusCode.PERMISSION_DENIED,
}


def _varint(value: int) -> bytes:
    out = b""
    while value > 127:
        out, value = out + bytes((value & 127 | 128,)), value >> 7
    return out + bytes((value,))


def _field(rng: random.Random) -> bytes:
    """A field as it might stand in a message: any number, any wire type, a value that may not fit it."""
    number = rng.choice((1, 2, 3, 4, 5, 6, 7, 8, 9, 17, 18, 20, 27, rng.getrandbits(29)))
    kind = rng.randrange(8)
    body = rng.randbytes(rng.randrange(12))
    value = {
        0: rng.choice((*HUGE_VARINTS, _varint(rng.getrandbits(rng.choice((3, 31, 64)))))),
        1: rng.randbytes(8),
        2: _varint(rng.choice((len(body), rng.getrandbits(31)))) + rng.choice((body, *NO_UTF8)),
        5: rng.randbytes(4),
    }.get(kind, body)
    return _varint(number << 3 | kind) + value


def mutated(raw: bytes, rng: random.Random) -> bytes:
    data = bytearray(raw)
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(data) + 1)
        match rng.randrange(7):
            case 0 if data:
                data[at % len(data)] ^= 1 << rng.randrange(8)
            case 1:
                del data[at:]
            case 2:
                data[at:at] = _field(rng)
            case 3:
                data[at:at] = rng.choice(HUGE_VARINTS)
            case 4:
                data[at : at + rng.randrange(4)] = rng.choice(NO_UTF8)
            case 5:
                data[at : at + rng.randrange(20)] = b""
            case _:
                data += _field(rng)
    return bytes(data)


def test_no_request_however_mangled_breaks_the_server(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    count = request.config.getoption("--fuzz-inputs")
    rng = random.Random(7_443)
    seeds = {name: message(f"{name}Request")(v=1, **SEEDS[name]).SerializeToString() for name in METHODS}

    async def story() -> Counter[Any]:
        statuses: Counter[Any] = Counter()
        async with serving(tmp_path) as up:
            ana = await up.client()
            metadata = (("authorization", f"Bearer {ana.token}"),)
            raw_call: Any = up.channel.unary_unary  # without serializers: bytes go out as they are
            rpcs = {name: raw_call(f"/{MEMORY}.MemoryService/{name}") for name in METHODS}
            for _ in range(count):
                method = rng.choice(METHODS)
                raw = mutated(seeds[rng.choice((method, rng.choice(METHODS)))], rng)
                status = await status_of(rpcs[method](raw, metadata=metadata, timeout=20))
                statuses[status] += 1
                assert status in EXPECTED, (method, raw.hex())
            stored = (await ana.ingest("Still here after all that")).item
            assert (await ana.call("GetMemoryItem", memory_id=stored.memory_id)).item == stored
        return statuses

    statuses = run(story())
    assert statuses[grpc.StatusCode.OK] > count / 100, "nearly nothing got past the parser"
    assert statuses[grpc.StatusCode.INVALID_ARGUMENT] > count / 10
