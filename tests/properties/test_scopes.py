"""Nobody is shown what is not theirs: any story, told by callers with confusable names, against a plain model.

Every stored text holds a canary, a word of its own. The model is a list of items and `Visibility.sees`. After each
step the whole answer (or error) is searched for canaries and ids that its caller may not see, and compared with what
the model says should be there.

`make test` tells a few short stories. The long run is

    pytest tests/properties/test_scopes.py --property-examples 10000 --property-steps 50 --timeout 0
"""

import asyncio
import hashlib
import re
import tempfile
import unicodedata
from collections.abc import Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test

from palyra.core.clock import ManualClock
from palyra.core.errors import InvalidArgument, PalyraError
from palyra.core.ids import RunId, SessionId
from palyra.domain.chat.continuity_events import (
    CheckpointCreated,
    CheckpointId,
    CompactionApplied,
    CompactionId,
    DocumentWritten,
)
from palyra.domain.chat.session import TapeType
from palyra.domain.chat.session_events import TapeAppended
from palyra.domain.compaction.plan import STRATEGY
from palyra.domain.journal import Actor, Decision, Origin, draft_of_event
from palyra.domain.memory import (
    AsOf,
    CandidateState,
    Change,
    ConflictFound,
    Draft,
    HeldForReview,
    IngestOutcome,
    ItemFilter,
    MemorySource,
    Merged,
    Rejected,
    Stored,
    Trust,
)
from palyra.domain.retrieval.query import RetrievalSourceProfileKind
from palyra.domain.scope import Scope, ScopeKind, Visibility, scope_for, visibility
from palyra.services.memory import ingest as ingesting
from palyra.services.memory import lifecycle, transfer, upkeep
from palyra.services.memory.about import about
from palyra.services.memory.deciding import settling, tidying
from palyra.services.memory.recalling import recall
from palyra.services.memory.search import SearchRequest, search
from palyra.services.memory.sources.searching import SOURCES, search_passages
from palyra.store.memory.replaced import StandingConflict
from palyra.store.upkeep.rebuild import find_drift
from palyra.wire.from_domain import memory as wire
from support import a_memory

T = TypeVar("T")

PRINCIPALS = (
    "user:a",
    "user:A",
    "user:ab",
    "user: a",
    "user:é",
    "user:e\u0301",
    "user:%",
    "user:_",
    "user:a'",
    'user:a"',
)
CHANNELS = (None, "c", "C", "cc", "c%", "_", "c'--", "c d", "c  d", "né", "ne\u0301", "null")
SESSIONS = (None, "s", "S", "ss", "%", "s'", "None", "c")
UNKNOWN = "01JD8QZ6T3M4N5P6Q7R8S9TABC"
CANARY = re.compile("zq[bcdfghjk]{6}")
ULID = re.compile("[0-9A-HJKMNP-TV-Z]{26}")

numbers = st.integers(0, 60)
twists = st.integers(0, 9)


@dataclass
class Version:
    canary: str
    from_seq: int
    from_ms: int
    to_seq: int = 1 << 60
    to_ms: int = 1 << 60


@dataclass
class Item:
    memory_id: str
    scope: Scope
    versions: list[Version]
    is_open: bool = True
    superseded_seq: int = 1 << 60
    superseded_ms: int = 1 << 60
    links: set[str] = field(default_factory=set)
    erased: bool = False

    @property
    def is_current(self) -> bool:
        return self.is_open and self.superseded_seq == 1 << 60 and not self.erased


@dataclass
class Candidate:
    candidate_id: str
    scope: Scope
    canary: str
    state: str = "needs_review"
    memory_id: str | None = None
    erased: bool = False


def lookalike(name: str, n: int) -> str:
    """Another name that a careless comparison takes for this one."""
    names = (
        name.swapcase(), unicodedata.normalize("NFD", name), unicodedata.normalize("NFC", name), name + "b",
        name[:-1].strip() or "x", "%", "_" * len(name), name + "%", name.replace(" ", "  "), name + "'",
    )  # fmt: skip
    return names[n % len(names)]


def id_of(thing: Item | Candidate) -> str:
    return thing.memory_id if isinstance(thing, Item) else thing.candidate_id


