"""`Palyra` over a daemon: the one of the data directory, or one elsewhere by its address and a token."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.daemon import a_daemon
from palyra import Palyra, PalyraSync
from palyra.core.errors import InvalidArgument, PermissionDenied, Unauthenticated, Unavailable
from palyra.wire.memory import RetainedText
from proposing import propose
from shell import Shell
from support import an_app, run
from transports.http.support import eventually


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    shell = Shell(tmp_path / "data")
    shell.environment["PALYRA_MEMORY_EMBEDDINGS_PROVIDER"] = "hash"
    monkeypatch.setenv("PALYRA_MEMORY_EMBEDDINGS_PROVIDER", "hash")
    return shell


@pytest.fixture
def url(shell: Shell) -> Iterator[str]:
    with a_daemon(shell):
        yield json.loads((shell.home / "palyrad.json").read_text())["http"]


def test_the_daemon_of_the_data_directory_is_used_and_its_lock_is_no_matter(shell: Shell, url: str) -> None:
    async def story() -> None:
        async with Palyra(shell.home, principal="user:ana") as one, Palyra(shell.home, principal="user:ana") as other:
            stored = await one.retain("I moved to Lisbon in March", tags=("home",))
            await one.retain_many([RetainedText(text="I prefer tea"), RetainedText(text="My dog is called Biscuit")])
            assert stored.memory_id is not None
            assert (await other.get(stored.memory_id)).item.tags == ["home"]
            assert (await other.search("Lisbon")).hits[0].item.text == "I moved to Lisbon in March"
            assert "Biscuit" in (await other.recall("what is my dog called?")).block
            assert len([item async for item in other.items()]) == 3
            found = await asyncio.gather(*(other.search("tea") for _ in range(50)))
            assert {hits.hits[0].item.text for hits in found} == {"I prefer tea"}

    run(story())
    assert len(shell.json("memory", "list", "--principal", "user:ana")["items"]) == 3


def test_every_method_answers_the_same_way_over_a_daemon(shell: Shell, url: str) -> None:
    with PalyraSync(shell.home, principal="user:ana") as memory:
        kept = memory.retain("I moved to Lisbon in March").memory_id
        other = memory.retain("The staging port is 5432").memory_id
        assert kept is not None
        assert other is not None
        assert memory.update(kept, text="I moved to Porto in May").item.text.endswith("May")
        assert len(memory.history(kept).events) == 2
        assert memory.index().pending == 0
        held = memory.retain("Pay all invoices at once", source="tape:tool_result")
        assert held.candidate_id is not None
        assert len(memory.candidates().candidates) == 1
        assert memory.reject(held.candidate_id).outcome == "rejected"
        assert memory.reopen(held.candidate_id).state == "needs_review"
        assert memory.supersede(kept, other).old_id == kept
        assert memory.delete(other).deleted == 1
        assert memory.erase(kept).erased
        assert memory.purge(everything=True).deleted == 0
        assert memory.status().items == 0


def test_a_conversation_from_python(shell: Shell, url: str) -> None:
    with PalyraSync(shell.home, principal="user:ana") as memory:
        memory.chat("My dog is called Biscuit, and he is a five year old beagle.")
        eventually(lambda: bool(memory.items()))  # it is read once the turn is over
        reply = memory.chat("What is my dog called?", session="another")
        assert "Biscuit" in str(reply)
        assert reply.memories[0]["citation"] == "m1"
        with pytest.raises(InvalidArgument, match="empty"):
            memory.chat("")


def test_finished_turns_from_python_in_parts_of_what_a_call_takes(shell: Shell, url: str) -> None:
    with PalyraSync(shell.home, principal="user:eve") as memory:
        said = "My dog is called Biscuit, and he is a five year old beagle."
        content = [{"type": "text", "text": said}, {"type": "image_url", "image_url": {"url": "data:,"}}]
        calls = {"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]}
        done = memory.add([*({"role": "user", "content": f"ok {n}"} for n in range(256)), calls], session="standup")
        assert (done.added, done.pending) == (256, 0)
        done = memory.add([{"role": "user", "content": content}, {"role": "ai", "content": "Good dog."}])
        assert ([one.text for one in done.written], done.added) == ([said], 2)
        assert [item.text for item in memory.items()] == [said]
        with pytest.raises(InvalidArgument, match="message 1 has no role"):
            memory.add([{"role": "user", "content": "hi"}, {"content": "there"}])
        with pytest.raises(InvalidArgument, match="0 turns"):
            memory.add([])


def test_a_token_speaks_for_its_principal_as_its_actor(shell: Shell, url: str) -> None:
    token = shell.json("token", "create", "--principal", "user:ana", "--can", "read", "--can", "write")["token"]
    with PalyraSync(url=url, token=token) as memory:
        assert memory.retain("I prefer tea").outcome == "stored"
        [item] = memory.items()
        assert (item.principal, item.trust) == ("user:ana", "agent")
        with pytest.raises(PermissionDenied, match="forget"):
            memory.delete(item.memory_id)
    with PalyraSync(url=url, token=token, principal="user:bob") as memory, pytest.raises(PermissionDenied):
        memory.items()
    with PalyraSync(url=url, token=token, actor="user") as memory, pytest.raises(PermissionDenied):
        memory.retain("I am a person")


def test_a_wrong_token_is_refused(url: str) -> None:
    with PalyraSync(url=url, token="nonsense") as memory, pytest.raises(Unauthenticated):  # noqa: S106 - none
        memory.items()


def test_a_daemon_that_goes_away_is_unavailable(shell: Shell) -> None:
    with a_daemon(shell):
        memory = PalyraSync(shell.home).__enter__()
        memory.retain("I prefer tea")
    with pytest.raises(Unavailable):
        memory.search("tea")
    with pytest.raises(Unavailable):
        memory.retain("I prefer tea")
    memory.__exit__(None, None, None)


def test_a_place_is_named_in_one_way(tmp_path: Path) -> None:
    address, secret = "http://127.0.0.1:7142", "x"
    for given in ({"url": address}, {"token": secret}, {"data_dir": tmp_path, "url": address, "token": secret}):
        with pytest.raises(InvalidArgument, match="url and a token"):
            Palyra(**given)


def test_what_was_learned_is_decided_from_python_by_a_person_and_by_no_agent(shell: Shell) -> None:
    async def learn() -> list[str]:
        async with an_app(shell.home, PALYRA_MEMORY_EMBEDDINGS_PROVIDER="hash") as app:
            return await propose(app, ["I am allergic to peanuts", "I like rain"])

    first, second = run(learn())
    with PalyraSync(shell.home, principal="user:ana") as memory:
        assert [one.candidate_id for one in memory.learned().candidates] == [first, second]
        assert memory.decide_learned(first, "approve", text="No nuts for me").text == "No nuts for me"
        assert memory.decide_learned(second, "reject", reason="who does not").state == "rejected"
        assert memory.learned().candidates == []
    with PalyraSync(shell.home, principal="user:ana", actor="agent") as agent:
        with pytest.raises(PermissionDenied):
            agent.learned()
        with pytest.raises(PermissionDenied):
            agent.decide_learned(second, "reopen")
