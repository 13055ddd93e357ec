"""The mirror follows the journal, and searches through it show what this database says, and nothing else."""

import asyncio
import subprocess
import sys
from pathlib import Path

from prometheus_client import Metric

from mirroring import ANA, ANIMALS, BOB, a_mirrored_app, ask, remember, rows, tables, texts_of
from palyra.domain.memory import Change, Draft, ItemFilter
from palyra.domain.scope import Visibility
from palyra.services.memory import lifecycle
from palyra.services.memory.ingest import ingest
from palyra.services.memory.search import SearchRequest, search
from palyra.transports.collect import AppCollector
from postgres import Postgres
from support import run


def test_a_search_through_the_engine_finds_what_the_local_index_finds(tmp_path: Path, server: Postgres) -> None:
    async def work() -> None:
        async with a_mirrored_app(tmp_path, server) as (app, external):
            await remember(app, ANIMALS)
            alone = Visibility("user:ana")
            for question in ("who makes music?", "which pet is in the water", "where does the horse rest"):
                through = await ask(app, question)
                local = await search(
                    app.memory, SearchRequest(question, want=_everything()), alone
                )  # a filter is answered here
                assert through.degraded == ()
                assert set(texts_of(through)[:3]) & set(texts_of(local)[:5])
            status = await external.status()
            assert (status.state, status.pending, status.fallbacks, status.rejected) == ("healthy", 0, {}, {})
            assert status.searches == 3
            assert status.query_p95_ms is not None
            metrics = {metric.name: metric for metric in AppCollector(app).collect()}
            assert metrics["palyra_external_searches"].samples[0].value == 3
            assert metrics["palyra_external_freshness_ms"].samples[0].value == 0
            assert by_label(metrics["palyra_external_state"])["healthy"] == 1
            assert by_label(metrics["palyra_external_objective_target"]) == {
                "freshness": 60_000,
                "query_p95": 250,
                "fallback_rate": 0.01,
                "reconcile_success": 0.99,
            }
            assert by_label(metrics["palyra_external_objective_value"])["fallback_rate"] == 0
            assert "reconcile_success" not in by_label(metrics["palyra_external_objective_value"])
            assert set(by_label(metrics["palyra_external_objective_met"])) == {one.name for one in status.objectives}
        assert rows(server) == len(ANIMALS)

    run(work())


def test_what_is_sensitive_is_not_mirrored_and_found_all_the_same(tmp_path: Path, server: Postgres) -> None:
    async def work() -> None:
        async with a_mirrored_app(tmp_path, server) as (app, external):
            await remember(app, [*ANIMALS, "My sister Ines was diagnosed with diabetes in March."])
            assert (await external.status()).pending == 0
            assert "My sister Ines was diagnosed with diabetes in March." in texts_of(
                await ask(app, "diabetes of Ines")
            )
            assert rows(server) == len(ANIMALS)
            assert (await external.drift()).count == 0

    run(work())


def by_label(metric: Metric) -> dict[str, float]:
    return {label: sample.value for sample in metric.samples for label in sample.labels.values()}


def _everything() -> ItemFilter:
    return ItemFilter(include_past=True)


def test_the_engine_is_told_no_word_and_no_name(tmp_path: Path, server: Postgres) -> None:
    async def work() -> None:
        async with a_mirrored_app(tmp_path, server) as (app, _):
            where = Visibility("user:ana", "discord:zebra", "standup")
            await remember(app, ["the launch code is on the wiki", "Zanzibar is warm"], where)
            [table] = tables(server)
            told = server.sql(f"SELECT row_to_json(t) FROM {table} t")
            contents = app.store.db.read_now(
                lambda tx: tx.execute("SELECT hex(content_hash) FROM memory_items").fetchall()
            )
            hashes = [str(content).lower()[:12] for (content,) in contents]
            for word in ("launch", "wiki", "zanzibar", "user:ana", "discord", "zebra", "standup", *hashes):
                assert word not in told.lower()

    run(work())


