"""The embedding follower: gives every open item a vector, outside any transaction, and takes it up again anywhere.

What is missing is asked of the database, so there is no cursor to lose: a kill half way costs one batch. While the
configured model is not through yet, searches go on with the vectors of the model before it, and new items get both.
"""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from palyra.core import limits
from palyra.core.errors import Deadline, FailedPrecondition, PalyraError, Unavailable
from palyra.core.hashing import sha256
from palyra.domain.journal import Receipt
from palyra.ports import EmbeddingIdentity, EmbeddingProvider, Role, WeightedQueries, WeightedSpan
from palyra.services.memory.engine import SearchEngine
from palyra.services.memory.words import WordFollower
from palyra.store.connection import WriteTx
from palyra.store.journal_store import JournalStore
from palyra.store.memory.follower import (
    PendingRow,
    count_vectors,
    drop_vectors,
    name_model,
    pending_vectors,
    put_vectors,
    vector_identities,
    write_vectors,
)
from palyra.store.memory.search import index_pending

Vectors = npt.NDArray[np.float32]

Names: TypeAlias = Sequence[tuple[int, int]]
"""(start, end) of speakers' names in a query"""
QueryEmbedder: TypeAlias = Callable[[Names], Vectors]
Follow: TypeAlias = Callable[[WriteTx, tuple[Receipt, ...]], None]
"""what a commit writes beside its events"""

_NAME_WEIGHT = 0.1
"""not 0: a query of nothing but names must point somewhere"""
_QUERY_SECONDS = 5.0
_DROPPED_AT_ONCE = 2_000
_RETRY_SECONDS = 30.0
_GATHER_SECONDS = 0.1
"""a commit of vectors after every single write would make the next write wait for it"""


class QueryCache(Protocol):
    """Vectors of queries asked before. A write never empties it: it depends on the model alone."""

    def get(self, identity: EmbeddingIdentity, text: str) -> Vectors | None: ...
    def put(self, identity: EmbeddingIdentity, text: str, vector: Vectors) -> None: ...


@dataclass(frozen=True, slots=True)
class BackfillReport:
    identity: str
    embedded: int
    """by this call"""
    done: int
    total: int
    error: PalyraError | None
    """why it stopped early"""

    @property
    def pending(self) -> int:
        return self.total - self.done


