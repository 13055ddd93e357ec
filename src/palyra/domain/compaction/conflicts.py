"""What was said and later taken back. Statements are compared only where they share telling words, so that the work
grows with the conversation and not with its square."""

from dataclasses import dataclass, field
from itertools import chain

from palyra.language.wording import LONG_CHARS, Relation, relate, related_terms

_RAREST = 5
"""terms of a statement that are looked up"""
_LOOKED_UP = 12
"""statements a term leads to: the latest ones"""
_COMPARED = 2
_SHARED = 2
"""telling words, and half of the shorter one's: what shares less cannot differ in one thing only"""


@dataclass(slots=True)
class Statements:
    """What has been said so far, in order, by number."""

    _texts: list[str] = field(default_factory=list)
    _ranks: list[int] = field(default_factory=list)
    _terms: list[frozenset[str]] = field(default_factory=list)
    _by_term: dict[str, list[int]] = field(default_factory=dict)

    def add(self, text: str, rank: int) -> list[int]:
        """Numbers of the earlier statements that `text` replaces. Its own number is how many came before it.

        A statement replaces only those of its rank or a lower one: nobody takes back the owner's words for them."""
        terms = _terms(text)
        replaced = [
            other for other in self._near(terms, rank) if relate(self._texts[other], text).relation is Relation.CONFLICT
        ]
        self._put(text, rank, terms)
        return replaced

    def know(self, text: str, rank: int) -> None:
        """The same, of what is known to replace nothing."""
        self._put(text, rank, _terms(text))

    def _put(self, text: str, rank: int, terms: frozenset[str]) -> None:
        for term in terms:
            self._by_term.setdefault(term, []).append(len(self._texts))
        self._texts.append(text)
        self._ranks.append(rank)
        self._terms.append(terms)

    def _near(self, terms: frozenset[str], rank: int) -> list[int]:
        """The few that share most with a statement of these terms, the latest first among equals."""
        places = sorted((self._by_term[term] for term in terms if term in self._by_term), key=len)[:_RAREST]
        near: list[tuple[int, int]] = []
        every, size = self._terms, len(terms)
        for number in set(chain.from_iterable(place[-_LOOKED_UP:] for place in places)):
            if self._ranks[number] <= rank:
                other = every[number]
                shared = len(terms & other)
                if shared >= _SHARED and (2 * shared >= size or 2 * shared >= len(other)):
                    near.append((-shared, -number))
        near.sort()
        return [-number for _, number in near[:_COMPARED]]


def _terms(text: str) -> frozenset[str]:
    return related_terms(text) if len(text) <= LONG_CHARS else frozenset()
