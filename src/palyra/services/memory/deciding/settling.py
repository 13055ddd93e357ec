"""Conflicts: what contradicts what, and a person's word on it."""

from palyra.core.errors import FailedPrecondition, InvalidArgument
from palyra.core.ids import MemoryId
from palyra.domain.journal import Actor, Decision, Receipt, RequestKey, draft_of_event
from palyra.domain.memory_events import MemoryEvent, MemoryLinked, MemorySuperseded
from palyra.domain.scope import Visibility
from palyra.services.memory.context import Memory, origin_of
from palyra.services.memory.lifecycle import open_item
from palyra.services.memory.repeats import once
from palyra.store.connection import ReadTx
from palyra.store.memory.replaced import CONFLICT, StandingConflict, linked_as, open_conflicts

BOTH = "both"
_MOST = 500


async def conflicts(memory: Memory, caller: Visibility, before_seq: int, limit: int) -> list[StandingConflict]:
    """Open ones, the newest first."""
    if not 1 <= limit <= _MOST:
        raise InvalidArgument(f"limit {limit} is outside 1..{_MOST}", hint="ask for smaller pages")
    if not 0 <= before_seq < 1 << 62:
        raise InvalidArgument(f"before_seq {before_seq} is outside 0..2**62", hint="0 begins at the newest")
    last = before_seq or 1 << 62
    return await memory.store.db.read(lambda tx: open_conflicts(tx, caller, last, limit))


async def settle(
    memory: Memory,
    memory_id: str,
    other_id: str,
    holds: str,
    caller: Visibility,
    actor: Actor,
    *,
    request: RequestKey | None = None,
) -> Receipt:
    """`holds`: the one of the two that does, or both. What does not hold any more stays answerable as of its time."""
    if holds not in (memory_id, other_id, BOTH):
        raise InvalidArgument(
            f"{holds[:64]!r} is none of the two", hint=f"give {memory_id}, {other_id}, or {BOTH} if they do not differ"
        )

    def work(tx: ReadTx) -> Decision[None]:
        pair = [open_item(tx, one, caller) for one in (memory_id, other_id)]
        found = linked_as(tx, memory_id, other_id)
        if found is None or found[2] != CONFLICT or any(one.superseded_by is not None for one in pair):
            raise FailedPrecondition(
                f"there is no open conflict between {memory_id} and {other_id}", hint="palyra memory conflicts"
            )
        first, second = MemoryId(found[0]), MemoryId(found[1])
        event: MemoryEvent = MemoryLinked(first, second, "both_hold", ("said_so",))
        if holds != BOTH:
            [kept], [gone] = [o for o in pair if o.memory_id == holds], [o for o in pair if o.memory_id != holds]
            ends_ms = max(memory.clock.now_ms(), gone.valid_from_ms)
            event = MemorySuperseded(gone.memory_id, kept.memory_id, ends_ms, ("said_so",))
        return Decision((draft_of_event(event, origin_of(caller, actor)),), None)

    done = await memory.journal.commit(work, once(caller.principal, request, lambda _written: None))
    return done.receipts[0]
