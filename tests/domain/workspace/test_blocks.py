"""Managed blocks: what is ours is written, what is not stays byte for byte, and what is broken is not touched."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from domain.workspace.markdown_texts import BREAKS, MARKERS, OTHERS, documents, tries
from palyra.core.errors import FailedPrecondition, InvalidArgument
from palyra.domain.workspace.blocks import BlockItem, edit, items, parse, repair
from palyra.domain.workspace.escape import as_plain_text, escaped, unescaped

HOSTILE = st.lists(
    st.sampled_from((*MARKERS, *OTHERS, "\n", "\n", "\r\n", "\x00", "&#10;", "&amp;lt;", "--", ">")), max_size=6
)
TEXTS = st.text(max_size=30) | HOSTILE.map("".join) | HOSTILE.map("\n".join)
ITEMS = st.lists(TEXTS, max_size=4).map(
    lambda texts: [BlockItem(f"i{number}", text) for number, text in enumerate(texts)]
)
SOME_ITEMS = ITEMS.filter(bool)


def a_block(*texts: str, text: str = "") -> str:
    return edit(text, "facts", [BlockItem(f"i{number}", said) for number, said in enumerate(texts)])


def sound(text: str) -> bool:
    return parse(text).fault("facts") is None


def test_a_missing_block_is_put_at_the_end_after_one_blank_line() -> None:
    assert a_block("Prefers tea", "Two\nlines", text="# Mine\n\nwords") == (
        "# Mine\n\nwords\n\n"
        "<!-- PALYRA:BEGIN facts sha=a89abf657b65e050 -->\n"
        "<!-- PALYRA:ITEM i0 -->\n- Prefers tea\n"
        "<!-- PALYRA:ITEM i1 -->\n- Two\n  lines\n"
        "<!-- PALYRA:END facts -->\n"
    )


@pytest.mark.parametrize(
    ("before", "gap"),
    [
        ("", ""),
        ("\ufeff", ""),
        ("a", "\n\n"),
        ("a\n", "\n"),
        ("a\n\n", ""),
        ("a\r\n", "\r\n"),
        ("a\n  ", "\n"),
        ("\n", ""),
    ],
)
def test_one_blank_line_stands_before_a_new_block_however_the_text_ends(before: str, gap: str) -> None:
    assert a_block("x", text=before).startswith(f"{before}{gap}<!-- PALYRA:BEGIN facts")


def test_a_new_block_stands_before_a_fence_that_never_ends() -> None:
    made = a_block("x", text="mine\n\n```\ncode\n")
    assert made.startswith("mine\n\n<!-- PALYRA:BEGIN facts")
    assert made.endswith("<!-- PALYRA:END facts -->\n\n```\ncode\n")
    assert [item.text for item in items(made, "facts")] == ["x"]


@tries(2)
@given(documents(with_markers=False), documents(with_markers=False), SOME_ITEMS, ITEMS)
def test_text_outside_a_block_stays_byte_for_byte(
    before: str, after: str, first: list[BlockItem], then: list[BlockItem]
) -> None:
    if not sound(before):  # it holds an indented marker
        return
    made = edit(before, "facts", first)
    [block] = parse(made).blocks
    unclosed = parse(before).lines.unclosed  # a new block stands before it
    kept = len(before) if unclosed is None else unclosed.start
    assert made[: block.start].rstrip("\r\n") == before[:kept].rstrip("\r\n")
    assert made.startswith(before[:kept])
    assert made.endswith(before[kept:])
    text = made + after.removeprefix("\ufeff")
    if not sound(text):  # two texts together may open and close what neither does alone
        return
    again = edit(text, "facts", then)
    [block] = parse(text).blocks
    [new] = parse(again).blocks
    assert (text[: block.start], text[block.end :]) == (again[: new.start], again[new.end :])
    assert items(again, "facts") == tuple(then)


@tries(2)
@given(documents(with_markers=True), SOME_ITEMS)
def test_a_document_is_written_without_harm_or_not_at_all(text: str, wanted: list[BlockItem]) -> None:
    document = parse(text)
    if fault := document.fault("facts"):
        with pytest.raises(FailedPrecondition, match=f"line {fault.line} of MEMORY.md: ") as caught:
            edit(text, "facts", wanted, path="MEMORY.md")
        assert caught.value.hint == "palyra workspace repair MEMORY.md"
        return
    made = edit(text, "facts", wanted)
    assert items(made, "facts") == tuple(wanted)
    assert edit(made, "facts", wanted) == made
    assert [b.block_id for b in document.blocks if b.block_id != "facts"] == [
        b.block_id for b in parse(made).blocks if b.block_id != "facts"
    ]


@tries(4)
@given(TEXTS)
def test_any_text_comes_back_from_its_item(text: str) -> None:
    assert unescaped(escaped(text)) == text
    for newline in BREAKS:
        made = a_block(text, text=f"mine{newline}")
        assert items(made, "facts") == (BlockItem("i0", text),)
        assert len(parse(made).blocks) == 1


@tries(2)
@given(TEXTS, TEXTS)
def test_no_text_reaches_beyond_its_item_by_a_markdown_parser_that_is_not_ours(one: str, two: str) -> None:
    made = a_block(one, two, text="# Mine\n") + "\n[a]\n\n# After\n"
    tokens = MarkdownIt("commonmark").parse(made.replace("\x00", ""))
    outermost = [token for token in tokens if token.level == 0]
    assert [token.content.strip()[:16] for token in outermost if token.type == "html_block"] == [
        *("<!-- PALYRA:BEGI", "<!-- PALYRA:ITEM", "<!-- PALYRA:ITEM", "<!-- PALYRA:END ")
    ]
    assert [token.tag for token in outermost if token.type == "heading_open"] == ["h1", "h1"]
    assert {token.type for token in outermost} <= {
        *("html_block", "heading_open", "heading_close", "bullet_list_open", "bullet_list_close"),
        *("paragraph_open", "paragraph_close"),
    }
    assert not any(token.type in ("fence", "html_block") and token.level for token in tokens)
    assert not any(child.type == "html_inline" for token in tokens for child in token.children or ())
    [link] = [token for token in tokens if token.content == "[a]"]
    assert [child.type for child in link.children or ()] == ["text"]  # nobody has defined [a]


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("<!-- PALYRA:BEGIN a -->\n", 1, "block a does not end before the document does"),
        (
            "x\n<!-- PALYRA:BEGIN a -->\n<!-- PALYRA:BEGIN b -->\n<!-- PALYRA:END b -->",
            2,
            "another one begins in line 3",
        ),
        ("<!-- PALYRA:BEGIN a -->\n<!-- PALYRA:END b -->\n<!-- PALYRA:END a -->", 2, "END b stands inside block a"),
        ("\r\n<!-- PALYRA:END a -->", 2, "END a stands outside any block"),
        ("\n\n<!-- PALYRA:ITEM a -->", 3, "ITEM a stands outside any block"),
        ("<!-- PALYRA:BEGIN a -->\n<!-- PALYRA:END a -->\n" * 2, 3, "block a is there already, in line 1"),
        (" <!-- PALYRA:BEGIN a -->", 1, "cannot be read as one"),
        ("<!-- PALYRA:BEGIN two words -->", 1, "cannot be read as one"),
        ("<!-- palyra:begin a -->", 1, "cannot be read as one"),
        ("<!-- PALYRA:END a --> x", 1, "cannot be read as one"),
        ("```\n<!-- PALYRA:BEGIN a -->", 2, "begins in line 1 and never ends"),
        ("<!-- PALYRA:BEGIN facts -->\nx\n<!-- PALYRA:END facts -->", 2, "block facts was changed by hand"),
    ],
)
def test_what_is_broken_fails_closed_with_its_line(text: str, line: int, what: str) -> None:
    for attempt in (lambda: edit(text, "facts", [BlockItem("i", "x")]), lambda: items(text, "facts")):
        with pytest.raises(FailedPrecondition, match=re.escape(what)) as caught:
            attempt()
        assert caught.value.details["line"] == line


@pytest.mark.parametrize("code", ["```", "~~~~", "- ```\n  ", "<pre>", "<!--\n"])
def test_markers_in_code_and_comments_are_not_markers(code: str) -> None:
    text = {
        "```": "```\n<!-- PALYRA:BEGIN facts -->\n```\n",
        "~~~~": "~~~~ md\n~~~\n<!-- PALYRA:END facts -->\n~~~~\n",
        "- ```\n  ": "- ```\n  <!-- PALYRA:END facts -->\n",
        "<pre>": "<pre>\n<!-- PALYRA:END facts -->\n</pre>\n",
        "<!--\n": "<!-- so:\n<!-- PALYRA:END facts -->\n",
    }[code]
    assert not parse(text).broken
    assert not parse(text).blocks
    assert a_block("x", text=text).startswith(text)


def test_an_empty_block_without_a_digest_is_an_invitation() -> None:
    text = "top\n<!-- PALYRA:BEGIN facts -->\n\n<!-- PALYRA:END facts -->\nbottom"
    made = a_block("x", text=text)
    assert made.startswith("top\n<!-- PALYRA:BEGIN facts sha=")
    assert made.endswith("- x\n<!-- PALYRA:END facts -->\nbottom")


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_line_breaks_are_those_of_the_file_and_changing_them_all_is_no_edit(newline: str) -> None:
    made = a_block("one\ntwo", text=f"mine{newline}")
    assert made.count(newline) == len(made.splitlines())
    assert sound(made.replace(newline, "\n"))
    assert sound(made.replace(newline, "\r\n"))


def test_an_edit_by_hand_is_noticed_wherever_it_is_in_the_block() -> None:
    made = a_block("one", "two")
    lines = made.splitlines(keepends=True)
    for index in range(1, len(lines) - 1):
        assert not sound("".join([*lines[:index], *lines[index + 1 :]]))
        assert not sound("".join([*lines[:index], "- mine\n", *lines[index:]]))
    assert not sound(made.replace("two", "twö"))


def test_mine_adopts_what_the_person_wrote() -> None:
    made = a_block("one", "two", "three", text="top\n") + "bottom\n"
    by_hand = made.replace("- one\n", "- one & more\n\n  still one\n* my own\nand its second line\n")
    by_hand = by_hand.replace("- two\n", "")
    with pytest.raises(FailedPrecondition, match="line 8 of PATH"):
        items(by_hand, "facts")
    repaired = repair(by_hand, "facts", "mine")
    assert repaired.plain == ()
    one, own, three = items(repaired.text, "facts")
    assert (one, three) == (BlockItem("i0", "one & more\n\nstill one"), BlockItem("i2", "three"))
    assert (own.item_id[:5], own.text) == ("hand-", "my own\nand its second line")
    assert repaired.text.startswith("top\n\n<!--")
    assert repaired.text.endswith("-->\nbottom\n")


def test_ours_puts_the_last_known_items_back() -> None:
    made = a_block("one", text="top\n") + "bottom\n"
    assert repair(made.replace("- one", "- won"), "facts", "ours", [BlockItem("i0", "one")]).text == made
    without_end = made.replace("<!-- PALYRA:END facts -->\n", "")
    repaired = repair(without_end, "facts", "ours", [BlockItem("i0", "one")])
    assert [broken.line for broken in repaired.plain] == [3, 4]
    assert items(repaired.text, "facts") == (BlockItem("i0", "one"),)
    assert "&lt;!-- PALYRA:ITEM i0 -->\n- one\nbottom\n" in repaired.text


@tries(3)
@given(documents(with_markers=True), ITEMS, st.sampled_from(("mine", "ours")), st.sampled_from(("facts", None)))
def test_repair_always_gives_a_document_that_can_be_written_and_changes_only_markers(
    text: str, known: list[BlockItem], keep: str, block_id: str | None
) -> None:
    repaired = repair(text, block_id, "mine" if keep == "mine" else "ours", known)
    document = parse(repaired.text)
    assert document.broken == ()
    plain = {broken.line for broken in repaired.plain}
    first = repair(text, None, "mine").text
    assert [as_plain_text(line) if n in plain else line for n, line in enumerate(_lines(text), 1)] == _lines(first)
    if block_id:
        assert sound(repaired.text)
        if keep == "ours":
            assert items(repaired.text, "facts") == tuple(known)
        assert repair(repaired.text, "facts", "mine").text == repaired.text
        block, was = document.block("facts"), parse(first).block("facts")
        if block and was:
            assert repaired.text[: block.start] == first[: was.start]
            assert repaired.text[block.end :] == first[was.end :]


def _lines(text: str) -> list[str]:
    return re.split("\r\n|\r|\n", text)


@tries(2)
@given(SOME_ITEMS, st.lists(st.tuples(st.integers(0, 40), st.sampled_from((*OTHERS, "- mine", "my words")))))
def test_adopting_loses_no_word_that_a_person_put_into_a_block(
    wanted: list[BlockItem], added: list[tuple[int, str]]
) -> None:
    lines = edit("", "facts", wanted).split("\n")[:-1]
    for place, line in added:
        lines.insert(1 + place % (len(lines) - 1), line)
    text = "\n".join(lines)
    if parse(text).broken:
        return
    adopted = "\n".join(item.text for item in items(repair(text, "facts", "mine").text, "facts"))
    for _, line in added:
        assert unescaped(re.sub(r"^[-*+ ]? ?", "", line).strip()).strip(" -+*") in adopted


@pytest.mark.parametrize("name", ["", "a b", "-a", "a>", "é", "x" * 129, "a\n"])
def test_an_id_that_would_break_its_marker_is_refused(name: str) -> None:
    for block_id, item_id in ((name, "i"), ("facts", name)):
        with pytest.raises(InvalidArgument, match="cannot be the id"):
            edit("", block_id, [BlockItem(item_id, "x")])


def test_items_that_cannot_be_told_apart_or_written_are_refused() -> None:
    with pytest.raises(InvalidArgument, match="same id"):
        edit("", "facts", [BlockItem("i", "x"), BlockItem("i", "y")])
    with pytest.raises(InvalidArgument, match="half a character"):
        edit("", "facts", [BlockItem("i", "\ud800")])


def test_nothing_to_write_makes_no_block_and_empties_one() -> None:
    assert edit("mine", "facts", []) == "mine"
    assert items(edit(a_block("x"), "facts", []), "facts") == ()
