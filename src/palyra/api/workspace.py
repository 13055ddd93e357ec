"""Operations on workspace documents: the rows. What they do: `handlers/workspace.py`.

Also what only reads owns the journal for a moment: what a person has saved in a file becomes a revision first.
"""

from palyra.api.operation import Operation
from palyra.domain.access import Access, Capability
from palyra.wire import workspace as wire
from palyra.wire.journal import Erasures

_READ, _WRITE = Capability.READ, Capability.WRITE

list_ = Operation(
    "workspace.list", "GET", "/v1/workspace/documents", wire.ListDocuments, wire.Documents, _READ, Access.OWN,
    "The documents, by path, now or at a moment in the past.",
)  # fmt: skip
get = Operation(
    "workspace.get", "GET", "/v1/workspace/document", wire.GetDocument, wire.DocumentText, _READ, Access.OWN,
    "What a document says, or said.",
)  # fmt: skip
write = Operation(
    "workspace.write", "POST", "/v1/workspace/document", wire.WriteDocument, wire.DocumentInfo, _WRITE, Access.OWN,
    "Write a document; refused if it is not what the writer has read.", makes_store=True,
)  # fmt: skip
versions = Operation(
    "workspace.versions", "GET", "/v1/workspace/versions", wire.NameDocument, wire.Versions, _READ, Access.OWN,
    "Every revision of a document, newest first.",
)  # fmt: skip
diff = Operation(
    "workspace.diff", "GET", "/v1/workspace/diff", wire.DiffDocument, wire.DocumentDiff, _READ, Access.OWN,
    "What changed from one revision to another.",
)  # fmt: skip
restore = Operation(
    "workspace.restore", "POST", "/v1/workspace/restore", wire.RestoreDocument, wire.DocumentInfo, _WRITE, Access.OWN,
    "Bring an earlier text back, as a new revision.",
)  # fmt: skip
move = Operation(
    "workspace.move", "POST", "/v1/workspace/move", wire.MoveDocument, wire.DocumentInfo, _WRITE, Access.OWN,
    "Give a document another path.",
)  # fmt: skip
pin = Operation(
    "workspace.pin", "POST", "/v1/workspace/pin", wire.PinDocument, wire.DocumentInfo, _WRITE, Access.OWN,
    "Mark a document as one to keep at hand, or no longer.",
)  # fmt: skip
delete = Operation(
    "workspace.delete", "POST", "/v1/workspace/delete", wire.DeleteDocument, wire.DocumentInfo, Capability.FORGET,
    Access.OWN, "Delete a document; its revisions stay.",
)  # fmt: skip
release = Operation(
    "workspace.release", "POST", "/v1/workspace/release", wire.ReleaseDocument, wire.DocumentInfo, Capability.REVIEW,
    Access.OWN, "Let a quarantined text be used: that very text, and no later one.",
)  # fmt: skip
repair = Operation(
    "workspace.repair", "POST", "/v1/workspace/repair", wire.RepairDocument, wire.DocumentInfo, _WRITE, Access.OWN,
    "Make managed blocks that were changed by hand writable again.",
)  # fmt: skip
search = Operation(
    "workspace.search", "POST", "/v1/workspace/search", wire.SearchDocuments, wire.DocumentHits, _READ, Access.OWN,
    "Find words in the documents, section by section.",
)  # fmt: skip
erase = Operation(
    "workspace.erase", "POST", "/v1/workspace/erase", wire.EraseDocument, Erasures, Capability.ERASE, Access.OWN,
    "Destroy every revision of a document, and its file. The answer is the certificate.",
)  # fmt: skip
status = Operation(
    "workspace.status", "GET", "/v1/workspace/status", wire.GetWorkspace, wire.WorkspaceStatus, _READ, Access.OWN,
    "Whether files and journal are in step, and what is in the way.",
)  # fmt: skip

OPERATIONS = (
    list_,
    get,
    write,
    versions,
    diff,
    restore,
    move,
    pin,
    delete,
    release,
    repair,
    search,
    erase,
    status,
)
