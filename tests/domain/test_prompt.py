"""Fitting parts into a window: what is kept, what goes, what the report says, and where things stand."""

import json

import pytest

from palyra.core.errors import TooLarge
from palyra.core.hashing import sha256
from palyra.domain.chat.conversation import Image, Message, PromptFact, Text, ToolSpec
from palyra.domain.prompt import Assembled, ModelWindow, PromptPart, Unit, assemble
from palyra.domain.prompt.report import MOST_LEFT_OUT, LeftOut, PartKind, Source, Why

WIDE = ModelWindow("openai", "m", 100_000, 1_000)
TOOL = ToolSpec("look", "looks", {"type": "object"})


def narrow(budget: int) -> ModelWindow:
    """A window that leaves exactly `budget` tokens for the prompt."""
    return next(
        window for size in range(10_000) if (window := ModelWindow("openai", "m", size, 0)).budget_tokens == budget
    )


def text_part(kind: PartKind, *texts: str, tokens: int = 10, **given: object) -> PromptPart:
    units = tuple(Unit(text, tokens, Source("memory", text)) for text in texts)
    return PromptPart(kind, units, **given)  # type: ignore[arg-type]


def required(instructions: int = 10, message: int = 10) -> list[PromptPart]:
    return [
        PromptPart(PartKind.INSTRUCTIONS, (Unit("Be kind.\n", instructions),), required=True),
        PromptPart(PartKind.MESSAGE, (Unit("Who is Bo?", message),), required=True, opening="It is Monday.\n"),
    ]


def a_turn(name: str) -> tuple[Message, ...]:
    return Message("user", (Text(f"ask {name}"),)), Message("assistant", (Text(f"say {name}"),))


def turns(*names: str, tokens: int = 10) -> PromptPart:
    return PromptPart(PartKind.TURNS, tuple(Unit(a_turn(name), tokens, Source("run", name)) for name in names))


def kept(assembled: Assembled, kind: PartKind) -> list[str]:
    part = assembled.report.part(kind)
    assert part is not None
    return [row.source.id for row in part.kept]


def dropped(assembled: Assembled, kind: PartKind) -> list[tuple[str, Why]]:
    part = assembled.report.part(kind)
    assert part is not None
    return [(row.source.id if row.source else "", row.why) for row in part.left_out]


def test_what_changes_rarely_comes_first_and_the_question_last() -> None:
    parts = [
        *required(),
        text_part(PartKind.COMPACTION, "summary\n"),
        text_part(PartKind.DOCUMENTS, "document\n"),
        text_part(PartKind.PREFERENCES, "preferences\n"),
        text_part(PartKind.ATTACHMENTS, "file\n"),
        text_part(PartKind.REFERENCES, "reference\n"),
        text_part(PartKind.MEMORY, "m1\n", "m2\n", opening="<", closing=">\n", frame_tokens=2),
        PromptPart(PartKind.IMAGES, (Unit(Image("image/png", b"1"), 100),)),
        PromptPart(PartKind.TOOLS, (Unit(TOOL, 20),)),
        turns("old", "new"),
    ]
    request = assemble(parts, WIDE).request
    assert request.system == "Be kind.\npreferences\ndocument\nsummary\n"
    context = Text("<m1\nm2\n>\nreference\nfile\nIt is Monday.\n")
    last = Message("user", (context, Image("image/png", b"1"), Text("Who is Bo?")))
    assert request.messages == (*a_turn("old"), *a_turn("new"), last)
    assert (request.tools, request.max_output_tokens) == ((TOOL,), 1_000)


def test_when_the_window_is_full_the_oldest_turns_go_first_and_leave_no_gap() -> None:
    history = PromptPart(
        PartKind.TURNS,
        tuple(Unit(a_turn(name), tokens, Source("run", name)) for name, tokens in [("a", 1), ("b", 50), ("c", 9)]),
    )
    assembled = assemble([*required(), history], narrow(40))
    assert kept(assembled, PartKind.TURNS) == ["c"]
    assert dropped(assembled, PartKind.TURNS) == [("a", Why.BUDGET), ("b", Why.BUDGET)]


def test_a_pinned_turn_stays_when_older_and_newer_ones_have_to_go() -> None:
    old = PromptPart(
        PartKind.TURNS,
        tuple(Unit(a_turn(name), 10, Source("run", name), pinned=name == "b") for name in ("a", "b", "c", "d")),
    )
    assert kept(assemble([*required(), old], narrow(40)), PartKind.TURNS) == ["b", "d"]
    assert kept(assemble([*required(), old], narrow(30)), PartKind.TURNS) == ["b"]
    assert kept(assemble([*required(), old], narrow(25)), PartKind.TURNS) == []


