"""From one version to the next: what was there opens and goes on working, and what has gone is said in a line."""

import json
import logging
import sys
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from palyra import settings
from palyra.cli.command import _warn
from palyra.cli.main import main
from palyra.settings import check
from palyra.store import journal_store, migrate
from palyra.store.migrate import Migration, read_migrations
from shell import Shell
from support import an_app, run

LATER = Migration(len(read_migrations()) + 1, "later", "CREATE TABLE later (x TEXT) STRICT")
GONE = {"memory.colour": "memories have none any more"}


@pytest.fixture
def newer(monkeypatch: pytest.MonkeyPatch) -> None:
    """The Palyra after this one, with a schema of its own."""
    later = (*read_migrations(), LATER)
    monkeypatch.setattr(migrate, "read_migrations", lambda: later)
    monkeypatch.setattr(journal_store, "read_migrations", lambda: later)


@pytest.fixture(autouse=True)
def quiet_again() -> Iterator[None]:
    """`main` is for a process of its own: it leaves standard error as the place for news of upgrades."""
    yield
    upgrades = logging.getLogger("palyra.upgrade")
    upgrades.handlers, upgrades.propagate = [], True


def palyra(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    capsys.readouterr()
    with pytest.raises(SystemExit) as left:
        main([*arguments])
    out, err = capsys.readouterr()
    return int(left.value.code or 0), out, err


@pytest.fixture
def old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data directory of this version, with a memory, a token and a setting in it."""
    root = tmp_path / "data"
    shell = Shell(root)
    shell.environment["PALYRA_MEMORY_EMBEDDINGS_PROVIDER"] = "hash"
    shell.json("memory", "retain", "The ferry leaves at seven")
    made = shell.json("token", "create", "--can", "read")
    (tmp_path / "token").write_text(made["token"])
    (root / "palyra.toml").write_text("[memory]\nauto_inject_max_items = 7\nembeddings.provider = 'hash'\n")
    monkeypatch.setenv("PALYRA_HOME", str(root))
    return root


@pytest.mark.usefixtures("newer")
def test_a_directory_of_the_version_before_opens_with_a_backup_first_and_one_line_that_says_so(
    old: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = palyra(capsys, "memory", "search", "when does the ferry leave")
    assert (code, "The ferry leaves" in out) == (0, True), (out, err)
    (backup,) = (old / "backups").iterdir()
    assert [line for line in err.splitlines() if line] == [
        f"{old} is of an earlier Palyra and is brought up to date; as it was, it is in {backup}"
    ]
    code, _, err = palyra(capsys, "memory", "list")
    assert (code, err) == (0, ""), "it is said once"
    code, out, _ = palyra(capsys, "backup", "verify", str(backup))
    assert code == 0, out


@pytest.mark.usefixtures("newer")
def test_its_tokens_and_settings_go_on_working(old: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def ask() -> str:
        async with an_app(old) as app:
            assert app.settings.memory.auto_inject_max_items == 7
            return (await app.tokens.authenticate((tmp_path / "token").read_text())).grant.principal

    assert run(ask()) == "user:local"
    assert "is brought up to date" in caplog.text, "a daemon has it in its log"


def test_a_directory_of_a_newer_version_is_refused_in_one_line(old: Path) -> None:
    connection = apsw.Connection(str(old / "palyra.db"))
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    before = (old / "palyra.db").read_bytes()
    shell = Shell(old)
    for command in (["memory", "list"], ["memory", "retain", "x"], ["serve", "--port", "0", "--grpc-port", "-1"]):
        told = shell(*command)
        assert told.returncode == 5
        (line,) = told.stderr.decode().splitlines()
        assert "made by a newer Palyra" in line
        assert "schema 99" in line
    assert (old / "palyra.db").read_bytes() == before


def test_a_setting_that_has_gone_is_a_warning_and_the_rest_holds(tmp_path: Path) -> None:
    (tmp_path / "palyra.toml").write_text("[memory]\ncolour = 'red'\nauto_inject_max_items = 7\n")
    environ = {"PALYRA_HOME": str(tmp_path), "PALYRA_MEMORY_COLOUR": "blue"}
    loaded, problems = check({}, environ, GONE)
    assert problems == []
    assert loaded.settings.memory.auto_inject_max_items == 7
    assert [(warning.key, "memories have none any more" in str(warning)) for warning in loaded.warnings] == [
        ("memory.colour", True),
        ("PALYRA_MEMORY_COLOUR", True),
    ]
    _, problems = check({}, environ, {})
    assert {problem.key for problem in problems} == {"memory.colour", "PALYRA_MEMORY_COLOUR"}, "unknown is an error"


def test_an_engine_that_has_gone_is_a_warning_and_the_local_index_answers(tmp_path: Path) -> None:
    (tmp_path / "palyra.toml").write_text('[memory.external]\nprovider = "milvus"\ndsn = "http://vectors:19530"\n')
    for environ in ({}, {"PALYRA_MEMORY_EXTERNAL_PROVIDER": "milvus"}):
        loaded = settings.load({}, {"PALYRA_HOME": str(tmp_path), **environ})
        assert loaded.settings.memory.external.provider == "off"
        assert all("the local index answers" in str(warning) for warning in loaded.warnings)
        assert len(loaded.warnings) == 1 + len(environ)


def test_pinning_to_a_core_that_has_gone_is_a_warning_that_names_the_unit(tmp_path: Path) -> None:
    (tmp_path / "palyra.toml").write_text("[daemon]\none_core = false\nhttp_port = 7150\n")
    environ = {"PALYRA_HOME": str(tmp_path), "PALYRA_DAEMON_ONE_CORE": "true"}
    loaded = settings.load({}, environ)
    assert loaded.settings.daemon.http_port == 7150
    assert [warning.key for warning in loaded.warnings] == ["daemon.one_core", "PALYRA_DAEMON_ONE_CORE"]
    assert all("CPUAffinity" in str(warning) for warning in loaded.warnings)


def test_no_setting_is_there_and_gone() -> None:
    assert not set(settings.GONE) & set(settings._KEYS)


def test_a_command_warns_once_and_does_its_work(
    old: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(settings, "GONE", GONE)
    with (old / "palyra.toml").open("a") as file:
        file.write("colour = 'red'\n")
    _warn.cache_clear()
    code, out, err = palyra(capsys, "memory", "list")
    assert (code, "ferry" in out) == (0, True)
    assert err.splitlines() == [
        f"warning: {old / 'palyra.toml'}: memory.colour = 'red': this setting has gone: memories have none any more"
    ]
    code, out, _ = palyra(capsys, "config", "check", "--json")
    assert code == 0
    assert [warning["key"] for warning in json.loads(out)["warnings"]] == ["memory.colour"]


def test_palyrad_warns_too_and_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from palyra import daemon

    monkeypatch.setattr(settings, "GONE", GONE)
    monkeypatch.setattr(sys, "argv", ["palyrad"])
    monkeypatch.setenv("PALYRA_HOME", str(tmp_path))
    monkeypatch.setenv("PALYRA_MEMORY_COLOUR", "blue")
    served: list[Path] = []
    monkeypatch.setattr(daemon, "run", lambda found, _started: served.append(found.data_dir))
    daemon.main()
    assert served == [tmp_path]
    assert "this setting has gone" in capsys.readouterr().err
