"""Rows and bytes of attachments: who sees them, and what erasing, replaying and old copies leave of them."""

from functools import partial
from pathlib import Path

from palyra.core.ids import AttachmentId
from palyra.domain.chat.session_events import AttachmentAdded
from palyra.domain.journal import Origin, draft_of_event
from palyra.domain.scope import Everyone, Visibility
from palyra.services import backup
from palyra.services.erase import erase
from palyra.store.connection import ReadTx
from palyra.store.sessions.attachments import attachments_at, fetch_attachment, fetch_blob, put_blob
from palyra.store.sessions.search import matching_words
from palyra.store.upkeep.backup import open_backup
from palyra.store.upkeep.rebuild import find_drift
from palyra.store.visibility import Seer
from support import ANA, an_app, files_holding, run, verify_directory

ID = "ab" * 32
DATA = b"bytes-of-the-marmalade-file"
HERE = Visibility("user:ana", "discord:1", "s1")


def added(text: str = "", name: str = "a.txt", attachment_id: str = ID) -> AttachmentAdded:
    return AttachmentAdded(AttachmentId(attachment_id), name, "text/plain", len(DATA), text)


def blobs(tx: ReadTx) -> list[tuple[object, ...]]:
    return tx.execute("SELECT principal, attachment_id FROM session_blobs ORDER BY 1, 2").fetchall()


def test_an_attachment_is_read_back_as_it_was_added(tmp_path: Path) -> None:
    with_all = AttachmentAdded(AttachmentId(ID), "a.png", "image/png", 9, "text", 40, 30, ("turned", "cut"))

    async def work() -> None:
        async with an_app(tmp_path) as app:
            draft = draft_of_event(with_all, Origin("user:ana", channel="discord:1", session_id="s1"))
            receipt = await app.store.append(app.store.prepare(draft))
            found = await app.store.db.read(lambda tx: fetch_attachment(tx, ID, HERE))
            assert found is not None
            assert (found.attachment_id, found.seq, found.event_id) == (ID, receipt.seq, receipt.event_id)
            assert (found.name, found.media_type, found.size_bytes, found.text) == ("a.png", "image/png", 9, "text")
            assert (found.width, found.height, found.warnings) == (40, 30, ("turned", "cut"))
            assert (found.scope.principal, found.scope.channel, found.session_id) == ("user:ana", "discord:1", "s1")
            assert found.at_ms == receipt.recorded_at_ms

    run(work())


def test_row_and_bytes_are_seen_only_from_where_they_were_added(tmp_path: Path) -> None:
    async def work() -> None:
        async with an_app(tmp_path) as app:
            store = app.store
            origin = Origin("user:ana", channel="discord:1", session_id="s1")
            await store.append(store.prepare(draft_of_event(added(), origin)))
            await store.db.submit(lambda tx: put_blob(tx, "user:ana", ID, DATA))
            seers: dict[Seer, bool] = {
                HERE: True,
                Visibility("user:ana", "discord:1", "s2"): False,
                Visibility("user:ana", "discord:2", "s1"): False,
                Visibility("user:ana"): False,
                Visibility("user:bob", "discord:1", "s1"): False,
                Everyone(): True,
            }
            for seer, sees in seers.items():
                row = await store.db.read(partial(fetch_attachment, attachment_id=ID, seer=seer))
                data = await store.db.read(partial(fetch_blob, attachment_id=ID, seer=seer))
                assert (row is not None, data == DATA) == (sees, sees), seer
            assert await store.db.read(lambda tx: attachments_at(tx, [1], Visibility("user:ana", "discord:1")))
            assert not await store.db.read(lambda tx: attachments_at(tx, [1], Visibility("user:ana", "discord:2")))
            assert not await store.db.read(lambda tx: attachments_at(tx, [1], Visibility("user:bob", "discord:1")))

    run(work())


