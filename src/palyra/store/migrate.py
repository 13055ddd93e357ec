"""Numbered SQL files, forward only. Each runs in its own transaction and is remembered with its checksum."""

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import apsw

from palyra.core.errors import FailedPrecondition, Integrity
from palyra.store.connection import APPLICATION_ID

_DIRECTORY = Path(__file__).parent / "migrations"

_TRIGGER = re.compile(r"^(CREATE TRIGGER (\w+) .*?END;)$", re.MULTILINE | re.DOTALL)
_TABLE = """
CREATE TABLE IF NOT EXISTS schema_migrations (
    version INTEGER PRIMARY KEY, name TEXT NOT NULL, sha256 TEXT NOT NULL, applied_at_ms INTEGER NOT NULL
) STRICT
"""


@dataclass(frozen=True, slots=True)
class Migration:
    version: int
    name: str
    sql: str

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.sql.encode()).hexdigest()


def read_migrations(directory: Path = _DIRECTORY) -> tuple[Migration, ...]:
    files = sorted(directory.glob("*.sql"))
    migrations = tuple(Migration(int(f.name[:4]), f.stem[5:], f.read_text("utf-8")) for f in files)
    if [m.version for m in migrations] != list(range(1, len(migrations) + 1)):
        raise Integrity(f"migrations in {directory} are not numbered 1..{len(migrations)}", hint="reinstall palyra")
    return migrations


def pending(connection: apsw.Connection, migrations: tuple[Migration, ...]) -> tuple[Migration, ...]:
    """What is still to run. Refuses a newer database, and one whose past was changed."""
    version = int(connection.pragma("user_version"))
    if version > len(migrations):
        raise FailedPrecondition(
            f"this data directory was made by a newer Palyra: it has schema {version}, and this one knows schemas up to"
            f" {len(migrations)}",
            hint="install the newer Palyra again, or restore a backup from before it: nothing was changed",
            schema=version,
        )
    if version == 0:
        return migrations
    applied = dict(connection.execute("SELECT version, sha256 FROM schema_migrations"))
    for migration in migrations[:version]:
        if applied.get(migration.version) != migration.sha256:
            raise Integrity(
                f"migration {migration.version} ({migration.name}) is not the one this database was built with",
                hint="install the Palyra version that made this database, or restore a backup",
            )
    return migrations[version:]


def restore_guards(connection: apsw.Connection, migrations: tuple[Migration, ...] | None = None) -> None:
    """Puts back append-only triggers that another program has dropped; `verify` tells what it did meanwhile."""
    have = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'")}
    for migration in read_migrations() if migrations is None else migrations:
        for statement, name in _TRIGGER.findall(migration.sql):
            if name not in have:
                connection.execute(statement)


def migrate(
    connection: apsw.Connection,
    now_ms: int,
    backup: Callable[[int], None],
    migrations: tuple[Migration, ...] | None = None,
) -> int:
    """Brings the database to the newest schema and returns its number. `backup(version)` runs before an upgrade."""
    migrations = read_migrations() if migrations is None else migrations
    todo = pending(connection, migrations)
    if todo and todo[0].version > 1:
        backup(todo[0].version - 1)
    for migration in todo:
        with connection:
            connection.execute(_TABLE)
            connection.execute(migration.sql)
            connection.execute(
                "INSERT INTO schema_migrations VALUES (?, ?, ?, ?)",
                (migration.version, migration.name, migration.sha256, now_ms),
            )
            # Numbers cannot be bound in a pragma; both come from our own file names and constants.
            connection.execute(f"PRAGMA user_version = {migration.version}")
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    return len(migrations)
