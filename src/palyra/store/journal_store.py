"""JournalStore: opens a data directory, owns its database, and is the only way to change state.

`commit(decide)` is the write path: `decide` sees one snapshot and returns events and an outcome; the events
are appended to the chain and projected in the same transaction; the answer comes after the commit is durable.
"""

import asyncio
import logging
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any, Generic, TypeVar, cast

import apsw
import msgspec

from palyra.core import limits
from palyra.core.clock import Clock
from palyra.core.errors import InvalidArgument, PalyraError, Unavailable
from palyra.core.ids import UlidFactory
from palyra.domain.events import PayloadErased
from palyra.domain.journal import Committed, Decision, EventDraft, EventRecord, Receipt, RequestKey, check_identifier
from palyra.domain.signed_note import Checkpoint, VerifierKey, sign_checkpoint
from palyra.store import keys
from palyra.store.checkpoints import catch_up_note_file, last_checkpoint, put_checkpoint, read_verifier_key
from palyra.store.connection import DISK_FULL, ReadTx, WriteTx, errors_in_our_words, fold_wal, open_reader, open_writer
from palyra.store.datadir import DataDir, OwnerLock, no_store, remove_leftovers
from palyra.store.db import Database
from palyra.store.erasures import destroy_payload
from palyra.store.journal import Chain, Prepared, events_of_request, prepare, receipt_of, repeated_receipt
from palyra.store.memory.search import drop_deleted
from palyra.store.migrate import migrate, pending, read_migrations, restore_guards
from palyra.store.projections import PROJECTORS, project, project_run
from palyra.store.projector import Applied
from palyra.store.sessions.search import drop_deleted_words
from palyra.store.upkeep.backup import create_backup, scrub_backups
from palyra.store.upkeep.erasure_log import catch_up_erasure_log, mark_finished
from palyra.store.upkeep.reserve import Reserve
from palyra.store.upkeep.restore import finish_staged_restore
from palyra.store.upkeep.tail_check import check_tail
from palyra.store.workspace.search import drop_deleted_sections

T = TypeVar("T")


log = logging.getLogger("palyra.upgrade")
"""whoever runs Palyra hears of it: on standard error by a command, in its log by a daemon"""


@dataclass(frozen=True, slots=True)
class StoreOptions:
    max_payload_bytes: int = 262_144
    write_budget_ms: int = 25
    checkpoint_file: Path | None = None
    vfs: str | None = None
    wait_seconds: float = 60.0
    on_wait: Callable[[str], None] = lambda _owner: None
    on_new: Callable[[], None] = lambda: None
    """told when there was no store, and now there is one"""
    default_root: Path | None = None
    """where a store would be that nobody put elsewhere: named to whoever looks for one in vain"""


@dataclass(frozen=True, slots=True)
class Once(Generic[T]):
    """How a repeated request is recognised, and how its first answer is read from the events it wrote."""

    principal: str
    request: RequestKey
    replay: Callable[[list[EventRecord]], T]


