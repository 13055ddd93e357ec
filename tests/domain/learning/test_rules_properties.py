"""What holds for any text at all."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.learning.talk import MOST, said
from palyra.domain.compaction.plan import Voice
from palyra.domain.learning.proposal import Heard, LearnedKind, Proposal
from palyra.domain.learning.rules import propose_by_rules
from palyra.domain.memory import Trust

PIECES = (
    *(
        "I live in Porto",
        "my name is Ana",
        "Call me Sam",
        "I'm allergic to nuts",
        "I love jazz",
        "never deploy on a Friday",
    ),
    *(
        "Ich wohne in Köln",
        "mein Bruder heißt Bob",
        "Je préfère le thé",
        "Vivo en Lima",
        "Mieszkam w Gdańsku",
        "Я живу в Туле",
    ),
    *(
        "我住在上海",
        "私は京都に住んでいます",
        "저는 서울에 살아요",
        "It is on 5 May",
        "to deploy: first build, then push",
        "1. a 2. b",
    ),
    *(
        "remember that",
        "actually,",
        "not 5432",
        "Translate:",
        "maybe",
        "if",
        "?",
        ". ",
        ", ",
        "\n",
        "\n\n",
        "> ",
        '"',
        "'",
        "“",
        "”",
    ),
    *(
        "\x00",
        "\x07",
        "\u202e",
        "\u200b",
        "\ud800",
        "e\u0301",
        "İ",
        "ß",
        "ﬁ",
        "😂",
        "```",
        "|",
        "\u2028",
        "\t",
        "•",
        "3. Mai",
    ),
)
TEXTS = st.one_of(st.text(max_size=200), st.lists(st.sampled_from(PIECES), max_size=14).map(" ".join))


def check(proposal: Proposal, texts: dict[int, str]) -> None:
    assert 0 <= proposal.confidence_bps < 10_000
    assert proposal.basis
    assert proposal.text.strip() == proposal.text != ""
    assert (proposal.kind is LearnedKind.PREFERENCE) == bool(proposal.key)
    for text in (proposal.text, proposal.title, proposal.key, *proposal.steps):
        assert all(character.isprintable() or character in "\u200c\u200d" for character in text), text
    for span in proposal.evidence:
        assert 0 <= span.start < span.end <= len(texts[span.seq])
        assert texts[span.seq][span.start : span.end].strip() == texts[span.seq][span.start : span.end]


@settings(max_examples=400, deadline=None)
@given(st.lists(TEXTS, min_size=1, max_size=3))
def test_no_text_raises_and_every_span_is_exact(texts: list[str]) -> None:
    runs = [Heard(f"R{seq}", (said(text, seq),)) for seq, text in enumerate(texts)]
    for proposal in propose_by_rules(runs, MOST):
        check(proposal, dict(enumerate(texts)))


@settings(max_examples=150, deadline=None)
@given(TEXTS, st.sampled_from(list(Voice)), st.sampled_from(list(Trust)))
def test_only_the_owner_in_person_is_ever_proposed_from(text: str, voice: Voice, trust: Trust) -> None:
    found = propose_by_rules([Heard("R", (said(text, voice=voice, trust=trust),))], MOST)
    assert found == () or (voice is Voice.USER and trust is Trust.OWNER)


@settings(max_examples=60, deadline=None)
@given(TEXTS)
def test_the_same_run_always_gives_the_same_proposals(text: str) -> None:
    runs = [Heard("R", (said(text),))]
    assert propose_by_rules(runs, MOST) == propose_by_rules(runs, MOST)


HOSTILE = {
    "one letter": "a" * 1_000_000,
    "words": "my sister " * 100_000,
    "and": "I and " * 160_000,
    "commas": "I, " * 330_000,
    "quotes": "'\"“„«" * 200_000,
    "capitals": "Ab " * 330_000,
    "first then": "to x: first a, then " * 50_000,
    "numbers": "1. a " * 200_000,
    "lines": "I live in Porto.\n" * 60_000,
    "questions": "is my name Ana? yes: " * 50_000,
    "spaces": " " * 1_000_000,
    "han": "我的" * 500_000,
    "kana": "私は" * 500_000,
    "hangul": "저는 " * 330_000,
    "always": "always never " * 75_000,
    "please": "please and also, " * 60_000,
    "dashes": "- " * 500_000,
    "backticks": "```" * 330_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_megabyte_is_read_in_no_time(name: str) -> None:
    started = time.process_time()
    propose_by_rules([Heard("R", (said(HOSTILE[name]),))], MOST)
    assert time.process_time() - started < 3


@pytest.mark.parametrize("name", ["words", "and", "commas", "capitals", "always", "please", "han", "kana", "hangul"])
def test_a_long_sentence_costs_little(name: str) -> None:
    text = HOSTILE[name][:350]
    propose_by_rules([Heard("R", (said(text),))], MOST)
    started = time.process_time()
    propose_by_rules([Heard("R", (said(text),))], MOST)
    assert time.process_time() - started < 0.25
