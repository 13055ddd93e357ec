"""A run while it is going on: what is on its tape, what is about to be, and who listens.

Listeners read from here at their own pace; the run never waits for one, and goes on when there is none.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from palyra.core.ids import RunId
from palyra.domain.chat.session import Session, TapeRecord, TapeType


@dataclass(frozen=True, slots=True)
class Recorded:
    """Something that is on the tape."""

    record: TapeRecord


@dataclass(frozen=True, slots=True)
class PreviewText:
    """Text of the answer that will be on the tape soon. `offset`: where in the answer it stands, in characters."""

    offset: int
    text: str


@dataclass(frozen=True, slots=True)
class KeptText:
    """Text that was shown as a preview is now on the tape, up to `offset`."""

    seq: int
    offset: int


StreamItem: TypeAlias = Recorded | PreviewText | KeptText


class LiveRun:
    def __init__(self, session: Session, run_id: RunId, records: Sequence[TapeRecord]) -> None:
        self.session = session
        self.run_id = run_id
        self.records = list(records)
        self.answers = 0
        """answers that have ended"""
        self.text = ""
        """of the answer that is coming, as far as it may be shown"""
        self.kept = 0
        """how much of it is on the tape"""
        self.over = asyncio.Event()
        self.task: asyncio.Task[None] | None = None
        self.aborting = False
        self.approvals: dict[str, asyncio.Future[tuple[bool, str]]] = {}
        """calls a person is asked about, by id: yes or no, and why"""
        self._listeners: set[asyncio.Event] = set()

    def add(self, records: Sequence[TapeRecord]) -> None:
        for record in records:
            self.records.append(record)
            if record.type is TapeType.ASSISTANT_MESSAGE:
                self.answers, self.text, self.kept = self.answers + 1, "", 0
        self.notify()

    def say(self, text: str) -> None:
        self.text += text
        self.notify()

    def end(self) -> None:
        self.over.set()
        self.notify()

    def notify(self) -> None:
        for listener in self._listeners:
            listener.set()

    async def watch(self, after_seq: int) -> AsyncIterator[StreamItem]:
        """Everything after `after_seq`, up to the end of the run."""
        woken = asyncio.Event()
        self._listeners.add(woken)
        seen = answers = sent = 0
        try:
            while True:
                woken.clear()
                over = self.over.is_set()
                while seen < len(self.records):
                    record = self.records[seen]
                    seen += 1
                    end = _end_of_text(record)
                    if record.seq > after_seq:
                        # Everything of it was shown already, character by character: only say that it is safe now.
                        shown = end is not None and sent >= end
                        is_piece = record.type is TapeType.ASSISTANT_TEXT
                        yield KeptText(record.seq, end or 0) if shown and is_piece else Recorded(record)
                    if end is not None:
                        sent = max(sent, end)
                    if record.type is TapeType.ASSISTANT_MESSAGE:
                        answers, sent = answers + 1, 0
                if answers == self.answers and len(self.text) > sent:
                    piece, offset = self.text[sent:], sent
                    sent = len(self.text)
                    yield PreviewText(offset, piece)
                    continue
                if over:
                    return
                await woken.wait()
        finally:
            self._listeners.discard(woken)


def _end_of_text(record: TapeRecord) -> int | None:
    if record.payload is None or record.type not in (TapeType.ASSISTANT_TEXT, TapeType.ASSISTANT_MESSAGE):
        return None
    payload: dict[str, Any] = record.payload
    return int(payload.get("offset", 0)) + len(payload.get("text", ""))


async def replay(records: Sequence[TapeRecord], after_seq: int) -> AsyncIterator[StreamItem]:
    """The same for a run that is over."""
    for record in records:
        if record.seq > after_seq:
            yield Recorded(record)
