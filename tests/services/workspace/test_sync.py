"""Files and journal in step: whoever changed something, the other side hears of it, and nobody's text is lost."""

import asyncio
import os
import secrets
from pathlib import Path

import pytest

from palyra.app import build_app
from palyra.core.errors import FailedPrecondition
from palyra.domain.access import Access
from palyra.domain.chat.continuity_events import MAIN
from palyra.domain.scope import Visibility
from palyra.domain.workspace.documents import CONTENT_BYTES, TEMPLATES
from palyra.services.workspace import changes, reading
from palyra.services.workspace.sync import FileVerdict, compare, sync
from palyra.settings import load
from palyra.store.workspace.records import KnownFile, Revision, newest
from services.workspace.document_desk import AGENT_DOES, I_DO, ME, a_desk
from support import an_app, run


def a_revision(sha256: str, number: int = 1, *, deleted: bool = False) -> Revision:
    return Revision(
        seq=1,
        event_id="",
        principal="user:ana",
        line=MAIN,
        path="a.md",
        revision=number,
        text="",
        sha256=sha256,
        base_sha256="",
        source="person",
        actor="user",
        trust=0,
        risk="clean",
        reasons=(),
        masked=False,
        deleted=deleted,
        moved_from="",
        because="",
        reason="",
        at_ms=0,
    )


@pytest.mark.parametrize(
    ("disk", "base", "current", "verdict"),
    [
        (None, None, None, FileVerdict.IN_STEP),
        ("a", KnownFile(1, "a"), a_revision("a"), FileVerdict.IN_STEP),
        ("a", None, a_revision("a"), FileVerdict.CLOSE),
        ("a", KnownFile(1, "a"), a_revision("a", 2), FileVerdict.CLOSE),
        (None, None, a_revision("a"), FileVerdict.APPLY),
        ("a", KnownFile(1, "a"), a_revision("b", 2), FileVerdict.APPLY),
        ("a", KnownFile(1, "a"), a_revision("", 2, deleted=True), FileVerdict.APPLY),
        ("b", KnownFile(1, "a"), a_revision("a"), FileVerdict.TAKE),
        ("b", None, None, FileVerdict.TAKE),
        (None, KnownFile(1, "a"), a_revision("a"), FileVerdict.TAKE),
        ("c", KnownFile(1, "a"), a_revision("b", 2), FileVerdict.BOTH),
        ("c", None, a_revision("b"), FileVerdict.BOTH),
        (None, KnownFile(1, "a"), a_revision("b", 2), FileVerdict.BOTH),
    ],
)
def test_three_hashes_say_who_has_changed_a_document(
    disk: str | None, base: KnownFile | None, current: Revision | None, verdict: FileVerdict
) -> None:
    assert compare(disk, base, current) is verdict


def test_templates_come_once_and_never_over_something_that_is_there(tmp_path: Path) -> None:
    async def work() -> None:
        async with a_desk(tmp_path / "data") as desk:
            desk.save("MEMORY.md", "mine\n")
            assert await desk.paths() == sorted(TEMPLATES)
            assert await desk.text("MEMORY.md") == "mine\n"
            assert (desk.root / "README.md").read_text() == TEMPLATES["README.md"]
            (desk.root / "README.md").unlink()
            assert await desk.paths() == ["HEARTBEAT.md", "MEMORY.md"]
        async with a_desk(tmp_path / "data") as desk:
            assert await desk.paths() == ["HEARTBEAT.md", "MEMORY.md"]

    run(work())


@pytest.mark.parametrize("text", ["\ufeffa\r\nb\rc\n\n", "", "no newline", "\u2028\x0b\x1f", "Ω" * 65_000])
def test_any_text_comes_back_byte_for_byte_from_either_side(tmp_path: Path, text: str) -> None:
    async def work() -> None:
        async with a_desk(tmp_path / "data") as desk:
            desk.save("daily/one.md", text)
            assert await desk.text("daily/one.md") == text
            await desk.write("daily/two.md", text)
            assert (desk.root / "daily/two.md").read_bytes() == text.encode()
            before, after = await desk.app.journal.rebuild(lambda _seq: None)
            assert before == after
            assert await desk.text("daily/two.md") == text

    run(work())


def test_what_both_have_changed_is_the_persons_and_ours_is_kept_beside_it(tmp_path: Path) -> None:
    async def work() -> None:
        async with a_desk(tmp_path / "data") as desk:
            await desk.write("context/a.md", "one\n")
            desk.workspace.on_step = lambda step: desk.save("context/a.md", "person\n") if step == "committed" else None
            done = await desk.write("context/a.md", "ours\n", AGENT_DOES)
            desk.workspace.on_step = lambda _step: None
            assert (done.revision.revision, done.revision.text) == (2, "ours\n")
            assert await desk.text("context/a.md") == "person\n"
            assert await desk.text("context/a.conflict-2.md") == "ours\n"
            assert (desk.root / "context/a.md").read_text() == "person\n"
            assert (desk.root / "context/a.conflict-2.md").read_text() == "ours\n"
            [copy] = await reading.versions(desk.workspace, "context/a.conflict-2.md", ME)
            assert (copy.actor, copy.source) == ("agent", "agent")

    run(work())


def test_a_file_that_a_person_deletes_is_deleted_and_can_be_restored(tmp_path: Path) -> None:
    async def work() -> None:
        async with a_desk(tmp_path / "data") as desk:
            await desk.write("a.md", "text\n")
            (desk.root / "a.md").unlink()
            assert "a.md" not in await desk.paths()
            await changes.restore(desk.workspace, "a.md", 1, I_DO)
            assert (desk.root / "a.md").read_text() == "text\n"

    run(work())


