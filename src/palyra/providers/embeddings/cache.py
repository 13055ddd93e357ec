"""Vectors of queries asked before: people and agents ask again, and a model behind a network is slow.

A query's vector depends on the model and the text alone, so writing a memory never empties the cache, and no entry
can be stale. The key is a hash of the text: what somebody asked is not kept in memory longer than the asking.
"""

import hashlib
import threading
from collections import OrderedDict

from palyra.domain.retrieval.vectors import Floats
from palyra.ports import EmbeddingIdentity

ENTRIES = 1_024


class QueryVectorCache:
    """The last `entries` used, thread-safe."""

    def __init__(self, entries: int = ENTRIES) -> None:
        self._entries = entries
        self._vectors: OrderedDict[bytes, Floats] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._vectors)

    def get(self, identity: EmbeddingIdentity, text: str) -> Floats | None:
        """Read-only, because every later asker gets the same array."""
        key = _key(identity, text)
        with self._lock:
            vector = self._vectors.get(key)
            if vector is not None:
                self._vectors.move_to_end(key)
            return vector

    def put(self, identity: EmbeddingIdentity, text: str, vector: Floats) -> None:
        kept = vector.copy()
        kept.flags.writeable = False
        key = _key(identity, text)
        with self._lock:
            self._vectors[key] = kept
            self._vectors.move_to_end(key)
            while len(self._vectors) > self._entries:
                self._vectors.popitem(last=False)


def _key(identity: EmbeddingIdentity, text: str) -> bytes:
    digest = hashlib.blake2b(str(identity).encode(), digest_size=16, person=b"palyra-query")
    digest.update(b"\0" + text.encode("utf-8", "surrogatepass"))
    return digest.digest()
