from pathlib import Path

import apsw
import pytest

from palyra.core.clock import SystemClock
from palyra.core.errors import FailedPrecondition, Integrity
from palyra.store import migrate as migrations
from palyra.store.journal_store import JournalStore
from palyra.store.migrate import Migration, read_migrations
from support import a_note, a_store, append_all, verify_directory


def test_a_newer_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    with a_store(tmp_path):
        pass
    connection = apsw.Connection(str(tmp_path / "palyra.db"))
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    before = (tmp_path / "palyra.db").read_bytes()
    for opener in (JournalStore.open_owner, JournalStore.open_reader):
        with pytest.raises(FailedPrecondition, match="schema 99"):
            opener(tmp_path, SystemClock())
    assert (tmp_path / "palyra.db").read_bytes() == before


def test_a_database_built_by_a_changed_migration_is_refused(tmp_path: Path) -> None:
    with a_store(tmp_path):
        pass
    connection = apsw.Connection(str(tmp_path / "palyra.db"))
    connection.execute("UPDATE schema_migrations SET sha256 = 'another'")
    connection.close()
    with pytest.raises(Integrity, match="migration 1"):
        JournalStore.open_owner(tmp_path, SystemClock())


def test_an_upgrade_makes_a_backup_first_and_keeps_everything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with a_store(tmp_path) as store:
        append_all(store, a_note("kept"))
    now = len(read_migrations())
    later = (*read_migrations(), Migration(now + 1, "later", "CREATE TABLE later (x)"))
    monkeypatch.setattr(migrations, "read_migrations", lambda: later)
    monkeypatch.setattr("palyra.store.journal_store.read_migrations", lambda: later)
    with a_store(tmp_path) as store:
        assert store.db.read_now(lambda tx: tx.execute("PRAGMA user_version").fetchone()) == (now + 1,)
    [backup] = (tmp_path / "backups").iterdir()
    assert backup.name.startswith(f"before-upgrade-from-schema-{now}-")
    assert verify_directory(tmp_path).ok


def test_a_migration_that_fails_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with a_store(tmp_path) as store:
        append_all(store, a_note("kept"))
    broken = (
        *read_migrations(),
        Migration(len(read_migrations()) + 1, "broken", "CREATE TABLE half (x); SELECT * FROM nowhere"),
    )
    with monkeypatch.context() as patch:
        patch.setattr(migrations, "read_migrations", lambda: broken)
        with pytest.raises(Exception, match="nowhere"):
            JournalStore.open_owner(tmp_path, SystemClock())
    with a_store(tmp_path) as store:
        tables = store.db.read_now(lambda tx: tx.execute("SELECT name FROM sqlite_schema").fetchall())
        assert ("half",) not in tables
    assert verify_directory(tmp_path).ok


def test_a_journal_of_every_earlier_schema_is_upgraded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known = read_migrations()
    for version in range(1, len(known)):
        root = tmp_path / str(version)
        with monkeypatch.context() as patch:
            patch.setattr(migrations, "read_migrations", lambda version=version: known[:version])
            patch.setattr("palyra.store.journal_store.read_migrations", lambda version=version: known[:version])
            with a_store(root) as store:
                append_all(store, a_note("kept"))
        with a_store(root) as store:
            assert store.db.read_now(lambda tx: tx.execute("PRAGMA user_version").fetchone()) == (len(known),)
        assert verify_directory(root).ok
