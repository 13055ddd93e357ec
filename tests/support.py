"""What tests share: a store in a temporary directory, drafts that read well, and a way to run a coroutine."""

import asyncio
from collections.abc import AsyncIterator, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, TypeVar

import apsw

from palyra.app import App, build_app
from palyra.core.clock import Clock, SystemClock
from palyra.core.ids import EventId
from palyra.domain.access import Access
from palyra.domain.journal import Actor, EventDraft, Origin, Receipt
from palyra.services.memory.context import Memory
from palyra.services.verify import VerifyReport, verify_now
from palyra.settings import load
from palyra.store.journal_store import JournalStore, StoreOptions

T = TypeVar("T")

ANA = Origin("user:ana")


def run(work: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(work)


def an_app(root: Path, clock: Clock | None = None, access: Access = Access.OWN, **settings: str) -> App:
    return build_app(load({"daemon.data_dir": str(root)}, settings).settings, clock, access, wait_seconds=5)


@asynccontextmanager
async def a_memory(root: Path, clock: Clock | None = None, **settings: str) -> AsyncIterator[Memory]:
    """Memory with the small hash model, which loads in no time; pass provider="local" for the real one."""
    provider = settings.pop("provider", "hash")
    environ = {"PALYRA_MEMORY_EMBEDDINGS_PROVIDER": provider, **settings}
    async with an_app(root, clock, Access.OWN, **environ) as app:
        yield app.memory


@contextmanager
def a_store(root: Path, clock: Clock | None = None, options: StoreOptions | None = None) -> Iterator[JournalStore]:
    store = JournalStore.open_owner(root, clock or SystemClock(), options)
    try:
        yield store
    finally:
        store.close()


def a_note(text: str, *, event_id: str | None = None, origin: Origin = ANA) -> EventDraft:
    return EventDraft("note", {"text": text}, origin, 1, None if event_id is None else EventId(event_id))


def an_event(n: int, kind: str = "test.happened", actor: Actor = Actor.USER) -> EventDraft:
    return EventDraft(kind, {"n": n}, Origin("user:ana", actor))


def append_all(store: JournalStore, *drafts: EventDraft) -> list[Receipt]:
    async def work() -> list[Receipt]:
        return list(await asyncio.gather(*(store.append(store.prepare(draft)) for draft in drafts)))

    return run(work())


def notes_and_events(root: Path, count: int) -> list[Receipt]:
    """A journal of `count` events, every third one a note, closed again."""
    with a_store(root) as store:
        drafts = [a_note(f"note number {n}") if n % 3 == 0 else an_event(n) for n in range(1, count + 1)]
        return append_all(store, *drafts)


def tamper(root: Path, *statements: str) -> None:
    """What somebody with a SQLite tool can do: drop the guards, then anything."""
    connection = apsw.Connection(str(root / "palyra.db"))
    names = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall()
    for (name,) in names:
        connection.execute(f"DROP TRIGGER {name}")
    for statement in statements:
        connection.execute(statement)
    connection.close()


def verify_directory(root: Path) -> VerifyReport:
    store = JournalStore.open_reader(root, SystemClock())
    try:
        return verify_now(store, (), True, lambda _what, _done, _total: None)
    finally:
        store.close()


def files_holding(root: Path, word: str) -> list[Path]:
    return [path for path in root.rglob("*") if path.is_file() and word.encode() in path.read_bytes()]
