"""Handing in a file, reading it back, and giving images to a model."""

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import pytest

from attachment_files import a_docx, an_image, with_place
from palyra.app import App
from palyra.core import limits
from palyra.core.errors import Integrity, InvalidArgument, NotFound, PalyraError, TooLarge
from palyra.core.ids import AttachmentId, EventId
from palyra.core.redact import redact_text
from palyra.domain.access import Access
from palyra.domain.chat.attachments import StoredAttachment
from palyra.domain.journal import EventFilter
from palyra.domain.scope import Scope, Visibility
from palyra.ports import ModelInfo
from palyra.providers.extract.extractor import FileExtractor
from palyra.services.attachments import LoadedAttachment, attach, build_provider_image_inputs, load
from palyra.store.upkeep.rebuild import find_drift
from support import an_app, run, tamper

ANA = Visibility("user:ana")


@dataclass(frozen=True)
class Desk:
    app: App
    extractor: FileExtractor

    async def attach(self, name: str, data: bytes, caller: Visibility = ANA) -> StoredAttachment:
        return await attach(self.app.store, self.app.journal, self.extractor, name, data, caller)

    async def load(self, attachment_id: str, caller: Visibility = ANA) -> LoadedAttachment:
        return await load(self.app.store, attachment_id, caller)

    async def events(self) -> int:
        return len(await self.app.journal.list(EventFilter(kind="session.attached")))


@asynccontextmanager
async def a_desk(root: Path, **settings: str) -> AsyncIterator[Desk]:
    extractor = FileExtractor()
    try:
        async with an_app(root, None, Access.OWN, **settings) as app:
            yield Desk(app, extractor)
    finally:
        extractor.close()


def a_secret() -> str:
    """Looks like a token, and is none."""
    return "ghp_" + secrets.token_hex(18)


def test_a_file_is_read_kept_and_found_again(tmp_path: Path) -> None:
    async def work() -> None:
        data = a_docx("The launch is on Friday.")
        async with a_desk(tmp_path) as desk:
            made = await desk.attach("../plans/plan.docx", data, Visibility("user:ana", "discord:1", "s1"))
            assert (made.name, made.text, made.warnings) == ("plan.docx", "The launch is on Friday.", ())
            assert made.attachment_id == sha256(data).hexdigest()
            assert made.scope == Scope("user:ana", "discord:1", "s1")
            loaded = await desk.load(made.attachment_id, Visibility("user:ana", "discord:1", "s1"))
            assert loaded == LoadedAttachment(made, data)

    run(work())


def test_the_same_file_again_is_the_same_attachment_and_writes_nothing(tmp_path: Path) -> None:
    async def work() -> None:
        async with a_desk(tmp_path) as desk:
            first, second = await asyncio.gather(*[desk.attach("a.txt", b"words") for _ in range(2)])
            assert first == second
            assert await desk.events() == 1
            renamed = await desk.attach("b.txt", b"words")
            assert renamed.attachment_id == first.attachment_id
            assert await desk.events() == 2
            rows = await desk.app.store.db.read(lambda tx: tx.execute("SELECT count(*) FROM session_blobs").fetchall())
            assert rows == [(1,)]
            assert (await desk.load(first.attachment_id)).attachment.name == "b.txt"

    run(work())


def test_somebody_elses_attachment_is_not_found_like_one_that_nobody_has(tmp_path: Path) -> None:
    async def work() -> None:
        async with a_desk(tmp_path) as desk:
            made = await desk.attach("a.txt", b"words", Visibility("user:ana", "discord:1", "s1"))
            others = [
                Visibility("user:bob", "discord:1", "s1"),
                Visibility("user:ana", "discord:2", "s1"),
                Visibility("user:ana", "discord:1", "s2"),
                ANA,
            ]
            for other in others:
                with pytest.raises(NotFound) as theirs:
                    await desk.load(made.attachment_id, other)
                with pytest.raises(NotFound) as nobodys:
                    await desk.load("0" * 64, other)
                assert theirs.value.message.replace(made.attachment_id, "") == nobodys.value.message.replace(
                    "0" * 64, ""
                )

    run(work())


