"""`palyra chat` as a person and as a script meets it, with a daemon and without one."""

import json
import random
import string
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.daemon import a_daemon, start
from cli.terminal import CTRL_C, CTRL_D, Stage, StagedShell, a_stage, at_a_terminal
from providers.models.scripted_provider import Provider, calls, hold, says, scripted_provider, silence, status
from shell import PALYRA
from transports.http.support import eventually


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    with a_stage() as made:
        yield made


@pytest.fixture
def shell(tmp_path: Path, stage: Stage) -> StagedShell:
    made = StagedShell(tmp_path / "data", stage).begin()
    made.environment["PALYRA_MEMORY_EMBEDDINGS_PROVIDER"] = "hash"
    return made


@pytest.fixture
def provider(shell: StagedShell) -> Iterator[Provider]:
    """A model that answers as told; without it, answers come from memory alone."""
    with scripted_provider() as made:
        shell.environment |= {
            "PALYRA_MODELS_PROVIDER": "openai",
            "PALYRA_MODELS_BASE_URL": made.url,
            "PALYRA_MODELS_MODEL": "scripted",
            "PALYRA_MODELS_MAX_RETRIES": "0",
        }
        yield made


@pytest.fixture(params=["here", "daemon"])
def either(request: pytest.FixtureRequest, shell: StagedShell) -> Iterator[StagedShell]:
    """With a daemon and without one. Comes after `provider`, which the daemon has to know."""
    if request.param == "here":
        yield shell
        return
    with a_daemon(shell):
        yield shell


def only_session(shell: StagedShell) -> str:
    [session] = shell.json("session", "list")["sessions"]
    return str(session["key"])


TOLD = "My dog is called Biscuit, and he is a five year old beagle."
BEGUN = "Now this goes on"
"""held after its first word"""

# -- a conversation


def test_what_was_told_is_known_in_another_session(either: StagedShell) -> None:
    with at_a_terminal(either, "chat") as terminal:
        terminal.expect("a new session · offline: answers from memory alone; set models.provider for more")
        terminal.expect("Ctrl-D leaves")
        terminal.says(TOLD)
        terminal.expect("Noted: “My dog is called Biscuit")
        terminal.says("/quit")
        terminal.expect("go on with it: palyra chat 0")
        assert terminal.ends() == 0
    eventually(lambda: bool(either.json("memory", "list")["items"]))  # a daemon reads it once the turn is over
    with at_a_terminal(either, "chat") as terminal:
        terminal.says("What is my dog called?")
        terminal.expect("Biscuit")
        terminal.expect("used 1 memory: [m1] My dog is called Biscuit")
        terminal.expect("> ")
        terminal.types(CTRL_D)
        assert terminal.ends() == 0
    assert len(either.json("session", "list")["sessions"]) == 2


def test_looking_in_and_leaving_makes_no_session(shell: StagedShell) -> None:
    with at_a_terminal(shell, "chat") as terminal:
        terminal.says("")
        terminal.says("   ")
        terminal.interrupts()
        terminal.expect("Ctrl-C again or Ctrl-D leaves")
        terminal.interrupts()
        assert terminal.ends() == 0
    assert shell.json("session", "list")["sessions"] == []


def test_messages_of_many_lines_are_typed_and_pasted(shell: StagedShell) -> None:
    with at_a_terminal(shell, "chat") as terminal:
        terminal.says("one\\")
        terminal.expect("… ")
        terminal.types("two\r")
        terminal.says('"""three')
        terminal.expect("… ")
        terminal.types("\r")
        terminal.expect("… ")
        terminal.types('four"""\r')
        terminal.expect("> ")
        terminal.types("\x1b[200~five\rsix\x1b[201~\r")
        terminal.says("//seven")
        terminal.says('"""eight')
        terminal.expect("… ")
        terminal.types(CTRL_D)
        terminal.says("/quit")
        assert terminal.ends() == 0
    entries = shell.json("session", "show", only_session(shell))["entries"]
    asked = [entry["payload"]["text"] for entry in entries if entry["type"] == "user_message"]
    assert asked == ["one\ntwo", "three\n\nfour", "five\nsix", "/seven", "eight"]


