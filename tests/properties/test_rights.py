"""A token reads and changes nothing outside its grant, whatever it asks: every memory operation, against a plain model.

The world is furnished for principals whose names a careless comparison mixes up. Then tokens are made at random and
ask at random, as a surface would: a header, perhaps a place to stand in, a request. The model is `allowed`: eight
lines that say where a request may look, or that it is refused. Whether what is in sight is answered rightly is the
business of `test_scopes`.
"""

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from palyra.api import dispatch, memory, system
from palyra.api.authenticate import Gate
from palyra.api.call import Call, owner
from palyra.api.operation import AnyOperation, Operation
from palyra.app import App
from palyra.core.clock import ManualClock
from palyra.core.errors import PalyraError
from palyra.domain.access import GRANTABLE, PERSONS_ONLY, Capability
from palyra.domain.journal import Actor, EventFilter, EventRecord
from palyra.domain.memory import ACTOR_TRUST, Trust
from palyra.domain.scope import Scope, Visibility
from palyra.domain.tokens import ANY_CHANNEL, TokenGrant
from palyra.store.connection import ReadTx
from palyra.wire import memory as wire
from properties.test_scopes import CANARY, PRINCIPALS, ULID, UNKNOWN, lookalike
from support import ANA, an_app, run

OPERATIONS: tuple[AnyOperation, ...] = (*memory.OPERATIONS, system.find_ids)
SCOPED = frozenset({Capability.READ, Capability.WRITE, Capability.FORGET, Capability.REVIEW, Capability.ERASE})
CHANNELS = ("c", "C", "c d", "né", "ne\u0301", "null")
SECRET = "the owner's, which no token is"  # noqa: S105 - what nobody shows here

Rows = dict[str, tuple[Any, ...]]


@dataclass(frozen=True)
class Attempt:
    """One token, what its holder says to stand for, and what it asks for where."""

    principal: str
    actor: Actor
    channels: tuple[str, ...]
    can: frozenset[Capability]
    stands_for: str | None
    stands_in: str | None
    operation: AnyOperation
    asked_principal: str | None
    asked_channel: str | None
    asked_session: str | None
    as_actor: Actor | None
    n: int


@st.composite
def attempts(draw: st.DrawFn) -> Attempt:
    """Mostly what its token is for, with one thing about it that is not."""
    twist, n = draw(st.integers(0, 11)), draw(st.integers(0, 59))
    operation: AnyOperation = draw(st.sampled_from(OPERATIONS))
    principal, home = PRINCIPALS[n % 10], CHANNELS[n % 10 % 6]
    near = st.sampled_from([*(lookalike(principal, k) for k in range(10)), *PRINCIPALS])
    channels = draw(st.sampled_from([(home,), (home, "x"), (ANY_CHANNEL,), (), CHANNELS]))
    stands_in = home if channels and n % 4 < 2 else None
    asked_channel = home if len(channels) > 1 and n % 4 > 1 else None
    actor = Actor.USER if operation.needs in PERSONS_ONLY else draw(st.sampled_from(Actor))
    can = {operation.needs}
    if twist in (3, 4, 5):
        can = draw(st.sets(st.sampled_from(sorted(GRANTABLE))))
    elif twist > 9:
        actor, can = Actor.USER, can | {Capability.ANY_PRINCIPAL}
    if actor is not Actor.USER:
        can -= PERSONS_ONLY
    return Attempt(
        principal,
        actor,
        channels,
        frozenset(can & GRANTABLE or {Capability.METRICS}),
        draw(near) if twist in (6, 11) else draw(st.sampled_from([None, principal])),
        draw(st.sampled_from(CHANNELS)) if twist == 7 else stands_in,
        operation,
        draw(near) if twist in (8, 10) else draw(st.sampled_from([None, principal])),
        draw(st.sampled_from(CHANNELS)) if twist in (9, 11) else asked_channel,
        draw(st.sampled_from([None, "s", "s", "S"])),
        draw(st.sampled_from([None, None, None, *Actor])),
        n,
    )


def allowed(attempt: Attempt) -> Visibility | None:
    """Where an operation on somebody's memory may look; None: it is refused."""
    may_cross = Capability.ANY_PRINCIPAL in attempt.can
    for name in (attempt.stands_for, attempt.asked_principal):
        if name not in (None, attempt.principal) and not may_cross:
            return None
    principal = attempt.asked_principal or attempt.stands_for or attempt.principal
    channel = attempt.asked_channel or attempt.stands_in
    if ANY_CHANNEL not in attempt.channels:
        if channel is None and len(attempt.channels) == 1:
            channel = attempt.channels[0]
        if (channel is None and attempt.channels) or (channel is not None and channel not in attempt.channels):
            return None
    if not attempt.can >= {attempt.operation.needs} or (raises_trust(attempt) and writes(attempt.operation)):
        return None
    return Visibility(principal, channel, attempt.asked_session)


