"""Asking an engine what is near, and believing none of it.

An answer is a list of ids worth looking at. Each is read again through the seer's visibility, its content compared by
mark and its cosine computed from our own vector; what does not hold is counted and left out. An answer with too much
of that, or with too few rows, is not used at all: then the local index, which is complete, answers alone.
"""

import asyncio
import math
import time
from collections import Counter
from collections.abc import Sequence

import numpy as np

from palyra.core.errors import Deadline, PalyraError
from palyra.core.ids import MemoryId, is_ulid
from palyra.domain.retrieval.vectors import Floats
from palyra.domain.scope import Visibility
from palyra.ports import EngineProposal
from palyra.services.external.mirror import Mirror
from palyra.services.memory.nearby import AskedVector
from palyra.store.connection import ReadTx
from palyra.store.external.truth import KnownItem, Unmirrored, count_current, proposed, unmirrored, why_unseen
from palyra.store.memory.follower import vectors_of

WANTED = 160
UNMIRRORED = 512
"""items that may be newer than the mirror, compared here; with more of them the mirror is no use"""
_WRONG_SHARE = 0.1
_COSINE_TOLERANCE = 0.01
_SAMPLE = 24
_SHORT_SHARE = 0.9
_LEAST_LENGTH = 1e-3


class EngineAnswer:
    """What came of asking; `believed` is called in the snapshot that is searched."""

    def __init__(self, mirror: Mirror, seer: Visibility, vector: Floats) -> None:
        self._mirror = mirror
        self._seer = seer
        self.vector = vector
        self.found: Sequence[EngineProposal] = ()
        self.failure = ""

    @classmethod
    def failed(cls, mirror: Mirror, seer: Visibility, why: str) -> "EngineAnswer":
        answer = cls(mirror, seer, np.zeros(0, np.float32))
        answer.failure = why
        return answer

    def believed(self, tx: ReadTx) -> Sequence[int] | None:
        counters = self._mirror.counters
        fresh = unmirrored(tx, self._seer, UNMIRRORED)
        seqs = None if self.failure or fresh is None else self._checked(tx, fresh)
        if seqs is None or fresh is None:
            counters.searched(self.failure or "behind")
            return None
        counters.searched("")
        return [*seqs, *fresh.seqs]

    def _checked(self, tx: ReadTx, fresh: Unmirrored) -> list[int] | None:
        once = {one.id: one for one in self.found if _is_id(one.id) and math.isfinite(one.cosine)}
        malformed = sum(not (_is_id(one.id) and math.isfinite(one.cosine)) for one in self.found)
        known = proposed(tx, self._seer, list(once))
        faults = Counter({"poisoned": malformed, "duplicated": len(self.found) - malformed - len(once)})
        faults.update(why_unseen(tx, self._seer, [one for one in once if one not in known]).values())
        good: list[KnownItem] = []
        for item in known.values():
            mark = self._mirror.marks.content(item.content_hash, self._mirror.identity)
            if once[MemoryId(item.memory_id)].mark == mark:
                good.append(item)
        faults["stale"] = len(known) - len(good)
        faults["poisoned"] += self._falsified(tx, good, once)
        self._mirror.counters.rejected.update(+faults)
        late = faults["stale"] + faults["deleted"]  # as it has to be while it is being told
        if faults.total() - late > _WRONG_SHARE * max(len(self.found), 1):
            self._mirror.doubt = self.failure = "wrong"
            return None
        seqs = [item.seq for item in good]
        return seqs if self._is_enough(tx, len(seqs) + len(fresh.seqs) + min(late, fresh.ids)) else None

    def _falsified(self, tx: ReadTx, items: list[KnownItem], said: dict[MemoryId, EngineProposal]) -> int:
        """How many cosines are not what they are, from a sample. Ranking uses none of them: it computes its own."""
        sample = {item.seq: item for item in items[:: max(1, len(items) // _SAMPLE)]}
        found = vectors_of(tx, self._mirror.identity, list(sample))
        if not found:
            return 0
        ours = np.frombuffer(b"".join(vector for _, vector in found), np.float16).reshape(len(found), -1)
        told = np.array([said[MemoryId(sample[seq].memory_id)].cosine for seq, _ in found])
        wrong = np.abs(ours.astype(np.float32) @ self.vector - told) > _COSINE_TOLERANCE
        return round(float(wrong.mean()) * len(items))

    def _is_enough(self, tx: ReadTx, have: int) -> bool:
        if have < _SHORT_SHARE * WANTED:
            there = count_current(tx, self._seer, self._mirror.identity, WANTED)
            if have < _SHORT_SHARE * there:
                self._mirror.doubt = self.failure = "short"
                return False
        return True


async def ask(mirror: Mirror, seer: Visibility, asked: AskedVector, seconds: float) -> EngineAnswer | None:
    vector = await mirror.store.db.read_alone(asked)
    if vector is None or vector.shape != (mirror.dims,):
        return None
    length = float(np.sqrt(vector @ vector))
    if not length > _LEAST_LENGTH:
        return None  # all that was asked is what everything has in common
    answer = EngineAnswer(mirror, seer, vector / np.float32(length))
    await _ask_server(mirror, answer, seer, seconds)
    return answer


async def _ask_server(mirror: Mirror, answer: EngineAnswer, seer: Visibility, seconds: float) -> None:
    server = mirror.server
    if not server.breaker.is_closed or server.is_loading:
        answer.failure = "loading" if server.breaker.is_closed else "asleep"
        return
    scopes = {
        mirror.marks.scope(channel, session) for channel in (None, seer.channel) for session in (None, seer.session_id)
    }
    principal, started = mirror.marks.principal(seer.principal), time.perf_counter()
    try:
        async with asyncio.timeout(seconds):
            answer.found = await server.ask(
                lambda index: index.nearest(principal, answer.vector, WANTED, sorted(scopes)), at_once=True
            )
        mirror.counters.query_ms.append((time.perf_counter() - started) * 1_000)
    except TimeoutError:
        server.fail(Deadline(f"{server.name} gave no answer within {seconds:g} s"))
        answer.failure = Deadline.code
    except PalyraError as error:
        answer.failure = error.code


def _is_id(text: object) -> bool:
    return isinstance(text, str) and is_ulid(text)
