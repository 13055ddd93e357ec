"""From the tape to what people and models read."""

import json
import secrets
import time
import unicodedata
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from palyra.core.ids import EventId, RunId, SessionId
from palyra.domain.chat.conversation import Message, Text, ToolAnswer, ToolCall, Usage
from palyra.domain.chat.session import Run, RunOrigin, RunState, Session, TapeRecord, TapeType
from palyra.domain.chat.transcript import (
    ERASED,
    NO_RESULT,
    TITLE_CHARS,
    TranscriptKind,
    TranscriptMessage,
    Wholeness,
    auto_title,
    history_messages,
    messages,
    tool_answer,
)
from palyra.domain.chat.transcript_files import FORMAT, to_json, to_markdown
from palyra.domain.journal import Actor

AT_MS = 1_700_000_000_123
SESSION = Session(
    SessionId("01JD8QZ6T3M4N5P6Q7R8S9TABC"),
    3,
    'my "key"',
    "user:ana",
    None,
    "Tea: hot or not?",
    False,
    AT_MS,
    AT_MS + 1_000,
    False,
    None,
    None,
    0,
)

Given = tuple[TapeType, dict[str, Any] | None]


def a_tape(*given: Given, run_id: str = "R1") -> list[TapeRecord]:
    return [
        TapeRecord(seq, EventId(f"E{seq}"), RunId(run_id), SESSION.session_id, type_, payload, AT_MS + seq)
        for seq, (type_, payload) in enumerate(given, 1)
    ]


def user(text: str, **more: Any) -> Given:
    return TapeType.USER_MESSAGE, {"text": text, "attachments": [], **more}


def piece(offset: int, text: str) -> Given:
    return TapeType.ASSISTANT_TEXT, {"offset": offset, "text": text}


def end(offset: int, text: str, *, complete: bool = True, stop: str = "end") -> Given:
    return TapeType.ASSISTANT_MESSAGE, {"offset": offset, "text": text, "complete": complete, "stop": stop}


def proposal(call_id: str, name: str = "memory_search", arguments: str = '{"query":"tea"}') -> Given:
    return TapeType.TOOL_PROPOSAL, {"call_id": call_id, "name": name, "arguments": arguments}


def decision(call_id: str, decision: str = "allowed", reason: str = "") -> Given:
    return TapeType.TOOL_DECISION, {"call_id": call_id, "decision": decision, "reason": reason, "by": "policy"}


def result(call_id: str, text: str, *, name: str = "memory_search", is_error: bool = False) -> Given:
    payload = {"call_id": call_id, "name": name, "text": text, "is_error": is_error, "tainted": False}
    return TapeType.TOOL_RESULT, payload


GONE: Given = (TapeType.ERASED, None)


def seen(*given: Given) -> list[tuple[TranscriptKind, str, Wholeness]]:
    return [(message.kind, message.text, message.wholeness) for message in messages(a_tape(*given))]


# -- messages


def test_the_pieces_of_an_answer_are_one_message() -> None:
    tape = a_tape(user("hello"), piece(0, "Good "), piece(5, "morn"), end(9, "ing"))
    found = messages(tape)
    assert [(message.kind, message.text) for message in found] == [
        (TranscriptKind.USER, "hello"),
        (TranscriptKind.ASSISTANT, "Good morning"),
    ]
    assert found[1].event_ids == ("E2", "E3", "E4")
    assert (found[1].seq, found[1].last_seq, found[1].at_ms) == (2, 4, AT_MS + 2)
    assert found[1].details == {"stop": "end"}


@pytest.mark.parametrize(
    "tape",
    [
        (piece(0, "Good "), piece(5, "morn")),
        (piece(0, "Good "), end(5, "morn", complete=False, stop="failed")),
    ],
)
def test_an_answer_that_was_cut_off_is_marked(tape: tuple[Given, ...]) -> None:
    assert seen(*tape) == [(TranscriptKind.ASSISTANT, "Good morn", Wholeness.PARTIAL)]


