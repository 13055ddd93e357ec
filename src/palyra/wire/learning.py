"""Learning on the wire. Candidates are text that nobody has reviewed: only who may review is shown them."""

import msgspec

from palyra.wire.base import Request, Response
from palyra.wire.memory import Item


class InReview(Request, kw_only=True):
    """Where the caller stands. An actor that is no person is refused, whatever the credential allows."""

    principal: str | None = None
    channel: str | None = None
    actor: str | None = None


# -- looking


class ListLearned(InReview, kw_only=True):
    states: tuple[str, ...] = ("waiting",)
    """names of states, waiting (needs_review and conflicted) or all"""
    kinds: tuple[str, ...] = ()
    snoozed: bool = False
    """also those that were put off"""
    with_evidence: bool = False
    after_seq: int = 0
    limit: int = 50


class NameLearned(InReview, kw_only=True):
    candidate_id: str


class GetLearned(NameLearned, kw_only=True):
    """`candidate_id` may be its beginning, of at least six characters."""


class EvidenceQuote(Response, kw_only=True):
    """Empty words: erased since, or out of sight."""

    seq: int
    event_id: str
    session_id: str
    run_id: str
    at_ms: int
    words: str
    message: str
    """all that was said there, cut if it is long"""


class LearnedCandidate(Response, kw_only=True):
    candidate_id: str
    seq: int
    principal: str
    channel: str | None
    run_id: str
    session_id: str
    kind: str
    text: str
    confidence: float
    basis: list[str]
    """what the confidence rests on"""
    trust: str
    risks: list[str]
    sensitivity: str
    sensitive: list[str]
    about: str
    """of a preference: a later one about the same takes its place"""
    title: str
    steps: list[str]
    extractor: str
    state: str
    because: list[str]
    """why it was not written at once"""
    similar: list[str]
    conflicts: list[str]
    proposed_at_ms: int
    updated_at_ms: int
    snoozed_until_ms: int | None
    memory_id: str | None
    """what it became"""
    document: str
    evidence: list[EvidenceQuote]
    """only if asked for"""


class LearnedPage(Response, kw_only=True):
    candidates: list[LearnedCandidate]
    next_after_seq: int | None
    counts: dict[str, int]
    """by state, of all in sight"""
    snoozed: int
    """of those that wait, put off"""
    queued_runs: int
    """that nobody has read yet"""
    held_texts: int
    """that wait elsewhere: memory.candidates"""


class LearnedStep(Response, kw_only=True):
    seq: int
    state: str
    at_ms: int
    actor: str
    reason: str
    text: str
    """as it was reworded; empty: as it was"""


class LearnedDetail(Response, kw_only=True):
    candidate: LearnedCandidate
    similar: list[Item]
    conflicts: list[Item]
    history: list[LearnedStep]


class ListPreferences(Request, kw_only=True):
    principal: str | None = None
    channel: str | None = None


class PreferenceInForce(Response, kw_only=True):
    candidate_id: str
    memory_id: str
    about: str
    text: str
    since_ms: int


class Preferences(Response, kw_only=True):
    preferences: list[PreferenceInForce]


# -- deciding


class DecideLearned(NameLearned, kw_only=True):
    decision: str
    """approve, edit (approve in these words), reject, or reopen"""
    text: str | None = None
    reason: str = ""
    request_id: str | None = None


class DecideManyLearned(InReview, kw_only=True):
    candidate_ids: list[str]
    decision: str
    """approve, reject or reopen"""
    reason: str = ""


class WhyNot(Response, kw_only=True):
    code: str
    message: str
    hint: str


class DecidedOne(Response, kw_only=True):
    candidate_id: str
    candidate: LearnedCandidate | None
    error: WhyNot | None


class DecidedMany(Response, kw_only=True):
    outcomes: list[DecidedOne]
    decided: int


class SnoozeLearned(NameLearned, kw_only=True):
    for_ms: int
    """from now on; 0: in sight again at once"""


class RollBackLearned(NameLearned, kw_only=True):
    reason: str = ""
    request_id: str | None = None


class QuarantineLearned(NameLearned, kw_only=True):
    reason: str = ""


class ShownIn(Response, kw_only=True):
    """A run whose prompt held it."""

    run_id: str
    session_id: str
    seq: int
    at_ms: int


class LearnedRadius(Response, kw_only=True):
    candidate: LearnedCandidate
    memories: list[Item]
    """that hold what it says"""
    replaced: list[Item]
    documents: list[str]
    runs: list[ShownIn]
    candidates: list[LearnedCandidate]
    """others that rest on the same words, or came of it"""


class KeptDocument(Response, kw_only=True):
    path: str
    why: str


class LearnedQuarantined(Response, kw_only=True):
    radius: LearnedRadius
    """as it was before"""
    forgotten: list[str]
    reinstated: list[str]
    documents: list[str]
    refused: list[KeptDocument]
    """documents that still hold it"""


class ReflectNow(InReview, kw_only=True):
    limit: int = 32
    """runs at once"""


class ReflectedNow(Response, kw_only=True):
    runs: int
    proposed: int
    applied: int
    queued_runs: int
    """that are left"""


# -- the one queue, of what was held and what was learned


class WantedProposals(InReview, kw_only=True):
    """Which are meant; what is left out leaves out nothing."""

    state: str = ""
    """waiting, approved, rejected or all"""
    kind: str = ""
    """durable_fact, preference, procedure, constraint, decision, ..."""
    source: str = ""
    """how it came in, such as import or tape:tool_result, or whose word it is: owner, agent, tool, web"""
    subject: str = ""
    """a name or word that stands in it"""
    reason: str = ""
    """why it waits: a code of `because`"""
    batch: str = ""
    """decided together"""
    snoozed: bool = False
    """also those that were put off"""


class ListProposals(WantedProposals, kw_only=True):
    after_seq: int = 0
    limit: int = 100


class GetProposal(InReview, kw_only=True):
    proposal_id: str


class QueuedProposal(Response, kw_only=True):
    proposal_id: str
    seq: int
    queue: str
    """held on the way into memory, or learned: proposed by a model"""
    kind: str
    text: str
    state: str
    confidence: float
    trust: str
    source: str
    because: list[str]
    why: str
    """the same in plain words"""
    risks: list[str]
    provenance: list[str]
    """events it was said in"""
    at_ms: int
    memory_id: str | None
    """what it became"""
    document: str
    batch: str
    snoozed_until_ms: int | None


class ProposalPage(Response, kw_only=True):
    proposals: list[QueuedProposal]
    next_after_seq: int | None
    total: int
    """of all that is meant, whatever the page"""
    snoozed: int
    """left out: put off"""


class RuleOnProposals(Request, kw_only=True):
    """About `ids`, or about all that `wanted` means."""

    decision: str
    """approve, reject, or undo: they wait again, and what they became is forgotten"""
    ids: list[str] = msgspec.field(default_factory=list)
    wanted: WantedProposals | None = None
    text: str | None = None
    """for one: approved in these words"""
    reason: str = ""
    request_id: str | None = None
    principal: str | None = None
    channel: str | None = None
    actor: str | None = None


class RefusedProposal(Response, kw_only=True):
    proposal_id: str
    error: WhyNot


class RuledProposals(Response, kw_only=True):
    proposals: list[QueuedProposal]
    """as they are now"""
    decided: int
    refused: list[RefusedProposal]
    batch: str
    """by which these decisions can be taken back together"""
