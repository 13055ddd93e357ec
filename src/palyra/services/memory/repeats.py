"""Repeated requests: the first answer is read back from the events it wrote, so that a retry changes nothing.

What takes several transactions is known by parts: the first has the request's own id, the next ones a number after it.
A request that was interrupted goes on where it stopped when it is repeated.
"""

import json
from collections.abc import Callable
from typing import Any, TypeVar

from palyra.core.errors import FailedPrecondition, InvalidArgument
from palyra.core.ids import CandidateId, MemoryId
from palyra.domain.journal import EventRecord, RequestKey, check_identifier
from palyra.domain.memory import ConflictFound, HeldForReview, IngestOutcome, Merged, Rejected, Stored
from palyra.domain.memory_events import (
    MemoryDecided,
    MemoryHeld,
    MemoryLinked,
    MemoryMerged,
    MemoryRefused,
    MemoryStored,
    MemorySuperseded,
)
from palyra.store.journal_store import Once

T = TypeVar("T")

REJECTED = Rejected(("rejected_by_person",))


def once(principal: str, request: RequestKey | None, replay: Callable[[list[EventRecord]], T]) -> Once[T] | None:
    return None if request is None else Once(principal, request, replay)


def check_parts(request: RequestKey | None) -> None:
    """Room for the number of a part, before the first is written."""
    if request is not None:
        check_identifier(f"{request.request_id}#999999", "request id")


def part_of(request: RequestKey | None, number: int) -> RequestKey | None:
    if request is None or number == 0:
        return request
    return RequestKey(f"{request.request_id}#{number}", request.digest)


def first_body(written: list[EventRecord]) -> dict[str, Any]:
    payload = written[0].payload
    if payload is None:
        raise FailedPrecondition("what this request wrote has been erased since", hint="use a new request id")
    body: dict[str, Any] = json.loads(payload)
    return body


def first_outcome(written: list[EventRecord]) -> IngestOutcome:
    body = first_body(written)
    match written[0].kind:
        case MemoryStored.KIND:
            others = [(e.kind, json.loads(e.payload)) for e in written[1:] if e.payload is not None]
            linked = [body for kind, body in others if kind == MemoryLinked.KIND]
            if not linked:
                return Stored(MemoryId(body["memory_id"]))
            reasons = [reason for link in linked for reason in link.get("reasons", [])]
            return ConflictFound(
                MemoryId(body["memory_id"]),
                tuple(MemoryId(link["other_id"]) for link in linked),
                tuple(MemoryId(old["memory_id"]) for kind, old in others if kind == MemorySuperseded.KIND),
                tuple(dict.fromkeys(reasons)),
            )
        case MemoryMerged.KIND:
            return Merged(MemoryId(body["memory_id"]), tuple(body["reasons"]))
        case MemoryHeld.KIND:
            return HeldForReview(CandidateId(body["candidate_id"]), tuple(body["because"]))
        case MemoryRefused.KIND if "candidate_id" in body:
            return HeldForReview(CandidateId(body["candidate_id"]), tuple(body["because"]))
        case MemoryRefused.KIND:
            return Rejected(tuple(body["reasons"]))
        case MemoryDecided.KIND:
            return REJECTED
        case kind:
            raise InvalidArgument(
                f"request id of a {kind} event was used again", hint="use a new request id for every request"
            )
