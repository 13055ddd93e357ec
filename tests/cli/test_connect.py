"""`palyra connect`: every way is tried before it is written, and nothing is left of what was refused."""

import json
import re
import secrets
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cli.daemon import a_daemon
from cli.terminal import Stage, StagedShell, a_stage, at_a_terminal
from providers.models import scripted_provider as scripted
from providers.models.scripted_provider import Provider, scripted_provider
from shell import Shell
from support import files_holding

ANSWER = "The test word is heron."


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    shell = Shell(tmp_path / "palyra")
    shell.environment |= {"HOME": str(tmp_path / "home"), "PALYRA_MEMORY_EMBEDDINGS_PROVIDER": "hash"}
    shell.environment["TMPDIR"] = str(tmp_path / "home")
    (tmp_path / "home").mkdir()
    return shell


@pytest.fixture
def server() -> Iterator[Provider]:
    with scripted_provider() as provider:
        yield provider


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    with a_stage() as stage:
        yield stage


@pytest.fixture
def key() -> str:
    return f"sk-{secrets.token_hex(20)}"


def settings_of(shell: Shell) -> dict[str, Any]:
    return tomllib.loads((shell.home / "palyra.toml").read_text("utf-8"))


def everything_under(folder: Path) -> dict[str, bytes]:
    return {str(file): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def model_of(server: Provider, provider: str = "openai") -> list[str]:
    return ["connect", "model", "--provider", provider, "--base-url", server.url, "--model", "small-1"]


# -- a model


@pytest.mark.parametrize(("provider", "header"), [("openai", "authorization"), ("anthropic", "x-api-key")])
def test_a_model_is_written_once_it_has_answered(
    shell: Shell, server: Provider, key: str, provider: str, header: str, tmp_path: Path
) -> None:
    server.then(scripted.says(ANSWER))
    done = shell(*model_of(server, provider), "--key-stdin", "--yes", stdin=f"{key}\n".encode())
    assert done.returncode == 0, done.stderr
    assert b"it was given 1 memory, and answered in 0." in done.stdout
    assert ANSWER.encode() in done.stdout
    [asked] = server.asked
    assert key in asked.headers[header]
    assert "heron" in json.dumps(asked.body)
    own_key = shell.home / "keys" / "model.key"
    expected = {"provider": provider, "base_url": server.url, "model": "small-1", "api_key_file": str(own_key)}
    assert settings_of(shell) == {"models": expected}
    assert own_key.stat().st_mode & 0o777 == 0o600
    assert shell.home.stat().st_mode & 0o777 == own_key.parent.stat().st_mode & 0o777 == 0o700
    server.then(scripted.says("Good morning."))
    assert b"Good morning." in shell("chat", "-m", "Hello").stdout
    assert key.encode() not in done.stdout + done.stderr
    assert files_holding(tmp_path, key) == [own_key]


def test_at_a_terminal_everything_is_asked_and_the_key_is_not_shown(
    stage: Stage, shell: Shell, server: Provider, key: str
) -> None:
    server.then(scripted.says(ANSWER))
    staged = StagedShell(shell.home, stage)
    staged.environment = shell.environment
    with at_a_terminal(staged, "connect") as person:
        for question, said in (
            ("Which", "1"),
            ("Whose protocol", "openai"),
            ("Its address", server.url),
            ("Its key", key),
            ("The model's name", "small-1"),
            ("Write ", "y"),
        ):
            person.expect(question)
            person.types(f"{said}\r")
        person.expect("written; palyra chat talks to it from now on")
        assert person.ends() == 0
        assert key not in person.seen
    assert settings_of(shell)["models"]["model"] == "small-1"


def test_a_key_of_ones_own_file_or_of_the_environment_stays_where_it_is(
    shell: Shell, server: Provider, key: str, tmp_path: Path
) -> None:
    own = tmp_path / "key"
    own.write_text(key)
    own.chmod(0o600)
    shell.json(*model_of(server), "--key-file", str(own), "--yes")
    assert settings_of(shell)["models"]["api_key_file"] == str(own)
    assert key in server.asked[-1].headers["authorization"]
    shell.environment["PALYRA_MODELS_API_KEY"] = other = f"sk-{secrets.token_hex(20)}"
    shell.json(*model_of(server), "--yes")
    assert "api_key_file" not in settings_of(shell)["models"]
    assert other in server.asked[-1].headers["authorization"]
    assert files_holding(tmp_path, other) == []


def test_other_settings_and_comments_stay_and_the_old_key_is_not_shown(
    shell: Shell, server: Provider, key: str
) -> None:
    shell.home.mkdir()
    file = shell.home / "palyra.toml"
    before = f'# mine\n[models] # who answers\nprovider = "anthropic"\napi_key = "{key}"\nwindow_tokens = 9000\n\n'
    file.write_text(f"{before}[chat]\nmax_tool_rounds = 3 # enough\n", "utf-8")
    done = shell(*model_of(server), "--no-key", "--yes")
    assert done.returncode == 0, done.stderr
    assert key.encode() not in done.stdout + done.stderr
    expected = {"provider": "openai", "base_url": server.url, "model": "small-1", "window_tokens": 9000}
    assert settings_of(shell) == {"models": expected, "chat": {"max_tool_rounds": 3}}
    text = file.read_text("utf-8")
    assert text.startswith("# mine\n[models] # who answers\n")
    assert text.endswith("window_tokens = 9000\n\n[chat]\nmax_tool_rounds = 3 # enough\n")
    assert b"says so already" in shell(*model_of(server), "--no-key").stdout


def test_a_model_without_tools_is_noticed(shell: Shell, server: Provider) -> None:
    server.then(scripted.status(400, message="small-1 does not support tools"), scripted.says(ANSWER))
    assert shell.json(*model_of(server), "--no-key", "--yes")["answer"] == ANSWER
    assert settings_of(shell)["models"]["takes_tools"] is False


@pytest.mark.parametrize(
    ("answer", "code", "exit_code", "says"),
    [
        (scripted.status(401, message="no"), "failed_precondition", 5, "refused the key"),
        (scripted.status(404, message="no model small-1"), "failed_precondition", 5, "no model small-1"),
        (scripted.status(500, message="down"), "unavailable", 6, "HTTP 500"),
        (scripted.garbage, "integrity", 8, "makes no sense"),
        (scripted.ends_early(), "unavailable", 6, "127.0.0.1"),
    ],
)  # fmt: skip
def test_what_does_not_answer_is_not_written(
    shell: Shell, server: Provider, key: str, answer: scripted.Answer, code: str, exit_code: int, says: str
) -> None:
    server.then(answer)
    command = [*model_of(server), "--key-stdin", "--yes"]
    assert says in shell.fails(*command, code=code, exit_code=exit_code, stdin=f"{key}\n".encode())
    assert everything_under(shell.home) == {}


@pytest.mark.parametrize(
    ("flags", "says", "code", "exit_code"),
    [
        ("", "--provider is missing", "invalid_argument", 2),
        ("--provider openai", "--key-file is missing", "invalid_argument", 2),
        ("--provider openai --no-key --base-url http://127.0.0.1:1", "--model is missing", "invalid_argument", 2),
        ("--provider openai --no-key --base-url nonsense --model m", "not a web address", "invalid_argument", 2),
        ("--provider openai --base-url http://127.0.0.1:1/v1 --model m", "cannot be reached", "unavailable", 6),
        ("--provider openai --no-key --model m", "wants a key", "failed_precondition", 5),
        ("--provider openai --no-key --key-stdin --model m", "more than one", "invalid_argument", 2),
        ("--provider openai --key-stdin --model m", "no key came", "invalid_argument", 2),
        ("--provider openai --key-file /nowhere/key --model m", "cannot be read", "failed_precondition", 5),
        ("--provider llama --model m", "llama", "invalid_argument", 2),
    ],
)  # fmt: skip
def test_one_clear_error_for_what_is_wrong_or_missing(
    shell: Shell, flags: str, says: str, code: str, exit_code: int
) -> None:
    assert says in shell.fails("connect", "model", *flags.split(), "--yes", code=code, exit_code=exit_code)
    assert everything_under(shell.home) == {}


def test_settings_that_cannot_be_changed_are_left_alone(shell: Shell, server: Provider) -> None:
    shell.home.mkdir()
    file = shell.home / "palyra.toml"
    command = [*model_of(server), "--no-key", "--yes"]
    for text, code, exit_code in (
        ("[models\n", "invalid_argument", 2),
        ('models.provider = "offline"\n', "failed_precondition", 5),
    ):
        file.write_text(text)
        shell.fails(*command, code=code, exit_code=exit_code)
        assert everything_under(shell.home) == {str(file): text.encode()}
    file.write_text("# mine\n")
    file.chmod(0o400)
    assert "read-only" in shell.fails(*command, code="failed_precondition", exit_code=5)
    file.chmod(0o600)
    shell.environment["PALYRA_MODELS_MODEL"] = "other"
    assert "PALYRA_MODELS_MODEL" in shell.fails(*command, code="failed_precondition", exit_code=5)
    assert everything_under(shell.home) == {str(file): b"# mine\n"}


def test_without_a_terminal_writing_wants_yes_and_print_sends_nothing(shell: Shell, server: Provider) -> None:
    refused = shell(*model_of(server), "--no-key")
    assert refused.returncode == 2
    assert b"nobody is here to agree to the change; nothing was changed" in refused.stderr
    assert b"--yes writes without asking" in refused.stderr
    server.asked.clear()
    assert b'+model = "small-1"' in shell(*model_of(server), "--no-key", "--print").stdout
    assert server.asked == []
    assert everything_under(shell.home) == {}
    assert b"written" in shell(*model_of(server), "--no-key", "--yes", "--no-turn").stdout
    assert server.asked == []


def test_a_running_daemon_is_named_that_still_has_the_old_model(shell: Shell, server: Provider) -> None:
    with a_daemon(shell) as daemon:
        done = shell(*model_of(server), "--no-key", "--yes")
        assert f"the daemon (process {daemon.pid}) answers with it once it is started anew".encode() in done.stdout


# -- an MCP client


@pytest.mark.parametrize("agent", ["claude-code", "codex", "cursor"])
def test_a_client_is_written_once_the_server_has_answered_as_the_client_starts_it(shell: Shell, agent: str) -> None:
    shell("memory", "retain", "The key is under the mat.")
    done = shell("connect", agent, "--yes")
    assert re.search(rb"tried as %s will start it; it answers: \d+ tools, 1 memory\n" % agent.encode(), done.stdout)
    again = shell("mcp", "install", agent, "--yes")
    assert b"has it already" in again.stdout
    assert b"tools, 1 memory" in again.stdout
    assert shell("connect", agent, "--print", "--principal", "user:ana").stdout == (
        shell("mcp", "install", agent, "--print", "--principal", "user:ana").stdout
    )


def test_a_client_is_tried_with_a_daemon_too(shell: Shell) -> None:
    with a_daemon(shell):
        shell("memory", "retain", "The key is under the mat.")
        assert shell.json("connect", "codex", "--yes")["tried"]["memories"] == 1


def test_a_server_that_does_not_answer_is_not_written(shell: Shell, tmp_path: Path) -> None:
    shell("memory", "retain", "The key is under the mat.")
    (shell.home / "palyra.db").write_bytes(b"no database" * 1000)
    said = shell("connect", "codex", "--yes")
    assert said.returncode == 5
    assert b"memory does not answer" in said.stderr
    assert not (tmp_path / "home" / ".codex").exists()


def test_a_read_only_file_of_a_client_is_left_alone(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "home" / ".claude.json"
    file.write_text("{}")
    file.chmod(0o400)
    said = shell.fails("connect", "claude-code", "--yes", code="failed_precondition", exit_code=5)
    assert "read-only" in said
    assert file.read_text() == "{}"
    assert list(file.parent.iterdir()) == [file]


def test_another_client_is_shown_what_it_needs(shell: Shell) -> None:
    done = shell("connect", "mcp", "--principal", "user:ana")
    entry = json.loads(done.stdout)["palyra"]
    assert entry["args"][-5:] == ["mcp", "--data-dir", str(shell.home), "--principal", "user:ana"]
    assert re.search(rb"it answers: [1-9]\d* tools", done.stderr)


# -- a program


@pytest.mark.parametrize(
    ("protocol", "url", "variable"),
    [("openai", "/v1", "OPENAI"), ("anthropic", "", "ANTHROPIC")],
)
def test_a_program_is_given_an_address_and_a_token_that_work(
    shell: Shell, protocol: str, url: str, variable: str
) -> None:
    with a_daemon(shell):
        done = shell("connect", "program", "--protocol", protocol, "--label", "editor")
        assert done.returncode == 0, done.stderr
        first, second = done.stdout.decode().splitlines()
        assert first.startswith(f"export {variable}_BASE_URL=http://127.0.0.1:")
        assert first.endswith(url)
        assert second.startswith(f"export {variable}_API_KEY=pal_")
        assert b"one turn: answered, 0 memories given, recorded: palyra session show connect" in done.stderr
        assert b"Are you there?" in shell("session", "show", "connect").stdout
        [token] = shell.json("token", "list")["tokens"]
        assert (token["label"], token["state"]) == ("editor", "active")
        assert shell.json("memory", "list")["items"] == []


def test_the_turn_of_a_program_reaches_the_model_that_is_set(shell: Shell, server: Provider, key: str) -> None:
    server.then(scripted.says(ANSWER))
    shell(*model_of(server, "anthropic"), "--key-stdin", "--yes", stdin=f"{key}\n".encode())
    with a_daemon(shell):
        server.then(scripted.says("Here I am."))
        assert shell.json("connect", "program")["answer"] == "Here I am."
        assert server.asked[-1].path == "/v1/messages"
        assert server.asked[-1].body["model"] == "small-1"
        server.then(scripted.status(401, message="no"))
        assert "HTTP 401" in shell.fails("connect", "program", code="failed_precondition", exit_code=5)
        assert sorted(token["state"] for token in shell.json("token", "list")["tokens"]) == ["active", "revoked"]


def test_a_program_says_what_its_token_may(shell: Shell) -> None:
    with a_daemon(shell):
        assert "recorded=no" in shell.json("connect", "program", "--can", "read")["memory"]
        shell.fails("connect", "program", "--can", "forget", code="permission_denied", exit_code=4)
        shell.fails("connect", "program", "--can", "operate", code="invalid_argument", exit_code=2)
        assert sorted(token["state"] for token in shell.json("token", "list")["tokens"]) == ["active", "revoked"]


def test_a_program_without_a_daemon_is_told_how_to_start_one(shell: Shell) -> None:
    done = shell("connect", "program")
    assert done.returncode == 5
    assert b"palyra serve" in done.stderr
    assert everything_under(shell.home) == {}


def test_without_a_terminal_what_to_connect_must_be_named(shell: Shell) -> None:
    done = shell("connect")
    assert done.returncode == 2
    assert b"what to connect is missing" in done.stderr
    assert b"palyra connect model | claude-code | codex | cursor | mcp | program" in done.stderr
