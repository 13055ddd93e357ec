"""The loss meter: where each statement of what is condensed stands from now on, and which turns are not in sight.

It counts turns, not what a planner has seen of them: each is either wholly in sight or listed with its first words.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import TypeAlias

from palyra.core.redact import redact_text
from palyra.domain.compaction.plan import Condensed, LossReport, LostStatement, SummaryLine, UnseenTurn, Voice
from palyra.domain.compaction.stated import ByMessage, State, Stated
from palyra.domain.compaction.tape import Survey, TapeMessage
from palyra.domain.retrieval.terms import analyse, is_stop
from palyra.language.names.naming import names
from palyra.language.wording.weighty import weight_of
from palyra.language.words import pattern

Documents: TypeAlias = Collection[str]
"""what they say, folded"""
_SAYS = 0.6
"""how much of a statement's telling words have to stand in one line"""
_YES_CHARS, _OFFER_CHARS = 40, 160
"""where in a turn a yes is looked for, and how long an answer may be a proposal without asking"""
_LONG_CHARS = 240
"""of a message that says several things: how they hang together stands in none of its statements alone"""
_NOTHING = frozenset({"greeting", "wrapping"})
"""reasons for leaving a piece in which nobody misses anything"""
_WORDS_CHARS = 72


class Telling:
    """Lines, and what they say. A line says a statement if it has all of its numbers and most of its telling words."""

    def __init__(self, lines: Iterable[SummaryLine]) -> None:
        self._lines = [frozenset(analyse(line.text)) for line in lines]
        self._places: dict[str, list[int]] = {}
        for n, terms in enumerate(self._lines):
            for term in terms:
                self._places.setdefault(term, []).append(n)

    def says(self, text: str) -> bool:
        terms = {term for term in analyse(text) if not is_stop(term)}
        numbers = {term for term in terms if term[0].isdigit()}
        near = {n for term in terms for n in self._places.get(term, ())}
        return any(
            numbers <= self._lines[n] and len(terms & self._lines[n]) >= _SAYS * max(1, len(terms)) for n in near
        )


def losses(
    seen: Survey,
    stated: ByMessage,
    condensed: Sequence[Condensed],
    documents: Documents,
) -> LossReport:
    meter = _Meter(condensed, documents)
    turns: dict[str, list[TapeMessage]] = {}
    for said in seen.condensing:
        turns.setdefault(said.run_id, []).append(said)
    for messages in turns.values():
        meter.take(messages, [one for said in messages for one in stated.get(said.seq, ())])
    return LossReport(
        meter.places["summary"] + meter.places["memory"] + meter.places["document"] + len(meter.lost),
        meter.places["summary"],
        meter.places["memory"],
        meter.places["document"],
        tuple(meter.lost),
        len(turns),
        len(turns) - len(meter.unseen),
        tuple(meter.unseen),
    )


class _Meter:
    def __init__(self, condensed: Sequence[Condensed], documents: Documents) -> None:
        self._blocks = [(block.first_seq, block.last_seq, Telling(block.lines)) for block in condensed]
        self._documents = documents
        self._answer = ""
        """what was said before the turn"""
        self.places = dict.fromkeys(("summary", "memory", "document"), 0)
        self.lost: list[LostStatement] = []
        self.unseen: list[UnseenTurn] = []

    def take(self, messages: Sequence[TapeMessage], stated: Sequence[Stated]) -> None:
        first = next((said for said in messages if said.voice is Voice.USER), messages[0])
        telling = self._telling(first.seq)
        in_sight, missing = False, _agrees(first.text, self._answer)
        why = "it agrees to what was said before it" if missing else "nothing in it was worth keeping"
        self._answer = next((said.text for said in reversed(messages) if said.voice is Voice.ASSISTANT), "")
        for one in stated:
            place = self._place(one, telling)
            if one.stands and place:
                self.places[place] += 1
            elif one.stands:
                weight = weight_of(one.text, first.at_ms)
                self.lost.append(LostStatement(one.seq, weight.value or one.kind.value, redact_text(one.text).text))
            in_sight = in_sight or bool(place)
            if one.stands and len(stated) > 1 and _leaves_open(one.text):
                missing, why = True, "a statement of it does not name whom it speaks of"
            if not place and (one.stands or self._is_missed(one)):
                missing, why = True, "a statement is in no place" if one.stands else "a piece of it was left"
            elif not place and one.state in _GONE:
                why = f"what it states was {one.state.value}"
        if len(stated) > 1 and len(first.text) > _LONG_CHARS:
            missing, why = True, "it is long, and may say more than was read in it"
        if not in_sight or missing:
            self.unseen.append(UnseenTurn(first.seq, _first_words(first.text), in_sight, why))

    def _telling(self, seq: int) -> Telling:
        """Of the block it is in."""
        return next((telling for first, last, telling in self._blocks if first <= seq <= last), Telling(()))

    def _place(self, one: Stated, telling: Telling) -> str:
        if one.state in _GONE:
            return ""
        if telling.says(one.text):
            return "summary"
        if one.state is State.HOLDS:
            return "memory"
        return "document" if any(one.text.casefold() in text for text in self._documents) else ""

    def _is_missed(self, one: Stated) -> bool:
        """What was left may be what somebody will miss, however unlikely the reader found it: then it is said so."""
        return one.state is State.LEFT and _NOTHING.isdisjoint(one.because)


_GONE = (State.REPLACED, State.REJECTED, State.ERASED)


def _agrees(text: str, before: str) -> bool:
    """Whether it says yes to something that was proposed or summed up: that is told in the words of the other."""
    is_offer = "?" in before or "？" in before or len(before) >= _OFFER_CHARS
    return is_offer and pattern("confirming").search(text[:_YES_CHARS].casefold()) is not None


def _leaves_open(text: str) -> bool:
    return pattern("person").search(text.casefold()) is not None and not names(text)


def _first_words(text: str) -> str:
    flat = " ".join(redact_text(text).text[: 4 * _WORDS_CHARS].split())
    return flat if len(flat) <= _WORDS_CHARS else flat[:_WORDS_CHARS].rsplit(" ", 1)[0] + "…"