def test_the_newest_row_that_can_be_seen_counts(tmp_path: Path) -> None:
    async def work() -> None:
        async with an_app(tmp_path) as app:
            store = app.store
            for name, session in (("old.txt", None), ("new.txt", None), ("hidden.txt", "s1")):
                origin = Origin("user:ana", session_id=session)
                await store.append(store.prepare(draft_of_event(added(name=name), origin)))
            found = await store.db.read(lambda tx: fetch_attachment(tx, ID, Visibility("user:ana")))
            assert found is not None
            assert found.name == "new.txt"

    run(work())


def test_erasing_takes_the_bytes_with_the_last_row_that_names_them(tmp_path: Path) -> None:
    async def work() -> None:
        async with an_app(tmp_path) as app:
            store = app.store
            ids = []
            for principal in ("user:ana", "user:ana", "user:bob"):
                draft = draft_of_event(added("marmalade recipe"), Origin(principal))
                ids.append((await store.append(store.prepare(draft))).event_id)
                await store.db.submit(partial(put_blob, principal=principal, attachment_id=ID, data=DATA))
            await erase(store, app.journal, [ids[0]], "asked for", ANA)
            assert await store.db.read(blobs) == [("user:ana", ID), ("user:bob", ID)]
            await erase(store, app.journal, [ids[1]], "asked for", ANA)
            assert await store.db.read(blobs) == [("user:bob", ID)]
            ana, bob = Visibility("user:ana"), Visibility("user:bob")
            assert await store.db.read(lambda tx: fetch_attachment(tx, ID, ana)) is None
            assert await store.db.read(lambda tx: fetch_blob(tx, ID, bob)) == DATA
            assert await store.db.read(lambda tx: matching_words(tx, ["marmalad", "marmalade"], ana, 9)) == []
            assert len(await store.db.read(lambda tx: matching_words(tx, ["marmalad", "marmalade"], bob, 9))) == 1
            # Replaying gives the live state, and leaves the bytes alone: they are not in the journal.
            assert (await store.db.read(find_drift))[1] == []
            before, after = await app.journal.rebuild(lambda _seq: None)
            assert before == after
            assert await store.db.read(blobs) == [("user:bob", ID)]

    run(work())
    assert verify_directory(tmp_path).ok


def test_no_file_holds_an_erased_attachment_and_backups_keep_the_others(tmp_path: Path) -> None:
    async def work() -> None:
        async with an_app(tmp_path) as app:
            store, ids = app.store, []
            for number, word in enumerate((b"quagmire-one", b"quagmire-two", b"quagmire-three")):
                attachment_id = f"{number:064x}"
                event = added(word.decode(), attachment_id=attachment_id)
                ids.append((await store.append(store.prepare(draft_of_event(event, ANA)))).event_id)
                await store.db.submit(
                    partial(put_blob, principal="user:ana", attachment_id=attachment_id, data=b"bytes:" + word)
                )
            kept = tmp_path / "backups" / "b"
            await backup.create(store, kept, lambda _done, _total: None)
            # Twice: the first scrub empties the copy's projections, and the second must still find the bytes.
            await erase(store, app.journal, [ids[0]], "asked for", ANA)
            await erase(store, app.journal, [ids[1]], "asked for", ANA)
            assert open_backup(kept, blobs) == [("user:ana", f"{2:064x}")]

    run(work())
    assert files_holding(tmp_path, "quagmire-one") == []
    assert files_holding(tmp_path, "quagmire-two") == []
    assert len(files_holding(tmp_path, "bytes:quagmire-three")) == 2


def test_the_text_of_an_attachment_is_found_by_its_words(tmp_path: Path) -> None:
    async def work() -> None:
        async with an_app(tmp_path) as app:
            draft = draft_of_event(added("the marmalade recipe"), ANA)
            receipt = await app.store.append(app.store.prepare(draft))
            found = await app.store.db.read(
                lambda tx: matching_words(tx, ["recip", "recipe"], Visibility("user:ana"), 9)
            )
            assert [seq for seq, _ in found] == [receipt.seq]

    run(work())
