"""What the operations on the installation do: backups, the doctor and the status."""

import asyncio
import os
from functools import partial
from importlib.metadata import version
from pathlib import Path

from palyra.api import system as api
from palyra.api.call import Call, principal_of
from palyra.api.handlers.binding import bind
from palyra.api.handlers.external import standing
from palyra.api.handlers.jobs import views
from palyra.api.running import find_daemon, why_not_ready
from palyra.core.errors import InvalidArgument, PalyraError, PermissionDenied, Unavailable
from palyra.core.redact import redact_text
from palyra.domain.access import Capability
from palyra.services import backup, doctor
from palyra.store.ids import KINDS, find_ids
from palyra.store.learning.records import count_waiting
from palyra.store.memory.usage import totals
from palyra.store.sessions.records import count_sessions
from palyra.store.upkeep.backup import BackupManifest
from palyra.wire import system as wire
from palyra.wire.from_domain.journal import b64


async def _create_backup(call: Call, request: wire.CreateBackup) -> wire.Backup:
    app = call.app
    if request.path and not call.caller.may(Capability.OWN):
        raise PermissionDenied(
            f"{call.caller.name} may not name a path on this machine",
            hint="leave the path out: backups go to the data directory",
        )
    target = Path(request.path) if request.path else backup.default_target(app.directory, app.clock.now_ms())
    manifest = await backup.create(app.store, target, lambda done, total: call.progress("pages", done, total))
    return _to_backup(target, manifest)


async def _verify_backup(_call: Call, request: wire.VerifyBackup) -> wire.Backup:
    return _to_backup(Path(request.path), await asyncio.to_thread(backup.verify, Path(request.path)))


async def _restore_backup(call: Call, request: wire.RestoreBackup) -> wire.Restored:
    app = call.app
    report = await backup.restore(Path(request.path), app.directory, app.clock, app.options, replace=request.replace)
    return wire.Restored(
        data_dir=str(app.directory.root),
        size=report.size,
        root=b64(report.root),
        erased_again=report.erased_again,
        abandoned_events=report.abandoned_events,
        replaced_journal=None if report.kept_as is None else str(report.kept_as),
    )


async def _examine(call: Call, _request: wire.Examine) -> wire.Examination:
    app = call.app
    refusal = app.store.db.broken if app.serving else await asyncio.to_thread(_refusal_elsewhere, app.directory.root)
    checks = await asyncio.to_thread(doctor.examine, app.directory, app.clock, app.options, refusal)
    return wire.Examination(
        ok=all(check.level is not doctor.CheckLevel.ERROR for check in checks),
        data_dir=str(app.directory.root),
        checks=[
            wire.Check(name=check.name, level=check.level.value, message=check.message, hint=check.hint)
            for check in checks
        ],
    )


def _refusal_elsewhere(root: Path) -> PalyraError | None:
    """Of the daemon of this directory, if one runs."""
    running = find_daemon(root)
    said = None if running is None else why_not_ready(running)
    return None if said is None else Unavailable(said[0], hint=said[1])


async def _status(call: Call, _request: wire.GetSystemStatus) -> wire.SystemStatus:
    app = call.app
    journal, jobs = await app.journal.status(), await views(app)
    refused = journal.refused if app.is_owner else None  # a reader never writes, which says nothing about the journal
    memories, waiting = await app.store.db.read(totals)
    health = app.model_health
    return wire.SystemStatus(
        version=version("palyra"),
        data_dir=str(app.directory.root),
        pid=os.getpid(),
        serving=app.serving,
        started_at_ms=app.started_at_ms,
        events=journal.size,
        root=b64(journal.root),
        unsigned_events=max(0, journal.size - journal.signed_size),
        database_bytes=journal.database_bytes,
        refuses_writes=None if refused is None else refused.message,
        memories=memories,
        waiting_for_review=waiting,
        learned_waiting=await app.store.db.read(count_waiting),
        embedding_model=app.embedding_model,
        sessions=await app.store.db.read(count_sessions),
        active_runs=app.active_runs,
        chat_model=app.chat_model,
        chat_breaker="closed" if health is None else health.breaker,
        chat_error=None if health is None or not health.last_error else redact_text(health.last_error).text,
        jobs=len(jobs),
        failing_jobs=[job.name for job in jobs if job.last_error is not None or job.is_stuck],
        paused_jobs=[job.name for job in jobs if job.paused_by is not None],
        attention=[f"{job.name}: {job.attention}" for job in jobs if job.attention],
        due_jobs=[
            wire.DueJob(name=job.name, next_due_ms=job.next_due_ms, is_running=job.is_running)
            for job in sorted(jobs, key=lambda job: job.next_due_ms or 0)
            if job.next_due_ms is not None and app.serving
        ],
        external=standing(app),
    )


async def _find_ids(call: Call, request: wire.FindIds) -> wire.FoundIds:
    if unknown := set(request.kinds) - set(KINDS):
        raise InvalidArgument(f"{min(unknown)[:64]!r} is no kind of id", hint=f"use one or more of {', '.join(KINDS)}")
    principal = principal_of(call.caller, request.principal)
    found = [
        await call.app.store.db.read(partial(find_ids, kind=kind, beginning=request.beginning, principal=principal))
        for kind in request.kinds
    ]
    return wire.FoundIds(ids=[one for ids in found for one in ids])


def _to_backup(path: Path, manifest: BackupManifest) -> wire.Backup:
    return wire.Backup(
        path=str(path),
        size=manifest.size,
        head=manifest.head,
        root=b64(bytes.fromhex(manifest.root)),
        schema=manifest.schema,
        created_at_ms=manifest.created_at_ms,
    )


HANDLERS = (
    bind(api.create_backup, _create_backup),
    bind(api.verify_backup, _verify_backup),
    bind(api.restore_backup, _restore_backup),
    bind(api.examine, _examine),
    bind(api.status, _status),
    bind(api.find_ids, _find_ids),
)
