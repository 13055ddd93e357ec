"""Which earlier turns a prompt holds, and what is said of those it has no room for."""

from pathlib import Path
from typing import Any

from chatting import Heard, a_chat
from palyra.api import chat as sessions
from palyra.services.continuity.automatic import compact_due
from services.continuity.continuing import block_in_prompt, record, turns
from support import run

SMALL = {"PALYRA_MODELS_WINDOW_TOKENS": "8192", "PALYRA_MODELS_MAX_OUTPUT_TOKENS": "1024"}


def turns_part(heard: Heard) -> dict[str, Any]:
    [report] = heard.events("prompt_report")
    [found] = [part for part in report["parts"] if part["kind"] == "turns"]
    return dict(found)


def test_a_prompt_holds_every_turn_there_is_room_for(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            session = await chat.new("bakery")
            await record(chat, session, turns(120), is_read=False)
            part = turns_part(await chat.say(session, "And now?"))
            assert part["units"] == 120
            assert "left_out" not in part

    run(story())


def test_what_does_not_fit_is_counted_in_the_report_and_a_pinned_turn_stays(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path, **SMALL) as chat:
            session = await chat.new("bakery")
            runs = await record(chat, session, turns(600), is_read=False)
            entry = (await chat.do(sessions.transcript, session=session)).entries[2]
            await chat.do(sessions.pin, session=session, event_id=entry.event_id)
            heard = await chat.say(session, "And now?")
            part = turns_part(heard)
            [left] = part["left_out"]
            assert part["units"] + left["count"] == 600
            assert (left["source"]["id"], left["why"]) == (runs[0], "budget")
            whole = 600 * part["tokens"] // part["units"]
            assert 0.5 * whole < part["tokens"] + left["tokens"] < 2 * whole
            [report] = heard.events("prompt_report")
            assert part["tokens"] <= 0.6 * (8_192 - 1_024)
            assert entry.run_id in [one["source"]["id"] for one in part["kept"]]
            assert report["used_tokens"] < 8_192

    run(story())


def test_how_much_of_the_window_turns_may_take_is_a_setting(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path, **SMALL, PALYRA_CHAT_TURNS_PERCENT="20") as chat:
            session = await chat.new("bakery")
            await record(chat, session, turns(200), is_read=False)
            assert 0 < turns_part(await chat.say(session, "And now?"))["tokens"] <= 0.2 * (8_192 - 1_024)

    run(story())


def test_a_conversation_is_condensed_by_what_all_of_it_would_take(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path, **SMALL, PALYRA_CHAT_TURNS_PERCENT="20") as chat:
            session = await chat.new("bakery")
            await record(chat, session, turns(400), is_read=False)
            [report] = (await chat.say(session, "And now?")).events("prompt_report")
            assert report["used_tokens"] * 100 < 70 * report["window_tokens"], "the prompt alone asks for nothing"
            assert [one.session_id for one in await compact_due(chat.app.compactor, {})] == [session]
            assert await block_in_prompt(chat, session)

    run(story())
