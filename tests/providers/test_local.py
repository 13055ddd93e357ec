"""The local model: its files, its arithmetic, and what it must never do."""

import subprocess
import sys
import threading
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from palyra.core.errors import Integrity, Unavailable
from palyra.ports import WeightedSpan
from palyra.providers.embeddings import local
from palyra.providers.embeddings.local import (
    MARKS,
    TOKENIZER,
    WEIGHTS,
    LocalEmbedding,
    _package_directory,
    _token_ids,
    sum_rows,
)


@pytest.fixture(scope="module")
def embedding() -> LocalEmbedding:
    return LocalEmbedding()


def cosine(embedding: LocalEmbedding, one: str, other: str) -> float:
    first, second = embedding.embed([one, other], "document")
    return float(first @ second)


def test_meaning_counts_more_than_spelling(embedding: LocalEmbedding) -> None:
    near = cosine(embedding, "She adopted a puppy from the shelter", "What kind of dog does she own?")
    far = cosine(embedding, "She adopted a tax rule from the ministry", "What kind of dog does she own?")
    assert near > far + 0.1


def test_word_order_and_repetition_do_not_change_a_vector(embedding: LocalEmbedding) -> None:
    first, second = embedding.embed(["tea and cake", "cake and tea and tea"], "document")
    assert first.tobytes() == second.tobytes()


def test_a_name_weighed_down_counts_less_in_the_query(embedding: LocalEmbedding) -> None:
    query, turn = "When did Caroline join the choir?", "I joined a choir last week"
    start = query.index("Caroline")
    plain = embedding.embed([query], "query")[0]
    weighed = embedding.embed_weighted(query, [WeightedSpan(start, start + len("Caroline"), 0.1)])
    [target] = embedding.embed([turn], "document")
    assert float(weighed @ target) > float(plain @ target) + 0.1


def test_a_query_without_spans_is_embedded_as_usual(embedding: LocalEmbedding) -> None:
    query = "where does Ana keep the spare key?"
    np.testing.assert_allclose(
        embedding.embed_weighted(query, []), embedding.embed([query], "query")[0], rtol=0, atol=1e-6
    )


def test_a_mark_behind_a_word_is_a_token_of_its_own() -> None:
    for token in the_tokenizer().get_vocab():
        assert not any(one.isalpha() and after in MARKS for one, after in pairwise(token)), token


@given(st.text(alphabet=st.sampled_from("aZé茶ª²_1'\u0301?.,!"), min_size=1))
def test_a_word_has_the_tokens_the_tokenizer_gives_it(word: str) -> None:
    tokenizer = the_tokenizer()
    assert list(_token_ids(tokenizer)[word]) == tokenizer.encode(word, add_special_tokens=False).ids


@pytest.mark.parametrize("query", ["", "   ", "Ana", "Ana \udc80", "茶"])
def test_weights_of_zero_everywhere_still_give_a_unit_vector(embedding: LocalEmbedding, query: str) -> None:
    vector = embedding.embed_weighted(query, [WeightedSpan(0, len(query), 0.0)])
    assert float(np.linalg.norm(vector)) == pytest.approx(1.0, abs=1e-5)


def test_the_cache_of_words_changes_no_vector(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [f"word{number % 37} thing{number} and a very-long-word-that-is-never-kept" for number in range(300)]
    expected = LocalEmbedding().embed(texts, "document")
    monkeypatch.setattr(local, "KNOWN_WORDS", 50)
    small = LocalEmbedding()
    for _ in range(2):
        assert small.embed(texts, "document").tobytes() == expected.tobytes()


def test_long_texts_are_summed_in_bounded_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    table = np.random.default_rng(0).standard_normal((100, 8)).astype(np.float32)
    ids = [sorted(set(np.random.default_rng(n).integers(0, 100, n % 40).tolist())) for n in range(80)]
    whole = sum_rows(table, ids)
    monkeypatch.setattr(local, "ROWS_AT_ONCE", 16)
    assert sum_rows(table, ids).tobytes() == whole.tobytes()
    for row, some in enumerate(ids):
        np.testing.assert_allclose(whole[row], table[some].sum(axis=0), atol=1e-4)


def test_many_threads_get_the_vectors_one_would_get(embedding: LocalEmbedding) -> None:
    fresh = LocalEmbedding()
    texts = [f"note {number} about the garden" for number in range(64)]
    expected = embedding.embed(texts, "document").tobytes()
    found: list[bytes] = []
    threads = [
        threading.Thread(target=lambda: found.append(fresh.embed(texts, "document").tobytes())) for _ in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 6


def test_weights_with_other_bytes_are_an_integrity_error_and_embed_nothing(tmp_path: Path) -> None:
    copy_of_model(tmp_path)
    damaged = bytearray((tmp_path / WEIGHTS.path).read_bytes())
    damaged[5_000_000] ^= 1
    (tmp_path / WEIGHTS.path).write_bytes(damaged)
    with pytest.raises(Integrity, match="SHA-256") as refused:
        LocalEmbedding(tmp_path).embed(["tea"], "document")
    assert refused.value.hint


@pytest.mark.parametrize("change", [b"", b"x"])
def test_weights_of_another_length_are_an_integrity_error(tmp_path: Path, change: bytes) -> None:
    copy_of_model(tmp_path)
    data = (tmp_path / WEIGHTS.path).read_bytes()
    (tmp_path / WEIGHTS.path).write_bytes(data + change if change else data[:-3])
    with pytest.raises(Integrity, match="SHA-256"):
        LocalEmbedding(tmp_path).load()


def test_a_changed_tokenizer_is_an_integrity_error(tmp_path: Path) -> None:
    copy_of_model(tmp_path)
    with (tmp_path / TOKENIZER.path).open("ab") as stream:
        stream.write(b"\n")
    with pytest.raises(Integrity, match="SHA-256"):
        LocalEmbedding(tmp_path).load()


def test_a_missing_model_is_unavailable_and_may_be_tried_again(tmp_path: Path) -> None:
    embedding = LocalEmbedding(tmp_path)
    with pytest.raises(Unavailable, match="cannot be read") as failed:
        embedding.load()
    assert failed.value.hint
    copy_of_model(tmp_path)
    assert embedding.embed(["tea"], "document").shape == (1, 256)


def test_the_package_that_holds_the_weights_is_never_imported() -> None:
    code = (
        "import sys; from palyra.providers.embeddings.table import make_provider; provider = make_provider('local');"
        "assert 'tokenizers' not in sys.modules and 'httpx2' not in sys.modules;"
        "provider.embed(['tea'], 'query'); print('wordllama' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
    assert done.stderr == ""


@cache
def the_tokenizer() -> Tokenizer:
    return Tokenizer.from_file(str(_package_directory() / TOKENIZER.path))


def copy_of_model(directory: Path) -> None:
    source = local._package_directory()
    for file in (WEIGHTS, TOKENIZER):
        (directory / file.path).parent.mkdir(parents=True, exist_ok=True)
        (directory / file.path).write_bytes((source / file.path).read_bytes())
