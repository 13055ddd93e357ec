"""How the text of an item is written into a managed block, and read back.

An item is a Markdown list item: `- ` before its first line, two spaces before the others. Inside, only what could
reach beyond the item is written as a character reference: tags and comments, fences, link definitions, line breaks
other than LF, and white space that an editor would strip. A Markdown reader shows all of it as it was said.
"""

import re

_NAMES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_CHARACTERS = {reference[1:-1]: character for character, reference in _NAMES.items()}
_SPECIAL = re.compile(
    r"&(?=#?\w+;)"
    r"|<(?=[A-Za-z/!?])"  # a tag, a comment, an autolink
    r"|(?<=--)>|(?<=--!)>"
    r"|(?<=\]):"  # the definition of a link counts for the whole document
    r"|`(?=``)|~(?=~~)"
    r"|\A-(?=[ \t-]*(?:\n|\Z))"  # `- - -` would be a rule, not an item
    r"|\A[ \t\n]|\n\Z|[ \t](?=\n|\Z)"
    "|[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff]"
)
_REFERENCE = re.compile(r"&(?:(amp|lt|gt)|#([0-9]{1,7}));")


def item_lines(text: str) -> list[str]:
    """The lines that stand for `text` in a block; `item_text` reads them back."""
    first, *others = escaped(text).split("\n")
    return [f"- {first}".rstrip(" "), *(f"  {line}" if line else "" for line in others)]


def item_text(lines: list[str]) -> str:
    """The text of an item from its lines, as we wrote them or as somebody left them."""
    bare = [re.sub(r"^(?:[-*+](?: |$)|  )" if index == 0 else "^  ", "", line) for index, line in enumerate(lines)]
    return unescaped("\n".join(bare))


def escaped(text: str) -> str:
    return _SPECIAL.sub(lambda match: _NAMES.get(match[0]) or f"&#{ord(match[0])};", text)


def unescaped(text: str) -> str:
    return _REFERENCE.sub(_character, text)


def as_plain_text(marker_line: str) -> str:
    """A line that begins like a marker, shown by Markdown as the very same text, and a marker no more."""
    return marker_line.replace("<", "&lt;", 1)


def _character(match: re.Match[str]) -> str:
    if match[1]:
        return _CHARACTERS[match[1]]
    code = int(match[2])
    return chr(code) if code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF else match[0]
