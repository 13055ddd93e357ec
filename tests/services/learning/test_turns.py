"""Finished turns, read as soon as they are over: what becomes memory, what waits, what stays on the tape, and once."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from chatting import Chat, a_chat
from palyra.api import chat as sessions
from palyra.api import memory
from palyra.api.call import Caller
from palyra.core.errors import FailedPrecondition, InvalidArgument, PalyraError, TooLarge
from palyra.domain.access import Capability
from palyra.domain.chat.session import Run, Session
from palyra.domain.journal import Actor
from palyra.domain.learning.turn import HeardTurn
from palyra.services.learning.listening import turn_of
from palyra.services.learning.turns import TurnReader
from palyra.services.sessions.context import find_session
from palyra.store.connection import ReadTx
from palyra.store.learning.records import count_queued, queued_runs
from palyra.store.sessions.records import own_run
from palyra.wire.chat import HandedTurn, TurnsAdded
from services.learning.studying import ANA
from support import run, verify_directory

PLAIN = "The office in Ghent opens at nine."
FACT = "My daughter Lotte is seven years old, and she is allergic to hazelnuts."
OTHER = "We live in Ghent, in Belgium, and have done since 2015."
DAY_MS = 86_400_000


def said(text: str, role: str = "user", **more: Any) -> HandedTurn:
    return HandedTurn(role=role, text=text, **more)


async def added(chat: Chat, *turns: HandedTurn, session: str = "standup", **more: Any) -> TurnsAdded:
    done = await chat.do(sessions.add_turns, session=session, turns=list(turns), **{"wait_ms": 20_000, **more})
    assert isinstance(done, TurnsAdded)
    return done


async def texts(chat: Chat) -> list[str]:
    return [item.text for item in (await chat.do(memory.list_)).items]


def an_agent() -> Caller:
    return Caller("user:ana", frozenset({Capability.READ, Capability.WRITE}), Actor.AGENT, name="an agent")


def test_what_a_turn_states_is_written_and_small_talk_is_left_with_its_reason(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            done = await added(
                chat, said("hello!"), said("Hi, how can I help?", "assistant"), said(FACT), said("Noted.", "assistant")
            )
            assert (done.added, done.repeated, done.pending, done.session_key) == (4, 0, 0, "standup")
            [written] = done.written
            assert (written.turn, written.text, written.kind, written.outcome) == (2, FACT, "fact", "stored")
            assert [(left.turn, left.reason) for left in done.left] == [(0, "greeting")]
            [item] = (await chat.do(memory.list_)).items
            assert (item.memory_id, item.source, item.category) == (
                written.memory_id,
                "tape:user_message",
                "durable_fact",
            )
            assert (item.trust, item.thread, item.provenance) == ("owner", "standup", [written.event_id])
            said_there = await chat.do(sessions.transcript, session="standup")
            assert [entry.event_id for entry in said_there.entries].index(written.event_id) == 2
        verify_directory(tmp_path / "data")

    run(story())


def test_a_chat_turn_is_read_once_it_is_over_and_found_from_another_session(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            heard = await chat.say(await chat.new("one"), FACT)
            assert heard.state == "done"
            for _ in range(100):
                found = (await chat.do(memory.search_, query="What is Lotte allergic to?")).hits
                if found and await chat.app.store.db.read(lambda tx: count_queued(tx, ANA)) == 0:
                    break
                await asyncio.sleep(0.02)
            assert found[0].item.text == FACT
            assert await chat.app.store.db.read(lambda tx: count_queued(tx, ANA)) == 0

    run(story())


def test_the_same_turns_again_are_read_once_whoever_hands_them_over(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            await chat.say(await chat.new("standup"), FACT)  # as a proxy would have recorded it
            turns = [said(FACT), said("ok"), said("ok"), said(OTHER)]
            first = await added(chat, *turns)
            assert (first.added, first.repeated) == (3, 1)
            again = await added(chat, *turns, said("ok"))
            assert (again.added, again.repeated) == (1, 4)
            assert sorted(await texts(chat)) == sorted([FACT, OTHER])

    run(story())


def test_a_turn_is_known_by_its_id_and_by_when_it_was_said(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            now_ms = chat.app.clock.now_ms()
            assert (await added(chat, said("yes", turn_id="a"))).added == 1
            assert (await added(chat, said("yes!", turn_id="a"))).repeated == 1
            assert (await added(chat, said("yes", turn_id="b"))).added == 1
            assert (await added(chat, said("no", said_at_ms=now_ms - 5_000))).added == 1
            assert (await added(chat, said("no", said_at_ms=now_ms - 5_000))).repeated == 1
            assert (await added(chat, said("no", said_at_ms=now_ms - 2_000))).added == 1

    run(story())


def test_only_people_state_things(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            done = await added(
                chat, said(FACT, "assistant"), said(OTHER, "tool"), said("Ana's sister Ines lives in Porto.", "system")
            )
            assert (done.added, done.written, done.waiting) == (3, [], [])
            page = await chat.do(sessions.transcript, session="standup")
            assert [entry.type for entry in page.entries] == ["assistant_message", "tool_result", "system_message"]
            assert await texts(chat) == []
        verify_directory(tmp_path / "data")

    run(story())


def test_an_agents_words_are_the_agents_and_never_end_the_owners(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            await chat.do(memory.retain, text="Bo is allergic to penicillin.")
            agent = chat.as_(an_agent())
            fact = await added(agent, said(PLAIN))
            assert [one.outcome for one in fact.written] == ["stored"]
            await added(agent, said("Actually, Bo is not allergic to penicillin."), session="other")
            items = {item.text: item for item in (await chat.do(memory.list_)).items}
            assert items[PLAIN].trust == "agent"
            assert items["Bo is allergic to penicillin."].superseded_by is None

    run(story())


def test_when_it_was_said_is_when_it_holds_from_not_when_it_came(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            then_ms = chat.app.clock.now_ms() - 30 * DAY_MS
            await added(chat, said(FACT, said_at_ms=then_ms, speaker="Lena"))
            [item] = (await chat.do(memory.list_)).items
            assert (item.said_at_ms, item.speaker) == (then_ms, "Lena")
            [entry] = (await chat.do(sessions.transcript, session="standup")).entries
            assert entry.at_ms == then_ms
        verify_directory(tmp_path / "data")

    run(story())


@pytest.mark.parametrize(
    ("turns", "error", "word"),
    [
        ([], InvalidArgument, "0 turns"),
        ([said("x")] * 257, InvalidArgument, "257 turns"),
        ([said(FACT), said("x", "narrator")], InvalidArgument, "turns[1] has the unknown role 'narrator'"),
        ([said(FACT), said(" \n")], InvalidArgument, "turns[1] is empty"),
        ([said(FACT), said("x" * 2_097_152)], TooLarge, "turns[1] is 2097152 bytes"),
        ([said(FACT, said_at_ms=0)], InvalidArgument, "before 1990"),
        ([said(FACT, said_at_ms=1 << 45)], InvalidArgument, "more than a day ahead"),
        ([said(FACT, speaker="a\nb")], InvalidArgument, "speaker of turns[0]"),
        ([said(FACT, turn_id="x" * 300)], InvalidArgument, "turn_id of turns[0]"),
        ([said("\ud800")], InvalidArgument, "surrogate"),
    ],
)
def test_what_cannot_be_taken_is_one_clear_error_and_nothing_changes(
    tmp_path: Path, turns: list[HandedTurn], error: type[PalyraError], word: str
) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            size = chat.app.store.chain.size
            with pytest.raises(error) as refused:
                await added(chat, *turns)
            assert word in refused.value.message
            assert chat.app.store.chain.size == size

    run(story())


def test_without_time_to_wait_the_answer_says_how_many_are_not_read(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            done = await added(chat, said(FACT), said(OTHER), wait_ms=0)
            assert (done.pending, done.written) == (2, [])
            with pytest.raises(InvalidArgument, match="wait_ms 60001"):
                await added(chat, said(FACT), wait_ms=60_001)

    run(story())


def test_a_process_that_dies_before_reading_leaves_it_to_the_next(tmp_path: Path) -> None:
    """The queue is in the journal, and what was written before the end is not written twice."""

    async def dying() -> None:
        async with a_chat(tmp_path) as chat:
            chat.app.turns.wake = lambda: None  # type: ignore[method-assign] # as if killed here
            await added(chat, said(FACT), said(OTHER), wait_ms=0)

    async def half() -> None:
        async with a_chat(tmp_path) as chat:
            reader = TurnReader(chat.app.sessions, chat.app.memory, chat.app.learning.policy, has_model=True)
            [(_, run_id), *_] = await chat.app.store.db.read(lambda tx: queued_runs(tx, 0, 8))
            read = await reader.read(run_id)  # what it states is written, that it was read is not
            assert read is not None
            assert len(read.written) == 1

    async def next_one() -> None:
        async with a_chat(tmp_path) as chat:
            chat.app.turns.wake()
            await chat.app.turns.close(20)
            assert sorted(await texts(chat)) == sorted([FACT, OTHER])
            assert await chat.app.store.db.read(lambda tx: count_queued(tx, ANA)) == 0

    run(dying())
    run(half())
    run(next_one())
    verify_directory(tmp_path / "data")


def test_what_waits_is_held_and_becomes_a_durable_fact_when_a_person_says_so(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path, PALYRA_LEARNING_DURABLE_FACT_AUTO_WRITE_THRESHOLD_BPS="10000") as chat:
            done = await added(chat, said(FACT))
            [waiting] = done.waiting
            assert (waiting.outcome, await texts(chat)) == ("held_for_review", [])
            [held] = (await chat.do(memory.candidates)).candidates
            assert held.candidate_id == waiting.candidate_id
            await chat.do(memory.decide, candidate_id=held.candidate_id, approve=True)
            [item] = (await chat.do(memory.list_)).items
            assert (item.text, item.source, item.trust) == (FACT, "durable_fact", "owner")

    run(story())


def test_what_is_less_sure_than_a_person_wants_to_hear_of_stays_on_the_tape(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path, PALYRA_LEARNING_REVIEW_MIN_CONFIDENCE_BPS_DURABLE_FACT="10000") as chat:
            done = await added(chat, said(FACT))
            assert (len(done.left), done.waiting, done.written, await texts(chat)) == (1, [], [], [])
            assert (await chat.do(memory.candidates)).candidates == []

    run(story())


def test_what_a_client_puts_around_every_turn_states_nothing_and_names_no_session(tmp_path: Path) -> None:
    around = "The cluster of this workspace runs in Frankfurt on three machines.\n"

    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            reminder = "<system-reminder>\nThe user's name is Ana and she lives in Porto.\n</system-reminder>\n"
            await added(chat, said(reminder + "ok"), session="wrapped")
            assert (await texts(chat), (await chat.do(sessions.get, session="wrapped")).session.title) == ([], "ok")
            for word in ("ok", "thanks", FACT):
                await added(chat, said(around + word), session="standup")
            assert FACT in await texts(chat)
            last = (await added(chat, said(around + "thanks a lot"), session="standup")).left
            assert ("wrapping", around.strip()) in [(one.reason, one.text.strip()) for one in last]

    run(story())


def test_what_was_left_is_told_by_the_explanation_of_its_turn_until_it_is_erased(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            heard = await chat.tell(await chat.new("s"), "hello!")
            [left] = (await chat.do(sessions.explain, run_id=heard.run_id)).left
            assert (left.text, left.reason) == ("hello!", "greeting")
            await chat.do(sessions.erase, session="s", run_ids=(heard.run_id,))
            assert (await chat.do(sessions.explain, run_id=heard.run_id)).left == []
        verify_directory(tmp_path / "data")

    run(story())


def test_what_is_undone_while_it_is_being_read_leaves_no_memory(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path, PALYRA_LEARNING_ENABLED="0") as chat:
            heard = await chat.say(await chat.new("s"), FACT)

            def begun(tx: ReadTx) -> tuple[Session, Run, tuple[HeardTurn, ...]]:
                told = own_run(tx, heard.run_id)
                assert told is not None
                session = find_session(tx, told.session_id, ANA)
                return session, told, turn_of(tx, session, told)

            session, turned, [turn] = await chat.app.store.db.read(begun)
            await chat.do(sessions.undo, session="s")
            with pytest.raises(FailedPrecondition, match="taken back"):
                await chat.app.turns._read_turn(session, turned.run_id, turn)
            assert await texts(chat) == []

    run(story())
