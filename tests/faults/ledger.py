"""Accounting: what was sent, what was acknowledged, and whether the journal agrees.

An event is named by (who, n): its payload follows from them, so that a payload can be checked without being kept,
and an event written twice under two ids is seen as well.
"""

import asyncio
import json
import time
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from palyra.app import App, build_app
from palyra.core import limits
from palyra.core.hashing import Json
from palyra.core.ids import EventId
from palyra.domain.access import Access
from palyra.domain.journal import EventDraft, EventFilter, EventRecord, Origin
from palyra.services.verify import verify
from palyra.settings import DaemonSettings, JournalSettings, Settings

KINDS = ("note", "load.event")
"""one with a projection, one without: they take different ways through the writer"""


class Ack(NamedTuple):
    """One acknowledged append, as its caller saw it."""

    event_id: str
    kind: str
    who: int
    n: int
    seq: int
    hash: str


@dataclass(slots=True)
class Account:
    events: int = 0
    acked: int = 0
    lost: int = 0
    doubled: int = 0
    problems: list[str] = field(default_factory=list)

    @property
    def balance(self) -> str:
        return f"{self.acked} acked, {self.lost} lost, {self.doubled} doubled"

    def check(self, where: str = "") -> None:
        """Nothing lost, nothing doubled, nothing else wrong."""
        assert not self.problems, "\n".join([where, *self.problems[:20]])
        assert (self.lost, self.doubled) == (0, 0), where

    def add(self, other: "Account") -> None:
        self.events += other.events
        self.acked += other.acked
        self.lost += other.lost
        self.doubled += other.doubled
        self.problems += other.problems


def settings_for(directory: Path, *, checkpoint_every_events: int = 1_000, checkpoint_file: str = "") -> Settings:
    journal = JournalSettings(checkpoint_every_events=checkpoint_every_events, checkpoint_file=checkpoint_file)
    return Settings(DaemonSettings(str(directory)), journal=journal)


def origin_of(who: int) -> Origin:
    return Origin(f"user:writer{who}", session_id=f"session {who}")


def words_of(who: int, n: int) -> str:
    """Text that stands in this payload and in no other."""
    return f"remark {n} by writer {who};"


def payload_of(who: int, n: int) -> dict[str, Json]:
    return {"n": n, "text": words_of(who, n) + " and so on" * (n * 7 % 40), "who": who}


def kind_of(n: int) -> str:
    return KINDS[n % 2]


def draft_of(who: int, n: int, event_id: str | None = None, kind: str | None = None) -> EventDraft:
    own_id = None if event_id is None else EventId(event_id)
    return EventDraft(kind or kind_of(n), payload_of(who, n), origin_of(who), event_id=own_id)


async def append(app: App, who: int, n: int, event_id: str | None = None) -> Ack:
    draft = draft_of(who, n, event_id)
    receipt = await app.journal.append(draft)
    return Ack(receipt.event_id, draft.kind, who, n, receipt.seq, receipt.hash.hex())


async def writing_again(app: App, seconds: float = 30) -> float:
    """Waits until the store takes writes; how long that took."""
    since = time.monotonic()

    def wait() -> None:
        while app.store.db.broken is not None and time.monotonic() < since + seconds:
            time.sleep(0.01)

    await asyncio.to_thread(wait)
    if app.store.db.broken is not None:
        raise TimeoutError(f"after {seconds} s writes are still refused: {app.store.db.broken}")
    return time.monotonic() - since


def to_line(ack: Ack) -> str:
    return json.dumps(ack) + "\n"


def read_acks(text: str) -> list[Ack]:
    """A process may die while it writes its last line; the line before was whole."""
    lines = text.split("\n")
    return [Ack(*json.loads(line)) for line in lines[:-1] if line]


async def settle(
    directory: Path,
    acks: Collection[Ack],
    *,
    erased: Collection[str] = (),
    maybe_erased: Collection[str] = (),
    notes: Collection[str] = (),
    checkpoint_file: str = "",
) -> Account:
    """Opens the directory as its owner would after the fault, and holds the journal against the acknowledgements.

    `erased` are the event ids whose erasure was acknowledged, `maybe_erased` those whose erasure was only begun,
    `notes` the signed checkpoints somebody was given.
    """
    async with build_app(settings_for(directory, checkpoint_file=checkpoint_file), access=Access.OWN) as app:
        account = Account(acked=len(acks))
        if app.store.db.broken is not None:
            account.problems.append(f"reopened, but refuses writes: {app.store.db.broken}")
        report = await verify(app.store, extra_notes=list(notes))
        account.problems += [f"verify: {finding}" for finding in report.findings]
        records = await read_all(app)
    account.events = len(records)
    if [record.seq for record in records] != list(range(1, len(records) + 1)):
        account.problems.append("the seqs are not 1, 2, 3, ...")
    _balance(account, records, acks)
    may_be_gone = {*erased, *maybe_erased}
    for record in records:
        if record.is_erased and record.event_id not in may_be_gone:
            account.problems.append(f"event {record.seq} was erased by nobody")
        if not record.is_erased and record.event_id in erased:
            account.problems.append(f"event {record.seq} is still there after its erasure was acknowledged")
    return account


async def read_all(app: App) -> list[EventRecord]:
    records: list[EventRecord] = []
    while True:
        page = await app.journal.list(EventFilter(), records[-1].seq if records else 0, limits.PAGE_EVENTS)
        records += page
        if len(page) < limits.PAGE_EVENTS:
            return records


def files_holding(directory: Path, texts: Iterable[str]) -> list[str]:
    """Files beneath `directory` in which one of the texts can be read. Close the journal before: reading a database
    file in the process that has it open drops that process's locks."""
    wanted = [text.encode() for text in texts]
    found = []
    for path in sorted(directory.rglob("*")):
        if path.is_file():
            data = path.read_bytes()
            found += [f"{path.relative_to(directory)}: {text.decode()}" for text in wanted if text in data]
    return found


def _balance(account: Account, records: list[EventRecord], acks: Collection[Ack]) -> None:
    by_id = {record.event_id: record for record in records}
    for ack in acks:
        record = by_id.get(EventId(ack.event_id))
        if record is None or (record.seq, record.hash.hex(), record.kind) != (ack.seq, ack.hash, ack.kind):
            account.lost += 1
    written: Counter[object] = Counter(record.event_id for record in records)
    for record in records:
        if record.payload is None or record.kind not in KINDS:
            continue
        body = json.loads(record.payload)
        written[body["who"], body["n"]] += 1
        if body != payload_of(body["who"], body["n"]):
            account.problems.append(f"event {record.seq} does not hold what was sent")
    account.doubled += sum(count - 1 for count in written.values())
