"""From the bytes of a page to its text: charset, compression with a bound, HTML without its machinery."""

import codecs
import re
import zlib
from collections.abc import Mapping

from lxml import etree  # type: ignore[import-untyped]

from palyra.core.errors import InvalidArgument
from palyra.domain.chat.references import one_line

_HTML = frozenset({"text/html", "application/xhtml+xml"})
_TEXT = re.compile(
    r"text/[a-z0-9.+-]+|application/(json|xml|xhtml\+xml|x-ndjson|toml|yaml|x-yaml|[a-z0-9.-]+\+(json|xml))"
)
_META = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([A-Za-z0-9_:.-]{1,40})""", re.IGNORECASE)
_XML = re.compile(rb"""^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([A-Za-z0-9_:.-]{1,40})""")
# Only what decodes in one pass: Python knows encodings that are slow, or no encodings of text at all.
_CHARSETS = re.compile(
    r"utf-(8|16|32)(-[bl]e)?|ascii|iso8859-\d+|cp\d+|koi8-[rtu]|gbk?|gb2312|gb18030|big5|shift_jis|euc_(jp|kr)|mac-.*|tis-620"
)
_LINKS, _LINK_CHARS = 60, 120


def media_type(content_type: str) -> str:
    """The kind of page. InvalidArgument for what is no text."""
    kind = content_type.partition(";")[0].strip().lower() or "text/plain"
    if not _TEXT.fullmatch(kind):
        raise InvalidArgument(f"the page is {kind[:60]!r}, not text", hint="attach the file instead")
    return kind


class Inflate:
    """Undoes a Content-Encoding, never giving out more than is asked for: a small answer may hold terabytes."""

    def __init__(self, encoding: str) -> None:
        encoding = encoding.strip().lower() or "identity"
        if encoding not in ("identity", "gzip", "x-gzip", "deflate"):
            raise InvalidArgument(f"the page is compressed as {encoding[:40]!r}, which was not asked for")
        self._gunzip = None if encoding == "identity" else zlib.decompressobj(zlib.MAX_WBITS | 32)

    def take(self, data: bytes, most: int) -> bytes:
        """At most `most` bytes; what would come after them is not looked at."""
        if self._gunzip is None:
            return data[:most]
        try:
            return self._gunzip.decompress(data, most) if most > 0 else b""
        except zlib.error:
            raise InvalidArgument("the page is compressed in a way that cannot be undone") from None


def page_text(data: bytes, content_type: str, base: str) -> tuple[str, str, tuple[str, ...]]:
    """Title, text and warnings."""
    kind = media_type(content_type)
    text, warnings = _decoded(data, content_type)
    if "\0" in text:
        raise InvalidArgument("the page is not text", hint="attach the file instead")
    if kind not in _HTML:
        return "", text, warnings
    title, text = html_text(text, base)
    return title, text, warnings


def _decoded(data: bytes, content_type: str) -> tuple[str, tuple[str, ...]]:
    named = re.search(r"""charset\s*=\s*["']?([A-Za-z0-9_:.-]{1,40})""", content_type, re.IGNORECASE)
    beginning = data[:2_048]
    inside = _META.search(beginning) or _XML.search(beginning)
    asked = named[1] if named else inside[1].decode("ascii") if inside else "utf-8"
    warnings: list[str] = []
    for bom, name in ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16")):
        if data.startswith(bom):
            asked = name
    charset = _known(asked)
    if charset is None:
        warnings.append(f"the page says its charset is {asked!r}, which is not known: read as UTF-8")
        charset = "utf-8"
    text = data.decode(charset, "replace").removeprefix("\ufeff")
    wrong = text.count("\ufffd")
    if wrong > 1:  # one may be a character that was cut in two at the end
        warnings.append(f"{wrong:,} characters are not in {charset.upper()} and are shown as \ufffd")
    return text, tuple(warnings)


def _known(charset: str) -> str | None:
    try:
        name = codecs.lookup(charset).name
    except LookupError:
        return None
    # On the web Latin-1 means Windows-1252.
    name = {"iso8859-1": "cp1252", "ascii": "cp1252"}.get(name, name)
    return name if _CHARSETS.fullmatch(name) else None


def html_text(page: str, base: str) -> tuple[str, str]:
    """Title and text of a page; where links lead is listed below it."""
    target = _PageReader()
    # No network, no entities of its own, and a tree that is never built: only the events are taken.
    parser = etree.HTMLParser(target=target, encoding="utf-8", recover=True, no_network=True, huge_tree=False)
    data = page.encode("utf-8", "replace")
    if not data.strip():
        return "", ""
    try:
        for start in range(0, len(data), 1 << 16):
            parser.feed(data[start : start + (1 << 16)])
        parser.close()
    except etree.LxmlError:
        pass  # what was read up to there is what there is
    return one_line("".join(target.title)), _tidy("".join(target.pieces)) + target.footnotes(base)


class _PageReader:
    """Takes the events of the parser."""

    def __init__(self) -> None:
        self.title: list[str] = []
        self.pieces: list[str] = []
        self.links: dict[str, None] = {}
        self._silent: list[str] = []
        self._in_title = self._in_pre = False

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        if tag in _SILENT:
            self._silent.append(tag)
        elif tag == "title":
            self._in_title = True
        elif not self._silent:
            if tag == "pre":
                self._in_pre = True
            self.pieces.append(_OPENING.get(tag, "\n" if tag in _BLOCKS else ""))
            if tag == "a" and len(self.links) < _LINKS:
                link = attributes.get("href", "").strip()
                if link.startswith(("http://", "https://", "/")) and len(link) <= _LINK_CHARS and link.isprintable():
                    self.links[link] = None
            if tag == "img" and attributes.get("alt"):
                self.pieces.append(f"[image: {one_line(attributes['alt'])}]")

    def end(self, tag: str) -> None:
        if self._silent:
            if tag == self._silent[-1]:
                self._silent.pop()
        elif tag == "title":
            self._in_title = False
        else:
            if tag == "pre":
                self._in_pre = False
            if tag in _BLOCKS and tag not in ("br", "hr"):
                self.pieces.append("\n")
            elif tag in ("td", "th"):
                self.pieces.append(" | ")

    def data(self, text: str) -> None:
        if self._in_title:
            self.title.append(text)
        elif not self._silent:
            self.pieces.append(text if self._in_pre else re.sub(r"\s+", " ", text))

    def comment(self, text: str) -> None:
        """Not shown to a reader, so not to a model either."""

    def close(self) -> None:
        """All is in `pieces`."""

    def footnotes(self, base: str) -> str:
        if not self.links:
            return ""
        return "\n\nlinks on " + one_line(base, 200) + ":\n" + "\n".join(self.links)


_SILENT_TAGS = "script style noscript template svg math iframe object embed canvas select"
_SILENT = frozenset(_SILENT_TAGS.split())
_BLOCK_TAGS = """p div section article header footer main nav aside h1 h2 h3 h4 h5 h6 ul ol li table tr blockquote pre
br hr dl dt dd form fieldset figure figcaption address details summary"""
_BLOCKS = frozenset(_BLOCK_TAGS.split())
_OPENING = {f"h{level}": "\n\n" + "#" * level + " " for level in range(1, 7)} | {"li": "\n- "}


def _tidy(text: str) -> str:
    lines = [line.rstrip() for line in text.split("\n")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()