def test_memory_is_kept_before_turns_and_the_best_memory_before_the_next() -> None:
    memory = text_part(PartKind.MEMORY, "m1", "m2", "m3", frame_tokens=5)
    assembled = assemble([*required(), turns("a"), memory], narrow(46))
    assert kept(assembled, PartKind.MEMORY) == ["m1", "m2"]
    assert dropped(assembled, PartKind.MEMORY) == [("m3", Why.BUDGET)]
    assert kept(assembled, PartKind.TURNS) == []
    assert assembled.report.used_tokens == 45


def test_one_that_is_too_long_does_not_take_the_others_with_it() -> None:
    files = PromptPart(
        PartKind.ATTACHMENTS,
        (Unit("huge", 1_000, Source("attachment", "huge")), Unit("small", 5, Source("attachment", "small"))),
    )
    assembled = assemble([*required(), files, turns("a")], narrow(40))
    assert kept(assembled, PartKind.ATTACHMENTS) == ["small"]
    assert kept(assembled, PartKind.TURNS) == ["a"]


@pytest.mark.parametrize("budget", range(20, 140, 7))
def test_no_prompt_takes_more_than_its_budget(budget: int) -> None:
    parts = [
        *required(),
        text_part(PartKind.MEMORY, "m1", "m2", tokens=13, frame_tokens=7),
        text_part(PartKind.REFERENCES, "r1", "r2", tokens=17),
        PromptPart(PartKind.TOOLS, (Unit(TOOL, 11),)),
        turns("a", "b", "c", tokens=9),
    ]
    report = assemble(parts, narrow(budget)).report
    assert report.used_tokens == sum(part.tokens for part in report.parts) <= budget == report.budget_tokens


def test_a_frame_costs_nothing_and_is_not_there_when_all_its_units_are_gone() -> None:
    memory = text_part(PartKind.MEMORY, "m1", tokens=50, opening="<memory>", closing="</memory>", frame_tokens=5)
    assembled = assemble([*required(), memory], narrow(40))
    assert assembled.request.messages[-1].parts[0] == Text("It is Monday.\n")
    part = assembled.report.part(PartKind.MEMORY)
    assert part is not None
    assert (part.tokens, part.units, part.sha256) == (0, 0, "")


@pytest.mark.parametrize(
    "window", [narrow(39), ModelWindow("openai", "m", 1_000, 1_000), ModelWindow("openai", "m", 0, 0)]
)
def test_a_question_that_does_not_fit_is_refused_with_the_numbers(window: ModelWindow) -> None:
    with pytest.raises(TooLarge, match="take 40 tokens") as caught:
        assemble(required(10, 30), window)
    assert caught.value.details["required_tokens"] == 40
    assert caught.value.details["window_tokens"] == window.window_tokens
    assert caught.value.hint


def test_the_facts_of_the_memories_that_are_kept_go_along() -> None:
    facts = [PromptFact(f"m{n}", f"fact {n}", "", 0, 0.5) for n in (1, 2)]
    units = tuple(Unit(fact.text, 10, Source("memory", fact.citation), fact) for fact in facts)
    assembled = assemble([*required(), PromptPart(PartKind.MEMORY, units)], narrow(35))
    assert assembled.request.facts == (facts[0],)


def test_the_report_holds_no_text() -> None:
    parts = [
        *required(),
        text_part(PartKind.MEMORY, "m1", left_out=(LeftOut(None, Why.DISABLED),), degraded=("vector",)),
        PromptPart(PartKind.IMAGES, (), left_out=(LeftOut(Source("attachment", "f00"), Why.UNSUPPORTED, 7),)),
        turns("a"),
    ]
    report = assemble(parts, WIDE).report
    stored = json.dumps(report.to_json())
    assert report.degraded == ("vector",)
    for words in ("Be kind", "Who is Bo", "ask a"):
        assert words not in stored


def test_a_long_list_of_what_was_left_out_is_counted_at_its_end() -> None:
    gone = tuple(LeftOut(Source("memory", str(n)), Why.LIMIT, 2) for n in range(MOST_LEFT_OUT + 10))
    part = assemble([*required(), PromptPart(PartKind.MEMORY, left_out=gone)], WIDE).report.part(PartKind.MEMORY)
    assert part is not None
    assert len(part.left_out) == MOST_LEFT_OUT + 1
    assert part.left_out[-1] == LeftOut(None, Why.LIMIT, 20, 10)


def test_hashes_name_what_was_sent() -> None:
    def digest(question: str, image: bytes) -> tuple[str, str]:
        parts = [
            PromptPart(PartKind.MESSAGE, (Unit(question, 1),), required=True),
            PromptPart(PartKind.IMAGES, (Unit(Image("image/png", image), 1),)),
        ]
        report = assemble(parts, WIDE).report
        return report.sha256, report.parts[0].sha256

    assert digest("one", b"1") == digest("one", b"1")
    assert len({digest("one", b"1"), digest("two", b"1"), digest("one", b"2")}) == 3
    assert digest("one", b"1")[1] == sha256(b"one").hex()
    assert len(digest("half \ud800", b"1")[0]) == 64
