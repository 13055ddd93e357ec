"""What holds for any two texts: an answer, the same whichever comes first, and no merge across a changed number."""

from hypothesis import example, given, settings
from hypothesis import strategies as st

from palyra.language.wording import Relation, fingerprint, relate, related_terms

_WORDS = """Ana Bob lives in Lisbon Porto the port is 5432 6543 not never likes hates before after Monday 3 May use npm
for we I am I'm don't no , . ? : = 3pm 15:00 5 GB $ all some 我 住 在 上海 не в v ne pas Actually now moved to from"""
sentences = st.lists(st.sampled_from(_WORDS.split()), max_size=12).map(" ".join)
texts = st.one_of(sentences, st.text(max_size=60), st.text(st.characters(codec=None), max_size=20))
spaces = st.sampled_from((" ", "  ", "\t", "\n", "\u00a0"))


@given(texts, texts)
@settings(max_examples=400, deadline=None)
def test_the_order_of_two_texts_does_not_change_how_they_relate(first: str, second: str) -> None:
    assert relate(first, second).relation is relate(second, first).relation


@given(texts)
@settings(deadline=None)
def test_a_text_is_the_same_as_itself(text: str) -> None:
    assert relate(text, text).relation is Relation.SAME
    assert fingerprint(text) == fingerprint(text)


@given(texts, texts)
@settings(deadline=None)
def test_equal_fingerprints_are_the_same(first: str, second: str) -> None:
    if fingerprint(first) == fingerprint(second):
        assert relate(first, second).relation is Relation.SAME


@given(sentences, spaces)
@settings(deadline=None)
def test_spacing_does_not_matter(text: str, space: str) -> None:
    assert fingerprint(text) == fingerprint(f"{space}{text.replace(' ', space * 2)}{space}")


@given(sentences, st.integers(0, 10**6), st.integers(0, 10**6))
@settings(deadline=None)
def test_a_changed_number_is_never_merged(text: str, first: int, second: int) -> None:
    older, newer = f"{text} {first} items", f"{text} {second} items"
    assert (relate(older, newer).relation is Relation.SAME) == (first == second)


@given(sentences, st.sampled_from(("not", "never", "maybe", "only", "some", "before", "his")))
@settings(deadline=None)
def test_a_word_that_carries_meaning_is_never_merged_away(text: str, word: str) -> None:
    assert relate(f"they said {text}", f"they {word} said {text}").relation is not Relation.SAME


@given(texts)
@example("0-")
@settings(deadline=None)
def test_terms_do_not_depend_on_how_a_text_was_typed(text: str) -> None:
    assert related_terms(text) == related_terms(f" {text}\n")
