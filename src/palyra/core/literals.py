"""Which of many literals a text holds, in one pass over it rather than one per literal (Aho and Corasick)."""

from collections.abc import Sequence

from ahocorasick_rs import BytesAhoCorasick, Implementation

_LONG_TEXT = 65_536
"""Beyond it every single occurrence would be listed for nothing; one search per literal stops at the first."""


class Literals:
    """Texts are given as UTF-8. Upper and lower case differ: lower both, or neither."""

    def __init__(self, literals: Sequence[str]) -> None:
        if not all(literals):
            raise ValueError("an empty literal is in every text")
        self._literals = [literal.encode() for literal in literals]
        self._find = BytesAhoCorasick(self._literals, implementation=Implementation.DFA).find_matches_as_indexes

    def any_in(self, octets: bytes) -> bool:
        if len(octets) > _LONG_TEXT:
            return any(literal in octets for literal in self._literals)
        return bool(self._find(octets))

    def all_in(self, octets: bytes) -> set[int]:
        """Their positions in the sequence of literals."""
        if len(octets) > _LONG_TEXT:
            return {number for number, literal in enumerate(self._literals) if literal in octets}
        return {number for number, _, _ in self._find(octets, overlapping=True)}
