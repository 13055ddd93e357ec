"""Which compaction stands for the beginning of a conversation, if any.

It counts only while all its range is part of the conversation: a reset, an undo or a branch from before its end takes
it out, and the one before it may count again. What it stands for is on the tape all along.
"""

from dataclasses import dataclass
from typing import Any

from palyra.domain.chat.session import Run, Session
from palyra.domain.compaction.plan import CompactionArtifact
from palyra.domain.compaction.plan_json import artifact_from_json
from palyra.domain.compaction.render import render_compaction_prompt_block
from palyra.store.connection import ReadTx
from palyra.store.continuity.records import Compaction, compactions_in, count_runs


@dataclass(frozen=True, slots=True)
class CondensedPart:
    """What a prompt is given in place of the runs that `covers` says it stands for."""

    text: str
    from_seq: int
    to_seq: int
    kept_runs: frozenset[str]
    untrusted: bool
    """somebody but the owner had a say in what was condensed"""

    def covers(self, run: Run) -> bool:
        return self.from_seq <= run.seq <= self.to_seq and run.run_id not in self.kept_runs


def standing_compaction(tx: ReadTx, session: Session) -> Compaction | None:
    for compaction in compactions_in(tx, session):
        runs = count_runs(tx, session, compaction.from_seq, compaction.to_seq)
        if runs == compaction.artifact.get("runs"):
            return compaction
    return None


def condensed_part(tx: ReadTx, session: Session) -> CondensedPart | None:
    compaction = standing_compaction(tx, session)
    return None if compaction is None else part_of(compaction)


def part_of(compaction: Compaction) -> CondensedPart:
    body: dict[str, Any] = compaction.artifact
    return CondensedPart(
        render_compaction_prompt_block(artifact_of(compaction)),
        compaction.from_seq,
        compaction.to_seq,
        frozenset(body["kept_runs"]),
        bool(body["untrusted"]),
    )


def artifact_of(compaction: Compaction) -> CompactionArtifact:
    plan = compaction.artifact["plan"]
    return artifact_from_json({name: plan[name] for name in ("condensed", "strategy")})
