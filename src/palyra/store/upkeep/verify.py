"""Walks the stored journal and recomputes everything: payload commitments, headers, links, order, tree tiles.

A range is verified on its own, given only the hash before it, so that ranges can be walked in parallel
processes. Text columns are read as bytes: what is hashed is what is stored, even if it is not valid text.
"""

import hashlib
import json
import struct
from dataclasses import dataclass, field
from struct import Struct
from typing import cast

from palyra.core.hashing import EVENT_TAG, PAYLOAD_TAG, header_names
from palyra.core.hashing import field as encode_field
from palyra.core.merkle import fold
from palyra.domain.events import JournalRestored, PayloadErased
from palyra.domain.journal import Fault, Finding
from palyra.store.connection import ReadTx
from palyra.store.tiles.tree import TILE_WIDTH

RANGE_EVENTS = TILE_WIDTH**2
MAX_FINDINGS = 100
OPEN_END = 2**62
"""as `last`: up to wherever the journal ends"""

_TEXT = ("event_id", "kind", "actor", "principal", "channel", "session_id", "run_id", "request_id")
_SELECT = (
    "SELECT e.seq, e.v, e.occurred_at_ms, e.recorded_at_ms, "
    + ", ".join(f"CAST(e.{name} AS BLOB)" for name in _TEXT)
    + ", e.request_digest, e.commitment, e.prev_hash, e.hash, p.salt, p.payload"
    " FROM journal_events e LEFT JOIN journal_payloads p ON p.seq = e.seq WHERE e.seq BETWEEN ? AND ? ORDER BY e.seq"
)
_ERASED = PayloadErased.KIND.encode()
_NEVER_ERASED = frozenset({_ERASED, JournalRestored.KIND.encode()})
_NO_REQUEST = header_names(None, None)


@dataclass(slots=True)
class RangeReport:
    """What walking one range of seqs found out."""

    first: int
    last: int
    events: int = 0
    head: bytes = b""
    findings: list[Finding] = field(default_factory=list)
    missing: list[int] = field(default_factory=list)
    """events without a payload"""
    erased: dict[int, int] = field(default_factory=dict)
    """erased seq -> seq of the erasure event"""


