"""What somebody meets who has never seen it: no word of theirs leads nowhere, and looking leaves nothing behind."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from cli.daemon import a_daemon
from cli.terminal import Stage, StagedShell, a_stage, at_a_terminal
from palyra.cli.main import COMMANDS, cli
from palyra.cli.welcome import _next_steps
from palyra.wire.system import SystemStatus
from shell import Shell


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    with a_stage() as made:
        yield made


@pytest.fixture
def shell(tmp_path: Path, stage: Stage) -> StagedShell:
    """Where nothing is yet, at home where nothing is either."""
    made = StagedShell(tmp_path / "data", stage)
    made.environment |= {"PALYRA_MEMORY_EMBEDDINGS_PROVIDER": "hash", "HOME": str(tmp_path / "home")}
    made.environment["PATH"] = f"{Path(sys.executable).parent}:{made.environment['PATH']}"
    made.environment.pop("XDG_DATA_HOME", None)
    return made


def told(shell: StagedShell, *arguments: str) -> str:
    done = shell(*arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode()


def complaint(shell: StagedShell, *arguments: str, exit_code: int) -> str:
    """One line."""
    done = shell(*arguments)
    assert done.returncode == exit_code, (done.stdout, done.stderr)
    [line] = done.stderr.decode().splitlines()
    return line


# -- alone


def test_alone_at_a_terminal_it_says_where_things_stand_and_what_to_do_next(shell: StagedShell) -> None:
    with at_a_terminal(shell) as terminal:
        assert terminal.ends() == 0
    assert f"there is no store at {shell.home}" in terminal.seen.replace("\r\n", "")
    assert "palyra memory retain" in terminal.seen
    assert not shell.home.exists()
    told(shell, "memory", "retain", "I moved to Lisbon")
    with at_a_terminal(shell) as terminal:
        assert terminal.ends() == 0
    assert "1 memory and 0 conversations" in terminal.seen
    assert "no daemon is running" in terminal.seen
    assert len(re.findall(r"^  palyra ", terminal.seen, re.MULTILINE)) == 3


def test_its_steps_say_which_directory_is_meant_if_it_was_named(shell: StagedShell, tmp_path: Path) -> None:
    with at_a_terminal(shell, "--data-dir", str(tmp_path / "other"), columns=200) as terminal:
        assert terminal.ends() == 0
    assert f"palyra --data-dir {tmp_path / 'other'} chat" in terminal.seen


def test_with_forty_columns_no_line_of_it_is_cut(shell: StagedShell) -> None:
    told(shell, "memory", "retain", "I moved to Lisbon")
    with at_a_terminal(shell, columns=40) as terminal:
        assert terminal.ends() == 0
    assert "    palyra memory search" in terminal.seen
    assert "find something again:" in terminal.seen


def test_alone_without_a_terminal_it_is_the_help(shell: StagedShell) -> None:
    assert told(shell) == told(shell, "help")
    assert "Usage: palyra" in told(shell)


def test_every_step_it_offers_is_a_command_there_is(shell: StagedShell) -> None:
    told(shell, "memory", "retain", "I moved to Lisbon")
    calm = shell.json("status")
    restless = {**calm, "failing_jobs": ["x"], "waiting_for_review": 1, "learned_waiting": 1, "memories": 0}
    for body in (calm, restless, {**calm, "serving": True, "sessions": 1}):
        steps = _next_steps(_status(body))
        assert len(steps) == 3
        for step, _ in steps:
            command: click.Command = cli
            for word in step.split()[1:]:
                if isinstance(command, click.Group):
                    found = command.get_command(click.Context(command), word)
                    assert found is not None, step
                    command = found


def _status(body: object) -> SystemStatus:
    import msgspec

    return msgspec.convert(body, SystemStatus)


# -- words


def test_help_and_version_are_commands_too(shell: StagedShell) -> None:
    assert told(shell, "help", "memory", "search") == told(shell, "memory", "search", "--help")
    assert told(shell, "version") == told(shell, "--version")
    assert "did you mean 'memory'" in complaint(shell, "help", "memry", exit_code=2).lower()
    assert "no subcommands" in complaint(shell, "help", "chat", "x", exit_code=2)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("sesion", "'session'"),
        ("search", "'memory search' or 'session search'"),
        ("serch", "'memory search' or 'session search'"),
        ("login", "'console'"),
        ("remember", "'memory retain'"),
        ("forget", "'memory delete'"),
        ("start", "'serve'"),
        ("ask", "'chat'"),
        ("memory serch", "'search'"),
        ("memory add", "'retain'"),
        ("memory forget", "'delete'"),
        ("journal ls", "'list'"),
    ],
)
def test_what_was_meant_is_said(shell: StagedShell, typed: str, meant: str) -> None:
    assert f"Did you mean {meant}" in complaint(shell, *typed.split(), exit_code=2)


def test_what_is_like_nothing_gets_no_guess(shell: StagedShell) -> None:
    assert "Did you mean" not in complaint(shell, "xyzzy", exit_code=2)


def test_shared_options_may_stand_anywhere(shell: StagedShell, tmp_path: Path) -> None:
    elsewhere = str(tmp_path / "elsewhere")
    told(shell, "--data-dir", elsewhere, "memory", "retain", "I like tea")
    spellings = (
        ("--data-dir", elsewhere, "--json", "memory", "list"),
        ("memory", "--data-dir", elsewhere, "--json", "list"),
        ("--json", "memory", "list", "--data-dir", elsewhere),
        ("memory", "list", "--json", "--data-dir", elsewhere),
        ("--data-dir", "/nowhere/at/all", "memory", "list", "--json", "--data-dir", elsewhere),
    )
    for spelling in spellings:
        [item] = json.loads(told(shell, *spelling))["items"]
        assert item["text"] == "I like tea"


def test_an_unknown_variable_is_one_line_with_what_was_meant(shell: StagedShell) -> None:
    shell.environment["PALYRA_HOEM"] = "/elsewhere"
    line = complaint(shell, "status", exit_code=2)
    assert "PALYRA_HOEM" in line
    assert "did you mean PALYRA_HOME?" in line
    assert len(line) < 200
    del shell.environment["PALYRA_HOEM"]
    shell.environment["PALYRA_XYZZY"] = "1"
    assert "did you mean" not in complaint(shell, "status", exit_code=2)


def test_the_journal_calls_a_conversation_without_a_name_by_its_id(shell: StagedShell) -> None:
    told(shell, "chat", "-m", "I like tea")
    [session] = shell.json("session", "list")["sessions"]
    assert f"began conversation {session['session_id']}" in told(shell, "journal", "list")


# -- no store


READS = [
    ("memory", "list"), ("memory", "search", "tea"), ("memory", "recall", "tea"), ("session", "list"), ("status",),
    ("journal", "verify"), ("journal", "list"), ("why",), ("token", "list"), ("learning", "list"), ("jobs", "list"),
    ("memory", "delete", "01JD8QZ6T3M4N5P6Q7R8S9TABC"), ("memory", "get", "01JD"), ("workspace", "list"),
    ("journal", "checkpoint"), ("session", "show", "standup"), ("cron", "list"), ("checkpoint", "list"),
]  # fmt: skip


@pytest.mark.parametrize("command", READS, ids=" ".join)
def test_what_looks_or_takes_away_makes_no_store(shell: StagedShell, command: tuple[str, ...]) -> None:
    line = complaint(shell, *command, exit_code=3)
    assert f"there is no store at {shell.home}" in line
    assert "palyra memory retain" in line
    assert not shell.home.exists()


def test_a_mistyped_home_names_the_usual_one_and_a_write_there_says_so(shell: StagedShell, tmp_path: Path) -> None:
    usual = StagedShell(shell.home, shell.stage)
    usual.environment = {name: value for name, value in shell.environment.items() if name != "PALYRA_HOME"}
    done = usual("memory", "retain", "I like tea")
    assert (done.returncode, done.stderr) == (0, b"")
    place = json.loads(told(usual, "status", "--json"))["data_dir"]
    assert f"there is one at {place}" in complaint(shell, "memory", "list", exit_code=3)
    assert not shell.home.exists()
    done = shell("memory", "retain", "I like tea")
    assert done.stderr.decode() == f"there was no store at {shell.home}: a new one was made\n"
    assert shell("memory", "retain", "I like coffee").stderr == b""
    other = shell("memory", "retain", "I like milk", "--json", "--data-dir", str(tmp_path / "third"))
    assert (other.returncode, other.stderr) == (0, b"")


def test_a_daemon_makes_one(shell: StagedShell) -> None:
    with a_daemon(shell):
        assert shell.json("memory", "list")["items"] == []


# -- ids


def test_the_first_characters_of_an_id_do(shell: StagedShell) -> None:
    tea, milk = (shell.json("memory", "retain", text)["memory_id"] for text in ("I like tea", "Milk is at the shop"))
    same = next(n for n, (one, other) in enumerate(zip(tea, milk, strict=True)) if one != other)
    assert shell.json("memory", "get", tea[: same + 1])["item"]["memory_id"] == tea
    assert shell.json("memory", "get", milk[: same + 1].lower())["item"]["memory_id"] == milk
    line = complaint(shell, "memory", "get", tea[:same], exit_code=2)
    assert f"{tea}, {milk}" in line
    assert "no memory id begins with '7ZZ'" in complaint(shell, "memory", "get", "7ZZ", exit_code=3)
    line = complaint(shell, "memory", "delete", "the first one", exit_code=2)
    assert "an id such as 01JD8QZ6T3M4N5P6Q7R8S9TABC, or its first characters" in line
    assert told(shell, "memory", "delete", tea[: same + 1], milk[: same + 1]).startswith("deleted 2")


def test_ids_of_every_kind_are_completed(shell: StagedShell) -> None:
    event = shell.json("journal", "append", "--kind", "note", '{"text": "hi"}')["event_id"]
    assert shell.json("journal", "show", event[:-1])["event_id"] == event
    assert shell.json("journal", "show", "1")["event_id"] == event
    token = shell.json("token", "create")["info"]["token_id"]
    assert told(shell, "token", "revoke", token[:-1]) == f"revoked {token}\n"
    told(shell, "chat", "talk", "--new", "-m", "I like tea")
    [run] = shell.json("session", "show", "talk")["runs"]
    assert shell.json("session", "explain", run["run_id"][:-1])["run"]["run_id"] == run["run_id"]
    assert shell.json("session", "show", run["session_id"][:-1])["session"]["key"] == "talk"
    mark = shell.json("checkpoint", "create", "talk", "--name", "here")["checkpoint_id"]
    assert shell.json("checkpoint", "show", mark[:-1])["checkpoint_id"] == mark
    job = shell.json("cron", "create", "--prompt", "What is due?", "--every", "1h", "--name", "list")["job_id"]
    assert shell.json("cron", "show", job[:-1])["job_id"] == job
    held = shell.json("memory", "retain", "Deploys need a ticket", "--source", "tape:tool_result")["candidate_id"]
    assert told(shell, "memory", "reject", held[:-1]).startswith("rejected")


def test_a_name_of_ones_own_counts_before_an_id_that_begins_so(shell: StagedShell) -> None:
    told(shell, "chat", "talk", "--new", "-m", "I like tea")
    whole = shell.json("session", "show", "talk")["session"]["session_id"]
    first, second = (shell.json("checkpoint", "create", "talk", "--name", name) for name in ("here", whole[:4]))
    assert first["checkpoint_id"].startswith(whole[:4])
    assert shell.json("checkpoint", "show", whole[:4])["checkpoint_id"] == second["checkpoint_id"]


def test_last_is_what_was_shown_last_here(shell: StagedShell, tmp_path: Path) -> None:
    shell.begin()
    assert "no memory id was shown here yet" in complaint(shell, "memory", "get", "@last", exit_code=3)
    tea, milk = (shell.json("memory", "retain", text)["memory_id"] for text in ("I like tea", "Milk is at the shop"))
    assert shell.json("memory", "get", "@last")["item"]["memory_id"] == milk
    told(shell, "memory", "get", tea)
    assert shell.json("memory", "get", "@last")["item"]["memory_id"] == tea
    told(shell, "memory", "list")  # milk is its last line
    told(shell, "journal", "list")  # of another kind
    assert told(shell, "memory", "pin", "@last").startswith(f"pinned {milk}")
    assert (shell.home / "last_ids.json").stat().st_mode & 0o777 == 0o600
    assert complaint(shell, "memory", "get", "@last", "--data-dir", str(tmp_path / "other"), exit_code=3)


def test_last_after_a_turn_is_that_turn(shell: StagedShell) -> None:
    told(shell, "chat", "talk", "--new", "-m", "I like tea")
    [run] = shell.json("session", "show", "talk")["runs"]
    told(shell, "chat", "talk", "-m", "What do I like?")
    assert shell.json("session", "explain", "@last")["run"]["run_id"] != run["run_id"]


def test_every_command_is_in_the_list_of_help(shell: StagedShell) -> None:
    shown = told(shell, "help")
    assert all(re.search(rf"^  {name} ", shown, re.MULTILINE) for name in COMMANDS)


# -- questions


def test_where_nobody_can_answer_nothing_changes_and_yes_is_named(shell: StagedShell) -> None:
    told(shell, "memory", "retain", "I like tea")
    for command, exit_code in ((("mcp", "install", "codex"), 2), (("memory", "purge", "--all"), 130)):
        done = shell(*command)
        assert done.returncode == exit_code
        assert "--yes" in done.stderr.decode()
    assert len(shell.json("memory", "list")["items"]) == 1
    assert not (Path(shell.environment["HOME"]) / ".codex").exists()


# -- poor terminals


def test_where_a_line_has_no_room_a_text_gets_its_own(shell: StagedShell) -> None:
    text = "The spare key of the boat house hangs behind the blue door"
    told(shell, "memory", "retain", text)
    shell.environment["COLUMNS"] = "40"
    first, second = told(shell, "memory", "list").splitlines()
    assert first.endswith("principal")
    assert second == f"  {text[:37]}…"
    assert all(len(line) <= 40 for line in told(shell, "journal", "list").splitlines()[1:])
    shell.environment["COLUMNS"] = "120"
    assert len(told(shell, "memory", "list").splitlines()) == 1


def test_what_a_terminal_cannot_show_does_not_stop_the_rest(shell: StagedShell) -> None:
    told(shell, "memory", "retain", "Käse und “Wein” kosten 5 €")
    poor = Shell(shell.home)
    poor.environment |= {"PALYRA_MEMORY_EMBEDDINGS_PROVIDER": "hash", "PYTHONIOENCODING": "latin-1"}
    done = poor("memory", "list")
    assert (done.returncode, done.stderr) == (0, b"")
    assert "Käse und ?Wein? kosten 5 ?" in done.stdout.decode("latin-1")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_an_answer_for_which_there_is_no_room_is_one_line(shell: StagedShell) -> None:
    told(shell, "memory", "retain", "I like tea")
    with Path("/dev/full").open("wb") as full:
        command = [sys.executable, "-m", "palyra", "memory", "list"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, env=shell.environment, check=False)
    assert done.returncode == 6
    [line] = done.stderr.decode().splitlines()
    assert "the answer could not be written: No space left on device" in line


@pytest.mark.parametrize("variable", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_a_terminal_without_colours_gets_none(variable: dict[str, str]) -> None:
    from palyra.settings import wants_colours

    assert not wants_colours(variable)
    assert wants_colours({"TERM": "xterm"})


# -- how much


def test_one_is_one(shell: StagedShell) -> None:
    told(shell, "memory", "retain", "I like tea")
    told(shell, "chat", "talk", "--new", "-m", "Is there tea?")
    assert told(shell, "memory", "search", "tea").startswith("1 hit\n")
    shown = told(shell, "status") + told(shell, "journal", "status") + told(shell, "session", "search", "tea")
    assert "1 item;" in shown
    assert "1 session;" in shown
    assert not re.search(r"(?<![\d.])1 (?!bytes)[a-z]+ ?[a-z]*(?<!s)s\b(?=[,;\n])", shown)


def test_many_words_have_their_plural() -> None:
    from palyra.cli.output import counted

    assert [counted(n, "memory") for n in (0, 1, 2)] == ["0 memories", "1 memory", "2 memories"]
    assert [counted(n, "item is", "items are") for n in (1, 2)] == ["1 item is", "2 items are"]
