"""Compactions nobody asked for, and those that a model plans."""

import json
from pathlib import Path
from typing import Any

import pytest

from chatting import Chat, a_chat, with_provider
from palyra.api import continuity as api
from palyra.core.ids import EventId, SessionId
from palyra.domain.chat.continuity_events import CompactionId
from palyra.services.continuity.automatic import compact_due, is_due
from palyra.services.continuity.planning import CompactionPolicy
from palyra.store.continuity.prompts import LastPrompt
from palyra.store.continuity.records import Compaction
from providers.models.scripted_provider import says, scripted_provider, status
from services.continuity.continuing import FACTS, block_in_prompt, compact, record, taped, turns
from support import run

POLICY = CompactionPolicy(trigger_percent=70, cooldown_ms=1_000)


def a_prompt(used: int, seq: int = 10) -> LastPrompt:
    return LastPrompt(SessionId("s"), "user:ana", None, seq, used, 1_000)


def a_compaction(seq: int, at_ms: int) -> Compaction:
    place = (EventId("e"), SessionId("s"), "user:ana", None)
    return Compaction(CompactionId("c"), seq, *place, 1, 2, {}, 0, 0, None, at_ms)


@pytest.mark.parametrize(
    ("prompt", "last", "due"),
    [
        (a_prompt(700), None, False),
        (a_prompt(701), None, True),
        (a_prompt(900), a_compaction(11, 0), False),
        (a_prompt(900), a_compaction(9, 4_001), False),
        (a_prompt(900), a_compaction(9, 4_000), True),
    ],
    ids=["within the window's share", "over it", "condensed since", "too soon", "long enough ago"],
)
def test_a_compaction_is_due_when_prompts_are_long_and_the_last_is_long_ago(
    prompt: LastPrompt, last: Compaction | None, due: bool
) -> None:
    assert is_due(prompt, last, 5_000, POLICY) is due


def test_a_session_with_long_prompts_is_condensed_once_and_others_are_left_alone(tmp_path: Path) -> None:
    async def story() -> None:
        settings = {"PALYRA_COMPACTION_TRIGGER_PERCENT": "5", "PALYRA_MODELS_WINDOW_TOKENS": "8192"}
        async with a_chat(tmp_path, **settings) as chat:
            long, short = await taped(chat, "long", 60), await taped(chat, "short", 2)
            for session in (long, short):
                await chat.say(session, "Hello.")
            tried: dict[str, int] = {}
            done = await compact_due(chat.app.compactor, tried)
            assert [one.session_id for one in done] == [long]
            assert await compact_due(chat.app.compactor, tried) == []
            assert await block_in_prompt(chat, long)
            assert await block_in_prompt(chat, short) == ""

    run(story())


def test_a_session_that_has_too_little_to_condense_is_not_tried_again_for_the_same_prompt(tmp_path: Path) -> None:
    async def story() -> None:
        settings = {"PALYRA_COMPACTION_TRIGGER_PERCENT": "5", "PALYRA_MODELS_WINDOW_TOKENS": "1024"}
        async with a_chat(tmp_path, **settings, PALYRA_MODELS_MAX_OUTPUT_TOKENS="64") as chat:
            session = await taped(chat, "short", 2)
            await chat.say(session, "Hello.")
            tried: dict[str, int] = {}
            assert await compact_due(chat.app.compactor, tried) == []
            assert list(tried) == [session]

    run(story())


# -- by a model


async def first_seq(chat: Chat, session: str) -> int:
    entries = (await chat.do(api.expand, session=session, from_seq=0)).entries
    return int(next(entry.seq for entry in entries if entry.type == "user_message"))


def an_answer(seq: int, **more: Any) -> str:
    candidate = {
        "text": "My sister Ines lives in Porto.",
        "kind": "fact",
        "confidence_bps": 9_500,
        "evidence": [{"seq": seq, "quote": FACTS[0]}],
        "target": "MEMORY.md",
    }
    summary = [{"seqs": [seq], "text": "The sister of the user, Ines, lives in Porto."}]
    return json.dumps({"summary": summary, "candidates": [candidate], **more})


def test_a_models_plan_is_taken_if_what_it_cites_is_there(tmp_path: Path) -> None:
    async def story() -> None:
        with scripted_provider() as provider:
            async with a_chat(tmp_path, **with_provider(provider.url)) as chat:
                session = await taped(chat, "trip", 40)
                provider.then(says(an_answer(await first_seq(chat, session))))
                done = await compact(chat, session)
                assert done.planner == "model"
                assert "The sister of the user, Ines" in done.summary
                assert FACTS[0] in str(provider.bodies[0]["messages"])
                assert turns(40)[-1] not in str(provider.bodies[0]["messages"]), "the last ones are not condensed"

    run(story())


@pytest.mark.parametrize(
    ("answer", "notice"),
    [
        (says("I would rather not."), "the model's plan was not taken"),
        (says(an_answer(999_999)), "cites record 999999"),
        (status(400), "the model made no plan"),
    ],
    ids=["no JSON", "a record that is not there", "no answer"],
)
def test_without_a_sound_plan_sentences_are_picked_and_it_says_why(tmp_path: Path, answer: Any, notice: str) -> None:
    async def story() -> None:
        with scripted_provider() as provider:
            async with a_chat(tmp_path, **with_provider(provider.url)) as chat:
                session = await taped(chat, "trip")
                provider.then(answer)
                done = await compact(chat, session)
                assert done.planner == "extractive"
                assert any(notice in one for one in done.notices)
                assert done.summary

    run(story())


def test_a_conversation_too_long_for_the_model_is_not_sent_to_it(tmp_path: Path) -> None:
    async def story() -> None:
        with scripted_provider() as provider:
            settings = with_provider(provider.url, PALYRA_MODELS_WINDOW_TOKENS="6000")
            async with a_chat(tmp_path, **settings) as chat:
                session = await chat.new("long")
                await record(chat, session, turns(300))
                done = await compact(chat, session)
                assert done.planner == "extractive"
                assert "its window holds 6000" in done.notices[0]
                assert provider.bodies == []

    run(story())
