"""Whatever an engine says: stale, foreign, deleted, unknown, twice or with another score, it changes a counter."""

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from mirroring import ANA, ANIMALS, BOB, a_mirrored_app, ask, remember, rows, tables, texts_of
from palyra.core.errors import Unavailable
from palyra.core.ids import MemoryId
from palyra.domain.retrieval.vectors import Floats
from palyra.ports import EngineProposal, MirrorIndex
from palyra.services.external.runtime import ExternalRuntime
from palyra.services.memory import lifecycle
from postgres import Postgres
from support import run


@dataclass
class Liar:
    """A real engine whose answers are changed on the way."""

    real: MirrorIndex
    tell: Callable[[list[EngineProposal]], Sequence[EngineProposal]] = field(default=lambda found: found)

    def __getattr__(self, name: str) -> object:
        return getattr(self.real, name)

    def nearest(self, principal: str, query: Floats, n: int, scopes: Sequence[bytes]) -> Sequence[EngineProposal]:
        return self.tell(list(self.real.nearest(principal, query, n, scopes)))


def made_to_lie(external: ExternalRuntime, tell: Callable[[list[EngineProposal]], Sequence[EngineProposal]]) -> None:
    assert external._mirror is not None
    server = external._mirror.server
    real = server.index.real if isinstance(server.index, Liar) else server.index
    server.index = Liar(real, tell)  # type: ignore[assignment]


def unknown_ids(found: list[EngineProposal]) -> list[EngineProposal]:
    return [one._replace(id=MemoryId(f"01ARZ3NDEKTSV4RRFFQ69G{n:04}")) for n, one in enumerate(found)]


LIES: dict[str, tuple[Callable[[list[EngineProposal]], Sequence[EngineProposal]], str]] = {
    "ids that nobody has": (unknown_ids, "unknown"),
    "the same id again and again": (lambda found: [found[0]] * len(found), "duplicated"),
    "no numbers": (lambda found: [one._replace(cosine=math.nan) for one in found], "poisoned"),
    "better scores": (lambda found: [one._replace(cosine=1.0) for one in found], "poisoned"),
    "what is no id": (lambda found: [one._replace(id=MemoryId("'; DROP TABLE")) for one in found], "poisoned"),
    "marks of another text": (lambda found: [one._replace(mark=bytes(16)) for one in found], "stale"),
    "nothing": (lambda _found: [], ""),
    "one of many": (lambda found: found[:1], ""),
}


@pytest.mark.parametrize("name", sorted(LIES))
def test_a_lie_changes_no_hit(tmp_path: Path, server: Postgres, name: str) -> None:
    tell, counted = LIES[name]

    async def work() -> None:
        async with a_mirrored_app(tmp_path, server) as (app, external):
            await remember(app, ANIMALS)
            honest = await ask(app, "who makes music?")
            made_to_lie(external, tell)
            lied = await ask(app, "who makes music?")
            assert lied.degraded == ("external",)
            assert [hit.item.memory_id for hit in lied.hits] == [hit.item.memory_id for hit in honest.hits]
            assert [hit.score for hit in lied.hits] == pytest.approx([hit.score for hit in honest.hits], abs=1e-4)
            status = await external.status()
            assert status.doubt
            if counted:
                assert status.rejected[counted] > 0

    run(work())


def test_foreign_and_deleted_ids_are_never_shown(tmp_path: Path, server: Postgres) -> None:
    async def work() -> None:
        async with a_mirrored_app(tmp_path, server) as (app, external):
            [secret] = await remember(app, ["Bob hides the piano keys under the mat"], BOB)
            mine = await remember(app, ANIMALS)
            await lifecycle.delete(app.memory, mine[:5], ANA)
            extra = [MemoryId(secret), *map(MemoryId, mine[:5])]
            made_to_lie(external, lambda found: [*(found[0]._replace(id=one) for one in extra), *found])
            found = await ask(app, "piano keys under the mat", top_k=64)
            shown = {hit.item.memory_id for hit in found.hits}
            assert not shown & set(extra)
            rejected = (await external.status()).rejected
            assert rejected["foreign"] == 1
            assert rejected["deleted"] == 5

    run(work())


def test_rows_that_somebody_wrote_into_the_engine_are_not_believed(tmp_path: Path, server: Postgres) -> None:
    async def work() -> None:
        async with a_mirrored_app(tmp_path, server) as (app, external):
            await remember(app, ANIMALS)
            honest = texts_of(await ask(app, "who makes music?"))
            [table] = tables(server)
            server.sql(
                f"UPDATE {table} SET vector = (SELECT vector FROM {table} ORDER BY id LIMIT 1)"
                f" WHERE id IN (SELECT id FROM {table} ORDER BY id DESC LIMIT 60)"
            )
            assert rows(server) == len(ANIMALS)
            found = await ask(app, "who makes music?")
            assert found.degraded == ("external",)
            assert texts_of(found) == honest
            drift = await external.drift()
            assert len(drift.differing) >= 50
            _, after = await external.reconcile()
            assert after.count == 0
            assert (await ask(app, "who makes music?")).degraded == ()

    run(work())


def test_an_engine_that_breaks_in_unforeseen_ways_costs_nothing(tmp_path: Path, server: Postgres) -> None:
    def breaks(_found: list[EngineProposal]) -> Collection[EngineProposal]:
        raise RuntimeError("unforeseen")

    async def work() -> None:
        async with a_mirrored_app(tmp_path, server) as (app, external):
            await remember(app, ANIMALS)
            honest = texts_of(await ask(app, "who makes music?"))
            made_to_lie(external, breaks)  # type: ignore[arg-type]
            for _ in range(3):
                found = await ask(app, "who makes music?")
                assert (texts_of(found), found.degraded) == (honest, ("external",))
            status = await external.status()
            assert status.fallbacks == {Unavailable.code: 3}
            assert status.state == "down"

    run(work())
