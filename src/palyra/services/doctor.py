"""A quick look at everything that can be wrong with an installation, each with what to do about it."""

import os
import shutil
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from time import perf_counter

from palyra.core.clock import Clock
from palyra.core.errors import PalyraError
from palyra.store.checkpoints import last_checkpoint
from palyra.store.connection import ReadTx, sqlite_version, to_error
from palyra.store.datadir import DataDir
from palyra.store.jobs.records import pauses
from palyra.store.jobs.states import states
from palyra.store.journal_store import JournalStore, StoreOptions
from palyra.store.keys import public_key
from palyra.store.upkeep.backup import unscrubbed
from palyra.store.upkeep.integrity import check_pages, journal_size, missing_guards, schema_version
from palyra.store.upkeep.tail_check import check_tail

_LOW_DISK_BYTES = 512 * 1024 * 1024
_FULL_BYTES = 1024 * 1024


class CheckLevel(StrEnum):
    OK = "ok"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class DoctorCheck:
    name: str
    level: CheckLevel
    message: str
    hint: str = ""


def examine(
    directory: DataDir, clock: Clock, options: StoreOptions, refusal: PalyraError | None = None
) -> list[DoctorCheck]:
    """Reads beside whoever owns the directory. A journal that cannot even be opened is a finding, not a failure.

    `refusal`: why its owner takes no writes, if it does not."""
    refused = [] if refusal is None else [DoctorCheck("writable", CheckLevel.ERROR, refusal.message, refusal.hint)]
    try:
        store = JournalStore.open_reader(directory.root, clock, options)
    except PalyraError as error:
        return [*refused, DoctorCheck("journal", CheckLevel.ERROR, error.message, error.hint)]
    try:
        examinations = [one for one in EXAMINATIONS if not (refused and one is _writable)]
        return refused + [check for examination in examinations for check in _safely(examination, store)]
    finally:
        store.close()


def _safely(examination: Callable[[JournalStore], Iterator[DoctorCheck]], store: JournalStore) -> list[DoctorCheck]:
    try:
        return list(examination(store))
    except (PalyraError, OSError) as error:
        found = to_error(error, store.directory.root)
        return [DoctorCheck(examination.__name__.strip("_"), CheckLevel.ERROR, found.message, found.hint)]


def _sqlite(_store: JournalStore) -> Iterator[DoctorCheck]:
    yield DoctorCheck("sqlite", CheckLevel.OK, f"SQLite {sqlite_version()}")


def _directory(store: JournalStore) -> Iterator[DoctorCheck]:
    directory: DataDir = store.directory
    loose = [path for path in (directory.root, *directory.root.rglob("*")) if _is_open_to_others(path)]
    if loose:
        yield DoctorCheck(
            "permissions", CheckLevel.WARNING, f"{loose[0]} can be read by others", f"chmod go-rwx {loose[0]}"
        )
    else:
        yield DoctorCheck("permissions", CheckLevel.OK, f"{directory.root} is private")
    free = shutil.disk_usage(directory.root).free
    if free < _LOW_DISK_BYTES:
        yield DoctorCheck(
            "disk", CheckLevel.WARNING, f"{free // 1_048_576} MiB free", "free some space before the disk is full"
        )
    else:
        yield DoctorCheck("disk", CheckLevel.OK, f"{free // 1_073_741_824} GiB free")


def _sync(store: JournalStore) -> Iterator[DoctorCheck]:
    """How long the disk takes to make one page durable: the floor under every write."""
    probe = store.directory.root / "doctor.probe"
    times_ms: list[float] = []
    file = os.open(probe, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600)
    try:
        for _ in range(9):
            started = perf_counter()
            os.write(file, bytes(4096))
            os.fdatasync(file)
            times_ms.append((perf_counter() - started) * 1000)
    finally:
        os.close(file)
        probe.unlink()
    typical, budget = sorted(times_ms)[4], store.options.write_budget_ms
    level = CheckLevel.OK if typical <= budget else CheckLevel.WARNING
    hint = (
        "" if level is CheckLevel.OK else "move the data directory to a faster disk, or raise journal.write_budget_ms"
    )
    yield DoctorCheck(
        "sync", level, f"the disk takes {typical:.1f} ms to make a write durable (budget {budget} ms)", hint
    )


