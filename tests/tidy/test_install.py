"""`make install` and `make uninstall`: only what is theirs, and nothing half made."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import environment
import install
from trouble import Trouble

ROOT = Path(__file__).parents[2]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "my h\u00f6me"
    home.mkdir()
    return home


def run(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Without a package index: what has to be fetched cannot be."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
    environ = {**kept, "HOME": str(home), "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": "", "PIP_CONFIG_FILE": os.devnull}
    command = [sys.executable, str(ROOT / "setup" / "install.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, env=environ)


def installed(home: Path, version: str = "0.1.0-before") -> tuple[Path, Path]:
    """As an earlier `make install` left it."""
    app, bin_directory = home / ".local/share/palyra-app", home / ".local/bin"
    (app / version / "bin").mkdir(parents=True)
    for program in install.PROGRAMS:
        (app / version / "bin" / program).touch(mode=0o755)
    install._link(app / version, bin_directory)
    return app, bin_directory


def test_what_cannot_be_finished_leaves_the_version_before_as_it_was(home: Path) -> None:
    app, bin_directory = installed(home)
    told = run(home)
    assert told.returncode == 1
    assert len(told.stderr.splitlines()) == 1
    assert [path.name for path in app.iterdir() if path.is_dir()] == ["0.1.0-before"]
    assert (bin_directory / "palyra").resolve().exists()


def test_where_there_is_no_room_nothing_is_begun(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app, bin_directory = installed(home)
    monkeypatch.setattr(environment, "NEEDED_MB", 1 << 40)
    with pytest.raises(Trouble, match="MB left"):
        install.install(app, bin_directory)
    assert [path.name for path in app.iterdir() if path.is_dir()] == ["0.1.0-before"]


def test_a_program_of_that_name_from_elsewhere_is_left_alone_and_nothing_is_made(home: Path) -> None:
    (home / ".local/bin").mkdir(parents=True)
    (home / ".local/bin/palyra").write_text("another")
    told = run(home)
    assert told.returncode == 1
    (line,) = told.stderr.splitlines()
    assert ".local/bin/palyra is there already" in line
    assert "BIN_DIR=DIR" in line
    assert (home / ".local/bin/palyra").read_text() == "another"
    assert not (home / ".local/share").exists()


def test_links_move_to_the_new_version_at_once(home: Path) -> None:
    app, bin_directory = installed(home)
    installed(home, "0.2.0-after")
    assert (bin_directory / "palyra").readlink() == app / "0.2.0-after/bin/palyra"
    assert sorted(path.name for path in bin_directory.iterdir()) == ["palyra", "palyrad"]


def test_uninstall_takes_what_install_put_there_and_no_more(home: Path) -> None:
    app, bin_directory = installed(home)
    memory = home / ".local/share/palyra/palyra.db"
    memory.parent.mkdir()
    memory.touch()
    (bin_directory / "palyrad").unlink()
    (bin_directory / "palyrad").write_text("somebody else's")
    told = run(home, "--remove")
    assert told.returncode == 0, told.stderr
    assert not app.exists()
    assert [path.name for path in bin_directory.iterdir()] == ["palyrad"]
    assert memory.exists()
    assert run(home, "--remove").stderr.startswith("error: nothing is installed in")


def test_what_a_service_still_starts_is_not_removed(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app, bin_directory = installed(home)
    unit = home / "palyra.service"
    unit.write_text(f'ExecStart="{bin_directory}/palyrad"')
    monkeypatch.setattr(install, "SERVICES", (unit,))
    with pytest.raises(Trouble) as refused:
        install.remove(app, bin_directory)
    assert "service remove" in refused.value.hint
    assert (bin_directory / "palyra").exists()


def test_it_says_whether_the_shell_will_find_it(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, bin_directory = installed(home)
    monkeypatch.setenv("PATH", "/usr/bin")
    assert f'export PATH="{bin_directory}:$PATH"' in install._how_to_reach(bin_directory)
    monkeypatch.setenv("PATH", str(bin_directory))
    assert "palyra service install" in install._how_to_reach(bin_directory)
