"""Operations on compactions, checkpoints and branches: the rows. What they do: `handlers/continuity.py`."""

from palyra.api.operation import Operation
from palyra.domain.access import Access, Capability
from palyra.wire import chat
from palyra.wire import continuity as wire

_READ, _WRITE = Capability.READ, Capability.WRITE

preview = Operation(
    "compaction.preview", "POST", "/v1/chat/sessions/{session}/compactions/preview", wire.PreviewCompaction,
    wire.CompactionPreview, _READ, Access.READ, "What condensing a conversation would do, and what would be lost.",
)  # fmt: skip
apply = Operation(
    "compaction.apply", "POST", "/v1/chat/sessions/{session}/compactions", wire.ApplyCompaction, wire.CompactionInfo,
    _WRITE, Access.OWN, "Condense a conversation; the tape stays whole.",
)  # fmt: skip
list_ = Operation(
    "compaction.list", "GET", "/v1/chat/sessions/{session}/compactions", wire.ListCompactions, wire.CompactionList,
    _READ, Access.READ, "What was condensed of a conversation, newest first.",
)  # fmt: skip
expand = Operation(
    "compaction.expand", "GET", "/v1/chat/sessions/{session}/originals", wire.ExpandCompaction, wire.ExpandedEntries,
    _READ, Access.READ, "What was said where a summary stands now.",
)  # fmt: skip
create = Operation(
    "checkpoint.create", "POST", "/v1/chat/sessions/{session}/checkpoints", wire.CreateCheckpoint,
    wire.CheckpointInfo, _WRITE, Access.OWN, "A point of a conversation and its documents to come back to.",
)  # fmt: skip
checkpoints = Operation(
    "checkpoint.list", "GET", "/v1/chat/checkpoints", wire.ListCheckpoints, wire.CheckpointPage, _READ, Access.READ,
    "Checkpoints of a conversation, or of all in sight, newest first.",
)  # fmt: skip
get = Operation(
    "checkpoint.get", "GET", "/v1/chat/checkpoints/{checkpoint}", wire.NameCheckpoint, wire.CheckpointInfo, _READ,
    Access.READ, "One checkpoint.",
)  # fmt: skip
compare = Operation(
    "checkpoint.compare", "POST", "/v1/chat/checkpoints/{checkpoint}/compare", wire.CompareCheckpoints,
    wire.Comparison, _READ, Access.OWN, "What differs between two checkpoints, or between one and now.",
)  # fmt: skip
restore = Operation(
    "checkpoint.restore", "POST", "/v1/chat/checkpoints/{checkpoint}/restore", wire.RestoreCheckpoint,
    wire.RestoredCheckpoint, _WRITE, Access.OWN, "Go back to a checkpoint: in a branch, or with the documents alone.",
)  # fmt: skip
merge = Operation(
    "checkpoint.merge", "POST", "/v1/chat/sessions/{session}/merge", wire.MergeBranch, wire.MergedBranch, _WRITE,
    Access.OWN, "Bring a branch's documents back to where they were taken from.",
)  # fmt: skip
tree = Operation(
    "checkpoint.tree", "GET", "/v1/chat/sessions/{session}/tree", chat.NameSession, wire.SessionTree, _READ,
    Access.READ, "The conversations that come from one another, with their checkpoints.",
)  # fmt: skip

OPERATIONS = (preview, apply, list_, expand, create, checkpoints, get, compare, restore, merge, tree)
