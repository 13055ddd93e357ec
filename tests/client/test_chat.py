"""One conversation, whoever carries it and however often the line is cut."""

import json
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from client.canned import Canned, canned, chunks, whole
from palyra.api import chat as api
from palyra.api.running import Running
from palyra.client import chat
from palyra.client.chat import AnswerText, ChatClient
from palyra.core.errors import NotFound, Unavailable
from palyra.settings import Settings, load
from palyra.wire.chat import (
    CreateSession,
    FollowRun,
    GetTranscript,
    ListSessions,
    NameSession,
    RenameSession,
    SendMessage,
    StreamLine,
)

RUN = "01M7HJY9164BJG9PCPD8M6P42Y"
META = {"type": "meta", "session_id": "s", "run_id": RUN, "state": "accepted"}
COMPLETE = {"type": "complete", "run_id": RUN, "state": "done"}


def event(name: str, seq: int | None = None, **data: Any) -> dict[str, Any]:
    return {"type": "event", "event": name, "data": data, **({} if seq is None else {"seq": seq})}


def lines(*items: dict[str, Any]) -> list[bytes]:
    return [json.dumps(item).encode() + b"\n" for item in items]


def settings_of(root: Path) -> Settings:
    return load({"daemon.data_dir": str(root)}, {"PALYRA_MEMORY_EMBEDDINGS_PROVIDER": "hash"}).settings


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Gives a client of a server that answers as told."""
    opened: list[Any] = []

    def serve(*answers: bytes) -> tuple[ChatClient, Canned]:
        context = canned(*answers)
        server = context.__enter__()
        opened.append(context)
        monkeypatch.setattr(chat, "find_daemon", lambda _root: Running(1, server.url, "", "secret"))
        return ChatClient(settings_of(tmp_path)).__enter__(), server

    yield serve
    for context in opened:
        context.__exit__(None, None, None)


SEND = SendMessage(session="s", text="hello")


def said(got: list[StreamLine]) -> str:
    text = AnswerText()
    return "".join(map(text.take, got))


def test_a_stream_that_is_cut_goes_on_after_the_last_line_that_came(served: Any) -> None:
    first = lines(
        META,
        event("user_message", 3, text="hello"),
        event("preview", offset=0, text="Good "),
        event("kept", 5, offset=5),
        event("preview", offset=5, text="mor"),
    )
    rest = lines(
        META, event("preview", offset=5, text="morning"), event("assistant_message", 8, offset=5, text="morning!")
    )
    client, server = served(chunks(*first, is_cut=True), chunks(*rest, *lines(COMPLETE)))
    got = list(client.stream(api.send, SEND))
    assert said(got) == "Good morning!"
    assert [line.type for line in got].count("meta") == 1
    assert got[-1].type == "complete"
    assert server.asked[1].startswith(b"GET /v1/chat/runs/%b/stream?after_seq=5 " % RUN.encode())


def test_a_request_that_was_cut_before_anything_came_is_the_same_request_again(served: Any) -> None:
    client, server = served(b"", chunks(*lines(META, COMPLETE)))
    assert [line.type for line in client.stream(api.send, SendMessage(session="s", text="x"))] == ["meta", "complete"]
    ids = [json.loads(asked.partition(b"\r\n\r\n")[2])["request_id"] for asked in server.asked]
    assert ids[0] == ids[1]
    assert ids[0]


def test_an_end_without_complete_is_a_cut(served: Any) -> None:
    client, _ = served(chunks(*lines(META, event("notice", 4))), chunks(*lines(META, event("notice", 4), COMPLETE)))
    got = list(client.stream(api.send, SEND))
    assert [line.seq for line in got if line.event == "notice"] == [4]
    assert got[-1].type == "complete"


STOPPING = b'{"error":{"code":"unavailable","message":"palyrad is stopping","hint":"","details":{}}}'


def test_a_daemon_that_stops_in_mid_stream_is_a_cut_and_at_the_beginning_an_error(served: Any) -> None:
    client, _ = served(chunks(*lines(META), STOPPING + b"\n"), chunks(*lines(META, COMPLETE)))
    assert [line.type for line in client.stream(api.send, SEND)] == ["meta", "complete"]
    client, _ = served(whole(STOPPING, "503 Service Unavailable"))
    with pytest.raises(Unavailable, match="stopping"):
        list(client.stream(api.send, SEND))


def test_the_loss_is_told_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    with canned(b"", b"", chunks(*lines(META, COMPLETE))) as server:
        monkeypatch.setattr(chat, "find_daemon", lambda _root: Running(1, server.url, "", "secret"))
        with ChatClient(settings_of(tmp_path), on_lost=lambda: told.append("lost")) as client:
            list(client.stream(api.send, SendMessage(session="s", text="x")))
    assert told == ["lost"]


def test_a_daemon_that_was_started_anew_is_met_with_its_own_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = json.dumps({"sessions": [], "next_after_session_key": None}).encode()
    with canned(whole(body), whole(body)) as server:
        secrets = iter(["first", "first", "second"])
        monkeypatch.setattr(chat, "find_daemon", lambda _root: Running(1, server.url, "", next(secrets)))
        with ChatClient(settings_of(tmp_path)) as client:
            client.call(api.list_, ListSessions())
            client.call(api.list_, ListSessions())
    assert [b"Bearer first" in server.asked[0], b"Bearer second" in server.asked[1]] == [True, True]


def test_an_interrupt_while_it_opens_leaves_nothing_running(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = threading.active_count()

    def interrupted(_future: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Future, "result", interrupted)
        with pytest.raises(KeyboardInterrupt):
            ChatClient(settings_of(tmp_path / "d")).__enter__()
    end = time.monotonic() + 30
    while threading.active_count() > before:
        assert time.monotonic() < end
        time.sleep(0.01)
    with ChatClient(settings_of(tmp_path / "d")) as client:
        assert client.call(api.list_, ListSessions()).sessions == []


def test_what_changes_something_and_has_no_id_is_not_sent_twice(served: Any) -> None:
    client, server = served(b"")
    with pytest.raises(Unavailable, match=r"session\.rename"):
        client.call(api.rename, RenameSession(session="s", title="t"))
    assert len(server.asked) == 1


def test_a_daemon_that_does_not_come_back_is_replaced_by_this_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chat, "_RESTART_SECONDS", 0.0)
    with canned(b"") as server:
        daemons = iter(2 * [Running(1, server.url, "", "secret")])
        monkeypatch.setattr(chat, "find_daemon", lambda _root: next(daemons, None))
        with ChatClient(settings_of(tmp_path / "d")) as client:
            made = client.call(api.create, CreateSession(title="kept"))
            assert made.title == "kept"
            assert client.call(api.get, NameSession(session=made.session_id)).session == made


# -- in this process


def test_without_a_daemon_a_turn_is_made_here_and_a_second_call_may_come_in_between(tmp_path: Path) -> None:
    with ChatClient(settings_of(tmp_path / "d")) as client:
        session = client.call(api.create, CreateSession()).session_id
        got: list[StreamLine] = []
        with closing(client.stream(api.send, SendMessage(session=session, text="My dog is called Bo"))) as stream:
            for line in stream:
                got.append(line)
                client.call(api.get, NameSession(session=session))
        assert "Bo" in said(got)
        again = list(client.stream(api.follow, FollowRun(run_id=got[0].run_id)))
        assert said(again) == said(got)


def test_an_error_of_a_stream_is_raised_here_too(tmp_path: Path) -> None:
    with ChatClient(settings_of(tmp_path / "d")) as client, pytest.raises(NotFound, match="nowhere"):
        list(client.stream(api.send, SendMessage(session="nowhere", text="x")))


def test_a_stream_that_nobody_reads_any_more_ends_and_the_turn_does_not(tmp_path: Path) -> None:
    with ChatClient(settings_of(tmp_path / "d")) as client:
        session = client.call(api.create, CreateSession()).session_id
        with closing(client.stream(api.send, SendMessage(session=session, text="I moved to Porto"))) as stream:
            run_id = next(stream).run_id
        assert list(client.stream(api.follow, FollowRun(run_id=run_id)))[-1].state == "done"


def test_leaving_leaves_no_thread_and_no_lock_behind(tmp_path: Path) -> None:
    before = threading.active_count()
    for _ in range(2):
        with ChatClient(settings_of(tmp_path / "d")) as client:
            client.call(api.create, CreateSession())
    assert threading.active_count() == before


def test_what_only_reads_is_done_beside_whoever_talks(tmp_path: Path) -> None:
    with ChatClient(settings_of(tmp_path / "d")) as talking:
        session = talking.call(api.create, CreateSession(key="mine")).session_id
        with ChatClient(settings_of(tmp_path / "d"), opened_for=api.transcript) as reading:
            assert [one.session_id for one in reading.call(api.list_, ListSessions()).sessions] == [session]
            assert reading.call(api.transcript, GetTranscript(session="mine")).entries == []


# -- every character once


@given(
    text=st.text(min_size=1, max_size=40),
    steps=st.lists(st.tuples(st.integers(0, 40), st.integers(1, 12)), max_size=12),
)
def test_no_character_is_shown_twice_or_missed_however_often_text_is_repeated(
    text: str, steps: list[tuple[int, int]]
) -> None:
    answer, shown = AnswerText(), ""
    for back, size in steps:
        start = max(0, len(shown) - back)  # a new stream may begin anywhere in what was shown
        shown += answer.take(
            StreamLine(type="event", event="preview", data={"offset": start, "text": text[start:][:size]})
        )
    start = min(len(shown), 5)
    last = {"offset": start, "text": text[start:]}
    shown += answer.take(StreamLine(type="event", event="assistant_message", data=last))
    assert shown == text
    assert answer.take(StreamLine(type="event", event="preview", data={"offset": 0, "text": "next"})) == "next"