class JournalStore:
    def __init__(self, directory: DataDir, clock: Clock, options: StoreOptions, lock: OwnerLock | None) -> None:
        """Use `open_owner` or `open_reader`."""
        self.directory = directory
        self.options = options
        self.clock = clock
        self.ids = UlidFactory(clock)
        self.chain = Chain(clock, self.ids)
        self.checkpoint_file = options.checkpoint_file or directory.checkpoints
        self.last_signed = 0
        self._noting = threading.Lock()
        self.copying = threading.Lock()
        """held while a backup is scrubbed"""
        self._lock = lock
        self._listeners: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []
        self.db = Database(
            directory.database,
            self.chain,
            writable=lock is not None,
            vfs=options.vfs,
            budget_ms=options.write_budget_ms,
            on_commit=self._wake_listeners,
            write_rows=self._append_rows,
            load=self._verify_and_load,
        )

    @classmethod
    def open_owner(cls, root: Path, clock: Clock, options: StoreOptions | None = None) -> "JournalStore":
        """The one process that may write: creates, upgrades and repairs what a crash left, then checks the tail."""
        options = options or StoreOptions()
        directory = DataDir(root)
        is_new = not directory.has_store
        directory.create()
        Reserve(directory.reserve, directory.database).spare()
        lock = OwnerLock(directory.lock)
        lock.acquire(options.wait_seconds, options.on_wait)
        try:
            with errors_in_our_words(directory.database):
                finish_staged_restore(directory)
                remove_leftovers(directory)
                _prepare_database(directory, clock, options.vfs)
                store = cls(directory, clock, options, lock)
        except BaseException:
            lock.release()
            raise
        try:
            with errors_in_our_words(directory.database):
                store._load()
        except BaseException:
            store.close()
            raise
        if is_new:
            options.on_new()
        return store

    @classmethod
    def open_reader(cls, root: Path, clock: Clock, options: StoreOptions | None = None) -> "JournalStore":
        """Reads beside whoever owns the directory; one that needs upgrading gets that first. Where there is no store,
        it makes none."""
        options = options or StoreOptions()
        directory = DataDir(root)
        if not directory.has_store:
            raise no_store(root, options.default_root)
        Reserve(directory.reserve, directory.database).spare()
        with errors_in_our_words(directory.database):
            if _needs_owner(directory, options.vfs):
                cls.open_owner(root, clock, options).close()
            return cls(directory, clock, options, None)

    def close(self) -> None:
        try:
            self.db.close()
        finally:
            if self._lock is not None:
                self._lock.release()

    # -- writing

    def commit(
        self,
        decide: Callable[[ReadTx], Decision[T]],
        once: "Once[T] | None" = None,
        follow: Callable[[WriteTx, tuple[Receipt, ...]], None] | None = None,
    ) -> "asyncio.Future[Committed[T]]":
        """Resolves when the decision's events are durable. With `once`, a repeated request gets its first answer.

        `follow` writes what a follower would otherwise compute later: no state, and nothing that must not be lost."""
        if once is not None:
            check_identifier(once.request.request_id, "request id")
        return self.db.submit(partial(self._run_decision, decide, once, follow))

    def append(self, prepared: Prepared, request: RequestKey | None = None) -> "asyncio.Future[Receipt]":
        """One event that needs no decision: the short way through the same transaction."""
        if request is None and prepared.draft.kind not in PROJECTORS:
            return cast("asyncio.Future[Receipt]", self.db.submit_row(prepared))
        if request is not None:
            check_identifier(request.request_id, "request id")
        return self.db.submit(partial(self._append_once, prepared, request))

    def prepare(self, draft: EventDraft) -> Prepared:
        return prepare(draft, self.options.max_payload_bytes)

    def _run_decision(
        self,
        decide: Callable[[ReadTx], Decision[T]],
        once: "Once[T] | None",
        follow: Callable[[WriteTx, tuple[Receipt, ...]], None] | None,
        tx: WriteTx,
    ) -> Committed[T]:
        request = None
        if once is not None:
            request = once.request
            written = events_of_request(tx, once.principal, request)
            if written:
                return Committed(once.replay(written), tuple(map(receipt_of, written)))
        decision = decide(tx)
        if len(decision.events) > limits.EVENTS_PER_DECISION:
            raise InvalidArgument(
                f"{len(decision.events)} events in one decision; the limit is {limits.EVENTS_PER_DECISION}",
                hint="split the work into smaller requests",
            )
        prepared = [self.prepare(draft) for draft in decision.events]
        if any(one.draft.event_id is not None for one in prepared):  # each may have been written before
            return Committed(decision.outcome, tuple(self._append(tx, one, request) for one in prepared))
        receipts = tuple(self.chain.append(tx, prepared, request))
        for kind, run in groupby(zip(prepared, receipts, strict=True), key=lambda written: written[0].draft.kind):
            _project(tx, kind, run)
        if follow is not None:
            follow(tx, receipts)
        return Committed(decision.outcome, receipts)

    def _append_once(self, prepared: Prepared, request: RequestKey | None, tx: WriteTx) -> Receipt:
        if request is not None:
            written = events_of_request(tx, prepared.draft.origin.principal, request)
            if written:
                return receipt_of(written[0])
        return self._append(tx, prepared, request)

    def _append(self, tx: WriteTx, prepared: Prepared, request: RequestKey | None) -> Receipt:
        repeated = repeated_receipt(tx, prepared)
        if repeated is not None:
            return repeated
        [receipt] = self.chain.append(tx, (prepared,), request)
        _project(tx, prepared.draft.kind, ((prepared, receipt),))
        return receipt

    def _append_rows(self, tx: WriteTx, rows: Sequence[object]) -> "list[object]":
        """Events that project to nothing, many at a time: only a repeated id can fail, before anything is written."""
        prepared = cast("Sequence[Prepared]", rows)
        if {row[0][4] for row in prepared} == {None}:  # their event ids; by number, which costs half as much
            return cast("list[object]", self.chain.append(tx, prepared))
        results: list[object] = []
        for row in prepared:
            try:
                results.append(self._append(tx, row, None))
            except PalyraError as error:
                results.append(error)
        return results

    # -- signing

    async def checkpoint(self) -> tuple[Checkpoint, str]:
        """Signs the current size and root, in the database and in the file outside it."""
        await asyncio.to_thread(keys.prepare_to_sign)  # not inside a transaction, where every write would wait for it
        made, note = await self.db.submit(self._sign_head)
        await asyncio.to_thread(self._write_notes)
        return made, note

    def _write_notes(self) -> None:
        """Brings the file outside up to date, with every note that is durable by now."""
        with self._noting:
            self.db.read_now(lambda tx: catch_up_note_file(tx, self.checkpoint_file))

    def _sign_head(self, tx: WriteTx) -> tuple[Checkpoint, str]:
        made, note = self.signed(tx, self.chain.size, self.chain.root())
        newest = last_checkpoint(tx)
        if newest is None or newest[0] != made.size:
            put_checkpoint(tx, made.size, note, self.clock.now_ms())
        return made, note

    def signed(self, tx: ReadTx, size: int, root: bytes) -> tuple[Checkpoint, str]:
        """What is signed already, or a new note that is written down nowhere."""
        key, newest = read_verifier_key(tx), last_checkpoint(tx)
        made = Checkpoint(key.name, size, root)
        if newest is not None and newest[0] == size:
            return made, newest[2]
        return made, sign_checkpoint(made, key, partial(keys.sign, self.directory.key, expected=key))

    # -- erasing

    def finish_erasures(self) -> list[Path]:
        """Removes every copy of erased text that is still around; returns the files where it could not, of which the
        database is done once there is room."""
        untouched: list[Path] = []
        try:
            with self.copying:
                self.db.read_now(lambda tx: catch_up_erasure_log(tx, self.directory.erasures))
                untouched = scrub_backups(self.directory)
            for drop in (drop_deleted, drop_deleted_words, drop_deleted_sections):
                self.db.write_now(drop)
            self.db.compact()
        except Unavailable as error:
            if error.details.get("reason") != DISK_FULL:
                raise
            return [*untouched, self.directory.database]
        mark_finished(self.directory)
        return untouched

    # -- following

    def listen(self) -> asyncio.Event:
        """An event that is set after every commit of this process, until `unlisten`."""
        event = asyncio.Event()
        self._listeners.append((asyncio.get_running_loop(), event))
        return event

    def unlisten(self, event: asyncio.Event) -> None:
        self._listeners = [pair for pair in self._listeners if pair[1] is not event]

    def _wake_listeners(self) -> None:
        for loop, event in self._listeners:
            try:
                loop.call_soon_threadsafe(event.set)
            except RuntimeError:
                continue  # that loop has ended

    # -- opening

    def _load(self) -> None:
        damage = self.db.read_now(self._verify_and_load)
        if damage is not None:
            self.db.refuse_writes(damage)
            return
        behind = self.db.read_now(lambda tx: catch_up_erasure_log(tx, self.directory.erasures))
        if behind or self.directory.unfinished_erasure.exists():
            with suppress(Unavailable):  # a reader or a full disk in the way: doctor tells, the next opening retries
                self.finish_erasures()

    def _verify_and_load(self, tx: ReadTx) -> PalyraError | None:
        """The damage of the end, or else the head of the chain is what this snapshot says."""
        damage = check_tail(tx, self.checkpoint_file)
        if damage is None:
            self.chain.load(tx)
            newest = last_checkpoint(tx)
            self.last_signed = newest[0] if newest else 0
            with suppress(Unavailable):  # a file elsewhere that cannot be written must not stop facts; doctor tells
                catch_up_note_file(tx, self.checkpoint_file)
        return damage


