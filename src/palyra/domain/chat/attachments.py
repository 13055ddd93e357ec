"""Files somebody hands in: what they are by their bytes, what they may be called, how their text becomes memory.

A name is only a claim. The bytes say what a file is; a name that says otherwise gets a warning.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from palyra.core import limits
from palyra.core.errors import InvalidArgument, TooLarge
from palyra.core.ids import AttachmentId, EventId
from palyra.core.text import normalise
from palyra.domain.scope import Scope

NAME_BYTES = 255


class FileKind(StrEnum):
    PNG = "png"
    JPEG = "jpeg"
    WEBP = "webp"
    PDF = "pdf"
    DOCX = "docx"
    TEXT = "text"
    MARKDOWN = "markdown"
    JSON = "json"
    CSV = "csv"


@dataclass(frozen=True, slots=True)
class Format:
    media_type: str
    suffixes: tuple[str, ...]
    noun: str


FORMATS: dict[FileKind, Format] = {
    FileKind.PNG: Format("image/png", (".png", ".apng"), "PNG image"),
    FileKind.JPEG: Format("image/jpeg", (".jpg", ".jpeg", ".jpe", ".jfif"), "JPEG image"),
    FileKind.WEBP: Format("image/webp", (".webp",), "WebP image"),
    FileKind.PDF: Format("application/pdf", (".pdf",), "PDF"),
    FileKind.DOCX: Format(
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document", (".docx",), "Word document"
    ),
    FileKind.TEXT: Format("text/plain", (".txt", ".text", ".log"), "plain text"),
    FileKind.MARKDOWN: Format("text/markdown", (".md", ".markdown"), "Markdown"),
    FileKind.JSON: Format("application/json", (".json",), "JSON"),
    FileKind.CSV: Format("text/csv", (".csv", ".tsv"), "CSV"),
}
IMAGE_TYPES = frozenset(FORMATS[kind].media_type for kind in (FileKind.PNG, FileKind.JPEG, FileKind.WEBP))
TEXT_KINDS = frozenset({FileKind.TEXT, FileKind.MARKDOWN, FileKind.JSON, FileKind.CSV})


@dataclass(frozen=True, slots=True)
class Sniffed:
    """A file whose bytes have been looked at, but not read yet."""

    name: str
    kind: FileKind
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Extracted:
    """What was read in a file, and what may be kept of it: an image without what it says about itself."""

    media_type: str
    data: bytes
    text: str = ""
    """once it leaves the extractor: nothing hidden in it, secrets masked"""
    width: int | None = None
    height: int | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StoredAttachment:
    """`attachment_id` is the SHA-256 of the bytes that are kept, so it is no secret and gives no access."""

    attachment_id: AttachmentId
    seq: int
    event_id: EventId
    """of the event that added it"""
    scope: Scope
    name: str
    media_type: str
    size_bytes: int
    text: str
    """untrusted, secrets masked; only the beginning of a long one"""
    width: int | None
    height: int | None
    warnings: tuple[str, ...]
    at_ms: int

    @property
    def session_id(self) -> str | None:
        return self.scope.session_id

    @property
    def is_image(self) -> bool:
        return self.media_type in IMAGE_TYPES


def refused(name: str, why: str, hint: str = "") -> InvalidArgument:
    return InvalidArgument(f"attachment {name!r} was not taken: {why}", hint=hint or _TAKEN)


# -- names

_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+")


def clean_name(name: str) -> str:
    """The last part of the path, visible characters only, at most 255 bytes; the ending is kept."""
    last = re.split(r"[/\\]", name[-8 * NAME_BYTES :])[-1]
    last = " ".join(normalise(_UNSEEN.sub(" ", last)).split()).strip(". ")
    if len(last.encode()) > NAME_BYTES:
        stem, dot, suffix = last.rpartition(".")
        ending = dot + suffix if stem and len(suffix.encode()) <= 16 else ""
        last = last.encode()[: NAME_BYTES - len(ending.encode())].decode(errors="ignore").rstrip(". ") + ending
    return last or "attachment"


# -- bytes

_ZIP, _OLE = b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_BOMS = {b"\xef\xbb\xbf": "utf-8", b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
_SAMPLE_BYTES = 65_536
_HEAD_BYTES = 4_096
_CONTROLS = bytes(code for code in range(32) if code not in b"\t\n\r\f\b\x1b") + b"\x7f"


def sniff(name: str, data: bytes) -> Sniffed:
    """What the file is; InvalidArgument or TooLarge if it is nothing that is taken."""
    name = clean_name(name)
    if not data:
        raise refused(name, "it is empty", "attach a file with something in it")
    if len(data) > limits.ATTACHMENT_BYTES:
        raise TooLarge(
            f"attachment {name!r} has {len(data)} bytes; the limit is {limits.ATTACHMENT_BYTES}",
            hint="attach the part that matters",
            bytes=len(data),
            limit=limits.ATTACHMENT_BYTES,
        )
    kind = _binary_kind(name, data) or _text_kind(name, data)
    claimed = _claimed(name)
    # Among texts a name is no lie: Markdown and CSV are text, too. Only what is called JSON must be made like it.
    if claimed in (None, kind) or (claimed is not FileKind.JSON and {claimed, kind} <= TEXT_KINDS):
        return Sniffed(name, kind)
    return Sniffed(name, kind, (f"its name says {FORMATS[claimed].noun}, but it is {FORMATS[kind].noun}",))


def bom_of(data: bytes) -> tuple[bytes, str] | None:
    """The byte order mark a text begins with, and the encoding it stands for."""
    return next(((mark, encoding) for mark, encoding in _BOMS.items() if data.startswith(mark)), None)


def _claimed(name: str) -> FileKind | None:
    lower = name.lower()
    return next((kind for kind, form in FORMATS.items() if lower.endswith(form.suffixes)), None)


def _binary_kind(name: str, data: bytes) -> FileKind | None:
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return FileKind.PNG
    if data.startswith(b"\xff\xd8\xff"):
        return FileKind.JPEG
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return FileKind.WEBP
    if data.startswith(b"%PDF-"):
        return FileKind.PDF
    if data.startswith(_ZIP) and b"word/document.xml" in data:
        return FileKind.DOCX
    for is_that, why, hint in _KNOWN:
        if is_that(data):
            raise refused(name, why, hint)
    return None


_KNOWN: tuple[tuple[Callable[[bytes], bool], str, str], ...] = (
    (lambda data: data[:6] in (b"GIF87a", b"GIF89a"), "GIF images are not taken", "save it as PNG"),
    (lambda data: data.startswith(_ZIP) and b"xl/workbook.xml" in data, "it is a spreadsheet", "save it as CSV"),
    (lambda data: data.startswith(_ZIP) and b"ppt/presentation.xml" in data, "it is slides", "save them as PDF"),
    (lambda data: data.startswith(_ZIP), "it is an archive", "attach the files in it"),
    (lambda data: data.startswith(_OLE), "it is an old Office file", "save it as docx, PDF or CSV"),
    (lambda data: data[4:8] == b"ftyp", "HEIC and AVIF images and videos are not taken", "save it as JPEG or PNG"),
    (lambda data: data[:4] in (b"II*\x00", b"MM\x00*"), "TIFF images are not taken", "save it as PNG"),
)
"""What people try, with a way out. All else is text or nothing."""


def _text_kind(name: str, data: bytes) -> FileKind:
    marked = bom_of(data)
    if marked is None:
        if b"\0" in data:
            raise refused(name, "it holds NUL bytes, so it is not text, and it is no file that is known", _TAKEN)
        sample = data[:_SAMPLE_BYTES]
        if len(sample) - len(sample.translate(None, _CONTROLS)) > len(sample) // 100:
            raise refused(name, "it is full of control characters, so it is not text", _TAKEN)
    mark, encoding = marked or (b"", "latin-1")
    head = data[len(mark) : _HEAD_BYTES].decode(encoding, "replace").strip().lower()
    if head.startswith("<") and "<svg" in head and "<html" not in head:
        raise refused(name, "it is SVG, a text that may hold scripts, and not an image of pixels", "save it as PNG")
    claimed = _claimed(name)
    if claimed is FileKind.JSON:
        tail = data[-_HEAD_BYTES:].decode(encoding, "replace").rstrip()[-1:]
        return claimed if head[:1] + tail in ("{}", "[]") else FileKind.TEXT
    return claimed if claimed in TEXT_KINDS else FileKind.TEXT


_TAKEN = "PNG, JPEG, WebP, PDF, docx, text, Markdown, JSON and CSV are taken"
