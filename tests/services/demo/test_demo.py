"""The sample history: every page has something to look at, and not a word of it is left when it is removed."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from palyra.api import access, chat, continuity, dispatch, learning, memory, workspace
from palyra.api import journal as journal_api
from palyra.api.call import Call, Caller, owner
from palyra.api.operating import cron, demo
from palyra.app import App
from palyra.core.errors import FailedPrecondition, InvalidArgument, PermissionDenied, Unauthenticated
from palyra.core.ids import MemoryId
from palyra.domain.access import GRANTABLE, Access, Capability
from palyra.domain.chat.session import RunOrigin
from palyra.domain.journal import Actor, EventDraft, EventFilter, Origin, RequestKey
from palyra.domain.memory import DAY_MS, Draft, Stored
from palyra.domain.scope import Visibility
from palyra.services import backup, erase
from palyra.services.chat.parts import NewMessage, Speaker
from palyra.services.demo import loading, standing
from palyra.services.demo.story import DOCUMENT, PRINCIPAL
from palyra.services.memory.ingest import ingest
from palyra.services.sessions.lifecycle import get
from palyra.store.projections import TABLES
from palyra.store.upkeep.principals import OWNED, events_of_principal
from support import an_app, files_holding, run, verify_directory

WORDS = (
    "Larkspur", "larkspur", "rowing", "Porto", "sofa", "lockers", "deposit", "monday-review", "boxes.md", "fragile",
    "short answers", "the-move", "from-a-page", "packing", "Counted again", "both ways start",
)  # fmt: skip
"""of notes, messages, titles, keys, names, documents, files, reasons and schedules"""
CONSOLE = Caller("user:local", GRANTABLE, Actor.USER, None, None, "the console")


class House:
    """The app, and short ways to ask it as its owner."""

    def __init__(self, app: App, caller: Caller | None = None) -> None:
        self.app = app
        self.call = Call(app, caller or owner("user:local"))

    async def do(self, operation: Any, **fields: Any) -> Any:
        return await dispatch.run(self.call, operation, operation.request(**fields))

    async def seen(self, operation: Any, field: str, **fields: Any) -> list[Any]:
        """What a list of the sample's principal shows."""
        return list(getattr(await self.do(operation, principal=PRINCIPAL, **fields), field))

    async def lists(self) -> dict[str, list[Any]]:
        found = {
            "sessions": await self.seen(chat.list_, "sessions"),
            "memories": await self.seen(memory.list_, "items"),
            "held": await self.seen(memory.candidates, "candidates"),
            "documents": await self.seen(workspace.list_, "documents"),
            "checkpoints": await self.seen(continuity.checkpoints, "checkpoints"),
            "jobs": await self.seen(cron.list_, "jobs"),
        }
        if found["sessions"]:
            found["compactions"] = await self.seen(continuity.list_, "compactions", session="the-move")
        return found


@asynccontextmanager
async def a_house(root: Path, caller: Caller | None = None, **settings: str) -> AsyncIterator[House]:
    environ = {"PALYRA_MEMORY_EMBEDDINGS_PROVIDER": "hash", **settings}
    async with an_app(root, None, Access.OWN, **environ) as app:
        yield House(app, caller)


def loaded(root: Path) -> None:
    async def work() -> None:
        async with a_house(root) as house:
            await house.do(demo.load)

    run(work())


def left_behind(root: Path) -> list[str]:
    return [f"{word} in {path.name}" for word in WORDS for path in files_holding(root, word)]


async def somebody_has_the_name(house: House) -> MemoryId:
    """As it could be had before the sample kept it for itself."""
    done = await ingest(house.app.memory, Draft("I have this name for real."), Visibility(PRINCIPAL))
    assert isinstance(done.outcome, Stored)
    return done.outcome.memory_id


