"""What the offline model says: memories that fit the question, quoted word for word and cited, or that there are none.

It adds nothing of its own. What a memory says is never obeyed, only shown between quotation marks, on one line, with
secrets masked and with nothing in it that passes for a citation.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from itertools import pairwise
from math import log

from palyra.core.redact import redact_memory_text_for_output
from palyra.core.text import normalise
from palyra.domain.chat.conversation import PromptFact
from palyra.domain.retrieval.terms import analyse, is_stop
from palyra.language.reading import Reader
from palyra.language.statements import Role, ToldTurn
from palyra.language.wording import LONG_CHARS, Relation, relate
from palyra.providers.models.offline_words import (
    akin,
    asking,
    asks_for_everything,
    kind_of,
    sentences,
    statement_in,
    stating,
)

MOST_FACTS, MOST_QUOTES = 16, 5
"""how many of the best memories are looked at, and how many are shown"""
QUOTE_CHARS = 240
SURE_SCORE = 0.3
"""a memory that shares no word with the question is still an answer to it when the search was this sure"""
CLOSE_SCORE = 0.1
"""below it, what the search brings is not even worth a mention"""
NEAR_SURE = 0.8
NEAR_BEST = 0.5
"""of the best memory's weight: what fits less is left out"""

GREETING = "Hello. Tell me something to remember, or ask me about what I was told."
THANKS = "You are welcome."
FAREWELL = "Goodbye. I keep what you told me."
AGREEMENT = "All right."
ABOUT = (
    "I am the offline model: no network, no key. I remember what you tell me, across conversations, and answer by"
    " quoting it with its source. To talk with a language model instead, set models.provider."
)
FORGET = (
    "I cannot forget things from here. Find it with `palyra memory search`, then remove it with `palyra memory delete`."
)
NOTHING = "I remember nothing about that. Tell me, and I will know it next time."
NOTHING_ASKED = "About what you ask I remember nothing."
NOTHING_YET = "I remember nothing yet. Tell me something, and I will know it next time."
CANNOT = "I cannot do that: without a language model I only quote what I remember."
CLOSEST = "I have no direct answer. The closest I remember is"
UNREAD = "What came with the message (files, references) I cannot read without a language model."
DISAGREE = "These do not agree; the newest comes first."

# Words about remembering say nothing about what is remembered.
_META = frozenset(
    term
    for term in analyse(
        "remember recall remind mention memory memories told ask asked question answer talk find search"
    )
)
_WHEN = re.compile(r"(?i)\b(?:when|what (?:time|day|date|year)|how (?:long|old|many|much|often))\b")
_A_TIME = re.compile(
    r"(?i)\d|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day|\b(?:january|february|march|april|may|june|july|august"
    r"|september|october|november|december|today|tomorrow|yesterday|noon|midnight|morning|evening|week|month|year)\b"
)
_OUR_MARKS = str.maketrans("“”", '""')
"""only the outer quotation marks are curly, so that no text can seem to end"""
_LIKE_A_CITATION = re.compile(r"\[(\w{1,16})\]")


@dataclass(frozen=True, slots=True)
class _Candidate:
    """Something that could be quoted: a memory, or what was said earlier in the conversation."""

    text: str
    citation: str
    speaker: str
    said_at_ms: int
    score: float
    terms: frozenset[str]

    @property
    def is_earlier(self) -> bool:
        return not self.citation


def answer_to(message: str, facts: Sequence[PromptFact], earlier: Sequence[str], *, has_files: bool = False) -> str:
    """`earlier`: what the same person said before in this conversation, oldest first."""
    if not has_files:
        return _answer(message, facts, earlier)
    return f"{_answer(message, facts, earlier)}\n{UNREAD}" if message.strip() else UNREAD