def test_commands_act_on_the_session(shell: StagedShell, tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("the code word is heron")
    shell("memory", "retain", "I moved to Lisbon in March")
    with at_a_terminal(shell, "chat") as terminal:
        terminal.says("/undo")
        terminal.expect("error: nothing was said yet  [failed_precondition]")
        terminal.says("/hlep")
        terminal.expect("there is no command /hlep  [invalid_argument]   hint: /help?")
        terminal.says("/help")
        terminal.expect("/recall QUERY")
        terminal.says("My dog is called Rex")
        terminal.expect("Noted")
        terminal.says("/pin")
        terminal.expect("stays in every prompt")
        terminal.says("/rename the move")
        terminal.expect("renamed to the move")
        terminal.says("/recall Lisbon")
        terminal.expect("[m1] I moved to Lisbon in March")
        terminal.says("/branch other-way")
        terminal.expect("now in other-way")
        terminal.says("/pin")
        terminal.expect("session other-way has no answer of its own yet  [failed_precondition]")
        terminal.says(f"/attach {file}")
        terminal.expect("notes.txt (22 bytes) goes with your next message")
        terminal.says("My birthday is 3 May")
        terminal.expect("Noted")
        terminal.says("/retry")
        terminal.expect("Noted")
        terminal.says("/undo")
        terminal.expect("My birthday is 3 May")
        terminal.says("/session")
        terminal.expect("other-way")
        terminal.says("/new fresh")
        terminal.says("My cat is called Minka")
        terminal.expect("Noted")
        terminal.says("/exit")
        assert terminal.ends() == 0
    found = shell.json("session", "list")["sessions"]
    assert [one["title"] for one in found] == ["fresh", "the move", "the move"]
    entries = shell.json("session", "show", "other-way", "--everything")["entries"]
    first = shell.json("session", "show", found[2]["key"])["entries"]
    assert [one["payload"]["name"] for one in entries if one["type"] == "attachment"] == ["notes.txt"] * 2
    pinned = [one["type"] for one in first if one["pinned"]]
    assert pinned == ["assistant_message"]


def test_ctrl_c_stops_the_answer_and_the_chat_goes_on(provider: Provider, either: StagedShell) -> None:
    provider.then(hold(threading.Event(), BEGUN), says("Hello again."))
    with at_a_terminal(either, "chat") as terminal:
        terminal.expect("openai scripted")
        terminal.says("Hi")
        terminal.expect("Now ")
        terminal.types(CTRL_C)
        terminal.expect("stopped; what had arrived is kept")
        terminal.says("Hi again")
        terminal.expect("Hello again.")
        terminal.says("/quit")
        assert terminal.ends() == 0
    found = either.json("session", "show", only_session(either))
    assert [run["state"] for run in found["runs"]] == ["cancelled", "done"]


def test_ctrl_c_before_the_first_word_stops_it_too(provider: Provider, shell: StagedShell) -> None:
    provider.then(silence(threading.Event()))
    with at_a_terminal(shell, "chat") as terminal:
        terminal.says("Hi")
        while not provider.asked:
            time.sleep(0.01)
        terminal.types(CTRL_C)
        terminal.expect("stopped")
        terminal.says("/quit")
        assert terminal.ends() == 0
    assert provider.asked[0].client_left.wait(10)


def test_a_model_that_fails_is_one_clear_line_and_the_chat_goes_on(provider: Provider, shell: StagedShell) -> None:
    provider.then(status(401), says("Better now."))
    with at_a_terminal(shell, "chat") as terminal:
        terminal.says("Hi")
        terminal.expect("error: ")
        line = terminal.expect("\r\n")
        assert "palyra session explain 0" in line
        terminal.says("/retry")
        terminal.expect("Better now.")
        terminal.says("/quit")
        assert terminal.ends() == 0


def test_an_answer_cannot_steer_the_terminal(provider: Provider, shell: StagedShell) -> None:
    provider.then(says("\x1b]0;owned\x07\tred \x1b[31m", size=3))
    with at_a_terminal(shell, "chat") as terminal:
        terminal.says("Hi")
        terminal.expect("\\u001b]0;owned\\u0007")
        terminal.expect("red \\u001b[31m")
        terminal.says("/quit")
        assert terminal.ends() == 0
    assert "\x1b]0;" not in terminal.seen


def test_a_tool_that_forgets_asks_first_and_yes_is_only_what_comes_after_the_question(
    provider: Provider, shell: StagedShell
) -> None:
    memory_id = shell.json("memory", "retain", "the old code word is heron")["memory_id"]
    forget = {"memory_id": memory_id}
    provider.then(
        calls("memory_forget", forget), says("As you wish."), calls("memory_forget", forget), says("It is gone.")
    )
    with at_a_terminal(shell, "chat", columns=200) as terminal:
        terminal.says("Forget the code word")
        terminal.expect("calls memory_forget")
        terminal.expect("the old code word is heron")
        terminal.expect("allow? [y/N] ")
        terminal.types("\r")
        terminal.expect("denied")
        terminal.expect("As you wish.")
        terminal.says("Now do")
        terminal.expect("allow? [y/N] ")
        terminal.types("y\r")
        terminal.expect("approved")
        terminal.expect("It is gone.")
        terminal.says("/quit")
        assert terminal.ends() == 0
    assert "the old code word is heron" not in {item["text"] for item in shell.json("memory", "list")["items"]}


def test_a_daemon_that_is_killed_in_mid_answer_loses_the_turn_and_not_the_chat(
    provider: Provider, shell: StagedShell
) -> None:
    provider.then(hold(threading.Event(), BEGUN), says("Back again."))
    daemon = start(shell)
    with at_a_terminal(shell, "chat") as terminal:
        terminal.says("Hi")
        terminal.expect("Now ")
        daemon.kill()
        daemon.communicate()
        terminal.expect("\n· the daemon went away: looking for it…")
        with a_daemon(shell):
            terminal.expect("error: palyrad ended before this turn was over  [unavailable]")
            assert terminal.seen.count("Now ") == 1
            terminal.says("Are you there?")
            terminal.expect("Back again.")
            terminal.says("/quit")
            assert terminal.ends() == 0


def test_an_answer_goes_on_when_its_terminal_is_gone_and_is_heard_by_the_next(
    provider: Provider, shell: StagedShell
) -> None:
    go_on = threading.Event()
    provider.then(hold(go_on, BEGUN))
    with a_daemon(shell):
        with at_a_terminal(shell, "chat") as terminal:
            terminal.says("Hi")
            terminal.expect("Now ")
        with at_a_terminal(shell, "chat", "--continue") as terminal:
            terminal.expect("an answer is still coming:")
            terminal.expect("Now ")
            go_on.set()
            terminal.expect("this goes on")
            terminal.says("/quit")
            assert terminal.ends() == 0


def test_a_narrow_terminal_is_enough(shell: StagedShell) -> None:
    shell("memory", "retain", "My dog is called Biscuit and he likes carrots")
    with at_a_terminal(shell, "chat", columns=20) as terminal:
        terminal.says("What is my dog called?")
        terminal.expect("[m1] My dog is calle…")
        terminal.says("/help")
        terminal.says("/quit")
        assert terminal.ends() == 0


def test_history_is_the_owners_alone_and_holds_no_secrets(shell: StagedShell) -> None:
    secret = "sk-" + "".join(random.choices(string.ascii_letters + string.digits, k=40))
    with at_a_terminal(shell, "chat") as terminal:
        terminal.says("My birthday is 3 May")
        terminal.says(f"my key is {secret}")
        terminal.says("/quit")
        assert terminal.ends() == 0
    history = shell.home / "chat_history"
    assert history.stat().st_mode & 0o777 == 0o600
    assert "My birthday is 3 May" in history.read_text()
    assert secret not in history.read_text()
    for one in shell.json("session", "list")["sessions"]:
        shell.json("session", "erase", one["key"])
    assert not history.exists()


# -- one turn, for a script


def test_a_script_gets_the_answer_on_standard_output_and_nothing_else(shell: StagedShell) -> None:
    shell("chat", "-m", TOLD)
    done = shell("chat", "-m", "What is my dog called?")
    assert done.returncode == 0
    assert b"Biscuit" in done.stdout
    assert b"used" not in done.stdout
    assert b"used 1 memory: [m1] My dog is called Biscuit" in done.stderr
    assert b"\x1b" not in done.stdout + done.stderr
    again = shell("chat", "--continue", "-m", "-", stdin=b"What do I drink?")
    assert again.returncode == 0
    assert len(shell.json("session", "list")["sessions"]) == 2


def test_memory_can_be_left_out_of_a_turn(shell: StagedShell) -> None:
    shell("memory", "retain", "My dog is called Biscuit")
    done = shell("chat", "--no-memory", "-m", "What is my dog called?")
    assert b"used" not in done.stderr


def test_json_is_the_stream_line_by_line(shell: StagedShell) -> None:
    done = shell("chat", "--json", "--new", "work", "--title", "the work", "-m", "My birthday is 3 May")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line["type"] for line in lines][:1] == ["meta"]
    assert lines[-1]["type"] == "complete"
    assert lines[-1]["state"] == "done"
    assert "assistant_message" in [line.get("event") for line in lines]
    assert shell.json("session", "list")["sessions"][0]["key"] == "work"


