"""The text of a PDF, page by page. Scripts, forms, links and embedded files are not looked at."""

import io
from time import monotonic

from palyra.domain.chat.attachments import FORMATS, Extracted, FileKind
from palyra.providers.extract.outcome import READ_SECONDS, Gathered, Unreadable, not_installed

_PAGES = 2_000


def read_pdf(data: bytes) -> Extracted:
    try:
        from pypdf import PdfReader  # noqa: PLC0415 - in the child alone, and only for a PDF
    except ModuleNotFoundError:
        raise not_installed("a PDF") from None

    reader = PdfReader(io.BytesIO(data), strict=False)
    if reader.is_encrypted and not reader.decrypt(""):
        raise Unreadable("it is encrypted", "attach a copy that opens without a password")
    gathered, warnings, unread = Gathered(), [], 0
    total = len(reader.pages)
    until = monotonic() + READ_SECONDS
    for number in range(total):
        if number == _PAGES or monotonic() > until:
            warnings.append(f"only the first {number} of its {total} pages were read")
            break
        try:
            text = reader.pages[number].extract_text()
        except MemoryError:
            raise
        except Exception:  # noqa: BLE001 - whatever one damaged page makes the parser throw, the others count
            unread += 1
            continue
        if not gathered.add(text + "\n\n"):
            warnings.append(f"it holds more text than is taken; page {number + 1} of {total} is the last")
            break
    if unread:
        warnings.append(f"{unread} of its {total} pages could not be read")
    text = gathered.text().strip()
    if not text:
        warnings.append("no text was found in it; its pages may be pictures")
    return Extracted(FORMATS[FileKind.PDF].media_type, data, text, warnings=tuple(warnings))
