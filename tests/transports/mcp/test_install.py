"""`palyra mcp install`: shows first, keeps everything else, refuses what it cannot read."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from shell import Shell

FILES = {"claude-code": ".claude.json", "codex": ".codex/config.toml", "cursor": ".cursor/mcp.json"}


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    shell = Shell(tmp_path / "palyra")
    shell.environment["HOME"] = str(tmp_path / "home")
    (tmp_path / "home").mkdir()
    return shell


def file_of(tmp_path: Path, agent: str) -> Path:
    return tmp_path / "home" / FILES[agent]


def entry(path: Path) -> Any:
    if path.suffix == ".toml":
        return tomllib.loads(path.read_text("utf-8"))["mcp_servers"]["palyra"]
    return json.loads(path.read_text("utf-8"))["mcpServers"]["palyra"]


@pytest.mark.parametrize("agent", FILES)
def test_it_writes_a_command_that_starts_the_server_on_this_memory(tmp_path: Path, shell: Shell, agent: str) -> None:
    done = shell.json("mcp", "install", agent, "--yes", "--principal", "user:ana")
    path = file_of(tmp_path, agent)
    written = entry(path)
    assert done["path"] == str(path)
    assert Path(written["command"]).is_absolute()
    assert written["args"][-5:] == ["mcp", "--data-dir", str(tmp_path / "palyra"), "--principal", "user:ana"]
    assert written.get("type") == ("stdio" if agent == "claude-code" else None)
    assert path.stat().st_mode & 0o777 == 0o600
    assert shell.json("mcp", "install", agent, "--yes", "--principal", "user:ana")["difference"] == ""


@pytest.mark.parametrize("agent", FILES)
def test_it_shows_the_change_and_writes_nothing_unless_told(tmp_path: Path, shell: Shell, agent: str) -> None:
    shown = shell("mcp", "install", agent, "--print")
    assert shown.returncode == 0
    assert b"palyra" in shown.stdout
    declined = shell("mcp", "install", agent, stdin=b"n\n")
    assert declined.returncode == 130
    assert b"palyra" in declined.stdout
    assert not file_of(tmp_path, agent).exists()
    accepted = shell("mcp", "install", agent, stdin=b"y\n")
    assert accepted.returncode == 0
    assert entry(file_of(tmp_path, agent))


@pytest.mark.parametrize("agent", ["claude-code", "cursor"])
def test_what_else_is_in_a_json_file_stays(tmp_path: Path, shell: Shell, agent: str) -> None:
    before = {"theme": "dark", "mcpServers": {"other": {"command": "x", "args": ["ü"]}}, "n": 1.5}
    path = file_of(tmp_path, agent)
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(before, indent=4, ensure_ascii=False)
    path.write_text(text, "utf-8")
    done = shell.json("mcp", "install", agent, "--yes")
    after = json.loads(path.read_text("utf-8"))
    after["mcpServers"].pop("palyra")
    assert after == before
    assert '\n    "theme"' in path.read_text("utf-8")
    assert Path(done["backup"]).read_text("utf-8") == text


def test_what_else_is_in_a_toml_file_stays_with_its_comments(tmp_path: Path, shell: Shell) -> None:
    path = file_of(tmp_path, "codex")
    path.parent.mkdir()
    ours = '[mcp_servers.palyra]\ncommand = "old"\nargs = [\n  "x",\n]\ntool_timeout_sec = 9 # slow\n'
    path.write_text(f'model = "o9"  # the good one\n\n{ours}\n# and this\n[mcp_servers.b]\ncommand = "b"\n', "utf-8")
    shell.json("mcp", "install", "codex", "--yes")
    written = entry(path)
    after = path.read_text("utf-8")
    assert after.startswith('model = "o9"  # the good one\n\n[mcp_servers.palyra]\ncommand = "/')
    assert after.endswith('tool_timeout_sec = 9 # slow\n\n# and this\n[mcp_servers.b]\ncommand = "b"\n')
    assert written["command"] != "old"
    assert written["args"] != ["x"]


def test_in_a_toml_file_without_it_the_table_comes_last(tmp_path: Path, shell: Shell) -> None:
    path = file_of(tmp_path, "codex")
    path.parent.mkdir()
    path.write_text('# mine\n[mcp_servers.b]\ncommand = "b"', "utf-8")
    shell.json("mcp", "install", "codex", "--yes")
    assert path.read_text("utf-8").startswith('# mine\n[mcp_servers.b]\ncommand = "b"\n\n[mcp_servers.palyra]\n')


def test_what_a_person_added_to_our_own_entry_stays(tmp_path: Path, shell: Shell) -> None:
    path = file_of(tmp_path, "cursor")
    path.parent.mkdir()
    path.write_text('{"mcpServers": {"palyra": {"command": "old", "env": {"PALYRA_CONFIG": "/x"}}}}', "utf-8")
    shell.json("mcp", "install", "cursor", "--yes")
    assert entry(path)["env"] == {"PALYRA_CONFIG": "/x"}
    assert entry(path)["command"] != "old"


@pytest.mark.parametrize(
    ("agent", "text"),
    [
        ("claude-code", '{"mcpServers": {'),
        ("claude-code", "[]"),
        ("claude-code", '{"a": 1, "a": 2}'),
        ("cursor", '{"mcpServers": []}'),
        ("cursor", "{} // a comment"),
        ("codex", "[mcp_servers"),
    ],
)  # fmt: skip
def test_a_file_it_cannot_read_is_refused_and_left_alone(tmp_path: Path, shell: Shell, agent: str, text: str) -> None:
    path = file_of(tmp_path, agent)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    assert str(path) in shell.fails("mcp", "install", agent, "--yes", code="invalid_argument", exit_code=2)
    assert path.read_text("utf-8") == text
    assert [file.name for file in path.parent.iterdir() if file.is_file()] == [path.name]


def test_a_toml_file_written_another_way_is_not_guessed_at(tmp_path: Path, shell: Shell) -> None:
    path = file_of(tmp_path, "codex")
    path.parent.mkdir()
    path.write_text('mcp_servers = { b = { command = "b" } }\n', "utf-8")
    shell.fails("mcp", "install", "codex", "--yes", code="failed_precondition", exit_code=5)
    assert path.read_text("utf-8") == 'mcp_servers = { b = { command = "b" } }\n'


def test_an_unknown_agent_is_refused(shell: Shell) -> None:
    shell.fails("mcp", "install", "emacs", code="invalid_argument", exit_code=2)
