"""What is written within one turn of the loop leaves together, in order, and nothing is kept back."""

import asyncio

import pytest

from palyra.transports.http.connection import _Gathered

pytestmark = pytest.mark.anyio


class Wire:
    """A transport that notes what it is told."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []
        self.ended = ""

    def write(self, data: bytes) -> None:
        assert not self.ended
        self.sent.append(data)

    def close(self) -> None:
        self.ended = "closed"

    def abort(self) -> None:
        self.ended = "aborted"

    def is_closing(self) -> bool:
        return bool(self.ended)


async def test_a_head_and_its_body_are_one_packet() -> None:
    wire = Wire()
    gathered = _Gathered(wire, asyncio.get_running_loop())
    gathered.write(b"head")
    gathered.write(b"body")
    assert wire.sent == []
    gathered.flush()
    assert wire.sent == [b"headbody"]
    await asyncio.sleep(0)
    assert wire.sent == [b"headbody"]


async def test_what_nobody_completes_leaves_with_the_turn() -> None:
    wire = Wire()
    gathered = _Gathered(wire, asyncio.get_running_loop())
    gathered.write(b"a line")
    await asyncio.sleep(0)
    gathered.write(b"another")
    await asyncio.sleep(0)
    assert wire.sent == [b"a line", b"another"]


async def test_much_is_not_held() -> None:
    wire = Wire()
    gathered = _Gathered(wire, asyncio.get_running_loop())
    gathered.write(b"head")
    gathered.write(b"x" * 20_000)
    assert wire.sent == [b"head" + b"x" * 20_000]


async def test_closing_sends_what_is_held_and_aborting_does_not() -> None:
    closed, aborted = Wire(), Wire()
    for wire, end in ((closed, "close"), (aborted, "abort")):
        gathered = _Gathered(wire, asyncio.get_running_loop())
        gathered.write(b"last words")
        getattr(gathered, end)()
        assert gathered.is_closing()
    await asyncio.sleep(0)
    assert (closed.sent, closed.ended) == ([b"last words"], "closed")
    assert (aborted.sent, aborted.ended) == ([], "aborted")


async def test_nothing_is_written_to_a_client_that_has_gone() -> None:
    wire = Wire()
    gathered = _Gathered(wire, asyncio.get_running_loop())
    gathered.write(b"an answer")
    wire.close()
    gathered.flush()
    assert wire.sent == []
