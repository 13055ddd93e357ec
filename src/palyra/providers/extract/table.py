"""Who reads which kind of file. A new format is a module, a member of `FileKind` and a row here."""

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType

from palyra.domain.chat.attachments import FORMATS, TEXT_KINDS, Extracted, FileKind
from palyra.providers.extract.images import read_image
from palyra.providers.extract.pdf import read_pdf
from palyra.providers.extract.plain import read_plain
from palyra.providers.extract.word import read_docx


def _read_text(kind: FileKind, data: bytes) -> Extracted:
    text, warnings = read_plain(data)
    return Extracted(FORMATS[kind].media_type, data, text, warnings=warnings)


EXTRACTORS: Mapping[FileKind, Callable[[bytes], Extracted]] = MappingProxyType(
    {
        FileKind.PNG: partial(read_image, FileKind.PNG),
        FileKind.JPEG: partial(read_image, FileKind.JPEG),
        FileKind.WEBP: partial(read_image, FileKind.WEBP),
        FileKind.PDF: read_pdf,
        FileKind.DOCX: read_docx,
        **{kind: partial(_read_text, kind) for kind in sorted(TEXT_KINDS)},
    }
)
