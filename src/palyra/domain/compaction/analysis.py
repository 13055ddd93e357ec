"""What both planners begin with: the tape read for facts, and what was taken back. And what both end with: the plan."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from palyra.core.tokens import estimate_tokens
from palyra.domain.compaction.candidates import day_of, texts_of
from palyra.domain.compaction.conflicts import Statements
from palyra.domain.compaction.loss import Coverage, loss_report
from palyra.domain.compaction.plan import (
    MAX_PROBES,
    CompactionArtifact,
    CompactionLimits,
    Condensed,
    DurableCandidate,
    Planner,
    Probe,
    SessionCompactionPlan,
    SummaryLine,
    TakenBack,
    Voice,
)
from palyra.domain.compaction.probes import probes_of
from palyra.domain.compaction.reading import ReadSentence, read
from palyra.domain.compaction.render import render_compaction_prompt_block
from palyra.domain.compaction.tape import RunTape, Survey, TapeMessage, survey
from palyra.domain.labels import Category

BLOCK_MESSAGES = 60
"""a block stands for about as many: a link that leads to everything leads nowhere"""

_RANKS = {Voice.USER: 1, Voice.ASSISTANT: 0}


@dataclass(frozen=True, slots=True)
class Weighed:
    weight: int
    reading: int
    """number of the reading it comes from"""
    probe: Probe


@dataclass(frozen=True, slots=True)
class Analysis:
    survey: Survey
    earlier: CompactionArtifact
    """without what was erased or taken back since"""
    tokens_before: int
    readings: tuple[ReadSentence, ...]
    """of what is condensed"""
    replaced: frozenset[int]
    """numbers of readings that were taken back later"""
    superseded: tuple[TakenBack, ...]
    probes: tuple[Weighed, ...]
    """weightiest first"""

    @property
    def source_tokens(self) -> int:
        return self.earlier.source_tokens + self.fresh_tokens

    @property
    def fresh_tokens(self) -> int:
        return sum(self.survey.source_tokens.values())


def analyse_tape(runs: Sequence[RunTape], earlier: CompactionArtifact | None, limits: CompactionLimits) -> Analysis:
    seen = survey(runs, earlier, limits)
    before = earlier or CompactionArtifact(())
    readings = tuple(reading for said in seen.condensing for reading in read(said))
    replaced, gone, superseded = _superseded(before, readings, seen.verbatim)
    frequency = Counter(term for reading in readings for term in reading.terms)
    # What was said twice is one fact, asked for once; the later words count.
    facts: dict[tuple[tuple[str, ...], tuple[str, ...]], Weighed] = {}
    for number, reading in enumerate(readings):
        if number not in replaced:
            for weight, probe in probes_of(reading, frequency):
                facts[probe.cue, probe.answer] = Weighed(weight, number, probe)
    probes = sorted(facts.values(), key=lambda weighed: (-weighed.weight, weighed.reading))
    tokens = estimate_tokens(render_compaction_prompt_block(before)) + seen.tokens
    left = before.without(seen.erased).keeping(lambda line: line not in gone)
    return Analysis(seen, left, tokens, readings, replaced, superseded, tuple(probes))


def _superseded(
    earlier: CompactionArtifact, readings: Sequence[ReadSentence], verbatim: Sequence[TapeMessage]
) -> tuple[frozenset[int], frozenset[SummaryLine], tuple[TakenBack, ...]]:
    """Numbers of the readings that were taken back, the earlier lines that were, and both with what replaced them."""
    statements = Statements()
    known: list[tuple[int, int | SummaryLine]] = []
    found: dict[int | SummaryLine, TakenBack] = {}
    for line in (line for block in earlier.condensed for line in block.lines):
        if line.voice in _RANKS:
            statements.know(line.text, _RANKS[line.voice])
            known.append((line.seq, line))
    numbered: list[tuple[int, ReadSentence]] = [*enumerate(readings)]
    numbered += [(-1, reading) for said in verbatim for reading in read(said)]
    numbered.sort(key=lambda pair: (pair[1].said.seq, pair[1].place))
    for number, reading in numbered:
        if not _is_statement(reading):
            continue
        for other in statements.add(reading.text, _RANKS[reading.said.voice]):
            seq, what = known[other]
            if what != -1:
                found.setdefault(what, TakenBack(seq, reading.said.seq))
        known.append((reading.said.seq, number))
    taken_back = tuple(sorted(found.values(), key=lambda item: (item.seq, item.by_seq)))
    return (
        frozenset(what for what in found if isinstance(what, int)),
        frozenset(what for what in found if isinstance(what, SummaryLine)),
        taken_back,
    )


def _is_statement(reading: ReadSentence) -> bool:
    if reading.asks or not reading.states or reading.said.voice not in _RANKS or reading.said.is_long:
        return False
    return reading.said.voice is Voice.USER or reading.category in (Category.CORRECTION, Category.DECISION)


def line_of(said: TapeMessage, text: str) -> SummaryLine:
    return SummaryLine(said.seq, said.voice, day_of(said.at_ms), text)


def blocks_of(seen: Survey, lines: Sequence[SummaryLine]) -> tuple[Condensed, ...]:
    """Every range that is condensed, in pieces of about `BLOCK_MESSAGES`, with the lines taken from it."""
    by_seq: dict[int, list[SummaryLine]] = {}
    for line in lines:
        by_seq.setdefault(line.seq, []).append(line)
    blocks: list[Condensed] = []
    seqs = sorted(seen.source_tokens)
    at = 0
    for first, last in seen.ranges:
        inside: list[int] = []
        while at < len(seqs) and seqs[at] <= last:
            inside.append(seqs[at])
            at += 1
        for start in range(0, len(inside), BLOCK_MESSAGES):
            piece = inside[start : start + BLOCK_MESSAGES]
            after = inside[start + BLOCK_MESSAGES] - 1 if start + BLOCK_MESSAGES < len(inside) else last
            tokens = sum(seen.source_tokens[seq] for seq in piece)
            taken = tuple(line for seq in piece for line in by_seq.get(seq, ()))
            blocks.append(Condensed(piece[0] if start else first, after, tokens, taken))
    return tuple(blocks)


def finished(
    analysis: Analysis,
    condensed: tuple[Condensed, ...],
    candidates: tuple[DurableCandidate, ...],
    planner: Planner = Planner.EXTRACTIVE,
    rejections: tuple[str, ...] = (),
) -> SessionCompactionPlan:
    """The plan, with what it loses and what it saves."""
    coverage = Coverage(line.text for block in condensed for line in block.lines)
    for text in (*(said.text for said in analysis.survey.verbatim), *texts_of(candidates)):
        coverage.add(text)
    probes = [weighed.probe for weighed in analysis.probes]
    summary = estimate_tokens(render_compaction_prompt_block(CompactionArtifact(condensed)))
    return SessionCompactionPlan(
        kept=analysis.survey.kept,
        condensed=condensed,
        dropped=analysis.survey.dropped,
        superseded=analysis.superseded,
        candidates=candidates,
        probes=tuple(probes[:MAX_PROBES]),
        loss=loss_report(probes, coverage),
        tokens_before=analysis.tokens_before,
        tokens_after=summary + sum(said.tokens for said in analysis.survey.verbatim),
        planner=planner,
        rejections=rejections,
    )
