"""What a row looks like in Milvus, and how its filters are written.

The primary key begins with the range the id falls in, so that one range is one stretch of keys, and holds principal
and id: nothing else says whose a row is. Vectors are 16-bit floats written as 32-bit ones, which loses nothing.
"""

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from palyra.core.errors import Integrity
from palyra.core.ids import MemoryId
from palyra.domain.retrieval.mirror import principal_key, range_of, row_digest
from palyra.ports import ListedRow, MirroredRow

RANGES = 256
_SLICE_ROWS = 2_000
_KEY = re.compile(r"([0-9a-f]{2})([0-9a-f]{32})(.+)", re.DOTALL)
_HEX = re.compile(r"[0-9a-f]{32}")

Row = Mapping[str, Any]


def key_of(principal: str, memory_id: str) -> str:
    return f"{range_of(memory_id):02x}{principal_key(principal).hex()}{memory_id}"


def id_of(key: str) -> MemoryId:
    return MemoryId(key[34:])


def stored(row: MirroredRow) -> dict[str, object]:
    return {
        "id": key_of(row.principal, row.id),
        "principal": principal_key(row.principal).hex(),
        "scope": row.scope.hex(),
        "mark": row.mark.hex(),
        "vector": np.frombuffer(row.vector, np.float16).astype(np.float32),
    }


def raw(text: str) -> bytes:
    """A mark, or what somebody wrote in its place."""
    return bytes.fromhex(text) if _HEX.fullmatch(text) else text.encode()


def listed(row: Row, dims: int) -> ListedRow:
    """Integrity for a row that no mirror can have written."""
    match = _KEY.fullmatch(str(row["id"]))
    if match is None or int(match[1], 16) != range_of(match[3]):
        raise Integrity(
            f"the table holds a row with the key {str(row['id'])[:64]!r}, which is none of ours",
            hint="palyra memory external rebuild makes the table anew",
        )
    vector = np.asarray(row["vector"], np.float32)
    half = vector.astype(np.float16)
    exact = half.astype(">f2").tobytes() if np.array_equal(half.astype(np.float32), vector) else vector.tobytes()
    principal = bytes.fromhex(match[2])
    named = bytes.fromhex(row["principal"]) if row["principal"] == match[2] else str(row["principal"]).encode()
    digest = row_digest(named, match[3], raw(row["scope"]), raw(row["mark"]), exact, dims)
    return ListedRow(principal, MemoryId(match[3]), digest)


# -- filters


def of_principal(principal: str) -> str:
    return f'principal == "{principal_key(principal).hex()}"'


def in_scopes(scopes: Sequence[bytes]) -> str:
    return f"scope in {_list(scope.hex() for scope in scopes)}"


def with_keys(principal: str, ids: Collection[str]) -> str:
    return f"id in {_list(key_of(principal, memory_id) for memory_id in ids)}"


def slices(rows: int) -> list[tuple[range, str]]:
    """All keys there can be, in stretches of whole ranges with about two thousand rows each."""
    width = RANGES
    while width > 1 and rows * width > _SLICE_ROWS * RANGES:
        width //= 2
    return [(range(start, start + width), _stretch(start, start + width)) for start in range(0, RANGES, width)]


def _stretch(start: int, end: int) -> str:
    """From one range up to another; the first and the last take whatever lies before or after all of them."""
    above = [f'id >= "{start:02x}"'] if start else []
    below = [f'id < "{end:02x}"'] if end < RANGES else []
    return " and ".join([*above, *below]) or 'id >= ""'


def _list(texts: Iterator[str]) -> str:
    return json.dumps(list(texts), ensure_ascii=False)
