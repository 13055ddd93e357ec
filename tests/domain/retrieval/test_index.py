"""The index of one principal: what is found, in which order, and what must not matter."""

import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palyra.core.errors import InvalidArgument
from palyra.domain.retrieval import lookup
from palyra.domain.retrieval.entry import Entry, encode
from palyra.domain.retrieval.index import PrincipalIndex, least_shared
from palyra.domain.retrieval.query import PROFILES, Query, RetrievalSourceProfileKind, Scored
from palyra.domain.retrieval.terms import query_terms
from palyra.domain.retrieval.vectors import Floats

DIMS = 16
NOW_MS = 1_700_000_000_000
DAY_MS = 86_400_000
WORDS = [
    "tea",
    "coffee",
    "guitar",
    "piano",
    "boat",
    "train",
    "museum",
    "garden",
    "soup",
    "violin",
    "paper",
    "window",
    "lamp",
    "river",
    "stone",
    "cloud",
]


def entry(key: int, text: str, **changes: object) -> Entry:
    return replace(Entry(key, text, "", "", 0, NOW_MS - DAY_MS, 0), **changes)  # type: ignore[arg-type]


def ask(text: str, vector: Floats | None = None, *scopes: int) -> Query:
    return Query(text, vector, NOW_MS, frozenset(scopes or (0,)))


