"""What `make run` sets up: small, from the lock alone, and in words a newcomer understands when it cannot be done."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import environment
from trouble import Trouble, in_words

ROOT = Path(__file__).parents[2]
SETUP = ROOT / "setup"
MOST_PACKAGES = 60


def names(file: Path) -> list[str]:
    lines = file.read_text("utf-8").splitlines()
    return [re.split(r"[=\s]", line)[0] for line in lines if line[:1].isalnum()]


LEFT_OUT = names(SETUP / "left-out.txt")


def test_few_packages_are_needed_to_run() -> None:
    assert len(names(ROOT / "requirements.lock")) <= MOST_PACKAGES


def test_the_lock_has_every_dependency_and_nothing_that_is_left_out_or_only_for_tests() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    locked = set(names(ROOT / "requirements.lock"))
    asked = {re.split(r"[<>=;\s]", line)[0] for line in project["dependencies"]}
    assert asked <= locked
    assert not locked & {*LEFT_OUT, "pytest", "ruff", "pypdf", "python-docx"}


def test_what_the_lock_leaves_out_is_never_imported() -> None:
    """Both models embed, the console's surfaces and MCP are loaded: all without the packages of left-out.txt."""
    blocked = [name.replace("-", "_") for name in LEFT_OUT]
    code = f"""
import sys
for name in {blocked!r} + ["pypdf", "docx"]:
    sys.modules[name] = None
import palyra.daemon, palyra.transports.grpc.server, palyra.transports.mcp.http, palyra.transports.mcp.stdio
import palyra.providers.extract.table, palyra.providers.references.page, palyra.memory_wiring, palyra.chat_wiring
from palyra.providers.embeddings.local import LocalEmbedding
assert LocalEmbedding().embed(["The ferry leaves at seven"], "document").shape == (1, 256)
"""
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=120)
    assert told.returncode == 0, told.stderr


@pytest.mark.parametrize(
    ("told", "says"),
    [
        ("OSError: [Errno 28] No space left on device", "the disk of /there is full"),
        ("ERROR: Could not install packages due to an OSError: [Errno 30] Read-only file system: 'x'", "be written to"),
        ("The virtual environment was not created because ensurepip is not available", "cannot make environments"),
        ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE", "not the one that requirements"),
        (
            "WARNING: Retrying after 'NewConnectionError: no route'\nERROR: No matching distribution found for anyio",
            "the package index cannot be reached",
        ),
        ("ERROR: No matching distribution found for anyio==4.16.0", "has not all that requirements.lock names"),
        ("Looking in indexes\nERROR: something new\n", "a package could not be installed: ERROR: something new"),
    ],
)
def test_what_pip_says_becomes_one_line_with_a_way_out(told: str, says: str) -> None:
    trouble = in_words(told, Path("/there"))
    assert says in trouble.message
    assert "\n" not in f"{trouble.message}{trouble.hint}"
    assert trouble.hint


def set_up(directory: Path, **environ: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SETUP / "environment.py"), str(directory)]
    with_no_index = {**os.environ, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": "", "PIP_CONFIG_FILE": os.devnull, **environ}
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, env=with_no_index)


def test_a_set_up_that_cannot_be_finished_leaves_nothing_and_says_why_in_a_line(tmp_path: Path) -> None:
    """Without a package index, which is what a machine without a network has."""
    there = tmp_path / "a höme" / "run"
    there.mkdir(parents=True)
    (there / "left by a cut-off").touch()
    told = set_up(there)
    assert told.returncode == 1
    assert told.stdout.splitlines()[0].startswith(f"1/4 Python {sys.version.split()[0]}")
    (line,) = told.stderr.splitlines()
    assert line.startswith("error: the package index has not all that requirements.lock names")
    assert "hint: " in line
    assert not there.exists()


def test_a_place_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    told = set_up(tmp_path / "file" / "run")
    assert told.returncode == 1
    (line,) = told.stderr.splitlines()
    assert str(tmp_path / "file") in line


def test_a_full_disk_is_found_before_anything_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment, "NEEDED_MB", 1 << 40)
    with pytest.raises(Trouble, match="MB left, and Palyra needs"):
        environment.prepare(tmp_path / "run", lambda _line: None)
    assert not (tmp_path / "run").exists()


def test_what_is_there_already_is_not_made_again(tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    (run / ".ready").write_text(environment._fingerprint(run))
    said: list[str] = []
    environment.prepare(run, said.append)
    assert said == []


def test_a_python_that_is_missing_or_too_old_is_one_line(tmp_path: Path) -> None:
    old = tmp_path / "python"
    old.write_text(
        f"#!/bin/sh\nexec {sys.executable} -c \"import sys; sys.version_info = (3, 9, 2); sys.version = '3.9.2 x'; "
        'exec(sys.argv[1])" "$2"\n'
    )
    old.chmod(0o755)
    alone = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    for python, says in ((old, "is 3.9.2"), (tmp_path / "none", "there is no")):
        told = subprocess.run(
            ["make", "python", f"PYTHON={python}"],
            cwd=ROOT,
            env=alone,  # as a person calls it, also when `make test` runs this
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert told.returncode != 0
        lines = [line for line in told.stderr.splitlines() if not line.startswith("make:")]
        assert len(lines) == 1
        assert lines[0].startswith("error: Palyra needs Python 3.11 or newer")
        assert says in lines[0]


@pytest.mark.parametrize(("stale", "leads_to"), [(True, "run"), (False, ".venv")])
def test_agents_that_start_the_environment_of_before_go_on_working(tmp_path: Path, stale: bool, leads_to: str) -> None:
    before, run = tmp_path / ".venv", tmp_path / "run"
    for place in (before, run):
        (place / "bin").mkdir(parents=True)
        for program in ("palyra", "palyrad"):
            (place / "bin" / program).touch()
    (before / ".ready").touch()
    if stale:
        os.utime(before / ".ready", (1, 1))
    environment.lead_clients_here(before, run)
    assert {(before / "bin" / program).resolve().parent.parent.name for program in ("palyra", "palyrad")} == {leads_to}
    assert sorted(path.name for path in (before / "bin").iterdir()) == ["palyra", "palyrad"]


def test_where_there_was_none_before_nothing_is_led(tmp_path: Path) -> None:
    environment.lead_clients_here(tmp_path / ".venv", tmp_path / "run")
    assert list(tmp_path.iterdir()) == []