def _answer(message: str, facts: Sequence[PromptFact], earlier: Sequence[str]) -> str:
    match kind_of(message):
        case "greeting":
            return GREETING
        case "thanks":
            return THANKS
        case "farewell":
            return FAREWELL
        case "agreement":
            return AGREEMENT
        case "about":
            return ABOUT
        case "forget":
            return FORGET
        case "statement":
            words = statement_in(message)
            return _noted(words, facts) or (AGREEMENT if words else GREETING)
        case "perhaps":
            found = _quoted(message, _candidates(message, facts, earlier), earlier)
            return found or _noted(statement_in(message), facts) or AGREEMENT
        case "request":
            return f"{CANNOT} {_quoted(message, _candidates(message, facts, earlier), earlier)}".rstrip()
        case "question":
            return _answer_to_question(message, facts, earlier)


@cache
def _reader() -> Reader:
    """Without an encoder: an answer need not wait for that."""
    return Reader()


def _noted(words: str, facts: Sequence[PromptFact]) -> str:
    """What was noted, and what was remembered until now if it says otherwise. "" for what the reader of turns would
    leave on the tape: that is not called noted."""
    if not words or not _reader().read(ToldTurn(Role.USER, words, 0)).statements:
        return ""
    noted = f"Noted: {_quote(words, frozenset())}"
    old = next((fact for fact in facts if _contradict(words, fact.text)), None)
    return f"{noted} (before, I remembered {_quote(old.text, _terms(words))} [{old.citation}])" if old else noted


def _answer_to_question(message: str, facts: Sequence[PromptFact], earlier: Sequence[str]) -> str:
    question = " ".join(asking(message))
    candidates = _candidates(question, facts, earlier)
    if not _wanted(question) and asks_for_everything(question):
        return _listing([one for one in candidates if not one.is_earlier] or candidates, frozenset()) or NOTHING_YET
    found = _quoted(question, candidates, earlier)
    if found:
        return found
    near = max(candidates, key=lambda one: one.score, default=None)
    if near is not None and near.score >= CLOSE_SCORE:
        return f"{CLOSEST}: {_quote(near.text, _wanted(question))}{_source(near)}"
    told = _noted(statement_in(stating(message)), facts)
    return f"{told}\n{NOTHING_ASKED}" if told else NOTHING


def _quoted(question: str, candidates: Sequence[_Candidate], earlier: Sequence[str]) -> str:
    """What fits the question, best first; "" when nothing does. A question that names nothing goes on from the last."""
    wanted = akin(_wanted(question) or (_wanted(earlier[-1]) if earlier else frozenset()))
    weights = _weights(wanted, candidates)
    weighed = [(_weight(one, question, weights), one) for one in candidates]
    best = max((weight for weight, _ in weighed), default=0.0)
    # Beside a memory that has the very words, one that has none of them must be as sure.
    said = max((one.score for one in candidates if wanted & one.terms), default=0.0)
    kept = [
        (weight, one)
        for weight, one in weighed
        if (wanted & one.terms and weight >= NEAR_BEST * best) or one.score >= max(SURE_SCORE, NEAR_SURE * said)
    ]
    kept.sort(key=lambda pair: (-pair[0], -pair[1].said_at_ms))
    return _listing([one for _, one in kept], wanted)


def _wanted(question: str) -> frozenset[str]:
    return frozenset(term for term in analyse(question) if not is_stop(term)) - _META


def _candidates(question: str, facts: Sequence[PromptFact], earlier: Sequence[str]) -> list[_Candidate]:
    """Without questions: they answer nothing. What is both remembered and in the conversation comes once."""
    asked = _likeness(question)
    found: dict[str, _Candidate] = {}
    for fact in facts[:MOST_FACTS]:
        if _states(fact.text) and _likeness(fact.text) != asked:
            one = _Candidate(fact.text, fact.citation, fact.speaker, fact.said_at_ms, fact.score, _terms(fact.text))
            found.setdefault(_likeness(fact.text), one)
    for text in reversed(earlier):
        if kind_of(text) == "statement" and _likeness(text) not in found:
            words = statement_in(text)
            found.setdefault(_likeness(words), _Candidate(words, "", "", 0, 0.0, _terms(words)))
    return list(found.values())


def _states(text: str) -> bool:
    return len(asking(text)) < len(sentences(text))


def _terms(text: str) -> frozenset[str]:
    return frozenset(analyse(text))


