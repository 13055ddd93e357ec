"""The planner that needs no model: it picks sentences, so that what somebody may ask for later stays answerable.

Every sentence is read for facts, every fact becomes a probe, and sentences are taken by how many unanswered probes
they answer for a token, until the budget is used. Statements that were taken back later are left out. All is pure:
the same tape and the same earlier artifact give the same plan.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heapreplace

from palyra.core.tokens import estimate_tokens
from palyra.domain.classify import risks_in
from palyra.domain.compaction.analysis import Analysis, analyse_tape, blocks_of, finished, line_of
from palyra.domain.compaction.budget import budget_of, earlier_within, fitting, in_order
from palyra.domain.compaction.candidates import candidates_of
from palyra.domain.compaction.disposition import Known, is_private, nothing_known
from palyra.domain.compaction.loss import Coverage, is_answered
from palyra.domain.compaction.plan import (
    CompactionArtifact,
    CompactionLimits,
    Condensed,
    SessionCompactionPlan,
    SummaryLine,
    Voice,
)
from palyra.domain.compaction.reading import ReadSentence
from palyra.domain.compaction.tape import RunTape

_LINE_TOKENS = 2
"""about what whose words and which day cost"""
_LOOKED_UP = 32
"""sentences that may answer a probe besides its own"""
_TOPIC = {Voice.USER: 3, Voice.ASSISTANT: 1, Voice.TOOL: 1}
_TOPIC_TERMS = 3
DEFAULT_LIMITS = CompactionLimits()


def plan(
    runs: Sequence[RunTape],
    earlier: CompactionArtifact | None = None,
    known: Known = nothing_known,
    limits: CompactionLimits = DEFAULT_LIMITS,
) -> SessionCompactionPlan:
    """`runs` are the conversation as prompts show it: all of it, or what came after `earlier`."""
    analysis = analyse_tape(runs, earlier, limits)
    budget = budget_of(analysis, limits)
    old = earlier_within(analysis, budget)
    chosen = _chosen(analysis, old, budget.fresh_tokens)
    condensed = in_order((*old, *blocks_of(analysis.survey, _in_order(chosen))))
    condensed = fitting(condensed, [pick.line for pick in chosen[::-1]], budget.tokens)
    candidates = candidates_of(analysis.readings, analysis.replaced, known, limits)
    return finished(analysis, condensed, candidates)


@dataclass(frozen=True, slots=True)
class _Pick:
    number: int
    line: SummaryLine


def _in_order(picks: Sequence[_Pick]) -> list[SummaryLine]:
    return [pick.line for pick in sorted(picks, key=lambda pick: pick.number)]


def _chosen(analysis: Analysis, old: Sequence[Condensed], budget_tokens: int) -> list[_Pick]:
    """Lines for the new part, the most telling first."""
    readings = analysis.readings
    answering = _answering(analysis, old)
    last_said = {reading.text: number for number, reading in enumerate(readings)}
    worth = [_topic(reading) if last_said[reading.text] == number else 0 for number, reading in enumerate(readings)]
    pool = [n for n in range(len(readings)) if n not in analysis.replaced and (worth[n] or answering[n])]
    costs = {number: estimate_tokens(readings[number].text) + _LINE_TOKENS for number in pool}
    answered = [False] * len(analysis.probes)

    def gain(number: int) -> float:
        unanswered = (n for n in answering[number] if not answered[n])
        return (sum(analysis.probes[n].weight for n in unanswered) + worth[number]) / costs[number]

    # What a sentence adds only shrinks as others are taken: only the best one needs to be looked at again.
    heap = [(-gain(number), number) for number in pool]
    heapify(heap)
    picks: list[_Pick] = []
    spent = 0
    while heap and spent < budget_tokens:
        _, number = heap[0]
        now = -gain(number)
        if now and now > heap[0][0]:
            heapreplace(heap, (now, number))
            continue
        heappop(heap)
        if not now or spent + costs[number] > budget_tokens or not _may_stand(readings[number]):
            continue
        picks.append(_Pick(number, line_of(readings[number].said, readings[number].text)))
        spent += costs[number]
        for n in answering[number]:
            answered[n] = True
    return picks


def _topic(reading: ReadSentence) -> int:
    """What the first sentence of a message is worth by itself: it tells what was talked about."""
    return _TOPIC[reading.said.voice] if not reading.place and len(reading.telling) >= _TOPIC_TERMS else 0


def _answering(analysis: Analysis, old: Sequence[Condensed]) -> list[list[int]]:
    """Which probes each sentence answers, those left out that are answered by what stays anyway."""
    terms = [frozenset(reading.terms) for reading in analysis.readings]
    places: dict[str, list[int]] = {}
    for number, own in enumerate(terms):
        if number not in analysis.replaced:
            for term in own:
                places.setdefault(term, []).append(number)
    standing = Coverage(said.text for said in analysis.survey.verbatim)
    for line in (line for block in old for line in block.lines):
        standing.add(line.text)
    answering: list[list[int]] = [[] for _ in analysis.readings]
    for n, weighed in enumerate(analysis.probes):
        if standing.answers(weighed.probe):
            continue
        near = min((places[term] for term in weighed.probe.answer if term in places), key=len, default=[])
        others = near if len(near) <= _LOOKED_UP else ()
        answering[weighed.reading].append(n)
        for number in others:
            if number != weighed.reading and is_answered(weighed.probe, terms[number]):
                answering[number].append(n)
    return answering


def _may_stand(reading: ReadSentence) -> bool:
    """A summary is read again with every turn: nothing secret, and nobody else's instructions."""
    if is_private(reading.text):
        return False
    return reading.is_own or not risks_in(reading.text)
