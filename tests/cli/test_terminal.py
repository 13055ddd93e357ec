"""What a person at a terminal gets and a program does not: colours, and completion at a tab."""

import os
import pty
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from shell import PALYRA, Shell


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path / "data").begin()


def on_a_terminal(shell: Shell, *arguments: str, **environment: str) -> str:
    """What the terminal is sent, standard output and standard error together."""
    ours, theirs = pty.openpty()
    try:
        subprocess.run(
            [*PALYRA, *arguments],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env={**shell.environment, "TERM": "xterm", **environment},
            check=False,
        )
        return os.read(ours, 65_536).decode()
    finally:
        os.close(ours)
        os.close(theirs)


def test_a_terminal_gets_colours_unless_it_is_told_not_to(shell: Shell) -> None:
    wrong, looks = ("journal", "show", "7"), ("doctor",)
    for command in (wrong, looks):
        assert "\x1b[" in on_a_terminal(shell, *command, NO_COLOR="")
        assert "\x1b" not in on_a_terminal(shell, *command, NO_COLOR="1")


def test_a_pipe_gets_none(shell: Shell) -> None:
    for command in (("journal", "show", "7"), ("doctor",)):
        done = shell(*command)
        assert b"\x1b" not in done.stdout + done.stderr


def complete(words: str, environment: dict[str, str]) -> list[str]:
    asked = {"_PALYRA_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(len(words.split(" ")) - 1)}
    done = subprocess.run(PALYRA, capture_output=True, text=True, env={**environment, **asked}, check=True)
    return [line.partition(",")[2] for line in done.stdout.splitlines()]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("palyra mem", ["memory"]),
        ("palyra jou", ["journal"]),
        ("palyra memory sea", ["search"]),
        ("palyra token ", ["create", "list", "revoke"]),
        ("palyra memory search --top", ["--top-k"]),
        ("palyra memory retain x --scope ch", ["channel"]),
        ("palyra completion ", ["bash", "zsh", "fish"]),
    ],
)
def test_a_tab_completes_commands_options_and_choices(shell: Shell, words: str, expected: list[str]) -> None:
    assert complete(words, shell.environment) == expected


def test_completing_a_command_loads_no_command() -> None:
    code = (
        "import sys\n"
        "from palyra.cli.main import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "sys.exit(any(name.startswith('palyra.cli.commands.') for name in sys.modules))"
    )
    asked = {"_PALYRA_COMPLETE": "bash_complete", "COMP_WORDS": "palyra ", "COMP_CWORD": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, **asked}, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "plain,memory" in done.stdout


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_a_completion_script_is_one_that_its_shell_takes(shell: Shell, name: str) -> None:
    script = shell("completion", name).stdout
    assert b"_PALYRA_COMPLETE" in script
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not installed")
    done = subprocess.run([name], input=script, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


def test_another_shell_is_one_clear_error(shell: Shell) -> None:
    shell.fails("completion", "tcsh", code="invalid_argument", exit_code=2)