def test_a_turn_that_fails_ends_with_the_code_of_its_error(provider: Provider, shell: StagedShell) -> None:
    provider.then(status(401), status(401))
    assert shell("chat", "-m", "Hi").returncode > 2
    done = shell("chat", "-m", "Hi", "--json")
    assert done.returncode > 2
    assert json.loads(done.stdout.splitlines()[-1])["state"] == "failed"
    hint = json.loads(done.stderr)["error"]["hint"]
    assert hint.startswith("check models.api_key")
    assert "; palyra session explain 0" in hint


def test_a_script_agrees_to_nothing(provider: Provider, shell: StagedShell) -> None:
    memory_id = shell.json("memory", "retain", "the code word is heron")["memory_id"]
    forget = {"memory_id": memory_id}
    provider.then(calls("memory_forget", forget), says("Not done."), calls("memory_forget", forget), says("Nor now."))
    done = shell("chat", "-m", "Forget it", stdin=b"y\ny\n")
    assert b"Not done." in done.stdout
    assert b"denied: nobody is here to ask\n" in done.stderr
    done = shell("chat", "-m", "Forget it", "--json")
    assert b"Nor now." in done.stdout
    assert done.stderr == b""
    assert shell.json("memory", "get", memory_id)["item"]["closed_at_ms"] is None


