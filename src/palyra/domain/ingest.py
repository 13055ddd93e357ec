"""The ingest pipeline's decisions, all pure: check, classify, normalise, redact; then store, merge, hold or link.

`make_ready` turns a draft into what would be stored, or raises one clear error. `decide` looks at what is there
already and says which events follow. No text is ever dropped: a merge keeps both wordings in history, a conflict
keeps both items, and what may not become memory by itself waits for a person.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from palyra.core import limits
from palyra.core.errors import InvalidArgument
from palyra.core.hashing import sha256
from palyra.core.ids import CandidateId, MemoryId, parse_ulid
from palyra.core.redact import find_spans, mask_secrets
from palyra.core.text import has_lone_surrogate, hidden_characters, normalise
from palyra.core.tokens import estimate_tokens
from palyra.domain.classify import classify_memory_write
from palyra.domain.journal import Actor, payload_of
from palyra.domain.labels import Category, SensitivePolicy, written_kinds
from palyra.domain.memory import (
    ACTOR_TRUST,
    DAY_MS,
    LEAST_TRUST,
    REVIEW_BELOW_BPS,
    SOURCE_POLICY,
    Candidate,
    CandidateState,
    ConflictFound,
    Draft,
    HeldForReview,
    IngestOutcome,
    MemoryItem,
    MemoryLimits,
    MemorySource,
    Merged,
    Rejected,
    Stored,
    Trust,
    is_person,
)
from palyra.domain.memory_events import (
    MemoryEvent,
    MemoryHeld,
    MemoryLinked,
    MemoryMerged,
    MemoryRefused,
    MemoryStored,
    MemorySuperseded,
)
from palyra.domain.scope import Scope
from palyra.language.change import Link
from palyra.language.statements import Encode
from palyra.language.steering import steers
from palyra.language.wording import fingerprint

LATEST_MS = 1 << 48
_UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Ready:
    """A draft that may be written: checked, classified, normalised and redacted."""

    draft: Draft
    scope: Scope
    stored: MemoryStored
    """as it would be stored"""
    because: tuple[str, ...]
    """why a person has to look first; empty: nobody has to"""


@dataclass(frozen=True, slots=True)
class Known:
    """What is there already, read in one snapshot."""

    alike: Sequence[MemoryItem] = ()
    """open items of the same scope with the same normal form"""
    neighbours: Sequence[MemoryItem] = ()
    """open items of the same scope that it may have to do with"""
    before: Mapping[MemoryId, tuple[str, ...]] = field(default_factory=dict)
    """of these, what they have replaced"""
    links: Sequence[Link] = ()
    """what it is to them, by their ids; to those said later, what they are to it"""
    candidate: Candidate | None = None
    """the newest candidate of the same scope with the same normal form"""


@dataclass(frozen=True, slots=True)
class Terms:
    """On which drafts are taken in."""

    allowed: MemoryLimits = field(default_factory=MemoryLimits)
    sensitive: SensitivePolicy = field(default_factory=SensitivePolicy)
    encode: Encode | None = None
    """what a text is about, if an encoder is at hand"""


def make_ready(draft: Draft, scope: Scope, actor: Actor, terms: Terms, now_ms: int, memory_id: MemoryId) -> Ready:
    policy = SOURCE_POLICY[draft.source]
    raw = _checked_text(draft.text, terms.allowed)
    _check_times(draft, now_ms)
    check_name(draft.speaker, "speaker")
    check_name(draft.thread, "thread")
    tags = check_tags(draft.tags)
    if len(draft.provenance) > limits.PROVENANCE_IDS:
        raise InvalidArgument(
            f"{len(draft.provenance)} provenance ids; the limit is {limits.PROVENANCE_IDS}", hint="name the main ones"
        )
    for event_id in draft.provenance:
        parse_ulid(event_id, "provenance id")
    confidence_bps = policy.confidence_bps if draft.confidence_bps is None else draft.confidence_bps
    if not 0 <= confidence_bps <= 10_000:
        raise InvalidArgument(f"confidence {confidence_bps} is outside 0..10000 basis points", hint="0.9 is 9000")
    trust = max(policy.trust, ACTOR_TRUST[actor], Trust.OWNER if draft.trust is None else draft.trust)
    spans = find_spans(raw)
    # Turns come in by the million; what is read out of them is looked at more closely.
    encode = None if draft.is_episode else terms.encode
    found = classify_memory_write(raw, spans, encode, with_risks=trust is not Trust.OWNER)
    text = mask_secrets(raw, spans)
    expires_at_ms = draft.expires_at_ms
    if expires_at_ms is None and policy.ttl_days is not None and not draft.pinned:
        expires_at_ms = now_ms + policy.ttl_days * DAY_MS
    vouched = draft.vouched and is_person(actor)
    stored = MemoryStored(
        memory_id,
        text,
        _likeness(draft, text),
        draft.source.value,
        (draft.category or found.category).value,
        written_kinds(found.sensitive),
        int(trust),
        confidence_bps,
        scope.channel,
        scope.session_id,
        tags,
        draft.speaker,
        draft.thread,
        draft.said_at_ms,
        expires_at_ms,
        draft.valid_from_ms,
        draft.valid_to_ms,
        None,
        draft.provenance,
        draft.pinned,
        None,
        found.risks,
        vouched,
        draft.is_statement,
    )
    whose = trust if draft.rests_on is None else draft.rests_on
    sensitive = terms.sensitive.reasons_to_hold(found.sensitive, is_owners=whose is Trust.OWNER)
    because = _reasons_to_wait(draft, stored, scope, sensitive, by_person=is_person(actor), encode=terms.encode)
    return Ready(draft, scope, stored, because)


def _likeness(draft: Draft, text: str) -> str:
    # A turn is compared with the very same turn only, and a million of them should not cost a parse each.
    return _turn_likeness(text) if draft.is_episode else fingerprint(text)[:32]


def _turn_likeness(text: str) -> str:
    return sha256(b"turn\0" + text.encode("utf-8", "surrogatepass")).hex()[:32]


def decide(
    ready: Ready, known: Known, now_ms: int, new_id: Callable[[], str]
) -> tuple[tuple[MemoryEvent, ...], IngestOutcome]:
    if ready.because:
        # What is memory already need not be reviewed again; a secret, though, is nobody's to repeat.
        if known.alike and "secret" not in ready.because and not ready.draft.is_episode:
            return _merge(ready, known.alike[0], ("equal_text",))
        return _hold(ready, known.candidate, new_id)
    stored = ready.stored
    if ready.draft.is_episode:
        twin = next((item for item in known.alike if _is_same_turn(item, ready.draft)), None)
        if twin is not None:
            return _merge(ready, twin, ("same_turn",))
        return (stored,), Stored(stored.memory_id)
    if known.alike:
        return _merge(ready, known.alike[0], ("equal_text",))
    by_id = {item.memory_id: item for item in known.neighbours}
    found = [(by_id[link.key], link) for link in known.links if link.key in by_id]
    for item, link in found:
        if link.relation == "same":
            return _merge(ready, item, link.reasons)
    return _link(stored, found, now_ms) if found else ((stored,), Stored(stored.memory_id))


def draft_of(body: dict[str, Any]) -> Draft:
    """The draft that gives this `memory.stored` body again."""
    return Draft(
        text=body["text"],
        source=MemorySource(body["source"]),
        tags=tuple(body.get("tags", ())),
        category=Category(body["category"]),
        confidence_bps=body.get("confidence_bps"),
        trust=Trust(body.get("trust", 0)),
        speaker=body.get("speaker", ""),
        thread=body.get("thread", ""),
        said_at_ms=body.get("said_at_ms"),
        expires_at_ms=body.get("expires_at_ms"),
        valid_from_ms=body.get("valid_from_ms"),
        valid_to_ms=body.get("valid_to_ms"),
        provenance=tuple(body.get("provenance", ())),
        pinned=body.get("pinned", False),
        is_statement=body.get("is_statement", False),
    )


def check_tags(tags: Sequence[str]) -> tuple[str, ...]:
    if len(tags) > limits.ITEM_TAGS:
        raise InvalidArgument(
            f"{len(tags)} tags; an item has at most {limits.ITEM_TAGS}", hint="keep those you search by"
        )
    for tag in tags:
        size = len(tag.encode("utf-8", "surrogatepass"))
        if not tag.strip() or tag != tag.strip() or size > limits.TAG_BYTES or _UNSEEN.search(tag):
            raise InvalidArgument(
                f"tag {tag[:64]!r} is empty, longer than {limits.TAG_BYTES} bytes, or has spaces around it"
                " or control characters",
                hint="use short words",
            )
    return tuple(dict.fromkeys(tags))


def _checked_text(text: str, allowed: MemoryLimits) -> str:
    if has_lone_surrogate(text):
        raise InvalidArgument("the text holds half of a surrogate pair", hint="send well-formed Unicode text")
    size = len(text.encode())
    if size > allowed.max_item_bytes:
        raise InvalidArgument(
            f"the text is {size} bytes; an item holds at most {allowed.max_item_bytes}",
            hint="split it into several memories",
            bytes=size,
            limit=allowed.max_item_bytes,
        )
    normal = normalise(text)
    if not normal:
        raise InvalidArgument(
            "the text is empty" if not text.strip() else "the text holds nothing but invisible characters",
            hint="say what to remember",
        )
    # A token is at least one byte, so short texts need no counting.
    if len(normal.encode()) > allowed.max_item_tokens and (tokens := estimate_tokens(normal)) > allowed.max_item_tokens:
        raise InvalidArgument(
            f"the text is about {tokens} tokens; an item holds at most {allowed.max_item_tokens}",
            hint="split it into several memories",
            tokens=tokens,
            limit=allowed.max_item_tokens,
        )
    return normal


def _check_times(draft: Draft, now_ms: int) -> None:
    for name in ("said_at_ms", "valid_from_ms", "valid_to_ms", "expires_at_ms"):
        value = getattr(draft, name)
        if value is not None and not 0 <= value < LATEST_MS:
            raise InvalidArgument(f"{name} {value} is outside 0..2**48", hint="give milliseconds since 1970-01-01 UTC")
    if draft.expires_at_ms is not None and draft.expires_at_ms <= now_ms:
        raise InvalidArgument(
            f"the item would expire at {draft.expires_at_ms}, which is past", hint="give a later time, or none"
        )
    if draft.valid_to_ms is not None:
        start = draft.valid_from_ms if draft.valid_from_ms is not None else draft.said_at_ms
        if start is not None and draft.valid_to_ms < start:  # equal: replaced in the very moment it was said
            raise InvalidArgument(
                f"valid_to {draft.valid_to_ms} is before valid_from {start}", hint="swap them, or leave one out"
            )


def check_name(name: str, what: str) -> None:
    size = len(name.encode("utf-8", "surrogatepass"))
    if size > limits.IDENTIFIER_BYTES or _UNSEEN.search(name) or name != name.strip():
        raise InvalidArgument(
            f"{what} {name[:64]!r} is longer than {limits.IDENTIFIER_BYTES} bytes, or has spaces around it or control"
            " characters",
            hint=f"shorten the {what}",
        )


def _reasons_to_wait(
    draft: Draft,
    stored: MemoryStored,
    scope: Scope,
    sensitive: tuple[str, ...],
    *,
    by_person: bool,
    encode: Encode | None,
) -> tuple[str, ...]:
    """The one rule for every road in; `reasons.txt` explains the codes. Of an agent's text a plain fact waits for
    nobody; what would change what agents do, or be expensive if it were false, does, whatever source is claimed."""
    reasons = [why for why in sensitive if why == "secret" or not stored.vouched]
    if stored.vouched:
        return tuple(reasons)
    if stored.trust > LEAST_TRUST[scope.kind]:
        reasons.append("untrusted_source")
    elif stored.trust > Trust.OWNER and not by_person:
        reasons += _doubts_about_an_agent(draft, stored, encode)
    if stored.confidence_bps < REVIEW_BELOW_BPS:
        reasons.append("low_confidence")
    return tuple(reasons)


_CHANGES_BEHAVIOUR = frozenset({Category.PREFERENCE, Category.PROCEDURE, Category.CONSTRAINT})
_SAYS_SOMETHING = 2
"""blanks in a tag or a name that could be a sentence"""


def _doubts_about_an_agent(draft: Draft, stored: MemoryStored, encode: Encode | None) -> list[str]:
    # Of what is told in a turn the reader knows the kind; an agent that retains only claims one.
    doubts = ["changes_behaviour"] if draft.is_statement and draft.category in _CHANGES_BEHAVIOUR else []
    if stored.risks or hidden_characters(draft.text):
        doubts.append("reads_like_instructions")
    beside = [name for name in (*stored.tags, stored.speaker, stored.thread) if name.count(" ") >= _SAYS_SOMETHING]
    if any(steers(said, encode) for said in (stored.text, *beside)):
        doubts.append("expensive_if_false")
    return doubts


def _hold(
    ready: Ready, waiting: Candidate | None, new_id: Callable[[], str]
) -> tuple[tuple[MemoryEvent, ...], IngestOutcome]:
    source = ready.stored.source
    if waiting is not None and waiting.state is CandidateState.REJECTED:
        return (MemoryRefused(("rejected_before",), source),), Rejected(("rejected_before",))
    if waiting is not None and waiting.state is CandidateState.NEEDS_REVIEW:
        event = MemoryRefused(("already_waiting",), source, waiting.candidate_id, waiting.because)
        return (event,), HeldForReview(waiting.candidate_id, waiting.because)
    candidate_id = CandidateId(new_id())
    body = payload_of(ready.stored)
    del body["memory_id"]
    return (MemoryHeld(candidate_id, ready.because, body),), HeldForReview(candidate_id, ready.because)


def _merge(ready: Ready, into: MemoryItem, reasons: tuple[str, ...]) -> tuple[tuple[MemoryEvent, ...], IngestOutcome]:
    stored = ready.stored
    # Hearing a thing again from somebody less trusted makes it no surer.
    confidence_bps = stored.confidence_bps if stored.trust <= into.trust else 0
    tags = stored.tags if stored.trust <= into.trust else ()
    event = MemoryMerged(into.memory_id, stored.text, reasons, confidence_bps, stored.source, tags, stored.provenance)
    return (event,), Merged(into.memory_id, reasons)


def _link(
    stored: MemoryStored, found: Sequence[tuple[MemoryItem, Link]], now_ms: int
) -> tuple[tuple[MemoryEvent, ...], IngestOutcome]:
    """What was said later replaces, whichever came in first; but nothing that is pinned or better founded."""
    said_at_ms = stored.said_at_ms or now_ms
    since_ms = stored.valid_from_ms or said_at_ms
    is_correction = stored.category == Category.CORRECTION.value
    replaced: list[tuple[MemoryItem, Link]] = []
    by: list[tuple[MemoryItem, Link]] = []
    for item, link in found:
        if link.relation != "replaces" and not is_correction:
            continue
        if item.said_at_ms > said_at_ms:
            if link.relation == "replaces" and not stored.pinned and item.trust <= stored.trust:
                by.append((item, link))
        elif not item.pinned and stored.trust <= item.trust:
            replaced.append((item, link))
    events: list[MemoryEvent] = [replace(stored, supersedes=replaced[0][0].memory_id if replaced else None)]
    for item, link in found:
        events.append(MemoryLinked(stored.memory_id, item.memory_id, "conflict", link.reasons))
    for item, link in replaced:
        events.append(
            MemorySuperseded(item.memory_id, stored.memory_id, max(since_ms, item.valid_from_ms), link.reasons)
        )
    for item, link in sorted(by, key=lambda one: one[0].said_at_ms)[:1]:
        events.append(
            MemorySuperseded(stored.memory_id, item.memory_id, max(since_ms, item.valid_from_ms), link.reasons)
        )
    return tuple(events), ConflictFound(
        stored.memory_id,
        tuple(item.memory_id for item, _ in found),
        tuple(item.memory_id for item, _ in replaced),
        tuple(dict.fromkeys(reason for _, link in found for reason in link.reasons)),
    )


def _is_same_turn(item: MemoryItem, draft: Draft) -> bool:
    return (item.thread, item.speaker, item.said_at_ms) == (draft.thread, draft.speaker, draft.said_at_ms)
