"""Images as a model may get them: at most 2,048 pixels a side, upright, without a word about where they were taken."""

import io
import warnings
from typing import TYPE_CHECKING

from palyra.core import limits
from palyra.domain.chat.attachments import FORMATS, Extracted, FileKind
from palyra.providers.extract.containers import BARE, Bare
from palyra.providers.extract.outcome import Unreadable

if TYPE_CHECKING:
    from PIL.Image import Image

_PIXELS = 67_108_864
"""as many as a camera of 64 megapixels takes; more are not decoded"""
_ORIENTATION = 0x0112
_PLAIN_MODES = ("L", "LA", "RGB", "RGBA")
_OPTIONS: dict[FileKind, dict[str, object]] = {
    FileKind.PNG: {"optimize": True},
    FileKind.JPEG: {"quality": 90},
    FileKind.WEBP: {"quality": 90},
}


def read_image(kind: FileKind, data: bytes) -> Extracted:
    bare = BARE[kind](data)
    has_frames = kind is FileKind.WEBP and bare.animated
    picture = _opened(kind, data if has_frames else bare.data)
    width, height = picture.size
    turn = _turn(kind, data)
    noted = list(_notes(bare))
    if max(width, height) > limits.IMAGE_PIXELS or turn is not None or has_frames:
        kept, size = _redrawn(kind, picture, turn)
        if max(width, height) > limits.IMAGE_PIXELS:
            noted.append(f"made smaller: from {width} x {height} pixels to {size[0]} x {size[1]}")
    else:
        kept, size = bare.data, (width, height)
    _check_decodes(kind, kept, size)
    if len(kept) > limits.IMAGE_BYTES:
        raise Unreadable(
            f"the image takes {len(kept)} bytes at {size[0]} x {size[1]} pixels; the limit is {limits.IMAGE_BYTES}",
            "save it smaller, or as JPEG",
        )
    return Extracted(FORMATS[kind].media_type, kept, "", *size, tuple(noted))


def _opened(kind: FileKind, data: bytes) -> "Image":
    """Only its header is read here."""
    from PIL import Image  # noqa: PLC0415 - in the child alone, and only for an image

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            picture = Image.open(io.BytesIO(data), formats=[kind.value])
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise _too_many_pixels() from None
    except (OSError, SyntaxError, ValueError):
        raise Unreadable(f"the {FORMATS[kind].noun} has a damaged header", "save it anew") from None
    if not all(picture.size):
        raise Unreadable("the image has no pixels")
    if picture.width * picture.height > _PIXELS:
        raise _too_many_pixels()
    return picture


def _too_many_pixels() -> Unreadable:
    return Unreadable(f"the image says it has more than {_PIXELS} pixels, and was not decoded", "make it smaller")


def _turn(kind: FileKind, data: bytes) -> int | None:
    """Which transposition makes it upright; None if it is."""
    from PIL import Image  # noqa: PLC0415 - see above
    from PIL.Image import Transpose  # noqa: PLC0415 - only for such files

    turns = {
        2: Transpose.FLIP_LEFT_RIGHT,
        3: Transpose.ROTATE_180,
        4: Transpose.FLIP_TOP_BOTTOM,
        5: Transpose.TRANSPOSE,
        6: Transpose.ROTATE_270,
        7: Transpose.TRANSVERSE,
        8: Transpose.ROTATE_90,
    }
    try:
        with warnings.catch_warnings(action="ignore"):
            return turns.get(Image.open(io.BytesIO(data), formats=[kind.value]).getexif().get(_ORIENTATION, 1))
    except Exception:  # noqa: BLE001 - damaged metadata is not a damaged picture, and it is dropped anyway
        return None


def _redrawn(kind: FileKind, picture: "Image", turn: int | None) -> tuple[bytes, tuple[int, int]]:
    from PIL.Image import Transpose  # noqa: PLC0415 - see above

    try:
        picture.thumbnail((limits.IMAGE_PIXELS, limits.IMAGE_PIXELS), reducing_gap=2.0)
        if picture.mode not in _PLAIN_MODES:
            see_through = "transparency" in picture.info and kind is not FileKind.JPEG
            picture = picture.convert("RGBA" if see_through else "RGB")
    except OSError:
        raise _damaged() from None
    if turn is not None:
        picture = picture.transpose(Transpose(turn))
    file = io.BytesIO()
    picture.save(file, kind.value, **_OPTIONS[kind])
    return BARE[kind](file.getvalue()).data, picture.size


def _check_decodes(kind: FileKind, data: bytes, size: tuple[int, int]) -> None:
    """What is kept is a whole picture of that size, whatever its header says."""
    try:
        picture = _opened(kind, data)
        picture.load()
    except (OSError, SyntaxError, ValueError):
        raise _damaged() from None
    if picture.size != size:
        raise _damaged()


def _damaged() -> Unreadable:
    return Unreadable("the image is damaged: its pixels cannot be read", "save or send it again")


def _notes(bare: Bare) -> tuple[str, ...]:
    found = (
        (bare.animated, "it is animated; its first frame alone is kept"),
        (bare.metadata, "what it says about itself (such as place, camera and comments) was removed"),
        (bare.trailing, "bytes after the end of the image were removed"),
    )
    return tuple(note for there, note in found if there)
