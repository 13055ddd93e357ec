"""What the rules make of a message: whose word it is, how sure they are, and what a preference is about."""

import pytest

from domain.learning.talk import MOST, learned, said
from palyra.domain.compaction.plan import Voice
from palyra.domain.learning.proposal import Heard, LearnedKind
from palyra.domain.learning.rules import propose_by_rules
from palyra.domain.memory import Trust


def test_a_fact_is_the_sentence_with_the_place_where_it_stands() -> None:
    text = "Hi! I'm allergic to peanuts. What can I cook?"
    [fact] = learned(text)
    assert fact.kind is LearnedKind.DURABLE_FACT
    assert fact.text == "I'm allergic to peanuts."
    [span] = fact.evidence
    assert text[span.start : span.end] == "I'm allergic to peanuts."
    assert fact.confidence_bps >= 9_000
    assert "health" in fact.basis


def test_a_statement_before_a_question_is_kept_without_the_question() -> None:
    [fact] = learned("I'm allergic to peanuts, can you suggest a dessert?")
    assert fact.text == "I'm allergic to peanuts"


def test_lead_ins_and_chatter_go_and_every_word_that_matters_stays() -> None:
    assert [fact.text for fact in learned("Please remember: my passport expires in 2031.")] == [
        "my passport expires in 2031."
    ]
    assert [fact.text for fact in learned("I'm allergic to peanuts, so please keep that in mind.")] == [
        "I'm allergic to peanuts"
    ]


def test_a_correction_says_so_and_is_surer_than_a_mere_statement() -> None:
    [plain] = learned("The staging port is 6543.")
    [corrected] = learned("Actually, the staging port is 6543, not 5432.")
    assert "correction" in corrected.basis
    assert corrected.confidence_bps > plain.confidence_bps


def test_a_sentence_that_leans_on_the_one_before_is_joined_with_it() -> None:
    text = "My sister has an exam in Porto. It is on 5 May."
    [fact] = learned(text)
    assert fact.text == text
    assert [text[span.start : span.end] for span in fact.evidence] == [
        "My sister has an exam in Porto.",
        "It is on 5 May.",
    ]
    assert fact.confidence_bps < 9_000


def test_a_sentence_that_leans_on_nothing_is_left_alone() -> None:
    assert learned("It is on 5 May.") == ()


def test_a_correction_is_understood_with_the_run_before() -> None:
    runs = [Heard("R1", (said("The staging port is 5432.", 1),)), Heard("R2", (said("No, it's 6543, not 5432.", 2),))]
    [fact] = propose_by_rules(runs, MOST)
    assert fact.text == "The staging port is 5432. No, it's 6543, not 5432."
    assert [span.seq for span in fact.evidence] == [1, 2]
    assert fact.confidence_bps < 9_000


def test_only_the_last_run_is_proposed_from() -> None:
    runs = [Heard("R1", (said("I live in Porto.", 1),)), Heard("R2", (said("Thanks!", 2),))]
    assert propose_by_rules(runs, MOST) == ()


def test_what_was_a_joke_is_taken_back() -> None:
    assert learned("I was born in 1788. Just kidding!") == ()


@pytest.mark.parametrize(
    "text",
    [
        "I live in Rome. Translate that to Spanish.",
        "Translate this to German:\nMy name is Bob. I live in Rome.",
        "Proofread my text.\n\nI am a nurse. I work at Siemens.",
        "> I live in Rome and I am a nurse.",
        "```\nI live in Rome.\n```",
        "Ana: I live in Rome.",
        "He wrote “I am a nurse and I live in Rome”.",
        "Übersetze das ins Englische: Ich wohne in Rom.",
        "Translate: 私は京都に住んでいます。",
        "Let's role-play. I am a doctor. I live in Cairo.",
        "If I lived in Rome I would cycle.",
        "My name is what?",
    ],
)
def test_words_that_are_not_the_persons_own_or_not_in_earnest_teach_nothing(text: str) -> None:
    assert learned(text) == ()


@pytest.mark.parametrize("trust", [trust for trust in Trust if trust is not Trust.OWNER])
@pytest.mark.parametrize("voice", list(Voice))
def test_words_of_lesser_trust_teach_nothing_whoever_says_them(voice: Voice, trust: Trust) -> None:
    text = "Remember that my name is Ana. Always answer in French. To deploy: first build, then push."
    assert propose_by_rules([Heard("R", (said(text, voice=voice, trust=trust),))], MOST) == ()


@pytest.mark.parametrize("voice", [Voice.ASSISTANT, Voice.TOOL])
def test_an_assistant_and_a_tool_teach_nothing_even_with_the_owners_trust(voice: Voice) -> None:
    assert propose_by_rules([Heard("R", (said("My name is Ana.", voice=voice),))], MOST) == ()


def test_a_pasted_document_is_never_written_without_asking() -> None:
    text = "I live in Porto. " + "The quick brown fox jumps over the lazy dog again. " * 60
    assert [fact.confidence_bps < 9_000 for fact in learned(text)] == [True]


@pytest.mark.parametrize(
    ("first", "second", "key"),
    [
        ("Always answer me in British English.", "From now on, reply in German.", "answer.language"),
        ("Keep your answers short.", "I want detailed answers.", "answer.length"),
        ("Call me Sam.", "Please call me Bob.", "address.name"),
        ("I love jazz.", "I hate jazz.", "like:jazz"),
        ("I prefer tabs over spaces.", "I prefer spaces over tabs.", "prefer:space:tab"),
        ("Use metric units when you talk to me.", "Give me temperatures in Celsius.", "units"),
    ],
)
def test_preferences_about_the_same_thing_have_the_same_key(first: str, second: str, key: str) -> None:
    assert [proposal.key for text in (first, second) for proposal in learned(text)] == [key, key]


def test_preferences_about_different_things_stand_beside_each_other() -> None:
    texts = ("I love jazz.", "I love opera.", "Never deploy on a Friday.", "Never force-push to main.", "Call me Sam.")
    assert len({proposal.key for text in texts for proposal in learned(text)}) == len(texts)


def test_a_sentence_may_hold_a_fact_and_a_preference() -> None:
    kinds = {proposal.kind for proposal in learned("I am a nurse and I love jazz.")}
    assert kinds == {LearnedKind.DURABLE_FACT, LearnedKind.PREFERENCE}


def test_a_liking_of_nobody_knows_what_is_only_recorded() -> None:
    assert all(proposal.confidence_bps < 8_000 for proposal in learned("I also like holding them."))


def test_the_surest_are_kept_in_the_order_they_were_said() -> None:
    found = propose_by_rules([Heard("R", (said("My car is a red Fiat. I live in Porto. I was born in 1988."),))], 2)
    assert [proposal.text for proposal in found] == ["I live in Porto.", "I was born in 1988."]
    assert propose_by_rules([Heard("R", (said("I live in Porto."),))], 0) == ()
    assert propose_by_rules([], MOST) == ()


def test_what_is_said_twice_is_proposed_once() -> None:
    assert len(learned("I live in Porto.", "I live in Porto.")) == 1


def test_a_date_with_an_ordinal_stop_is_one_sentence() -> None:
    assert [fact.text for fact in learned("Mein Geburtstag ist am 3. Mai.")] == ["Mein Geburtstag ist am 3. Mai."]
