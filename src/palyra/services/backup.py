"""Backups: make one, check one, go back to one.

Restoring builds a complete data directory beside the live one: the copy, with everything erased since erased
again, its projections rebuilt, and an event that says what was left behind. Only then is it moved into place.
"""

import asyncio
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from palyra.core import limits
from palyra.core.clock import Clock
from palyra.core.errors import FailedPrecondition, Integrity, PalyraError
from palyra.domain.events import JournalRestored, PayloadErased, body_of
from palyra.domain.journal import Actor, Decision, EventDraft, EventFilter, Finding, Origin
from palyra.services.journal import CheckpointPolicy, JournalService
from palyra.store.connection import ReadTx, errors_in_our_words, open_reader
from palyra.store.datadir import DataDir, OwnerLock, sync_directory, sync_file
from palyra.store.erasures import erased_by
from palyra.store.journal import find_event, list_events
from palyra.store.journal_store import JournalStore, StoreOptions
from palyra.store.upkeep.backup import (
    BackupManifest,
    check_files,
    create_backup,
    describe_live,
    open_backup,
    read_manifest,
)
from palyra.store.upkeep.erasure_log import append_erasures, read_erasure_log
from palyra.store.upkeep.integrity import check_pages
from palyra.store.upkeep.rebuild import rebuild
from palyra.store.upkeep.restore import finish_staged_restore
from palyra.store.upkeep.verify import walk_range

SYSTEM = Origin("system:palyra", Actor.OPERATOR)


@dataclass(frozen=True, slots=True)
class RestoreReport:
    size: int
    root: bytes
    erased_again: int
    abandoned_events: int
    kept_as: Path | None
    """where the replaced journal was put"""


def default_target(directory: DataDir, now_ms: int) -> Path:
    return directory.backups / f"backup-{now_ms}"


async def create(store: JournalStore, target: Path, progress: Callable[[int, int], None]) -> BackupManifest:
    def copy() -> BackupManifest:
        with errors_in_our_words(store.directory.database):
            source = open_reader(store.directory.database)
            try:
                now_ms, notes = store.clock.now_ms(), store.checkpoint_file
                create_backup(source, store.directory, target, now_ms, notes, progress, store.copying)
            finally:
                source.close()
        return verify(target)

    return await asyncio.to_thread(copy)


def verify(root: Path) -> BackupManifest:
    """Hashes of the files, pages of the database, chain and payloads of the journal. Raises Integrity."""
    manifest = read_manifest(root)
    check_files(root, manifest)
    erased_outside = set(read_erasure_log(root / "erasures.log"))

    def check(tx: ReadTx) -> list[Finding]:
        report = walk_range(tx, 1, manifest.size)
        unexplained = [seq for seq in report.missing if seq not in report.erased]
        lost = [
            seq for seq in unexplained if list_events(tx, EventFilter(), seq - 1, 1)[0].event_id not in erased_outside
        ]
        if lost:
            raise Integrity(f"{root}: the payload of event {lost[0]} is gone", hint="use another backup", seq=lost[0])
        if report.head.hex() != manifest.head:
            raise Integrity(f"{root}: the journal does not end where the manifest says", hint="use another backup")
        return report.findings + check_pages(tx)

    with errors_in_our_words(root / "palyra.db"):
        findings = open_backup(root, check)
    if findings:
        raise Integrity(f"{root}: {findings[0].message}", hint="use another backup", seq=findings[0].seq)
    return manifest


async def restore(
    root: Path, directory: DataDir, clock: Clock, options: StoreOptions, *, replace: bool
) -> RestoreReport:
    """Puts the data directory back to a backup. A journal that is there is kept as a backup of its own."""
    manifest = await asyncio.to_thread(verify, root)
    directory.create()
    lock = OwnerLock(directory.lock)
    lock.acquire(options.wait_seconds, options.on_wait)
    try:
        with errors_in_our_words(directory.root):
            finish_staged_restore(directory)
            live = _live_journal(directory)
            if live is not None and live[0] != 0 and not replace:
                what = f"a journal of {live[0]} events" if live[0] > 0 else "a journal that cannot be read"
                raise FailedPrecondition(
                    f"{directory.root} already holds {what}; nothing was changed",
                    hint="add --replace to put the backup in its place (the present journal is kept under backups/)",
                )
            kept = _keep_live(directory, clock) if live is not None and live[0] != 0 else None
            report = await _stage(root, directory, clock, options, manifest, live, kept)
            finish_staged_restore(directory)
    finally:
        lock.release()
    return report


