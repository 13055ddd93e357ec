"""Reading a conversation page by page, from either end."""

from pathlib import Path

import pytest

from chatting import a_chat
from palyra.api import chat as api
from palyra.core.errors import InvalidArgument
from palyra.wire.chat import TapeEntry
from support import run


def test_pages_from_the_end_and_pages_from_the_beginning_say_the_same(tmp_path: Path) -> None:
    async def work() -> None:
        async with a_chat(tmp_path) as chat:
            session = await chat.new("trip")
            for number in range(4):
                await chat.say(session, f"My cat number {number} is called Tom{number}")
            whole = await chat.do(api.transcript, session=session, limit=1000)
            assert whole.next_after_seq is None
            assert whole.next_before_seq is None
            backwards: list[TapeEntry] = []
            before = None
            while True:
                page = await chat.do(api.transcript, session=session, newest=True, before_seq=before, limit=3)
                assert page.next_after_seq is None
                assert {entry.run_id for entry in page.entries} == {one.run_id for one in page.runs}
                backwards = page.entries + backwards
                before = page.next_before_seq
                if before is None:
                    break
            assert backwards == whole.entries

    run(work())


def test_a_page_can_be_bounded_on_both_sides(tmp_path: Path) -> None:
    async def work() -> None:
        async with a_chat(tmp_path) as chat:
            session = await chat.new("trip")
            await chat.say(session, "My cat is called Tom")
            seqs = [entry.seq for entry in (await chat.do(api.transcript, session=session)).entries]
            between = await chat.do(api.transcript, session=session, after_seq=seqs[0], before_seq=seqs[2])
            assert [entry.seq for entry in between.entries] == seqs[1:2]

    run(work())


@pytest.mark.parametrize("before_seq", [0, -1, 1 << 62])
def test_a_bound_that_is_no_place_is_refused(tmp_path: Path, before_seq: int) -> None:
    async def work() -> None:
        async with a_chat(tmp_path) as chat:
            session = await chat.new("trip")
            with pytest.raises(InvalidArgument, match="before_seq"):
                await chat.do(api.transcript, session=session, before_seq=before_seq)

    run(work())
