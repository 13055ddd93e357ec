"""What is kept, counted by stem: how a question is told from one that nothing kept has a word of."""

from collections import Counter
from collections.abc import Sequence
from typing import Protocol

from palyra.language.stems import stems


class Held(Protocol):
    """What is kept for the one who asks."""

    @property
    def count(self) -> int:
        """How many statements."""
        ...

    def having(self, words: Sequence[str], /) -> Sequence[int]:
        """How many statements hold each of these stems, as `language.stems` makes them."""
        ...


class Counted:
    """A `Held` that follows what is added and taken away; a statement counts with the texts it replaced."""

    def __init__(self, statements: Sequence[Sequence[str]] = ()) -> None:
        self.count = 0
        self._having: Counter[str] = Counter()
        for texts in statements:
            self.add(texts)

    def add(self, texts: Sequence[str]) -> None:
        """One statement: its text, then what it replaced."""
        self.count += 1
        self._having.update({stem for text in texts for stem in stems(text)})

    def discard(self, texts: Sequence[str]) -> None:
        """One that was added with the same texts."""
        self.count -= 1
        for stem in {stem for text in texts for stem in stems(text)}:
            if self._having[stem] > 1:
                self._having[stem] -= 1
            else:
                self._having.pop(stem, None)

    def having(self, words: Sequence[str], /) -> list[int]:
        return [self._having[word] for word in words]
