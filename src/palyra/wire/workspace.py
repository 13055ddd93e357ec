"""Workspace documents on the wire."""

from palyra.wire.base import Request, Response


class InWorkspace(Request, kw_only=True):
    """Whose documents: they are the principal's, in every channel."""

    principal: str | None = None
    channel: str | None = None
    line: str = ""
    """a branch with documents of its own, by the id of its session; empty: the main ones"""


class NameDocument(InWorkspace, kw_only=True):
    path: str


class ListDocuments(InWorkspace, kw_only=True):
    prefix: str = ""
    deleted: bool = False
    """those that were deleted, too"""
    as_of_seq: int | None = None
    as_of_ms: int | None = None


class GetDocument(NameDocument, kw_only=True):
    revision: int | None = None
    as_of_seq: int | None = None
    as_of_ms: int | None = None


class WriteDocument(NameDocument, kw_only=True):
    text: str
    base_sha256: str | None = None
    """what was read before; refused if it is something else by now. Empty: only if there is no such document"""
    reason: str = ""
    request_id: str | None = None


class DiffDocument(NameDocument, kw_only=True):
    old: int
    new: int | None = None
    """none: as it is now"""


class RestoreDocument(NameDocument, kw_only=True):
    revision: int
    reason: str = ""
    request_id: str | None = None


class MoveDocument(NameDocument, kw_only=True):
    target: str
    request_id: str | None = None


class PinDocument(NameDocument, kw_only=True):
    pinned: bool = True


class DeleteDocument(NameDocument, kw_only=True):
    base_sha256: str | None = None
    reason: str = ""
    request_id: str | None = None


class ReleaseDocument(NameDocument, kw_only=True):
    sha256: str | None = None
    """of the text that was read; refused if it is another by now"""


class RepairDocument(NameDocument, kw_only=True):
    block_id: str | None = None
    """none: every block that was changed by hand"""
    keep: str = "mine"
    """`mine`: what stands there now; `ours`: what Palyra wrote last"""
    request_id: str | None = None


class SearchDocuments(InWorkspace, kw_only=True):
    query: str
    limit: int = 20
    min_score: float = 0.03
    """by meaning alone everything is a little like everything; 0 shows it all"""
    include_score_breakdown: bool = False


class EraseDocument(NameDocument, kw_only=True):
    reason: str = ""


class GetWorkspace(InWorkspace, kw_only=True):
    pass


class RevisionInfo(Response, kw_only=True):
    path: str
    revision: int
    sha256: str
    source: str
    actor: str
    trust: str
    risk: str
    reasons: list[str]
    masked: bool
    """it holds a secret, which is masked here and stands only in the file"""
    deleted: bool
    moved_from: str
    because: str
    reason: str
    at_ms: int
    seq: int
    line: str


class DocumentInfo(RevisionInfo, kw_only=True):
    kind: str
    document_class: str
    binding: str
    pinned: bool
    released: bool
    """a person has let this text out of quarantine"""
    file: str
    """`in_step`, `pending`, or `none`"""
    problem: str


class DocumentText(DocumentInfo, kw_only=True):
    text: str
    edited_blocks: list[str]
    """managed blocks that were changed by hand: nothing is written there until they are repaired"""


class Documents(Response, kw_only=True):
    documents: list[DocumentInfo]


class Versions(Response, kw_only=True):
    revisions: list[RevisionInfo]
    """newest first"""


class DocumentDiff(Response, kw_only=True):
    diff: str


class DocumentHit(Response, kw_only=True):
    path: str
    revision: int
    risk: str
    trust: str
    heading: str
    line_number: int
    snippet: str
    score: float
    breakdown: dict[str, float] | None = None
    """what the score is made of; adds up to it"""


class DocumentHits(Response, kw_only=True):
    hits: list[DocumentHit]
    degraded: list[str]
    """parts that took no part, or not for every section: `vector`, `index`"""


class WorkspaceProblem(Response, kw_only=True):
    path: str
    problem: str


class WorkspaceStatus(Response, kw_only=True):
    folder: str | None
    """None: documents are kept in the journal alone, or whoever asks has no business with this machine's folders"""
    documents: int
    pending: list[str]
    quarantined: list[str]
    problems: list[WorkspaceProblem]
    watched: bool
    """what is saved in the folder is taken in at once; else when somebody looks: a daemon every two seconds"""
    unwatched_because: str
    """empty: it is watched, or this process has not tried"""