def test_answers_of_one_run_and_of_two_runs_stay_apart() -> None:
    one = a_tape(piece(0, "a"), end(1, "b"), piece(0, "c"), end(1, "d"))
    two = a_tape(piece(0, "x"), end(1, "y"), run_id="R2")
    mixed = [one[0], two[0], one[1], two[1], *one[2:]]
    assert [message.text for message in messages(mixed)] == ["ab", "xy", "cd"]


def test_all_that_belongs_to_a_call_is_one_message() -> None:
    tape = a_tape(
        end(0, ""), proposal("c1"), decision("c1", "approved", "untrusted_context"), proposal("c2"), result("c1", "hot")
    )
    _, first, second = messages(tape)
    assert (first.kind, first.text, first.wholeness) == (TranscriptKind.TOOL, "hot", Wholeness.COMPLETE)
    assert first.details == {
        "call_id": "c1",
        "name": "memory_search",
        "arguments": '{"query":"tea"}',
        "decision": "approved",
        "reason": "untrusted_context",
        "by": "policy",
        "is_error": False,
        "tainted": False,
    }
    assert (second.text, second.wholeness) == ("", Wholeness.PARTIAL)


def test_a_call_id_that_comes_again_belongs_to_the_later_call() -> None:
    tape = a_tape(end(0, ""), proposal("c"), result("c", "one"), end(0, ""), proposal("c"), result("c", "two"))
    assert [message.text for message in messages(tape) if message.kind is TranscriptKind.TOOL] == ["one", "two"]


def test_what_was_erased_leaves_its_place_and_nothing_else() -> None:
    assert seen(GONE, end(0, "Yes"), GONE) == [
        (TranscriptKind.ERASED, "", Wholeness.ERASED),
        (TranscriptKind.ASSISTANT, "Yes", Wholeness.COMPLETE),
        (TranscriptKind.ERASED, "", Wholeness.ERASED),
    ]
    assert seen(piece(0, "My "), GONE, end(6, " is hot")) == [
        (TranscriptKind.ASSISTANT, f"My {ERASED} is hot", Wholeness.ERASED)
    ]


def test_a_secret_that_was_streamed_in_two_halves_is_masked() -> None:
    key = "sk-" + secrets.token_hex(24)
    [message] = messages(a_tape(piece(0, f"the api key is {key[:20]}"), end(35, key[20:])))
    assert not any(key[at : at + 8] in message.text for at in range(3, len(key) - 8))
    assert "[redacted:" in message.text


def test_details_are_redacted_too() -> None:
    key = "sk-" + secrets.token_hex(24)
    [message] = messages(a_tape(proposal("c", arguments=json.dumps({"text": f"api key {key}"}))))
    assert key not in str(message.details)


# -- history


def test_a_turn_with_tools_goes_into_later_prompts_as_it_went_into_its_own() -> None:
    tape = a_tape(
        user("Tea @@ five?", clean_text="Tea @ five?"),
        (TapeType.INJECTION, {"memories": []}),
        end(0, "Let me look.", stop="tool_calls"),
        proposal("c1"),
        decision("c1"),
        result("c1", "tea at five"),
        proposal("c2"),
        decision("c2"),
        result("c2", "no", is_error=True),
        (TapeType.NOTICE, {"code": "x", "message": "y"}),
        end(0, "", stop="tool_calls"),
        proposal("c3"),
        result("c3", "hot"),
        piece(0, "At "),
        end(3, "five."),
    )
    call = '{"query":"tea"}'
    assert history_messages(tape) == (
        Message("user", (Text("Tea @ five?"),)),
        Message(
            "assistant",
            (Text("Let me look."), ToolCall("c1", "memory_search", call), ToolCall("c2", "memory_search", call)),
        ),
        Message("tool", (_answer("c1", "tea at five"), _answer("c2", "no", is_error=True))),
        Message("assistant", (ToolCall("c3", "memory_search", call),)),
        Message("tool", (_answer("c3", "hot"),)),
        Message("assistant", (Text("At five."),)),
    )


