"""Requests that were right once: broken in their bytes, in their structure, or not at all. The same seed, the same."""

import json
import random
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

MODERN = "2026-07-28"
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}},
    "io.modelcontextprotocol/clientInfo": {"name": "fuzz", "version": "1"},
}
_ID = "01JD8QZ6T3M4N5P6Q7R8S9TABC"
_CALLS: list[tuple[str, dict[str, Any]]] = [
    ("search", {"query": "bees", "top_k": 3, "tags": ["a"], "categories": ["decision"], "as_of_ms": 1}),
    ("get", {"memory_id": _ID}),
    ("forget", {"memory_ids": [_ID]}),
    ("retain", {"text": " ", "source": "gossip", "tags": ["a"], "scope": "galaxy", "ttl_ms": -1}),
    ("recall", {"query": "", "max_items": 0, "budget_tokens": 0, "top_k": 1}),
    ("reflect", {"question": "", "max_items": 0, "x": 1, "y": 2}),
    ("status", {}),
]
_METHODS: list[tuple[str, dict[str, Any]]] = [
    *(("tools/call", {"name": f"palyra.memory.{name}", "arguments": given}) for name, given in _CALLS),
    ("tools/list", {}),
    ("resources/list", {"cursor": _ID}),
    ("resources/templates/list", {}),
    ("resources/read", {"uri": f"palyra://memory/{_ID}"}),
    ("resources/read", {"uri": "palyra://journal/head"}),
    ("prompts/list", {}),
    ("prompts/get", {"name": "recall", "arguments": {"question": "", "x": "", "y": "", "z": ""}}),
    ("server/discover", {}),
    ("subscriptions/listen", {"notifications": {"toolsListChanged": True}}),
    ("completion/complete", {"ref": {"type": "ref/prompt", "name": "recall"}, "argument": {"name": "q", "value": ""}}),
    ("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}),
    ("ping", {}),
    ("notifications/initialized", {}),
    ("notifications/cancelled", {"requestId": 1, "reason": "no"}),
    ("logging/setLevel", {"level": "debug"}),
]
JUNK: list[Any] = [
    None, True, False, 0, -1, 1.5, 2**53, 10**40, "", " ", "\x00", "é" * 300, "../../etc/passwd", "'; DROP TABLE x",
    [], {}, [[]], {"a": {"b": [1]}}, "palyra.memory.erase", "initialize", "2025-11-25", "9999-99-99", 1e308,
]  # fmt: skip


def mutated(count: int, seed: int, modern: bool) -> Iterator[bytes]:
    """None of them writes: what could has more faults than mutations mend."""
    chance = random.Random(seed)
    for number in range(count):
        method, params = chance.choice(_METHODS)
        message: dict[str, Any] = {"jsonrpc": "2.0", "id": number, "method": method, "params": deepcopy(params)}
        if modern:
            message["params"]["_meta"] = deepcopy(ENVELOPE)
        if method.startswith("notifications/"):
            del message["id"]
        for _ in range(chance.randrange(3)):
            _break_structure(message, chance)
        body = json.dumps(message, ensure_ascii=chance.random() < 0.5).encode("utf-8", "surrogatepass")
        yield _break_bytes(body, chance) if chance.random() < 0.3 else body


def _break_structure(message: Any, chance: random.Random) -> None:
    node: Any = message
    while True:
        keys = list(node) if isinstance(node, dict) else list(range(len(node)))
        if not keys:
            return
        key = chance.choice(keys)
        if isinstance(node[key], dict | list) and node[key] and chance.random() < 0.8:
            node = node[key]
            continue
        match chance.randrange(4):
            case 0:
                del node[key]
            case 1 if isinstance(node, dict):
                node[chance.choice(["x", "principal", "actor", "confirm", "_meta", "requestState"])] = _junk(chance)
            case _:
                node[key] = _junk(chance)
        return


def _junk(chance: random.Random) -> Any:
    return deepcopy(chance.choice(JUNK))


def _break_bytes(body: bytes, chance: random.Random) -> bytes:
    at, data = chance.randrange(len(body)), bytearray(body)
    match chance.randrange(5):
        case 0:
            return body[:at]
        case 1:
            data[at] = chance.randrange(256)
        case 2:
            data[at:at] = bytes(chance.randrange(256) for _ in range(chance.randrange(1, 9)))
        case 3:
            data[at:at] = data[: chance.randrange(len(body))]
        case _:
            del data[at : at + chance.randrange(1, 9)]
    return bytes(data)
