"""Operations on the journal: the rows. What they do is in `handlers/journal.py`."""

from palyra.api.operation import Operation, StreamOperation
from palyra.domain.access import Access, Capability
from palyra.wire import journal as wire

_OPERATE, _OWN_FILES = Capability.OPERATE, Capability.OWN

append = Operation(
    "journal.append", "POST", "/v1/journal/events", wire.AppendEvent, wire.Appended, _OPERATE, Access.OWN,
    "Append an event of your own kind.", makes_store=True,
)  # fmt: skip
list_ = Operation(
    "journal.list", "GET", "/v1/journal/events", wire.ListEvents, wire.EventPage, _OPERATE, Access.READ,
    "List events, page by page.", of_everyone=True,
)  # fmt: skip
get = Operation(
    "journal.get", "GET", "/v1/journal/events/{reference}", wire.GetEvent, wire.Event, _OPERATE, Access.READ,
    "One event, by its id or its place in the chain.", of_everyone=True,
)  # fmt: skip
tail = StreamOperation(
    "journal.tail", "GET", "/v1/journal/tail", wire.TailEvents, wire.Event, _OPERATE, Access.READ,
    "Events from a place on, and with `follow` those still to come.", of_everyone=True,
)  # fmt: skip
status = Operation(
    "journal.status", "GET", "/v1/journal/status", wire.GetStatus, wire.JournalStatus, _OPERATE, Access.OWN_OR_READ,
    "Size, root and how fast writes are.",
)  # fmt: skip
verify_ = Operation(
    "journal.verify", "POST", "/v1/journal/verify", wire.VerifyJournal, wire.Verified, _OPERATE, Access.READ,
    "Check the whole chain, its checkpoints and its projections.",
)  # fmt: skip
prove = Operation(
    "journal.prove", "GET", "/v1/journal/proof", wire.Prove, wire.Proof, _OPERATE, Access.READ,
    "Prove that an event is in the journal, or that nothing before a size was changed.", of_everyone=True,
)  # fmt: skip
checkpoint = Operation(
    "journal.checkpoint", "POST", "/v1/journal/checkpoints", wire.MakeCheckpoint, wire.CheckpointMade, _OPERATE,
    Access.OWN, "Sign the journal as it is now.",
)  # fmt: skip
export = Operation(
    "journal.export", "POST", "/v1/journal/export", wire.ExportJournal, wire.Exported, _OWN_FILES, Access.OWN_OR_READ,
    "Write a bundle that a stranger can verify, to a path on the daemon's machine.",
)  # fmt: skip
bundle = StreamOperation(
    "journal.bundle", "GET", "/v1/journal/bundle", wire.StreamBundle, wire.BundleLine, _OPERATE, Access.OWN_OR_READ,
    "The same bundle line by line: append each to its file, and a stranger can verify them.", of_everyone=True,
)  # fmt: skip
rebuild_ = Operation(
    "journal.rebuild", "POST", "/v1/journal/rebuild", wire.RebuildProjections, wire.Rebuilt, _OPERATE, Access.OWN,
    "Drop every projection and replay the journal.",
)  # fmt: skip
erase_ = Operation(
    "journal.erase", "POST", "/v1/journal/erase", wire.EraseEvents, wire.Erasures, Capability.OPERATE, Access.OWN,
    "Destroy the payloads of events; the chain stays whole.", of_everyone=True,
)  # fmt: skip

OPERATIONS = (append, list_, get, tail, status, verify_, prove, checkpoint, export, bundle, rebuild_, erase_)
