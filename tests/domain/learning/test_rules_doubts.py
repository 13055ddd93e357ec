"""What takes away from confidence: what happened once, what points elsewhere, what is said by the way, small talk."""

import pytest

from domain.learning.talk import learned
from palyra.domain.learning.candidate import LearningPolicy
from palyra.domain.learning.proposal import LearnedKind, Proposal

POLICY = LearningPolicy()


def asked(*texts: str) -> list[Proposal]:
    """What a person would be asked about, or what would be written."""
    return [found for found in learned(*texts) if found.confidence_bps >= POLICY.review_from_bps(found.kind)]


@pytest.mark.parametrize(
    "text",
    [
        "I bought a few sweaters from Uniqlo on January 25th.",
        "I just finished a novel last week.",
        "I attended a conference in Lyon on 9 September.",
        "I've been watching a lot of sports lately.",
        "I've never completed a screenplay.",
        "I've already seen Servant.",
        "I got a new dog bed for Max.",
    ],
)
def test_what_happened_once_is_nothing_to_ask_about(text: str) -> None:
    assert asked(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "I bought a house in Ghent.",
        "I got a puppy two weeks ago.",
        "I recently joined a choir.",
        "I've never been to Europe.",
        "I ran the Berlin marathon in 2023.",
        "I've been using Flask 2.3.1.",
        "I've been taking dance classes for three months.",
        "I don't live in Rome.",
        "I don't have a driving licence.",
    ],
)
def test_what_lasts_is(text: str) -> None:
    [found] = asked(text)
    assert found.kind is LearnedKind.DURABLE_FACT


@pytest.mark.parametrize(
    "text",
    [
        "Sounds like a plan, Bob!",
        "Friends like you make a big difference.",
        "Nice work, Ana!",
        "Hard work can lead to success.",
        "Next Friday works.",
        "My team is like my second family.",
        "My family is my motivation.",
        "All my hard work is paying off.",
        "We work well together!",
        "I owe you one.",
        "Always up for something sweet.",
        "We're like a family - always supporting each other.",
        "Just started doing yoga, great fun.",
    ],
)
def test_small_talk_is_nothing_to_ask_about(text: str) -> None:
    assert asked(text) == []


@pytest.mark.parametrize(
    "text", ["I usually get them from the market.", "I've been using it for years now.", "I like its simplicity."]
)
def test_what_points_at_something_in_another_sentence_is_nothing_by_itself(text: str) -> None:
    assert asked(text) == []


def test_what_points_back_within_its_own_sentence_is_understood() -> None:
    [found] = asked("I have a Dell XPS laptop, it's about 2 years old.")
    assert "points_elsewhere" in found.basis


def test_the_same_fact_is_surer_by_itself_than_in_a_later_clause_of_a_long_sentence() -> None:
    [plain] = learned("I work as a nurse in Leeds.")
    [later] = learned(
        "By the way, the weather was awful when we came back from the coast and the car made strange noises all the"
        " way home, but I work as a nurse in Leeds."
    )
    assert plain.confidence_bps >= POLICY.auto_write_bps > later.confidence_bps
    assert {"later_clause", "long_sentence"} <= set(later.basis)


@pytest.mark.parametrize(
    "text",
    [
        "I work at Siemens, don't I?",
        "I live in Rome, right?",
        "Ich wohne in Rom, oder?",
        "J'habite à Rome, non ?",
        "Vivo en Roma, ¿no?",
        "Mieszkam w Rzymie, prawda?",
        "我住在上海，对吧？",
    ],
)
def test_a_question_tag_asks_about_the_whole_sentence(text: str) -> None:
    assert learned(text) == ()


@pytest.mark.parametrize(
    "text", ["I speak Spanish, said the parrot.", "I quit in January if nothing changes.", "I'm from Mars, you know."]
)
def test_words_of_others_conditions_and_idioms_are_never_written(text: str) -> None:
    assert all(found.confidence_bps < POLICY.auto_write_bps for found in learned(text))


def test_a_sentence_that_ends_in_a_colon_only_leads_up_to_something() -> None:
    assert learned("And my server config is:") == ()


def test_an_order_does_not_begin_after_a_mere_and() -> None:
    assert learned("We keep going and never give up.") == ()


def test_a_reminder_of_how_to_live_is_no_fact_about_anybody() -> None:
    assert asked("Remember that you should drink enough water.", "Remember, staying calm is important.") == []


def test_a_reminder_behind_a_label_is_not_taken_for_a_speaker() -> None:
    assert [found.text for found in asked("Note: our garage code is 4711.")] == ["our garage code is 4711."]


def test_a_short_quotation_is_a_name_and_a_long_one_is_somebody_elses_sentence() -> None:
    assert [found.text for found in asked('My sister\'s band is called "Low Tide".')]
    assert asked("He wrote 'my sister lives in Rome and works as a nurse'.") == []


def test_initials_do_not_end_a_sentence() -> None:
    [found] = asked("My favourite author is J. K. Rowling.")
    assert found.text == "My favourite author is J. K. Rowling."


@pytest.mark.parametrize(
    "text",
    [
        "Mein Kaffee ist kalt.",
        "Ich habe mir neue Schuhe gekauft.",
        "Je fais une pause.",
        "Il mio caffè è freddo.",
        "Ik heb het koud.",
        "Ik heb nieuwe schoenen gekocht.",
        "我有点累。",
        "我买了一双鞋。",
        "私はそう思います。",
    ],
)
def test_states_of_the_moment_and_errands_are_known_in_other_languages(text: str) -> None:
    assert asked(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Our sprint lasts two weeks.",
        "Unser Sprint dauert zwei Wochen.",
        "Notre sprint dure deux semaines.",
        "Nuestro sprint dura dos semanas.",
        "O nosso sprint dura duas semanas.",
        "Il nostro sprint dura due settimane.",
        "Onze sprint duurt twee weken.",
        "Nasz sprint trwa dwa tygodnie.",
        "Náš sprint trvá dva týdny.",
        "Наш спринт длится две недели.",
    ],
)
def test_what_a_group_keeps_to_is_a_fact(text: str) -> None:
    [found] = asked(text)
    assert found.kind is LearnedKind.DURABLE_FACT


@pytest.mark.parametrize(
    "text",
    ["Je préfère que tu me répondes en anglais.", "Dammi del tu, per favore.", "My son starts school in August."],
)
def test_words_that_several_languages_share_do_not_hide_what_a_sentence_says(text: str) -> None:
    assert len(asked(text)) == 1


def test_steps_after_a_goal_need_no_first() -> None:
    [found] = asked("To release: bump the version, then run make dist, then upload it with twine.")
    assert (found.kind, found.title) == (LearnedKind.PROCEDURE, "To release")
    assert found.steps == ("bump the version", "run make dist", "upload it with twine.")


@pytest.mark.parametrize("text", ["I like soup: I love it hot, then cold.", "Today: lunch, then a walk, then home."])
def test_a_colon_and_a_then_make_no_procedure(text: str) -> None:
    assert [found for found in learned(text) if found.kind is LearnedKind.PROCEDURE] == []
