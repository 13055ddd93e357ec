"""A journal for a history told afterwards: each event says when it happened, and when it was written."""

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from palyra.core.clock import Clock
from palyra.domain.journal import Committed, Decision, Receipt
from palyra.services.journal import CheckpointPolicy, JournalService
from palyra.store.connection import ReadTx, WriteTx
from palyra.store.journal_store import JournalStore, Once

T = TypeVar("T")


class DatedJournal(JournalService):
    """What is decided through it happened when `clock` says."""

    def __init__(self, store: JournalStore, policy: CheckpointPolicy, clock: Clock) -> None:
        super().__init__(store, policy)
        self._clock = clock

    async def commit(
        self,
        decide: Callable[[ReadTx], Decision[T]],
        once: Once[T] | None = None,
        follow: Callable[[WriteTx, tuple[Receipt, ...]], None] | None = None,
    ) -> Committed[T]:
        def dated(tx: ReadTx) -> Decision[T]:
            decision, at_ms = decide(tx), self._clock.now_ms()
            return replace(decision, events=tuple(one._replace(occurred_at_ms=at_ms) for one in decision.events))

        return await super().commit(dated, once, follow)