async def _stage(
    root: Path,
    directory: DataDir,
    clock: Clock,
    options: StoreOptions,
    manifest: BackupManifest,
    live: tuple[int, str] | None,
    kept: Path | None,
) -> RestoreReport:
    staging = DataDir(directory.root / "restore.staging")
    shutil.rmtree(staging.root, ignore_errors=True)
    staging.create()
    for name in ("palyra.db", "checkpoints.log", "keys/checkpoint.key"):
        source = root / name
        if not source.exists() and name == "keys/checkpoint.key":
            source = directory.key  # the backup was made without it; the live one may be the same
        if source.exists():
            shutil.copyfile(source, staging.root / name)
            (staging.root / name).chmod(0o600)
            sync_file(staging.root / name)
    later = list(dict.fromkeys(read_erasure_log(root / "erasures.log") + read_erasure_log(directory.erasures)))
    if later:  # also ids this backup does not know: a later restore of a newer backup needs them
        append_erasures(staging.erasures, later)
    store = JournalStore.open_owner(
        staging.root, clock, StoreOptions(options.max_payload_bytes, options.write_budget_ms)
    )
    try:
        if store.db.broken is not None:
            raise store.db.broken
        journal = JournalService(store, CheckpointPolicy())
        again = await _erase_again(journal, later)
        await store.db.submit(rebuild)
        if live is not None and live[0] != 0:
            event = JournalRestored(manifest.size, manifest.root, live[0], live[1])
            draft = EventDraft(JournalRestored.KIND, body_of(event), SYSTEM, JournalRestored.V)
            await journal.commit(lambda _tx: Decision((draft,), None))
        with suppress(FailedPrecondition):  # without its key a journal can be restored, and signed once that is back
            await journal.checkpoint()
        await journal.close()
        await asyncio.to_thread(store.db.compact)
        size, state_root = store.chain.size, store.chain.root()
    finally:
        store.close()
    _rotate(options.checkpoint_file, clock.now_ms())
    shutil.rmtree(staging.backups, ignore_errors=True)
    staging.lock.unlink(missing_ok=True)
    sync_directory(staging.key.parent)
    sync_directory(staging.root)
    staging.root.rename(directory.staged_restore)
    sync_directory(directory.root)
    abandoned = max(0, live[0] - manifest.size) if live else 0
    return RestoreReport(size, state_root, again, abandoned, kept)


async def _erase_again(journal: JournalService, event_ids: list[str]) -> int:
    """Erasures that came after the backup, and those that were scrubbed from it, as events of the restored journal."""

    def decide(tx: ReadTx) -> Decision[int]:
        drafts: list[EventDraft] = []
        for event_id in dict.fromkeys(event_ids):
            record = find_event(tx, event_id)
            if record is None or erased_by(tx, record.seq):
                continue
            if len(drafts) == limits.EVENTS_PER_DECISION:
                break
            event = PayloadErased(record.event_id, record.seq, record.kind, "erased before; repeated after a restore")
            drafts.append(EventDraft(PayloadErased.KIND, body_of(event), SYSTEM, PayloadErased.V))
        return Decision(tuple(drafts), len(drafts))

    done = 0
    while batch := (await journal.commit(decide)).outcome:
        done += batch
    return done


def _live_journal(directory: DataDir) -> tuple[int, str] | None:
    """(size, root in hex) of what is there now; None for nothing. A damaged journal counts by its size alone."""
    if not directory.database.exists() or directory.database.stat().st_size == 0:
        return None
    return describe_live(directory.database)


def _keep_live(directory: DataDir, clock: Clock) -> Path:
    """The journal that is about to be replaced, as a backup; copied file by file if it is too damaged for that."""
    target = directory.backups / f"replaced-{clock.now_ms()}"
    try:
        with errors_in_our_words(directory.database):
            source = open_reader(directory.database)
            try:
                create_backup(source, directory, target, clock.now_ms())
            finally:
                source.close()
    except (PalyraError, OSError):
        target.mkdir(mode=0o700)
        for path in directory.root.glob("palyra.db*"):
            shutil.copyfile(path, target / path.name)
            (target / path.name).chmod(0o600)
    return target


def _rotate(checkpoint_file: Path | None, now_ms: int) -> None:
    """A checkpoint file kept elsewhere speaks of the abandoned history: set it aside, a new one is begun."""
    if checkpoint_file is not None and checkpoint_file.exists():
        checkpoint_file.rename(checkpoint_file.with_name(f"{checkpoint_file.name}.abandoned-{now_ms}"))