def _answer(call_id: str, text: str, *, is_error: bool = False) -> ToolAnswer:
    return tool_answer(call_id, "memory_search", text, is_error=is_error)


def test_a_run_that_failed_contributes_what_had_arrived() -> None:
    assert history_messages(a_tape(user("hello"), piece(0, "Good mor"))) == (
        Message("user", (Text("hello"),)),
        Message("assistant", (Text("Good mor"),)),
    )
    assert history_messages(a_tape(user("hello"), end(0, "", complete=False, stop="failed"))) == (
        Message("user", (Text("hello"),)),
    )


@pytest.mark.parametrize(
    ("after", "text"),
    [
        ((), NO_RESULT),
        ((decision("c", "expired", "the turn ended"),), f"{NO_RESULT} (expired, the turn ended)"),
        ((decision("c", "denied"),), f"{NO_RESULT} (denied)"),
        ((GONE,), NO_RESULT),
    ],
)
def test_a_call_without_a_result_gets_an_answer(after: tuple[Given, ...], text: str) -> None:
    said = history_messages(a_tape(user("hello"), end(0, ""), proposal("c"), *after))
    assert said[-1] == Message("tool", (ToolAnswer("c", text, True),))


def test_messages_sent_one_after_the_other_are_one() -> None:
    assert history_messages(a_tape(user("one"), user("two"))) == (Message("user", (Text("one"), Text("two"))),)


def test_of_an_erased_run_nothing_is_left_and_an_answer_never_stands_alone() -> None:
    assert history_messages(a_tape(GONE, GONE, GONE)) == ()
    assert history_messages(a_tape(GONE, end(0, "Yes"))) == (
        Message("user", (Text(ERASED),)),
        Message("assistant", (Text("Yes"),)),
    )


def test_what_a_provider_would_refuse_does_not_spoil_later_prompts() -> None:
    tape = a_tape(
        user("hello"),
        end(0, ""),
        proposal("a.b:c", "memory.search!", "{"),
        result("a.b:c", "wrong", name="memory.search!"),
        end(0, ""),
        proposal("a.b:c", "", "[1]"),
        end(0, ""),
        proposal("", "x" * 200, '{"n": NaN}'),
    )
    calls = [part for message in history_messages(tape) for part in message.parts if isinstance(part, ToolCall)]
    assert calls == [
        ToolCall("a_b_c", "memory_search_", "{}"),
        ToolCall("a_b_c_2", "_", "{}"),
        ToolCall("_", "x" * 60, "{}"),
    ]


ANYTHING = st.lists(
    st.one_of(
        st.just(GONE),
        st.builds(user, st.text(max_size=5)),
        st.builds(piece, st.integers(0, 9), st.text(max_size=5)),
        st.builds(end, st.integers(0, 9), st.text(max_size=5), complete=st.booleans()),
        st.builds(proposal, st.sampled_from("abc"), arguments=st.text(max_size=5)),
        st.builds(decision, st.sampled_from("abc")),
        st.builds(result, st.sampled_from("abc"), st.text(max_size=5)),
    ),
    max_size=14,
)


@settings(deadline=None)
@given(ANYTHING)
def test_whatever_is_on_the_tape_the_history_is_one_that_providers_take(given: list[Given]) -> None:
    said = history_messages(a_tape(*given))
    assert said == history_messages(a_tape(*given))
    assert not said or said[0].role == "user"
    ids: list[str] = []
    for index, message in enumerate(said):
        assert message.parts
        calls = [part.call_id for part in message.parts if isinstance(part, ToolCall)]
        answers = [part.call_id for part in message.parts if isinstance(part, ToolAnswer)]
        assert not (calls and message.role != "assistant")
        assert not (answers and message.role != "tool")
        if calls:
            following = said[index + 1]
            assert [part.call_id for part in following.parts if isinstance(part, ToolAnswer)] == calls
        if answers:
            assert said[index - 1].role == "assistant"
        assert all(part.text.strip() for part in message.parts if isinstance(part, Text))
        ids += calls
    assert len(ids) == len(set(ids))