def unit(seed: int, n: int = 1) -> Floats:
    vectors = np.random.default_rng(seed).standard_normal((n, DIMS)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors


def index_of(*entries: Entry) -> PrincipalIndex:
    index = PrincipalIndex(DIMS)
    index.put(entries)
    return index


def keys(hits: list[Scored]) -> list[int]:
    return [hit.key for hit in hits]


def some_entries(n: int, seed: int = 3) -> list[Entry]:
    chance = random.Random(seed)
    return [
        entry(
            key,
            " ".join(chance.choices(WORDS, k=chance.randint(1, 12))),
            speaker=chance.choice(["user", "assistant", "Ana", "Ben"]),
            thread=chance.choice(["", "one", "two", "three"]),
            scope=chance.choice([0, 0, 0, 1]),
            at_ms=NOW_MS - chance.randint(0, 40) * DAY_MS,
            trust=chance.randint(0, 4),
        )
        for key in range(1, n + 1)
    ]


def filled(entries: list[Entry]) -> PrincipalIndex:
    index = index_of(*entries)
    index.put_vectors([e.key for e in entries], np.concatenate([unit(e.key) for e in entries]))
    return index


QUESTIONS = ["When did Ana play the guitar?", "tea or coffee", "How many boats and trains", "museum garden soup"]


def test_the_item_that_answers_comes_first() -> None:
    index = index_of(entry(1, "We drank tea"), entry(2, "I practise guitar for 30 minutes daily"), entry(3, "Rain"))
    assert keys(index.search(ask("How long do I practise guitar?"), 10))[0] == 2


def test_parts_add_up_to_the_score_and_the_score_is_between_0_and_1() -> None:
    index = filled(some_entries(200))
    for number, question in enumerate(QUESTIONS):
        for hit in index.search(ask(question, unit(number)[0], 0, 1), 50):
            assert sum(hit.parts.values()) == pytest.approx(hit.score, abs=1e-6)
            assert 0.0 <= hit.score <= 1.0


def test_hits_come_best_first() -> None:
    hits = filled(some_entries(200)).search(ask("tea coffee guitar", unit(1)[0]), 50)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_a_paraphrase_scores_high_and_nonsense_low() -> None:
    index = filled([*some_entries(50), entry(99, "The launch code of the museum is on the wiki", speaker="user")])
    vector = unit(99)[0]
    assert index.search(ask("the launch code of the museum on the wiki", vector), 1)[0].score > 0.7
    assert index.search(ask("quantum zebra telescopes"), 5) == []


def test_without_a_vector_words_are_enough() -> None:
    assert keys(filled(some_entries(100)).search(ask("violin"), 3))


def test_an_entry_without_a_vector_stays_findable() -> None:
    index = index_of(entry(1, "a violin"), entry(2, "some tea"))
    index.put_vectors([2], unit(2))
    assert set(keys(index.search(ask("violin", unit(2)[0]), 2))) == {1, 2}


def test_an_entry_without_a_shared_word_is_found_by_its_vector() -> None:
    index = index_of(entry(1, "a violin"), entry(2, "some tea"))
    index.put_vectors([1, 2], np.concatenate([unit(1), unit(2)]))
    assert keys(index.search(ask("xylophone", unit(2)[0]), 1)) == [2]


def test_vectors_of_unknown_keys_are_ignored() -> None:
    index = index_of(entry(1, "tea"))
    index.put_vectors([7, 1], np.concatenate([unit(7), unit(1)]))
    assert keys(index.search(ask("?", unit(7)[0]), 5)) == [1]


def test_a_vector_of_another_model_is_refused() -> None:
    with pytest.raises(InvalidArgument):
        index_of(entry(1, "tea")).search(ask("tea", np.ones(3, np.float32)), 1)
    with pytest.raises(InvalidArgument):
        index_of(entry(1, "tea")).search(ask("tea", np.full(DIMS, np.nan, np.float32)), 1)


def test_only_entries_of_the_asked_scopes_are_returned() -> None:
    index = index_of(entry(1, "tea", scope=1), entry(2, "tea", scope=2))
    assert keys(index.search(ask("tea", None, 2), 5)) == [2]
    assert index.search(ask("tea", None, 3), 5) == []
    assert index.search(Query("tea", None, NOW_MS, frozenset()), 5) == []


def test_what_another_scope_holds_changes_no_score() -> None:
    mine = [e for e in some_entries(120) if e.scope == 0]
    alone, together = filled(mine), filled(mine)
    theirs = [replace(e, key=e.key + 1000, scope=1, thread="one") for e in mine]
    together.put([*theirs, entry(5000, "guitar", scope=1, speaker="Tea", thread="two")])
    together.put_vectors([e.key for e in theirs], unit(77, len(theirs)))
    for number, question in enumerate(QUESTIONS):
        assert together.search(ask(question, unit(number)[0]), 20) == alone.search(ask(question, unit(number)[0]), 20)
    assert together.name_spans("tea please", frozenset({0})) == []


def test_a_filter_does_not_cost_places() -> None:
    index = index_of(*(entry(key, "tea") for key in range(1, 2000)))
    only = replace(ask("tea"), only=lambda found: found == 7)
    assert keys(index.search(only, 5)) == [7]


def test_equal_scores_come_newer_first_then_by_key() -> None:
    index = index_of(entry(1, "tea"), entry(2, "tea"), entry(3, "tea", at_ms=NOW_MS - 2 * DAY_MS))
    assert keys(index.search(ask("tea"), 5)) == [2, 1, 3]


def test_a_turn_gains_from_the_question_it_answers() -> None:
    index = index_of(
        entry(1, "Which instrument does your sister play?", thread="t", at_ms=1),
        entry(2, "The big one with pedals", thread="t", at_ms=2),
        entry(3, "The big one with pedals", thread="u", at_ms=3),
    )
    hits = {hit.key: hit for hit in index.search(ask("sister instrument"), 5)}
    assert hits[2].parts["context"] > 0.1
    assert 3 not in hits


def test_in_a_talk_with_an_assistant_a_turn_lives_less_off_those_around_it() -> None:
    def parts(first: str, second: str) -> list[dict[str, float]]:
        index = filled(
            [
                entry(1, "My sister plays the harp", speaker=first, thread="t", at_ms=1),
                entry(2, "With pedals", speaker=second, thread="t", at_ms=2),
            ]
        )
        hits = {hit.key: hit.parts for hit in index.search(ask("sister harp", unit(1)[0]), 5)}
        return [hits[1], hits[2]]

    (own, beside), (own_assisted, beside_assisted) = parts("Ana", "Ben"), parts("user", "assistant")
    assert own_assisted["lexical"] > own["lexical"]
    assert beside_assisted["context"] < beside["context"]


def test_the_named_speaker_comes_before_the_other() -> None:
    index = index_of(entry(1, "I play guitar", speaker="Ana"), entry(2, "I play guitar", speaker="Ben"))
    assert keys(index.search(ask("Does Ben play guitar?"), 2)) == [2, 1]
    assert keys(index.search(ask("Does Ana play guitar?"), 2)) == [1, 2]


def test_names_of_speakers_are_shown_for_embedding() -> None:
    index = index_of(entry(1, "I play guitar", speaker="Ana"), entry(2, "me too", speaker="user"))
    text = "What does Ana's user play?"
    assert [text[start:end] for start, end in index.name_spans(text, frozenset({0}))] == ["Ana's"]


def test_a_month_in_the_question_prefers_items_of_that_month() -> None:
    june, july = 1_655_000_000_000, 1_657_800_000_000
    index = index_of(entry(1, "We met for tea", at_ms=june), entry(2, "We met for tea", at_ms=july))
    assert keys(index.search(ask("Who met for tea in June 2022?"), 1)) == [1]


def test_a_question_for_the_latest_prefers_the_newer() -> None:
    index = index_of(entry(1, "My address is Elm Street", at_ms=NOW_MS - 300 * DAY_MS), entry(2, "My address is Oak"))
    assert keys(index.search(ask("What is my current address?"), 1)) == [2]


def test_trust_decides_between_equals() -> None:
    index = index_of(entry(1, "tea at five", trust=0), entry(2, "tea at five", trust=3))
    assert keys(index.search(ask("tea"), 2)) == [1, 2]


def test_chinese_is_found() -> None:
    index = index_of(entry(1, "我去的那个商场是恒隆广场。"), entry(2, "我同事的电话号是13424197659。"))
    assert keys(index.search(ask("我同事的电话是多少？"), 1)) == [2]


def test_replacing_discarding_and_adding_equals_building_afresh() -> None:
    final = some_entries(150, seed=5)
    grown = filled(some_entries(150, seed=4))
    grown.discard(range(1, 60))
    for start in range(0, 150, 7):
        grown.put(final[start : start + 7])
    grown.put_vectors([e.key for e in final], np.concatenate([unit(e.key) for e in final]))
    fresh = filled(final)
    assert len(grown) == len(fresh) == 150
    for number, question in enumerate(QUESTIONS):
        query = ask(question, unit(number)[0], 0, 1)
        assert grown.search(query, 30) == fresh.search(query, 30)


def test_rows_of_discarded_items_are_used_again() -> None:
    index = index_of(entry(1, "tea"))
    for key in range(2, 6000):
        index.put([entry(key, WORDS[key % 16], thread="t")])
        index.discard([key - 1])
    assert keys(index.search(ask(" ".join(WORDS)), 5)) == [5999]
    assert index.memory_bytes() < 2_000_000


def test_a_fingerprint_does_for_the_text() -> None:
    entries = some_entries(60)
    bare = PrincipalIndex(DIMS)
    bare.put([replace(e, text="") for e in entries], [encode(e) for e in entries])
    for question in QUESTIONS:
        assert bare.search(ask(question), 10) == index_of(*entries).search(ask(question), 10)


def test_a_fingerprint_of_another_version_is_made_anew() -> None:
    index = PrincipalIndex(DIMS)
    index.put([entry(1, "tea")], [b"\xff\x00\x00\x00"])
    assert keys(index.search(ask("tea"), 1)) == [1]


def test_the_later_of_two_entries_with_one_key_counts() -> None:
    index = index_of(entry(1, "tea"), entry(1, "coffee"))
    assert len(index) == 1
    assert 1 in index
    assert keys(index.search(ask("coffee"), 1)) == [1]
    assert index.search(ask("tea"), 1) == []


def test_choosing_candidates_agrees_with_scoring_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(9)
    # Words as in a language: a few frequent, most rare.
    texts = [" ".join(f"w{int(chance.paretovariate(0.6)) % 5000}" for _ in range(12)) for _ in range(2500)]
    index = filled([entry(key, text, thread=f"t{key // 12}", at_ms=key) for key, text in enumerate(texts, 1)])
    questions = [(" ".join(chance.sample(chance.choice(texts).split(), 4)), unit(number)[0]) for number in range(40)]
    chosen = [keys(index.search(ask(*question), 10)) for question in questions]
    for name in ("LEXICAL_CANDIDATES", "VECTOR_CANDIDATES", "NEIGHBOURS_OF"):
        monkeypatch.setattr(lookup, name, 2500)
    everything = [keys(index.search(ask(*question), 10)) for question in questions]
    assert sum(a[0] == b[0] for a, b in zip(chosen, everything, strict=True)) >= 38
    agreed = sum(len(set(a) & set(b)) for a, b in zip(chosen, everything, strict=True))
    assert agreed >= 0.9 * 400


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet=st.characters(), max_size=200))
def test_any_question_is_answered_or_finds_nothing(text: str) -> None:
    index = filled(some_entries(20))
    for hit in index.search(ask(text, unit(1)[0]), 5):
        assert sum(hit.parts.values()) == pytest.approx(hit.score, abs=1e-6)


