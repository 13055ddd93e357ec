"""The one gate: who may call what, what is passed on to a token, and what is journaled when somebody crosses over."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from palyra.api import access as tokens_api
from palyra.api import dispatch
from palyra.api import journal as journal_api
from palyra.api import memory as api
from palyra.api import system as system_api
from palyra.api.authenticate import of_token, standing
from palyra.api.call import Call, Caller, owner
from palyra.api.handlers import HANDLERS
from palyra.api.operation import Operation, StreamOperation
from palyra.api.operations import OPERATIONS
from palyra.app import App
from palyra.core.clock import ManualClock
from palyra.core.errors import InvalidArgument, PermissionDenied, Unavailable
from palyra.core.redact import redact_text
from palyra.domain.access import GRANTABLE, Access, Capability
from palyra.domain.journal import Actor, EventFilter
from palyra.wire import memory as wire
from palyra.wire.access import CreateToken, ListTokens, RevokeToken
from palyra.wire.base import Request
from palyra.wire.journal import (
    AppendEvent,
    EraseEvents,
    GetEvent,
    ListEvents,
    Prove,
    StreamBundle,
    TailEvents,
    VerifyJournal,
)
from palyra.wire.system import CreateBackup
from support import an_app, run

EVERYTHING = tuple(sorted(GRANTABLE))
DEMANDS = [pytest.param(operation, id=operation.name) for operation in OPERATIONS]


def with_memory(root: Path) -> App:
    return an_app(root, PALYRA_MEMORY_EMBEDDINGS_PROVIDER="hash")


async def ask(app: App, caller: Caller, operation: Operation[Any, Any], request: Request) -> Any:
    return await dispatch.run(Call(app, caller), operation, request)


async def make(app: App, caller: Caller | None = None, **asked: Any) -> Caller:
    """Who holds a token that `caller`, or else the owner, makes."""
    made = await ask(app, caller or owner("user:ana"), tokens_api.create, CreateToken(**asked))
    return of_token(await app.tokens.authenticate(made.token))


async def crossings(app: App) -> list[tuple[str, Any]]:
    events = await app.journal.list(EventFilter(kind="access.crossed"))
    return [(event.origin.principal, event.payload) for event in events]


async def size(app: App) -> int:
    return (await app.journal.head())[0]


@pytest.mark.parametrize("operation", DEMANDS)
def test_an_operation_is_refused_to_whoever_has_everything_but_what_it_needs(tmp_path: Path, operation: Any) -> None:
    async def work() -> None:
        lacks = Caller("user:ana", frozenset(Capability) - {operation.needs, Capability.OWN}, name="somebody")
        call = Call(an_app(tmp_path, access=Access.NONE), lacks)
        # Refused before anybody looks at the request.
        is_stream = not isinstance(operation, Operation)
        asked = (
            anext(dispatch.stream(call, operation, Request()))
            if is_stream
            else dispatch.run(call, operation, Request())
        )
        with pytest.raises(PermissionDenied, match=f"somebody lacks the capability '{operation.needs.value}'"):
            await asked

    run(work())


def test_no_token_reaches_what_belongs_to_the_owner_of_the_files(tmp_path: Path) -> None:
    async def work() -> None:
        async with an_app(tmp_path) as app:
            strongest = await make(app, actor="user", capabilities=EVERYTHING, channels=("*",))
            for operation in OPERATIONS:
                if operation.needs is Capability.OWN:
                    with pytest.raises(PermissionDenied, match="'own'"):
                        await ask(app, strongest, operation, Request())  # type: ignore[arg-type]

    run(work())


def test_a_backup_to_a_path_of_ones_choice_belongs_to_the_owner_of_the_files(tmp_path: Path) -> None:
    async def work() -> None:
        async with an_app(tmp_path / "data") as app:
            operator = await make(app, actor="user", capabilities=EVERYTHING)
            with pytest.raises(PermissionDenied, match="path"):
                await ask(app, operator, system_api.create_backup, CreateBackup(path=str(tmp_path / "mine")))
            assert not (tmp_path / "mine").exists()
            made = await ask(app, operator, system_api.create_backup, CreateBackup())
            assert Path(made.path).is_relative_to(tmp_path / "data")

    run(work())


# -- making tokens


def test_a_token_is_shown_once_and_only_to_whoever_made_it(tmp_path: Path) -> None:
    async def work() -> None:
        async with an_app(tmp_path) as app:
            me = owner("user:ana")
            made = await ask(app, me, tokens_api.create, CreateToken(label="laptop", ttl_ms=60_000))
            assert made.info.principal == "user:ana"
            assert (made.info.actor, made.info.capabilities) == ("agent", ["read", "write"])
            assert redact_text(f"it is {made.token}").text.count(made.token) == 0
            page = await ask(app, me, tokens_api.list_, ListTokens())
            assert page.tokens == [made.info]
            assert made.token.split("_", 2)[2] not in repr(page)
            revoked = await ask(app, me, tokens_api.revoke, RevokeToken(token_id=made.info.token_id))
            assert revoked.state == "revoked"

    run(work())


def test_a_token_cannot_grant_what_its_maker_lacks(tmp_path: Path) -> None:
    async def work() -> None:
        clock = ManualClock()
        async with an_app(tmp_path, clock) as app:
            maker = await make(app, actor="user", capabilities=("operate", "read"), channels=("c", "d"), ttl_ms=60_000)
            within: dict[str, Any] = {"capabilities": ("read",), "channels": ("c",), "ttl_ms": 60_000}
            assert (await make(app, maker, **within)).channels == frozenset({"c"})
            before = await size(app)
            for beyond in (
                {"capabilities": ("read", "write")},
                {"capabilities": ("any_principal",), "actor": "user"},
                {"channels": ("c", "e")},
                {"channels": ("*",)},
                {"channels": ("C",)},
                {"ttl_ms": 60_001},
                {"ttl_ms": None},
                {"principal": "user:bob"},
                {"principal": "user:Ana"},
            ):
                with pytest.raises(PermissionDenied):
                    await make(app, maker, **{**within, **beyond})
            assert await size(app) == before

    run(work())


def test_an_agent_is_never_given_what_is_for_persons(tmp_path: Path) -> None:
    async def work() -> None:
        async with an_app(tmp_path) as app:
            for capability in ("review", "erase", "operate", "any_principal"):
                for actor in ("agent", "plugin", "system", "operator"):
                    with pytest.raises(InvalidArgument, match="for persons"):
                        await make(app, actor=actor, capabilities=("read", capability))
            with pytest.raises(InvalidArgument, match="unknown capability 'own'"):
                await make(app, actor="user", capabilities=("own",))
            assert (await size(app)) == 0

    run(work())


def test_a_time_to_live_that_is_past_makes_no_token(tmp_path: Path) -> None:
    async def work() -> None:
        async with an_app(tmp_path) as app:
            for ttl_ms in (0, -1, 1 << 48, 1 << 70):
                with pytest.raises(InvalidArgument):
                    await make(app, ttl_ms=ttl_ms)
            assert (await size(app)) == 0

    run(work())


# -- crossing over


def test_speaking_for_another_principal_is_journaled_before_anything_is_read(tmp_path: Path) -> None:
    async def work() -> None:
        async with with_memory(tmp_path) as app:
            await ask(app, owner("user:bob"), api.retain, wire.Retain(text="the code is on the wiki"))
            crosser = await make(app, actor="user", capabilities=("read", "any_principal"))
            page = await ask(app, crosser, api.list_, wire.ListItems(principal="user:bob"))
            assert [item.text for item in page.items] == ["the code is on the wiki"]
            [(principal, payload)] = await crossings(app)
            assert principal == "user:bob"
            assert crosser.name.encode() in payload
            assert b'"operation":"memory.list"' in payload
            # Standing for somebody, said once for a whole connection, is the same as saying so each time.
            await ask(app, standing(crosser, "user:bob", None), api.list_, wire.ListItems())
            async for _ in dispatch.stream(Call(app, crosser), api.export, wire.ExportMemory(principal="user:bob")):
                pass
            assert len(await crossings(app)) == 3

    run(work())


def test_a_crossing_that_cannot_be_journaled_reads_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def work() -> None:
        async with with_memory(tmp_path) as app:
            crosser = await make(app, actor="user", capabilities=("read", "any_principal"))

            async def refuse(*_: str) -> None:
                raise InvalidArgument("the disk is full")

            monkeypatch.setattr(app.tokens, "note_crossing", refuse)
            monkeypatch.setitem(HANDLERS, "memory.list", None)
            with pytest.raises(InvalidArgument, match="the disk is full"):
                await ask(app, crosser, api.list_, wire.ListItems(principal="user:bob"))

    run(work())


def test_what_is_refused_leaves_no_trace_in_the_journal(tmp_path: Path) -> None:
    async def work() -> None:
        async with with_memory(tmp_path) as app:
            ana = await make(app, capabilities=("read", "write"))
            confined = await make(app, actor="user", capabilities=("read", "any_principal"), channels=("c", "d"))
            before = await size(app)
            refused: list[tuple[Caller, Operation[Any, Any], Request]] = [
                (ana, api.list_, wire.ListItems(principal="user:bob")),
                (ana, api.retain, wire.Retain(text="x", principal="user:bob")),
                (ana, api.delete, wire.DeleteItems(memory_ids=[])),
                (confined, api.list_, wire.ListItems(principal="user:bob")),
                (confined, api.list_, wire.ListItems(principal="user:bob", channel="e")),
                (confined, api.retain, wire.Retain(text="x", principal="user:bob", channel="c")),
            ]
            for caller, operation, request in refused:
                with pytest.raises(PermissionDenied):
                    await ask(app, caller, operation, request)
            with pytest.raises(InvalidArgument):
                await ask(app, confined, api.list_, wire.ListItems(principal="user:bob\n", channel="c"))
            assert await size(app) == before

    run(work())


def test_asking_for_oneself_and_asking_as_the_owner_cross_nothing(tmp_path: Path) -> None:
    async def work() -> None:
        async with with_memory(tmp_path) as app:
            crosser = await make(app, actor="user", capabilities=("read", "any_principal"))
            await ask(app, crosser, api.list_, wire.ListItems(principal="user:ana"))
            await ask(app, owner("user:ana"), api.list_, wire.ListItems(principal="user:bob"))
            assert await crossings(app) == []

    run(work())


def test_an_operator_writes_events_for_its_own_principal_only(tmp_path: Path) -> None:
    async def work() -> None:
        async with an_app(tmp_path) as app:
            operator = await make(app, actor="user", capabilities=("operate",))
            note = {"kind": "note", "payload": {"text": "hello"}}
            await ask(app, operator, journal_api.append, AppendEvent(**note))  # type: ignore[arg-type]
            before = await size(app)
            with pytest.raises(PermissionDenied):
                await ask(app, operator, journal_api.append, AppendEvent(principal="user:bob", **note))  # type: ignore[arg-type]
            assert await size(app) == before

    run(work())


def test_an_agent_cannot_write_as_a_person_through_any_operation(tmp_path: Path) -> None:
    async def work() -> None:
        async with with_memory(tmp_path) as app:
            kept = await ask(app, owner("user:ana"), api.retain, wire.Retain(text="I prefer tea"))
            agent = await make(app, capabilities=("read", "write", "forget"))
            assert agent.actor is Actor.AGENT
            before = await size(app)
            asked: list[tuple[Operation[Any, Any], Request]] = [
                (api.retain, wire.Retain(text="x", actor="user")),
                (api.retain_many, wire.RetainMany(items=[wire.RetainedText(text="x")], actor="operator")),
                (api.update, wire.UpdateItem(memory_id=kept.memory_id, pinned=True, actor="user")),
                (api.supersede, wire.SupersedeItem(old_id=kept.memory_id, new_id=kept.memory_id, actor="user")),
                (api.delete, wire.DeleteItems(memory_ids=[kept.memory_id], actor="user")),
                (api.purge, wire.Purge(purge_all_principal=True, actor="operator")),
            ]
            for operation, request in asked:
                with pytest.raises(PermissionDenied, match="may not write as"):
                    await ask(app, agent, operation, request)
            assert await size(app) == before

    run(work())


def test_running_the_installation_is_not_reading_what_everybody_wrote(tmp_path: Path) -> None:
    async def work() -> None:
        async with with_memory(tmp_path) as app:
            await ask(app, owner("user:bob"), api.retain, wire.Retain(text="Bob likes tea"))
            operator = await make(app, actor="user", capabilities=("operate",))
            before = await size(app)
            for operation, request in (
                (journal_api.list_, ListEvents()),
                (journal_api.get, GetEvent(reference="1")),
                (journal_api.prove, Prove(reference="1")),
                (journal_api.erase_, EraseEvents(event_ids=["01M7H7TECP8ZV7NY4KXPRN12CW"])),
            ):
                with pytest.raises(PermissionDenied, match="every principal wrote"):
                    await ask(app, operator, operation, request)
            streams: list[tuple[StreamOperation[Any, Any], Request]] = [
                (journal_api.tail, TailEvents()),
                (journal_api.bundle, StreamBundle()),
            ]
            for stream, asked in streams:
                with pytest.raises(PermissionDenied, match="every principal wrote"):
                    await anext(dispatch.stream(Call(app, operator), stream, asked))
            assert await size(app) == before
            assert (await ask(app, operator, journal_api.verify_, VerifyJournal())).ok

    run(work())


def test_reading_everybodys_journal_is_journaled_but_does_not_fill_it(tmp_path: Path) -> None:
    async def work() -> None:
        async with with_memory(tmp_path) as app:
            reader = await make(app, actor="user", capabilities=("operate", "any_principal"))
            for _ in range(5):
                await ask(app, reader, journal_api.list_, ListEvents())
            [(principal, payload)] = await crossings(app)
            assert principal == reader.principal
            assert json.loads(payload) == {"by": reader.name, "operation": "journal.list"}

    run(work())


# -- what only a person may do


async def refusals(app: App) -> list[tuple[str, str, Any]]:
    events = await app.journal.list(EventFilter(kind="access.refused"))
    return [(event.origin.principal, event.origin.actor.value, json.loads(event.payload or b"")) for event in events]


def test_asking_for_what_only_a_person_may_do_is_journaled_once_a_minute(tmp_path: Path) -> None:
    async def work() -> None:
        clock = ManualClock()
        async with an_app(tmp_path, clock) as app:
            agent, other = await make(app), await make(app)
            asked = wire.DecideCandidate(candidate_id="our secret word", approve=True, reason="so that it is mine")

            async def try_it(who: Caller) -> None:
                with pytest.raises(PermissionDenied, match="'review'"):
                    await ask(app, who, api.decide, asked)

            await asyncio.gather(*(try_it(agent) for _ in range(50)))
            note = {"by": agent.name, "operation": "memory.decide", "needs": "review"}
            assert await refusals(app) == [("user:ana", "agent", note)]
            await try_it(other)
            with pytest.raises(PermissionDenied):
                await ask(app, agent, api.erase, wire.EraseMemory(ids=["x"]))
            assert len(await refusals(app)) == 3
            clock.advance(59_999)
            await try_it(agent)
            assert len(await refusals(app)) == 3
            clock.advance(1)
            await try_it(agent)
            assert len(await refusals(app)) == 4
            clock.ms -= 3_600_000  # set back: no reason to keep silent for an hour
            await try_it(agent)
            assert len(await refusals(app)) == 5

    run(work())


def test_what_everybody_may_be_given_is_refused_without_a_note(tmp_path: Path) -> None:
    async def work() -> None:
        async with an_app(tmp_path) as app:
            reader = await make(app, capabilities=("read",))
            with pytest.raises(PermissionDenied):
                await ask(app, reader, api.retain, wire.Retain(text="x"))
            assert await refusals(app) == []

    run(work())


def test_a_refusal_that_cannot_be_journaled_is_a_refusal_all_the_same(tmp_path: Path) -> None:
    async def work() -> None:
        async with an_app(tmp_path) as app:
            agent = await make(app)
            app.store.db.refuse_writes(Unavailable("the disk is gone"))
            with pytest.raises(PermissionDenied, match="'review'"):
                await ask(app, agent, api.decide, wire.DecideCandidate(candidate_id="x", approve=True))

    run(work())


def test_whoever_says_that_an_agent_asks_is_refused_as_one(tmp_path: Path) -> None:
    async def work() -> None:
        async with with_memory(tmp_path) as app:
            me = owner("user:ana")
            for actor in ("agent", "system", "plugin"):
                asked = wire.DecideCandidate(candidate_id="x", approve=True, actor=actor)
                with pytest.raises(PermissionDenied, match="for a person"):
                    await ask(app, me, api.decide, asked)
            assert [(principal, actor) for principal, actor, _ in await refusals(app)] == [("user:ana", "agent")]
            with pytest.raises(InvalidArgument, match="unknown actor"):
                await ask(app, me, api.decide, wire.DecideCandidate(candidate_id="x", approve=True, actor="me"))

    run(work())