@settings(deadline=None)
@given(ANYTHING)
def test_every_record_is_in_the_transcript_once(given: list[Given]) -> None:
    found = messages(a_tape(*given))
    assert sorted(int(id_[1:]) for message in found for id_ in message.event_ids) == list(range(1, len(given) + 1))
    assert [message.seq for message in found] == sorted(message.seq for message in found)


# -- files


FULL = a_tape(
    user("Is tea hot?"),
    (TapeType.REFERENCE, {"label": "a.md", "kind": "file", "target": "a.md", "trust": "import", "error": ""}),
    (TapeType.ATTACHMENT, {"attachment_id": "00", "name": "b.pdf", "media_type": "application/pdf"}),
    (TapeType.INJECTION, {"memories": [{"memory_id": "M1", "trust": "owner"}]}),
    (TapeType.PROMPT_REPORT, {"tokens": 7}),
    end(0, "Let me look.", stop="tool_calls"),
    proposal("c1"),
    decision("c1"),
    result("c1", "```\nhot\n```"),
    (TapeType.NOTICE, {"code": "held", "message": "waits"}),
    piece(0, "Ye"),
)


def test_markdown_reads_well() -> None:
    assert to_markdown(SESSION, messages(FULL)) == (
        "---\n"
        "format: palyra.session/1\n"
        "id: 01JD8QZ6T3M4N5P6Q7R8S9TABC\n"
        'key: "my \\"key\\""\n'
        'title: "Tea: hot or not?"\n'
        "created: 2023-11-14T22:13:20.123Z\n"
        "active: 2023-11-14T22:13:21.123Z\n"
        "---\n"
        "\n"
        "# Tea: hot or not?\n"
        "\n"
        "## User · 2023-11-14T22:13:20.124Z\n"
        "\n"
        "> Is tea hot?\n"
        "\n"
        "- reference `a.md`\n"
        "\n"
        "- attachment `b.pdf`, `application/pdf`\n"
        "\n"
        "- remembered: `M1`\n"
        "\n"
        "## Assistant · 2023-11-14T22:13:20.129Z\n"
        "\n"
        "> Let me look.\n"
        "\n"
        "### Tool `memory_search` · 2023-11-14T22:13:20.130Z\n"
        "\n"
        "```json\n"
        '{"query":"tea"}\n'
        "```\n"
        "\n"
        "`allowed` · `policy`\n"
        "\n"
        "````\n"
        "```\n"
        "hot\n"
        "```\n"
        "````\n"
        "\n"
        "- notice `held`: `waits`\n"
        "\n"
        "## Assistant · 2023-11-14T22:13:20.134Z\n"
        "\n"
        "> Ye\n"
        "\n"
        "*(cut off here: this is what had arrived)*\n"
    )


def test_json_is_complete_and_can_be_written() -> None:
    run = Run(
        RunId("R1"),
        4,
        SESSION.session_id,
        "user:ana",
        None,
        Actor.USER,
        RunState.FAILED,
        RunOrigin.CHAT,
        None,
        "m",
        Usage(1, 2, 3),
        "unavailable",
        AT_MS,
        AT_MS,
        None,
        None,
    )
    found = json.loads(json.dumps(to_json(SESSION, [run], messages(FULL))))
    assert found["format"] == FORMAT
    assert found["session"]["key"] == 'my "key"'
    assert found["session"]["created_at"] == "2023-11-14T22:13:20.123Z"
    assert found["runs"][0] == {
        "run_id": "R1",
        "seq": 4,
        "actor": "user",
        "state": "failed",
        "origin": "chat",
        "retry_of": None,
        "model": "m",
        "input_tokens": 1,
        "output_tokens": 2,
        "cached_tokens": 3,
        "error_code": "unavailable",
        "created_at": "2023-11-14T22:13:20.123Z",
        "started_at": "2023-11-14T22:13:20.123Z",
        "ended_at": None,
        "undone_seq": None,
    }
    assert sorted(id_ for message in found["messages"] for id_ in message["event_ids"]) == sorted(
        record.event_id for record in FULL
    )
    assert found["messages"][4]["details"] == {"tokens": 7}
    assert set(found["messages"][0]) == {
        "kind", "run_id", "seq", "event_ids", "at", "text", "wholeness", "pinned", "details",
    }  # fmt: skip