def raises_trust(attempt: Attempt) -> bool:
    return attempt.as_actor is not None and ACTOR_TRUST[attempt.as_actor] < ACTOR_TRUST[attempt.actor]


def writes(operation: AnyOperation) -> bool:
    return "actor" in operation.request.__struct_fields__


def a_request(attempt: Attempt, rows: Rows, canary: str) -> Any:
    """Whatever the operation takes, out of one number."""
    n = attempt.n
    wanted = attempt.asked_principal or attempt.stands_for or attempt.principal
    table = "memory_candidates" if attempt.operation in (memory.decide, memory.reopen) or n % 9 == 0 else "memory_items"
    near = [key for key, row in sorted(rows.items()) if row[0] == wanted or n % 7 == 0]
    ids = [key for key in near if rows[key][3] == table] or near or [UNKNOWN]
    thing, other = ids[n % len(ids)], ids[(n + 4) % len(ids)]
    given: dict[str, Any] = {
        "principal": attempt.asked_principal,
        "channel": attempt.asked_channel,
        "session_id": attempt.asked_session,
        "actor": attempt.as_actor,
        "text": f"note about {canary}",
        "items": [wire.RetainedText(text=f"turn about {canary}")],
        "scope": (None, "principal")[n % 2],
        "query": "note about zq*",
        "beginning": thing[:8],
        "kinds": ("memory", "candidate", "event"),
        "name": ("note", "Ana")[n % 2],
        "other_id": other,
        "holds": (thing, other, "both")[n % 3],
        "apply": n % 3 == 0,
        "undo": n % 3 == 1,
        "memory_id": thing,
        "old_id": thing,
        "new_id": other,
        "memory_ids": [thing, other][: 1 + n % 2],
        "ids": [thing],
        "candidate_id": thing,
        "approve": n % 2 == 0,
        "purge_all_principal": n % 3 == 0,
        "include_past": n % 2 == 0,
        "limit": 500,
        "top_k": 64,
        "sure": True,
        "path": "/nowhere",
    }
    request = attempt.operation.request
    return request(**{name: value for name, value in given.items() if name in request.__struct_fields__})


async def furnish(app: App) -> None:
    """One item and one candidate in every scope of every principal; each text has a canary."""
    for number, principal in enumerate(PRINCIPALS):
        for place, channel in enumerate((None, CHANNELS[number % 6])):
            for session_id in (None, "s"):
                for source in ("manual", "tape:tool_result"):
                    n = number * 8 + place * 4 + (session_id == "s") * 2 + (source != "manual")
                    asked = wire.Retain(
                        text=f"note about {a_canary(n)}", source=source, channel=channel, session_id=session_id
                    )
                    await dispatch.run(Call(app, owner(principal)), memory.retain, asked)


def a_canary(n: int) -> str:
    return "zq" + "".join("bcdfghjk"[n >> shift & 7] for shift in (15, 12, 9, 6, 3, 0))


def all_rows(tx: ReadTx) -> Rows:
    """Everything anybody remembers: its id to its scope, its table and all its versions."""
    rows: Rows = {}
    for table, key in (("memory_items", "memory_id"), ("memory_candidates", "candidate_id")):
        columns = f"{key}, principal, channel, session_id, '{table}', t.*"
        for row in tx.execute(f"SELECT {columns} FROM {table} t ORDER BY seq"):
            rows[str(row[0])] = rows.get(str(row[0]), ()) + tuple(row[1:])
    return rows


def scope_of(row: tuple[Any, ...]) -> Scope:
    return Scope(row[0], row[1], row[2])


async def answer(app: App, attempt: Attempt, request: Any) -> Any:
    """As a surface asks: credentials, then the operation. An error is an answer, too."""
    grant = TokenGrant(attempt.principal, attempt.actor, attempt.channels, attempt.can, "")
    token = await app.tokens.create(grant, ANA)
    before = await app.journal.head()
    try:
        caller = await Gate(app, SECRET).caller(f"Bearer {token.text}", attempt.stands_for, attempt.stands_in)
        call = Call(app, caller)
        if isinstance(attempt.operation, Operation):
            return before[0], await dispatch.run(call, attempt.operation, request)
        return before[0], [item async for item in dispatch.stream(call, attempt.operation, request)]
    except PalyraError as error:
        return before[0], error


