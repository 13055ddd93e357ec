"""Three versions of a document become one."""

import difflib
import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.workspace.markdown_texts import documents, tries
from palyra.domain.workspace.blocks import BlockItem, edit, items, parse
from palyra.domain.workspace.linediff import diff, matches, split
from palyra.domain.workspace.merge import MergeConflict, merge

FEW_LINES = st.lists(st.sampled_from(("a\n", "b\n", "c\n", "\n", "d\r\n")), max_size=12).map("".join)
PLAIN = documents(with_markers=False, breaks=("\n",)) | FEW_LINES
FACTS = st.lists(st.tuples(st.sampled_from("xyz"), st.sampled_from(("one", "two", "three\nlines"))), max_size=4)
WITH_BLOCK = st.tuples(PLAIN, FACTS).map(lambda made: with_block(made[0], dict(made[1])))
ANY = PLAIN | WITH_BLOCK | documents(with_markers=True)


def with_block(text: str, facts: dict[str, str]) -> str:
    if parse(text).fault("facts"):
        return text
    return edit(text, "facts", [BlockItem(item_id, said) for item_id, said in facts.items()])


def facts_of(text: str) -> dict[str, str]:
    return {item.item_id: item.text for item in items(text, "facts")}


@tries(2)
@given(ANY, ANY)
def test_a_side_that_changed_nothing_does_not_matter(base: str, x: str) -> None:
    for merged in (merge(base, x, base), merge(base, base, x), merge(base, x, x)):
        assert (merged.text, merged.conflicts) == (x, ())


@tries(3)
@given(ANY, ANY, ANY, st.booleans())
def test_no_line_that_either_side_added_is_lost(base: str, ours: str, theirs: str, with_marks: bool) -> None:
    merged = merge(base, ours, theirs, with_marks=with_marks)
    for side in (ours, theirs):
        added = _lines(side) - _lines(base)
        assert {line for line in added if line and "<!-- PALYRA:BEGIN facts" not in line} <= _lines(merged.text)


def _lines(text: str) -> set[str]:
    return set(re.split("[\r\n]", text.removeprefix("\ufeff")))


@tries(2)
@given(PLAIN.filter(lambda text: not parse(text).broken), st.tuples(FACTS, FACTS, FACTS))
def test_items_merge_by_their_ids(text: str, versions: tuple[list[tuple[str, str]], ...]) -> None:
    was, our, their = (dict(version) for version in versions)
    base, ours, theirs = (with_block(text, facts) for facts in (was, our, their))
    merged = merge(base, ours, theirs)
    found = facts_of(merged.text)
    in_conflict = {conflict.item_id for conflict in merged.conflicts if conflict.item_id}
    if None in {conflict.item_id for conflict in merged.conflicts}:
        return  # one side has removed the block
    for item_id in was.keys() | our.keys() | their.keys():
        old, mine, other = was.get(item_id), our.get(item_id), their.get(item_id)
        if other in (mine, old):
            assert found.get(item_id) == mine or not our
        elif mine == old:
            assert found.get(item_id) == other or not their
        elif in_conflict:
            assert item_id in in_conflict
            assert {said for said in (mine, other) if said} <= set(found.values())


BASE = edit("# Title\n\none\ntwo\nthree\n", "facts", [BlockItem("x", "tea"), BlockItem("y", "cats")]) + "\nend\n"


def test_changes_in_different_places_meet_without_conflict() -> None:
    ours = edit(
        BASE.replace("one\n", "ONE\n"), "facts", [BlockItem("x", "tea"), BlockItem("y", "cats"), BlockItem("z", "Oslo")]
    )
    theirs = edit(BASE.replace("end\n", "end\nmore\n"), "facts", [BlockItem("w", "May"), BlockItem("x", "green tea")])
    merged = merge(BASE, ours, theirs)
    assert merged.conflicts == ()
    assert facts_of(merged.text) == {"x": "green tea", "z": "Oslo", "w": "May"}
    assert merged.text.startswith("# Title\n\nONE\ntwo\n")
    assert merged.text.endswith("\nend\nmore\n")


def test_both_versions_of_a_line_stay_and_marks_show_them_when_asked() -> None:
    ours, theirs = BASE.replace("two\n", "mine\n"), BASE.replace("two\n", "yours\n")
    plain, marked = merge(BASE, ours, theirs), merge(BASE, ours, theirs, with_marks=True)
    assert plain.conflicts == marked.conflicts == (MergeConflict(4, "mine\n", "yours\n"),)
    assert "one\nmine\nyours\nthree\n" in plain.text
    assert "one\n<<<<<<< ours\nmine\n=======\nyours\n>>>>>>> theirs\nthree\n" in marked.text


def test_an_item_changed_by_both_is_there_twice_and_reported() -> None:
    theirs = edit(BASE, "facts", [BlockItem("x", "juice"), BlockItem("y", "cats")])
    ours = edit(BASE, "facts", [BlockItem("x", "coffee"), BlockItem("y", "cats")])
    merged = merge(BASE, ours, theirs, with_marks=True)
    assert facts_of(merged.text) == {"x": "coffee", "x.theirs": "juice", "y": "cats"}
    assert merged.conflicts == (MergeConflict(7, "coffee", "juice", "facts", "x"),)
    assert "<<<<" not in merged.text


