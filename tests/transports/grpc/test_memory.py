"""A client that knows only the published table: everything it can do with its memory."""

from pathlib import Path
from typing import Any

import grpc
import pytest

from palyra.core.clock import ManualClock
from palyra.domain.journal import Actor
from palyra.transports.grpc.generated import memory_pb2
from support import run
from transports.grpc.serving import EVERYDAY, WRITE, Client, error_of, serving, status_of
from transports.grpc.wire_table import message

SESSION = "01JD8QZ6T3M4N5P6Q7R8S9TABC"
OTHER = "01JD8QZ6T3M4N5P6Q7R8S9TABD"
HOUR_MS = 3_600_000
MANUAL = memory_pb2.MEMORY_SOURCE_MANUAL


def test_what_is_ingested_comes_back_with_everything_about_it(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(tmp_path) as up:
            ana = await up.client()
            expires = up.app.clock.now_ms() + HOUR_MS
            session = message("CanonicalId")(ulid=SESSION)
            answer = await ana.ingest(
                "The standup is at nine",
                channel="work",
                session_id=session,
                tags=["team", "time"],
                confidence=0.75,
                ttl_unix_ms=expires,
            )
            item = answer.item
            assert answer.v == item.v == 1
            assert (item.principal, item.channel, item.session_id) == ("user:ana", "work", session)
            assert (item.content_text, item.source, list(item.tags)) == ("The standup is at nine", 4, ["team", "time"])
            assert (item.confidence, item.ttl_unix_ms) == (0.75, expires)
            assert len(bytes.fromhex(item.content_hash)) == 32
            assert 0 < item.created_at_unix_ms <= item.updated_at_unix_ms
            assert len(item.memory_id.ulid) == 26

    run(story())


def test_search_finds_it_and_explains_the_score_when_asked(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(tmp_path) as up:
            ana = await up.client()
            stored = (await ana.ingest("Prefers green tea in the morning")).item
            await ana.ingest("The car is parked on the second floor", source=3)
            found = await ana.call("SearchMemory", query="which tea in the morning", top_k=1, min_score=0.01)
            [hit] = found.hits
            assert hit.item == stored
            assert "tea" in hit.snippet
            assert 0 < hit.score <= 1
            assert not hit.HasField("breakdown")
            found = await ana.call("SearchMemory", query="green tea", include_score_breakdown=True)
            breakdown = found.hits[0].breakdown
            assert breakdown.final_score == found.hits[0].score
            assert breakdown.lexical_score > 0
            found = await ana.call("SearchMemory", query="second floor tea", sources=[3])
            assert [hit.item.source for hit in found.hits] == [3]
            assert not (await ana.call("SearchMemory", query="green tea", tags=["nothing has it"])).hits

    run(story())


def test_get_and_list_give_items_page_by_page(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(tmp_path) as up:
            ana = await up.client()
            stored = [(await ana.ingest(f"Fact number {n} is about {word}")).item for n, word in enumerate(_WORDS)]
            got = await ana.call("GetMemoryItem", memory_id=stored[2].memory_id)
            assert got.item == stored[2]
            pages, after = [], ""
            while True:
                page = await ana.call("ListMemoryItems", after_memory_ulid=after, limit=2)
                pages.append(list(page.items))
                after = page.next_after_memory_ulid
                if not after:
                    break
            assert [item for page in pages for item in page] == stored
            assert [len(page) for page in pages] == [2, 2, 1]
            assert len((await ana.call("ListMemoryItems")).items) == 5

    run(story())


_WORDS = ("gardens", "bridges", "winter", "violins", "harbours")


def test_a_page_ends_before_it_is_too_long_for_one_message(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(tmp_path, max_message_bytes=3_000) as up:
            ana = await up.client()
            stored = [(await ana.ingest(f"{word} " * 150)).item for word in _WORDS]
            items, after, pages = [], "", 0
            while pages == 0 or after:
                page = await ana.call("ListMemoryItems", after_memory_ulid=after)
                assert page.ByteSize() <= 3_000
                items += page.items
                after, pages = page.next_after_memory_ulid, pages + 1
            assert items == stored
            assert pages > 1

    run(story())


def test_delete_says_whether_it_was_there(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(tmp_path) as up:
            ana = await up.client()
            memory_id = (await ana.ingest("The old address was Mill Lane 4")).item.memory_id
            assert (await ana.call("DeleteMemoryItem", memory_id=memory_id)).deleted
            assert not (await ana.call("DeleteMemoryItem", memory_id=memory_id)).deleted
            assert not (await ana.call("ListMemoryItems")).items
            never = ana.call("DeleteMemoryItem", memory_id=message("CanonicalId")(ulid=OTHER))
            assert await status_of(never) is grpc.StatusCode.NOT_FOUND

    run(story())


def test_purge_takes_what_belongs_to_a_channel_and_all_only_when_told_so(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(tmp_path) as up:
            ana = await up.client()
            await ana.ingest("Everybody may know this", channel="work")
            await ana.ingest("This is for everywhere")
            assert await status_of(ana.call("PurgeMemory")) is grpc.StatusCode.INVALID_ARGUMENT
            assert (await ana.call("PurgeMemory", channel="work")).deleted_count == 1
            assert (await ana.call("PurgeMemory", purge_all_principal=True)).deleted_count == 1
            assert (await ana.call("PurgeMemory", purge_all_principal=True)).deleted_count == 0

    run(story())


def test_what_waits_for_review_is_no_item_and_the_answer_says_so(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(tmp_path) as up:
            agent = await up.client(actor=Actor.AGENT)
            raw = await _raw(
                agent,
                memory_pb2.IngestMemoryRequest(
                    v=1, source="MEMORY_SOURCE_TAPE_TOOL_RESULT", content_text="The page says so"
                ),
            )
            assert not raw.HasField("item")
            assert raw.outcome == memory_pb2.INGEST_OUTCOME_HELD_FOR_REVIEW
            assert list(raw.reasons) == ["untrusted_source"]
            assert len(raw.candidate_id.ulid) == 26
            assert raw.receipt.seq > 0
            assert len(bytes.fromhex(raw.receipt.hash)) == 32
            assert not (await agent.call("ListMemoryItems")).items

    run(story())


def test_the_same_request_id_gets_the_first_answer_and_writes_nothing(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(tmp_path) as up:
            ana = await up.client()
            request = memory_pb2.IngestMemoryRequest(v=1, source=MANUAL, content_text="Once only", request_id="turn-7")
            first, second = await _raw(ana, request), await _raw(ana, request)
            assert not first.is_repeat
            assert second.is_repeat
            assert (first.item, first.outcome, first.receipt) == (second.item, second.outcome, second.receipt)

    run(story())


def test_a_contradiction_is_stored_and_names_what_it_contradicts(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(tmp_path) as up:
            ana = await up.client()
            old = await ana.ingest("The deploy window is on Tuesday")
            request = memory_pb2.IngestMemoryRequest(
                v=1, source=MANUAL, content_text="Correction: the deploy window is on Thursday", pinned=True
            )
            answer = await _raw(ana, request)
            assert answer.outcome == memory_pb2.INGEST_OUTCOME_CONFLICT_FOUND
            assert [found.ulid for found in answer.conflicts_with] == [old.item.memory_id.ulid]
            assert answer.item.pinned
            assert answer.item.trust == "owner"

    run(story())


def test_who_may_write_but_not_read_learns_that_it_is_stored_and_gets_no_item(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(tmp_path) as up:
            writer = await up.client(can=[WRITE])
            answer = await _raw(
                writer, memory_pb2.IngestMemoryRequest(v=1, source=MANUAL, content_text="From a sensor")
            )
            assert answer.outcome == memory_pb2.INGEST_OUTCOME_STORED
            assert not answer.HasField("item")
            reader = await up.client()
            assert (await reader.call("GetMemoryItem", memory_id={"ulid": answer.memory_id.ulid})).item.v == 1

    run(story())


def test_a_session_is_seen_only_from_within(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(tmp_path) as up:
            ana = await up.client()
            here, elsewhere = message("CanonicalId")(ulid=SESSION), message("CanonicalId")(ulid=OTHER)
            item = (await ana.ingest("Only for this talk", session_id=here)).item
            assert len((await ana.call("ListMemoryItems", session_id=here)).items) == 1
            assert not (await ana.call("ListMemoryItems", session_id=elsewhere)).items
            outside = ana.call("GetMemoryItem", memory_id=item.memory_id)
            assert await status_of(outside) is grpc.StatusCode.PERMISSION_DENIED
            inside = memory_pb2.GetMemoryItemRequest(v=1, memory_id={"ulid": item.memory_id.ulid})
            inside.session_id.ulid = SESSION
            assert (await ana.send("GetMemoryItem", inside)).item == item

    run(story())


def test_a_secret_leaves_in_no_answer_and_in_no_error(tmp_path: Path) -> None:
    async def story() -> None:
        secret = "ghp_" + "aB3dE5gH7" * 4
        async with serving(tmp_path) as up:
            ana = await up.client()
            await ana.ingest(f"The token for the mirror is {secret}")
            failure = None
            try:
                await ana.call("ListMemoryItems", after_memory_ulid=secret)
            except grpc.aio.AioRpcError as error:
                failure = error
            assert failure is not None
            assert secret not in str(failure.details()) + str(error_of(failure))

    run(story())


@pytest.mark.parametrize(
    ("method", "fields"),
    [
        ("IngestMemory", {"source": 0, "content_text": "x"}),
        ("IngestMemory", {"source": 7, "content_text": "x"}),
        ("IngestMemory", {"source": -1, "content_text": "x"}),
        ("IngestMemory", {"source": 4, "content_text": ""}),
        ("IngestMemory", {"source": 4, "content_text": "x", "confidence": 1.5}),
        ("IngestMemory", {"source": 4, "content_text": "x", "confidence": float("nan")}),
        ("IngestMemory", {"source": 4, "content_text": "x", "ttl_unix_ms": 1}),
        ("IngestMemory", {"source": 4, "content_text": "x", "ttl_unix_ms": -5}),
        ("IngestMemory", {"source": 4, "content_text": "x", "session_id": {"ulid": "standup"}}),
        ("IngestMemory", {"source": 4, "content_text": "x", "session_id": {"ulid": ""}}),
        ("IngestMemory", {"source": 4, "content_text": "x" * 20_000}),
        ("IngestMemory", {"source": 4, "content_text": "x", "v": 0}),
        ("IngestMemory", {"source": 4, "content_text": "x", "v": 2}),
        ("SearchMemory", {"query": ""}),
        ("SearchMemory", {"query": "x", "top_k": 65}),
        ("SearchMemory", {"query": "x", "top_k": 2**32 - 1}),
        ("SearchMemory", {"query": "x", "min_score": float("inf")}),
        ("SearchMemory", {"query": "x", "sources": [4, 9]}),
        ("SearchMemory", {"query": "x", "sources": [0]}),
        ("GetMemoryItem", {}),
        ("GetMemoryItem", {"memory_id": {"ulid": SESSION.lower()}}),
        ("DeleteMemoryItem", {"memory_id": {"ulid": "8" + SESSION[1:]}}),
        ("ListMemoryItems", {"limit": 501}),
        ("ListMemoryItems", {"after_memory_ulid": "x"}),
        ("ListMemoryItems", {"sources": [2**31 - 1]}),
        ("PurgeMemory", {"v": 0, "purge_all_principal": True}),
    ],
)
def test_a_wrong_request_is_an_invalid_argument_with_a_way_out(
    tmp_path: Path, method: str, fields: dict[str, Any]
) -> None:
    async def story() -> None:
        async with serving(tmp_path) as up:
            ana = await up.client()
            size, _ = await up.app.journal.head()
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await ana.call(method, **fields)
            assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
            error = error_of(caught.value)
            assert error["code"] == "invalid_argument"
            assert error["message"] == caught.value.details()
            assert error["hint"]
            assert (await up.app.journal.head())[0] == size

    run(story())


def test_a_field_we_do_not_know_is_ignored_as_the_protocol_wants(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(tmp_path) as up:
            ana = await up.client()
            newer = message("IngestMemoryRequest")(v=1, source=4, content_text="From the future").SerializeToString()
            answer = await ana.send("IngestMemory", newer + bytes.fromhex("ba3e0454657374"))
            assert answer.item.content_text == "From the future"

    run(story())


def test_an_item_that_has_left_memory_says_when_and_why(tmp_path: Path) -> None:
    async def story() -> None:
        clock = ManualClock(1_790_000_000_000)
        async with serving(tmp_path, clock) as up:
            ana = await up.client(can=EVERYDAY)
            memory_id = (await ana.ingest("Gone tomorrow")).item.memory_id
            await ana.call("DeleteMemoryItem", memory_id=memory_id)
            raw = (await ana.call("GetMemoryItem", memory_id=memory_id)).SerializeToString()
            item = memory_pb2.GetMemoryItemResponse.FromString(raw).item
            assert (item.closed_at_unix_ms, item.closed_why) == (1_790_000_000_000, "deleted")

    run(story())


async def _raw(client: Client, request: memory_pb2.IngestMemoryRequest) -> memory_pb2.IngestMemoryResponse:
    """With our additions: a client from the table keeps them as fields it does not know."""
    answer = await client.send("IngestMemory", request)
    return memory_pb2.IngestMemoryResponse.FromString(answer.SerializeToString())
