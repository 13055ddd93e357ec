"""Which events hold what was condensed of a conversation, for whoever destroys it."""

import json
from collections.abc import Sequence
from typing import cast

from palyra.store.connection import ReadTx


def compactions_over(tx: ReadTx, run_ids: Sequence[str], principal: str) -> list[str]:
    """Events of compactions whose range has a record of these runs in it, in whichever branch they were made."""
    rows = tx.execute(
        "WITH RECURSIVE wanted(run_id) AS (SELECT value FROM json_each(?1)),"
        " family(session_id) AS ("
        "  SELECT session_id FROM session_runs WHERE run_id IN wanted"
        "  UNION SELECT s.session_id FROM sessions s JOIN family f ON s.parent_id = f.session_id)"
        " SELECT c.event_id FROM session_compactions c WHERE c.principal = ?2 AND c.session_id IN family"
        " AND EXISTS (SELECT 1 FROM session_tape t WHERE t.run_id IN wanted AND t.seq BETWEEN c.from_seq AND c.to_seq)"
        " ORDER BY c.seq",
        (json.dumps(list(run_ids)), principal),
    )
    return [cast("str", row[0]) for row in rows]
