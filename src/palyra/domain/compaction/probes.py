"""Recall probes: the facts of a conversation, each as the question that should still find it after condensing.

"I moved to Lisbon in March 2021" gives two: (moved, March, 2021) must find Lisbon, (moved, Lisbon) must find March
2021. People's words are probed for all they state. An assistant's are probed only for what it decided, corrected or
did itself: what it knows about the world, it will know again.
"""

from collections import Counter
from collections.abc import Sequence

from palyra.domain.compaction.plan import Probe, ProbeKind, Voice
from palyra.domain.compaction.reading import ReadSentence, Value
from palyra.domain.labels import Category

_WEIGHTS = {
    ProbeKind.CORRECTION: 40,
    ProbeKind.DECISION: 40,
    ProbeKind.PREFERENCE: 36,
    ProbeKind.PERSON: 24,
    ProbeKind.DATE: 20,
    ProbeKind.NUMBER: 20,
    ProbeKind.NAME: 18,
}
_TASK_MORE = 8
_PERSON_MORE = 6
_CUE_TERMS, _ANSWER_TERMS, _VALUES = 6, 2, 3


def probes_of(reading: ReadSentence, frequency: Counter[str]) -> list[tuple[int, Probe]]:
    """Probes with their weights. `frequency`: in how many sentences of the conversation a term stands."""
    if not _is_probed(reading):
        return []
    values = reading.values[:_VALUES]
    if not values:
        kind = reading.kind
        if kind is None or len(reading.telling) < _ANSWER_TERMS + 1:
            return []
        values = (Value(kind, _rarest(reading.telling, frequency, _ANSWER_TERMS)),)
    found: list[tuple[int, Probe]] = []
    for value in values:
        cue = _rarest([term for term in reading.terms if term not in value.terms], frequency, _CUE_TERMS)
        if not cue:
            continue
        kind = _kind(reading, value)
        probe = Probe(reading.said.seq, kind, reading.said.voice, cue, value.terms, reading.text)
        found.append((_weight(reading, kind), probe))
    return found


def _is_probed(reading: ReadSentence) -> bool:
    if not reading.states or reading.said.voice is Voice.TOOL:
        return False
    if reading.said.voice is Voice.USER:
        return not reading.asks or (reading.of_person and bool(reading.values))
    if reading.asks:
        return False
    return reading.category in (Category.DECISION, Category.CORRECTION) and reading.of_person


def _kind(reading: ReadSentence, value: Value) -> ProbeKind:
    statement = reading.kind
    return statement if statement not in (None, ProbeKind.PERSON) else value.kind


def _weight(reading: ReadSentence, kind: ProbeKind) -> int:
    weight = _WEIGHTS[kind] + _PERSON_MORE * reading.of_person + _TASK_MORE * reading.is_task
    if reading.asks:
        weight //= 2
    return weight if reading.said.voice is Voice.USER else weight // 2


def _rarest(terms: Sequence[str], frequency: Counter[str], most: int) -> tuple[str, ...]:
    """The terms that tell most, in the order they were said."""
    chosen = sorted(range(len(terms)), key=lambda n: (frequency[terms[n]], n))[:most]
    return tuple(terms[n] for n in sorted(chosen))
