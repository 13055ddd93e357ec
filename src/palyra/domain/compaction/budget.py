"""How many tokens a summary may cost, and what goes when it costs more."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from palyra.core.tokens import estimate_tokens
from palyra.domain.compaction.analysis import Analysis
from palyra.domain.compaction.plan import CompactionArtifact, CompactionLimits, Condensed, SummaryLine
from palyra.domain.compaction.probes import probes_of
from palyra.domain.compaction.reading import read
from palyra.domain.compaction.render import render_compaction_prompt_block
from palyra.domain.compaction.tape import TapeMessage
from palyra.domain.memory import Trust

_TRIMS = 12
"""rounds of leaving out; more are never needed unless a text defies every estimate"""


@dataclass(frozen=True, slots=True)
class Budget:
    tokens: int
    """of the whole summary"""
    fresh_tokens: int
    """of what is new in it"""


def budget_of(analysis: Analysis, limits: CompactionLimits) -> Budget:
    """Of a summary that is full, what is new gets the part that it is of the whole."""
    tokens = min(limits.max_summary_tokens, analysis.source_tokens * limits.share_bps // 10_000)
    return Budget(tokens, tokens * analysis.fresh_tokens // max(1, analysis.source_tokens))


def earlier_within(analysis: Analysis, budget: Budget) -> tuple[Condensed, ...]:
    """The blocks of the earlier compaction; their least lines go if they leave too little for what is new."""
    blocks = analysis.earlier.condensed
    lines = [line for block in blocks for line in block.lines]
    if estimate_tokens(render_compaction_prompt_block(analysis.earlier)) > budget.tokens - budget.fresh_tokens:
        lines.sort(key=_worth)
    return fitting(blocks, lines, budget.tokens - budget.fresh_tokens)


def _worth(line: SummaryLine) -> float:
    """What a line tells for a token, as a planner sees it."""
    said = TapeMessage(line.seq, line.seq, "", _ANCHOR_MS, line.voice, Trust.OWNER, line.text, 0, False)
    weights = (weight for reading in read(said) for weight, _ in probes_of(reading, Counter()))
    return sum(weights) / estimate_tokens(line.text)


_ANCHOR_MS = 946_684_800_000
"""any moment: that a text names a day counts here, not which"""


def in_order(blocks: Iterable[Condensed]) -> tuple[Condensed, ...]:
    return tuple(sorted(blocks, key=lambda block: block.first_seq))


def fitting(
    blocks: tuple[Condensed, ...], least_first: Sequence[SummaryLine], budget_tokens: int
) -> tuple[Condensed, ...]:
    """The blocks without as many of their least lines as it takes to keep to the budget."""
    artifact = CompactionArtifact(blocks)
    given = iter(least_first)
    for _ in range(_TRIMS):
        over = estimate_tokens(render_compaction_prompt_block(artifact)) - budget_tokens
        if over <= 0:
            return artifact.condensed
        artifact = _without(artifact, _worth_tokens(given, over))
    return artifact.keeping(lambda _line: False).condensed


def _worth_tokens(lines: Iterator[SummaryLine], tokens: int) -> frozenset[SummaryLine]:
    """The next lines that together cost about as many tokens."""
    taken: list[SummaryLine] = []
    for line in lines:
        taken.append(line)
        tokens -= estimate_tokens(line.text)
        if tokens <= 0:
            break
    return frozenset(taken)


def _without(artifact: CompactionArtifact, gone: frozenset[SummaryLine]) -> CompactionArtifact:
    return artifact.keeping(lambda line: line not in gone)
