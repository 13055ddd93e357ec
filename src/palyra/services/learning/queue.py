"""The one queue of what waits for a person: looked at, decided by id or by what it says, and taken back together.

What was held on the way into memory and what a model proposed are decided where they belong; nobody who decides has to
know which is which. Each is decided by itself: one that cannot be holds up no other.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from palyra.core.errors import InvalidArgument, NotFound, PalyraError
from palyra.core.hashing import sha256
from palyra.domain.journal import Actor, RequestKey, check_identifier
from palyra.domain.learning.candidate import LearningState
from palyra.domain.learning.queue import STAGES, Queued, Wanted
from palyra.domain.scope import Visibility
from palyra.services.learning import review
from palyra.services.learning.context import Learning
from palyra.services.learning.review import Verdict
from palyra.services.memory import ingest
from palyra.services.memory.deciding.reopening import reopen
from palyra.services.memory.ingest import check_person
from palyra.store.connection import ReadTx
from palyra.store.learning.proposals import QueuePage, find_queued, queue_page, wanted_of

_PAGE = 500
_TOGETHER = 32
"""rejected at once: they share a commit, and none is compared with another"""
APPROVE, REJECT, UNDO = "approve", "reject", "undo"
_FROM = {APPROVE: ("waiting",), REJECT: ("waiting",), UNDO: ("approved", "rejected")}


@dataclass(frozen=True, slots=True)
class Ruling:
    """What a person says, about one or about many."""

    what: str
    """approve, reject, or undo: it waits again, and what it became is forgotten"""
    text: str | None = None
    reason: str = ""
    request_id: str | None = None


@dataclass(frozen=True, slots=True)
class Refusal:
    proposal_id: str
    error: PalyraError


@dataclass(frozen=True, slots=True)
class Ruled:
    rows: tuple[Queued, ...]
    """as they are now"""
    refused: tuple[Refusal, ...]
    batch: str


async def page(learning: Learning, wanted: Wanted, caller: Visibility, after_seq: int, limit: int) -> QueuePage:
    if not 1 <= limit <= _PAGE:
        raise InvalidArgument(f"limit {limit} is outside 1..{_PAGE}", hint="ask for smaller pages")
    if not 0 <= after_seq < 1 << 62:
        raise InvalidArgument(f"after_seq {after_seq} is outside 0..2**62", hint="0 begins at the oldest")
    _check_wanted(wanted)
    now_ms = learning.clock.now_ms()
    return await learning.store.db.read(lambda tx: queue_page(tx, wanted, caller, now_ms, after_seq, limit))


async def get(learning: Learning, proposal_id: str, caller: Visibility) -> Queued:
    found = await learning.store.db.read(lambda tx: find_queued(tx, proposal_id, caller))
    if found is None:
        raise NotFound(f"no proposal {proposal_id[:64]!r} is visible here", hint="palyra review list --state all")
    return found


async def rule(
    learning: Learning,
    ids: Sequence[str],
    wanted: Wanted | None,
    ruling: Ruling,
    caller: Visibility,
    actor: Actor,
    progress: Callable[[str, int, int], None] = lambda _what, _done, _all: None,
) -> Ruled:
    """About these, or about all that is wanted. The same request again goes on where it stopped."""
    check_person(actor)
    review.check_reason(ruling.reason)
    if ruling.what not in _FROM:
        raise InvalidArgument(f"unknown decision {ruling.what[:64]!r}", hint=f"use one of {', '.join(_FROM)}")
    if ruling.text is not None and (ruling.what != APPROVE or wanted is not None or len(ids) != 1):
        raise InvalidArgument("a new text goes with approving one proposal", hint="reword them one by one")
    if bool(ids) == (wanted is not None):
        raise InvalidArgument("name proposals, or say which are meant", hint="give ids, or a filter, not both")
    if ruling.request_id is not None:
        check_identifier(f"{ruling.request_id}#{'0' * 26}", "request id")
    batch = ruling.request_id or learning.store.ids.next(learning.clock.now_ms())
    rows = await _meant(learning, ids, wanted, ruling, batch, caller)

    async def one(row: Queued) -> Refusal | None:
        try:
            await _ruled(learning, row, ruling, batch, caller, actor)
        except PalyraError as error:
            return Refusal(row.proposal_id, error)
        return None

    refused: list[Refusal] = []
    together = _TOGETHER if ruling.what == REJECT else 1
    for start in range(0, len(rows), together):
        refused += [no for no in await asyncio.gather(*map(one, rows[start : start + together])) if no is not None]
        progress("proposals", min(start + together, len(rows)), len(rows))
    if len(rows) == 1 and refused:
        raise refused[0].error
    failed = {no.proposal_id for no in refused}
    done = [await get(learning, row.proposal_id, caller) for row in rows if row.proposal_id not in failed]
    return Ruled(tuple(done), tuple(refused), batch)


async def _meant(
    learning: Learning, ids: Sequence[str], wanted: Wanted | None, ruling: Ruling, batch: str, caller: Visibility
) -> list[Queued]:
    if wanted is None:
        return [await get(learning, one, caller) for one in dict.fromkeys(ids)]
    _check_wanted(wanted)
    stages = (wanted.stage,) if wanted.stage else _FROM[ruling.what]
    if not set(stages) <= set(_FROM[ruling.what]):
        raise InvalidArgument(f"what is {wanted.stage} cannot be meant by {ruling.what}", hint="leave the state out")
    now_ms = learning.clock.now_ms()
    found: dict[str, Queued] = {}

    def read(tx: ReadTx) -> list[Queued]:
        every = (*(replace(wanted, stage=stage) for stage in stages), Wanted(batch=batch))
        return [row for one in every for row in wanted_of(tx, one, caller)]

    for row in await learning.store.db.read(read):
        if row.snoozed_until_ms <= now_ms or wanted.put_off or row.stage != "waiting":
            found[row.proposal_id] = row
    # What one has replaced comes back when that one goes: the last first.
    return sorted(found.values(), key=lambda row: row.seq, reverse=ruling.what == UNDO)


def _check_wanted(wanted: Wanted) -> None:
    if wanted.stage and wanted.stage not in STAGES:
        raise InvalidArgument(f"unknown state {wanted.stage[:64]!r}", hint=f"use one of {', '.join(STAGES)}, or all")


async def _ruled(learning: Learning, row: Queued, ruling: Ruling, batch: str, caller: Visibility, actor: Actor) -> None:
    key = None if ruling.request_id is None else _key(ruling, row)
    proposal_id, reason = row.proposal_id, ruling.reason
    if row.queue == "held":
        memory = learning.memory
        if ruling.what == APPROVE:
            await ingest.approve(
                memory, proposal_id, caller, actor, text=ruling.text, reason=reason, batch=batch, request=key
            )
        elif ruling.what == REJECT:
            await ingest.reject(memory, proposal_id, caller, actor, reason=reason, batch=batch, request=key)
        else:
            await reopen(memory, proposal_id, caller, actor, reason=reason, request=key)
        return
    if ruling.what == UNDO and LearningState(row.state).is_in_force:
        await review.roll_back(learning, proposal_id, caller, actor, reason)
    state = {
        APPROVE: LearningState.APPROVED,
        REJECT: LearningState.REJECTED,
        UNDO: LearningState.NEEDS_REVIEW,
    }[ruling.what]
    verdict = Verdict(state, ruling.text, reason, batch)
    await review.decide(learning, proposal_id, verdict, caller, actor, key)


def _key(ruling: Ruling, row: Queued) -> RequestKey:
    """Of one of many: the request's own id and the proposal's."""
    asked = "\n".join((ruling.what, ruling.text or "", ruling.reason, row.proposal_id))
    return RequestKey(f"{ruling.request_id}#{row.proposal_id}", sha256(asked.encode()))
