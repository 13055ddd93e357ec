"""`palyra memory external …`, with and without an engine, by the real commands and a real daemon."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.daemon import a_daemon
from mirroring import rows, tables
from postgres import Postgres, a_postgres
from shell import Shell

WORD = "pass" + "word-of-the-engine"


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path / "data").begin()


@pytest.fixture
def server() -> Iterator[Postgres]:
    with a_postgres(fsync="off") as made:
        yield made


def use(shell: Shell, server: Postgres) -> None:
    shell.environment |= {
        "PALYRA_MEMORY_EXTERNAL_PROVIDER": "pgvector",
        "PALYRA_MEMORY_EXTERNAL_DSN": server.dsn.replace("palyra@", f"palyra:{WORD}@"),
        "PALYRA_MEMORY_EXTERNAL_SEARCH_TIMEOUT_MS": "2000",
    }


def test_without_an_engine_the_status_says_off_and_the_rest_is_refused(shell: Shell) -> None:
    assert shell.json("memory", "external", "status")["state"] == "off"
    shell.json("memory", "retain", "I prefer tea")
    assert shell.json("status")["external"] is None
    assert "\nengine" not in shell("status").stdout.decode()
    for command in (("drift",), ("reconcile",)):
        told = shell.fails("memory", "external", *command, code="failed_precondition", exit_code=5)
        assert "no external engine is switched on" in told


def test_a_daemon_mirrors_what_is_retained_and_repairs_what_somebody_broke(shell: Shell, server: Postgres) -> None:
    use(shell, server)
    with a_daemon(shell):
        for text in ("I moved to Lisbon in March", "The cat is called Miso", "Lunch is at noon"):
            shell.json("memory", "retain", text)
        assert shell.json("memory", "external", "drift")["differences"] == 0
        assert rows(server) == 3
        found = shell.json("memory", "search", "where do I live")
        assert found["degraded"] == []
        assert found["hits"][0]["item"]["text"] == "I moved to Lisbon in March"
        server.sql(f"TRUNCATE {tables(server)[0]}")
        assert shell("memory", "external", "drift").returncode == 8
        shown = shell("memory", "external", "reconcile").stdout.decode()
        assert "3 of 3 items" in shown
        assert "none: 3 items are as they should be" in shown
        assert shell.json("memory", "external", "rebuild") == {"items": 3, "pending": 0}
        shown = shell("memory", "external", "status").stdout.decode()
        assert "pgvector healthy" in shown
        assert "query_p95" in shown
        standing = shell.json("status")["external"]
        assert standing["state"] == "healthy"
        assert {one["name"]: one["target"] for one in standing["objectives"]} == {
            "freshness": 60_000,
            "query_p95": 250,
            "fallback_rate": 0.01,
            "reconcile_success": 0.99,
        }
        shown = shell("status").stdout.decode()
        assert "engine          pgvector healthy" in shown
        assert re.search(r"  freshness +\d.*, at most 60 s  ok", shown)
        assert re.search(r"  reconcile_success 100 %, at least 99 %  ok", shown)
    assert "engine          pgvector idle" in shell("status").stdout.decode()


def test_without_a_daemon_commands_mirror_and_erase_by_themselves(shell: Shell, server: Postgres) -> None:
    use(shell, server)
    kept = shell.json("memory", "retain", "I moved to Lisbon in March")
    assert shell.json("memory", "external", "drift")["items"] == 1
    erased = shell.json("memory", "erase", kept["memory_id"])
    assert erased["untouched_copies"] == []
    assert rows(server) == 0


def test_the_address_is_shown_nowhere(shell: Shell, server: Postgres) -> None:
    use(shell, server)
    server.kill()
    shell.json("memory", "retain", "I moved to Lisbon in March")
    commands = (("config", "show"), ("memory", "external", "status"), ("memory", "external", "drift"))
    done = [shell(*command) for command in commands]
    told = b"".join(one.stdout + one.stderr for one in done)
    assert b"(set)" in told
    assert WORD.encode() not in told
