"""What was read of turns, as it goes out. Every text passes the redactor once more here."""

from collections.abc import Mapping

from palyra.core.ids import EventId
from palyra.core.redact import redact_memory_text_for_output
from palyra.domain.learning.read import FoundStatement
from palyra.domain.memory import OUTCOME_NAMES, outcome_reasons
from palyra.language.words import lines
from palyra.wire.chat import LeftOnTape, ReadStatement


def to_statement(found: FoundStatement, places: Mapping[EventId, int]) -> ReadStatement:
    """`places`: of each record of the tape, which of the turns it is."""
    assert found.outcome is not None  # noqa: S101 - what has none is left on the tape
    assert found.kind is not None  # noqa: S101 - as above
    return ReadStatement(
        turn=places.get(found.event_id, -1),
        text=redact_memory_text_for_output(found.text),
        kind=found.kind.value,
        confidence=found.confidence_bps / 10_000,
        event_id=found.event_id,
        outcome=OUTCOME_NAMES[type(found.outcome)],
        reasons=list(outcome_reasons(found.outcome)),
        memory_id=getattr(found.outcome, "memory_id", None),
        candidate_id=getattr(found.outcome, "candidate_id", None),
    )


def to_left(found: FoundStatement, places: Mapping[EventId, int]) -> LeftOnTape:
    return LeftOnTape(
        turn=places.get(found.event_id, 0),
        text=redact_memory_text_for_output(found.text),
        event_id=found.event_id,
        reason=found.because,
        why=dict(lines("reasons.txt")["reasons"]).get(found.because, found.because),
    )
