"""What the operations on the queue do. Every text passes the redactor once more on its way out."""

from palyra.api.call import Call, actor_of, seer
from palyra.api.handlers.binding import bind
from palyra.api.operating import review as api
from palyra.core.redact import redact_memory_text_for_output as redact
from palyra.domain.learning.queue import Queued, Wanted
from palyra.domain.memory import Trust
from palyra.language.words import meanings
from palyra.services.learning import queue
from palyra.services.learning.queue import Ruling
from palyra.wire import learning as wire
from palyra.wire.learning import WhyNot

_TRUSTS = {trust.label: trust for trust in Trust}


async def _list(call: Call, request: wire.ListProposals) -> wire.ProposalPage:
    wanted = _wanted(request, "waiting")
    found = await queue.page(call.app.learning, wanted, seer(call, request), request.after_seq, request.limit)
    more = found.rows[-1].seq if len(found.rows) == request.limit else None
    return wire.ProposalPage(
        proposals=[_row(one) for one in found.rows], next_after_seq=more, total=found.total, snoozed=found.put_off
    )


async def _get(call: Call, request: wire.GetProposal) -> wire.QueuedProposal:
    return _row(await queue.get(call.app.learning, request.proposal_id, seer(call, request)))


async def _rule(call: Call, request: wire.RuleOnProposals) -> wire.RuledProposals:
    standing, actor = seer(call, request), actor_of(call, request.actor)
    ruling = Ruling(request.decision, request.text, request.reason, request.request_id)
    wanted = None if request.wanted is None else _wanted(request.wanted, "")
    done = await queue.rule(call.app.learning, request.ids, wanted, ruling, standing, actor, call.progress)
    return wire.RuledProposals(
        proposals=[_row(one) for one in done.rows],
        decided=len(done.rows),
        refused=[
            wire.RefusedProposal(
                proposal_id=no.proposal_id,
                error=WhyNot(code=no.error.code, message=redact(no.error.message), hint=redact(no.error.hint)),
            )
            for no in done.refused
        ],
        batch=done.batch,
    )


def _wanted(request: wire.WantedProposals, usual: str) -> Wanted:
    stage = request.state or usual
    return Wanted(
        stage="" if stage == "all" else stage,
        kind=request.kind,
        source="" if request.source in _TRUSTS else request.source,
        trust=_TRUSTS.get(request.source),
        subject=request.subject,
        reason=request.reason,
        batch=request.batch,
        put_off=request.snoozed,
    )


def _row(one: Queued) -> wire.QueuedProposal:
    return wire.QueuedProposal(
        proposal_id=one.proposal_id,
        seq=one.seq,
        queue=one.queue,
        kind=one.kind,
        text=redact(one.text),
        state=one.state,
        confidence=one.confidence_bps / 10_000,
        trust=one.trust.label,
        source=one.source,
        because=list(one.because),
        why=_why(one.because),
        risks=list(one.risks),
        provenance=list(one.provenance),
        at_ms=one.at_ms,
        memory_id=one.memory_id if one.stage == "approved" else None,
        document=one.document,
        batch=one.batch,
        snoozed_until_ms=one.snoozed_until_ms or None,
    )


def _why(because: tuple[str, ...]) -> str:
    words = meanings("reasons", "reasons.txt") | meanings("waits", "reasons.txt")
    return ", ".join(words.get(code, code.replace("_", " ")) for code in because)


HANDLERS = (bind(api.list_, _list), bind(api.get, _get), bind(api.rule, _rule))
