"""`LearningService`: what waits for a person, and the person's word about it. Also between its messages and ours."""

from collections.abc import Iterable
from dataclasses import dataclass

import grpc
from google.protobuf.message import Message

from palyra.api import learning as api
from palyra.api.call import Call
from palyra.api.dispatch import run
from palyra.core.errors import InvalidArgument
from palyra.core.ids import parse_ulid
from palyra.transports.grpc.answering import Answering
from palyra.transports.grpc.conversion import FRAMING_BYTES, PAGE_BYTES, VERSION, to_id, to_ids
from palyra.transports.grpc.generated import common_pb2, learning_pb2
from palyra.wire import learning as wire
from palyra.wire.memory import Item

SERVICE_NAME = learning_pb2.DESCRIPTOR.services_by_name["LearningService"].full_name

_DECISIONS: dict[int, str] = {
    learning_pb2.DECISION_APPROVE: "approve",
    learning_pb2.DECISION_REJECT: "reject",
    learning_pb2.DECISION_REOPEN: "reopen",
}
_COUNTS_BYTES = 1_024
"""of a page: what it says about all candidates, at most"""


@dataclass(frozen=True, slots=True)
class LearningService:
    answering: Answering

    def rpc_handler(self) -> "grpc.GenericRpcHandler[bytes, bytes]":
        method = self.answering.method
        return grpc.method_handlers_generic_handler(
            SERVICE_NAME,
            {
                "ListCandidates": method(api.list_, learning_pb2.ListCandidatesRequest, self._list),
                "GetCandidate": method(api.get, learning_pb2.GetCandidateRequest, _get),
                "DecideCandidate": method(api.decide, learning_pb2.DecideCandidateRequest, _decide),
                "RollBackCandidate": method(api.roll_back, learning_pb2.RollBackCandidateRequest, _roll_back),
            },
        )

    async def _list(self, call: Call, request: learning_pb2.ListCandidatesRequest) -> Message:
        asked = wire.ListLearned(
            kinds=tuple(request.kinds),
            snoozed=request.snoozed,
            after_seq=request.after_seq,
            channel=request.channel or None,
        )
        asked.states = tuple(request.states) or asked.states
        asked.limit = request.limit or asked.limit
        return _page(await run(call, api.list_, asked), self.answering.max_message_bytes)


async def _get(call: Call, request: learning_pb2.GetCandidateRequest) -> Message:
    asked = wire.GetLearned(candidate_id=_candidate_id(request.candidate_id), channel=request.channel or None)
    found = await run(call, api.get, asked)
    return learning_pb2.GetCandidateResponse(
        v=VERSION,
        candidate=_candidate(found.candidate),
        evidence=[
            learning_pb2.Evidence(
                seq=quote.seq,
                event_id=to_id(quote.event_id),
                session_id=to_id(quote.session_id),
                run_id=to_id(quote.run_id),
                at_unix_ms=quote.at_ms,
                words=quote.words,
                message=quote.message,
            )
            for quote in found.candidate.evidence
        ],
        similar=_known(found.similar),
        conflicts=_known(found.conflicts),
        history=[
            learning_pb2.Step(
                seq=step.seq,
                state=step.state,
                at_unix_ms=step.at_ms,
                actor=step.actor,
                reason=step.reason,
                content_text=step.text,
            )
            for step in found.history
        ],
    )


async def _decide(call: Call, request: learning_pb2.DecideCandidateRequest) -> Message:
    asked = wire.DecideLearned(
        candidate_id=_candidate_id(request.candidate_id),
        decision=_decision(request.decision),
        text=request.text or None,
        reason=request.reason,
        request_id=request.request_id or None,
        channel=request.channel or None,
    )
    done = await run(call, api.decide, asked)
    return learning_pb2.DecideCandidateResponse(v=VERSION, candidate=_candidate(done))


async def _roll_back(call: Call, request: learning_pb2.RollBackCandidateRequest) -> Message:
    asked = wire.RollBackLearned(
        candidate_id=_candidate_id(request.candidate_id),
        reason=request.reason,
        request_id=request.request_id or None,
        channel=request.channel or None,
    )
    done = await run(call, api.roll_back, asked)
    return learning_pb2.RollBackCandidateResponse(v=VERSION, candidate=_candidate(done))


def _candidate_id(given: common_pb2.CanonicalId) -> str:
    return parse_ulid(given.ulid, "candidate id")


def _decision(number: int) -> str:
    if number not in _DECISIONS:
        known = ", ".join(f"{known} {name}" for known, name in _DECISIONS.items())
        raise InvalidArgument(f"unknown Decision {number}", hint=f"use one of {known}")
    return _DECISIONS[number]


def _page(page: wire.LearnedPage, max_bytes: int) -> learning_pb2.ListCandidatesResponse:
    """As many as go into one message, and at least one: the next page begins where this one ends."""
    answer = learning_pb2.ListCandidatesResponse(
        v=VERSION, next_after_seq=page.next_after_seq or 0, counts=page.counts, queued_runs=page.queued_runs
    )
    size = PAGE_BYTES + _COUNTS_BYTES
    for candidate in map(_candidate, page.candidates):
        size += candidate.ByteSize() + FRAMING_BYTES
        if answer.candidates and size > max_bytes:
            answer.next_after_seq = answer.candidates[-1].seq
            break
        answer.candidates.append(candidate)
    return answer


def _candidate(one: wire.LearnedCandidate) -> learning_pb2.Candidate:
    return learning_pb2.Candidate(
        v=VERSION,
        candidate_id=to_id(one.candidate_id),
        seq=one.seq,
        principal=one.principal,
        channel=one.channel,
        run_id=to_id(one.run_id),
        session_id=to_id(one.session_id),
        kind=one.kind,
        content_text=one.text,
        confidence=one.confidence,
        basis=one.basis,
        trust=one.trust,
        risks=one.risks,
        sensitivity=one.sensitivity,
        sensitive=one.sensitive,
        about=one.about,
        title=one.title,
        steps=one.steps,
        extractor=one.extractor,
        state=one.state,
        because=one.because,
        similar=to_ids(one.similar),
        conflicts=to_ids(one.conflicts),
        proposed_at_unix_ms=one.proposed_at_ms,
        updated_at_unix_ms=one.updated_at_ms,
        snoozed_until_unix_ms=one.snoozed_until_ms,
        memory_id=to_id(one.memory_id),
        document=one.document,
    )


def _known(items: Iterable[Item]) -> list[learning_pb2.Known]:
    return [learning_pb2.Known(memory_id=to_id(item.memory_id), content_text=item.text) for item in items]