WRONG = [
    ((), b"", "invalid_argument", 2, "the message is empty"),
    (("-m", "  "), b"", "invalid_argument", 2, "the message is empty"),
    ((), b"x" * 2_000_000, "too_large", 2, "more than 131072 bytes"),
    (("-m", "x" * 131_073), b"", "too_large", 2, "131073 bytes"),
    ((), b"caf\xe9", "invalid_argument", 2, "not text in UTF-8"),
    (("-m", "caf\udce9"), b"", "invalid_argument", 2, "not text in UTF-8"),
    (("nowhere", "-m", "Hi"), b"", "not_found", 3, "no session 'nowhere'"),
    (("-m", "Hi", "--attach", "nowhere.txt"), b"", "invalid_argument", 2, "cannot read nowhere.txt"),
    (("-m", "Hi", "--attach", "/"), b"", "invalid_argument", 2, "cannot read /: Is a directory"),
    (("-m", "Hi", "--attach", "/dev/zero"), b"", "invalid_argument", 2, "/dev/zero is not a file"),
    (("-m", "Hi", *9 * ("--attach", __file__)), b"", "invalid_argument", 2, "9 files; at most 8"),
    (("-c", "some", "-m", "Hi"), b"", "invalid_argument", 2, "--continue"),
    (("some", "--title", "T", "-m", "Hi"), b"", "invalid_argument", 2, "--title"),
    (("--new", "a/b", "-m", "Hi"), b"", "invalid_argument", 2, "session key"),
]


@pytest.mark.parametrize(("arguments", "stdin", "code", "exit_code", "message"), WRONG, ids=lambda _: "")
def test_bad_input_is_one_clear_error_and_changes_nothing(
    shell: StagedShell, arguments: tuple[str, ...], stdin: bytes, code: str, exit_code: int, message: str
) -> None:
    assert message in shell.fails("chat", *arguments, code=code, exit_code=exit_code, stdin=stdin)
    assert shell.json("session", "list")["sessions"] == []


def test_no_standard_input_at_all_is_an_empty_message(shell: StagedShell) -> None:
    command = f"{' '.join(PALYRA)} chat <&-"
    done = subprocess.run(["bash", "-c", command], env=shell.environment, capture_output=True, check=False, timeout=60)
    assert done.returncode == 2
    assert b"the message is empty" in done.stderr


def test_another_principals_session_is_not_entered(shell: StagedShell) -> None:
    shell("chat", "--new", "mine", "--principal", "user:ana", "-m", "My birthday is 3 May")
    shell.fails("chat", "mine", "--principal", "user:bob", "-m", "Hi", code="not_found", exit_code=3)
    [mine] = shell.json("session", "list", "--principal", "user:ana")["sessions"]
    shell.fails(
        "chat", mine["session_id"], "--principal", "user:bob", "-m", "Hi", code="permission_denied", exit_code=4
    )


def test_a_reader_that_leaves_is_no_error(shell: StagedShell) -> None:
    command = f"{' '.join(PALYRA)} chat -m 'My birthday is 3 May' | true"
    done = subprocess.run(["bash", "-c", command], env=shell.environment, capture_output=True, check=True, timeout=60)
    assert done.stderr == b""
    [run] = shell.json("session", "show", only_session(shell))["runs"]
    assert run["state"] == "done"
