"""A bundle that a stranger can check: every header, every payload that still exists, the signed checkpoints.

The layout is part of `docs/journal-format.md`; `verifier/palyra_verify.py` reads it with nothing but Python.
"""

import asyncio
import base64
import hashlib
import os
import shutil
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from palyra.core import limits
from palyra.core.errors import AlreadyExists, Unavailable
from palyra.core.hashing import Json, canonical_json
from palyra.domain.journal import EventFilter, EventRecord
from palyra.domain.signed_note import Checkpoint, join_notes
from palyra.services.journal import JournalService
from palyra.store.checkpoints import checkpoint_notes, read_verifier_key
from palyra.store.connection import ReadTx, errors_in_our_words
from palyra.store.datadir import sync_directory, write_durably
from palyra.store.journal import list_events
from palyra.store.journal_store import JournalStore

FORMAT = "palyra-bundle-v1"


@dataclass(frozen=True, slots=True)
class Bundle:
    path: Path
    size: int
    root: bytes
    bytes: int


async def export_bundle(
    store: JournalStore, journal: JournalService, target: Path, progress: Callable[[int, int], None]
) -> Bundle:
    """Signs the present state and writes it out. The directory appears whole or not at all."""
    signed, note = await _signed(store, journal)
    return await asyncio.to_thread(_write, store, target, signed, note, progress)


async def _signed(store: JournalStore, journal: JournalService) -> tuple[Checkpoint, str]:
    """Where nothing can be written, the checkpoint is in the bundle alone."""
    try:
        return await journal.checkpoint()
    except Unavailable:
        size, root = await journal.head()
        return await store.db.read(lambda tx: store.signed(tx, size, root))


def _write(
    store: JournalStore, target: Path, signed: Checkpoint, note: str, progress: Callable[[int, int], None]
) -> Bundle:
    with errors_in_our_words(target):
        if target.exists() and (not target.is_dir() or any(target.iterdir())):
            raise AlreadyExists(f"{target} exists and is not empty", hint="name a new directory for the export")
        staging = target.with_name(target.name + ".partial")
        shutil.rmtree(staging, ignore_errors=True)
        staging.mkdir(mode=0o700, parents=True)
        try:
            digest, length = _write_events(store, staging / "events.jsonl", signed.size, progress)
            notes, manifest = store.db.read_now(partial(_rest, signed=signed, note=note, events_digest=digest))
            write_durably(staging / "checkpoints.log", notes)
            write_durably(staging / "manifest.json", manifest)
            if target.exists():
                target.rmdir()
            staging.rename(target)
            sync_directory(target.parent)
        except BaseException:
            shutil.rmtree(staging, ignore_errors=True)
            raise
    return Bundle(target, signed.size, signed.root, length)


async def stream_bundle(store: JournalStore, journal: JournalService) -> AsyncIterator[tuple[str, str]]:
    """The same bundle as (file, line), for somebody who cannot reach this machine's disk. The manifest comes last."""
    signed, note = await _signed(store, journal)
    size, after, digest = signed.size, 0, hashlib.sha256()
    while after < size:
        limit = min(limits.PAGE_EVENTS, size - after)
        page = await store.db.read(partial(list_events, want=EventFilter(), after_seq=after, limit=limit))
        for record in page:
            line = canonical_json(event_line(record)) + b"\n"
            digest.update(line)
            yield "events.jsonl", line.decode()[:-1]
        after = page[-1].seq
    notes, manifest = await store.db.read(partial(_rest, signed=signed, note=note, events_digest=digest.hexdigest()))
    for name, text in (("checkpoints.log", notes), ("manifest.json", manifest)):
        for text_line in text.decode()[:-1].split("\n"):
            yield name, text_line


def _rest(tx: ReadTx, signed: Checkpoint, note: str, events_digest: str) -> tuple[bytes, bytes]:
    """What belongs to the events: the signed checkpoints, and the manifest."""
    text = join_notes([*(old for size, old in checkpoint_notes(tx) if size < signed.size), note]).encode()
    manifest: dict[str, Json] = {
        "format": FORMAT,
        "verifier_key": str(read_verifier_key(tx)),
        "size": signed.size,
        "root": base64.b64encode(signed.root).decode(),
        "files": {"events.jsonl": events_digest, "checkpoints.log": hashlib.sha256(text).hexdigest()},
    }
    return text, canonical_json(manifest) + b"\n"


def _write_events(store: JournalStore, path: Path, size: int, progress: Callable[[int, int], None]) -> tuple[str, int]:
    digest = hashlib.sha256()
    length = 0
    with path.open("wb") as file:
        path.chmod(0o600)
        for record in _pages(store, size):
            line = canonical_json(event_line(record)) + b"\n"
            digest.update(line)
            length += file.write(line)
            if record.seq % limits.PAGE_EVENTS == 0:
                progress(record.seq, size)
        file.flush()
        os.fsync(file.fileno())
    return digest.hexdigest(), length


def _pages(store: JournalStore, size: int) -> Iterator[EventRecord]:
    after = 0
    while after < size:
        limit = min(limits.PAGE_EVENTS, size - after)
        page = store.db.read_now(partial(list_events, want=EventFilter(), after_seq=after, limit=limit))
        yield from page
        after = page[-1].seq


def event_line(record: EventRecord) -> dict[str, Json]:
    """One event as the bundle writes it: hashes and salt in hex, the payload as the exact text committed to."""
    origin = record.origin
    return {
        "seq": record.seq,
        "event_id": record.event_id,
        "kind": record.kind,
        "v": record.v,
        "actor": origin.actor.value,
        "principal": origin.principal,
        "channel": origin.channel,
        "session_id": origin.session_id,
        "run_id": origin.run_id,
        "request_id": record.request_id,
        "request_digest": None if record.request_digest is None else record.request_digest.hex(),
        "occurred_at_ms": record.occurred_at_ms,
        "recorded_at_ms": record.recorded_at_ms,
        "commitment": record.commitment.hex(),
        "prev_hash": record.prev_hash.hex(),
        "hash": record.hash.hex(),
        "salt": None if record.salt is None else record.salt.hex(),
        "payload": None if record.payload is None else record.payload.decode(),
    }
