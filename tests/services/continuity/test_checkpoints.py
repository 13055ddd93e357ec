"""Checkpoints and branches: what is marked, what comes back, and that nothing else changes."""

from pathlib import Path

import pytest

from chatting import Chat, a_chat
from palyra.api import chat as sessions
from palyra.api import continuity as api
from palyra.api import journal, memory
from palyra.api import workspace as documents
from palyra.api.call import owner
from palyra.core.errors import (
    AlreadyExists,
    FailedPrecondition,
    InvalidArgument,
    NotFound,
    PermissionDenied,
)
from services.continuity.continuing import block_in_prompt, compact, read, record, taped, turns, write
from support import run, verify_directory


async def said(chat: Chat, session: str) -> list[str]:
    entries = (await chat.do(sessions.transcript, session=session)).entries
    return [entry.payload["text"] for entry in entries if entry.type == "user_message"]


async def same_after_rebuild(chat: Chat) -> None:
    before, after = await chat.app.journal.rebuild(lambda _done: None)
    assert before == after


def test_a_checkpoint_says_where_everything_stood(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            session = await taped(chat, "trip", 3)
            written = await write(chat, "projects/trains.md", "# Trains\n")
            made = await chat.do(
                api.create, session="trip", name="before Porto", note="all is well", tags=("a", "b"), request_id="r"
            )
            again = await chat.do(
                api.create, session="trip", name="before Porto", note="all is well", tags=("a", "b"), request_id="r"
            )
            assert made == again
            marks = {one.path: (one.revision, one.sha256) for one in made.documents}
            assert marks["projects/trains.md"] == (1, written.sha256)
            entries = (await chat.do(sessions.transcript, session=session)).entries
            assert made.tape_seq == entries[-1].seq
            assert made.seq == (await chat.do(journal.status)).size
            for name in (made.checkpoint_id, "before Porto"):
                assert await chat.do(api.get, checkpoint=name) == made
            second = await chat.do(api.create, session="trip")
            page = await chat.do(api.checkpoints, session="trip", limit=1)
            assert [one.checkpoint_id for one in page.checkpoints] == [second.checkpoint_id]
            rest = await chat.do(api.checkpoints, before_seq=page.next_before_seq)
            assert [one.checkpoint_id for one in rest.checkpoints] == [made.checkpoint_id]

    run(story())


def test_restoring_opens_a_branch_and_leaves_the_original_as_it_is(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            session = await taped(chat, "trip", 4)
            await write(chat, "MEMORY.md", "then\n")
            made = await chat.do(api.create, session=session, name="then")
            await record(chat, session, ["later"])
            await chat.do(sessions.undo, session=session)
            await chat.do(sessions.undo, session=session)
            await write(chat, "MEMORY.md", "now\n")
            await write(chat, "new.md", "new\n")
            back = await chat.do(api.restore, checkpoint="then", key="back", request_id="r")
            assert (await chat.do(api.restore, checkpoint="then", key="back", request_id="r")) == back
            branch = back.session.session_id
            assert back.missing == []
            assert await said(chat, branch) == turns(4), "also the turn that was undone since"
            assert await said(chat, session) == turns(3)
            assert await read(chat, "MEMORY.md", line=branch) == "then\n"
            assert await read(chat, "MEMORY.md") == "now\n"
            with pytest.raises(NotFound):
                await read(chat, "new.md", line=branch)
            await write(chat, "MEMORY.md", "of the branch\n", line=branch)
            assert await read(chat, "MEMORY.md") == "now\n"
            folder = chat.app.workspace_folder("user:ana")
            assert folder is not None
            assert (folder / "MEMORY.md").read_text() == "now\n"
            assert (await chat.do(api.get, checkpoint="then")) == made
            await same_after_rebuild(chat)

    run(story())
    assert verify_directory(tmp_path / "data").findings == ()


def test_a_branch_from_before_a_reset_has_what_was_said_then(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            session = await taped(chat, "trip", 3)
            await chat.do(api.create, session=session, name="one")
            await chat.do(sessions.reset, session=session)
            await record(chat, session, ["anew"])
            await chat.do(api.create, session=session, name="two")
            one = await chat.do(api.restore, checkpoint="one")
            two = await chat.do(api.restore, checkpoint="two")
            assert await said(chat, one.session.session_id) == turns(3)
            assert await said(chat, two.session.session_id) == ["anew"]

    run(story())


def test_a_branch_has_the_compactions_of_its_checkpoint_and_no_later_ones(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            session = await taped(chat, "trip")
            before = await chat.do(api.create, session=session)
            done = await compact(chat, session)
            made = await chat.do(api.get, checkpoint=done.checkpoint_id)
            assert (made.compactions, made.tags) == ([done.compaction_id], ["compaction"])
            plain = await chat.do(api.restore, checkpoint=before.checkpoint_id)
            condensed = await chat.do(api.restore, checkpoint=done.checkpoint_id)
            assert await block_in_prompt(chat, plain.session.session_id) == ""
            assert await block_in_prompt(chat, condensed.session.session_id) == await block_in_prompt(chat, session)

    run(story())


def test_a_compaction_in_a_branch_writes_the_branchs_documents(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            session = await taped(chat, "trip")
            await write(chat, "MEMORY.md", "mine\n")
            made = await chat.do(api.create, session=session)
            back = await chat.do(api.restore, checkpoint=made.checkpoint_id)
            branch = back.session.session_id
            child = await chat.do(sessions.branch, session=branch)
            await compact(chat, child.session_id)
            assert "Ines" in await read(chat, "MEMORY.md", line=branch)
            assert await read(chat, "MEMORY.md") == "mine\n"

    run(story())


def test_rolling_back_in_place_writes_new_revisions_and_deletes_nothing(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            session = await taped(chat, "trip", 3)
            for path in ("MEMORY.md", "gone.md", "same.md"):
                await write(chat, path, f"{path} then\n")
            made = await chat.do(api.create, session=session, name="then")
            await write(chat, "MEMORY.md", "now\n")
            await chat.do(documents.delete, path="gone.md")
            await write(chat, "new.md", "new\n")
            done = await chat.do(api.restore, checkpoint="then", in_place=True, request_id="r")
            again = await chat.do(api.restore, checkpoint="then", in_place=True, request_id="r")
            assert {one.path for one in done.written} == {"MEMORY.md", "gone.md"}
            assert again.written == done.written
            assert "same.md" in done.unchanged
            assert done.newer == ["new.md"]
            assert done.session is None
            assert await read(chat, "MEMORY.md") == "MEMORY.md then\n"
            assert await read(chat, "gone.md") == "gone.md then\n"
            assert await read(chat, "new.md") == "new\n"
            assert await said(chat, session) == turns(3)
            [newest, now, *_] = (await chat.do(documents.versions, path="MEMORY.md")).revisions
            assert (newest.source, newest.because, now.revision) == ("restore", made.checkpoint_id, newest.revision - 1)
            folder = chat.app.workspace_folder("user:ana")
            assert folder is not None
            assert (folder / "gone.md").read_text() == "gone.md then\n"
            nothing = await chat.do(api.restore, checkpoint="then", in_place=True)
            assert nothing.written == []
            await same_after_rebuild(chat)

    run(story())


def test_an_erased_document_is_missing_and_the_rest_comes_back(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            session = await taped(chat, "trip", 3)
            await write(chat, "secret.md", "erase me\n")
            await write(chat, "other.md", "then\n")
            await chat.do(api.create, session=session, name="then")
            await write(chat, "other.md", "now\n")
            await chat.do(documents.erase, path="secret.md", reason="asked for")
            back = await chat.do(api.restore, checkpoint="then")
            assert back.missing == ["secret.md"]
            assert await read(chat, "other.md", line=back.session.session_id) == "then\n"
            with pytest.raises(NotFound):
                await read(chat, "secret.md", line=back.session.session_id)
            done = await chat.do(api.restore, checkpoint="then", in_place=True)
            assert (done.missing, [one.path for one in done.written]) == (["secret.md"], ["other.md"])
            found = await chat.do(api.compare, checkpoint="then")
            [gone] = [one for one in found.documents if one.path == "secret.md"]
            assert (gone.change, gone.missing, gone.diff) == ("removed", ["first"], "")
            await same_after_rebuild(chat)

    run(story())


def test_comparing_shows_turns_documents_and_memories(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            session = await taped(chat, "trip", 3, is_read=False)
            old = (await chat.do(memory.retain, text="The spare key is under the pot")).memory_id
            for path in ("a.md", "b.md"):
                await write(chat, path, "one\ntwo\n")
            await chat.do(api.create, session=session, name="first")
            await chat.do(sessions.undo, session=session)
            await record(chat, session, ["something new"], is_read=False)
            await write(chat, "a.md", "one\nthree\n")
            await chat.do(documents.delete, path="b.md")
            await write(chat, "c.md", "c\n")
            new = (await chat.do(memory.retain, text="The boat leaves at nine")).memory_id
            await chat.do(memory.delete, memory_ids=[old])
            await chat.do(api.create, session=session, name="second")
            await record(chat, session, ["after both"], is_read=False)
            found = await chat.do(api.compare, checkpoint="first", other="second")
            assert (found.shared_runs, found.only_first_count, found.only_second_count) == (2, 1, 1)
            assert [run.asked for run in found.only_second] == ["something new"]
            changes = {one.path: one for one in found.documents}
            assert {path: one.change for path, one in changes.items()} == {
                "a.md": "changed",
                "b.md": "removed",
                "c.md": "added",
            }
            assert "-two\n" in changes["a.md"].diff
            assert "+three\n" in changes["a.md"].diff
            assert [(one.memory_id, one.change) for one in found.memories] == [(new, "stored"), (old, "deleted")]
            now = await chat.do(api.compare, checkpoint="second")
            assert [run.asked for run in now.only_second] == ["after both"]
            assert now.documents == []
            back = await chat.do(api.compare, checkpoint="second", other="first")
            assert [one.change for one in back.documents] == ["changed", "added", "removed"]

    run(story())


def test_a_branchs_documents_come_back_where_nobody_else_changed_them(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            session = await taped(chat, "trip", 3)
            await write(chat, "a.md", "one\ntwo\nthree\nfour\nfive\n")
            await write(chat, "gone.md", "x\n")
            await chat.do(api.create, session=session, name="then")
            branch = (await chat.do(api.restore, checkpoint="then")).session.session_id
            await write(chat, "a.md", "ONE\ntwo\nthree\nfour\nfive\n", line=branch)
            await write(chat, "new.md", "new\n", line=branch)
            await chat.do(documents.delete, path="gone.md", line=branch)
            await write(chat, "a.md", "one\ntwo\nthree\nfour\nFIVE\n")
            done = await chat.do(api.merge, session=branch, request_id="r")
            assert (await chat.do(api.merge, session=branch, request_id="r")) == done
            assert done.conflicts == []
            assert {one.path for one in done.written} == {"a.md", "new.md"}
            assert done.deleted == ["gone.md"]
            assert await read(chat, "a.md") == "ONE\ntwo\nthree\nfour\nFIVE\n"
            assert await read(chat, "new.md") == "new\n"
            again = await chat.do(api.merge, session=branch)
            assert (again.written, again.conflicts) == ([], [])
            await same_after_rebuild(chat)

    run(story())


def test_what_both_sides_changed_is_a_conflict_and_nothing_is_written(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            session = await taped(chat, "trip", 3)
            for path in ("a.md", "b.md", "c.md"):
                await write(chat, path, "one\n")
            await chat.do(api.create, session=session, name="then")
            branch = (await chat.do(api.restore, checkpoint="then")).session.session_id
            for path in ("a.md", "b.md", "c.md"):
                await write(chat, path, f"theirs of {path}\n", line=branch)
            await write(chat, "a.md", "mine\n")
            await chat.do(documents.delete, path="b.md")
            size = (await chat.do(journal.status)).size
            done = await chat.do(api.merge, session=branch)
            assert [one.path for one in done.conflicts] == ["a.md", "b.md"]
            assert (done.conflicts[0].lines[0].ours, done.conflicts[0].lines[0].theirs) == (
                "mine\n",
                "theirs of a.md\n",
            )
            assert "deleted" in done.conflicts[1].what
            assert (await chat.do(journal.status)).size == size
            for wrong in ({"mine": ("x.md",)}, {"mine": ("a.md",), "theirs": ("a.md",)}):
                with pytest.raises(InvalidArgument):
                    await chat.do(api.merge, session=branch, **wrong)
            done = await chat.do(api.merge, session=branch, mine=("a.md",), theirs=("b.md",))
            assert done.conflicts == []
            assert await read(chat, "a.md") == "mine\n"
            assert await read(chat, "b.md") == "theirs of b.md\n"
            assert await read(chat, "c.md") == "theirs of c.md\n"

    run(story())


def test_the_tree_shows_branches_under_what_they_come_from(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            session = await taped(chat, "trip", 3)
            made = await chat.do(api.create, session=session, name="then")
            one = await chat.do(api.restore, checkpoint="then", key="one")
            await chat.do(sessions.branch, session="one", key="below")
            await chat.do(sessions.branch, session="trip", key="two")
            for name in ("trip", "below"):
                found = (await chat.do(api.tree, session=name)).nodes
                assert [(node.session.key, node.depth) for node in found] == [
                    ("trip", 0),
                    ("one", 1),
                    ("below", 2),
                    ("two", 1),
                ]
            assert [point.name for point in found[0].checkpoints] == ["then"]
            assert found[1].session.session_id == one.session.session_id
            assert found[1].from_checkpoint == made.checkpoint_id
            assert found[3].from_checkpoint is None

    run(story())


def test_bad_input_is_one_clear_error(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            session = await taped(chat, "trip", 3)
            await chat.do(api.create, session=session, name="then")
            size = (await chat.do(journal.status)).size
            for wrong in (
                {"name": "x" * 201},
                {"note": "x" * 4_001},
                {"note": "\ud800"},
                {"tags": ("",)},
                {"tags": tuple(map(str, range(33)))},
            ):
                with pytest.raises(InvalidArgument):
                    await chat.do(api.create, session=session, **wrong)
            for page in ({"limit": 0}, {"limit": 501}, {"before_seq": -1}):
                with pytest.raises(InvalidArgument):
                    await chat.do(api.checkpoints, **page)
            with pytest.raises(NotFound):
                await chat.do(api.create, session="nothing")
            for operation in (api.get, api.compare, api.restore):
                with pytest.raises(NotFound, match="no checkpoint"):
                    await chat.do(operation, checkpoint="nothing")
            with pytest.raises(AlreadyExists):
                await chat.do(api.restore, checkpoint="then", key="trip")
            with pytest.raises(InvalidArgument, match="in place"):
                await chat.do(api.restore, checkpoint="then", key="other", in_place=True)
            with pytest.raises(FailedPrecondition, match="no documents of its own"):
                await chat.do(api.merge, session=session)
            assert (await chat.do(journal.status)).size == size

    run(story())


def test_a_checkpoint_is_its_principals_alone(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            made = await chat.do(api.create, session=await taped(chat, "trip", 3), name="then")
            bob = chat.as_(owner("user:bob"))
            for operation in (api.get, api.compare, api.restore):
                with pytest.raises(PermissionDenied):
                    await bob.do(operation, checkpoint=made.checkpoint_id)
                with pytest.raises(NotFound):
                    await bob.do(operation, checkpoint="then")
            assert (await bob.do(api.checkpoints)).checkpoints == []

    run(story())
