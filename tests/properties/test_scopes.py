"""Nobody is shown what is not theirs: any story, told by callers with confusable names, against a plain model.

Every stored text holds a canary, a word of its own. The model is a list of items and `Visibility.sees`. After each
step the whole answer (or error) is searched for canaries and ids that its caller may not see, and compared with what
the model says should be there.

`make test` tells a few short stories. The long run is

    pytest tests/properties/test_scopes.py --property-examples 10000 --property-steps 50 --timeout 0
"""

import asyncio
import re
import tempfile
from collections.abc import Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule, run_state_machine_as_test

from palyra.core.clock import ManualClock
from palyra.core.errors import InvalidArgument, PalyraError
from palyra.domain.journal import Actor
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
)
from palyra.domain.scope import Scope, ScopeKind, Visibility, scope_for, visibility
from palyra.services.memory import ingest as ingesting
from palyra.services.memory import lifecycle, transfer, upkeep
from palyra.services.memory.search import SearchRequest, recall, search
from palyra.store.upkeep.rebuild import find_drift
from palyra.wire import memory as wire
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
        self.counter = 0

    def teardown(self) -> None:
        try:
            _, findings = self.runner.run(_awaited(self.memory.store.db.read(find_drift)))
            assert findings == []
        finally:
            self.runner.run(self.opened.__aexit__(None, None, None))
            self.runner.close()
            self.directory.cleanup()

    # -- who asks

    def caller(self, n: int, twist: int) -> Visibility:
        """The owner of some item, or somebody whose name, channel or session looks like the owner's."""
        scopes = [item.scope for item in self.items.values()] + [held.scope for held in self.candidates.values()]
        if not scopes or twist == 9:
            return Visibility(PRINCIPALS[n % 10], CHANNELS[n % 12], SESSIONS[n % 8])
        scope = scopes[n % len(scopes)]
        principal, channel, session_id = scope.principal, scope.channel, scope.session_id
        match twist:
            case 4:
                principal = PRINCIPALS[n % 10]
            case 5:
                channel = CHANNELS[n % 12]
            case 6:
                session_id = SESSIONS[n % 8]
            case 7:
                channel = None
            case 8:
                session_id = None
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
        ids = [*self.items, *self.candidates]
        return ids[n % len(ids)] if ids and n < 58 else UNKNOWN

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
                    assert outcome.superseded == ()
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

    @rule(
        n=numbers,
        place=st.tuples(st.sampled_from(PRINCIPALS), st.sampled_from(CHANNELS), st.sampled_from(SESSIONS)),
        near=st.booleans(),
        kind=st.none() | st.sampled_from(ScopeKind),
        held=st.integers(0, 3),
        again=st.integers(0, 4),
    )
    def retain(
        self,
        n: int,
        place: tuple[str, str | None, str | None],
        near: bool,
        kind: ScopeKind | None,
        held: int,
        again: int,
    ) -> None:
        caller = self.caller(n, n % 10) if near else Visibility(*place)
        known = sorted(self.places)
        canary = known[n % len(known)] if known and again == 0 else self.new_canary()
        text = f"note about {canary}" if n % 2 else f"Note about  {canary}."
        draft = Draft(text, MemorySource.TOOL_RESULT if held == 0 else MemorySource.MANUAL, tags=(canary,))
        lacks = (kind is ScopeKind.CHANNEL and caller.channel is None) or (
            kind is ScopeKind.SESSION and caller.session_id is None
        )
        if lacks:
            answer = self.ask(caller, ingesting.ingest(self.memory, draft, caller, scope=kind), canary)
            self.expect(answer, "invalid_argument")
            return
        scope = scope_for(caller, kind)
        self.places.setdefault(canary, []).append(scope)
        done = self.ask(caller, ingesting.ingest(self.memory, draft, caller, scope=kind))
        assert not isinstance(done, PalyraError), done
        self.inspect(caller, msgspec.json.encode(wire.to_retained(done)).decode())
        self.write_down(done.outcome, scope, canary, done.receipt.seq)

    @rule(n=numbers, who=numbers, twist=twists, text=st.booleans())
    def update(self, n: int, who: int, twist: int, text: bool) -> None:
        memory_id, caller = self.pick(n), self.caller(who, twist)
        canary = self.new_canary()
        change = Change(text=f"note about {canary}", reason="so") if text else Change(pinned=bool(n % 2))
        code = self.item_code(memory_id, caller, to_change=True)
        if text and code is None:
            self.places[canary] = [self.items[memory_id].scope]
        answer = self.ask(caller, lifecycle.update(self.memory, memory_id, change, caller), memory_id)
        self.expect(answer, code)
        if text and not isinstance(answer, PalyraError):
            item, (_, receipt) = self.items[memory_id], answer
            item.versions[-1].to_seq, item.versions[-1].to_ms = receipt.seq, self.clock.now_ms()
            item.versions.append(Version(canary, receipt.seq, self.clock.now_ms()))

    @rule(a=numbers, b=numbers, who=numbers, twist=twists)
    def delete(self, a: int, b: int, who: int, twist: int) -> None:
        ids, caller = [self.pick(a), self.pick(b)], self.caller(who, twist)
        codes = [code for code in (self.item_code(i, caller, to_change=True) for i in ids) if code]
        answer = self.ask(caller, lifecycle.delete(self.memory, ids, caller), *ids)
        self.expect(answer, codes[0] if codes else None)
        if not isinstance(answer, PalyraError):
            self.close(set(ids), answer[1].seq)

    @rule(who=numbers, twist=twists, everything=st.booleans())
    def purge(self, who: int, twist: int, everything: bool) -> None:
        caller = self.caller(who, twist)
        if who % 3:  # seldom: there would be nothing left to tell of
            return
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
        assert answer == len(gone)
        self.close(gone, self.head())

    def close(self, ids: set[str], seq: int) -> None:
        for memory_id in ids:
            item = self.items[memory_id]
            item.is_open = False
            item.versions[-1].to_seq, item.versions[-1].to_ms = seq, self.clock.now_ms()

    @rule(a=numbers, b=numbers, who=numbers, twist=twists)
    def supersede(self, a: int, b: int, who: int, twist: int) -> None:
        old, new, caller = self.pick(a), self.pick(b), self.caller(who, twist)
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

    @rule(n=numbers, who=numbers, twist=twists)
    def erase(self, n: int, who: int, twist: int) -> None:
        wanted, caller = self.pick(n), self.caller(who, twist)
        held = self.candidates.get(wanted)
        code = self.item_code(wanted, caller, to_change=False)
        if held is not None and not held.erased:
            code = None if caller.sees(held.scope) else "permission_denied"
        if who % 2 and code is None:  # every second time, so that something is left
            return
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

    @rule(n=numbers, who=numbers, twist=twists, approve=st.booleans())
    def decide(self, n: int, who: int, twist: int, approve: bool) -> None:
        ids = list(self.candidates)
        candidate_id = ids[n % len(ids)] if ids and n < 58 else self.pick(n)
        caller, held = self.caller(who, twist), self.candidates.get(candidate_id)
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

    @rule(who=numbers, twist=twists, state=st.sampled_from(CandidateState))
    def list_candidates(self, who: int, twist: int, state: CandidateState) -> None:
        caller = self.caller(who, twist)
        found = self.ask(caller, ingesting.candidates(self.memory, caller, state, 0, 500))
        assert not isinstance(found, PalyraError)
        self.inspect(caller, repr([wire.to_candidate(candidate) for candidate in found]))
        assert {candidate.candidate_id for candidate in found} == {
            c.candidate_id
            for c in self.candidates.values()
            if c.state == state and not c.erased and caller.sees(c.scope)
        }

    # -- looking

    @rule(n=numbers, who=numbers, twist=twists)
    def get_and_history(self, n: int, who: int, twist: int) -> None:
        memory_id, caller = self.pick(n), self.caller(who, twist)
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

    @rule(who=numbers, twist=twists, past=st.booleans(), limit=st.integers(1, 5))
    def list_and_export(self, who: int, twist: int, past: bool, limit: int) -> None:
        caller = self.caller(who, twist)
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

        for work in (pages(), exported()):
            found = self.ask(caller, work)
            assert not isinstance(found, PalyraError)
            assert {item.memory_id for item in found} == expected
            assert len(found) == len(expected)

    @rule(who=numbers, twist=twists)
    def count(self, who: int, twist: int) -> None:
        caller = self.caller(who, twist)
        found = self.ask(caller, upkeep.status(self.memory, caller))
        assert not isinstance(found, PalyraError)
        seen = [item for item in self.seen(caller) if item.is_open]
        waiting = [c for c in self.candidates.values() if not c.erased and c.state == "needs_review"]
        assert found.items == sum(count.items for count in found.by_scope) == len(seen)
        assert found.vectors + found.vectors_pending == len(seen)
        assert found.waiting_for_review == sum(caller.sees(c.scope) for c in waiting)

    # -- finding

    @rule(
        n=numbers, who=numbers, twist=twists, form=st.sampled_from(["{}", "note about {}", '"about {}"', "{}*", "zq*"])
    )
    def find(self, n: int, who: int, twist: int, form: str) -> None:
        caller, canary = self.caller(who, twist), self.some_canary(n)
        request = SearchRequest(form.format(canary), top_k=64)
        found = self.ask(caller, search(self.memory, request, caller))
        assert not isinstance(found, PalyraError)
        self.inspect(caller, repr([wire.to_hit(hit, with_breakdown=True) for hit in found.hits]))
        got = {hit.item.memory_id for hit in found.hits}
        current = [item for item in self.seen(caller) if item.is_current]
        assert got <= {item.memory_id for item in current}
        assert {i.memory_id for i in current if form == "zq*" or i.versions[-1].canary == canary} <= got
        assert found.degraded == ()

    @rule(n=numbers, who=numbers, twist=twists, back=st.integers(0, 20), by_seq=st.booleans())
    def find_as_of(self, n: int, who: int, twist: int, back: int, by_seq: bool) -> None:
        caller, canary = self.caller(who, twist), self.some_canary(n)
        seq, at_ms = max(0, self.head() - back), self.clock.now_ms() - back * 1_000
        as_of = AsOf(seq=seq) if by_seq else AsOf(at_ms=at_ms)
        found = self.ask(caller, search(self.memory, SearchRequest(canary, top_k=64, as_of=as_of), caller))
        assert not isinstance(found, PalyraError)
        expected = {
            (item.memory_id, version.canary)
            for item in self.seen(caller)
            for version in item.versions
            if (
                version.from_seq <= seq < min(version.to_seq, item.superseded_seq)
                if by_seq
                else version.from_ms <= at_ms < min(version.to_ms, item.superseded_ms)
            )
        }
        got = {(hit.item.memory_id, CANARY.findall(hit.item.text)[0]) for hit in found.hits}
        assert got <= expected
        assert {pair for pair in expected if pair[1] == canary} <= got

    @rule(n=numbers, who=numbers, twist=twists)
    def recall(self, n: int, who: int, twist: int) -> None:
        caller, canary = self.caller(who, twist), self.some_canary(n)
        given = self.ask(caller, recall(self.memory, SearchRequest(f"note about {canary}"), caller))
        assert not isinstance(given, PalyraError)
        current = {item.memory_id for item in self.seen(caller) if item.is_current}
        assert {entry.hit.item.memory_id for entry in given.recall.chosen} <= current

    @precondition(lambda self: bool(self.items))
    @rule(n=numbers)
    def an_empty_name_is_no_name(self, n: int) -> None:
        principal = PRINCIPALS[n % 10]
        for names in (("", None, None), (principal, "", None), (principal, None, ""), (principal, " ", None)):
            with pytest.raises(InvalidArgument):
                visibility(*names)

    def some_canary(self, n: int) -> str:
        known = sorted(self.places)
        return known[n % len(known)] if known else "zqbbbbbb"


async def _awaited(future: "asyncio.Future[T]") -> T:
    return await future


def test_nobody_is_shown_what_is_not_theirs(pytestconfig: pytest.Config) -> None:
    run_state_machine_as_test(  # type: ignore[no-untyped-call]
        ScopeMachine,
        settings=settings(
            max_examples=pytestconfig.getoption("--property-examples"),
            stateful_step_count=pytestconfig.getoption("--property-steps"),
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