def check_shown(shown: str, rows: Rows, sight: Visibility | None, asked_for: str) -> None:
    """No canary and no id of what is out of sight, unless the question held it."""
    seen = {key: row for key, row in rows.items() if sight is not None and sight.sees(scope_of(row))}
    for ulid in set(ULID.findall(shown)) & rows.keys():
        assert ulid in seen or ulid in asked_for, (ulid, shown)
    known = " ".join(repr(row) for row in seen.values()) + asked_for
    for canary in set(CANARY.findall(shown)):
        assert canary in known, (canary, shown)


def check_changed(before: Rows, after: Rows, attempt: Attempt, sight: Visibility | None) -> None:
    changed = {key for key in before.keys() | after.keys() if before.get(key) != after.get(key)}
    for key in changed:
        row = before.get(key) or after[key]
        assert sight is not None
        assert sight.sees(scope_of(row)), (attempt, row)
        assert attempt.operation.needs in attempt.can
    if attempt.operation.needs not in SCOPED:
        assert not changed


def is_noted(attempt: Attempt) -> bool:
    """A note that somebody asked for what only a person may do, and was no person or lacked the right."""
    needs = attempt.operation.needs
    if needs not in PERSONS_ONLY:
        return False
    says_agent = attempt.as_actor is not None and ACTOR_TRUST[attempt.as_actor] is not Trust.OWNER
    return needs not in attempt.can or (needs is Capability.REVIEW and says_agent)


def is_standing_refused(attempt: Attempt) -> bool:
    """Before it comes to any operation: what it stands for is not its own."""
    crosses = attempt.stands_for not in (None, attempt.principal)
    return crosses and Capability.ANY_PRINCIPAL not in attempt.can


def without_note(events: list[EventRecord], attempt: Attempt) -> list[EventRecord]:
    if not is_noted(attempt) or is_standing_refused(attempt):
        return events
    [note, *rest] = events
    assert (note.kind, note.origin.principal) == ("access.refused", attempt.principal)
    assert attempt.operation.name.encode() in (note.payload or b"")
    assert not CANARY.search((note.payload or b"").decode())
    return rest


def check_journaled(events: list[EventRecord], attempt: Attempt, sight: Visibility | None) -> None:
    if sight is None or is_noted(attempt):
        assert events == []
        return
    crosses = sight.principal != attempt.principal
    assert [event.kind for event in events].count("access.crossed") == crosses
    if crosses:
        crossed = events.pop(0)
        assert crossed.kind == "access.crossed"
        assert crossed.origin.principal == sight.principal
        assert attempt.operation.name.encode() in (crossed.payload or b"")
    for event in events:
        origin = event.origin
        assert (origin.principal, origin.channel, origin.session_id) == (
            sight.principal,
            sight.channel,
            sight.session_id,
        )
        assert event.kind == "memory.recalled" or ACTOR_TRUST[origin.actor] >= ACTOR_TRUST[attempt.actor]
        if attempt.operation.needs is Capability.READ:
            assert event.kind == "memory.recalled"


async def try_once(app: App, attempt: Attempt, canary: str) -> None:
    before = await app.store.db.read(all_rows)
    request = a_request(attempt, before, canary)
    head, got = await answer(app, attempt, request)
    after = await app.store.db.read(all_rows)
    events = without_note(await app.journal.list(EventFilter(), head, 1_000), attempt)
    if attempt.operation.needs in SCOPED:
        sight = allowed(attempt)
        if sight is None:
            assert getattr(got, "code", None) == "permission_denied", (attempt, got)
        check_journaled(events, attempt, sight)
    else:  # of the installation: nobody's memory is shown or changed
        sight = None
        if attempt.operation.needs not in attempt.can:
            assert got.code == "permission_denied"
        assert events == []
    shown = repr(got.body()) if isinstance(got, PalyraError) else repr(msgspec.to_builtins(got))
    check_shown(shown, {**before, **after}, sight, repr(request))
    check_changed(before, after, attempt, sight)


@given(st.lists(attempts(), min_size=10, max_size=25))
def tell(story: list[Attempt]) -> None:
    async def work(root: Path) -> None:
        async with an_app(
            root, ManualClock(), PALYRA_MEMORY_EMBEDDINGS_PROVIDER="hash", PALYRA_MEMORY_ENCODER="off"
        ) as app:
            await furnish(app)
            for number, attempt in enumerate(story):
                await try_once(app, attempt, a_canary(1_000 + number))
                if isinstance(app.clock, ManualClock):
                    app.clock.advance(61_000)  # a refusal is noted once a minute

    with tempfile.TemporaryDirectory() as root:
        run(work(Path(root)))


def test_a_token_reads_and_changes_nothing_outside_its_grant(pytestconfig: pytest.Config) -> None:
    settings(
        max_examples=pytestconfig.getoption("--property-examples"),
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )(tell)()
