"""What the operations on learning do. Every text passes the redactor once more on its way out."""

from collections.abc import Sequence

from palyra.api import learning as api
from palyra.api.call import Call, actor_of, seer
from palyra.api.handlers.binding import bind
from palyra.api.repeats import request_key
from palyra.core.errors import InvalidArgument
from palyra.core.redact import redact_memory_text_for_output as redact
from palyra.core.redact import redact_text
from palyra.domain.labels import level_of, read_kinds
from palyra.domain.learning.candidate import LearningCandidate, LearningState
from palyra.domain.learning.proposal import LearnedKind
from palyra.services.learning import looking, reflecting, review
from palyra.services.learning import radius as touching
from palyra.services.learning.looking import Quote
from palyra.services.learning.review import ReviewOutcome, Verdict
from palyra.wire import learning as wire
from palyra.wire.from_domain.memory import to_wire

_DECISIONS = {
    "approve": LearningState.APPROVED,
    "edit": LearningState.APPROVED,
    "reject": LearningState.REJECTED,
    "reopen": LearningState.NEEDS_REVIEW,
}
_RUNS_AT_ONCE = 500


async def _list(call: Call, request: wire.ListLearned) -> wire.LearnedPage:
    learning, standing = call.app.learning, seer(call, request)
    found = await looking.list_(
        learning,
        standing,
        _states(request.states),
        tuple(map(_kind, request.kinds)),
        request.after_seq,
        request.limit,
        snoozed=request.snoozed or "all" in request.states,
    )
    quotes = await looking.quotes(learning, found, standing) if request.with_evidence else [()] * len(found)
    seen = await looking.overview(learning, standing)
    return wire.LearnedPage(
        candidates=[_candidate(one, said) for one, said in zip(found, quotes, strict=True)],
        next_after_seq=found[-1].seq if len(found) == request.limit else None,
        counts={state.value: count for state, count in seen.counts.items()},
        snoozed=seen.snoozed,
        queued_runs=seen.queued,
        held_texts=seen.held,
    )


async def _get(call: Call, request: wire.GetLearned) -> wire.LearnedDetail:
    found = await looking.get(call.app.learning, request.candidate_id, seer(call, request))
    return wire.LearnedDetail(
        candidate=_candidate(found.candidate, found.evidence),
        similar=[to_wire(item) for item in found.similar],
        conflicts=[to_wire(item) for item in found.conflicts],
        history=[
            wire.LearnedStep(
                seq=step.seq,
                state=step.state.value,
                at_ms=step.at_ms,
                actor=step.actor,
                reason=redact(step.reason),
                text=redact(step.text),
            )
            for step in found.steps
        ],
    )


async def _decide(call: Call, request: wire.DecideLearned) -> wire.LearnedCandidate:
    standing, actor = seer(call, request), actor_of(call, request.actor)
    state = _decision(request.decision)
    if request.text is not None and state is not LearningState.APPROVED:
        raise InvalidArgument(f"{request.decision} takes no text", hint="a new text goes with approve or edit")
    if request.text is None and request.decision == "edit":
        raise InvalidArgument("edit without a text", hint="say how it should read, or approve it as it is")
    verdict = Verdict(state, request.text, request.reason)
    key = request_key(api.decide, request, standing, actor)
    return _candidate(await review.decide(call.app.learning, request.candidate_id, verdict, standing, actor, key))


async def _decide_many(call: Call, request: wire.DecideManyLearned) -> wire.DecidedMany:
    standing, actor = seer(call, request), actor_of(call, request.actor)
    if request.decision == "edit":
        raise InvalidArgument("many candidates cannot have one text", hint="reword them one by one")
    verdict = Verdict(_decision(request.decision), None, request.reason)
    done = await review.decide_many(call.app.learning, request.candidate_ids, verdict, standing, actor)
    return wire.DecidedMany(
        outcomes=[_outcome(one) for one in done], decided=sum(one.candidate is not None for one in done)
    )


async def _snooze(call: Call, request: wire.SnoozeLearned) -> wire.LearnedCandidate:
    if not 0 <= request.for_ms < 1 << 48:
        raise InvalidArgument(f"{request.for_ms} ms is no time to put it off for", hint="put it off for days or weeks")
    standing, actor = seer(call, request), actor_of(call, request.actor)
    until_ms = call.app.clock.now_ms() + request.for_ms
    return _candidate(await review.snooze(call.app.learning, request.candidate_id, until_ms, standing, actor))


async def _roll_back(call: Call, request: wire.RollBackLearned) -> wire.LearnedCandidate:
    standing, actor = seer(call, request), actor_of(call, request.actor)
    key = request_key(api.roll_back, request, standing, actor)
    done = await review.roll_back(call.app.learning, request.candidate_id, standing, actor, request.reason, key)
    return _candidate(done)


async def _radius(call: Call, request: wire.NameLearned) -> wire.LearnedRadius:
    return _to_radius(await touching.blast_radius(call.app.learning, request.candidate_id, seer(call, request)))


async def _quarantine(call: Call, request: wire.QuarantineLearned) -> wire.LearnedQuarantined:
    standing, actor = seer(call, request), actor_of(call, request.actor)
    done = await touching.quarantine(call.app.learning, request.candidate_id, standing, actor, request.reason)
    return wire.LearnedQuarantined(
        radius=_to_radius(done.radius),
        forgotten=list(done.forgotten),
        reinstated=list(done.reinstated),
        documents=list(done.documents),
        refused=[wire.KeptDocument(path=path, why=redact(why)) for path, why in done.refused],
    )


