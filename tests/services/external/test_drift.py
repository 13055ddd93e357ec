"""Drift is found by content, not by counting, and repaired; a rebuild starts from nothing while searches go on."""

import asyncio
from pathlib import Path

from mirroring import ANIMALS, a_mirrored_app, ask, remember, rows, tables
from palyra.services import backup
from postgres import Postgres
from support import run


def test_rows_that_are_missing_changed_or_foreign_are_found_and_put_right(tmp_path: Path, server: Postgres) -> None:
    async def work() -> None:
        async with a_mirrored_app(tmp_path, server) as (app, external):
            await remember(app, ANIMALS)
            [table] = tables(server)
            few = f"SELECT id FROM {table} ORDER BY id"
            server.sql(f"DELETE FROM {table} WHERE id IN ({few} LIMIT 3)")
            server.sql(f"UPDATE {table} SET mark = gen_random_uuid() WHERE id IN ({few} DESC LIMIT 2)")
            server.sql(
                f"INSERT INTO {table} SELECT gen_random_uuid(), '01ARZ3NDEKTSV4RRFFQ69G5FAV', scope, mark, vector"
                f" FROM {table} LIMIT 1"
            )
            drift = await external.drift()
            assert (len(drift.missing), len(drift.differing), len(drift.extra)) == (3, 2, 1)
            assert drift.items == len(ANIMALS)
            before, after = await external.reconcile()
            assert (before.count, after.count) == (6, 0)
            assert rows(server) == len(ANIMALS)
            status = await external.status()
            assert {one.name: one.is_met for one in status.objectives}["reconcile_success"]

    run(work())


def test_two_rows_that_changed_places_are_drift_although_the_count_is_right(tmp_path: Path, server: Postgres) -> None:
    async def work() -> None:
        async with a_mirrored_app(tmp_path, server) as (app, external):
            await remember(app, ANIMALS[:10])
            [table] = tables(server)
            server.sql(
                f"UPDATE {table} t SET vector = o.vector FROM {table} o WHERE (t.id, o.id) IN"
                f" (SELECT min(id), max(id) FROM {table} UNION SELECT max(id), min(id) FROM {table})"
            )
            found = await external.drift()
            assert (len(found.differing), found.rows) == (2, 10)
            assert (await external.reconcile())[1].count == 0

    run(work())


def test_an_engine_that_lost_everything_is_filled_again_by_itself(tmp_path: Path, server: Postgres) -> None:
    async def work() -> None:
        async with a_mirrored_app(tmp_path, server) as (app, external):
            await remember(app, ANIMALS)
            [table] = tables(server)
            server.sql(f"TRUNCATE {table}")
            assert (await ask(app, "who makes music")).degraded == ("external",)
            assert (await external.status()).doubt == "short"
            await external._compare_if_due(asyncio.get_running_loop().time() + 61)
            assert rows(server) == len(ANIMALS)
            assert (await ask(app, "who makes music")).degraded == ()

    run(work())


def test_a_rebuild_starts_from_nothing_and_searches_go_on(tmp_path: Path, server: Postgres) -> None:
    async def work() -> None:
        async with a_mirrored_app(tmp_path, server) as (app, external):
            await remember(app, ANIMALS)
            seen: list[tuple[str, int, int]] = []
            rebuilding = asyncio.create_task(external.rebuild(lambda *step: seen.append(step)))
            answers = 0
            while not rebuilding.done():
                assert (await ask(app, "who makes music")).hits
                answers += 1
            await rebuilding
            assert answers > 0
            assert seen[-1] == ("mirrored", len(ANIMALS), len(ANIMALS))
            assert rows(server) == len(ANIMALS)
            assert (await external.drift()).count == 0

    run(work())


def test_after_a_restore_what_the_engine_has_too_much_is_removed_by_itself(tmp_path: Path, server: Postgres) -> None:
    async def work() -> None:
        root, copy = tmp_path / "data", tmp_path / "copy"
        async with a_mirrored_app(root, server) as (app, _):
            await remember(app, ANIMALS[:10])
            await backup.create(app.store, copy, lambda _done, _total: None)
            await remember(app, ANIMALS[10:15])
            assert rows(server) == 15
            directory, clock, options = app.directory, app.clock, app.options
        await backup.restore(copy, directory, clock, options, replace=True)
        async with a_mirrored_app(root, server) as (app, external):
            await app.memory.follower.backfill()
            await external.catch_up()
            assert len((await ask(app, "who makes music", top_k=64)).hits) <= 10
            await external._compare_if_due(asyncio.get_running_loop().time() + 61)
            assert rows(server) == 10
            assert (await external.drift()).count == 0

    run(work())
