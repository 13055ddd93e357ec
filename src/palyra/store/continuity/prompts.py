"""How long the conversations of sessions have become, for whoever condenses them by himself."""

import json
from dataclasses import dataclass
from typing import Any, cast

from palyra.core.ids import SessionId
from palyra.domain.chat.session import TapeType
from palyra.domain.prompt.report import PartKind
from palyra.store.connection import ReadTx


@dataclass(frozen=True, slots=True)
class LastPrompt:
    session_id: SessionId
    principal: str
    channel: str | None
    seq: int
    whole_tokens: int
    """what it took, and what the turns would have taken that it had no room for"""
    window_tokens: int


def last_prompts(tx: ReadTx, limit: int) -> list[LastPrompt]:
    """Of the sessions last active, of every principal. One whose report was erased is left out."""
    sql = (
        "SELECT s.session_id, s.principal, s.channel, t.seq, t.payload FROM"
        " (SELECT * FROM sessions WHERE archived = 0 ORDER BY active_at_ms DESC LIMIT ?) s JOIN session_tape t"
        " ON t.seq = (SELECT max(seq) FROM session_tape WHERE session_id = s.session_id AND type = ?)"
        " WHERE t.payload IS NOT NULL ORDER BY t.seq"
    )
    found: list[LastPrompt] = []
    for session_id, principal, channel, seq, payload in tx.execute(sql, (limit, TapeType.PROMPT_REPORT.value)):
        report: dict[str, Any] = json.loads(cast("str", payload))
        found.append(
            LastPrompt(
                cast("SessionId", session_id),
                cast("str", principal),
                cast("str | None", channel),
                cast("int", seq),
                report["used_tokens"] + _left_out_tokens(report),
                report["window_tokens"],
            )
        )
    return found


def _left_out_tokens(report: dict[str, Any]) -> int:
    turns = (part for part in report.get("parts", ()) if part["kind"] == PartKind.TURNS.value)
    return sum(one.get("tokens", 0) for part in turns for one in part.get("left_out", ()))
