"""Whose words they are."""

import pytest

from palyra.language.wrappings import HEAD, TAIL, blocks, own_text, own_words, title

REMINDER = "<system-reminder>\nThe user opened the file a.py.\n\nDo not mention this.\n</system-reminder>"
CODEX = "# Context from my IDE setup:\n\n## Active file: a.ts\n\n## My request for Codex:\n"
TRACE = 'Traceback (most recent call last):\n  File "a.py", line 3, in <module>\n    main()\nValueError: no'
LOG = "2026-02-02 08:14:55 INFO started\n2026-02-02 08:14:56 ERROR no route to host"
LETTER = "> Dear all, the lift is closed on Monday.\n> Kind regards"
SAID = "I live in Ghent, by the canal"


@pytest.mark.parametrize(
    "around",
    [
        f"{REMINDER}\n{{}}",
        "{}\n" + REMINDER,
        "<environment_context>\n  <cwd>/src</cwd>\n  <shell>zsh</shell>\n</environment_context>\n\n{}",
        "<ide_selection>lines 3 to 9 of app.kts: minSdk = 26</ide_selection>\n{}",
        (
            "<additional_data>\n<current_file>\nPath: a.swift\n</current_file>\n</additional_data>\n"
            "<user_query>\n{}\n</user_query>"
        ),
        (
            '<attachments>\n<attachment id="file:a.gd">\nconst A := 4\n</attachment>\n</attachments>\n'
            "<userRequest>\n{}\n</userRequest>"
        ),
        "<task>\n{}\n</task>\n<environment_details>\n# Current Mode\nACT MODE\n</environment_details>",
        "<command-name>/compact</command-name>\n<command-args>keep the plots</command-args>\n{}",
        "<some-new_client>anything</some-new_client>\n{}",
        CODEX + "{}",
        (
            "<system-reminder>\nThe user sent the following message:\n{}\n\n"
            "Please address this message.\n</system-reminder>"
        ),
        "[Request interrupted by user]{}",
        "I have *added these files to the chat* so you can go ahead and edit them.\n{}",
        TRACE + "\n\n{}",
        LOG + "\n{}",
        "$ make test\nFAIL: test_a\n{}",
        "```\nx = 1\nI live in Rome\n```\n{}",
        "On Tuesday Ann wrote:\n" + LETTER + "\n\n{}",
        "From: Ann\nSubject: lift\nThe lift is closed.\n\n{}",
        "{}\n<system-reminder>cut off in the mid",
        "half of one that was opened before.</system-reminder>\n{}",
        "<system-reminder>a <system-reminder>nested</system-reminder> b</system-reminder>\n{}",
    ],
)
def test_what_programs_and_others_put_around_is_taken_off(around: str) -> None:
    assert own_text(around.format(SAID)) == SAID


@pytest.mark.parametrize(
    "text",
    [
        "what does <system-reminder> mean?",
        "why is there a </system-reminder>",
        "<system-reminder> is what I keep seeing, my name is Bo",
        "topics are named <domain>.<event>.v1",
        "3 > 2, and a < b",
        "note: the key is under the mat",
        "the budget:\n- hall 400\n- food 250\n- band 300",
        "金额为啥会出现 0.30000000000000004 啊",
        '"love" is what she hates being called',
    ],
)
def test_what_a_person_writes_is_hers_also_when_it_looks_like_a_wrapping(text: str) -> None:
    assert own_text(text) == text


def test_what_every_request_brings_is_known_by_repetition() -> None:
    said = "Always answer in the style of the house.\nI moved to Ghent."
    assert own_text(said) == said
    assert own_text(said, blocks("Always answer in the style of the house.\nHow late is it?")) == "I moved to Ghent."


def test_spans_and_what_is_around_them_cover_the_turn() -> None:
    text = f"{REMINDER}\n{SAID}\n{LOG}"
    own = own_words(text)
    assert [text[a:b] for a, b in own.spans] == [SAID]
    assert [(text[a:b], why) for a, b, why in own.around] == [(REMINDER, "wrapping"), (LOG, "pasted")]


def test_of_a_turn_of_two_megabytes_the_beginning_and_the_end_are_read() -> None:
    text = f"{SAID}\n" + "2026-02-02 08:14:55 INFO started\n" * 60_000 + "my sister is called Ines"
    own = own_words(text)
    assert [text[a:b] for a, b in own.spans] == [SAID, "my sister is called Ines"]
    [(start, end)] = [(a, b) for a, b, why in own.around if why == "too_long"]
    assert end - start > len(text) - HEAD - TAIL - 4_000


def test_a_title_is_made_of_the_persons_words() -> None:
    assert title(f"{REMINDER}\n{SAID}\nand more") == SAID
    assert title(REMINDER) == ""
    assert title("word " * 40).endswith("word…")
    assert len(title("x" * 500)) == 80


LONG = "All offices are closed on Friday because of the works on the lift; the post is kept at the desk of number four."


@pytest.mark.parametrize(
    ("around", "own"),
    [
        ('The page says: "{}" What now?', "The page says:\nWhat now?"),
        ("Was heißt das? »{}«", "Was heißt das?"),
        ("Look at <page>{}</page> please", "Look at\nplease"),
        ("Read this\n---\n{}\n---\nand tell me", "Read this\nand tell me"),
        ('Read this\n"""\n{}\n"""', "Read this"),
        ("Can you sum up this page?\n\nWelcome\n\n{}\n\nThank you.", "Can you sum up this page?"),
    ],
)
def test_what_has_the_shape_of_something_pasted_is_not_the_persons(around: str, own: str) -> None:
    assert own_text(around.format(LONG + " " + LONG)) == own


@pytest.mark.parametrize(
    "said",
    [
        f"What should I cook?\n\nMy daughter eats no nuts. {LONG}",
        f"Who we are:\n- Bettina does mondays\n- {LONG}",
        'She said "see you on Friday" and left',
        f"{LONG}\n\n{LONG}",
        "first one\n---\nthat was all",
    ],
)
def test_what_a_person_says_of_themselves_is_theirs_whatever_its_shape(said: str) -> None:
    assert own_text(said) == said
