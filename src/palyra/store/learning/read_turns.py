"""What reading the turns of some runs has come to, as it stands now: memories, texts that wait, and what was left."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from palyra.core.ids import RunId
from palyra.domain.memory import CandidateState, MemoryItem
from palyra.domain.memory_events import MemoryHeld, MemoryMerged, MemoryRefused, MemoryStored
from palyra.domain.scope import Visibility
from palyra.store.connection import ReadTx
from palyra.store.memory.candidates import candidates_named
from palyra.store.memory.items import items_named

READ_REQUEST = "read:"
"""begins the id of the request under which the statements of a turn are written; the event of the turn follows"""
_KINDS = (MemoryStored.KIND, MemoryMerged.KIND, MemoryHeld.KIND, MemoryRefused.KIND)


@dataclass(frozen=True, slots=True)
class WrittenStatement:
    """One statement of a turn, with the memory it became or the decision that is awaited; neither: it was erased."""

    event_id: str
    """of the turn"""
    item: MemoryItem | None
    text: str = ""
    category: str = ""
    confidence_bps: int = 0
    trust: int = 0
    because: tuple[str, ...] = ()
    state: CandidateState | None = None


@dataclass(frozen=True, slots=True)
class ReadRun:
    run_id: RunId
    reader: str
    left: tuple[dict[str, Any], ...]
    """event, start, end, reason and how sure, of each piece that stayed on the tape"""


def read_runs(tx: ReadTx, run_ids: Sequence[str], principal: str) -> list[ReadRun]:
    rows = tx.execute(
        "SELECT r.run_id, p.payload FROM learning_reflections r LEFT JOIN journal_payloads p ON p.seq = r.seq"
        " WHERE r.run_id IN (SELECT value FROM json_each(?)) AND r.principal = ?",
        (json.dumps(list(run_ids)), principal),
    )
    found: list[ReadRun] = []
    for run_id, payload in rows:
        body: dict[str, Any] = json.loads(cast("bytes", payload)) if payload else {}
        left = tuple(one for one in body.get("dropped", ()) if "event_id" in one)
        found.append(ReadRun(RunId(cast("str", run_id)), body.get("extractor", ""), left))
    return found


def written_statements(tx: ReadTx, event_ids: Sequence[str], seer: Visibility) -> list[WrittenStatement]:
    """Of these turns, in the order they were written."""
    rows = tx.execute(
        "SELECT j.value, e.kind, p.payload FROM json_each(?) j JOIN journal_events e ON e.principal = ?"
        f" AND e.request_id >= '{READ_REQUEST}' || j.value AND e.request_id < '{READ_REQUEST}' || j.value || '$'"
        " LEFT JOIN journal_payloads p ON p.seq = e.seq ORDER BY e.seq",
        (json.dumps(list(event_ids)), seer.principal),
    )
    told = [
        (cast("str", event_id), cast("dict[str, Any]", json.loads(cast("bytes", payload)) if payload else {}))
        for event_id, kind, payload in rows
        if kind in _KINDS
    ]
    held = candidates_named(tx, [body["candidate_id"] for _, body in told if "candidate_id" in body], seer)
    became = [one.memory_id for one in held.values() if one.memory_id is not None]
    items = items_named(tx, [*(body["memory_id"] for _, body in told if "memory_id" in body), *became], seer)
    found: list[WrittenStatement] = []
    for event_id, body in told:
        candidate = held.get(body.get("candidate_id", ""))
        item = items.get((candidate.memory_id if candidate else None) or body.get("memory_id", ""))
        if candidate is None or item is not None:
            found.append(WrittenStatement(event_id, item))
            continue
        bps, trust = candidate.body.get("confidence_bps", 0), candidate.body.get("trust", 0)
        category = candidate.body.get("category", "")
        found.append(
            WrittenStatement(event_id, None, candidate.text, category, bps, trust, candidate.because, candidate.state)
        )
    return found
