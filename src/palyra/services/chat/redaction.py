"""Redaction of text that is still coming: nothing is let out before it is known not to be part of a secret."""

import re

from palyra.core.redact import mask, redact_text

_LOOK_BACK = 4_096
"""characters before what is let out next: enough to know a secret by what leads up to it"""
_HELD = 512
"""of an unfinished word; no token of anybody's is longer"""
_UNFINISHED = re.compile(r"[!-~]+\Z")
"""the printable signs of ASCII: what keys and tokens are written in"""


class StreamRedactor:
    """Feed it what comes; it gives back what may be shown. What it gives back, joined, is redacted."""

    def __init__(self) -> None:
        self._text = ""
        """the last part of what came"""
        self._shown = 0
        """how much of it is out"""

    def feed(self, piece: str) -> str:
        self._text += piece
        unfinished = _UNFINISHED.search(self._text, max(self._shown, len(self._text) - _HELD))
        return self._let_out(len(self._text) if unfinished is None else unfinished.start())

    def finish(self) -> str:
        return self._let_out(len(self._text))

    def _let_out(self, end: int) -> str:
        if end <= self._shown:
            return ""
        looked_at = self._text[:end]
        pieces: list[str] = []
        at = self._shown
        for span in redact_text(looked_at).spans:
            if span.end > at:
                pieces += (looked_at[at : max(at, span.start)], mask(span.label))
                at = span.end
        pieces.append(looked_at[at:])
        drop = max(0, end - _LOOK_BACK)
        self._text, self._shown = self._text[drop:], end - drop
        return "".join(pieces)
