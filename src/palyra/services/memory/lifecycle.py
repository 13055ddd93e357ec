"""Looking at single memories and changing them: get, list, update, pin, supersede, history, delete, purge, erase."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from palyra.core import limits
from palyra.core.errors import FailedPrecondition, InvalidArgument, NotFound, PermissionDenied
from palyra.core.hashing import Json
from palyra.core.ids import MemoryId, parse_ulid
from palyra.core.redact import redact_payload_json
from palyra.domain.ingest import LATEST_MS, Terms, check_tags, make_ready
from palyra.domain.journal import Actor, Decision, EventRecord, Receipt, RequestKey, draft_of_event
from palyra.domain.memory import ACTOR_TRUST, Change, Draft, ItemFilter, MemoryItem, is_person
from palyra.domain.memory_events import MemoryDeleted, MemoryEvent, MemorySuperseded, MemoryUpdated
from palyra.domain.scope import Visibility
from palyra.services.erase import EraseReport, erase_events
from palyra.services.memory.context import Memory, origin_of
from palyra.services.memory.ingest import load_for
from palyra.services.memory.repeats import check_parts, first_body, once, part_of
from palyra.store.connection import ReadTx
from palyra.store.journal import find_event
from palyra.store.learning.records import candidate_exists as learned_exists
from palyra.store.learning.records import events_learned_from, events_of_candidates
from palyra.store.learning.records import fetch_candidate as fetch_learned
from palyra.store.memory.candidates import (
    candidate_exists,
    candidates_of_item,
    events_of_candidate,
    fetch_candidate,
)
from palyra.store.memory.items import (
    fetch_item,
    history_of,
    item_exists,
    links_of,
    list_items,
    open_ids,
)
from palyra.store.projections import is_erasable
from palyra.store.sessions.erasing import held_from, quoting, said_in, titles_from


@dataclass(frozen=True, slots=True)
class WholeItem:
    item: MemoryItem
    conflicts: tuple[tuple[MemoryId, tuple[str, ...]], ...]
    """(the other item, why), as far as the caller may see the other"""


@dataclass(frozen=True, slots=True)
class ItemEvent:
    seq: int
    event_id: str
    kind: str
    actor: str
    at_ms: int
    body: dict[str, Json] | None
    """None once erased"""


class Purged(NamedTuple):
    deleted: int
    repeated: bool
    """by this very request, before"""


async def get(memory: Memory, memory_id: str, caller: Visibility) -> WholeItem:
    def read(tx: ReadTx) -> WholeItem:
        item = visible_item(tx, memory_id, caller)
        links = [link for link in links_of(tx, memory_id) if fetch_item(tx, link[0], caller) is not None]
        return WholeItem(item, tuple(links))

    return await memory.store.db.read(read)


async def list_(
    memory: Memory,
    caller: Visibility,
    want: ItemFilter,
    after: str = "",
    limit: int = 50,
    *,
    newest_first: bool = False,
) -> list[MemoryItem]:
    if not 1 <= limit <= limits.PAGE_ITEMS:
        raise InvalidArgument(f"limit {limit} is outside 1..{limits.PAGE_ITEMS}", hint="ask for smaller pages")
    if after:
        parse_ulid(after, "after")
    now_ms = memory.clock.now_ms()
    return await memory.store.db.read(
        lambda tx: list_items(tx, caller, want, now_ms, after, limit, newest_first=newest_first)
    )


async def history(memory: Memory, memory_id: str, caller: Visibility) -> list[ItemEvent]:
    """Who, when, what changed, why; oldest first."""

    def read(tx: ReadTx) -> list[ItemEvent]:
        visible_item(tx, memory_id, caller)
        found = [_event(tx, entry.event_id, memory_id) for entry in history_of(tx, memory_id)]
        return [event for event in found if event is not None]

    return await memory.store.db.read(read)


async def update(
    memory: Memory,
    memory_id: str,
    change: Change,
    caller: Visibility,
    actor: Actor = Actor.USER,
    *,
    request: RequestKey | None = None,
) -> tuple[MemoryItem, Receipt]:
    """A new text is a new version; the old one stays answerable as of its time. The item is answered as it is now."""
    await load_for(memory, [] if change.text is None else [change.text], actor)

    def work(tx: ReadTx) -> Decision[None]:
        item = open_item(tx, memory_id, caller)
        _check_may_change(item, actor)
        event = _update_event(item, change, actor, memory.terms, memory.clock.now_ms())
        return Decision((draft_of_event(event, origin_of(caller, actor)),), None)

    committed = await memory.journal.commit(work, once(caller.principal, request, _nothing))
    memory.follower.wake()
    return (await get(memory, memory_id, caller)).item, committed.receipts[0]


async def supersede(
    memory: Memory,
    old_id: str,
    new_id: str,
    caller: Visibility,
    actor: Actor = Actor.USER,
    *,
    request: RequestKey | None = None,
) -> Receipt:
    """Says that one item has taken the place of another."""
    if old_id == new_id:
        raise InvalidArgument(f"memory {old_id} cannot supersede itself", hint="give two ids")

    def work(tx: ReadTx) -> Decision[None]:
        old, new = open_item(tx, old_id, caller), open_item(tx, new_id, caller)
        _check_may_change(old, actor)
        if old.scope != new.scope:
            raise FailedPrecondition(f"{old_id} and {new_id} are in different scopes", hint="supersede within a scope")
        if old.superseded_by is not None:
            raise FailedPrecondition(f"{old_id} is superseded by {old.superseded_by} already", hint="nothing to do")
        if new.superseded_by is not None:
            raise FailedPrecondition(
                f"{new_id} is itself superseded by {new.superseded_by}", hint=f"give {new.superseded_by} instead"
            )
        valid_to_ms = max(memory.clock.now_ms(), old.valid_from_ms)
        event = MemorySuperseded(old.memory_id, new.memory_id, valid_to_ms, ("said_so",))
        return Decision((draft_of_event(event, origin_of(caller, actor)),), None)

    return (await memory.journal.commit(work, once(caller.principal, request, _nothing))).receipts[0]


async def delete(
    memory: Memory,
    memory_ids: Sequence[str],
    caller: Visibility,
    actor: Actor = Actor.USER,
    *,
    request: RequestKey | None = None,
) -> tuple[int, Receipt]:
    """Takes items out of memory. Their history stays; `erase` removes that, too."""
    wanted = check_ids(memory_ids)

    def work(tx: ReadTx) -> Decision[int]:
        for memory_id in wanted:
            open_item(tx, memory_id, caller)
        event = MemoryDeleted(tuple(wanted), "deleted")
        return Decision((draft_of_event(event, origin_of(caller, actor)),), len(wanted))

    committed = await memory.journal.commit(work, once(caller.principal, request, _deleted))
    return committed.outcome, committed.receipts[0]


async def purge(
    memory: Memory,
    caller: Visibility,
    actor: Actor = Actor.USER,
    *,
    everything: bool = False,
    request: RequestKey | None = None,
) -> Purged:
    """Deletes what is scoped to the caller's session or channel; all of the principal only when asked for so."""
    if not everything and caller.channel is None and caller.session_id is None:
        raise InvalidArgument(
            "purge needs a channel or a session", hint="pass --channel or --session, or --all for the whole principal"
        )
    check_parts(request)
    channel = None if everything else caller.channel
    session_id = None if everything else caller.session_id

    def work(tx: ReadTx) -> Decision[int]:
        ids = open_ids(tx, caller, limits.BULK_ITEMS, channel=channel, session_id=session_id)
        if not ids and request is None:
            return Decision((), 0)
        # With a request id also what deletes nothing is written: it says that the request is finished, so that its
        # repetition does not delete what was remembered since.
        event = MemoryDeleted(tuple(ids), "purged")
        return Decision((draft_of_event(event, origin_of(caller, actor)),), len(ids))

    deleted, part = 0, 0
    while True:
        committed = await memory.journal.commit(work, once(caller.principal, part_of(request, part), _deleted))
        deleted += committed.outcome
        part += 1
        if committed.outcome < limits.BULK_ITEMS:
            return Purged(deleted, any(receipt.repeated for receipt in committed.receipts))


