"""What in a message is a reference, and what only looks like one."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palyra.domain.chat.references import ReferenceKind, distinct, one_line, parse_references, shorten


def found(message: str) -> list[tuple[str, str]]:
    return [(reference.kind.value, reference.target) for reference in parse_references(message).references]


@pytest.mark.parametrize(
    ("message", "wanted"),
    [
        ("[[plan]]", [("named", "plan")]),
        ("[[Plan of 2026]] and [[b]]", [("named", "Plan of 2026"), ("named", "b")]),
        ("[[2026-11-16]]", [("named", "2026-11-16")]),
        ("@file:a.md", [("file", "a.md")]),
        ("see @file:src/a.md, please", [("file", "src/a.md")]),
        ("(@file:a.md)", [("file", "a.md")]),
        ("is it @file:a.md?", [("file", "a.md")]),
        ("**@file:a.md**", [("file", "a.md")]),
        ('@file:"a b.md".', [("file", "a b.md")]),
        ("@file:'a b.md'", [("file", "a b.md")]),
        ("@file:“a b.md”", [("file", "a b.md")]),
        ("@file:a(1).md", [("file", "a(1).md")]),
        ("@folder:src/", [("folder", "src/")]),
        ("@folder:.", [("folder", ".")]),
        ("@folder:..", [("folder", "..")]),
        ("@folder:src...", [("folder", "src")]),
        ("@diff", [("diff", "")]),
        ("explain @diff: what is it", [("diff", "")]),
        ("@staged.", [("staged", "")]),
        ("@url:https://example.org/a_(b)?c=d.", [("url", "https://example.org/a_(b)?c=d")]),
        ("<@url:https://example.org/>", [("url", "https://example.org/")]),
        ("@memory:01ABC", [("memory", "01ABC")]),
        ('@memory:"which tea"', [("memory", "which tea")]),
        ("看@file:a.md。然后", [("file", "a.md")]),
        ("@file:a.md @file:b.md", [("file", "a.md"), ("file", "b.md")]),
        ("a\n@diff\nb", [("diff", "")]),
        ("say \\`@diff", [("diff", "")]),
        ("an odd ` tick and @diff", [("diff", "")]),
        ("a tick `\n\n@diff `", [("diff", "")]),
        ("```\ncode\n```\n@diff", [("diff", "")]),
    ],
)
def test_a_reference_is_found_with_its_target(message: str, wanted: list[tuple[str, str]]) -> None:
    assert found(message) == wanted


@pytest.mark.parametrize(
    "message",
    [
        "write to ana@file.example or ana@diff:1",
        "ana@file:a.md",
        "@someone and @files:x and @File:x",
        "@different @diffs @diff-tool @diff.example @staged_by",
        "@@file:a.md",
        "`@file:a.md` and ``a ` @diff``",
        "```\n@file:a.md\n```",
        "~~~ python\n@diff\n[[a]]\n~~~",
        "```\nnever closed\n@diff",
        "````\n```\n@diff\n````",
        "> ```\n> @diff\n> ```",
        "1. a\n\n    ```\n    @diff\n    ```",
        "```\n- ```\n@diff\n```",
        "[[ -f a ]] && echo",
        "[[1, 2], [3]] [[1]] [[1.5,-2]] [[]] [[ ]]",
        "\\[[a]]",
        "a lone @ and a lone [[",
        "",
    ],
)
def test_what_is_no_reference_is_left_alone(message: str) -> None:
    assert found(message) == []


@pytest.mark.parametrize(
    ("message", "clean"),
    [
        ("compare @file:src/a.md, with [[plan]].", "compare src/a.md, with plan."),
        ("@@file:a.md and ana@@b", "@file:a.md and ana@b"),
        ("explain @diff and @staged", "explain the diff and the staged diff"),
        ("see @url:https://ana:pw@example.org/a?token=b#c!", "see example.org/a!"),
        ("`@@diff` stays", "`@@diff` stays"),
        ("@file: is how", "@file: is how"),
        ('@file:"open', '@file:"open'),
    ],
)
def test_the_clean_text_reads_on(message: str, clean: str) -> None:
    assert parse_references(message).clean_text == clean


@pytest.mark.parametrize("message", ["@file:", "@url: x", '@file:""', '@file:"open\nb"', "@memory:" + "x" * 5_000])
def test_what_is_written_wrongly_is_a_reference_with_a_problem(message: str) -> None:
    (reference,) = parse_references(message).references
    assert reference.problem
    assert len(reference.target) <= 4_096


@given(st.text(alphabet="@[]`~\"'\\\n .:/abfile«»“”dstgurlmoy(){}>-1", max_size=80))
def test_offsets_point_at_what_was_written(message: str) -> None:
    done = 0
    for reference in parse_references(message).references:
        assert reference.start >= done
        assert message[reference.start : reference.end] == reference.raw
        done = reference.end


@given(st.text(max_size=60))
def test_a_text_whose_signs_are_doubled_comes_back_as_it_was(text: str) -> None:
    plain = text.replace("[", "").replace("`", "").replace("~", "")
    parsed = parse_references(plain.replace("@", "@@"))
    assert parsed.clean_text == plain
    assert not parsed.references


@pytest.mark.parametrize(
    "unit",
    ["@", "@@", "`", "` ``", "[[", "[[a", "[[a]]", "@file:", "@diff ", '@file:"', "```\n", "> ", "1.", "\\`", "@url:((",
     "a@", "\n", " \n", "@file:a)))", "``` ` `` "],
)  # fmt: skip
def test_a_long_message_takes_time_by_its_length(unit: str) -> None:
    started = time.thread_time()
    parse_references(unit * (131_072 // len(unit)))
    assert time.thread_time() - started < 3


def test_the_same_reference_is_looked_up_once() -> None:
    references = parse_references("@diff @file:a @diff @file:a @file:b").references
    assert [(one.kind, one.target) for one in distinct(references)] == [
        (ReferenceKind.DIFF, ""),
        (ReferenceKind.FILE, "a"),
        (ReferenceKind.FILE, "b"),
    ]
    assert distinct(references)[0].start == 0


def test_a_label_is_one_visible_line() -> None:
    (reference,) = parse_references('@file:"a\u202eb\tc' + "d" * 200 + '"').references
    assert reference.label.startswith("ab cd")
    assert len(reference.label) == 80
    assert one_line("\u200b") == ""


def test_shortening_ends_at_a_line_or_a_word_near_the_limit() -> None:
    assert shorten("short", 10) == "short"
    assert shorten("x" * 95 + "\nyyyyyyyyyy", 100) == "x" * 95
    assert shorten("x" * 95 + " yyyyyyyyyy", 100) == "x" * 95
    assert shorten("x" * 200, 100) == "x" * 100
