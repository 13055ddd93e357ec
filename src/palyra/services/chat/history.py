"""The turns before a question: as many of the newest as its prompt may hold, and how much is left out."""

from dataclasses import dataclass

from palyra.core.ids import RunId
from palyra.core.tokens import estimate_tokens
from palyra.domain.chat.session import Session, TapeRecord
from palyra.domain.chat.tool_policy import has_untrusted
from palyra.domain.chat.transcript import history_messages
from palyra.services.continuity.condensed import condensed_part
from palyra.services.prompt.context import HistoryTurn, OlderTurns
from palyra.store.connection import ReadTx
from palyra.store.sessions.records import conversation_runs, pinned_runs, tape_of, told_characters

_RUNS = 20_000
_AT_ONCE = 64


@dataclass(frozen=True, slots=True)
class TurnsBefore:
    turns: tuple[HistoryTurn, ...]
    older: OlderTurns | None
    """what is not even read, because it cannot fit"""
    compaction: str
    untrusted: bool
    """somebody but the owner had a say in it"""


def history_of(tx: ReadTx, session: Session, own: RunId, room_tokens: int) -> TurnsBefore:
    """Without the turn `own`. What is condensed is not in it, and what is pinned is, however old."""
    runs = [run for run in conversation_runs(tx, session, _RUNS) if run.run_id != own]
    pinned = pinned_runs(tx, [run.run_id for run in runs])
    part = condensed_part(tx, session)
    if part is not None:
        runs = [run for run in runs if not part.covers(run) or run.run_id in pinned]
    ids = [run.run_id for run in runs if run.state.is_over]
    told: dict[RunId, list[TapeRecord]] = {}
    at, tokens, characters = len(ids), 0, 0
    while at > 0 and tokens <= room_tokens:
        some = ids[max(0, at - _AT_ONCE) : at]
        at -= len(some)
        page: dict[RunId, list[TapeRecord]] = {run_id: [] for run_id in some}
        for record in tape_of(tx, some):
            page[record.run_id].append(record)
        texts = [str(record.payload.get("text", "")) for record in _all(page) if record.payload]
        characters += sum(map(len, texts))
        tokens += sum(map(estimate_tokens, texts))
        told = page | told
    early = [run_id for run_id in ids[:at] if run_id in pinned]
    if early:
        first: dict[RunId, list[TapeRecord]] = {run_id: [] for run_id in early}
        for record in tape_of(tx, early):
            first[record.run_id].append(record)
        told = first | told
    said = [(run_id, messages, records) for run_id, records in told.items() if (messages := history_messages(records))]
    left = [run_id for run_id in ids[:at] if run_id not in pinned]
    older = None
    if left:
        share = tokens / max(1, characters)
        older = OlderTurns(left[0], len(left), int(told_characters(tx, left) * share))
    return TurnsBefore(
        tuple(HistoryTurn(run_id, messages, run_id in pinned) for run_id, messages, _ in said),
        older,
        "" if part is None else part.text,
        any(has_untrusted(records) for _, _, records in said) or (part is not None and part.untrusted),
    )


def _all(page: dict[RunId, list[TapeRecord]]) -> list[TapeRecord]:
    return [record for records in page.values() for record in records]
