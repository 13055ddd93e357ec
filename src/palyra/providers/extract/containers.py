"""Image files without what is not image: places, cameras, comments, thumbnails, and whatever follows the end.

Nothing is decoded, so nothing gets worse: the pieces that make the picture are kept as they are.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from palyra.domain.chat.attachments import FileKind
from palyra.providers.extract.outcome import Unreadable


@dataclass(frozen=True, slots=True)
class Bare:
    data: bytes
    metadata: bool
    """there was some, and it is gone"""
    trailing: bool
    """bytes followed the end, and are gone"""
    animated: bool


_PNG_PICTURE = frozenset(
    {
        b"IHDR",
        b"PLTE",
        b"IDAT",
        b"IEND",
        b"tRNS",
        b"gAMA",
        b"cHRM",
        b"sRGB",
        b"iCCP",
        b"cICP",
        b"sBIT",
        b"bKGD",
        b"pHYs",
    }
)
_PNG_FRAMES = frozenset({b"acTL", b"fcTL", b"fdAT"})


def bare_png(data: bytes) -> Bare:
    """Of an animated one the first frame remains."""
    kept, dropped, at = [data[:8]], set[bytes](), 8
    while True:
        name = data[at + 4 : at + 8]
        end = at + 12 + int.from_bytes(data[at : at + 4], "big")
        if len(name) < 4 or end > len(data):
            raise _cut_off()
        if name in _PNG_PICTURE:
            kept.append(data[at:end])
        else:
            dropped.add(name)
        at = end
        if name == b"IEND":
            break
    return Bare(b"".join(kept), bool(dropped - _PNG_FRAMES), at < len(data), b"acTL" in dropped)


_JPEG_SCAN_END = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]")
_SOS, _EOI, _COMMENT = 0xDA, 0xD9, 0xFE
_APPS = range(0xE0, 0xF0)
_APPS_KEPT = {0xE0: b"JFIF\0", 0xE2: b"ICC_PROFILE\0", 0xEE: b"Adobe"}


def bare_jpeg(data: bytes) -> Bare:
    kept, metadata, at = [data[:2]], False, 2
    while True:
        while data[at : at + 2] == b"\xff\xff":  # padding
            at += 1
        head = data[at : at + 4]
        if head[:2] == b"\xff\xd9":
            return Bare(b"".join([*kept, head[:2]]), metadata, at + 2 < len(data), animated=False)
        end = at + 2 + int.from_bytes(head[2:], "big")
        if len(head) < 4 or end > len(data) or end < at + 4:
            raise _cut_off()
        if head[0] != 0xFF:
            raise Unreadable("the JPEG image is damaged", "save it anew")
        marker = head[1]
        if marker == _SOS:  # what follows has no length: it ends where the next marker is
            found = _JPEG_SCAN_END.search(data, end)
            if found is None:
                raise _cut_off()
            end = found.start()
        keep = marker != _COMMENT
        if marker in _APPS:
            prefix = _APPS_KEPT.get(marker)
            keep = prefix is not None and data.startswith(prefix, at + 4)
        if keep:
            kept.append(data[at:end])
        metadata = metadata or not keep
        at = end


_WEBP_PICTURE = frozenset({b"VP8X", b"VP8 ", b"VP8L", b"ALPH", b"ICCP"})
_WEBP_FRAMES = frozenset({b"ANIM", b"ANMF"})
_WEBP_SAYS_METADATA = 0x0C
"""the bits for EXIF and XMP in the first byte of VP8X"""


def bare_webp(data: bytes) -> Bare:
    """An animated one has to be drawn anew: none of its pieces is a picture by itself."""
    total = 8 + int.from_bytes(data[4:8], "little")
    if total > len(data):
        raise _cut_off()
    kept, dropped, at = list[bytes](), set[bytes](), 12
    while at + 8 <= total:
        name, length = data[at : at + 4], int.from_bytes(data[at + 4 : at + 8], "little")
        end = at + 8 + length + length % 2
        if at + 8 + length > total:
            raise _cut_off()
        if name == b"VP8X" and length >= 1:
            kept.append(data[at : at + 8] + bytes([data[at + 8] & ~_WEBP_SAYS_METADATA]) + data[at + 9 : end])
        elif name in _WEBP_PICTURE:
            kept.append(data[at:end])
        else:
            dropped.add(name)
        at = end
    body = b"".join(kept)
    header = b"RIFF" + (len(body) + 4).to_bytes(4, "little") + b"WEBP"
    return Bare(header + body, bool(dropped - _WEBP_FRAMES), total < len(data), bool(dropped & _WEBP_FRAMES))


def _cut_off() -> Unreadable:
    return Unreadable("the image is cut off before its end", "save or send it again")


BARE: dict[FileKind, Callable[[bytes], Bare]] = {
    FileKind.PNG: bare_png,
    FileKind.JPEG: bare_jpeg,
    FileKind.WEBP: bare_webp,
}
