"""The question of a turn: what memory is asked with it, and which memories say nothing but the question itself."""

import re

from palyra.core import limits
from palyra.core.text import normalise
from palyra.domain.retrieval.terms import is_stop, query_terms
from palyra.language.wording import LONG_CHARS, Relation, relate
from palyra.language.wording.text import parse

_ALIKE, _OVERLAP = 0.5, 0.9
"""of the telling words of both: from the first on they are compared, from the second on two questions are one"""
_LEANS_BACK = re.compile(r"(?:and|but|so|or|then|what about|how about)\b", re.IGNORECASE)
_SYNTAX = str.maketrans({'"': " ", "*": " "})


def query_for(question: str, previous: str) -> str:
    """What to look for. A follow-up that names nothing ("and there?") takes the question before it along.

    Quotation marks and stars are taken out: in a search they ask for an exact phrase or a beginning, in a message
    somebody quotes or writes Markdown. Empty when there is nothing to look for.
    """
    asked = flat(question[: limits.QUERY_BYTES])
    if previous and (_LEANS_BACK.match(asked) or all(map(is_stop, query_terms(asked)))):
        asked = f"{asked}\n{flat(previous[: limits.QUERY_BYTES])}"
    return cut_query(asked.translate(_SYNTAX))


def cut_query(text: str) -> str:
    """At most as many bytes as a search takes, and no half characters."""
    return text.encode("utf-8", "replace")[: limits.QUERY_BYTES].decode("utf-8", "ignore").strip()


def is_echo(question: str, text: str) -> bool:
    """Whether `text` is the question again: the same in other typing, or asked with the same telling words."""
    if len(question) > LONG_CHARS or len(text) > LONG_CHARS:
        return flat(question).casefold() == flat(text).casefold()
    ours, theirs = set(query_terms(question)), set(query_terms(text))
    shared, both = len(ours & theirs), max(1, len(ours | theirs))
    if shared < _ALIKE * both:
        return False
    if relate(question, text).relation is Relation.SAME:
        return True
    return shared >= _OVERLAP * both and parse(question).is_question and parse(text).is_question


def flat(text: str) -> str:
    """On one line, with nothing invisible in it."""
    return " ".join(normalise(text).split())
