"""Which lines stand at the outermost level, by a Markdown parser that is not ours."""

import re

import pytest
from hypothesis import assume, given
from markdown_it import MarkdownIt

from domain.workspace.markdown_texts import documents, tries
from palyra.domain.workspace.lines import LineKind, read_lines, spans

COMMONMARK = MarkdownIt("commonmark").disable("inline")
PROBE = "<!-- PALYRA:END probe -->"


def kinds(text: str) -> list[str]:
    return [line.kind.value for line in read_lines(text).lines]


@tries(2)
@given(documents(with_markers=True))
def test_the_lines_of_any_text_joined_are_the_text(text: str) -> None:
    bom = "\ufeff" if text.startswith("\ufeff") else ""
    assert bom + "".join(text[start:stop] for start, _, stop in spans(text)) == text
    lines = read_lines(text)
    assert [line.number for line in lines.lines] == list(range(1, len(lines.lines) + 1))
    assert not any(set(lines.of(line)) & {"\n", "\r"} for line in lines.lines)


@tries(6)
@given(documents(with_markers=False, breaks=("\n",)))
def test_a_marker_after_any_text_counts_exactly_when_it_is_not_in_code_or_raw_html(text: str) -> None:
    """Asked of the parser: would a comment on the next line be HTML of its own, at the outermost level?"""
    text = text.removeprefix("\ufeff").replace("\r", " ").replace("\x00", "").replace("  <!-- PALYRA", "  < PALYRA")
    text = text if not text or text.endswith("\n") else text + "\n"
    last = read_lines(text + PROBE).lines[-1]
    row = text.count("\n")
    holding = [
        token
        for token in COMMONMARK.parse(text + PROBE)
        if token.map and token.map[0] <= row < token.map[1] and token.nesting == 0 and token.type != "inline"
    ]
    [token] = holding
    assert token.map
    starts_here = token.map[0] == row
    # HTML that a blank line ends hides no marker for us: a person may wrap a block in <details>.
    assume(token.type != "html_block" or starts_here or _ENDS_BY_ITSELF.match(text.split("\n")[token.map[0]]))
    assert (last.kind is LineKind.MARKER) == (token.type == "html_block" and starts_here)


_ENDS_BY_ITSELF = re.compile(r"\s*<(?:!|\?|(?:pre|script|style|textarea)(?:\s|>|$))", re.IGNORECASE)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("```\n~~~\n````\nx", "opaque opaque opaque text"),
        ("~~~~\n~~~\n~~~~~\n# x", "opaque opaque opaque heading"),
        ("    ```\n# x", "nested heading"),
        ("- a\n  ```\n<!-- PALYRA:END x -->", "nested nested marker"),
        ("  ```\n<!-- PALYRA:END x -->", "opaque opaque"),
        ("- a\nlazy\n  ```\n# x", "nested nested nested heading"),
        ("- a\n\nb\n  ```\n# x", "nested blank text opaque opaque"),
        ("a\n-\n  ```\n# x", "text heading opaque opaque"),
        ("<!-- a\n# b\n--> c\n# d", "opaque opaque opaque heading"),
        ("<div>\n```\n\n# x", "opaque opaque blank heading"),
        ("`` ` ``` a`b\n# x", "text heading"),
        ("``` a`b\n# x", "text heading"),
        ("\ufeff# x", "heading"),
        ("a\r# b\r\nc\n===", "text heading text heading"),
    ],
)
def test_each_line_is_what_markdown_says(text: str, expected: str) -> None:
    assert kinds(text) == expected.split()


def test_what_never_ends_is_named() -> None:
    assert read_lines("a\n```\nb").unclosed == read_lines("a\n```\nb").lines[1]
    assert read_lines("a\n```\nb\n```").unclosed is None