def _database(store: JournalStore) -> Iterator[DoctorCheck]:
    def read(tx: ReadTx) -> Iterator[DoctorCheck]:
        size = journal_size(tx)
        yield DoctorCheck("schema", CheckLevel.OK, f"schema {schema_version(tx)}")
        findings = check_pages(tx)
        if findings:
            yield DoctorCheck("database", CheckLevel.ERROR, findings[0].message, "palyra backup restore")
        damage = check_tail(tx, store.checkpoint_file)
        if damage:
            yield DoctorCheck("journal", CheckLevel.ERROR, damage.message, damage.hint)
        else:
            yield DoctorCheck(
                "journal", CheckLevel.OK, f"{size} events, the newest ones and the last checkpoint verified"
            )
        guards = missing_guards(tx)
        if guards:
            yield DoctorCheck(
                "guards",
                CheckLevel.ERROR,
                f"the append-only trigger {guards[0]} was dropped",
                "palyra journal verify; the next write puts it back",
            )
        newest = last_checkpoint(tx)
        behind = max(0, size - (newest[0] if newest else 0))
        yield DoctorCheck("checkpoint", CheckLevel.OK, f"{behind} events since the last signed checkpoint")

    yield from store.db.read_now(lambda tx: list(read(tx)))


def _key(store: JournalStore) -> Iterator[DoctorCheck]:
    public_key(store.directory.key)
    yield DoctorCheck("key", CheckLevel.OK, f"signing key {store.directory.key.name} is there")


def _writable(store: JournalStore) -> Iterator[DoctorCheck]:
    notes = store.checkpoint_file
    for path in (store.directory.root, store.directory.database, notes if notes.exists() else notes.parent):
        if not os.access(path, os.W_OK):
            yield DoctorCheck(
                "writable", CheckLevel.ERROR, f"{path} cannot be written", "check its owner, its mode and the disk"
            )
            return
    if shutil.disk_usage(store.directory.root).free < _FULL_BYTES:
        hint = "free some space: until then nothing can be written, only read and erased"
        yield DoctorCheck("writable", CheckLevel.ERROR, "the disk is full", hint)
        return
    yield DoctorCheck("writable", CheckLevel.OK, "the journal can be written to")


def _is_open_to_others(path: os.PathLike[str]) -> bool:
    return bool(stat.S_IMODE(os.lstat(path).st_mode) & 0o077)


def _erasures(store: JournalStore) -> Iterator[DoctorCheck]:
    if store.directory.unfinished_erasure.exists():
        hint = "it is finished by the daemon, or by any command that writes, once twice the database's size is free"
        yield DoctorCheck("erasure", CheckLevel.WARNING, "an erasure is unfinished", hint)
    for root in unscrubbed(store.directory):
        yield DoctorCheck("backup", CheckLevel.WARNING, f"{root} may hold text that was erased since", f"rm -r {root}")


def _jobs(store: JournalStore) -> Iterator[DoctorCheck]:
    """As the last process left them on record: it may be the daemon that is in trouble."""
    rows, paused = store.db.read_now(lambda tx: (states(tx), pauses(tx)))
    failing = [row for row in rows.values() if row.code]
    for row in failing:
        times = f" {row.failures} times in a row" if row.failures > 1 else ""
        yield DoctorCheck(
            "jobs", CheckLevel.WARNING, f"{row.name} failed{times} ({row.code})", f"palyra jobs history {row.name}"
        )
    for pause in paused.values():
        yield DoctorCheck("jobs", CheckLevel.WARNING, f"{pause.name} is paused", f"palyra jobs resume {pause.name}")
    told = [row for row in rows.values() if row.attention]
    for row in told:
        yield DoctorCheck("jobs", CheckLevel.ERROR if row.alarm else CheckLevel.WARNING, f"{row.name}: {row.attention}")
    if not failing and not paused and not told:
        yield DoctorCheck("jobs", CheckLevel.OK, "none failed, none is paused")


EXAMINATIONS = (_sqlite, _directory, _writable, _sync, _database, _key, _erasures, _jobs)