async def erase(
    memory: Memory,
    ids: Sequence[str],
    reason: str,
    caller: Visibility,
    actor: Actor = Actor.USER,
    also: Callable[[ReadTx], Sequence[str]] = lambda _tx: (),
) -> EraseReport:
    """Destroys every trace of the text: items with all their versions, or candidates. The chain stays whole.

    `also`: events elsewhere that hold it, such as revisions of documents."""
    wanted = check_ids(ids)

    def read(tx: ReadTx) -> list[str]:
        own = [event_id for memory_id in wanted for event_id in events_with_text(tx, memory_id, caller)]
        return [*own, *also(tx)]

    report = await erase_events(memory.store, memory.journal, read, reason, origin_of(caller, actor))
    memory.forget(caller.principal)
    return report


def _nothing(written: list[EventRecord]) -> None:
    first_body(written)


def _deleted(written: list[EventRecord]) -> int:
    return len(first_body(written).get("memory_ids", ()))


def events_with_text(tx: ReadTx, wanted: str, caller: Visibility) -> list[str]:
    """Of an item, of every candidate that became part of it, whichever of them is named, and where it was said."""
    learned = fetch_learned(tx, wanted, caller)
    if learned is not None:
        said = said_in(tx, [span.event_id for span in learned.evidence], caller.principal)
        events = [*events_of_candidates(tx, [wanted]), *said, *events_learned_from(tx, said, "", caller.principal)]
        is_there = learned.memory_id is not None and item_exists(tx, learned.memory_id)
        return events + (_events_of_item(tx, learned.memory_id, caller) if learned.memory_id and is_there else [])
    candidate = fetch_candidate(tx, wanted, caller)
    if candidate is None:
        if not item_exists(tx, wanted) and (candidate_exists(tx, wanted) or learned_exists(tx, wanted)):
            raise _denied(wanted, caller)
        visible_item(tx, wanted, caller)
    elif candidate.memory_id is None or not item_exists(tx, candidate.memory_id):
        said = said_in(tx, candidate.body.get("provenance", ()), caller.principal)
        return events_of_candidate(tx, wanted, caller) + said
    memory_id = wanted if candidate is None or candidate.memory_id is None else candidate.memory_id
    return _events_of_item(tx, memory_id, caller)