def test_a_folder_that_is_lost_is_written_anew_and_not_taken_for_deletion(tmp_path: Path) -> None:
    async def work() -> None:
        async with a_desk(tmp_path / "data") as desk:
            await desk.write("projects/a.md", "text\n")
            desk.root.rename(tmp_path / "elsewhere")
            await desk.sync()
            assert (desk.root / "projects/a.md").read_text() == "text\n"
            assert len(await reading.versions(desk.workspace, "projects/a.md", ME)) == 1

    run(work())


def test_what_cannot_be_a_document_is_told_and_left_alone(tmp_path: Path) -> None:
    async def work() -> None:
        async with a_desk(tmp_path / "data") as desk:
            await desk.paths()
            bad = {
                "binary.md": b"\xff\xfe",
                "nul.md": b"a\0b",
                "large.md": b"x" * (CONTENT_BYTES + 1),
                "memory.md": b"the same name elsewhere",
                "con.md": b"a device",
                "e\u0301.md": b"not NFC",
            }
            for name, data in bad.items():
                (desk.root / name).write_bytes(data)
            (desk.root / os.fsdecode(b"\xff.md")).write_bytes(b"name")
            (desk.root / "link.md").symlink_to("/etc/hostname")
            (desk.root / "folder.md").mkdir()
            assert sorted(await desk.problems()) == sorted([*bad, "\\xff.md", "link.md", "folder.md"])
            assert await desk.paths() == sorted(TEMPLATES)
            assert all((desk.root / name).read_bytes() == data for name, data in bad.items())

    run(work())


def test_a_revision_whose_file_cannot_be_written_waits_until_it_can(tmp_path: Path) -> None:
    async def work() -> None:
        async with a_desk(tmp_path / "data") as desk:
            await desk.paths()
            (desk.root / "a.md").mkdir()
            done = await desk.write("a.md", "text\n")
            assert (done.file, done.problem) == ("pending", "a.md is a folder, not a file; it was left alone")
            assert (await reading.status(desk.workspace, ME)).pending == ("a.md",)
            (desk.root / "a.md").rmdir()
            await desk.sync()
            assert (desk.root / "a.md").read_text() == "text\n"
            assert (await reading.status(desk.workspace, ME)).pending == ()

    run(work())


def test_a_secret_in_a_file_is_masked_in_the_journal_and_the_file_stays_the_persons_own(tmp_path: Path) -> None:
    secret = "ghp_" + secrets.token_hex(18)

    async def work() -> None:
        async with a_desk(tmp_path / "data") as desk:
            desk.save("a.md", f"token: {secret}\n")
            one = await reading.read(desk.workspace, "a.md", ME)
            assert one.revision.masked
            assert secret not in (one.revision.text or "")
            for change in (
                desk.write("a.md", "without it\n"),
                changes.delete(desk.workspace, "a.md", I_DO),
                changes.move(desk.workspace, "a.md", "b.md", I_DO),
            ):
                with pytest.raises(FailedPrecondition, match="secret"):
                    await change
            with pytest.raises(FailedPrecondition, match="secret"):
                await desk.write("b.md", f"token: {secret}\n")
            assert (desk.root / "a.md").read_text() == f"token: {secret}\n"
            desk.save("a.md", "without it\n")
            assert not (await reading.read(desk.workspace, "a.md", ME)).revision.masked
        held = [
            path for path in (tmp_path / "data").rglob("*") if path.is_file() and secret.encode() in path.read_bytes()
        ]
        assert held == []

    run(work())


def test_everybody_has_a_folder_of_their_own(tmp_path: Path) -> None:
    async def work() -> None:
        async with a_desk(tmp_path / "data") as desk:
            bob = Visibility("user:bob")
            by = changes.By(bob, I_DO.actor)
            await changes.write(desk.workspace, "a.md", "bob's\n", by)
            await desk.write("a.md", "mine\n")
            assert (desk.root / "a.md").read_text() == "mine\n"
            theirs = desk.app.workspace_folder("user:bob")
            assert theirs is not None
            assert (theirs / "a.md").read_text() == "bob's\n"
            await sync(desk.workspace, bob)
            assert await desk.text("a.md") == "mine\n"

    run(work())


def test_without_files_documents_are_in_the_journal_alone(tmp_path: Path) -> None:
    async def work() -> None:
        async with a_desk(tmp_path / "data", PALYRA_WORKSPACE_SYNC_FILES="false") as desk:
            done = await desk.write("a.md", "text\n")
            assert done.file == "none"
            assert await desk.text("a.md") == "text\n"
            assert not (tmp_path / "data" / "workspace").exists()

    run(work())


def test_a_daemon_takes_in_what_is_saved_while_nobody_asks(tmp_path: Path) -> None:
    async def work() -> None:
        settings = load({"daemon.data_dir": str(tmp_path / "data")}, {}).settings
        async with build_app(settings, serving=True) as app:
            folder = app.workspace_folder(ME.principal)
            assert folder is not None
            folder.mkdir()
            (folder / "a.md").write_text("saved\n")
            written = app.store.listen()
            async with asyncio.timeout(20):
                while not await app.store.db.read(lambda tx: newest(tx, "a.md", ME)):
                    await written.wait()
                    written.clear()
            assert app.jobs.find("workspace").last_error is None
            assert [path.name for path in folder.iterdir() if not path.name.startswith(".")] == ["a.md"]

    run(work())


def test_whoever_only_reads_the_journal_reads_documents_and_touches_no_file(tmp_path: Path) -> None:
    async def work() -> None:
        async with a_desk(tmp_path / "data") as desk:
            await desk.write("a.md", "text\n")
            desk.save("a.md", "saved since\n")
            async with an_app(tmp_path / "data", None, Access.READ) as reader:
                assert (await reading.read(reader.workspace, "a.md", ME)).revision.text == "text\n"

    run(work())