class EmbeddingFollower:
    def __init__(
        self,
        store: JournalStore,
        engine: SearchEngine,
        provider: EmbeddingProvider,
        cache: QueryCache,
        *,
        batch: int = 64,
        older: Callable[[str], EmbeddingProvider | None] = lambda _identity: None,
        leaves: Callable[[str], bool] = lambda _text: True,
        is_elsewhere: Callable[[str], bool] = lambda _identity: False,
    ) -> None:
        """`leaves`: whether a question may be sent to a model elsewhere; `is_elsewhere`: whether a model of that
        identity is, and what is sensitive is not for it."""
        self.words = WordFollower(store)
        self._store = store
        self._engine = engine
        self._provider = provider
        self._cache = cache
        self._batch = batch
        self._older = older
        self._leaves = leaves
        self._is_elsewhere = is_elsewhere
        self._serving = provider
        self._needs_no_network = isinstance(provider, WeightedQueries)
        self._looked = False
        self._is_loaded = False
        """the configured model, and the database knows it"""
        self._woken = asyncio.Event()
        self._working = asyncio.Lock()
        self._written = 0
        """items, since the process began"""
        self._finished = 0
        """of those: written before the last pass that left nothing out"""
        self._seen: dict[str, int] = {}
        """up to which seq nothing is pending, by model; a full backfill begins anew"""
        self.last_error: PalyraError | None = None

    @property
    def identity(self) -> str:
        """of the configured model"""
        return str(self._provider.identity)

    @property
    def takes_sensitive(self) -> bool:
        """Whether the configured model may be told what is sensitive."""
        return not self._is_elsewhere(self.identity)

    @property
    def serving(self) -> str:
        """of the vectors that searches compare with"""
        return str(self._serving.identity)

    @property
    def serving_dims(self) -> int:
        return self._serving.identity.dims

    # -- queries

    async def query_embedder(self, text: str) -> QueryEmbedder:
        """How to embed this query once the index has said which of its words are speakers' names.

        Raises what the model raises; the caller goes on without vectors and says so."""
        await self.look_around()
        serving = self._serving
        if isinstance(serving, WeightedQueries):
            return lambda names: self._embed_beside_names(serving, text, names)
        if self._is_elsewhere(str(serving.identity)) and not self._leaves(text):
            raise FailedPrecondition(
                "the question is sensitive, and the embedding model is elsewhere",
                hint="it is searched by words; memory.send_sensitive lets it be sent",
            )
        vector = self._cache.get(serving.identity, text)
        if vector is None:
            try:
                async with asyncio.timeout(_QUERY_SECONDS):
                    made = await asyncio.to_thread(_embed, serving, [text], "query")
            except TimeoutError:
                raise Deadline(
                    f"the embedding model gave no answer within {_QUERY_SECONDS:g} s", hint="palyra memory status"
                ) from None
            vector = made[0]
            self._cache.put(serving.identity, text, vector)
        found = vector
        return lambda _names: found

    def _embed_beside_names(self, provider: WeightedQueries, text: str, names: Names) -> Vectors:
        """A name draws the query to turns that address that person, away from those where they speak."""
        identity = self._serving.identity
        key = text if not names else f"{text}\0{names}"
        vector = self._cache.get(identity, key)
        if vector is None:
            with _in_our_words(self._serving):
                vector = provider.embed_weighted(text, [WeightedSpan(start, end, _NAME_WEIGHT) for start, end in names])
            self._cache.put(identity, key, vector)
        return vector

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """For whoever wants the vectors themselves, by the configured model. Raises what the model raises."""
        return await self._embed_all(self._provider, texts)

    @property
    def answers_at_once(self) -> bool:
        """No network between: whoever waits for many vectors does not wait long, and pays nothing."""
        return isinstance(self._serving, WeightedQueries)

    async def embed_as_served(self, texts: Sequence[str]) -> tuple[str, Vectors]:
        """By the model that searches compare with, and which it is. Raises what the model raises."""
        await self.look_around()
        serving = self._serving
        return str(serving.identity), await self._embed_all(serving, texts)

    async def _embed_all(self, provider: EmbeddingProvider, texts: Sequence[str]) -> Vectors:
        batches = [texts[start : start + self._batch] for start in range(0, len(texts), self._batch)]
        return np.concatenate([await asyncio.to_thread(_embed, provider, one, "document") for one in batches])

    # -- following

    async def prepare(self) -> None:
        """For a process that stays: loads the model before the first who needs it. A failure shows when it is used."""
        with suppress(PalyraError):
            await self.look_around()
            await asyncio.to_thread(_embed, self._provider, ["ready"], "document")
            at_ms = self._store.clock.now_ms()
            await self._store.db.submit(lambda tx: name_model(tx, self.identity, at_ms))
            self._is_loaded = True

    async def vectors_now(self, texts: Sequence[str]) -> Follow | None:
        """What writes the vectors and words of many items in the very transaction that stores them, one by each of
        its events.

        Only with a model that is loaded and answers at once; else None, and the items get them later."""
        return await asyncio.to_thread(self._follow, texts) if self._is_at_once else None

    @property
    def _is_at_once(self) -> bool:
        is_ready = self._is_loaded and self._serving is self._provider and self.last_error is None
        return is_ready and self._needs_no_network

    def _follow(self, texts: Sequence[str]) -> Follow | None:
        try:
            vectors = _stored_form(_embed(self._provider, texts, "document"))
        except PalyraError:
            return None
        hashes, identity = [sha256(text.encode()) for text in texts], self.identity

        def follow(tx: WriteTx, receipts: tuple[Receipt, ...]) -> None:
            seqs = [receipt.seq for receipt in receipts[: len(texts)]]
            write_vectors(tx, identity, list(zip(seqs, hashes, vectors, strict=True)))
            while index_pending(tx):
                continue

        return follow

    def wake(self, items: int = 1) -> None:
        """So many items were written."""
        self._written += items
        self._woken.set()
        self.words.wake(items)

    def embed_now(self, texts: Sequence[str]) -> list[bytes] | None:
        """Vectors of a few new items, as they are stored, for a search that will not wait for the follower.

        None: the model has failed, or is not here."""
        if not self.answers_at_once or self.last_error is not None:
            return None
        try:
            return _stored_form(_embed(self._serving, texts, "document"))
        except PalyraError:
            return None

    async def run(self) -> None:
        """For as long as the process lives: at its start, and at once after writes. What fails here, or is pending
        for any other reason, is found by `backfill`, which a job calls from time to time."""
        async with asyncio.TaskGroup() as both:  # words do not wait for a model that is slow or gone
            both.create_task(self.words.run())
            both.create_task(self._run())

    async def _run(self) -> None:
        await asyncio.sleep(_GATHER_SECONDS)
        error = await self._catch_up()
        while True:
            if error is not None:
                await asyncio.sleep(_RETRY_SECONDS)
            await self._woken.wait()
            await asyncio.sleep(_GATHER_SECONDS)
            self._woken.clear()
            error = await self._catch_up(up_to=self._written)  # a backfill may have been faster

    async def finish(self) -> None:
        """Before a short-lived process ends: what it has written gets its words and vectors."""
        await self.words.finish()
        if self._written > self._finished:
            await self._catch_up()  # what fails stays pending, and status says so

    async def backfill(
        self,
        progress: Callable[[int, int], None] = lambda _done, _total: None,
        *,
        most: int | None = None,
        anew: bool = True,
    ) -> BackfillReport:
        """Embeds all that is pending, or a few batches until `most` are done. Stops at the first failure of the model;
        what is done stays done. Not `anew`: it goes on where the last one left off."""
        if anew:
            self._seen.clear()
            await self.words.catch_up()
        done, total = await self._count(self.identity)
        progress(done, total)
        embedded = 0

        def count(batch: int) -> None:
            nonlocal embedded
            embedded += batch
            progress(min(done + embedded, total), total)

        error = await self._catch_up(count, most=most)
        done, total = await self._count(self.identity)
        return BackfillReport(self.identity, embedded, done, total, error)

    async def _catch_up(
        self,
        count: Callable[[int], None] = lambda _batch: None,
        *,
        up_to: int | None = None,
        most: int | None = None,
    ) -> PalyraError | None:
        """`up_to`: nothing is left to do for somebody who only waits for the items written until then."""
        async with self._working:
            if up_to is not None and up_to <= self._finished:
                return None  # whoever was before us has done it
            if most is None:
                self._woken.clear()  # what is written from here on wakes it again
            before, done = self._written, 0
            error = None
            try:
                await self.look_around()
                if self._serving is not self._provider:
                    await self._embed_pending(self._serving, lambda _batch: None)
                done = await self._embed_pending(self._provider, count, most)
                if self._serving is not self._provider:
                    await self._switch_when_done()
            except PalyraError as failure:
                error = failure
            self.last_error = error
            if error is None and (most is None or done < most):
                self._finished = before
            return error

    async def _embed_pending(
        self, provider: EmbeddingProvider, count: Callable[[int], None], most: int | None = None
    ) -> int:
        identity, done = str(provider.identity), 0
        while rows := await self._store.db.read(
            partial(
                pending_vectors,
                identity=identity,
                after_seq=self._seen.get(identity, 0),
                limit=limits.BACKFILL_BATCH,
                sensitive=not self._is_elsewhere(identity),
            )
        ):
            vectors = await asyncio.to_thread(self._compute, provider, rows)
            await self._store.db.submit(
                partial(put_vectors, identity=identity, rows=vectors, at_ms=self._store.clock.now_ms())
            )
            self._is_loaded = self._is_loaded or provider is self._provider
            self._engine.vectors_written()
            self._seen[identity] = rows[-1].seq
            done += len(rows)
            count(len(rows))
            if len(rows) < limits.BACKFILL_BATCH or (most is not None and done >= most):
                break  # what has come meanwhile comes with the next pass, not one by one
        return done

    def _compute(self, provider: EmbeddingProvider, rows: Sequence[PendingRow]) -> list[tuple[int, bytes, bytes]]:
        vectors: list[tuple[int, bytes, bytes]] = []
        for start in range(0, len(rows), self._batch):
            part = rows[start : start + self._batch]
            stored = _stored_form(_embed(provider, [row.text for row in part], "document"))
            vectors += [(row.seq, row.content_hash, vector) for row, vector in zip(part, stored, strict=True)]
        return vectors

    async def look_around(self) -> None:
        """Which models' vectors are there: an older one serves until the configured one has caught up."""
        if self._looked:
            return
        others = [name for name in await self._store.db.read(vector_identities) if name != self.identity]
        if others:
            counts = {name: await self._count(name) for name in (*others, self.identity)}
            best = max(others, key=lambda name: counts[name][0])
            done, total = counts[self.identity]
            older = self._older(best) if done < total and counts[best][0] > done else None
            self._serving = older or self._provider
        self._serve()
        self._looked = True

    def _serve(self) -> None:
        self._engine.serve(self.serving, self._serving.identity.dims, self.embed_now)

    async def _count(self, identity: str) -> tuple[int, int]:
        sensitive = not self._is_elsewhere(identity)
        return await self._store.db.read(lambda tx: count_vectors(tx, identity, sensitive=sensitive))

    async def _switch_when_done(self) -> None:
        done, total = await self._count(self.identity)
        if done < total:
            return
        self._serving = self._provider
        self._serve()
        for identity in await self._store.db.read(vector_identities):
            if identity != self.identity:
                await self._drop(identity)

    async def _drop(self, identity: str) -> None:
        while await self._store.db.submit(lambda tx: drop_vectors(tx, identity, _DROPPED_AT_ONCE)):
            continue


def _embed(provider: EmbeddingProvider, texts: Sequence[str], role: Role) -> Vectors:
    """A failed call never stores a vector, and neither does a wrong answer."""
    with _in_our_words(provider):
        vectors = provider.embed(texts, role)
    if vectors.shape != (len(texts), provider.identity.dims) or not np.isfinite(vectors).all():
        raise Unavailable(
            f"embedding model {provider.identity} answered {vectors.shape} for {len(texts)} texts, or not with numbers",
            hint="check memory.embeddings; search goes on by words",
        )
    return vectors


def _stored_form(vectors: Vectors) -> list[bytes]:
    return [vector.tobytes() for vector in vectors.astype(np.float16)]


@contextmanager
def _in_our_words(provider: EmbeddingProvider) -> Iterator[None]:
    """Whatever a model throws, following and searching go on without it."""
    try:
        yield
    except PalyraError:
        raise
    except Exception as error:  # a defect of the model must not end the follower
        raise Unavailable(
            f"embedding model {provider.identity} failed: {type(error).__name__}: {error}",
            hint="check memory.embeddings; search goes on by words",
        ) from error
