"""Text, Markdown, JSON and CSV: nothing is parsed, so nothing in them can be too deep or too wide."""

import codecs
import re

from palyra.domain.chat.attachments import bom_of
from palyra.providers.extract.outcome import TEXT_CHARS, Unreadable

_BYTES = 4 * TEXT_CHARS
_WHOLE = re.compile("[^\x00-\x7f\ufffd]+")
_DAMAGE = re.compile("\ufffd+")


def read_plain(data: bytes) -> tuple[str, tuple[str, ...]]:
    """UTF-8, or UTF-16 if it says so; else the bytes are taken for Windows' Latin letters, with a warning."""
    marked = bom_of(data)
    encoding = marked[1] if marked else "utf-8"
    body = data[len(marked[0]) if marked else 0 :]
    text = _decode(body, encoding)
    bad = text.count("\ufffd")
    if not bad:
        return _cut(text, len(body))
    if encoding != "utf-8":
        if bad > len(text) // 100:
            raise Unreadable("it says that it is UTF-16 and is not", "save it as UTF-8")
        return _cut(text, len(body), _REPLACED)
    # Damaged UTF-8 still has whole characters beyond ASCII; another encoding has next to none by chance.
    if marked or len(_WHOLE.findall(text)) > len(_DAMAGE.findall(text)):
        return _cut(text, len(body), _REPLACED)
    return _cut(_latin(body), len(body), "it is not UTF-8; it was read as Windows-1252 (Latin-1)")


_REPLACED = "some of its bytes are no characters; \ufffd stands in their place"


def _decode(body: bytes, encoding: str) -> str:
    """Of a very long text the beginning, cut between characters."""
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    return decoder.decode(body[:_BYTES], final=len(body) <= _BYTES)


def _latin(body: bytes) -> str:
    try:
        return body[:_BYTES].decode("cp1252")
    except UnicodeDecodeError:  # five bytes have no meaning there
        return body[:_BYTES].decode("latin-1")


def _cut(text: str, body_bytes: int, *warnings: str) -> tuple[str, tuple[str, ...]]:
    if len(text) > TEXT_CHARS or body_bytes > _BYTES:
        return text[:TEXT_CHARS], (*warnings, f"only its first {TEXT_CHARS} characters were read")
    return text, warnings