def _project(tx: WriteTx, kind: str, written: Iterable[tuple[Prepared, Receipt]]) -> None:
    """Events of one kind, one after the other."""
    if kind not in PROJECTORS:
        return
    events = [_as_applied(prepared, receipt) for prepared, receipt in written]
    if kind != PayloadErased.KIND:
        project_run(tx, kind, events)
        return
    for event, body in events:
        project(tx, event, body)
        destroy_payload(tx, body["seq"])


def _as_applied(prepared: Prepared, receipt: Receipt) -> tuple[Applied, dict[str, Any]]:
    draft, recorded_at_ms = prepared.draft, receipt.recorded_at_ms
    occurred_at_ms = recorded_at_ms if draft.occurred_at_ms is None else draft.occurred_at_ms
    event = Applied(receipt.seq, receipt.event_id, draft.kind, draft.origin, occurred_at_ms, recorded_at_ms)
    return event, msgspec.json.decode(prepared.payload)  # what replay will read, not what the caller still holds


def _needs_owner(directory: DataDir, vfs: str | None) -> bool:
    if not directory.database.exists() or directory.database.stat().st_size == 0 or directory.staged_restore.exists():
        return True
    try:
        connection = open_reader(directory.database, vfs)
        try:
            if pending(connection, read_migrations()):
                return True
            return connection.execute("SELECT 1 FROM journal_identity").fetchone() is None
        finally:
            connection.close()
    except (apsw.ReadOnlyError, apsw.CantOpenError):
        return True  # left half-made by a crash: only an owner can roll it back


def _prepare_database(directory: DataDir, clock: Clock, vfs: str | None) -> None:
    """Creates or upgrades the schema, and gives a new journal its name and key."""
    connection = open_writer(directory.database, vfs)
    try:
        migrate(connection, clock.now_ms(), partial(_backup_before_upgrade, connection, directory, clock))
        restore_guards(connection)
        if connection.execute("SELECT 1 FROM journal_identity").fetchone() is None:
            journal_id = UlidFactory(clock).next()
            if not directory.key.exists():
                keys.create_key(directory.key)
            key = VerifierKey(f"palyra.local/{journal_id}", keys.public_key(directory.key))
            connection.execute(
                "INSERT INTO journal_identity VALUES (1, ?, ?, ?)", (journal_id, str(key), clock.now_ms())
            )
        fold_wal(connection)
    finally:
        connection.close()


def _backup_before_upgrade(connection: apsw.Connection, directory: DataDir, clock: Clock, version: int) -> None:
    now_ms = clock.now_ms()
    backup = directory.backups / f"before-upgrade-from-schema-{version}-{now_ms}"
    create_backup(connection, directory, backup, now_ms)
    log.warning("%s is of an earlier Palyra and is brought up to date; as it was, it is in %s", directory.root, backup)
