"""`palyra memory` as a person meets it: real processes on a fresh directory, no daemon, no key."""

import secrets
import signal
import subprocess
import time
from pathlib import Path

import pytest

from palyra.domain.memory import Draft, MemorySource
from palyra.domain.scope import Visibility
from palyra.services.memory.ingest import ingest_many
from shell import PALYRA, Shell
from support import a_memory, files_holding, run


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path / "data").begin()


def test_what_one_principal_retains_no_other_finds(shell: Shell) -> None:
    stored = shell.json("memory", "retain", "I moved to Lisbon in March", "--principal", "user:ana")
    assert stored["outcome"] == "stored"
    [hit] = shell.json("memory", "search", "where does Ana live", "--principal", "user:ana")["hits"]
    assert hit["item"]["text"] == "I moved to Lisbon in March"
    assert shell.json("memory", "search", "where does Ana live", "--principal", "user:bob")["hits"] == []
    shell.fails("memory", "get", stored["memory_id"], "--principal", "user:bob", code="permission_denied", exit_code=4)


def test_a_channel_item_is_for_that_channel(shell: Shell) -> None:
    stored = shell.json("memory", "retain", "The launch code is on the wiki", "--channel", "discord:1")
    assert len(shell.json("memory", "search", "launch code", "--channel", "discord:1")["hits"]) == 1
    for elsewhere in ((), ("--channel", "discord:2")):
        assert shell.json("memory", "search", "launch code", *elsewhere)["hits"] == []
        shell.fails("memory", "get", stored["memory_id"], *elsewhere, code="permission_denied", exit_code=4)


def test_a_correction_is_linked_and_the_past_stays_answerable(shell: Shell) -> None:
    shell.json("memory", "retain", "The staging port is 5432")
    time.sleep(0.01)
    between = time.time_ns() // 1_000_000
    new = shell.json("memory", "retain", "Actually the staging port is 6543")
    assert new["outcome"] == "conflict_found"
    assert len(new["superseded"]) == 1
    [now] = shell.json("memory", "search", "staging port")["hits"]
    [then] = shell.json("memory", "search", "staging port", "--as-of", str(between))["hits"]
    [at_seq] = shell.json("memory", "search", "staging port", "--as-of", "seq:1")["hits"]
    assert "6543" in now["item"]["text"]
    assert "5432" in then["item"]["text"]
    assert "5432" in at_seq["item"]["text"]


def test_a_secret_is_in_no_file_and_the_rest_waits_for_review(shell: Shell) -> None:
    token = "ghp_" + secrets.token_hex(18)
    held = shell.json("memory", "retain", f"my key is {token} and I like tea")
    assert held["outcome"] == "held_for_review"
    assert "secret" in held["reasons"]
    assert files_holding(shell.home, token) == []
    [candidate] = shell.json("memory", "candidates")["candidates"]
    assert "and I like tea" in candidate["text"]
    assert token not in candidate["text"]
    approved = shell.json("memory", "approve", candidate["candidate_id"])
    assert approved["memory_id"]
    assert len(shell.json("memory", "search", "tea")["hits"]) == 1


def test_roles_that_are_swapped_are_two_memories(shell: Shell) -> None:
    outcomes = [shell.json("memory", "retain", text)["outcome"] for text in ("Alice manages Bob", "Bob manages Alice")]
    assert outcomes[0] == "stored"
    assert outcomes[1] in ("stored", "conflict_found")


def test_changing_and_forgetting(shell: Shell) -> None:
    stored = shell.json("memory", "retain", "The office is in Porto", "--tag", "work")
    memory_id = stored["memory_id"]
    assert shell.json("memory", "update", memory_id, "--text", "The office is in Braga")["item"]["text"].endswith(
        "Braga"
    )
    assert shell.json("memory", "pin", memory_id)["item"]["pinned"]
    kinds = [event["kind"] for event in shell.json("memory", "history", memory_id)["events"]]
    assert kinds == ["memory.stored", "memory.updated", "memory.updated"]
    assert shell.json("memory", "delete", memory_id)["deleted"] == 1
    assert shell.json("memory", "search", "office")["hits"] == []
    erased = shell.json("memory", "erase", memory_id)
    assert erased["erased"]
    assert files_holding(shell.home, "Braga") == []
    assert files_holding(shell.home, "Porto") == []
    assert shell.json("journal", "verify")["ok"]


