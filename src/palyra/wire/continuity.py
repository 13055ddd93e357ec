"""Compactions, checkpoints and branches on the wire."""

from palyra.wire.base import Response
from palyra.wire.chat import InChat, NameSession, SessionInfo, TapeEntry

# -- compactions


class PreviewCompaction(NameSession, kw_only=True):
    pass


class ApplyCompaction(NameSession, kw_only=True):
    plan_id: str | None = None
    """of a preview: that very plan is applied, or nothing; none: a plan is made now"""
    force: bool = False
    """also if a statement about health, safety, an obligation, a date or money is then nowhere but on the tape"""
    request_id: str | None = None


class ListCompactions(NameSession, kw_only=True):
    pass


class ExpandCompaction(NameSession, kw_only=True):
    from_seq: int | None = None
    """of the tape; none: where the condensed part begins"""
    to_seq: int | None = None
    after_seq: int = 0
    limit: int = 500


class DurableCandidateInfo(Response, kw_only=True):
    text: str
    kind: str
    disposition: str
    target: str
    """the document it belongs to"""
    confidence: float
    reason: str
    seqs: list[int]
    """where on the tape it is said"""


class LostFact(Response, kw_only=True):
    seq: int
    kind: str
    """health, safety, obligation, money or date: what must not get lost; else what kind of statement it is"""
    text: str


class UnseenTurnInfo(Response, kw_only=True):
    """A turn that is not wholly in sight any more, by its first words."""

    seq: int
    text: str
    partly: bool
    """something else of it is in sight"""
    why: str


class LossInfo(Response, kw_only=True):
    """Where the statements of the condensed part are from now on, and which turns are not wholly in sight."""

    facts: int
    """statements that hold"""
    present: int
    """in the summary, in memory or in a document"""
    lost: list[LostFact]
    """the others; of a compaction that was applied the first 64"""
    in_summary: int
    in_memory: int
    """and not in the summary"""
    in_document: int
    """and in neither"""
    turns: int
    turns_in_sight: int
    unseen: list[UnseenTurnInfo]
    """the other turns, every one; of a compaction that was applied the first 256"""


class CompactionPlanInfo(Response, kw_only=True):
    session_id: str
    strategy: str
    planner: str
    from_seq: int
    to_seq: int
    messages: int
    """that would be condensed now"""
    tokens_before: int
    tokens_after: int
    summary: str
    candidates: list[DurableCandidateInfo]
    dropped: int
    """results of tools that say nothing new"""
    loss: LossInfo
    notices: list[str]


class CompactionPreview(CompactionPlanInfo, kw_only=True):
    plan_id: str
    """`compaction.apply` with it does what is shown here, while the conversation and the documents stay as they are"""


class Refusal(Response, kw_only=True):
    path: str
    why: str


class CompactionInfo(CompactionPlanInfo, kw_only=True):
    compaction_id: str
    at_ms: int
    checkpoint_id: str | None
    in_force: bool
    """it stands for its range in the next prompt"""
    documents: list[str]
    """that were written"""
    refused: list[Refusal]
    """documents that were left alone"""
    stored: list[str]
    """memories"""
    held: list[str]
    """candidates that wait for a person"""


class CompactionList(Response, kw_only=True):
    compactions: list[CompactionInfo]
    """newest first"""


class ExpandedEntries(Response, kw_only=True):
    compaction_id: str | None
    entries: list[TapeEntry]
    next_after_seq: int | None


# -- checkpoints


class CreateCheckpoint(NameSession, kw_only=True):
    name: str = ""
    note: str = ""
    tags: tuple[str, ...] = ()
    request_id: str | None = None


class ListCheckpoints(InChat, kw_only=True):
    session: str | None = None
    """none: of all in sight"""
    before_seq: int = 0
    limit: int = 50


class NameCheckpoint(InChat, kw_only=True):
    checkpoint: str
    """its id, or the name of the newest that has it"""


class CompareCheckpoints(NameCheckpoint, kw_only=True):
    other: str | None = None
    """none: how things stand now"""


class RestoreCheckpoint(NameCheckpoint, kw_only=True):
    in_place: bool = False
    """documents where they are, and no branch"""
    key: str | None = None
    title: str = ""
    request_id: str | None = None


class MergeBranch(NameSession, kw_only=True):
    mine: tuple[str, ...] = ()
    """documents that stay as they are where the branch came from"""
    theirs: tuple[str, ...] = ()
    """documents that become as the branch has them"""
    request_id: str | None = None


class MarkedDocument(Response, kw_only=True):
    path: str
    revision: int
    sha256: str


class CheckpointInfo(Response, kw_only=True):
    checkpoint_id: str
    seq: int
    """of the journal"""
    session_id: str
    line: str
    """empty: the main documents; else the branch they are of"""
    tape_seq: int
    documents: list[MarkedDocument]
    compactions: list[str]
    name: str
    note: str
    tags: list[str]
    at_ms: int


class CheckpointPage(Response, kw_only=True):
    checkpoints: list[CheckpointInfo]
    """newest first"""
    next_before_seq: int | None


class RunGlance(Response, kw_only=True):
    run_id: str
    asked: str


class DocumentDifference(Response, kw_only=True):
    path: str
    change: str
    """added, removed or changed"""
    diff: str
    missing: list[str]
    """first, second: where its text was erased"""


class MemoryDifference(Response, kw_only=True):
    memory_id: str
    change: str
    """stored, updated, superseded or deleted"""
    text: str
    seq: int


class Comparison(Response, kw_only=True):
    shared_runs: int
    only_first: list[RunGlance]
    only_first_count: int
    only_second: list[RunGlance]
    only_second_count: int
    documents: list[DocumentDifference]
    memories: list[MemoryDifference]


class RestoredCheckpoint(Response, kw_only=True):
    checkpoint_id: str
    session: SessionInfo | None
    """the branch; null: in place"""
    written: list[MarkedDocument]
    unchanged: list[str]
    missing: list[str]
    """documents whose text was erased since"""
    refused: list[Refusal]
    newer: list[str]
    """documents that were not there then; they stay"""


class LineConflict(Response, kw_only=True):
    line: int
    ours: str
    theirs: str
    block_id: str | None
    item_id: str | None


class PathConflict(Response, kw_only=True):
    path: str
    what: str
    lines: list[LineConflict]


class MergedBranch(Response, kw_only=True):
    written: list[MarkedDocument]
    deleted: list[str]
    conflicts: list[PathConflict]
    """while there are any, nothing was written"""


class TreeNode(Response, kw_only=True):
    session: SessionInfo
    depth: int
    from_checkpoint: str | None
    checkpoints: list[CheckpointInfo]
    """oldest first"""


class SessionTree(Response, kw_only=True):
    nodes: list[TreeNode]
    """parents before their branches"""
