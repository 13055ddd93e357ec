"""`post_run_reflection`: reads runs that are over, and proposes what they tell.

A run waits in the queue from the transaction that ends it until the transaction that writes down what was found in it.
Between two readings of one session a cooldown passes: runs wait meanwhile, and none is dropped.
"""

import asyncio
import logging
import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from palyra.core.errors import PalyraError
from palyra.core.hashing import Json
from palyra.core.ids import RunId, SessionId
from palyra.core.redact import redact_text
from palyra.domain.chat.session import Run, Session
from palyra.domain.journal import Actor, Decision, draft_of_event
from palyra.domain.learning.events import RunReflected
from palyra.domain.learning.proposal import Heard, Proposal
from palyra.domain.scope import Visibility
from palyra.domain.similarity import fingerprint
from palyra.services.learning.context import Learning
from palyra.services.learning.listening import heard_before
from palyra.services.learning.proposing import Account, Considered, consider, decide_one
from palyra.services.models import ask
from palyra.services.sessions.context import find_session, origin_in
from palyra.store.connection import ReadTx
from palyra.store.learning.records import alike, is_queued, queued_sessions
from palyra.store.sessions.records import own_run

log = logging.getLogger("palyra.learning")

_SESSIONS = 64
_SHOWN_DROPPED = 32
_RULES = "rules"


@dataclass(frozen=True, slots=True)
class Reflected:
    """What reading some runs came to."""

    runs: int = 0
    proposed: int = 0
    applied: int = 0
    more: bool = False
    """others wait, and no cooldown holds them"""


@dataclass(frozen=True, slots=True)
class _Extracted:
    by_rules: tuple[Proposal, ...]
    by_model: tuple[Proposal, ...] = ()
    model: str = ""
    notices: tuple[str, ...] = ()

    @property
    def extractor(self) -> str:
        return self.model or _RULES

    def proposals(self, most: int) -> list[tuple[Proposal, str]]:
        """Each with who proposes it."""
        rules = [(one, _RULES) for one in self.by_rules]
        return [*rules, *((one, self.model) for one in self.by_model)][:most]


async def reflect_due(
    learning: Learning, most: int = 16, *, at_once: bool = False, seer: Visibility | None = None
) -> Reflected:
    """At most so many runs, those that wait longest first: of everybody, or of what the seer sees. `at_once`: whatever
    the cooldown says."""
    now_ms = learning.clock.now_ms()
    queue = await learning.store.db.read(lambda tx: queued_sessions(tx, _SESSIONS, seer))
    done = Reflected()
    failed: PalyraError | None = None
    for waiting in queue:
        since_ms = None if waiting.last_read_ms is None else now_ms - waiting.last_read_ms
        if not at_once and since_ms is not None and 0 <= since_ms < learning.policy.cooldown_ms:
            continue
        for run_id in waiting.run_ids:
            if done.runs == most:
                return Reflected(done.runs, done.proposed, done.applied, more=True)
            try:
                read = await reflect(learning, waiting.session_id, run_id)
            except PalyraError as error:  # it waits; those behind it do not
                failed = error
                break
            done = Reflected(done.runs + 1, done.proposed + read.proposed, done.applied + read.applied)
    if failed is not None and not done.runs:
        raise failed
    return done


async def reflect(learning: Learning, session_id: SessionId, run_id: RunId) -> Reflected:
    """Reads one run and writes down what was found, in one transaction. A second time nothing happens."""

    def read(tx: ReadTx) -> tuple[Session, Run, tuple[Heard, ...]] | None:
        run = own_run(tx, run_id)
        if run is None or not is_queued(tx, run_id):
            return None
        session = find_session(tx, session_id, Visibility(run.principal, run.channel))
        return session, run, () if run.undone_seq is not None else heard_before(tx, session, run)

    found = await learning.store.db.read(read)
    if found is None:
        return Reflected()
    session, run, heard = found
    extracted = await _extract(learning, heard)
    dropped: list[dict[str, Json]] = []
    looked: list[Considered] = []
    for proposal, extractor in extracted.proposals(learning.policy.max_candidates_per_run):
        one = await consider(learning, session, run, proposal, extractor, heard)
        if isinstance(one, Considered):
            looked.append(one)
        else:
            dropped.append(one)

    def decide(tx: ReadTx) -> Decision[Reflected]:
        if not is_queued(tx, run_id):
            return Decision((), Reflected())
        account = Account()
        seen: set[str] = set()
        for one in looked:
            key = one.candidate.dedupe_key
            if key in seen or alike(tx, one.candidate.scope, key) is not None:
                account.known += 1
                continue
            seen.add(key)
            decide_one(tx, learning, run, one, account)
        reflected = RunReflected(
            run.run_id,
            session.session_id,
            extracted.extractor,
            account.proposed,
            account.known,
            tuple(dropped[:_SHOWN_DROPPED]),
            extracted.notices,
        )
        first = draft_of_event(reflected, origin_in(run, Actor.SYSTEM, run.run_id))
        return Decision((first, *account.drafts), Reflected(1, account.proposed, account.applied))

    committed = await learning.journal.commit(decide)
    learning.memory.follower.wake()
    return committed.outcome


# -- what it says


async def _extract(learning: Learning, heard: Sequence[Heard]) -> _Extracted:
    """By rules, and by the model if there is one: what both propose is as sure as the rules say."""
    from palyra.domain.learning.rules import propose_by_rules  # noqa: PLC0415 - the tables of many languages

    if not heard or not any(one.said or one.used for one in heard[-1:]):
        return _Extracted(())
    most = learning.policy.max_candidates_per_run
    try:
        by_rules = await asyncio.to_thread(propose_by_rules, heard, most)
    except Exception as error:  # a run that no rule can read must not stop those behind it
        log.exception("the rules cannot read run %s", heard[-1].run_id)
        return _Extracted((), notices=(f"the rules cannot read it: unexpected {type(error).__name__}",))
    if learning.model is None:
        return _Extracted(by_rules)
    from palyra.domain.learning.model_proposals import (  # noqa: PLC0415 - only with a model
        ModelRejected,
        read_answer,
        request_text,
    )

    name = learning.model.info.model
    try:
        answer = await ask(learning.model, request_text(heard, secrets.token_hex(8), most))
    except PalyraError as error:
        return _Extracted(by_rules, notices=(f"the model proposed nothing: {redact_text(error.message).text}",))
    parsed = await asyncio.to_thread(read_answer, answer, heard, most)
    if isinstance(parsed, ModelRejected):
        notices = tuple(f"the model's answer was not taken: {one}" for one in parsed.reasons)
        return _Extracted(by_rules, notices=notices)
    own = {fingerprint(one.text) for one in by_rules}
    others = tuple(one for one in parsed.proposals if fingerprint(one.text) not in own)
    return _Extracted(by_rules, others, name, tuple(parsed.refused))