def test_changes_and_deletions_reach_the_engine(tmp_path: Path, server: Postgres) -> None:
    async def work() -> None:
        async with a_mirrored_app(tmp_path, server) as (app, external):
            first, second, third = await remember(app, ["Ana likes tea", "Bo plays chess", "Cy lives in Rome"])
            await lifecycle.delete(app.memory, [first], ANA)
            await lifecycle.update(app.memory, second, Change(text="Bo plays the violin"), ANA)
            assert "Ana likes tea" not in texts_of(await ask(app, "who likes tea"))
            await app.memory.follower.backfill()
            await external.catch_up()
            assert rows(server) == 2
            assert texts_of(await ask(app, "who plays an instrument"))[0] == "Bo plays the violin"
            assert (await external.drift()).count == 0
            await lifecycle.purge(app.memory, ANA, everything=True)
            await external.catch_up()
            assert rows(server) == 0
            assert third

    run(work())


def test_what_the_engine_does_not_know_yet_is_found_by_meaning_all_the_same(tmp_path: Path, server: Postgres) -> None:
    async def work() -> None:
        async with a_mirrored_app(tmp_path, server) as (app, external):
            await remember(app, ANIMALS)
            async with external._working:  # the follower is held up
                await ingest(app.memory, Draft("Dora keeps bees and sells honey"), ANA)
                await app.memory.follower.backfill()
                found = await ask(app, "who has an apiary with insects")
                assert found.degraded == ()
                assert "Dora keeps bees and sells honey" in texts_of(found)
            assert rows(server) == len(ANIMALS)

    run(work())


def test_a_channel_item_is_neither_proposed_nor_shown_elsewhere(tmp_path: Path, server: Postgres) -> None:
    async def work() -> None:
        async with a_mirrored_app(tmp_path, server) as (app, _):
            here, there = Visibility("user:ana", "discord:1"), Visibility("user:ana", "discord:2")
            await remember(app, ["the launch code is on the wiki"], here)
            await remember(app, ["the lunch menu is on the door"], there)
            await remember(app, ["Bob has a launch code, too"], BOB)
            assert texts_of(await ask(app, "launch code", here)) == ["the launch code is on the wiki"]
            assert texts_of(await ask(app, "launch code", ANA)) == []
            assert texts_of(await ask(app, "launch code", BOB)) == ["Bob has a launch code, too"]

    run(work())


def test_vectors_of_another_model_replace_the_mirror(tmp_path: Path, server: Postgres) -> None:
    async def work() -> None:
        async with a_mirrored_app(tmp_path, server, provider="hash") as (app, _):
            await remember(app, ANIMALS[:20])
            [before] = tables(server)
        async with a_mirrored_app(tmp_path, server, provider="local") as (app, external):
            await app.memory.follower.backfill()
            await external.catch_up()
            [after] = tables(server)
            assert after != before
            assert rows(server) == 20
            status = await external.status()
            assert status.elsewhere == {}
            assert (await ask(app, "who makes music")).degraded == ()

    run(work())


def test_without_an_engine_nothing_of_it_is_loaded(tmp_path: Path) -> None:
    program = (
        "import asyncio, sys\n"
        "from palyra.app import build_app\n"
        "from palyra.settings import load\n"
        f"flags = {{'daemon.data_dir': {str(tmp_path / 'data')!r}}}\n"
        "async def work():\n"
        "    async with build_app(load(flags, {}).settings) as app:\n"
        "        assert app.memory.external is None\n"
        "asyncio.run(work())\n"
        "ours = ('asyncpg', 'pgvector', 'services.external')\n"
        "loaded = [name for name in sys.modules if any(one in name for one in ours)]\n"
        "assert not loaded, loaded\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


def test_whoever_stops_waiting_does_not_stop_what_is_on_its_way(tmp_path: Path, server: Postgres) -> None:
    async def work() -> None:
        async with a_mirrored_app(tmp_path, server) as (app, external):
            await remember(app, ANIMALS[:10])
            await ingest(app.memory, Draft("Dora keeps bees and sells honey"), ANA)
            await app.memory.follower.backfill()
            waiting = asyncio.ensure_future(external.reconcile())
            await asyncio.sleep(0.02)
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)
            await external.catch_up()
            assert rows(server) == 11
            assert (await external.drift()).count == 0

    run(work())