HOSTILE = st.lists(
    st.one_of(
        st.sampled_from(
            (
                "```", "````", "~~~", "```py", "   ```", "- ```", "> ```", "1. a", "", "## User · now", "***", "---",
                "<!--", "<script>", "</div>", "<b", "\\<b>", "![x](http://example.com/a.png)", "\\![x](u)",
                "!\u200b[x](u)", "\r",
                "`", "``", "`\u200b``", "<\u200bscript>", "    code", "\t", "[a]: b 'c", "'", "| a |", "<?", "&lt;",
                "\u2028",
                "===", "<a@b.example>", "![x]", "[x]: http://example.com/a.png", "text <b> text", "```a`b", "~~~ ~~~",
            )
        ),
        st.text(alphabet="`~<>![]()-# \n\t\\&ab\u200b", max_size=12),
    ),
    max_size=8,
).map("\n".join)  # fmt: skip


@settings(deadline=None, max_examples=300)
@given(HOSTILE, HOSTILE)
def test_no_text_gets_out_of_its_place_in_markdown(said: str, brought: str) -> None:
    """Checked with a parser that is not ours: our headings are the only ones, no tag and no picture is drawn, and
    what comes after is still there."""
    tape = a_tape(
        user(said),
        end(0, said),
        proposal("c", brought, brought),
        decision("c", brought, brought),
        result("c", brought),
        (TapeType.REFERENCE, {"label": brought, "error": said}),
        (TapeType.NOTICE, {"code": brought, "message": said}),
        user("the end"),
    )
    text = to_markdown(SESSION, messages(tape)).split("---\n", 2)[2]
    tokens = MarkdownIt("commonmark").parse(text)
    headings = [
        tokens[i + 1].content for i, token in enumerate(tokens) if token.type == "heading_open" and not token.level
    ]
    assert [heading.split(" ")[0] for heading in headings] == ["Tea:", "User", "Assistant", "Tool", "User"]
    inside = [child for token in tokens for child in token.children or ()]
    assert not {token.type for token in (*tokens, *inside)} & {"html_block", "html_inline", "image"}
    assert tokens[-2].content == "the end" or tokens[-3].content == "the end"


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("a <b> ![c](d)", "> a &lt;b> &#33;[c](d)"),
        ("```\n<b>\n```\n<i>", "> ```\n> <b>\n> ```\n> &lt;i>"),
        ("~~~~\n~~~\n<b>", "> ~~~~\n> ~~~\n> <b>"),
        ("a\n   ```\n```\n<b>", "> a\n>    ```\n> ```\n> &lt;b>"),
        ("- ```\n<b>\n```\n<b>", "> - ```\n> &lt;b>\n> ```\n> &lt;b>"),
    ],
)
def test_tags_are_kept_only_where_they_are_surely_code(said: str, shown: str) -> None:
    assert to_markdown(SESSION, messages(a_tape(user(said)))).endswith(f"\n\n{shown}\n")


def test_ticks_that_only_something_invisible_parts_count_as_one_fence() -> None:
    text = to_markdown(SESSION, messages(a_tape(proposal("c"), result("c", "a\n`\u200b``\n## User"))))
    assert text.endswith("\n````\na\n```\n## User\n````\n")