def test_export_and_import_again(shell: Shell, tmp_path: Path) -> None:
    shell.json("memory", "retain", "Tom likes chess", "--tag", "hobby")
    out = tmp_path / "memories.jsonl"
    assert shell.json("memory", "export", str(out))["items"] == 1
    shell.fails("memory", "export", str(out), code="already_exists", exit_code=5)
    held = shell.json("memory", "import", str(out), "--principal", "user:bob")
    assert held["outcomes"] == {"held_for_review": 1}
    vouched = shell.json("memory", "import", str(out), "--principal", "user:cleo", "--vouch")
    assert vouched["outcomes"] == {"stored": 1}


def test_the_index_goes_on_where_it_was_killed(shell: Shell) -> None:
    count = 6_000

    async def fill() -> None:
        async with a_memory(shell.home, provider="hash") as memory:
            drafts = [
                Draft(f"fact {n} about subject {n * 7919 % 1000}", MemorySource.USER_MESSAGE, said_at_ms=n)
                for n in range(count)
            ]
            for start in range(0, count, 1_000):
                await ingest_many(memory, drafts[start : start + 1_000], Visibility("user:local"))

    run(fill())  # with vectors of another model, which serve until the new ones are there
    process = subprocess.Popen([*PALYRA, "memory", "index", "--until-complete"], env=shell.environment)
    deadline = time.monotonic() + 60
    while _vectors(shell) < 256 and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    done = _vectors(shell)
    report = shell.json("memory", "index", "--until-complete")
    assert report["pending"] == 0
    assert report["done"] == count
    assert report["embedded"] == count - done
    assert shell.json("journal", "verify")["ok"]


@pytest.mark.parametrize(
    ("arguments", "code", "exit_code"),
    [
        (("retain", ""), "invalid_argument", 2),
        (("retain", "x", "--confidence", "1.5"), "invalid_argument", 2),
        (("retain", "x", "--confidence", "nan"), "invalid_argument", 2),
        (("retain", "x", "--source", "gossip"), "invalid_argument", 2),
        (("retain", "x", "--ttl", "yesterday"), "invalid_argument", 2),
        (("retain", "x", "--ttl", "0s"), "invalid_argument", 2),
        (("retain", "x", "--said-at", "soon"), "invalid_argument", 2),
        (("retain", "x", "--principal", ""), "invalid_argument", 2),
        (("search", "x", "--top-k", "0"), "invalid_argument", 2),
        (("search", "x", "--top-k", "65"), "invalid_argument", 2),
        (("search", "x", "--as-of", "tomorrow-ish"), "invalid_argument", 2),
        (("search", "x", "--profile", "nobody"), "invalid_argument", 2),
        (("get", "nonsense"), "invalid_argument", 2),
        (("get", "01M7GZVPGK327WPS0E5WG9GH8T"), "not_found", 3),
        (("erase", "01M7GZVPGK327WPS0E5WG9GH8T"), "not_found", 3),
        (("approve", "01M7GZVPGK327WPS0E5WG9GH8T"), "not_found", 3),
        (("purge",), "invalid_argument", 2),
        (("import", "/nowhere/at/all"), "invalid_argument", 2),
    ],
)
def test_bad_input_is_one_clear_error(shell: Shell, arguments: tuple[str, ...], code: str, exit_code: int) -> None:
    assert shell.fails("memory", *arguments, code=code, exit_code=exit_code)


def _vectors(shell: Shell) -> int:
    return int(shell.json("memory", "status")["vectors"])
