"""The clients over HTTP when the other side is slow, gone, or somebody else."""

import json
import socket
from collections.abc import Callable
from typing import Any

import pytest

from client.canned import canned, chunks, whole
from palyra.api import journal, memory
from palyra.client.messages import BrokenOff, NotReached
from palyra.client.remote import Remote
from palyra.client.remote_async import AsyncRemote
from palyra.core.errors import Internal, InvalidArgument, PermissionDenied, TooLarge, Unavailable
from palyra.wire import journal as journal_wire
from palyra.wire import memory as wire
from support import run

DELETE = wire.DeleteItems(memory_ids=["x"])
DELETED = b'{"deleted": 1, "seq": 4}'
REFUSED = json.dumps(PermissionDenied("not yours", hint="ask", memory_id="x").body("r1")).encode()


def call_now(url: str, operation: Any, request: Any) -> Any:
    return Remote(url, "secret").call(operation, request)


def call_async(url: str, operation: Any, request: Any) -> Any:
    async def story() -> Any:
        remote = AsyncRemote(url, "secret", is_ours=True)
        try:
            return await remote.call(operation, request)
        finally:
            await remote.close()

    return run(story())


both = pytest.mark.parametrize("call", [call_now, call_async])


@both
def test_an_answer_is_the_response(call: Callable[..., Any]) -> None:
    with canned(whole(DELETED)) as server:
        assert call(server.url, memory.delete, DELETE) == wire.Deleted(deleted=1, seq=4)
    assert b"authorization: bearer secret" in server.asked[0].lower()


@both
def test_an_error_is_raised_as_the_class_it_was(call: Callable[..., Any]) -> None:
    with (
        canned(whole(REFUSED, "403 Forbidden")) as server,
        pytest.raises(PermissionDenied, match="not yours") as caught,
    ):
        call(server.url, memory.delete, DELETE)
    assert (caught.value.hint, caught.value.details) == ("ask", {"memory_id": "x"})


@both
def test_nobody_there_is_unavailable_and_known_not_to_be_sent(call: Callable[..., Any]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as unused:
        url = f"http://127.0.0.1:{unused.getsockname()[1]}"
    with pytest.raises(NotReached, match="nobody answers"):
        call(url, memory.delete, DELETE)


@both
@pytest.mark.parametrize("answer", [b"", b"HTTP/1.1 200 OK\r\ncontent-length: 90\r\n\r\n{", b"nonsense\r\n\r\n"])
def test_an_answer_that_breaks_off_is_unavailable(call: Callable[..., Any], answer: bytes) -> None:
    with canned(answer) as server, pytest.raises(BrokenOff, match=r"memory\.delete") as caught:
        call(server.url, memory.delete, DELETE)
    assert caught.value.exit_code == 6
    assert len(server.asked) == 1


def test_the_async_client_repeats_a_read_and_nothing_else() -> None:
    hits = whole(b'{"hits": [], "passages": [], "degraded": []}')
    with canned(b"", hits) as server:
        assert call_async(server.url, memory.search_, wire.Search(query="tea")).hits == []
    assert len(server.asked) == 2
    with canned(b"", whole(DELETED)) as server, pytest.raises(BrokenOff):
        call_async(server.url, memory.delete, DELETE)


@both
def test_what_cannot_be_read_says_so(call: Callable[..., Any]) -> None:
    with canned(whole(b'{"deleted": "many"}')) as server, pytest.raises(Internal, match="cannot be read"):
        call(server.url, memory.delete, DELETE)


def test_an_answer_before_the_request_was_read_is_still_heard() -> None:
    body = json.dumps(TooLarge("too much").body()).encode()
    with canned(whole(body, "413 Content Too Large")) as server, pytest.raises(TooLarge):
        call_now(server.url, memory.retain, wire.Retain(text="x" * 1_000_000))


@pytest.mark.parametrize("url", ["nonsense", "ftp://127.0.0.1", "http://", "http://[::1"])
def test_an_address_that_is_none_is_one_clear_error(url: str) -> None:
    with pytest.raises((InvalidArgument, Unavailable)):
        call_async(url, memory.delete, DELETE)


def test_progress_is_told_while_it_lasts() -> None:
    seen: list[tuple[str, int, int]] = []
    lines = chunks(
        b'{"progress": {"what": "events", "done": 1, "total": 2}}\n{"prog', b'ress": {"what": "events", "done": 2,',
        b' "total": 2}}\n', b'{"result": {"deleted": 1, "seq": 4}}\n',
    )  # fmt: skip
    with canned(lines) as server:
        done = Remote(server.url, "secret").call(memory.delete, DELETE, lambda *step: seen.append(step))
    assert done.deleted == 1
    assert seen == [("events", 1, 2), ("events", 2, 2)]
    assert b"accept: application/x-ndjson" in server.asked[0].lower()


def test_an_error_after_progress_is_raised() -> None:
    lines = chunks(b'{"progress": {"what": "events", "done": 1, "total": 2}}\n', REFUSED + b"\n")
    with canned(lines) as server, pytest.raises(PermissionDenied):
        Remote(server.url, "secret").call(memory.delete, DELETE, lambda *_: None)


def test_progress_without_a_result_is_unavailable() -> None:
    lines = chunks(b'{"progress": {"what": "events", "done": 1, "total": 2}}\n')
    with canned(lines) as server, pytest.raises(BrokenOff):
        Remote(server.url, "secret").call(memory.delete, DELETE, lambda *_: None)


EVENT = json.dumps({
    "seq": 1, "event_id": "e", "kind": "note", "v": 1, "actor": "user", "principal": "user:ana", "channel": None,
    "session_id": None, "run_id": None, "request_id": None, "occurred_at_ms": 1, "recorded_at_ms": 1, "erased": False,
    "payload": {"error": "in the text is no error"}, "commitment": "", "prev_hash": "", "hash": "",
}).encode() + b"\n"  # fmt: skip


def tail(url: str) -> list[int]:
    seen: list[int] = []
    try:
        for event in Remote(url, "secret").stream(journal.tail, journal_wire.TailEvents()):
            seen.append(event.seq)  # noqa: PERF401 - what was seen before the error counts
    except Unavailable:
        seen.append(-1)
    return seen


def test_a_stream_ends_where_the_server_says_so() -> None:
    with canned(chunks(EVENT, EVENT[:50], EVENT[50:])) as server:
        assert tail(server.url) == [1, 1]


def test_a_stream_that_is_cut_is_unavailable_after_what_came() -> None:
    with canned(chunks(EVENT, EVENT[:50], is_cut=True)) as server:
        assert tail(server.url) == [1, -1]


def test_a_stream_that_ends_with_an_error_raises_it() -> None:
    last = json.dumps(Unavailable("palyrad is stopping").body("r")).encode()
    with canned(chunks(EVENT, last)) as server:
        assert tail(server.url) == [1, -1]
    with canned(whole(REFUSED, "403 Forbidden")) as server, pytest.raises(PermissionDenied):
        tail(server.url)
