"""Who may call what over gRPC, and that every error of the table arrives as the table says."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import grpc
import pytest

from palyra.api.handlers import HANDLERS
from palyra.core.clock import ManualClock
from palyra.core.errors import TABLE, PalyraError
from palyra.domain.access import Capability
from palyra.domain.journal import Actor
from palyra.transports.limits import RateLimit
from support import ANA, run
from transports.grpc.serving import EVERYDAY, READ, WRITE, Client, error_of, serving, status_of
from transports.grpc.wire_table import METHODS, message

NOW = 1_790_000_000_000
UNAUTHENTICATED, PERMISSION_DENIED = grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.PERMISSION_DENIED
INVALID_ARGUMENT, OK = grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.OK


@pytest.mark.parametrize("method", METHODS)
def test_nobody_calls_anything_without_a_token_that_is_good_now(tmp_path: Path, method: str) -> None:
    async def story() -> None:
        clock = ManualClock(NOW)
        async with serving(tmp_path, clock) as up:
            expired = await up.token(expires_at_ms=NOW + 1_000)
            revoked = await up.token()
            await up.app.tokens.revoke(revoked.token.token_id, ANA)
            clock.advance(1_000)
            wrong = revoked.text[:-1] + ("A" if revoked.text[-1] != "A" else "B")
            for text in (None, "", "x", wrong, expired.text, revoked.text):
                assert await status_of(Client(up.channel, text).call(method)) is UNAUTHENTICATED, text
            basic = Client(up.channel, None, (("authorization", "Basic dXNlcjpuYW1l"),))
            assert await status_of(basic.call(method)) is UNAUTHENTICATED

    run(story())


def test_a_revoked_token_ends_between_two_calls(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(tmp_path) as up:
            token = await up.token()
            ana = Client(up.channel, token.text)
            assert await status_of(ana.call("ListMemoryItems")) is OK
            await up.app.tokens.revoke(token.token.token_id, ANA)
            assert await status_of(ana.call("ListMemoryItems")) is UNAUTHENTICATED

    run(story())


def test_a_foreign_memory_is_neither_read_nor_deleted_nor_found(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(tmp_path) as up:
            ana, bob = await up.client("user:ana"), await up.client("user:bob")
            memory_id = (await ana.ingest("The spare key is under the pot")).item.memory_id
            assert await status_of(bob.call("GetMemoryItem", memory_id=memory_id)) is PERMISSION_DENIED
            assert await status_of(bob.call("DeleteMemoryItem", memory_id=memory_id)) is PERMISSION_DENIED
            assert not (await bob.call("SearchMemory", query="spare key")).hits
            assert not (await bob.call("ListMemoryItems")).items
            assert (await bob.call("PurgeMemory", purge_all_principal=True)).deleted_count == 0
            assert len((await ana.call("ListMemoryItems")).items) == 1

    run(story())


def test_an_agent_without_forget_deletes_nothing(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(tmp_path) as up:
            agent = await up.client(can=(READ, WRITE), actor=Actor.AGENT)
            memory_id = (await agent.ingest("The build takes ten minutes", source=3)).item.memory_id
            assert await status_of(agent.call("DeleteMemoryItem", memory_id=memory_id)) is PERMISSION_DENIED
            assert await status_of(agent.call("PurgeMemory", purge_all_principal=True)) is PERMISSION_DENIED
            reader = await up.client(can=(READ,))
            assert await status_of(reader.ingest("x")) is PERMISSION_DENIED

    run(story())


def test_metadata_says_for_whom_and_where_as_far_as_the_token_allows(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(tmp_path) as up:
            token = (await up.token(channels=("work", "home"))).text
            plain = Client(up.channel, token)
            work = Client(up.channel, token, (("x-palyra-channel", "work"), ("x-palyra-device-id", "laptop-1")))
            other = Client(up.channel, token, (("x-palyra-channel", "elsewhere"),))
            bob = Client(up.channel, token, (("x-palyra-principal", "user:bob"),))
            assert await status_of(plain.call("ListMemoryItems")) is PERMISSION_DENIED
            assert (await work.ingest("Standup is at nine")).item.channel == "work"
            assert (await work.ingest("Dinner is at eight", channel="home")).item.channel == "home"
            assert len((await work.call("ListMemoryItems")).items) == 1
            assert await status_of(other.call("ListMemoryItems")) is PERMISSION_DENIED
            assert await status_of(work.call("ListMemoryItems", channel="elsewhere")) is PERMISSION_DENIED
            assert await status_of(bob.call("ListMemoryItems")) is PERMISSION_DENIED

    run(story())


def test_a_person_with_the_capability_speaks_for_another_and_the_journal_says_so(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(tmp_path) as up:
            bob = await up.client("user:bob")
            await bob.ingest("Bob likes rain")
            token = (await up.token("user:ana", (*EVERYDAY, Capability.ANY_PRINCIPAL))).text
            size, _ = await up.app.journal.head()
            crossing = Client(up.channel, token, (("x-palyra-principal", "user:bob"),))
            assert len((await crossing.call("ListMemoryItems")).items) == 1
            assert (await up.app.journal.head())[0] == size + 1

    run(story())


def test_the_owners_own_secret_opens_everything(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(tmp_path) as up:
            owner = Client(up.channel, up.secret)
            assert (await owner.ingest("Mine")).item.principal == "user:local"

    run(story())


@pytest.mark.parametrize(
    "metadata",
    [
        (("authorization", "Bearer x"), ("authorization", "Bearer y")),
        (("x-palyra-channel", "a"), ("x-palyra-channel", "b")),
        (("x-palyra-principal", "user:ana"), ("x-palyra-principal", "user:ana")),
        (("x-palyra-channel", ""),),
        (("x-palyra-principal", ""),),
        (("x-palyra-principal", "x" * 257),),
        (("x-palyra-device-id", ""),),
        (("x-palyra-device-id", "x" * 257),),
    ],
)
def test_metadata_that_cannot_be_meant_is_refused(tmp_path: Path, metadata: tuple[tuple[str, str], ...]) -> None:
    async def story() -> None:
        async with serving(tmp_path) as up:
            token = (await up.token()).text
            client = Client(up.channel, None if metadata[0][0] == "authorization" else token, metadata)
            assert await status_of(client.call("ListMemoryItems")) is INVALID_ARGUMENT

    run(story())


def test_who_asks_too_often_is_told_when_to_come_back(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(tmp_path, rate=RateLimit(1, 2, lambda: 0.0)) as up:
            ana, bob = await up.client("user:ana"), await up.client("user:bob")
            for _ in range(2):
                assert await status_of(ana.call("ListMemoryItems")) is OK
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await ana.call("ListMemoryItems")
            assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
            assert error_of(caught.value)["details"]["retry_after_ms"] > 0
            assert await status_of(bob.call("ListMemoryItems")) is OK

    run(story())


def _raising(error: Exception) -> Callable[..., Any]:
    async def work(_call: object, _request: object) -> NoReturn:
        raise error

    return work


@pytest.mark.parametrize("kind", TABLE)
def test_every_error_arrives_with_the_status_of_the_table(
    tmp_path: Path, kind: type[PalyraError], monkeypatch: pytest.MonkeyPatch
) -> None:
    # A delete takes one of them for "not there any more"; search passes all of them on.
    error = kind("it is \u2603 there", hint="look again", where="here", count=3)
    monkeypatch.setitem(HANDLERS, "memory.search", _raising(error))

    async def story() -> None:
        async with serving(tmp_path) as up:
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await (await up.client()).call("SearchMemory", query="x")
            assert caught.value.code() is grpc.StatusCode[kind.grpc]
            assert caught.value.details() == "it is \u2603 there"
            body = error_of(caught.value)
            assert body["request_id"]
            assert (body["code"], body["hint"], body["details"]) == (
                kind.code,
                "look again",
                {"where": "here", "count": 3},
            )
            requests = up.metrics.requests.labels("grpc", "memory.search", kind.code)
            assert requests._value.get() == 1

    run(story())


def test_nothing_of_an_unexpected_error_leaves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(HANDLERS, "memory.search", _raising(RuntimeError("somebody's words")))

    async def story() -> None:
        async with serving(tmp_path) as up:
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await (await up.client()).call("SearchMemory", query="x")
            assert caught.value.code() is grpc.StatusCode.INTERNAL
            assert "somebody's words" not in str(caught.value.details()) + str(error_of(caught.value))

    run(story())


def test_an_error_longer_than_metadata_may_be_still_arrives(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(tmp_path) as up:
            channels = tuple(f"channel-{n}-" + "ü" * 100 for n in range(64))
            confined = await up.client(channels=channels)
            request = message("ListMemoryItemsRequest")(v=1, channel="elsewhere")
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await confined.send("ListMemoryItems", request)
            assert caught.value.code() is PERMISSION_DENIED
            assert error_of(caught.value)["hint"].endswith("…")

    run(story())
