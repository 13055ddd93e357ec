"""Which probe facts are still said somewhere: by the terms of their answer, near the terms they are asked with."""

from collections.abc import Iterable, Sequence

from palyra.domain.compaction.plan import MAX_LOST, LossReport, Probe
from palyra.domain.retrieval.terms import analyse


class Coverage:
    """Texts that can answer probes. A text answers one that has all of its answer and half of its cue."""

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._texts: list[frozenset[str]] = []
        self._places: dict[str, list[int]] = {}
        for text in texts:
            self.add(text)

    def add(self, text: str) -> None:
        terms = frozenset(analyse(text))
        for term in terms:
            self._places.setdefault(term, []).append(len(self._texts))
        self._texts.append(terms)

    def answers(self, probe: Probe) -> bool:
        places = min((self._places.get(term, []) for term in probe.answer), key=len)
        return any(is_answered(probe, self._texts[place]) for place in places)


def is_answered(probe: Probe, terms: frozenset[str]) -> bool:
    return terms.issuperset(probe.answer) and 2 * len(terms.intersection(probe.cue)) >= len(probe.cue)


def loss_report(probes: Sequence[Probe], coverage: Coverage) -> LossReport:
    """`probes` weightiest first: the first of the lost are named."""
    lost = [probe for probe in probes if not coverage.answers(probe)]
    return LossReport(len(probes), len(probes) - len(lost), tuple(lost[:MAX_LOST]))
