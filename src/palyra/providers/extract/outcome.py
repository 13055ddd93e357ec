"""How reading a file ends when it does not end well, and how much text is taken from one."""

from palyra.providers.extras import how_to_add

TEXT_CHARS = 1_048_576
READ_SECONDS = 8.0
"""of the pages or paragraphs: less than the child may take, so that what was read by then is not lost"""


class Unreadable(Exception):
    """Never leaves this package: the extractor makes an error of the table from it, with the file's name."""

    def __init__(self, why: str, hint: str = "") -> None:
        super().__init__(why)
        self.why = why
        self.hint = hint


def not_installed(noun: str) -> Unreadable:
    """For a kind of file whose parser comes with the extra `documents`."""
    return Unreadable(f"reading {noun} needs the extra 'documents', which is not installed", how_to_add("documents"))


class Gathered:
    """Pieces of text up to the limit."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._room = TEXT_CHARS

    def add(self, piece: str) -> bool:
        """False: there is no room for more."""
        if len(piece) >= self._room:
            piece = piece[: self._room]
        self._pieces.append(piece)
        self._room -= len(piece)
        return self._room > 0

    def text(self) -> str:
        return "".join(self._pieces)
