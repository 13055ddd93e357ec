"""Reading a conversation page by page, from either end."""

from pathlib import Path

import pytest

from chatting import ANA, a_chat
from palyra.api import chat as api
from palyra.app import App
from palyra.core.errors import InvalidArgument
from palyra.domain.scope import Visibility
from palyra.services.sessions.context import find_session
from palyra.store.connection import ReadTx
from palyra.store.sessions.records import conversation_runs, tape_of
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


def test_a_page_holds_what_the_conversation_holds_across_branches_undone_turns_and_cuts(tmp_path: Path) -> None:
    """As runs and their entries say it, one after the other."""

    async def work() -> None:
        async with a_chat(tmp_path) as chat:
            trunk = await chat.new("trunk")
            for number in range(3):
                await chat.say(trunk, f"My cat number {number} is called Tom{number}")
            second = (await chat.do(api.transcript, session=trunk)).runs[1].run_id
            branch = (await chat.do(api.branch, session=trunk, run_id=second)).session_id
            await chat.say(branch, "My dog is called Rex")
            await chat.do(api.undo, session=trunk)
            await chat.say(trunk, "My bird is called Pip")
            twig = (await chat.do(api.branch, session=branch)).session_id
            await chat.do(api.reset, session=twig)
            await chat.say(twig, "My fish is called Gil")
            for name, turns, all_turns in ((trunk, 3, 4), (branch, 3, 1), (twig, 1, 1)):
                page = await chat.do(api.transcript, session=name, limit=1000)
                assert len(page.runs) == turns
                assert [entry.seq for entry in page.entries] == await _by_runs(chat.app, name)
                whole = await chat.do(api.transcript, session=name, limit=1000, everything=True)
                assert len(whole.runs) == all_turns

    run(work())


async def _by_runs(app: App, name: str) -> list[int]:
    def read(tx: ReadTx) -> list[int]:
        session = find_session(tx, name, Visibility(ANA))
        runs = [one.run_id for one in conversation_runs(tx, session, 1000)]
        return [entry.seq for entry in tape_of(tx, runs)]

    return await app.store.db.read(read)
