"""Documents in the pieces that are searched."""

from hypothesis import given

from domain.workspace.markdown_texts import documents, tries
from palyra.core.tokens import estimate_tokens
from palyra.domain.memory import MemoryLimits
from palyra.domain.workspace.blocks import BlockItem, edit
from palyra.domain.workspace.sections import HEADING_CHARS, Section, sections


def test_a_document_is_cut_at_its_headings_and_each_piece_knows_those_above_it() -> None:
    text = "before\n\n# One\na\n\n## Two ##\nb\n\nThree\nand more\n-----\nc\n\nFour\n====\nd\n# \n"
    assert sections(text) == (
        Section((), 1, "before"),
        Section(("One",), 3, "# One\na"),
        Section(("One", "Two"), 6, "## Two ##\nb"),
        Section(("One", "Three and more"), 9, "Three\nand more\n-----\nc"),
        Section(("Four",), 14, "Four\n====\nd"),
        Section(("",), 17, "#"),
    )


def test_what_only_looks_like_a_heading_cuts_nothing() -> None:
    text = "---\ntitle: x\n---\n# A\n```\n# no\n```\n<!--\n# no\n-->\n    # no\n- # no\n> # no\n#no\n####### no\n"
    assert [section.headings for section in sections(text)] == [(), ("A",)]


def test_items_read_as_they_were_said_and_markers_are_not_there() -> None:
    text = edit("\ufeff# Facts\r\n", "facts", [BlockItem("a", "likes <b>tea</b>\n# and rain"), BlockItem("b", "x")])
    assert sections(text) == (Section(("Facts",), 1, "# Facts\n\n- likes <b>tea</b>\n  # and rain\n- x"),)


def test_a_long_section_makes_several_each_with_its_line() -> None:
    text = "# Long\n" + "".join(f"Line {n} " + "word " * 20 + "\n" for n in range(400))
    found = sections(text)
    assert len(found) > 5
    for section in found:
        assert section.headings == ("Long",)
        first = section.text.split("\n", 1)[0]
        assert text.split("\n")[section.line - 1].startswith(first)


def test_a_heading_without_end_is_cut() -> None:
    [section] = sections("# " + "x" * 3_000)
    assert len(section.headings[0]) == HEADING_CHARS
    assert sections("") == sections(" \n\n") == ()


@tries(2)
@given(documents(with_markers=False))
def test_sections_hold_every_word_of_any_document_and_fit_memory(text: str) -> None:
    allowed = MemoryLimits(max_item_bytes=64, max_item_tokens=32)
    found = sections(text, allowed)
    for section in found:
        assert len(section.text.encode()) <= allowed.max_item_bytes
        assert estimate_tokens(section.text) <= allowed.max_item_tokens
        assert section.text
    assert [section.line for section in found] == sorted(section.line for section in found)
    assert "".join("".join(section.text for section in found).split()) == "".join(text.removeprefix("\ufeff").split())
