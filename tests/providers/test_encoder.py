"""The sentence encoder: real weights, unpacked once, the same numbers ever after."""

from pathlib import Path

import numpy as np
import pytest

from palyra.core.errors import Integrity
from palyra.providers import encoder as module
from palyra.providers.encoder import DIMS, TEXT_CHARS, UNPACKED, LocalEncoder

TEXTS = [
    "My sister lives in Porto",
    "Meine Schwester wohnt in Porto",
    "The build fails on Windows",
    "",
    "\ud800 x",
    "茶",
]


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def encoder(cache: Path) -> LocalEncoder:
    made = LocalEncoder(cache)
    made.load()
    return made


def test_rows_have_length_one_and_meaning_is_close_across_languages(encoder: LocalEncoder) -> None:
    rows = encoder(TEXTS)
    assert rows.shape == (len(TEXTS), DIMS)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-4)
    assert rows[0] @ rows[1] > 0.7
    assert rows[0] @ rows[2] < 0.4


def test_what_was_unpacked_earlier_gives_the_same_numbers(encoder: LocalEncoder, cache: Path) -> None:
    np.testing.assert_array_equal(LocalEncoder(cache)(TEXTS), encoder(TEXTS))
    np.testing.assert_array_equal(LocalEncoder()(TEXTS), encoder(TEXTS))


def test_a_cache_that_was_cut_short_is_unpacked_again(tmp_path: Path) -> None:
    folder = tmp_path / UNPACKED
    folder.mkdir()
    (folder / "table.npy").write_bytes(b"")
    assert LocalEncoder(tmp_path)(["tea"]).shape == (1, DIMS)
    assert sorted(path.name for path in folder.iterdir()) == ["rest.npz", "table.npy"]


def test_a_cache_that_cannot_be_written_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    assert LocalEncoder(tmp_path / "file" / "below")(["tea"]).shape == (1, DIMS)


def test_it_remembers_no_text_and_forgets_all_numbers(encoder: LocalEncoder) -> None:
    encoder(["something private"])
    assert encoder.knows(["something private"])
    assert all(isinstance(key, bytes) and len(key) == 16 for key in encoder._known)
    encoder.forget()
    assert not encoder.knows(["something private"])


def test_a_long_text_is_read_by_its_beginning(encoder: LocalEncoder) -> None:
    long = "word " * TEXT_CHARS
    np.testing.assert_array_equal(encoder([long]), encoder([long[:TEXT_CHARS]]))


def test_other_weights_than_the_known_ones_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(module.FILES, "sp.model", "0" * 64)
    with pytest.raises(Integrity, match=r"sp\.model has SHA-256"):
        LocalEncoder().load()