def test_a_pasted_text_is_a_question_too() -> None:
    long = " ".join(f"word{number}" for number in range(500)) + " violin"
    assert keys(index_of(entry(1, "violin"), entry(2, "tea")).search(ask(long), 2)) == [1]


def test_an_empty_index_finds_nothing() -> None:
    assert PrincipalIndex(DIMS).search(ask("tea", unit(1)[0]), 5) == []


@pytest.mark.parametrize("profile", list(PROFILES))
def test_every_profile_can_reach_the_top_of_the_scale(profile: RetrievalSourceProfileKind) -> None:
    weights = PROFILES[profile]
    assert weights.lexical + weights.thread + weights.phrase + weights.vector + weights.vector_context >= 0.9
    assert weights.lexical_assisted + weights.thread + weights.phrase + weights.vector >= 0.9


@given(st.integers(0, 10_000), st.integers(1, 6), st.booleans())
@settings(max_examples=50)
def test_what_shares_words_with_a_text_has_enough_of_them_and_is_in_sight(seed: int, words: int, hidden: bool) -> None:
    entries = [replace(one, scope=one.key % 2 if hidden else 0) for one in some_entries(60, seed)]
    text = random.Random(seed).sample(WORDS, words)
    shared = {one.key: len(set(text) & set(one.text.split())) for one in entries if one.scope == 0}
    found = index_of(*entries).sharing(query_terms(" ".join(text)), frozenset({0}), 60)
    assert sorted(found) == sorted(key for key, n in shared.items() if n >= least_shared(words))
    assert len(index_of(*entries).sharing(query_terms(" ".join(text)), frozenset({0}), 3)) == min(3, len(found))
