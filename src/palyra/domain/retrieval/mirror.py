"""How items look from outside: marks that only the owner of the key can make, and digests to compare two sides by.

An engine elsewhere learns neither names of principals nor whether a text it can guess is stored: what it is given is
keyed with a secret of this journal. Two sides compare 256 ranges of ids by one number each, and only where these
differ the rows.
"""

import hashlib
import re

KEY_BYTES = 32
_MARK_BYTES = 16
_HEX = re.compile(r"[0-9a-f]{32}")


class Marks:
    def __init__(self, key: bytes) -> None:
        self._key = key

    def principal(self, name: str) -> str:
        return self._mark(b"principal", name.encode()).hex()

    def scope(self, channel: str | None, session_id: str | None) -> bytes:
        parts = (b"-" if part is None else b"=" + part.encode() for part in (channel, session_id))
        return self._mark(b"scope", *parts)

    def content(self, content_hash: bytes, identity: str) -> bytes:
        """Of a text and the model its vector comes from."""
        whole = content_hash + identity.encode()  # a hash is always as long
        return hashlib.blake2b(whole, key=self._key, digest_size=_MARK_BYTES, person=b"content").digest()

    def table(self, identity: str) -> str:
        """What one mirror is called where it is kept: one per journal and model."""
        return f"palyra_{self._mark(b'table', identity.encode()).hex()[:20]}"

    def _mark(self, kind: bytes, *parts: bytes) -> bytes:
        mark = hashlib.blake2b(key=self._key, digest_size=_MARK_BYTES, person=kind)
        for part in parts:
            mark.update(len(part).to_bytes(4, "big") + part)
        return mark.digest()


def principal_key(principal: str) -> bytes:
    """16 bytes for any name; a mark of ours is its own."""
    if _HEX.fullmatch(principal):
        return bytes.fromhex(principal)
    return hashlib.blake2b(principal.encode(), digest_size=_MARK_BYTES).digest()


def range_of(memory_id: str) -> int:
    return hashlib.sha256(memory_id.encode()).digest()[0]


def row_digest(principal: bytes, memory_id: str, scope: bytes, mark: bytes, vector: bytes, dims: int) -> int:
    """`vector`: float16 in network order. A signed number of 64 bits."""
    packed = principal + memory_id.encode() + scope + mark + dims.to_bytes(2, "big") + b"\0\0" + vector
    return int.from_bytes(hashlib.sha256(packed).digest()[:8], "big", signed=True)
