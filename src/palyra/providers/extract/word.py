"""The text of a Word document: paragraphs and tables in their order. What it refers to outside is never fetched."""

import io
import zipfile
from time import monotonic
from typing import TYPE_CHECKING

from palyra.domain.chat.attachments import FORMATS, Extracted, FileKind
from palyra.providers.extract.outcome import READ_SECONDS, Gathered, Unreadable, not_installed

if TYPE_CHECKING:
    from docx.table import Table

_PARTS = 4_096
_UNPACKED_BYTES = 134_217_728


def read_docx(data: bytes) -> Extracted:
    try:
        from docx import Document  # noqa: PLC0415 - in the child alone, and only for a Word document
        from docx.table import Table  # noqa: PLC0415 - only for such files
    except ModuleNotFoundError:
        raise not_installed("a Word document") from None

    _check_archive(data)
    document = Document(io.BytesIO(data))
    gathered, warnings = Gathered(), []
    until = monotonic() + READ_SECONDS
    for block in document.iter_inner_content():
        text = _table_text(block) if isinstance(block, Table) else block.text.strip()
        if (text and not gathered.add(text + "\n\n")) or monotonic() > until:
            warnings.append("it holds more text than is taken; the end is missing")
            break
    text = gathered.text().strip()
    if not text:
        warnings.append("no text was found in it")
    return Extracted(FORMATS[FileKind.DOCX].media_type, data, text, warnings=tuple(warnings))


def _check_archive(data: bytes) -> None:
    """What its parts claim to unpack to: no part can unpack to more, since reading stops there."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = archive.infolist()
    unpacked = sum(part.file_size for part in parts)
    if len(parts) > _PARTS or unpacked > _UNPACKED_BYTES:
        raise Unreadable(f"it unpacks to {len(parts)} parts of {unpacked} bytes, which is too much work to read")


def _table_text(table: "Table") -> str:
    """A line for each row. By its elements: asking for merged cells costs the square of their number."""
    from docx.oxml.ns import qn  # noqa: PLC0415 - see above

    lines = []
    for row in table._tbl.tr_lst:
        cells = [" ".join(" ".join(part.text for part in cell.iter(qn("w:p"))).split()) for cell in row.tc_lst]
        lines.append("\t".join(cells).strip())
    return "\n".join(line for line in lines if line)