def a_text(canary: str, n: int) -> str:
    """Notes have nothing to do with each other; people who live in two places are a contradiction."""
    return ("note about {}", "Note about  {}.", "Ana lives in {}", "ana lives in  {}.")[n % 4].format(canary)


def a_source_event(kind: RetrievalSourceProfileKind, canary: str, number: int) -> Any:
    text, told_by = f"note about {canary}", f"{number:026}"
    session = SessionId("0" * 26)
    match kind:
        case RetrievalSourceProfileKind.TRANSCRIPT:
            return TapeAppended(RunId("1" * 26), session, TapeType.USER_MESSAGE.value, {"text": text})
        case RetrievalSourceProfileKind.WORKSPACE:
            sha256 = hashlib.sha256(text.encode()).hexdigest()
            return DocumentWritten(f"note{number}.md", 1, sha256, "person", Trust.OWNER, "clean", text=text)
        case RetrievalSourceProfileKind.CHECKPOINT:
            return CheckpointCreated(CheckpointId(told_by), session, 0, (), name=canary, note="a note about it")
        case _:
            line = {"seq": 1, "voice": "user", "day": "2026-05-01", "text": text}
            block: Any = {"first_seq": 1, "last_seq": 1, "source_tokens": 9, "lines": [line]}
            plan: Any = {"strategy": STRATEGY, "condensed": [block]}
            return CompactionApplied(CompactionId(told_by), session, 1, 1, {"plan": plan}, 9, 3)


