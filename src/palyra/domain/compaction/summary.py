"""The planner: which statements stand for a conversation from now on, in whose words, and in what order.

Statements come from the one reader; here they are only chosen. What must not get lost goes first, then what is surest
for a token, until the budget is used. All is pure: the same tape, statements and earlier artifact give the same plan.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from palyra.core.tokens import estimate_tokens
from palyra.domain.chat.transcript import auto_title
from palyra.domain.classify import risks_in
from palyra.domain.compaction.candidates import candidates_of
from palyra.domain.compaction.disposition import is_private
from palyra.domain.compaction.loss import Documents, Telling, losses
from palyra.domain.compaction.plan import (
    CandidateKind,
    CompactionArtifact,
    CompactionLimits,
    Condensed,
    Planner,
    SessionCompactionPlan,
    SummaryLine,
    SummaryPart,
    Voice,
    day_of,
)
from palyra.domain.compaction.render import render_compaction_prompt_block
from palyra.domain.compaction.stated import ByMessage, State, Stated
from palyra.domain.compaction.tape import RunTape, Survey, TapeMessage, survey
from palyra.domain.memory import Trust
from palyra.language.names.naming import names
from palyra.language.wording import fingerprint
from palyra.language.wording.weighty import Gravity, is_task, noted, weight_of

BLOCK_MESSAGES = 120
"""a block stands for about as many: a link that leads to everything leads nowhere"""
SHORT_TOKENS, _SHORT_SHARE_BPS = 200, 5_000
"""of a short conversation a summary may be the larger part"""
LINE_TOKENS = 2
"""about what its place in the summary costs a line"""
_LEFT_BPS = 500
"""a piece that was left stands in a summary from here on, if it must not get lost"""
_DELIVERED_TOKENS = 24
"""an answer that says less has delivered nothing"""
_GRAVE_MORE = 1.25
"""how much more a statement counts that must not get lost"""
_ORDER = (SummaryPart.SAID, SummaryPart.DECIDED, SummaryPart.OPEN, SummaryPart.DELIVERED)
DEFAULT_LIMITS = CompactionLimits()


@dataclass(frozen=True, slots=True)
class Ground:
    """What every planner begins with."""

    survey: Survey
    stated: ByMessage
    earlier: CompactionArtifact
    """without what was erased, or does not hold any more"""
    tokens_before: int
    pool: tuple["Pick", ...]
    """what may stand in the summary, the best first"""
    limits: CompactionLimits

    @property
    def fresh_tokens(self) -> int:
        return sum(self.survey.source_tokens.values())

    @property
    def budget_tokens(self) -> int:
        """Of what is new in the summary."""
        statements = sum(pick.stands for pick in self.pool)
        asked = statements * self.limits.statement_tokens
        most = self.fresh_tokens * self.limits.share_bps // 10_000
        least = min(SHORT_TOKENS, self.fresh_tokens * _SHORT_SHARE_BPS // 10_000)
        return min(max(least, min(asked, most)), self.limits.max_summary_tokens)


@dataclass(frozen=True, slots=True)
class Pick:
    """A line that a summary may have."""

    line: SummaryLine
    tokens: int
    worth: float
    stands: bool
    only_here: bool
    """no other place has it"""


def plan(
    runs: Sequence[RunTape],
    stated: ByMessage,
    earlier: CompactionArtifact | None = None,
    gone: Collection[str] = (),
    documents: Documents = (),
    limits: CompactionLimits = DEFAULT_LIMITS,
) -> SessionCompactionPlan:
    """`runs` are the conversation as prompts show it: all of it, or what came after `earlier`. `gone`: memories that do
    not hold any more."""
    ground = ground_of(runs, stated, earlier, gone, limits)
    return finished(ground, chosen(ground), documents)


def ground_of(
    runs: Sequence[RunTape],
    stated: ByMessage,
    earlier: CompactionArtifact | None,
    gone: Collection[str],
    limits: CompactionLimits,
) -> Ground:
    seen = survey(runs, earlier, limits)
    before = earlier or CompactionArtifact(())
    left = before.without(seen.erased).keeping(lambda line: line.memory_id not in gone or not line.memory_id)
    told = {(line.memory_id or fingerprint(line.text)) for block in left.condensed for line in block.lines}
    pool = [pick for said in seen.condensing for one in stated.get(said.seq, ()) if (pick := _pick(said, one))]
    fresh: dict[str, Pick] = {}
    for pick in pool:  # said twice it is one statement, and the later words count
        key = pick.line.memory_id or fingerprint(pick.line.text)
        if key not in told:
            fresh.pop(key, None)
            fresh[key] = pick
    tokens = estimate_tokens(render_compaction_prompt_block(before)) + seen.tokens
    return Ground(seen, stated, left, tokens, tuple(sorted(fresh.values(), key=_rank)), limits)


def _rank(pick: Pick) -> tuple[bool, float]:
    """What must not get lost and stands nowhere else, and what may cost a life, first; then the surest for a token."""
    weight = Gravity(pick.line.weight)
    is_first = weight in (Gravity.HEALTH, Gravity.SAFETY) or (
        pick.only_here and pick.stands and weight is not Gravity.PLAIN
    )
    return not is_first, -pick.worth * (_GRAVE_MORE if weight else 1.0)


def _pick(said: TapeMessage, one: Stated) -> Pick | None:
    weight = weight_of(one.text, said.at_ms)
    if not one.stands and not (one.state is State.LEFT and weight and one.sure_bps >= _LEFT_BPS and _may_matter(one)):
        return None
    if is_private(one.text) or (one.trust > Trust.OWNER and risks_in(one.text)):
        return None
    section = SummaryPart.DECIDED if one.kind is CandidateKind.DECISION else SummaryPart.SAID
    section = SummaryPart.OPEN if is_task(one.text) else section
    text = noted(one.text)
    line = SummaryLine(said.seq, said.voice, day_of(said.at_ms), text, section, "", one.memory_id, weight.value)
    tokens = estimate_tokens(text) + LINE_TOKENS
    return Pick(line, tokens, one.sure_bps / tokens**0.5, one.stands, one.state is not State.HOLDS)


_NO_MATTER = frozenset({"question", "greeting", "wrapping", "pasted", "others", "taken_back"})


def _may_matter(left: Stated) -> bool:
    """Whether a piece that was left may say something that somebody will miss."""
    return _NO_MATTER.isdisjoint(left.because)


def chosen(ground: Ground, taken: Sequence[SummaryLine] = ()) -> list[SummaryLine]:
    """Lines for the new part, besides those that are `taken`. What must not get lost and stands nowhere else may cost
    as much as a summary may at all."""
    spent = sum(estimate_tokens(line.text) + LINE_TOKENS for line in taken)
    telling, budget_tokens = Telling(taken), ground.budget_tokens
    found: list[SummaryLine] = []
    for pick in ground.pool:
        must = pick.only_here and pick.stands and pick.line.weight
        room = ground.limits.max_summary_tokens if must else budget_tokens
        if spent + pick.tokens <= room and not (taken and telling.says(pick.line.text)):
            found.append(pick.line)
            spent += pick.tokens
    return found + _delivered(ground.survey.condensing, budget_tokens - spent)


def _delivered(messages: Sequence[TapeMessage], tokens: int) -> list[SummaryLine]:
    """Of the newest answers the first words, as many as there is room for."""
    found: list[SummaryLine] = []
    for said in reversed(messages):
        if tokens < LINE_TOKENS:
            break
        if said.voice is not Voice.ASSISTANT or said.tokens < _DELIVERED_TOKENS:
            continue
        text = auto_title(said.text)
        tokens -= estimate_tokens(text) + LINE_TOKENS
        if text and tokens >= 0 and not is_private(text) and not risks_in(text):
            found.append(SummaryLine(said.seq, said.voice, day_of(said.at_ms), text, SummaryPart.DELIVERED))
    return found


def finished(
    ground: Ground,
    lines: Sequence[SummaryLine],
    documents: Documents = (),
    planner: Planner = Planner.EXTRACTIVE,
    rejections: tuple[str, ...] = (),
) -> SessionCompactionPlan:
    """The plan of these lines, with what it loses and what it saves."""
    blocks = (*ground.earlier.condensed, *_blocks(ground.survey, lines))
    condensed = _within(tuple(sorted(blocks, key=lambda block: block.first_seq)), ground.limits.max_summary_tokens)
    summary = estimate_tokens(render_compaction_prompt_block(CompactionArtifact(condensed)))
    return SessionCompactionPlan(
        kept=ground.survey.kept,
        condensed=condensed,
        dropped=ground.survey.dropped,
        candidates=candidates_of(ground.survey.condensing, ground.stated, ground.limits),
        loss=losses(ground.survey, ground.stated, condensed, documents),
        tokens_before=ground.tokens_before,
        tokens_after=summary + sum(said.tokens for said in ground.survey.verbatim),
        planner=planner,
        rejections=rejections,
    )


def _blocks(seen: Survey, lines: Sequence[SummaryLine]) -> list[Condensed]:
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
            taken = [line for seq in piece for line in by_seq.get(seq, ())]
            blocks.append(Condensed(piece[0] if start else first, after, tokens, tuple(grouped(taken))))
    return blocks


def grouped(lines: Iterable[SummaryLine]) -> list[SummaryLine]:
    """By what they are about, in the order in which that came up; decisions, tasks and what was delivered apart."""
    given = list(lines)
    named = [names(line.text) if line.section is SummaryPart.SAID else [] for line in given]
    often = Counter(name for found in named for name in found)
    told: list[SummaryLine] = []
    first: dict[str, int] = {"": -1}
    for line, found in zip(given, named, strict=True):
        subject = max(found, key=lambda name: often[name], default="")
        told.append(replace(line, subject=subject if often[subject] > 1 else ""))
        first.setdefault(told[-1].subject, len(told))
    return sorted(told, key=lambda line: (_place(line), first[line.subject], line.seq))


def _place(line: SummaryLine) -> int:
    return _ORDER.index(line.section) if line.section in _ORDER else -1


def _within(blocks: tuple[Condensed, ...], most: int) -> tuple[Condensed, ...]:
    """Without as many of the least lines as it takes to keep to the most a summary may cost."""
    artifact = CompactionArtifact(blocks)
    over = estimate_tokens(render_compaction_prompt_block(artifact)) - most
    if over <= 0:
        return blocks
    gone: set[SummaryLine] = set()
    for line in sorted((line for block in blocks for line in block.lines), key=_least):
        gone.add(line)
        over -= estimate_tokens(line.text)
        if over <= 0:
            break
    return artifact.keeping(lambda line: line not in gone).condensed


def _least(line: SummaryLine) -> tuple[bool, bool, bool, int]:
    """What was delivered goes first, then what memory says as well, the oldest first; last what must not get lost."""
    return line.section is not SummaryPart.DELIVERED, not line.memory_id, bool(line.weight), line.seq
