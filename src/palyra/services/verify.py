"""Is the journal what it claims to be? Chain, payloads, tree, signed checkpoints, projections, in that order.

Big journals are walked in several processes at once. Whoever may write meanwhile goes on writing: what is
verified is the journal as it was when the walk began.
"""

import asyncio
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from palyra.core.errors import Integrity, PalyraError
from palyra.domain.journal import Fault, Finding
from palyra.domain.signed_note import Checkpoint, VerifierKey, parse_checkpoint
from palyra.store.checkpoints import checkpoint_notes, read_note_file, read_verifier_key
from palyra.store.connection import ReadTx
from palyra.store.journal_store import JournalStore
from palyra.store.keys import check_signature
from palyra.store.tiles.names import check_names
from palyra.store.tiles.tree import TILE_WIDTH, root_at
from palyra.store.upkeep.integrity import check_pages, journal_size
from palyra.store.upkeep.rebuild import find_drift
from palyra.store.upkeep.verify import OPEN_END, RANGE_EVENTS, RangeReport, check_upper_tiles, walk_range
from palyra.store.upkeep.walker import walk_in_parallel

Progress = Callable[[str, int, int], None]
"""(what, done, total)"""

_PARALLEL_FROM = 4 * RANGE_EVENTS
_NO_LIMIT_SECONDS = 24 * 3600.0


@dataclass(frozen=True, slots=True)
class VerifyReport:
    size: int
    root: bytes
    head: bytes
    erased: int
    checkpoints: int
    verifier_key: str
    state_digest: str | None
    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        return not self.findings


async def verify(
    store: JournalStore,
    *,
    extra_notes: Sequence[str] = (),
    projections: bool = True,
    progress: Progress = lambda _what, _done, _total: None,
) -> VerifyReport:
    return await asyncio.to_thread(verify_now, store, extra_notes, projections, progress)


def verify_now(store: JournalStore, extra_notes: Sequence[str], projections: bool, progress: Progress) -> VerifyReport:
    try:
        return _verify(store, extra_notes, projections, progress)
    except Integrity as error:  # SQLite itself cannot make sense of the file
        finding = Finding(Fault.DATABASE, None, error.message)
        return VerifyReport(0, b"", b"", 0, 0, "", None, (finding,))


def _verify(store: JournalStore, extra_notes: Sequence[str], projections: bool, progress: Progress) -> VerifyReport:
    query = partial(store.db.read_now, limit_seconds=_NO_LIMIT_SECONDS)
    key = query(read_verifier_key)
    # Notes before size: whatever was signed by then must be there now, however fast the journal grows meanwhile.
    outside, foreign = read_note_file(store.checkpoint_file)
    notes = [note for _, note in query(checkpoint_notes)]
    size = query(journal_size)
    reports: list[RangeReport] = []
    for report in _walk(store, size):
        reports.append(report)
        progress("events", report.last, size)
    findings = [finding for report in reports for finding in report.findings]
    missing = {seq for report in reports for seq in report.missing}
    erased = {seq: by for report in reports for seq, by in report.erased.items()}
    later: dict[int, int] = {}
    if missing - erased.keys():  # erased while we walked, perhaps: look at what came after
        later = query(partial(walk_range, first=size // TILE_WIDTH * TILE_WIDTH + 1, last=OPEN_END)).erased
    findings += _unexplained(missing, erased, later)
    findings += query(lambda tx: check_upper_tiles(tx, size))
    if foreign.strip():
        findings.append(Finding(Fault.CHECKPOINT, None, f"{store.checkpoint_file} holds text that is no checkpoint"))
    all_notes = list(dict.fromkeys([*notes, *outside, *extra_notes]))
    is_whole = not findings
    if is_whole:
        findings += query(lambda tx: check_names(tx, size))
    findings += query(lambda tx: _check_notes(tx, all_notes, key, size, is_whole))
    digest = None
    if projections and not findings:
        digest, drift = query(lambda tx: find_drift(tx, lambda seq: progress("projections", seq, size)))
        findings += drift
    findings += query(check_pages)
    root = query(lambda tx: root_at(tx, size)) if is_whole else b""
    head = reports[-1].head if reports else bytes(32)
    ordered = sorted(findings, key=lambda finding: finding.seq if finding.seq is not None else size + 1)
    return VerifyReport(size, root, head, len(missing), len(all_notes), str(key), digest, tuple(ordered))


def _walk(store: JournalStore, size: int) -> Iterator[RangeReport]:
    ranges = [(first, min(first + RANGE_EVENTS - 1, size)) for first in range(1, size + 1, RANGE_EVENTS)]
    workers = min(os.cpu_count() or 1, len(ranges))
    if size < _PARALLEL_FROM or workers == 1:
        for first, last in ranges:
            yield store.db.read_now(partial(walk_range, first=first, last=last), _NO_LIMIT_SECONDS)
        return
    yield from walk_in_parallel(store.directory.database, ranges, workers)


def _unexplained(missing: set[int], erased: dict[int, int], later: dict[int, int]) -> list[Finding]:
    """`later` are erasures from after the walk began: they explain a missing payload, but not one seen before them."""
    lost = [
        Finding(Fault.PAYLOAD, seq, f"the payload of event {seq} is gone, and no erasure is on record")
        for seq in sorted(missing - erased.keys() - later.keys())
    ]
    kept = [
        Finding(Fault.PAYLOAD, seq, f"event {seq} was erased by event {erased[seq]}, but its payload is still there")
        for seq in sorted(erased.keys() - missing)
    ]
    return lost + kept


def _check_notes(tx: ReadTx, notes: Sequence[str], key: VerifierKey, size: int, is_whole: bool) -> list[Finding]:
    """Every signed checkpoint must still be true of this journal."""
    findings: list[Finding] = []
    checkpoints: list[Checkpoint] = []
    for note in notes:
        try:
            checkpoints.append(parse_checkpoint(note, key, check_signature))
        except PalyraError as error:
            findings.append(Finding(Fault.CHECKPOINT, None, error.message))
    good = 0
    for checkpoint in sorted(checkpoints, key=lambda checkpoint: checkpoint.size):
        if checkpoint.size > size:
            message = f"the journal ends at event {size}, but {checkpoint.size} events were signed"
            findings.append(Finding(Fault.TRUNCATED, size + 1, message))
            break
        if not is_whole:
            continue  # the walk has named the event already
        if root_at(tx, checkpoint.size) == checkpoint.root:
            good = checkpoint.size
        else:
            message = f"events {good + 1} to {checkpoint.size} are not the ones that were signed"
            findings.append(Finding(Fault.CHECKPOINT, good + 1, message))
            break
    return findings
