"""`palyra checkpoint …` and `palyra session compact|expand`: the whole way, as a person walks it."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from chatting import Chat
from cli.terminal import Stage, StagedShell, a_stage, at_a_terminal
from palyra.api.call import owner
from services.continuity.continuing import FACTS, turns, write
from support import an_app, run


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    with a_stage() as made:
        yield made


@pytest.fixture
def shell(tmp_path: Path, stage: Stage) -> StagedShell:
    made = StagedShell(tmp_path / "data", stage).begin()
    made.environment["PALYRA_MEMORY_EMBEDDINGS_PROVIDER"] = "hash"
    return made


def told(shell: StagedShell, *arguments: str) -> str:
    done = shell(*arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode()


def say(shell: StagedShell, key: str, *texts: str) -> None:
    for number, text in enumerate(texts):
        told(shell, "chat", key, *(["--new"] if number == 0 else []), "-m", text)


def test_a_conversation_is_previewed_condensed_and_expanded(shell: StagedShell) -> None:
    say(shell, "trip", *turns(9))
    preview = shell("session", "compact", "trip")
    assert b"MEMORY.md" in preview.stdout
    assert b"nothing was changed" in preview.stderr
    assert told(shell, "session", "compact", "trip", "--list") == "nothing was condensed yet\n"
    plan = shell.json("session", "compact", "trip")["plan_id"]
    assert f"--apply --plan {plan}".encode() in preview.stderr
    shell.fails("session", "compact", "trip", "--plan", plan, code="invalid_argument", exit_code=2)
    shell.fails("session", "compact", "trip", "--apply", "--plan", "f" * 32, code="conflict", exit_code=5)
    applied = told(shell, "session", "compact", "trip", "--apply", "--plan", plan)
    assert "written: MEMORY.md" in applied
    assert FACTS[0] in (shell.home / "workspace" / "MEMORY.md").read_text()
    listed = shell.json("session", "compact", "trip", "--list")["compactions"]
    assert [one["in_force"] for one in listed] == [True]
    assert "in force" in told(shell, "session", "compact", "trip", "--list")
    shown = told(shell, "session", "expand", "trip")
    assert all(text in shown for text in turns(6))
    first, last = listed[0]["from_seq"], listed[0]["to_seq"]
    ranged = shell.json("session", "expand", "trip", f"[{first}-{last}]")
    assert ranged["entries"][0]["type"] == "user_message"
    shell.fails("session", "expand", "trip", "twelve", code="invalid_argument", exit_code=2)
    shell.fails("session", "compact", "trip", "--apply", code="failed_precondition", exit_code=5)


def test_a_checkpoint_is_made_compared_restored_and_merged_back(shell: StagedShell) -> None:
    say(shell, "trip", "I like tea")
    notes = shell.home / "workspace" / "notes.md"
    notes.parent.mkdir(parents=True, exist_ok=True)
    notes.write_text("then\n")
    assert "no checkpoints here" in told(shell, "checkpoint", "list")
    made = told(shell, "checkpoint", "create", "trip", "--name", "then", "--note", "all well", "--tag", "tea")
    checkpoint_id = made.splitlines()[0]
    assert "then all well #tea" in told(shell, "checkpoint", "list", "trip")
    shown = told(shell, "checkpoint", "show", "then")
    assert checkpoint_id in shown
    assert "notes.md" in shown
    notes.write_text("now\n")
    say_more = told(shell, "chat", "trip", "-m", "I like mate")
    assert say_more
    compared = told(shell, "checkpoint", "compare", "then")
    assert "only since: 1 turn" in compared
    assert "+now" in compared
    assert "I like mate" in compared
    restored = told(shell, "checkpoint", "restore", "then", "--key", "back")
    assert restored.startswith("back\n")
    assert "mate" not in told(shell, "session", "show", "back")
    assert "mate" in told(shell, "session", "show", "trip")
    assert notes.read_text() == "now\n"
    tree = told(shell, "checkpoint", "tree", "trip").splitlines()
    assert tree[0].startswith("trip ")
    assert tree[2].startswith("  back ")
    [line] = [one["session_id"] for one in shell.json("session", "list")["sessions"] if one["key"] == "back"]
    run(write_in(shell.home, line))
    conflict = shell("checkpoint", "merge", "back")
    assert conflict.returncode == 5
    assert b"theirs: of the branch" in conflict.stdout
    assert notes.read_text() == "now\n"
    assert "notes.md  revision" in told(shell, "checkpoint", "merge", "back", "--force-theirs", "notes.md")
    assert notes.read_text() == "of the branch\n"
    assert "1 document rolled back" in told(shell, "checkpoint", "restore", "then", "--in-place")
    assert notes.read_text() == "then\n"
    shell.fails("checkpoint", "restore", "nothing", code="not_found", exit_code=3)


async def write_in(home: Path, line: str) -> None:
    async with an_app(home) as app:
        await write(Chat(app, owner("user:local")), "notes.md", "of the branch\n", line=line)


def test_the_chat_condenses_itself_when_told_to(shell: StagedShell) -> None:
    say(shell, "trip", *turns(9))
    with at_a_terminal(shell, "chat", "trip") as terminal:
        terminal.wait_until_open()
        terminal.says("/compact")
        terminal.expect("written to MEMORY.md")
        terminal.says("/quit")
        assert terminal.ends() == 0
    assert json.loads(told(shell, "session", "compact", "trip", "--list", "--json"))["compactions"]