async def _reflect(call: Call, request: wire.ReflectNow) -> wire.ReflectedNow:
    if not 1 <= request.limit <= _RUNS_AT_ONCE:
        raise InvalidArgument(f"limit {request.limit} is outside 1..{_RUNS_AT_ONCE}", hint="read them in parts")
    learning, standing = call.app.learning, seer(call, request)
    done = await reflecting.reflect_due(learning, request.limit, at_once=True, seer=standing)
    left = await looking.overview(learning, standing)
    return wire.ReflectedNow(runs=done.runs, proposed=done.proposed, applied=done.applied, queued_runs=left.queued)


async def _preferences(call: Call, request: wire.ListPreferences) -> wire.Preferences:
    found = await looking.preferences(call.app.learning, seer(call, request))
    return wire.Preferences(
        preferences=[
            wire.PreferenceInForce(
                candidate_id=one.candidate_id,
                memory_id=one.memory_id,
                about=redact(one.slot),
                text=redact(one.text),
                since_ms=one.since_ms,
            )
            for one in found
        ]
    )


# -- in


def _states(names: Sequence[str]) -> list[LearningState]:
    states: list[LearningState] = []
    for name in names:
        if name == "all":
            states += LearningState
        elif name == "waiting":
            states += looking.WAITING
        elif name in set(LearningState):
            states.append(LearningState(name))
        else:
            known = ", ".join(("waiting", "all", *LearningState))
            raise InvalidArgument(f"unknown state {name[:64]!r}", hint=f"use one of {known}")
    if not states:
        raise InvalidArgument("no state is asked for", hint="ask for waiting, all, or states by name")
    return list(dict.fromkeys(states))


def _kind(name: str) -> LearnedKind:
    try:
        return LearnedKind(name)
    except ValueError:
        raise InvalidArgument(f"unknown kind {name[:64]!r}", hint=f"use one of {', '.join(LearnedKind)}") from None


def _decision(name: str) -> LearningState:
    if name not in _DECISIONS:
        raise InvalidArgument(f"unknown decision {name[:64]!r}", hint=f"use one of {', '.join(_DECISIONS)}")
    return _DECISIONS[name]


# -- out


def _candidate(one: LearningCandidate, quotes: Sequence[Quote] = ()) -> wire.LearnedCandidate:
    kinds = read_kinds(one.sensitivity)
    return wire.LearnedCandidate(
        candidate_id=one.candidate_id,
        seq=one.seq,
        principal=one.scope.principal,
        channel=one.scope.channel,
        run_id=one.run_id,
        session_id=one.from_session_id,
        kind=one.kind.value,
        text=redact(one.text),
        confidence=one.confidence_bps / 10_000,
        basis=list(one.basis),
        trust=one.trust.label,
        risks=list(one.risks),
        sensitivity=level_of(kinds).value,
        sensitive=list(kinds),
        about=redact(one.slot),
        title=redact(one.title),
        steps=[redact(step) for step in one.steps],
        extractor=one.extractor,
        state=one.state.value,
        because=list(one.because),
        similar=list(one.similar),
        conflicts=list(one.conflicts),
        proposed_at_ms=one.proposed_at_ms,
        updated_at_ms=one.updated_at_ms,
        snoozed_until_ms=one.snoozed_until_ms,
        memory_id=one.memory_id,
        document=one.document,
        evidence=[
            wire.EvidenceQuote(
                seq=quote.seq,
                event_id=quote.event_id,
                session_id=quote.session_id,
                run_id=quote.run_id,
                at_ms=quote.at_ms,
                words=redact(quote.words),
                message=redact(quote.message),
            )
            for quote in quotes
        ],
    )


def _outcome(one: ReviewOutcome) -> wire.DecidedOne:
    error = None
    if one.error is not None:
        message, hint = redact_text(one.error.message).text, redact_text(one.error.hint).text
        error = wire.WhyNot(code=one.error.code, message=message, hint=hint)
    candidate = None if one.candidate is None else _candidate(one.candidate)
    return wire.DecidedOne(candidate_id=redact_text(one.candidate_id).text, candidate=candidate, error=error)


def _to_radius(found: touching.Radius) -> wire.LearnedRadius:
    return wire.LearnedRadius(
        candidate=_candidate(found.candidate),
        memories=[to_wire(item) for item in found.memories],
        replaced=[to_wire(item) for item in found.replaced],
        documents=list(found.documents),
        runs=[
            wire.ShownIn(run_id=one.run_id, session_id=one.session_id, seq=one.seq, at_ms=one.at_ms)
            for one in found.runs
        ],
        candidates=[_candidate(one) for one in found.candidates],
    )


HANDLERS = (
    bind(api.list_, _list),
    bind(api.get, _get),
    bind(api.decide, _decide),
    bind(api.decide_many, _decide_many),
    bind(api.snooze, _snooze),
    bind(api.roll_back, _roll_back),
    bind(api.radius, _radius),
    bind(api.quarantine, _quarantine),
    bind(api.reflect, _reflect),
    bind(api.preferences, _preferences),
)
