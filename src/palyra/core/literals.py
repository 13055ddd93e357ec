"""Which of many literals a text holds, in one pass over it rather than one per literal (Aho and Corasick)."""

from collections.abc import Iterator, Sequence

from ahocorasick_rs import BytesAhoCorasick, Implementation

_PIECE = 16_384
"""at a time: every single occurrence in it is listed, which in hostile text is many"""


class Literals:
    """Texts are given as UTF-8. Upper and lower case differ: lower both, or neither."""

    def __init__(self, literals: Sequence[str]) -> None:
        if not all(literals):
            raise ValueError("an empty literal is in every text")
        encoded = [literal.encode() for literal in literals]
        self._find = BytesAhoCorasick(encoded, implementation=Implementation.DFA).find_matches_as_indexes
        self._overlap = max(map(len, encoded), default=1) - 1

    def any_in(self, octets: bytes) -> bool:
        if len(octets) <= _PIECE:
            return bool(self._find(octets))
        return any(self._find(piece) for piece in self._pieces(octets))

    def all_in(self, octets: bytes) -> set[int]:
        """Their positions in the sequence of literals."""
        pieces = (octets,) if len(octets) <= _PIECE else self._pieces(octets)
        return {number for piece in pieces for number, _, _ in self._find(piece, overlapping=True)}

    def _pieces(self, octets: bytes) -> Iterator[bytes]:
        """Each reaches into the next one, so that no literal is cut in two."""
        for start in range(0, len(octets), _PIECE):
            yield octets[start : start + _PIECE + self._overlap]