def test_an_id_that_is_none_is_not_found(tmp_path: Path) -> None:
    async def work() -> None:
        async with a_desk(tmp_path) as desk:
            for attachment_id in ("", "x", "../a", "A" * 64, "\ud800", "a" * 100_000):
                with pytest.raises(NotFound):
                    await desk.load(attachment_id)

    run(work())


@pytest.mark.parametrize("kind", ["text", "docx"])
def test_a_secret_in_a_file_is_kept_nowhere(kind: str, tmp_path: Path) -> None:
    secret = a_secret()
    text = f"The key is {secret} and the launch is on Friday."
    assert redact_text(text).spans

    async def work() -> None:
        async with a_desk(tmp_path) as desk:
            data = text.encode() if kind == "text" else a_docx(text)
            made = await desk.attach(f"keys.{kind}", data)
            assert secret not in made.text
            assert "Friday" in made.text
            assert "masked" in made.warnings[-1]
            assert made.media_type == "text/plain"
            loaded = await desk.load(made.attachment_id)
            assert loaded.data.decode() == made.text

    run(work())
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and secret.encode() in path.read_bytes()]


def test_a_secret_in_a_name_is_masked(tmp_path: Path) -> None:
    secret = a_secret()

    async def work() -> None:
        async with a_desk(tmp_path) as desk:
            made = await desk.attach(f"{secret}.txt", b"words")
            assert secret not in made.name

    run(work())


def test_a_long_text_is_cut_to_what_an_event_holds_and_says_so(tmp_path: Path) -> None:
    async def work() -> None:
        async with a_desk(tmp_path) as desk:
            for unit in ("word ", '\n\n"\\', "\u6f22", "\U0001f600"):
                text = unit * 200_000
                made = await desk.attach("long.txt", text.encode())
                assert 60_000 < len(made.text.encode()) <= 200_000
                assert text.strip().startswith(made.text)
                assert "only the first" in made.warnings[-1]
                assert (await desk.load(made.attachment_id)).data == text.encode()

    run(work())


def test_a_journal_with_small_payloads_takes_a_long_text_all_the_same(tmp_path: Path) -> None:
    async def work() -> None:
        async with a_desk(tmp_path, PALYRA_JOURNAL_MAX_PAYLOAD_BYTES="16384") as desk:
            made = await desk.attach("long.txt", b"word " * 100_000)
            assert 0 < len(made.text) <= 16_384

    run(work())


def test_hidden_characters_and_half_characters_do_not_get_through(tmp_path: Path) -> None:
    async def work() -> None:
        async with a_desk(tmp_path) as desk:
            made = await desk.attach("a.txt", "pay\u202eevil\u200b \x1b[2Jnow".encode())
            assert made.text == "payevil [2Jnow"
            assert "does not see" in made.warnings[0]
            half = b"\xff\xfe" + ("word " * 40).encode("utf-16-le") + b"\x00\xd8"
            assert "\ufffd" in (await desk.attach("b.txt", half)).text

    run(work())


def test_what_is_refused_changes_nothing(tmp_path: Path) -> None:
    bad: list[tuple[str, bytes, type[PalyraError]]] = [
        ("a.txt", b"", InvalidArgument),
        ("a.svg", b"<svg/>", InvalidArgument),
        ("a.jpg", an_image("jpeg", (300, 300))[:400], InvalidArgument),
        ("a.pdf", b"%PDF-1.7 nothing", InvalidArgument),
        ("a.txt", bytes(limits.ATTACHMENT_BYTES + 1), TooLarge),
    ]

    async def work() -> None:
        async with a_desk(tmp_path) as desk:
            for name, data, error in bad:
                with pytest.raises(error) as caught:
                    await desk.attach(name, data)
                assert caught.value.hint
            assert await desk.events() == 0

    run(work())


