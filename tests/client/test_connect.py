"""Who carries out a call, when a daemon comes and goes."""

import json
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from client.canned import canned, whole
from palyra.api import journal, memory, system
from palyra.api.running import Running
from palyra.client import connect
from palyra.client.connect import Client
from palyra.client.messages import BrokenOff
from palyra.core.errors import Exhausted, Unavailable
from palyra.settings import Settings, load
from palyra.wire import journal as journal_wire
from palyra.wire import memory as wire
from palyra.wire import system as system_wire
from support import a_store, run

NOTE = journal_wire.AppendEvent(kind="note", payload={"text": "hello"})
NOTE_WITH_ID = journal_wire.AppendEvent(kind="note", payload={"text": "hello"}, request_id="r1")
APPENDED = b'{"seq": 7, "event_id": "e", "hash": "h", "recorded_at_ms": 1, "repeated": false}'


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return load({"daemon.data_dir": str(tmp_path)}, {"PALYRA_MEMORY_EMBEDDINGS_PROVIDER": "hash"}).settings


@pytest.fixture
def say_running(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """What the data directory says, look by look; the last stays."""

    def say(*urls: str | None) -> None:
        looks = list(urls)

        def look(_data_dir: Path) -> Running | None:
            url = looks.pop(0) if len(looks) > 1 else looks[0]
            return None if url is None else Running(1, url, "", "secret")

        monkeypatch.setattr(connect, "find_daemon", look)

    return say


def test_a_running_daemon_is_asked(settings: Settings, say_running: Callable[..., None]) -> None:
    with canned(whole(APPENDED)) as server:
        say_running(server.url)
        assert Client(settings).call_now(journal.append, NOTE).seq == 7
    assert not (settings.data_dir / "palyra.db").exists()


def test_without_one_it_is_done_here_also_from_a_program_with_an_event_loop(settings: Settings) -> None:
    assert Client(settings).call_now(journal.append, NOTE).seq == 1
    assert run(Client(settings).call(journal.append, NOTE)).seq == 2


def test_what_does_not_open_the_journal_is_never_the_daemons(
    settings: Settings, say_running: Callable[..., None]
) -> None:
    say_running("http://127.0.0.1:9")
    assert Client(settings).call_now(system.examine, system_wire.Examine()).data_dir == str(settings.data_dir)


def test_a_daemon_that_is_just_stopping_is_waited_for(settings: Settings, say_running: Callable[..., None]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as unused:
        url = f"http://127.0.0.1:{unused.getsockname()[1]}"
    say_running(url, url, None)
    assert Client(settings).call_now(journal.append, NOTE).seq == 1


def test_one_that_never_answers_is_given_up(
    settings: Settings, say_running: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connect, "_TRY_SECONDS", 0.3)
    say_running("http://127.0.0.1:9")
    assert Client(settings).call_now(journal.append, NOTE).seq == 1


def test_what_may_have_been_done_is_not_done_twice(settings: Settings, say_running: Callable[..., None]) -> None:
    with canned(b"") as server:
        say_running(server.url, None)
        with pytest.raises(BrokenOff, match=r"journal\.append"):
            Client(settings).call_now(journal.append, NOTE)
    assert not (settings.data_dir / "palyra.db").exists()


def test_what_says_that_it_is_the_same_is_sent_again(settings: Settings, say_running: Callable[..., None]) -> None:
    with canned(b"", whole(APPENDED)) as server:
        say_running(server.url)
        assert Client(settings).call_now(journal.append, NOTE_WITH_ID).seq == 7
        assert server.asked[0] == server.asked[1]
    with a_store(settings.data_dir):
        pass
    with canned(b"") as server:
        say_running(server.url, None)
        assert Client(settings).call_now(memory.search_, wire.Search(query="tea")).hits == []


def test_an_error_of_the_daemon_is_the_answer(settings: Settings, say_running: Callable[..., None]) -> None:
    for error in (Unavailable("writing has stopped"), Exhausted("too many")):
        with canned(whole(json.dumps(error.body()).encode(), f"{error.http} No")) as server:
            say_running(server.url)
            with pytest.raises(type(error), match=error.message):
                Client(settings).call_now(journal.append, NOTE_WITH_ID)


def test_a_stream_that_broke_off_is_not_begun_again(settings: Settings, say_running: Callable[..., None]) -> None:
    with canned(b"") as server:
        say_running(server.url, None)
        with pytest.raises(BrokenOff):
            Client(settings).stream_now(journal.tail, journal_wire.TailEvents(), lambda _event: None)


def test_a_daemon_that_starts_while_we_wait_for_the_journal_is_asked(
    settings: Settings, say_running: Callable[..., None]
) -> None:
    with a_store(settings.data_dir), canned(whole(APPENDED)) as server:
        say_running(None, server.url)
        assert Client(settings).call_now(journal.append, NOTE).seq == 7


def test_whoever_has_the_journal_is_named_while_we_wait_and_when_we_give_up(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connect, "WAIT_SECONDS", 1.5)
    told: list[str] = []
    with a_store(settings.data_dir), pytest.raises(Unavailable, match="is in use by process"):
        Client(settings, on_wait=told.append).call_now(journal.append, NOTE)
    [owner] = told
    assert owner.startswith("process ")
