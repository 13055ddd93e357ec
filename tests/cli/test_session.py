"""`palyra session …`: conversations from outside, and the account of an answer."""

import json
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.daemon import a_daemon
from cli.terminal import Stage, StagedShell, a_stage, at_a_terminal
from providers.models.scripted_provider import calls, hold, says, scripted_provider
from shell import PALYRA


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    with a_stage() as made:
        yield made


@pytest.fixture
def shell(tmp_path: Path, stage: Stage) -> StagedShell:
    made = StagedShell(tmp_path / "data", stage).begin()
    made.environment["PALYRA_MEMORY_EMBEDDINGS_PROVIDER"] = "hash"
    return made


def say(shell: StagedShell, key: str, *texts: str) -> None:
    new = ["--new"]
    for text in texts:
        done = shell("chat", key, *new, "-m", text)
        assert done.returncode == 0, done.stderr
        new = []


def told(shell: StagedShell, *arguments: str) -> str:
    done = shell("session", *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode()


def test_a_list_shows_key_time_state_and_title_and_goes_on_page_by_page(shell: StagedShell) -> None:
    assert "no conversations in sight here: palyra chat" in told(shell, "list")
    for key in ("one", "two", "three"):
        say(shell, key, f"I like {key}")
    told(shell, "archive", "two")
    assert [line.split()[0] for line in told(shell, "list").splitlines()] == ["three", "one"]
    all_of_them = told(shell, "list", "--archived", "--all", "--limit", "1").splitlines()
    assert [line.split()[0] for line in all_of_them] == ["three", "two", "one"]
    assert "archived  I like two" in all_of_them[1]
    page = shell("session", "list", "--limit", "1")
    assert b"more: palyra session list --after three" in page.stderr
    assert told(shell, "list", "--after", "three", "--limit", "1").startswith("one ")
    assert told(shell, "archive", "two", "--undo") == "two is in use again\n"
    assert len(shell.json("session", "list", "--all", "--limit", "1")["sessions"]) == 3


def test_a_transcript_reads_as_it_was_said(shell: StagedShell) -> None:
    say(shell, "talk", "My dog is called Biscuit", "What is my dog called?")
    told(shell, "rename", "talk", "the \x1b[31mdog")
    shown = told(shell, "show", "talk")
    assert "\x1b" not in shown
    asked, answered = shown.index("What is my dog called?"), shown.rindex("Biscuit")
    assert shown.index("Noted: “My dog is called Biscuit”") < asked < answered
    assert "\nyou  20" in shown
    assert "\npalyra  20" in shown
    assert "1 hit" in told(shell, "search", "Noted")


def test_undo_and_reset_take_out_of_the_conversation_and_not_off_the_tape(shell: StagedShell) -> None:
    say(shell, "talk", "I like tea", "I like mate")
    assert told(shell, "undo", "talk").splitlines()[1] == "I like mate"
    assert "mate" not in told(shell, "show", "talk")
    assert "undone" in told(shell, "show", "talk", "--everything")
    told(shell, "reset", "talk")
    assert "nothing was said yet" in told(shell, "show", "talk")
    assert "I like tea" in told(shell, "show", "talk", "--everything")
    shell.fails("session", "explain", "talk", code="failed_precondition", exit_code=5)
    shell.fails("session", "undo", "talk", code="failed_precondition", exit_code=5)


def test_a_branch_goes_its_own_way_from_the_turn_that_is_named(shell: StagedShell) -> None:
    say(shell, "talk", "I like tea", "I like mate")
    first = shell.json("session", "show", "talk")["runs"][0]["run_id"]
    assert told(shell, "branch", "talk", "--at", first, "--key", "other").startswith("other\n")
    shown = told(shell, "show", "other")
    assert "tea" in shown
    assert "mate" not in shown


def test_the_last_answer_is_pinned_and_unpinned_or_any_entry(shell: StagedShell) -> None:
    say(shell, "talk", "I like tea")
    event_id = told(shell, "pin", "talk").removeprefix("pinned ").strip()
    assert "pinned" in told(shell, "show", "talk")
    assert told(shell, "pin", "talk", event_id, "--off") == f"unpinned {event_id}\n"
    assert "pinned" not in told(shell, "show", "talk")


def test_an_export_is_for_its_owner_alone_and_replaces_nothing_unasked(shell: StagedShell, tmp_path: Path) -> None:
    say(shell, "talk", "I like tea")
    file = tmp_path / "talk.md"
    told(shell, "export", "talk", "--output", str(file))
    assert file.stat().st_mode & 0o777 == 0o600
    before = file.read_text()
    assert "> I like tea" in before
    assert "exists already" in shell.fails(
        "session", "export", "talk", "-o", str(file), "--format", "json", code="already_exists", exit_code=5
    )
    assert file.read_text() == before
    told(shell, "export", "talk", "-o", str(file), "--format", "json", "--force")
    assert json.loads(file.read_text())["format"] == "palyra.session/1"
    assert told(shell, "export", "talk") == before
    for wrong in (tmp_path, tmp_path / "no" / "where"):
        shell.fails("session", "export", "talk", "-o", str(wrong), "--force", code="invalid_argument", exit_code=2)
    assert sorted(path.name for path in tmp_path.iterdir() if path.name.startswith(".")) == []


def test_an_account_says_what_the_answer_was_made_of(shell: StagedShell) -> None:
    memory_id = shell.json("memory", "retain", "the code word is heron")["memory_id"]
    with scripted_provider(calls("memory_forget", {"memory_id": memory_id}), says("It stays, as [m1] says.")) as model:
        shell.environment |= {
            "PALYRA_MODELS_PROVIDER": "openai",
            "PALYRA_MODELS_BASE_URL": model.url,
            "PALYRA_MODELS_MODEL": "scripted",
        }
        say(shell, "talk", "Forget the code word, see [[nothing]]")
    account = told(shell, "explain", "talk")
    run_id = account.split()[1]
    assert told(shell, "explain", run_id) == account
    assert "question\nForget the code word" in account
    assert " of 121,280 tokens" in account
    assert "instructions" in account
    assert "owner  the code word is heron" in account
    assert "[m1]" in account
    assert "\n[[nothing]]" in account
    assert "memory_forget" in account
    assert "denied by person (nobody is here to ask)" in account
    assert "answer: done\nIt stays, as [m1] says." in account
    assert "tokens in" in account
    shell("memory", "erase", memory_id)
    assert memory_id in told(shell, "explain", "talk")


def test_erasing_asks_and_leaves_a_certificate_and_no_text(shell: StagedShell) -> None:
    say(shell, "talk", "the code word is heron")
    assert shell("session", "erase", "talk", stdin=b"n\n").returncode == 130
    assert "heron" in told(shell, "show", "talk")
    erased = told(shell, "erase", "talk", "--yes")
    assert "certificate: --json shows the proofs; the journal still verifies" in erased
    assert "heron" not in told(shell, "show", "talk", "--everything")
    assert shell("journal", "verify").returncode == 0
    assert not [path for path in shell.home.rglob("*") if path.is_file() and b"heron" in path.read_bytes()]


def test_a_turn_is_stopped_from_another_terminal_by_its_session(shell: StagedShell) -> None:
    with scripted_provider(hold(threading.Event(), "Now this goes on")) as model:
        shell.environment |= {
            "PALYRA_MODELS_PROVIDER": "openai",
            "PALYRA_MODELS_BASE_URL": model.url,
            "PALYRA_MODELS_MODEL": "scripted",
        }
        with a_daemon(shell), at_a_terminal(shell, "chat", "talk", "--new") as terminal:
            terminal.says("Hi")
            terminal.expect("Now ")
            assert "is cancelled" in told(shell, "abort", "talk")
            terminal.says("/quit")
            assert terminal.ends() == 0
            shell.fails("session", "abort", "talk", code="failed_precondition", exit_code=5)


def test_a_session_that_is_not_there_or_not_yours_is_one_clear_error(shell: StagedShell) -> None:
    say(shell, "mine", "I like tea")
    session_id = shell.json("session", "list")["sessions"][0]["session_id"]
    before = shell.json("journal", "status")["size"]
    bob = ("--principal", "user:bob")
    for command in (
        "show",
        "export",
        "explain",
        "reset",
        "archive",
        "branch",
        "undo",
        "pin",
        "abort",
        "rename",
        "erase",
    ):
        more = ("title",) if command == "rename" else ()
        shell.fails("session", command, "nowhere", *more, code="not_found", exit_code=3)
        shell.fails("session", command, session_id, *more, *bob, code="permission_denied", exit_code=4)
    assert shell.json("journal", "status")["size"] == before


def test_a_tab_completes_the_sessions_there_are_and_makes_nothing(shell: StagedShell) -> None:
    asked = {"_PALYRA_COMPLETE": "bash_complete", "COMP_WORDS": "palyra session show ta", "COMP_CWORD": "3"}
    asking = {**shell.environment, **asked}
    assert subprocess.run(PALYRA, capture_output=True, env=asking, check=True).stdout.strip() == b""
    nowhere = {**asking, "PALYRA_HOME": str(shell.home / "nowhere")}
    assert subprocess.run(PALYRA, capture_output=True, env=nowhere, check=True).stdout.strip() == b""
    assert not (shell.home / "nowhere").exists()
    say(shell, "talk", "I like tea")
    assert subprocess.run(PALYRA, capture_output=True, env=asking, check=True).stdout == b"plain,talk\n"
