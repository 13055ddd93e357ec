"""From the tape to what is read of it: who said what, how far it is to be trusted, and which tools did what."""

import json

from palyra.core.ids import EventId, RunId
from palyra.domain.chat.session import Run, RunOrigin, Session, TapeRecord
from palyra.domain.chat.transcript import TranscriptKind, TranscriptMessage, messages
from palyra.domain.compaction.plan import Voice
from palyra.domain.compaction.tape import RunTape, said_of
from palyra.domain.learning.proposal import Heard, ToolUse, Utterance
from palyra.domain.learning.turn import NEIGHBOURS, HeardTurn, turns_in
from palyra.domain.memory import Trust
from palyra.store.connection import ReadTx
from palyra.store.sessions.records import conversation_runs, tape_of


def turn_of(tx: ReadTx, session: Session, run: Run) -> tuple[HeardTurn, ...]:
    runs = [*conversation_runs(tx, session, NEIGHBOURS, run.seq), run]
    return turns_in(messages(tape_of(tx, [one.run_id for one in runs])), run)


def heard_before(tx: ReadTx, session: Session, run: Run) -> tuple[Heard, ...]:
    """The run and those before it, oldest first."""
    runs = [*conversation_runs(tx, session, NEIGHBOURS, run.seq), run]
    records: dict[RunId, list[TapeRecord]] = {one.run_id: [] for one in runs}
    for record in tape_of(tx, list(records)):
        records[record.run_id].append(record)
    return tuple(_heard(one, records[one.run_id]) for one in runs)


def _heard(run: Run, records: list[TapeRecord]) -> Heard:
    tape = RunTape.of(run, records)
    said: list[Utterance] = []
    used: list[ToolUse] = []
    for message in messages(records):
        one = said_of(tape, message)
        event_id = EventId(message.event_ids[0])
        if message.kind is TranscriptKind.TOOL and "is_error" in message.details:
            used.append(_used(message, event_id))
        if one is not None:
            # Nobody says what a schedule asks, and long messages are often copied from elsewhere.
            ours = one.voice is Voice.USER and (run.origin is RunOrigin.CRON or one.is_long)
            trust = max(one.trust, Trust.AGENT) if ours else one.trust
            said.append(Utterance(one.seq, event_id, one.voice, one.text, one.at_ms, trust))
    return Heard(run.run_id, tuple(said), tuple(used))


def _used(message: TranscriptMessage, event_id: EventId) -> ToolUse:
    arguments = message.details.get("arguments", "")
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False, sort_keys=True)
    done = message.details.get("is_error") is False
    return ToolUse(message.seq, event_id, str(message.details.get("name", "")), text, done)
