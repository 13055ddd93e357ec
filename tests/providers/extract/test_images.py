"""Images: what is kept of them, and what is refused before anything is decoded."""

import io
import random
import zlib

import pytest
from PIL import Image

from attachment_files import a_png_that_says, an_animation, an_image, png_chunk, with_place
from palyra.core import limits
from palyra.domain.chat.attachments import Extracted, FileKind
from palyra.providers.extract.images import read_image
from palyra.providers.extract.outcome import Unreadable

KINDS = [FileKind.PNG, FileKind.JPEG, FileKind.WEBP]


def shown(found: Extracted) -> Image.Image:
    return Image.open(io.BytesIO(found.data)).convert("RGB")


def is_red(picture: Image.Image, x: int, y: int) -> bool:
    red, green, blue = picture.crop((x, y, x + 1, y + 1)).tobytes()
    return red > 200 and max(green, blue) < 60


@pytest.mark.parametrize("kind", KINDS)
def test_an_image_within_the_limits_is_kept_byte_for_byte(kind: FileKind) -> None:
    data = an_image(kind.value)
    found = read_image(kind, data)
    assert found == Extracted(f"image/{kind.value}", data, "", 40, 30, ())


@pytest.mark.parametrize("kind", KINDS)
def test_the_place_and_the_camera_do_not_travel_and_the_pixels_stay(kind: FileKind) -> None:
    data = an_image(kind.value, exif=with_place())
    assert b"Telling Cameras" in data
    found = read_image(kind, data)
    assert b"Telling" not in found.data
    assert b"Exif" not in found.data
    assert not Image.open(io.BytesIO(found.data)).getexif()
    assert shown(found).tobytes() == Image.open(io.BytesIO(data)).convert("RGB").tobytes()
    assert "was removed" in found.warnings[0]


@pytest.mark.parametrize("kind", KINDS)
def test_a_photograph_held_sideways_is_turned_upright(kind: FileKind) -> None:
    found = read_image(kind, an_image(kind.value, exif=with_place(6)))
    picture = shown(found)
    assert (found.width, found.height) == picture.size == (30, 40)
    assert is_red(picture, 15, 5)  # what was on the left is at the top
    assert not is_red(picture, 15, 35)
    assert not Image.open(io.BytesIO(found.data)).getexif()


@pytest.mark.parametrize("kind", KINDS)
def test_a_large_image_is_made_smaller_and_says_so(kind: FileKind) -> None:
    found = read_image(kind, an_image(kind.value, (3_000, 1_500)))
    assert (found.width, found.height) == shown(found).size == (2_048, 1_024)
    assert "from 3000 x 1500 pixels to 2048 x 1024" in found.warnings[-1]


def test_a_see_through_palette_image_survives_being_made_smaller() -> None:
    picture = Image.new("P", (2_100, 10))
    file = io.BytesIO()
    picture.save(file, "png", transparency=0)
    found = read_image(FileKind.PNG, file.getvalue())
    assert Image.open(io.BytesIO(found.data)).convert("RGBA").getpixel((5, 5)) == (0, 0, 0, 0)


@pytest.mark.parametrize("kind", [FileKind.PNG, FileKind.WEBP])
def test_of_an_animation_the_first_frame_is_kept(kind: FileKind) -> None:
    found = read_image(kind, an_animation(kind.value))
    picture = Image.open(io.BytesIO(found.data))
    assert not getattr(picture, "is_animated", False)
    assert is_red(picture.convert("RGB"), 8, 8)
    assert "first frame" in found.warnings[0]


@pytest.mark.parametrize("kind", KINDS)
def test_what_hides_behind_the_end_of_an_image_is_dropped(kind: FileKind) -> None:
    data = an_image(kind.value)
    found = read_image(kind, data + b"PK\x03\x04 an archive \xff\xd9")
    assert found.data == data
    assert "after the end" in found.warnings[0]


def test_of_two_photographs_in_one_file_the_first_is_kept_without_its_place() -> None:
    """Telephones add a second picture behind the first."""
    file = io.BytesIO()
    second = Image.new("RGB", (60, 40), "blue")
    Image.new("RGB", (60, 40), "red").save(file, "mpo", save_all=True, append_images=[second], exif=with_place())
    found = read_image(FileKind.JPEG, file.getvalue())
    assert is_red(shown(found), 30, 20)
    assert found.data.count(b"\xff\xd8\xff") == 1
    assert b"Telling" not in found.data


def test_comments_in_text_chunks_go_whatever_their_size() -> None:
    data = an_image("png")
    comment = png_chunk(b"zTXt", b"Comment\x00\x00" + zlib.compress(bytes(50_000_000)))
    found = read_image(FileKind.PNG, data[:33] + comment + data[33:])
    assert found.data == data


@pytest.mark.parametrize("size", [(60_000, 60_000), (31_623, 31_623), (8_193, 8_193), (2**31 - 1, 1)])
def test_an_image_that_would_fill_the_memory_is_refused_by_its_header(
    size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    def decode(_picture: Image.Image) -> None:
        raise AssertionError("it was decoded")

    monkeypatch.setattr("PIL.ImageFile.ImageFile.load", decode)
    with pytest.raises(Unreadable, match="pixels"):
        read_image(FileKind.PNG, a_png_that_says(*size))


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        (FileKind.PNG, a_png_that_says(0, 0)),
        (FileKind.PNG, a_png_that_says(100, 100, b"too few")),
        (FileKind.PNG, an_image("png")[:60]),
        (FileKind.PNG, an_image("png")[:30]),
        (FileKind.JPEG, an_image("jpeg", (600, 600))[:-400]),
        (FileKind.JPEG, an_image("jpeg")[:10]),
        (FileKind.JPEG, b"\xff\xd8\xff" + bytes(100)),
        (FileKind.WEBP, an_image("webp", (600, 600))[:-10]),
        (FileKind.WEBP, b"RIFF\xff\xff\xff\xffWEBPVP8 "),
    ],
)
def test_a_damaged_image_is_refused(kind: FileKind, data: bytes) -> None:
    with pytest.raises(Unreadable):
        read_image(kind, data)


def test_an_image_that_stays_too_large_is_refused_with_its_size() -> None:
    noise = random.Random(5).randbytes(1_400 * 1_400 * 3)
    file = io.BytesIO()
    Image.frombytes("RGB", (1_400, 1_400), noise).save(file, "png", compress_level=0)
    with pytest.raises(Unreadable, match=f"the limit is {limits.IMAGE_BYTES}"):
        read_image(FileKind.PNG, file.getvalue())


@pytest.mark.parametrize("kind", KINDS)
def test_a_changed_byte_ends_in_an_image_or_in_a_refusal(kind: FileKind, pytestconfig: pytest.Config) -> None:
    """What the child would call damaged counts as refused; no image is kept that cannot be shown."""
    random_ = random.Random(11)
    whole = an_image(kind.value, (64, 64), exif=with_place(3))
    kept = 0
    for _ in range(pytestconfig.getoption("--fuzz-inputs") // 4):
        data = bytearray(whole)
        for _ in range(random_.randint(1, 4)):
            data[random_.randrange(len(data))] = random_.randrange(256)
        try:
            found = read_image(kind, bytes(data[: random_.choice([len(data), random_.randrange(len(data))])]))
        except (Unreadable, OSError, SyntaxError, ValueError, TypeError, KeyError, OverflowError, MemoryError):
            continue
        kept += 1
        assert shown(found).size == (found.width, found.height)
        assert b"Telling" not in found.data
    assert kept
