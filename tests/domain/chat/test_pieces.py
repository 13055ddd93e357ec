"""Long texts in pieces."""

import pytest

from palyra.core.tokens import estimate_tokens
from palyra.domain.chat.pieces import pieces
from palyra.domain.memory import MemoryLimits

ALLOWED = MemoryLimits()


def test_text_is_cut_between_paragraphs_and_nothing_of_it_is_lost() -> None:
    paragraphs = [f"Paragraph {number}. " + "word " * 60 for number in range(60)]
    made = list(pieces("\n\n".join(paragraphs), ALLOWED))
    assert len(made) > 3
    assert all(piece.startswith("Paragraph") and piece.endswith("word") for piece in made)
    assert " ".join(made).split() == " ".join(paragraphs).split()


@pytest.mark.parametrize(
    "text", ["x" * 200_000, "\u6f22" * 66_000, "a\n\n" * 60_000, "\U0001f600" * 50_000, "( " * 90_000]
)
def test_every_piece_fits_the_limits_of_memory_whatever_the_text(text: str) -> None:
    made = list(pieces(text, ALLOWED))
    assert made
    for piece in made:
        assert 0 < len(piece.encode()) <= ALLOWED.max_item_bytes
        assert estimate_tokens(piece) <= ALLOWED.max_item_tokens
    assert "".join("".join(made).split()) == "".join(text.split())


def test_nothing_has_no_pieces() -> None:
    assert list(pieces(" \n ", ALLOWED)) == []