def _events_of_item(tx: ReadTx, memory_id: str, caller: Visibility) -> list[str]:
    events = [entry.event_id for entry in history_of(tx, memory_id) if is_erasable(entry.kind)]
    item = fetch_item(tx, memory_id, caller)
    said = said_in(tx, () if item is None else item.provenance, caller.principal)
    held = [*candidates_of_item(tx, memory_id, caller), *held_from(tx, said, caller.principal)]
    events += [*said, *titles_from(tx, said, caller.principal)]
    events += quoting(tx, [] if item is None else [item.text], caller.principal)
    events += events_learned_from(tx, said, memory_id, caller.principal)
    return events + [event_id for one in held for event_id in events_of_candidate(tx, one, caller)]


def visible_item(tx: ReadTx, memory_id: str, caller: Visibility) -> MemoryItem:
    parse_ulid(memory_id, "memory id")
    item = fetch_item(tx, memory_id, caller)
    if item is not None:
        return item
    if item_exists(tx, memory_id):
        raise _denied(memory_id, caller)
    raise NotFound(f"no memory item {memory_id}", hint="palyra memory list")


def open_item(tx: ReadTx, memory_id: str, caller: Visibility) -> MemoryItem:
    item = visible_item(tx, memory_id, caller)
    if item.closed_at_ms is not None:
        raise FailedPrecondition(
            f"memory {memory_id} was {item.closed_why} before", hint=f"palyra memory history {memory_id}"
        )
    return item


