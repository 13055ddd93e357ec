"""All of it together: what passes through is on the tape, and found again by another client tomorrow."""

import json
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from providers.models.scripted_provider import calls, cut, hold, says
from transports.http.proxy.proxy_support import Bench, bench
from transports.http.support import READ, eventually

TOLD = "My cat is called Miso, and we live in Lisbon, on the fourth floor."


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    with bench(tmp_path_factory.mktemp("p") / "data", "openai", None) as made:
        yield made


def say(desk: Bench, text: str, session: str, **more: Any) -> Any:
    client = desk.openai(**{"x-palyra-session": session})
    return client.chat.completions.create(model="m", messages=[{"role": "user", "content": text}], **more)


def transcript(desk: Bench, session: str) -> list[tuple[str, Any]]:
    answer = desk.http().get(f"/v1/chat/sessions/{session}/transcript")
    assert answer.status_code == 200, answer.text
    return [(entry["type"], entry["payload"]) for entry in answer.json()["entries"]]


def spoken(desk: Bench, session: str) -> list[tuple[str, str]]:
    return [(kind, payload["text"]) for kind, payload in transcript(desk, session) if "text" in payload]


def test_what_is_told_in_one_conversation_is_known_in_another(desk: Bench) -> None:
    desk.provider.then(says("Noted."), says("To Lisbon."))
    say(desk, TOLD, "monday")
    assert spoken(desk, "monday") == [("user_message", TOLD), ("assistant_message", "Noted.")]
    eventually(lambda: TOLD in desk.http().get("/v1/memory/items").text)
    desk.provider.asked.clear()
    say(desk, "Where do I live, and what is my cat called?", "tuesday")
    [asked] = desk.provider.asked
    assert "Lisbon" in json.dumps(asked.body)
    assert "Lisbon" not in json.dumps(say_to_another(desk))


def say_to_another(desk: Bench) -> object:
    desk.provider.asked.clear()
    client = desk.openai(desk.served.token(principal="user:bob"))
    client.chat.completions.create(model="m", messages=[{"role": "user", "content": "Where do I live?"}])
    return desk.provider.bodies


def test_a_tool_loop_is_one_run_on_the_tape(desk: Bench) -> None:
    desk.provider.then(calls("look", {}, text="Let me look."), says("Three tins."))
    messages: list[Any] = [{"role": "user", "content": "Please count the tins."}]
    client = desk.openai(**{"x-palyra-session": "tins"})
    first = client.chat.completions.create(model="m", messages=messages)
    messages += [first.choices[0].message.model_dump(exclude_none=True)]
    messages += [{"role": "tool", "tool_call_id": "call_1", "content": "3"}]
    client.chat.completions.create(model="m", messages=messages)
    assert spoken(desk, "tins") == [
        ("user_message", "Please count the tins."),
        ("assistant_message", "Let me look.\n\nThree tins."),
    ]


def test_a_stream_that_breaks_off_is_on_the_tape_with_its_end(desk: Bench) -> None:
    desk.provider.then(cut("Once upon a time", after_events=2))
    with pytest.raises(Exception, match="cannot be used"):
        list(say(desk, "Tell me a story.", "story", stream=True))
    eventually(lambda: len(transcript(desk, "story")) > 1)
    kinds = [kind for kind, _ in transcript(desk, "story")]
    assert kinds == ["user_message", "assistant_message", "notice"]


def test_without_a_name_a_conversation_is_known_by_its_token_and_its_first_words(desk: Bench) -> None:
    client = desk.openai()
    first, second = ({"role": "user", "content": f"{word} thing."} for word in ("First", "Second"))
    answer = {"role": "assistant", "content": "Yes?"}
    for messages in ([first], [second], [first, answer, second]):
        client.chat.completions.create(model="m", messages=messages)  # type: ignore[arg-type]
    sessions = desk.http().get("/v1/chat/sessions").json()["sessions"]
    keys = {session["title"]: session["key"] for session in sessions if session["key"].startswith("proxy:")}
    assert sorted(keys) == ["First thing.", "Second thing."]
    said = [text for kind, text in spoken(desk, keys["First thing."]) if kind == "user_message"]
    assert said == ["First thing.", "Second thing."]


def test_the_sessions_of_two_principals_are_apart_though_they_have_one_name(desk: Bench) -> None:
    bob = desk.served.token(principal="user:bob")
    say(desk, "The launch code is on the wiki.", "shared name")
    client = desk.openai(bob, **{"x-palyra-session": "shared name"})
    client.chat.completions.create(model="m", messages=[{"role": "user", "content": "Bob was here."}])
    assert ("user_message", "Bob was here.") not in spoken(desk, "shared name")


def test_a_token_that_may_only_read_leaves_no_trace_but_the_receipt(desk: Bench) -> None:
    size = desk.served.journal_size
    client = desk.openai(desk.served.token([READ]))
    client.chat.completions.create(model="m", messages=[{"role": "user", "content": "Where did I move to?"}])
    assert desk.served.journal_size == size + 2  # the token, and what was recalled


def test_an_answer_of_any_length_ends_its_run(desk: Bench) -> None:
    desk.provider.then(says("żółć " * 40_000, 60_000))
    say(desk, "Tell me everything.", "long")
    _, *said = spoken(desk, "long")
    assert said[-1][0] == "assistant_message"
    assert "".join(text for _, text in said) == "żółć " * 40_000


def test_conversations_at_the_same_time_do_not_wait_for_each_other(desk: Bench) -> None:
    release = threading.Event()
    desk.provider.then(hold(release, "Late, but here."), says("At once."))
    stream = say(desk, "Take your time.", "busy", stream=True)
    chunks = iter(stream)
    next(chunks)
    say(desk, "Be quick.", "busy")
    assert ("assistant_message", "At once.") in spoken(desk, "busy")
    release.set()
    list(chunks)
    eventually(lambda: ("assistant_message", "Late, but here.") in spoken(desk, "busy"))
