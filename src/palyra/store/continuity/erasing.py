"""Which events hold what was condensed of a conversation, for whoever destroys it."""

import json
from collections.abc import Sequence
from typing import Any, cast

from palyra.store.connection import ReadTx


def compactions_over(tx: ReadTx, run_ids: Sequence[str], principal: str) -> list[str]:
    """Events of compactions whose range has a record of these runs in it, in whichever branch they were made."""
    return [event_id for event_id, _ in _over(tx, run_ids, principal)]


def candidates_over(tx: ReadTx, run_ids: Sequence[str], principal: str) -> list[dict[str, Any]]:
    """What these compactions found worth keeping in the words of these runs."""
    seqs = _seqs_of(tx, run_ids)
    found: list[dict[str, Any]] = []
    for _, artifact in _over(tx, run_ids, principal):
        for candidate in json.loads(artifact).get("plan", {}).get("candidates", ()):
            if any(place["seq"] in seqs for place in candidate.get("evidence", ())):
                found.append(candidate)  # noqa: PERF401 - two loops in one line read worse
    return found


def _seqs_of(tx: ReadTx, run_ids: Sequence[str]) -> set[int]:
    sql = "SELECT seq FROM session_tape WHERE run_id IN (SELECT value FROM json_each(?))"
    return {cast("int", row[0]) for row in tx.execute(sql, (json.dumps(list(run_ids)),))}


def _over(tx: ReadTx, run_ids: Sequence[str], principal: str) -> list[tuple[str, str]]:
    rows = tx.execute(
        "WITH RECURSIVE wanted(run_id) AS (SELECT value FROM json_each(?1)),"
        " family(session_id) AS ("
        "  SELECT session_id FROM session_runs WHERE run_id IN wanted"
        "  UNION SELECT s.session_id FROM sessions s JOIN family f ON s.parent_id = f.session_id)"
        " SELECT c.event_id, c.artifact FROM session_compactions c WHERE c.principal = ?2 AND c.session_id IN family"
        " AND EXISTS (SELECT 1 FROM session_tape t WHERE t.run_id IN wanted AND t.seq BETWEEN c.from_seq AND c.to_seq)"
        " ORDER BY c.seq",
        (json.dumps(list(run_ids)), principal),
    )
    return [cast("tuple[str, str]", row) for row in rows]