def test_the_front_matter_cannot_be_broken_by_a_title() -> None:
    title = 'a"\n---\nkey: b\u2028\x85'
    lines = to_markdown(replace(SESSION, title=title), ()).splitlines()
    assert lines.index("---", 1) == 7
    assert json.loads(lines[4].removeprefix("title: ")) == 'a" --- key: b'


def test_pinned_and_erased_messages_say_so() -> None:
    record = a_tape(user("hello"))[0]
    pinned = replace(record, pinned=True)
    text = to_markdown(SESSION, messages([pinned, *a_tape(GONE)]))
    assert "Z · pinned\n\n> hello" in text
    assert text.endswith("## Erased · 2023-11-14T22:13:20.124Z\n\n*(erased)*\n")


# -- titles


@pytest.mark.parametrize(
    ("message", "title"),
    [
        ("Plan the offsite", "Plan the offsite"),
        ("\n\n  # **Plan** the _offsite_ \n\nand more", "Plan the offsite"),
        ("- [ ] buy `milk`", "buy milk"),
        ("> 1. quoted", "quoted"),
        ("***all** of it*", "all of it"),
        ("see [the docs](https://example.com/a_b) now", "see the docs now"),
        ("![a picture](x.png)", "a picture"),
        ("<b>bold</b> claim", "bold claim"),
        ("```py\nprint(1)\n```\nWhy does this fail?", "Why does this fail?"),
        ("```py\nprint(1)\n```", "print(1)"),
        ("snake_case and 2 * 3 and *.py", "snake_case and 2 * 3 and *.py"),
        ("这是**重点**内容", "这是重点内容"),
        ("", ""),
        ("***\n---\n \u200b", ""),
        ("\U0001f600", "\U0001f600"),
        ("one two three four five six seven eight nine ten eleven twelve", None),
    ],
)
def test_a_title_is_the_first_line_without_markup(message: str, title: str | None) -> None:
    expected = "one two three four five six seven eight nine ten eleven…" if title is None else title
    assert auto_title(message) == expected


@pytest.mark.parametrize("letter", ["字", "e\u0301\u0301", "ก็", "\U0001f469\u200d\U0001f4bb", "x"])
def test_text_without_spaces_is_cut_between_characters(letter: str) -> None:
    title = auto_title(letter * 100)
    assert TITLE_CHARS - 5 <= len(title) <= TITLE_CHARS
    assert title[-1] == "…"
    body = title[:-1]
    assert unicodedata.normalize("NFC", letter * 100).startswith(body)
    assert unicodedata.normalize("NFC", letter * 100)[len(body)] == unicodedata.normalize("NFC", letter)[0]


@settings(deadline=None)
@given(st.text(max_size=300) | HOSTILE)
def test_a_title_is_one_short_line_whatever_was_said(message: str) -> None:
    title = auto_title(message)
    assert len(title) <= TITLE_CHARS
    assert len(title.splitlines()) <= 1
    assert title == " ".join(title.split())


def test_a_title_holds_no_half_of_a_secret() -> None:
    key = "sk-" + secrets.token_hex(24)
    assert key[:10] not in auto_title(f"my api key, the one for the long running thing, is {key}")


@pytest.mark.parametrize("unit", ["[a](", "[", "*a ", "<!--", "- ", "> ", "`a", "_a ", "```\n", "e\u0301"])
def test_a_long_message_takes_no_longer_than_a_few_of_its_beginnings(unit: str) -> None:
    started = time.thread_time()
    auto_title(unit * 500_000)
    messages(a_tape(user(unit * 20_000)))
    assert time.thread_time() - started < 5


def test_a_long_answer_in_many_pieces_is_joined_in_good_time() -> None:
    tape = a_tape(*(piece(n, "word ") for n in range(20_000)), end(0, ""))
    started = time.thread_time()
    [message] = messages(tape)
    assert time.thread_time() - started < 5
    assert isinstance(message, TranscriptMessage)
    assert len(message.text) == 100_000