def _likeness(text: str) -> str:
    return " ".join(normalise(text).casefold().split()).rstrip(".!?…")


def _weights(wanted: frozenset[str], candidates: Sequence[_Candidate]) -> dict[str, float]:
    """A word that few of them hold tells more."""
    holding = Counter(term for one in candidates for term in wanted & one.terms)
    return {term: log(1 + len(candidates) / count) for term, count in holding.items()}


def _weight(one: _Candidate, question: str, weights: dict[str, float]) -> float:
    total = sum(weights.values()) or 1.0
    covered = sum(weight for term, weight in weights.items() if term in one.terms) / total
    tells_when = 0.15 if covered and _WHEN.search(question) and _A_TIME.search(one.text) else 0.0
    return covered + tells_when + min(max(one.score, 0.0), 1.0)


def _listing(found: Sequence[_Candidate], wanted: frozenset[str]) -> str:
    quoted = found[:MOST_QUOTES]
    disagree = any(_contradict(first.text, second.text) for first, second in pairwise(quoted))
    if disagree:
        quoted = sorted(quoted, key=lambda one: (not one.is_earlier, -one.said_at_ms))
    if len(quoted) == 1:
        return _alone(quoted[0], wanted)
    if not quoted:
        return ""
    lines = [f"- {_quote(one.text, wanted)}{_source(one)}" for one in quoted]
    return "\n".join(["I remember:", *lines, *([DISAGREE] if disagree else [])])


def _contradict(one: str, other: str) -> bool:
    is_short = len(one) <= LONG_CHARS and len(other) <= LONG_CHARS
    return is_short and relate(one, other).relation is Relation.CONFLICT


def _alone(one: _Candidate, wanted: frozenset[str]) -> str:
    quote = _quote(one.text, wanted)
    if one.is_earlier:
        return f"You said earlier in this conversation: {quote}"
    day = _day(one.said_at_ms)
    if one.speaker:
        return f"{_name(one.speaker)} said{f' on {day}' if day else ''}: {quote} [{one.citation}]"
    return f"I remember{f' from {day}' if day else ''}: {quote} [{one.citation}]"


def _source(one: _Candidate) -> str:
    if one.is_earlier:
        return " (earlier in this conversation)"
    known = ", ".join(filter(None, (_name(one.speaker), _day(one.said_at_ms))))
    return f" [{one.citation}]" + (f" ({known})" if known else "")


def _quote(text: str, wanted: frozenset[str]) -> str:
    """Between quotation marks, on one line; of a long text the sentences that fit best."""
    whole = " ".join(redact_memory_text_for_output(normalise(text)).split())
    whole = _LIKE_A_CITATION.sub(r"(\1)", whole.translate(_OUR_MARKS))
    return f"“{_excerpt(whole, wanted)}”"


def _excerpt(text: str, wanted: frozenset[str]) -> str:
    if len(text) <= QUOTE_CHARS:
        return text
    pieces = [piece for piece in sentences(text) if not asking(piece)] or [text]
    best = max(range(len(pieces)), key=lambda at: (len(wanted & _terms(pieces[at])), -at))
    last = best + 2 if len(" ".join(pieces[best : best + 2])) <= QUOTE_CHARS else best + 1
    chosen = " ".join(pieces[best:last])
    is_cut = len(chosen) > QUOTE_CHARS
    if is_cut:
        chosen = chosen[: QUOTE_CHARS - 1].rsplit(" ", 1)[0].rstrip()
    return ("…" if best else "") + chosen + ("…" if is_cut or last < len(pieces) else "")


def _name(speaker: str) -> str:
    return _LIKE_A_CITATION.sub(r"(\1)", " ".join(redact_memory_text_for_output(normalise(speaker)).split()))[:64]


def _day(said_at_ms: int) -> str:
    """In UTC; "" when it is unknown or no date."""
    if said_at_ms <= 0:
        return ""
    try:
        return datetime.fromtimestamp(said_at_ms / 1000, UTC).date().isoformat()
    except (ValueError, OverflowError, OSError):
        return ""