class ScopeMachine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.directory = tempfile.TemporaryDirectory()
        self.runner = asyncio.Runner()
        self.clock = ManualClock()
        self.opened = a_memory(Path(self.directory.name), self.clock)
        self.memory = self.runner.run(self.opened.__aenter__())
        self.items: dict[str, Item] = {}
        self.candidates: dict[str, Candidate] = {}
        self.places: dict[str, list[Scope]] = {}
        """canary to the scopes where it may be seen"""
        self.told: list[tuple[RetrievalSourceProfileKind, Scope, str]] = []
        """of other sources: which, where it may be seen, and its canary"""
        self.counter = 0

    def teardown(self) -> None:
        """Whoever owns a contradiction settles it; everybody who owns anything looks at everything once more."""
        try:
            for holds in range(3):
                for one, _ in self.contradictions()[:1]:
                    self.conflicts(list(self.items).index(one), 0, limit=5)
                    self.settle(0, 0, 0, holds)
            for number, thing in enumerate(self.things()):
                self.get_and_history(number, 0)
                if isinstance(thing, Item) and len(thing.versions) > 1:
                    for version in thing.versions:
                        for as_of in (AsOf(seq=version.from_seq), AsOf(at_ms=version.from_ms)):
                            self.look_back(self.caller(number, 0), version.canary, as_of)
            for number in {thing.scope: n for n, thing in enumerate(self.things())}.values():
                self.count(number, 0)
                self.conflicts(number, 0, limit=5)
                self.about(number, 0, "Ana")
                self.list_and_export(number, 0, past=True, limit=5)
                self.find(number, 0, "zq*")
                for state in CandidateState:
                    self.list_candidates(number, 0, state)
            _, findings = self.runner.run(self.memory.store.db.read(find_drift))
            assert findings == []
        finally:
            self.runner.run(self.opened.__aexit__(None, None, None))
            self.runner.close()
            self.directory.cleanup()

    # -- who asks

    def things(self) -> list[Item | Candidate]:
        return [*self.items.values(), *self.candidates.values()]

    def caller(self, n: int, twist: int) -> Visibility:
        """The owner of thing `n`, or somebody whose name, channel or session looks like the owner's."""
        things = self.things()
        if not things or twist == 9:
            return Visibility(PRINCIPALS[n % 10], CHANNELS[n % 12], SESSIONS[n % 8])
        scope = things[n % len(things)].scope
        principal, channel, session_id = scope.principal, scope.channel, scope.session_id
        match twist:
            case 3 | 4:
                principal = lookalike(principal, n)
            case 5 | 6:
                channel = lookalike(channel or "c", n)
            case 7:
                session_id = lookalike(session_id or "s", n)
            case 8:
                channel, session_id = (None, session_id) if n % 2 else (channel, None)
            case _:
                pass
        return Visibility(principal, channel, session_id)

    # -- asking, and looking at the answer

    def ask(self, caller: Visibility, work: Coroutine[Any, Any, T], *asked_for: str) -> T | PalyraError:
        self.clock.advance(1_000)
        answer: T | PalyraError
        try:
            answer = self.runner.run(work)
        except PalyraError as error:
            answer = error
            self.inspect(caller, repr(error.body()), asked_for)
        else:
            self.inspect(caller, repr(answer), asked_for)
        return answer

    def inspect(self, caller: Visibility, shown: str, asked_for: tuple[str, ...] = ()) -> None:
        for canary in set(CANARY.findall(shown)) - set(asked_for):
            assert any(caller.sees(scope) for scope in self.places.get(canary, [])), (caller, canary, shown)
        for ulid in set(ULID.findall(shown)) - set(asked_for):
            known = self.items.get(ulid) or self.candidates.get(ulid)
            assert known is None or caller.sees(known.scope), (caller, ulid, shown)

    def expect(self, answer: object, code: str | None) -> None:
        got = answer.code if isinstance(answer, PalyraError) else None
        assert got == code, answer

    # -- the model

    def head(self) -> int:
        return self.runner.run(self.memory.journal.head())[0]

    def new_canary(self) -> str:
        self.counter += 1
        return "zq" + "".join("bcdfghjk"[self.counter >> shift & 7] for shift in (15, 12, 9, 6, 3, 0))

    def pick(self, n: int) -> str:
        """The id of thing `n`, or one that nobody has."""
        things = self.things()
        return id_of(things[n % len(things)]) if things and n < 58 else UNKNOWN

    def sibling(self, n: int, other: int) -> str:
        """A thing of the same scope as thing `n`, more often than not."""
        things = self.things()
        if not things or other % 4 == 0:
            return self.pick(other)
        near = [thing for thing in things if thing.scope == things[n % len(things)].scope]
        return id_of(near[other % len(near)])

    def item_code(self, memory_id: str, caller: Visibility, *, to_change: bool) -> str | None:
        item = self.items.get(memory_id)
        if item is None or item.erased:
            return "not_found"
        if not caller.sees(item.scope):
            return "permission_denied"
        return "failed_precondition" if to_change and not item.is_open else None

    def seen(self, caller: Visibility) -> list[Item]:
        return [item for item in self.items.values() if not item.erased and caller.sees(item.scope)]

    def write_down(self, outcome: IngestOutcome, scope: Scope, canary: str, seq: int) -> None:
        self.places.setdefault(canary, [])
        if scope not in self.places[canary]:
            self.places[canary].append(scope)
        match outcome:
            case Stored(memory_id) | ConflictFound(memory_id):
                self.items[memory_id] = Item(memory_id, scope, [Version(canary, seq, self.clock.now_ms())])
                if isinstance(outcome, ConflictFound):
                    for other in outcome.conflicts_with:
                        assert self.items[other].scope == scope
                        self.items[other].links.add(memory_id)
                        self.items[memory_id].links.add(other)
                    assert set(outcome.superseded) <= set(outcome.conflicts_with)
                    first = seq + 1 + len(outcome.conflicts_with)
                    for seq_of, old in enumerate(outcome.superseded, first):
                        assert self.items[old].is_current
                        self.items[old].superseded_seq, self.items[old].superseded_ms = seq_of, self.clock.now_ms()
            case Merged(memory_id):
                assert self.items[memory_id].scope == scope
                assert self.items[memory_id].is_current
                assert self.items[memory_id].versions[-1].canary == canary
            case HeldForReview(candidate_id):
                known = self.candidates.setdefault(candidate_id, Candidate(candidate_id, scope, canary))
                assert (known.scope, known.canary) == (scope, canary)
            case Rejected():
                assert any(
                    c.canary == canary and c.scope == scope and c.state == "rejected" for c in self.candidates.values()
                )

    # -- writing

    @initialize(n=numbers, count=st.integers(2, 5))
    def furnish(self, n: int, count: int) -> None:
        """Things in each kind of scope of one principal, and the same in that of somebody with a like name."""
        for k in range(count):
            here = Visibility(PRINCIPALS[n % 10], CHANNELS[1 + n % 11], SESSIONS[1 + n % 7])
            for caller in (here, Visibility(lookalike(here.principal, n), here.channel, here.session_id)):
                for kind in ScopeKind:
                    self.take_in(caller, kind, self.new_canary(), k + 2 * (kind is ScopeKind.PRINCIPAL), held=k == 1)

    @rule(n=numbers, m=numbers, twist=twists, kind=st.none() | st.sampled_from(ScopeKind), held=st.integers(0, 3))
    def retain(self, n: int, m: int, twist: int, kind: ScopeKind | None, held: int) -> None:
        canary = self.some_canary(m) if m % 4 == 0 else self.new_canary()
        self.take_in(self.caller(n, twist), kind, canary, m // 4, held=held == 0)

    def take_in(self, caller: Visibility, kind: ScopeKind | None, canary: str, n: int, *, held: bool) -> None:
        source = MemorySource.TOOL_RESULT if held else MemorySource.MANUAL
        # What is pinned is not replaced: it stays in conflict with what contradicts it, until somebody settles that.
        draft = Draft(a_text(canary, n), source, tags=(canary,), pinned=self.counter % 2 == 0)
        if (kind is ScopeKind.CHANNEL and caller.channel is None) or (
            kind is ScopeKind.SESSION and caller.session_id is None
        ):
            answer = self.ask(caller, ingesting.ingest(self.memory, draft, caller, scope=kind), canary)
            self.expect(answer, "invalid_argument")
            return
        scope = scope_for(caller, kind)
        self.places.setdefault(canary, []).append(scope)
        done = self.ask(caller, ingesting.ingest(self.memory, draft, caller, scope=kind))
        assert not isinstance(done, PalyraError), done
        self.inspect(caller, msgspec.json.encode(wire.to_retained(done)).decode())
        self.write_down(done.outcome, scope, canary, done.receipt.seq)

    @rule(n=numbers, twist=twists, text=st.booleans())
    def update(self, n: int, twist: int, text: bool) -> None:
        memory_id, caller = self.pick(n), self.caller(n, twist)
        canary = self.new_canary()
        change = Change(text=a_text(canary, n), reason="so") if text else Change(pinned=bool(n % 2))
        code = self.item_code(memory_id, caller, to_change=True)
        if text and code is None:
            self.places[canary] = [self.items[memory_id].scope]
        answer = self.ask(caller, lifecycle.update(self.memory, memory_id, change, caller), memory_id)
        self.expect(answer, code)
        if text and not isinstance(answer, PalyraError):
            item, (_, receipt) = self.items[memory_id], answer
            item.versions[-1].to_seq, item.versions[-1].to_ms = receipt.seq, self.clock.now_ms()
            item.versions.append(Version(canary, receipt.seq, self.clock.now_ms()))

    @rule(a=numbers, b=numbers, twist=twists)
    def delete(self, a: int, b: int, twist: int) -> None:
        ids, caller = [self.pick(a), self.sibling(a, b)], self.caller(a, twist)
        codes = [code for code in (self.item_code(i, caller, to_change=True) for i in ids) if code]
        answer = self.ask(caller, lifecycle.delete(self.memory, ids, caller), *ids)
        self.expect(answer, codes[0] if codes else None)
        if not isinstance(answer, PalyraError):
            self.close(set(ids), answer[1].seq)

    @rule(n=numbers, twist=twists, everything=st.booleans())
    def purge(self, n: int, twist: int, everything: bool) -> None:
        caller = self.caller(n, twist)
        gone = {
            item.memory_id
            for item in self.seen(caller)
            if item.is_open
            and (everything or caller.channel is None or item.scope.channel == caller.channel)
            and (everything or caller.session_id is None or item.scope.session_id == caller.session_id)
        }
        answer = self.ask(caller, lifecycle.purge(self.memory, caller, everything=everything))
        if not everything and caller.channel is None and caller.session_id is None:
            self.expect(answer, "invalid_argument")
            return
        assert not isinstance(answer, PalyraError)
        assert answer.deleted == len(gone)
        self.close(gone, self.head())

    def close(self, ids: set[str], seq: int) -> None:
        for memory_id in ids:
            item = self.items[memory_id]
            item.is_open = False
            item.versions[-1].to_seq, item.versions[-1].to_ms = seq, self.clock.now_ms()

    @rule(a=numbers, b=numbers, twist=twists)
    def supersede(self, a: int, b: int, twist: int) -> None:
        old, new, caller = self.pick(a), self.sibling(a, b), self.caller(a, twist)
        self.replace_by(old, new, caller)
        self.replace_by(new, old, caller)

    def replace_by(self, old: str, new: str, caller: Visibility) -> None:
        answer = self.ask(caller, lifecycle.supersede(self.memory, old, new, caller), old, new)
        codes = [self.item_code(old, caller, to_change=True), self.item_code(new, caller, to_change=True)]
        if old == new:
            self.expect(answer, "invalid_argument")
            return
        code = codes[0] or codes[1]
        if code is None:
            one, other = self.items[old], self.items[new]
            if one.scope != other.scope or not one.is_current or not other.is_current:
                code = "failed_precondition"
        self.expect(answer, code)
        if not isinstance(answer, PalyraError):
            self.items[old].superseded_seq, self.items[old].superseded_ms = answer.seq, self.clock.now_ms()

    @rule(n=numbers, twist=twists, one=st.booleans())
    def restore(self, n: int, twist: int, one: bool) -> None:
        """Something that was taken out, more often than not, and perhaps its neighbour with it."""
        gone = [item.memory_id for item in self.items.values() if not item.is_open]
        wanted = gone[n % len(gone)] if gone and n < 50 else self.pick(n)
        number = list(self.items).index(wanted) if wanted in self.items else n
        ids = list(dict.fromkeys([wanted, self.sibling(number, n)]))[: 1 if one else 2]
        caller = self.caller(number, twist)
        code = next((code for code in (self.code_to_restore(i, caller) for i in ids) if code), None)
        answer = self.ask(caller, tidying.restore(self.memory, ids, caller, Actor.USER), *ids)
        self.expect(answer, code)
        if not isinstance(answer, PalyraError):
            for seq, memory_id in enumerate(ids, answer.seq):
                item = self.items[memory_id]
                item.is_open = True
                item.versions.append(Version(item.versions[-1].canary, seq, self.clock.now_ms()))

    def code_to_restore(self, memory_id: str, caller: Visibility) -> str | None:
        code = self.item_code(memory_id, caller, to_change=False)
        return code or ("failed_precondition" if self.items[memory_id].is_open else None)

    def contradictions(self) -> list[tuple[str, str]]:
        current = {item.memory_id: item for item in self.items.values() if item.is_current}
        return [(one, other) for one, item in current.items() for other in sorted(item.links & current.keys())]

    @rule(n=numbers, m=numbers, twist=twists, holds=st.integers(0, 3))
    def settle(self, n: int, m: int, twist: int, holds: int) -> None:
        """Of two that contradict each other, more often than not."""
        pairs = self.contradictions()
        one, other = pairs[n % len(pairs)] if pairs and n < 50 else (self.pick(n), self.sibling(n, m))
        number = list(self.items).index(one) if one in self.items else n
        caller = self.caller(number, twist)
        kept = (one, other, settling.BOTH, "neither")[holds]
        code = self.item_code(one, caller, to_change=True) or self.item_code(other, caller, to_change=True)
        if code is None:
            pair = (self.items[one], self.items[other])
            if other not in pair[0].links or not all(item.is_current for item in pair):
                code = "failed_precondition"
        if kept == "neither":
            code = "invalid_argument"
        answer = self.ask(caller, settling.settle(self.memory, one, other, kept, caller, Actor.USER), one, other)
        self.expect(answer, code)
        if isinstance(answer, PalyraError):
            return
        if kept == settling.BOTH:
            self.items[one].links.discard(other)
            self.items[other].links.discard(one)
            return
        old = self.items[one if kept == other else other]
        old.superseded_seq, old.superseded_ms = answer.seq, self.clock.now_ms()

    @rule(n=numbers, twist=twists)
    def erase(self, n: int, twist: int) -> None:
        wanted, caller = self.pick(n), self.caller(n, twist)
        held = self.candidates.get(wanted)
        code = self.item_code(wanted, caller, to_change=False)
        if held is not None and not held.erased:
            code = None if caller.sees(held.scope) else "permission_denied"
        self.expect(self.ask(caller, lifecycle.erase(self.memory, [wanted], "asked for", caller), wanted), code)
        if code is None:
            item = self.items.get(wanted if held is None else held.memory_id or "")
            self.forget(None if item is None or item.erased else item, held)

    def forget(self, item: Item | None, held: Candidate | None) -> None:
        gone = [held] if held is not None else []
        if item is not None:
            item.erased = True
            gone += [c for c in self.candidates.values() if c.memory_id == item.memory_id]
            for other in item.links:
                self.items[other].links.discard(item.memory_id)
        for candidate in gone:
            candidate.erased = True
        left = [(i.scope, v.canary) for i in self.items.values() if not i.erased for v in i.versions]
        left += [(c.scope, c.canary) for c in self.candidates.values() if not c.erased]
        self.places = {canary: [scope for scope, other in left if other == canary] for canary in self.places}

    # -- reviewing

    @rule(n=numbers, twist=twists, approve=st.booleans())
    def decide(self, n: int, twist: int, approve: bool) -> None:
        if self.candidates and n < 55:
            n = len(self.items) + n % len(self.candidates)
        candidate_id, caller = self.pick(n), self.caller(n, twist)
        held = self.candidates.get(candidate_id)
        code: str | None = None
        if held is None or held.erased:
            code = "not_found"
        elif not caller.sees(held.scope):
            code = "permission_denied"
        elif held.state != "needs_review":
            code = "failed_precondition"
        act = ingesting.approve if approve else ingesting.reject
        done = self.ask(caller, act(self.memory, candidate_id, caller, Actor.USER), candidate_id)
        self.expect(done, code)
        if isinstance(done, PalyraError) or held is None:
            return
        held.state = "approved" if approve else "rejected"
        if approve:
            self.write_down(done.outcome, held.scope, held.canary, done.receipt.seq)
            assert isinstance(done.outcome, Stored | Merged | ConflictFound)
            held.memory_id = done.outcome.memory_id

    @rule(n=numbers, twist=twists, state=st.sampled_from(CandidateState))
    def list_candidates(self, n: int, twist: int, state: CandidateState) -> None:
        caller = self.caller(n, twist)
        found = self.ask(caller, ingesting.candidates(self.memory, caller, state, 0, 500))
        assert not isinstance(found, PalyraError)
        self.inspect(caller, repr([wire.to_candidate(candidate) for candidate in found]))
        assert {candidate.candidate_id for candidate in found} == {
            c.candidate_id
            for c in self.candidates.values()
            if c.state == state and not c.erased and caller.sees(c.scope)
        }

    # -- looking

    @rule(n=numbers, twist=twists)
    def get_and_history(self, n: int, twist: int) -> None:
        memory_id, caller = self.pick(n), self.caller(n, twist)
        code = self.item_code(memory_id, caller, to_change=False)
        detail = self.ask(caller, lifecycle.get(self.memory, memory_id, caller), memory_id)
        events = self.ask(caller, lifecycle.history(self.memory, memory_id, caller), memory_id)
        self.expect(detail, code)
        self.expect(events, code)
        if isinstance(detail, PalyraError) or isinstance(events, PalyraError):
            return
        item = self.items[memory_id]
        assert item.versions[-1].canary in detail.item.text
        assert {other for other, _ in detail.conflicts} == item.links
        assert {version.canary for version in item.versions} <= set(CANARY.findall(repr(events)))

    @rule(n=numbers, twist=twists, past=st.booleans(), limit=st.integers(1, 5))
    def list_and_export(self, n: int, twist: int, past: bool, limit: int) -> None:
        caller = self.caller(n, twist)
        expected = {item.memory_id for item in self.seen(caller) if item.is_current or (past and item.is_open)}

        async def pages() -> list[Any]:
            listed: list[Any] = []
            want, after = ItemFilter(include_past=past), ""
            while page := await lifecycle.list_(self.memory, caller, want, after, limit):
                listed += page
                after = page[-1].memory_id
            return listed

        async def exported() -> list[Any]:
            return [wire.to_wire(item) async for item in transfer.export(self.memory, caller, include_past=past)]

        for read in (pages, exported):
            found = self.ask(caller, read())
            assert not isinstance(found, PalyraError)
            assert {item.memory_id for item in found} == expected
            assert len(found) == len(expected)

    @rule(n=numbers, twist=twists)
    def count(self, n: int, twist: int) -> None:
        caller = self.caller(n, twist)
        found = self.ask(caller, upkeep.status(self.memory, caller))
        assert not isinstance(found, PalyraError)
        seen = [item for item in self.seen(caller) if item.is_open]
        waiting = [c for c in self.candidates.values() if not c.erased and c.state == "needs_review"]
        assert found.items == sum(count.items for count in found.by_scope) == len(seen)
        assert found.vectors + found.vectors_pending == len(seen)
        assert found.waiting_for_review == sum(caller.sees(c.scope) for c in waiting)

    @rule(n=numbers, twist=twists, limit=st.integers(1, 5))
    def conflicts(self, n: int, twist: int, limit: int) -> None:
        caller = self.caller(n, twist)
        current = {item.memory_id: item for item in self.seen(caller) if item.is_current}
        expected = {frozenset((i.memory_id, other)) for i in current.values() for other in i.links & current.keys()}

        async def pages() -> list[StandingConflict]:
            found: list[StandingConflict] = []
            while page := await settling.conflicts(self.memory, caller, found[-1].seq if found else 0, limit):
                found += page
            return found

        found = self.ask(caller, pages())
        assert not isinstance(found, PalyraError)
        assert {frozenset((one.newer.memory_id, one.older.memory_id)) for one in found} == expected
        assert len(found) == len(expected)

    # -- finding

    @rule(n=numbers, twist=twists, form=st.sampled_from(["{}", "Ana", "about {}"]))
    def about(self, n: int, twist: int, form: str) -> None:
        caller, canary = self.caller(n, twist), self.some_canary(n)
        page = self.ask(caller, about(self.memory, form.format(canary), caller), canary)
        assert not isinstance(page, PalyraError)
        self.inspect(caller, repr([wire.to_wire(item) for item in page.holds]))
        got = {item.memory_id for item in page.holds}
        ended = {one.before.memory_id: one.after for one in page.changed}
        seen = {item.memory_id: item for item in self.seen(caller) if item.is_open}
        assert got <= {memory_id for memory_id, item in seen.items() if item.is_current}
        assert ended.keys() <= {memory_id for memory_id, item in seen.items() if not item.is_current}
        assert all(after is None or seen[after.memory_id].is_current for after in ended.values())
        if form == "{}":
            assert {i for i, item in seen.items() if item.versions[-1].canary == canary} <= got | ended.keys()

    @rule(n=numbers, twist=twists, form=st.sampled_from(["{}", "note about {}", '"about {}"', "{}*", "zq*"]))
    def find(self, n: int, twist: int, form: str) -> None:
        caller, canary = self.caller(n, twist), self.some_canary(n)
        request = SearchRequest(form.format(canary), top_k=64)
        found = self.ask(caller, search(self.memory, request, caller))
        assert not isinstance(found, PalyraError)
        self.inspect(caller, repr([wire.to_hit(hit, with_breakdown=True) for hit in found.hits]))
        got = {hit.item.memory_id for hit in found.hits}
        current = [item for item in self.seen(caller) if item.is_current]
        assert got <= {item.memory_id for item in current}
        if form != '"about {}"':  # a phrase leaves out what holds the word elsewhere
            assert {i.memory_id for i in current if form == "zq*" or i.versions[-1].canary == canary} <= got
        assert found.degraded == ()

    @rule(n=numbers, twist=twists, back=st.integers(0, 20), by_seq=st.booleans())
    def find_as_of(self, n: int, twist: int, back: int, by_seq: bool) -> None:
        as_of = AsOf(seq=max(0, self.head() - back)) if by_seq else AsOf(at_ms=self.clock.now_ms() - back * 1_000)
        self.look_back(self.caller(n, twist), self.some_canary(n), as_of)

    def look_back(self, caller: Visibility, canary: str, as_of: AsOf) -> None:
        found = self.ask(caller, search(self.memory, SearchRequest(canary, top_k=64, as_of=as_of), caller))
        assert not isinstance(found, PalyraError)
        expected = {
            (item.memory_id, version.canary)
            for item in self.seen(caller)
            for version in item.versions
            if (
                version.from_seq <= as_of.seq < min(version.to_seq, item.superseded_seq)
                if as_of.seq is not None
                else version.from_ms <= (as_of.at_ms or 0) < min(version.to_ms, item.superseded_ms)
            )
        }
        got = {(hit.item.memory_id, CANARY.findall(hit.item.text)[0]) for hit in found.hits}
        assert got <= expected
        assert {pair for pair in expected if pair[1] == canary} <= got

    @rule(n=numbers, twist=twists)
    def recall(self, n: int, twist: int) -> None:
        caller, canary = self.caller(n, twist), self.some_canary(n)
        given = self.ask(caller, recall(self.memory, SearchRequest(f"note about {canary}"), caller))
        assert not isinstance(given, PalyraError)
        current = {item.memory_id for item in self.seen(caller) if item.is_current}
        assert {entry.hit.id for entry in given.recall.chosen} <= current

    # -- what other sources say

    @rule(n=numbers, m=numbers, twist=twists, kind=st.sampled_from(list(SOURCES)))
    def tell(self, n: int, m: int, twist: int, kind: RetrievalSourceProfileKind) -> None:
        """In a turn, a document, a checkpoint or a summary: seen from every session of its channel."""
        caller = self.caller(n, twist)
        canary = self.told[m % len(self.told)][2] if self.told and m % 4 == 0 else self.new_canary()
        channel = None if kind is RetrievalSourceProfileKind.WORKSPACE else caller.channel
        scope = Scope(caller.principal, channel)
        told_in = ("0" * 26, "1" * 26) if kind is RetrievalSourceProfileKind.TRANSCRIPT else (None, None)
        origin = Origin(scope.principal, Actor.USER, scope.channel, *told_in)
        self.counter += 1
        draft = draft_of_event(a_source_event(kind, canary, self.counter), origin)
        self.runner.run(self.memory.journal.commit(lambda _tx: Decision((draft,), None)))
        self.places.setdefault(canary, []).append(scope)
        self.told.append((kind, scope, canary))
        self.find_told(n, m, twist, kind)

    @rule(n=numbers, m=numbers, twist=twists, kind=st.sampled_from(list(SOURCES)))
    def find_told(self, n: int, m: int, twist: int, kind: RetrievalSourceProfileKind) -> None:
        caller = self.caller(n, twist)
        canary = self.told[m % len(self.told)][2] if self.told else "zqbbbbbb"
        found = self.ask(caller, search_passages(self.memory, kind, f"note about {canary}", caller, 64), canary)
        assert not isinstance(found, PalyraError)
        self.inspect(caller, repr([wire.to_passage(hit, with_breakdown=True) for hit in found.hits]))
        got = [said for hit in found.hits for said in CANARY.findall(hit.passage.text)]
        seen = [said for of, scope, said in self.told if of is kind and caller.sees(scope)]
        assert set(got) <= set(seen)
        assert got.count(canary) == seen.count(canary)
        assert found.degraded == ()

    @precondition(lambda self: bool(self.items))
    @rule(n=numbers)
    def an_empty_name_is_no_name(self, n: int) -> None:
        principal = PRINCIPALS[n % 10]
        for names in (("", None, None), (principal, "", None), (principal, None, ""), (principal, " ", None)):
            with pytest.raises(InvalidArgument):
                visibility(*names)

    def some_canary(self, n: int) -> str:
        things = self.things()
        if not things:
            return "zqbbbbbb"
        thing = things[n % len(things)]
        return thing.canary if isinstance(thing, Candidate) else thing.versions[n % len(thing.versions)].canary


def test_nobody_is_shown_what_is_not_theirs(pytestconfig: pytest.Config) -> None:
    run_state_machine_as_test(
        ScopeMachine,
        settings=settings(
            max_examples=pytestconfig.getoption("--property-examples"),
            stateful_step_count=pytestconfig.getoption("--property-steps"),
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