def _denied(memory_id: str, caller: Visibility) -> PermissionDenied:
    channel = "no channel" if caller.channel is None else f"channel {caller.channel!r}"
    session = "no session" if caller.session_id is None else f"session {caller.session_id!r}"
    return PermissionDenied(
        f"memory {memory_id} is not visible to principal {caller.principal!r} with {channel} and {session}",
        hint="pass the --principal, --channel and --session it belongs to",
        memory_id=memory_id,
    )


def check_ids(ids: Sequence[str]) -> list[MemoryId]:
    if not 1 <= len(ids) <= limits.BULK_ITEMS:
        raise InvalidArgument(
            f"{len(ids)} ids given; between 1 and {limits.BULK_ITEMS} at once", hint="repeat with fewer ids"
        )
    return [MemoryId(parse_ulid(memory_id, "memory id")) for memory_id in dict.fromkeys(ids)]


def _check_may_change(item: MemoryItem, actor: Actor) -> None:
    """Nobody replaces, ends or raises what somebody nearer to the owner said."""
    if ACTOR_TRUST[actor] > item.trust:
        raise PermissionDenied(
            f"{actor.value} may not change what the {item.trust.label} said", hint="retain a new memory instead"
        )


def _update_event(item: MemoryItem, change: Change, actor: Actor, terms: Terms, now_ms: int) -> MemoryEvent:
    ready = None
    if change.text is not None:
        draft = Draft(change.text, item.source, trust=item.trust)
        ready = make_ready(draft, item.scope, actor, terms, now_ms, item.memory_id)
        if "secret" in ready.because:
            raise InvalidArgument("the new text holds a secret", hint="leave it out; use retain to have it reviewed")
        if ready.because and not is_person(actor):
            raise PermissionDenied(
                f"the new text waits for a person: {', '.join(ready.because)}", hint="use retain to have it reviewed"
            )
    if change.confidence_bps is not None and not 0 <= change.confidence_bps <= 10_000:
        raise InvalidArgument(f"confidence {change.confidence_bps} is outside 0..10000", hint="0.9 is 9000")
    if change.expires_at_ms is not None and not now_ms < change.expires_at_ms < LATEST_MS:
        raise InvalidArgument(
            f"the item would expire at {change.expires_at_ms}, which is past or beyond 2**48",
            hint="give a later time, or delete it",
        )
    rewritten = None if ready is None or ready.stored.text == item.text else ready.stored
    event = MemoryUpdated(
        item.memory_id,
        None if rewritten is None else rewritten.text,
        None if rewritten is None else rewritten.likeness,
        None if rewritten is None else rewritten.sensitivity,
        None if change.category is None else change.category.value,
        change.confidence_bps,
        None if change.tags is None else list(check_tags(change.tags)),
        None if change.pinned is None else int(change.pinned),
        0 if change.never_expires else change.expires_at_ms,
        change.reason,
    )
    if event == MemoryUpdated(item.memory_id, reason=change.reason):
        raise InvalidArgument("nothing to change", hint="give a new text, tags, category, confidence, ttl or pin")
    return event


def _event(tx: ReadTx, event_id: str, memory_id: str) -> ItemEvent | None:
    record = find_event(tx, event_id)
    if record is None:
        return None
    body = None
    if record.payload is not None:
        redacted = redact_payload_json(json.loads(record.payload))
        body = redacted if isinstance(redacted, dict) else None
        if body is not None and "memory_ids" in body:
            body["memory_ids"] = [memory_id]  # the others may be in scopes that this caller does not see
    return ItemEvent(record.seq, record.event_id, record.kind, record.origin.actor.value, record.recorded_at_ms, body)