def test_of_a_photograph_nothing_is_stored_but_the_picture(tmp_path: Path) -> None:
    async def work() -> None:
        async with a_desk(tmp_path) as desk:
            made = await desk.attach("photo.jpg", an_image("jpeg", exif=with_place(6)))
            assert (made.width, made.height, made.text) == (30, 40, "")
            assert b"Telling" not in (await desk.load(made.attachment_id)).data

    run(work())
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and b"Telling Cameras" in path.read_bytes()]


def test_the_journal_bears_out_attachments_and_bytes_that_were_changed_are_told(tmp_path: Path) -> None:
    async def attach_one() -> str:
        async with a_desk(tmp_path) as desk:
            made = await desk.attach("a.txt", b"words")
            assert (await desk.app.store.db.read(find_drift))[1] == []
            return made.attachment_id

    attachment_id = run(attach_one())
    tamper(tmp_path, "UPDATE session_blobs SET data = x'00'")

    async def load_one() -> None:
        async with a_desk(tmp_path) as desk:
            with pytest.raises(Integrity, match="changed"):
                await desk.load(attachment_id)
            await desk.attach("a.txt", b"words")
            assert (await desk.load(attachment_id)).data == b"words"

    run(load_one())
    tamper(tmp_path, "DELETE FROM session_blobs")

    async def attach_again() -> None:
        async with a_desk(tmp_path) as desk:
            with pytest.raises(Integrity, match="missing"):
                await desk.load(attachment_id)
            await desk.attach("a.txt", b"words")
            assert (await desk.load(attachment_id)).data == b"words"

    run(attach_again())


# -- images for a model

SEES = ModelInfo("openai", "seer-1", 8_000, 1_000, takes_images=True, takes_tools=False)
BLIND = ModelInfo("offline", "reader-1", 8_000, 1_000, takes_images=False, takes_tools=False)


def loaded(name: str, size_bytes: int = 10, width: int = 10, media_type: str = "image/png") -> LoadedAttachment:
    attachment = StoredAttachment(
        AttachmentId(name), 1, EventId(""), Scope("user:ana"), name, media_type, size_bytes, "", width, 10, (), 0
    )
    return LoadedAttachment(attachment, bytes(size_bytes))


def test_three_images_go_to_a_model_and_the_fourth_hears_why_not() -> None:
    images, refused = build_provider_image_inputs([loaded(name) for name in "abcd"], SEES)
    assert [image.attachment_id for image in images] == ["a", "b", "c"]
    assert images[0].image.media_type == "image/png"
    [(name, why)] = refused
    assert name == "d"
    assert "3 images" in why


def test_a_model_without_eyes_gets_no_image_and_the_person_is_told() -> None:
    images, refused = build_provider_image_inputs([loaded("a")], BLIND)
    assert images == ()
    assert refused == (("a", "the model reader-1 takes no images"),)


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        (loaded("x", limits.IMAGE_BYTES + 1), str(limits.IMAGE_BYTES)),
        (loaded("x", width=limits.IMAGE_PIXELS + 1), str(limits.IMAGE_PIXELS)),
        (loaded("x", width=0, media_type="image/gif"), "image/gif"),
    ],
)
def test_an_image_over_a_limit_is_refused_and_takes_no_place(wrong: LoadedAttachment, reason: str) -> None:
    images, refused = build_provider_image_inputs([wrong, *[loaded(name) for name in "abc"]], SEES)
    assert len(images) == 3
    assert [name for name, _ in refused] == ["x"]
    assert reason in refused[0][1]


def test_images_share_a_limit_and_a_smaller_one_may_still_fit() -> None:
    half = limits.IMAGE_BYTES
    given = [loaded("a", half), loaded("b", half - 5), loaded("c", 9), loaded("d", 5)]
    images, refused = build_provider_image_inputs(given, SEES)
    assert [image.attachment_id for image in images] == ["a", "b", "d"]
    assert [name for name, _ in refused] == ["c"]
    assert str(limits.IMAGES_BYTES) in refused[0][1]


def test_what_is_no_image_is_neither_given_nor_refused() -> None:
    assert build_provider_image_inputs([loaded("a", media_type="application/pdf")], SEES) == ((), ())