def walk_range(tx: ReadTx, first: int, last: int) -> RangeReport:  # noqa: PLR0912 - one pass, a million times
    """Checks events `first`..`last` (inclusive). `first` must begin a tile, for the tree check."""
    report = RangeReport(first, last)
    found = report.findings
    previous = _hash_before(tx, first)
    if previous is None:
        found.append(Finding(Fault.GAP, first - 1, f"event {first - 1} is missing"))
    expected = first
    leaves: list[bytes] = []
    names: dict[tuple[bytes | None, ...], bytes] = {}
    sha256, numbers = hashlib.sha256, Struct(">QIqq").pack
    for row in tx.execute(_SELECT, (first, last)):
        (seq, v, occurred, recorded, event_id, kind, actor, principal, channel, session, run, request, digest,
         commitment, prev_hash, own_hash, salt, payload) = cast("_Row", row)  # fmt: skip
        if seq != expected:
            found.append(Finding(Fault.GAP, expected, f"events {expected} to {seq - 1} are missing"))
            previous, leaves = None, []
        key = (kind, actor, principal, channel, session, run)
        middle = names.get(key)
        if middle is None:
            middle = names[key] = header_names(*key)
        middle += _NO_REQUEST if request is None and digest is None else encode_field(request) + encode_field(digest)
        try:
            computed = sha256(
                EVENT_TAG + numbers(seq, v, occurred, recorded) + event_id + middle + commitment + prev_hash
            ).digest()
        except (struct.error, TypeError):
            computed = b""
        if computed != own_hash:
            found.append(_bad_header(seq, cast("_Row", row), middle, prev_hash == previous))
        elif prev_hash != previous and previous is not None:
            found.append(Finding(Fault.LINK, seq, f"event {seq} does not follow the hash of event {seq - 1}"))
        if payload is None or salt is None:
            report.missing.append(seq)
            if kind in _NEVER_ERASED:
                found.append(Finding(Fault.PAYLOAD, seq, f"event {seq} lost its payload, and its kind is never erased"))
        elif sha256(PAYLOAD_TAG + salt + payload).digest() != commitment:
            found.append(Finding(Fault.PAYLOAD, seq, f"the payload of event {seq} is not the one committed to"))
        elif kind == _ERASED:
            _note_erasure(report, seq, payload)
        leaves.append(sha256(b"\x00" + own_hash).digest())
        if seq % TILE_WIDTH == 0:
            if len(leaves) == TILE_WIDTH:
                _check_tile(tx, 8, seq // TILE_WIDTH - 1, fold(leaves), report)
            leaves = []
        previous, expected = own_hash, seq + 1
        if len(found) >= MAX_FINDINGS:
            break
    else:
        if expected <= last < OPEN_END:
            found.append(Finding(Fault.GAP, expected, f"events {expected} to {last} are missing"))
    report.events = expected - first
    report.head = previous or b""
    return report


def check_upper_tiles(tx: ReadTx, size: int) -> list[Finding]:
    """Tiles above the first level must fold from the tiles beneath them."""
    findings: list[Finding] = []
    level, count = 16, size >> 16
    while count:
        for index in range(count):
            rows = tx.execute(
                "SELECT hash FROM journal_tree WHERE level = ? AND idx >= ? AND idx < ? ORDER BY idx",
                (level - 8, index * TILE_WIDTH, (index + 1) * TILE_WIDTH),
            )
            hashes = [cast("bytes", row[0]) for row in rows]
            report = RangeReport(0, 0)
            if len(hashes) == TILE_WIDTH:
                _check_tile(tx, level, index, fold(hashes), report)
            findings += report.findings
        level, count = level + 8, count >> 8
    return findings


_Row = tuple[
    int, int, int, int, bytes, bytes, bytes, bytes, bytes | None, bytes | None, bytes | None, bytes | None,
    bytes | None, bytes, bytes, bytes, bytes | None, bytes | None,
]  # fmt: skip


def _hash_before(tx: ReadTx, first: int) -> bytes | None:
    if first == 1:
        return bytes(32)
    row = tx.execute("SELECT hash FROM journal_events WHERE seq = ?", (first - 1,)).fetchone()
    return None if row is None else cast("bytes", row[0])


def _bad_header(seq: int, row: _Row, middle: bytes, is_linked: bool) -> Finding:
    """A header that hashes right under another seq was moved; otherwise it was changed."""
    _, v, occurred, recorded, event_id, *_ = row
    commitment, prev_hash, own_hash = row[13:16]
    for other in range(max(1, seq - 5_000), seq + 5_000):
        try:
            message = EVENT_TAG + Struct(">QIqq").pack(other, v, occurred, recorded) + event_id + middle
            if hashlib.sha256(message + commitment + prev_hash).digest() == own_hash:
                return Finding(Fault.ORDER, seq, f"event {other} stands in the place of event {seq}")
        except (struct.error, TypeError):
            break
    what = "the header" if is_linked else "the header or its link"
    return Finding(Fault.HEADER, seq, f"{what} of event {seq} is not what was hashed")


def _note_erasure(report: RangeReport, seq: int, payload: bytes) -> None:
    try:
        target = json.loads(payload)["seq"]
    except (ValueError, TypeError, KeyError):
        target = None
    if isinstance(target, int) and target < seq:
        report.erased[target] = seq
    else:
        report.findings.append(Finding(Fault.PAYLOAD, seq, f"erasure event {seq} does not name an earlier event"))


def _check_tile(tx: ReadTx, level: int, index: int, computed: bytes, report: RangeReport) -> None:
    row = tx.execute("SELECT hash FROM journal_tree WHERE level = ? AND idx = ?", (level, index)).fetchone()
    if row is None or row[0] != computed:
        seq = (index << level) + 1
        state = "missing" if row is None else "wrong"
        report.findings.append(
            Finding(Fault.TREE, seq, f"the stored tree node over events {seq} to {(index + 1) << level} is {state}")
        )
