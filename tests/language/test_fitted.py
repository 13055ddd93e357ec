"""Models made of arrays."""

import zlib

import numpy as np
import pytest

from palyra.language.fitted import Blend, Grams, Linear, Scale, Trees, hashed, hashed_all


def test_a_linear_model_scales_its_columns_first() -> None:
    held = {"m.mean": np.array([1.0, 2.0]), "m.scale": np.array([2.0, 1.0]), "m.weights": np.array([1.0, -1.0])}
    model = Linear.of({**held, "m.bias": np.array(0.5)}, "m")
    assert model.logit(np.array([[3.0, 2.0], [1.0, 3.0]])).tolist() == [1.5, -0.5]
    assert model(np.array([3.0, 3.5]))[0] == pytest.approx(0.5)


def test_trees_are_walked_to_their_leaves_and_add_up() -> None:
    held = {
        "t.roots": np.array([0, 3]),
        "t.column": np.array([0, 0, 0, 1, 0, 0]),
        "t.threshold": np.array([0.5, 0, 0, 2.0, 0, 0]),
        "t.left": np.array([1, 1, 2, 4, 4, 5]),
        "t.right": np.array([2, 1, 2, 5, 4, 5]),
        "t.value": np.array([0, -1.0, 1.0, 0, 10.0, 20.0]),
        "t.bias": np.array(0.25),
        "t.depth": np.array(1),
    }
    assert Trees.of(held, "t").logit(np.array([[0.5, 2.0], [0.6, 2.1]])).tolist() == [9.25, 21.25]


def test_the_n_grams_of_a_text_make_a_vector_of_length_one() -> None:
    for text in ("", "Tea, please", "\ud800", "茶をください", "x" * 5000):
        buckets, shares = hashed(text, 1, 4, 1 << 10)
        assert len(buckets) == len(shares) == len(set(buckets.tolist()))
        assert float((shares**2).sum()) == pytest.approx(1)
    plain, spread = hashed("Tea  PLEASE\n", 1, 4, 1 << 10), hashed("tea please", 1, 4, 1 << 10)
    assert plain[0].tolist() == spread[0].tolist()


def test_n_grams_are_weighed_by_their_buckets() -> None:
    (bucket,), _ = hashed("", 1, 1, 64)
    weights = np.zeros(64, np.float16)
    weights[bucket] = 3
    held = {"g.weights": weights, "g.bias": np.array(-1.0), "g.lengths": np.array([1, 1])}
    assert Grams.of(held, "g").logit("") == pytest.approx(2.0)


def test_a_scale_is_straight_between_its_points_and_flat_outside() -> None:
    scale = Scale.of({"s.given": np.array([0.0, 0.5, 1.0]), "s.read": np.array([0.0, 0.9, 1.0])}, "s")
    assert [float(scale(x)) for x in (-1, 0.25, 0.5, 2)] == [0, 0.45, 0.9, 1.0]


def test_a_bucket_is_the_checksum_of_its_n_gram() -> None:
    text = "茶 tea żółć"
    grams = [f" {text} "[at : at + size] for size in (1, 2, 3) for at in range(len(text) + 3 - size)]
    where, _ = hashed(text, 1, 3, 1 << 12)
    assert set(where.tolist()) == {zlib.crc32(gram.encode()) % (1 << 12) for gram in grams}


def test_many_texts_are_hashed_as_each_of_them_alone() -> None:
    texts = ["Tea, please", "", "茶をください", "tea"]
    of_text, where, shares = hashed_all(texts, 1, 4, 1 << 10)
    for n, text in enumerate(texts):
        alone = hashed(text, 1, 4, 1 << 10)
        assert where[of_text == n].tolist() == alone[0].tolist()
        assert shares[of_text == n] == pytest.approx(alone[1])


def test_a_scale_is_read_backwards() -> None:
    scale = Scale.of({"s.given": np.array([0.0, 0.5, 1.0]), "s.read": np.array([0.0, 9000.0, 10000.0])}, "s")
    assert scale.where(9000) == 0.5
    assert scale.where(4500) == 0.25


def test_a_blend_weighs_n_grams_a_row_and_meaning_and_does_without_meaning() -> None:
    def line(name: str, *weights: float) -> dict[str, np.ndarray]:
        size = len(weights)
        parts = {"mean": np.zeros(size), "scale": np.ones(size), "weights": np.array(weights), "bias": np.array(0.0)}
        return {f"b.{name}.{part}": value for part, value in parts.items()}

    grams = {"b.grams.weights": np.zeros(8), "b.grams.bias": np.array(2.0), "b.grams.lengths": np.array([1, 1])}
    held = grams | line("sense", 1.0, 0.0) | line("plain", 10.0, 1.0) | line("full", 10.0, 1.0, 100.0)
    model = Blend.of(held, "b")
    rows, meaning = np.array([[1.0], [0.0]]), np.array([[0.5, 9.0], [0.0, 9.0]])
    assert model.logits(["a", "b"], rows, None).tolist() == [12.0, 2.0]
    assert model.logits(["a", "b"], rows, meaning).tolist() == [62.0, 2.0]