def test_an_item_or_block_removed_here_and_changed_there_stays_and_is_reported() -> None:
    without_y = edit(BASE, "facts", [BlockItem("x", "tea")])
    changed_y = edit(BASE, "facts", [BlockItem("x", "tea"), BlockItem("y", "dogs")])
    merged = merge(BASE, without_y, changed_y)
    assert facts_of(merged.text) == {"x": "tea", "y": "dogs"}
    assert [(c.ours, c.theirs, c.item_id) for c in merged.conflicts] == [("", "dogs", "y")]
    without_block = "# Title\n\none\ntwo\nthree\nend\n"
    merged = merge(BASE, without_block, changed_y)
    assert facts_of(merged.text) == {"x": "tea", "y": "dogs"}
    assert [c.ours for c in merged.conflicts if c.block_id == "facts"] == [""]
    assert facts_of(merge(BASE, without_block, BASE.replace("end", "END")).text) == {}


def test_a_block_that_both_sides_began_or_moved_is_there_once() -> None:
    base = "one\n\ntwo\n\nthree\n"
    ours, theirs = edit(base, "facts", [BlockItem("x", "tea")]), "new\n" + edit(base, "facts", [BlockItem("y", "cats")])
    merged = merge(base, ours, theirs)
    assert facts_of(merged.text) == {"x": "tea", "y": "cats"}
    block = parse(ours).blocks[0]
    raw = ours[block.start : block.stop]
    to_top, to_middle = raw + base, base.replace("two\n", f"two\n\n{raw}")
    merged = merge(ours, to_top, to_middle)
    assert facts_of(merged.text) == {"x": "tea"}
    assert merged.text.count("PALYRA:BEGIN") == 1


def test_a_block_edited_by_hand_on_one_side_is_adopted_and_reported() -> None:
    ours = BASE.replace("- cats\n", "- cats\n- my own line\n")
    theirs = edit(BASE, "facts", [BlockItem("x", "tea"), BlockItem("y", "dogs")])
    merged = merge(BASE, ours, theirs)
    assert sorted(facts_of(merged.text).values()) == ["dogs", "my own line", "tea"]
    assert [conflict.block_id for conflict in merged.conflicts] == ["facts"]
    assert merge(BASE, ours, BASE.replace("one", "ONE")).text == ours.replace("one", "ONE")


def test_the_last_line_without_a_line_break_is_not_glued_to_what_follows() -> None:
    assert merge("a", "a\nb", "a\nc").text == "a\nb\nc"
    assert merge("", "b", "c").text == "b\nc"
    assert merge("\ufeffa\n", "\ufeffa\nb\n", "c\na\n").text == "c\na\nb\n"


@tries(2)
@given(PLAIN, PLAIN)
def test_what_two_texts_have_in_common_is_in_order_and_equal(old: str, new: str) -> None:
    a, b = split(old), split(new)
    at_a = at_b = 0
    for match in matches(a, b):
        assert match.size > 0
        assert match.a >= at_a
        assert match.b >= at_b
        assert a[match.a : match.a + match.size] == b[match.b : match.b + match.size]
        at_a, at_b = match.a + match.size, match.b + match.size
    assert "".join(a) == old


@tries(2)
@given(FEW_LINES, FEW_LINES)
def test_a_diff_applied_to_the_old_text_gives_the_new_one(old: str, new: str) -> None:
    made = diff(old, new, "a", "b")
    assert (made == "") == (old == new)
    assert _apply(split(old), made) == split(new)


def _apply(lines: list[str], made: str) -> list[str]:
    out: list[str] = []
    at = 0
    for row in split(made)[2:]:
        if row.startswith("@@"):
            start, _, size = row.split()[1][1:].partition(",")
            upto = int(start) - (1 if size != "0" else 0)
            out += lines[at:upto]
            at = upto
        elif row[0] == "+":
            out.append(row[1:])
        else:
            assert lines[at] == row[1:]
            at += 1
            out += [row[1:]] if row[0] == " " else []
    return out + lines[at:]


def test_a_diff_reads_as_everywhere_else() -> None:
    old = "".join(f"line {n}\n" for n in range(40))
    new = old.replace("line 5\n", "LINE 5\n").replace("line 30\n", "").replace("line 12\n", "line 12\nnew\n")
    expected = difflib.unified_diff(old.splitlines(True), new.splitlines(True), "MEMORY.md 1", "MEMORY.md 2")
    assert diff(old, new, "MEMORY.md 1", "MEMORY.md 2") == "".join(expected)
    assert diff("a", "a\n") == "--- old\n+++ new\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n"
    assert diff("", "a\n", "x\ny") == "--- x y\n+++ new\n@@ -0,0 +1 @@\n+a\n"


@pytest.mark.parametrize("line", ["\n", "a\n", "a\nb\n", "".join(f"{n}\n" for n in range(100))])
def test_texts_that_repeat_themselves_are_compared_to_the_end(line: str) -> None:
    half = line * (32_768 // len(line))
    old, new = half + line + half, f"x\n{half}y\n{half}z\n"
    assert Counter(_apply(split(old), diff(old, new))) == Counter(split(new))
    assert "y\n" in merge(old, new, old + "w\n").text
