"""Operations on memory: the rows. What they do is in `handlers/memory.py` and `handlers/memory_changes.py`."""

from palyra.api.operation import Operation, StreamOperation
from palyra.domain.access import Access, Capability
from palyra.wire import memory as wire
from palyra.wire.journal import Erasures

_READ, _WRITE, _FORGET = Capability.READ, Capability.WRITE, Capability.FORGET

retain = Operation(
    "memory.retain", "POST", "/v1/memory/items", wire.Retain, wire.Retained, _WRITE, Access.OWN,
    "Remember a text.", makes_store=True,
)  # fmt: skip
retain_many = Operation(
    "memory.retain_many", "POST", "/v1/memory/items/batch", wire.RetainMany, wire.ManyRetained, _WRITE, Access.OWN,
    "Remember many texts, in order; every one is checked before the first is written.", makes_store=True,
)  # fmt: skip
search_ = Operation(
    "memory.search", "POST", "/v1/memory/search", wire.Search, wire.SearchHits, _READ, Access.READ,
    "Find memories, best first.",
)  # fmt: skip
recall = Operation(
    "memory.recall", "POST", "/v1/memory/recall", wire.Recall, wire.Recalled, _READ, Access.OWN_OR_READ,
    "The block of memories to give to an agent, with a receipt.",
)  # fmt: skip
get = Operation(
    "memory.get", "GET", "/v1/memory/items/{memory_id}", wire.GetItem, wire.ItemDetail, _READ, Access.READ,
    "One memory, with what contradicts it.",
)  # fmt: skip
list_ = Operation(
    "memory.list", "GET", "/v1/memory/items", wire.ListItems, wire.ItemPage, _READ, Access.READ,
    "Memories in sight, in the order they were made or the other way round, page by page.",
)  # fmt: skip
update = Operation(
    "memory.update", "PATCH", "/v1/memory/items/{memory_id}", wire.UpdateItem, wire.Updated, _WRITE, Access.OWN,
    "Correct, retag, pin or set to expire; the old text stays answerable as of its time.",
)  # fmt: skip
supersede = Operation(
    "memory.supersede", "POST", "/v1/memory/items/{old_id}/supersede", wire.SupersedeItem, wire.Superseded, _WRITE,
    Access.OWN, "Say that one memory has taken the place of another.",
)  # fmt: skip
about = Operation(
    "memory.about", "GET", "/v1/memory/about", wire.AskAbout, wire.About, _READ, Access.READ,
    "What is remembered about a person, a place or a thing: what holds, what changed when, where it was said.",
)  # fmt: skip
conflicts = Operation(
    "memory.conflicts", "GET", "/v1/memory/conflicts", wire.ListConflicts, wire.ConflictPage, _READ, Access.READ,
    "Pairs that contradict each other and that nobody has settled, the newest first.",
)  # fmt: skip
settle = Operation(
    "memory.settle", "POST", "/v1/memory/conflicts/settle", wire.SettleConflict, wire.Settled, _WRITE, Access.OWN,
    "Say which of two that contradict each other holds, or that both do.",
)  # fmt: skip
history = Operation(
    "memory.history", "GET", "/v1/memory/items/{memory_id}/history", wire.GetItem, wire.ItemHistory, _READ,
    Access.READ, "Who changed what, when and why.",
)  # fmt: skip
delete = Operation(
    "memory.delete", "POST", "/v1/memory/delete", wire.DeleteItems, wire.Deleted, _FORGET, Access.OWN,
    "Take memories out; their history stays.",
)  # fmt: skip
restore = Operation(
    "memory.restore", "POST", "/v1/memory/restore", wire.RestoreItems, wire.Restored, _WRITE, Access.OWN,
    "Make memory again what was taken out.",
)  # fmt: skip
tidy = Operation(
    "memory.tidy", "POST", "/v1/memory/tidy", wire.Tidy, wire.Tidied, _FORGET, Access.OWN,
    "List, take out or bring back messages that were kept whole and out of which nothing would be kept today.",
)  # fmt: skip
purge = Operation(
    "memory.purge", "POST", "/v1/memory/purge", wire.Purge, wire.Deleted, _FORGET, Access.OWN,
    "Delete what is scoped to a channel or session, or all that is in sight.",
)  # fmt: skip
erase = Operation(
    "memory.erase", "POST", "/v1/memory/erase", wire.EraseMemory, Erasures, Capability.ERASE, Access.OWN,
    "Destroy every trace of the texts. The answer is the certificate.",
)  # fmt: skip
status = Operation(
    "memory.status", "GET", "/v1/memory/status", wire.GetMemoryStatus, wire.MemoryStatus, _READ, Access.READ,
    "How much is remembered, and how the index stands.",
)  # fmt: skip
privacy = Operation(
    "memory.privacy", "GET", "/v1/memory/privacy", wire.GetPrivacyReport, wire.PrivacyAnswer, _READ, Access.READ,
    "What is held that is sensitive: how much, of which kind, about whom; none of its words.",
)  # fmt: skip
candidates = Operation(
    "memory.candidates", "GET", "/v1/memory/candidates", wire.ListCandidates, wire.CandidatePage,
    Capability.REVIEW, Access.READ, "What waits for a person's decision.",
)  # fmt: skip
decide = Operation(
    "memory.decide", "POST", "/v1/memory/candidates/{candidate_id}/decision", wire.DecideCandidate, wire.Retained,
    Capability.REVIEW, Access.OWN, "Approve a candidate, as it is or edited, or reject it.",
)  # fmt: skip
reopen = Operation(
    "memory.reopen", "POST", "/v1/memory/candidates/{candidate_id}/reopen", wire.ReopenCandidate, wire.HeldCandidate,
    Capability.REVIEW, Access.OWN, "Take a decision back: the candidate waits again, and what it became is forgotten.",
)  # fmt: skip
index = Operation(
    "memory.index", "POST", "/v1/memory/index", wire.BuildIndex, wire.IndexBuilt, Capability.OPERATE, Access.OWN,
    "Wait until every memory has its vector.",
)  # fmt: skip
maintain = Operation(
    "memory.maintain", "POST", "/v1/memory/maintain", wire.Maintain, wire.Maintenance, Capability.OPERATE, Access.OWN,
    "Expire and evict what retention says, now.",
)  # fmt: skip
import_ = Operation(
    "memory.import", "POST", "/v1/memory/import", wire.ImportMemory, wire.Imported, Capability.OWN, Access.OWN,
    "Take in a JSON Lines file that lies on the daemon's machine.", makes_store=True,
)  # fmt: skip
export = StreamOperation(
    "memory.export", "GET", "/v1/memory/export", wire.ExportMemory, wire.Item, _READ, Access.READ,
    "Every memory in sight.",
)  # fmt: skip

OPERATIONS = (
    retain,
    retain_many,
    search_,
    recall,
    get,
    list_,
    update,
    supersede,
    about,
    conflicts,
    settle,
    history,
    delete,
    restore,
    tidy,
    purge,
    erase,
    status,
    privacy,
    candidates,
    decide,
    reopen,
    index,
    maintain,
    import_,
    export,
)
