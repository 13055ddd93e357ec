"""The screen of `palyra serve`: what it offers to type works in another terminal, as it stands."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from palyra.cli.programs import place_of, spelled

BIN = Path(sys.executable).parent
PLAIN_PATH = os.pathsep.join(part for part in os.defpath.split(os.pathsep) if not (Path(part) / "palyra").exists())


@contextmanager
def a_screen(environment: dict[str, str]) -> Iterator[list[str]]:
    """What it printed until it was ready."""
    command = [str(BIN / "palyra"), "serve", "--port", "0", "--grpc-port", "-1"]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment, encoding="utf-8"
    )
    try:
        lines = []
        assert process.stdout is not None
        for line in process.stdout:
            lines.append(line.rstrip("\n"))
            if line.startswith("Ctrl-C"):
                break
        yield lines
    finally:
        process.terminate()
        process.communicate(timeout=30)


def offered(lines: list[str]) -> list[str]:
    return [line.strip() for line in lines[lines.index("In another terminal:") + 1 :] if line.startswith("  ")]


@pytest.mark.parametrize("elsewhere", [False, True], ids=["at its usual place", "at a place of its own"])
def test_what_the_screen_offers_can_be_copied_into_another_terminal(tmp_path: Path, elsewhere: bool) -> None:
    home = tmp_path / "my höme"
    home.mkdir()
    plain = {"HOME": str(home), "PATH": PLAIN_PATH, "LANG": "C.UTF-8"}
    first = {**plain, "PALYRA_HOME": str(home / "the memory")} if elsewhere else plain
    with a_screen(first) as lines:
        retain, search, chat, *_ = offered(lines)
        asked = chat + " -m " + shlex.quote(search.split('"')[1])
        told = [
            subprocess.run(["sh", "-c", command], env=plain, capture_output=True, text=True, check=False, timeout=60)
            for command in (retain, search, asked)
        ]
    assert [one.returncode for one in told] == [0, 0, 0], told
    assert told[0].stdout.startswith("stored")
    assert all("My sister Ines lives in Porto" in one.stdout for one in told[1:])


def test_where_path_finds_it_the_name_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{BIN}{os.pathsep}{PLAIN_PATH}")
    assert spelled() == "palyra"


def test_a_palyra_on_the_path_that_is_another_one_is_not_taken_for_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "palyra").write_text("#!/bin/sh\n")
    (tmp_path / "palyra").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert spelled() == shutil.which("palyra", path=str(BIN))


def test_a_link_is_named_rather_than_what_it_leads_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next version lies elsewhere, and the link leads there then."""
    (tmp_path / "palyra").symlink_to(BIN / "palyra")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "argv", ["something"])
    assert place_of("palyra") == tmp_path / "palyra"
    assert not re.search(r"\s", spelled())