def test_every_page_has_something_to_look_at(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_house(tmp_path) as house:
            done = await house.do(demo.load)
            assert (done.principal, done.repeated) == (PRINCIPAL, False)
            found = await house.lists()
            assert all(found.values()), {name: len(rows) for name, rows in found.items()}
            assert {one.key for one in found["sessions"]} == {"the-move", "larkspur", "larkspur-sqlite", "questions"}
            assert [one.enabled for one in found["jobs"]] == [False]
            assert {one.source for one in found["memories"]} >= {"manual", "tape:user_message"}
            assert any(one.risk == "quarantined" for one in found["documents"])
            details = [
                await house.do(memory.get, memory_id=one.memory_id, principal=PRINCIPAL) for one in found["memories"]
            ]
            assert any(detail.conflicts for detail in details)
            assert any(detail.item.supersedes for detail in details)
            text = (await house.do(workspace.get, path="MEMORY.md", principal=PRINCIPAL)).text
            assert "PALYRA:BEGIN" in text
            told = await house.do(chat.transcript, session="the-move", principal=PRINCIPAL, limit=500)
            assert all(one.state == "done" for one in told.runs)
            assert any("boxes.md" in str(entry) for entry in told.entries)

    run(story())
    assert verify_directory(tmp_path).ok
    assert {word for word in WORDS if not files_holding(tmp_path, word)} == set()


WORDS_OF_MINE = "What I say while I look at the sample."
SPEAKING: tuple[tuple[Any, dict[str, Any]], ...] = (
    (memory.retain, {"text": WORDS_OF_MINE}),
    (memory.retain_many, {"items": [{"text": WORDS_OF_MINE}]}),
    (memory.import_, {"path": "mine.jsonl"}),
    (chat.send, {"session": "the-move", "text": WORDS_OF_MINE}),
    (chat.create, {"title": WORDS_OF_MINE}),
    (chat.rename, {"session": "the-move", "title": WORDS_OF_MINE}),
    (workspace.write, {"path": "projects/mine.md", "text": WORDS_OF_MINE}),
    (continuity.create, {"session": "the-move", "note": WORDS_OF_MINE}),
    (cron.create, {"name": "mine", "prompt": WORDS_OF_MINE, "cron": "0 8 * * *"}),
    (learning.reflect, {}),
    (chat.add_turns, {"session": "mine", "turns": [{"role": "user", "text": WORDS_OF_MINE}]}),
    (journal_api.append, {"kind": "note", "payload": {"text": WORDS_OF_MINE}}),
)


@pytest.mark.parametrize("caller", [None, CONSOLE], ids=["owner", "console"])
@pytest.mark.parametrize("is_loaded", [True, False], ids=["loaded", "absent"])
def test_nobodys_own_words_land_in_the_sample(tmp_path: Path, caller: Caller | None, is_loaded: bool) -> None:
    async def story() -> None:
        async with a_house(tmp_path, caller) as house:
            if is_loaded:
                await house.do(demo.load)
            there = await house.app.store.db.read(standing.sample_of)
            for operation, fields in SPEAKING:
                if caller is not None and not caller.may(operation.needs):
                    continue
                with pytest.raises(FailedPrecondition, match="nothing of yours is written there") as refused:
                    await house.do(operation, principal=PRINCIPAL, **fields)
                assert "your own memory: user:local" in refused.value.hint
            assert await house.app.store.db.read(standing.sample_of) == there

    run(story())
    assert files_holding(tmp_path, WORDS_OF_MINE) == []


def test_whoever_looks_at_the_sample_may_search_and_recall_in_it(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_house(tmp_path) as house:
            await house.do(demo.load)
            found = await house.do(memory.search_, query="when do the movers come", principal=PRINCIPAL)
            assert any("15 March" in hit.snippet for hit in found.hits[:2])
            block = (await house.do(memory.recall, query="when do the movers come", principal=PRINCIPAL)).block
            assert "15 March" in block

    run(story())


def test_its_documents_are_no_files_that_somebody_could_edit(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_house(tmp_path) as house:
            await house.do(demo.load)
            assert "rowing club" in (await house.do(workspace.get, path=DOCUMENT, principal=PRINCIPAL)).text
            assert not (tmp_path / "workspace" / ".principals").exists()

    run(story())


def test_its_history_spreads_over_weeks_and_says_when_it_was_really_written(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_house(tmp_path) as house:
            begun_ms = house.app.clock.now_ms()
            await house.do(demo.load)
            ages = []
            for one in await house.seen(chat.list_, "sessions"):
                told = await house.do(chat.transcript, session=one.key, principal=PRINCIPAL, limit=500)
                ages += [(begun_ms - entry.at_ms) / DAY_MS for entry in told.entries]
            items = await house.seen(memory.list_, "items")
            documents = await house.seen(workspace.list_, "documents")
            ages += [(begun_ms - item.said_at_ms) / DAY_MS for item in items]
            assert min(ages) > 0.5
            assert len({int(age / 7) for age in ages}) >= 4
            assert max(ages) > 35
            assert min((begun_ms - one.at_ms) / DAY_MS for one in documents if one.path.startswith("proj")) > 10
            events = await house.app.journal.list(EventFilter(principal=PRINCIPAL), limit=500)
            assert all(event.recorded_at_ms >= begun_ms for event in events)
            assert (await house.seen(chat.list_, "sessions"))[0].key == (await house.do(demo.status)).session

    run(story())


def test_a_second_load_says_it_is_there_and_writes_nothing(tmp_path: Path) -> None:
    loaded(tmp_path)

    async def story() -> None:
        async with a_house(tmp_path) as house:
            before = await house.app.journal.head()
            done = await house.do(demo.load)
            assert done.repeated
            assert await house.app.journal.head() == before
            assert (await house.do(demo.status)).state == "loaded"

    run(story())


def test_two_who_load_at_once_load_it_once(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_house(tmp_path) as house:
            both = await asyncio.gather(house.do(demo.load), house.do(demo.load))
            assert sorted(one.repeated for one in both) == [False, True]
            assert len(await house.seen(chat.list_, "sessions")) == 4

    run(story())


def test_nothing_of_the_sample_is_left_anywhere_and_the_owners_data_is_untouched(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_house(tmp_path) as house:
            mine = await house.do(memory.retain, text="My bicycle is green.")
            await house.do(workspace.write, path="projects/mine.md", text="# Mine\n\nA greenhouse.\n")
            await house.do(chat.create, key="mine", title="My own talk")
            await house.do(demo.load)
            await backup.create(house.app.store, tmp_path / "backups" / "b", lambda _done, _total: None)
            there = (await house.do(demo.status)).events
            done = await house.do(demo.remove)
            assert done.erased == there
            assert done.untouched_copies == []
            proof = await house.do(journal_api.prove, reference=done.certificate)
            assert proof.event.kind == "journal.principal_erased"
            assert not any((await house.lists()).values())
            assert (await house.do(demo.status)).state == "absent"
            assert (await house.do(memory.get, memory_id=mine.memory_id)).item.text == "My bicycle is green."
            assert "greenhouse" in (await house.do(workspace.get, path="projects/mine.md")).text
            assert [one.title for one in (await house.do(chat.list_)).sessions] == ["My own talk"]
            before, after = await house.app.journal.rebuild(lambda _seq: None)
            assert before == after
            assert (await house.do(demo.remove)).erased == 0

    run(story())
    assert left_behind(tmp_path) == []
    assert not (tmp_path / "workspace" / ".principals").exists()
    assert (tmp_path / "workspace" / "projects" / "mine.md").exists()
    report = verify_directory(tmp_path)
    assert report.ok, report.findings


def test_it_can_be_loaded_again_after_it_was_removed(tmp_path: Path) -> None:
    loaded(tmp_path)

    async def story() -> None:
        async with a_house(tmp_path) as house:
            await house.do(demo.remove)
            assert not (await house.do(demo.load)).repeated
            assert all((await house.lists()).values())
            await house.do(demo.remove)

    run(story())
    assert left_behind(tmp_path) == []
    assert verify_directory(tmp_path).ok


@pytest.mark.parametrize("step", ["_tell_before", "_talk_about_larkspur", "_compact", "_end"])
def test_a_load_that_was_cut_off_is_begun_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    async def cut_off(_stage: loading.Stage) -> None:
        raise KeyboardInterrupt

    async def load() -> str:
        async with a_house(tmp_path) as house:
            await house.do(demo.load)
            assert {one.key for one in await house.seen(chat.list_, "sessions")} >= {"the-move", "larkspur"}
            return str((await house.do(demo.status)).state)

    async def state() -> str:
        async with a_house(tmp_path) as house:
            return str((await house.do(demo.status)).state)

    with monkeypatch.context() as patch:
        patch.setattr(loading, step, cut_off)
        with pytest.raises(KeyboardInterrupt):
            run(load())
    assert run(state()) == "partial"
    assert run(load()) == "loaded"
    assert verify_directory(tmp_path).ok


def test_a_load_that_was_cut_off_can_be_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def cut_off(_stage: loading.Stage) -> None:
        raise FailedPrecondition("stopped here")

    async def story() -> None:
        async with a_house(tmp_path) as house:
            with monkeypatch.context() as patch:
                patch.setattr(loading, "_compact", cut_off)
                with pytest.raises(FailedPrecondition, match="stopped here"):
                    await house.do(demo.load)
            assert (await house.do(demo.remove)).erased > 100

    run(story())
    assert left_behind(tmp_path) == []


@pytest.mark.parametrize("operation", [demo.load, demo.remove])
def test_data_that_is_not_the_samples_is_never_touched(tmp_path: Path, operation: Any) -> None:
    async def story() -> None:
        async with a_house(tmp_path) as house:
            kept = await somebody_has_the_name(house)
            before = await house.app.journal.head()
            with pytest.raises(FailedPrecondition, match="not the sample's"):
                await house.do(operation)
            assert await house.app.journal.head() == before
            found = await house.do(memory.get, memory_id=kept, principal=PRINCIPAL)
            assert found.item.text == "I have this name for real."
            assert (await house.do(demo.status)).state == "foreign"
            await house.do(memory.retain, text="And it stays mine.", principal=PRINCIPAL)

    run(story())


@pytest.mark.parametrize("operation", [demo.load, demo.remove])
def test_an_owner_who_has_the_samples_name_keeps_everything(tmp_path: Path, operation: Any) -> None:
    async def story() -> None:
        async with a_house(tmp_path, PALYRA_MEMORY_DEFAULT_PRINCIPAL=PRINCIPAL) as house:
            with pytest.raises(FailedPrecondition, match="is the owner of this installation"):
                await house.do(operation)
            assert (await house.app.journal.head())[0] == 0

    run(story())


def test_nobody_can_pass_off_their_own_data_as_the_sample(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_house(tmp_path) as house:
            forged = EventDraft("demo.marked", {"state": "begun"}, Origin(PRINCIPAL))
            with pytest.raises(InvalidArgument, match="reserved"):
                await house.app.journal.append(forged)

    run(story())


def test_the_console_may_and_a_token_for_one_principal_may_not(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_house(tmp_path, CONSOLE) as house:
            await house.do(demo.load)
            assert (await house.do(demo.status)).state == "loaded"
            await house.do(demo.remove)
            for can in ({Capability.OPERATE}, set(Capability) - {Capability.OPERATE, Capability.OWN}):
                other = House(house.app, Caller("user:ana", frozenset(can)))
                for operation in (demo.load, demo.remove):
                    with pytest.raises(PermissionDenied):
                        await other.do(operation)

    run(story())


def test_a_token_of_the_sample_ends_with_it(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_house(tmp_path) as house:
            await house.do(demo.load)
            made = await house.do(access.create, principal=PRINCIPAL, capabilities=["read"], label="larkspur reader")
            await house.app.tokens.authenticate(made.token)
            await house.do(demo.remove)
            with pytest.raises(Unauthenticated):
                await house.app.tokens.authenticate(made.token)
            assert (await house.do(access.list_)).tokens == []

    run(story())
    assert left_behind(tmp_path) == []
    assert verify_directory(tmp_path).ok


def test_it_is_not_removed_while_a_turn_of_it_goes_on(tmp_path: Path) -> None:
    loaded(tmp_path)

    async def story() -> None:
        async with a_house(tmp_path) as house:
            session = await get(house.app.sessions, "larkspur", Visibility(PRINCIPAL))
            speaker = Speaker(Actor.USER, frozenset({Capability.READ}))
            key = RequestKey("r1", b"d" * 32)
            turn, _ = await house.app.chat.put(session, NewMessage("One more thing."), speaker, key, RunOrigin.CHAT)
            before = await house.app.journal.head()
            with pytest.raises(FailedPrecondition, match=f"run {turn.run_id} .* still going on"):
                await house.do(demo.remove)
            assert await house.app.journal.head() == before

    run(story())
    assert files_holding(tmp_path, "Larkspur") != []


def test_an_erasure_in_many_parts_goes_on_where_it_was_cut_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded(tmp_path)
    monkeypatch.setattr(erase, "_AT_ONCE", 40)
    real, parts = events_of_principal, [0]

    def cut_short(tx: Any, principal: str, limit: int) -> list[str]:
        parts[0] += 1
        if parts[0] > 4:
            raise FailedPrecondition("cut off")
        return real(tx, principal, limit)

    async def story() -> None:
        async with a_house(tmp_path) as house:
            with monkeypatch.context() as patch:
                patch.setattr(erase, "events_of_principal", cut_short)
                with pytest.raises(FailedPrecondition, match="cut off"):
                    await house.do(demo.remove)
            before, after = await house.app.journal.rebuild(lambda _seq: None)
            assert before == after
            assert (await house.do(demo.status)).state in ("loaded", "partial")
            await house.do(demo.remove)
            before, after = await house.app.journal.rebuild(lambda _seq: None)
            assert before == after

    run(story())
    assert left_behind(tmp_path) == []
    assert verify_directory(tmp_path).ok


def test_restoring_a_backup_from_before_brings_no_word_back(tmp_path: Path) -> None:
    root = tmp_path / "data"
    loaded(root)

    async def away() -> None:
        async with a_house(root) as house:
            await backup.create(house.app.store, tmp_path / "elsewhere", lambda _done, _total: None)
            await house.do(demo.remove)

    async def restore() -> None:
        async with an_app(root, access=Access.NONE) as app:
            await backup.restore(tmp_path / "elsewhere", app.directory, app.clock, app.options, replace=True)

    async def look() -> None:
        async with a_house(root) as house:
            assert not any((await house.lists()).values())
            assert not (await house.do(demo.load)).repeated
            await house.do(demo.remove)

    run(away())
    run(restore())
    assert left_behind(root) == []
    run(look())
    assert left_behind(root) == []
    report = verify_directory(root)
    assert report.ok, report.findings


def test_every_table_that_names_a_principal_is_emptied_with_it(tmp_path: Path) -> None:
    loaded(tmp_path)

    async def story() -> None:
        async with a_house(tmp_path) as house:

            def named(tx: Any) -> set[str]:
                columns = {table: {row[1] for row in tx.execute(f"PRAGMA table_info({table})")} for table in TABLES}
                return {table for table, names in columns.items() if "principal" in names}

            assert await house.app.store.db.read(named) == set(OWNED)

    run(story())
