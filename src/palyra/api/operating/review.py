"""Operations on the one queue of what waits for a person: the rows. What they do is in `handlers/review.py`."""

from palyra.api.operation import Operation
from palyra.domain.access import Access, Capability
from palyra.wire import learning as wire

_REVIEW = Capability.REVIEW

list_ = Operation(
    "review.list", "GET", "/v1/review", wire.ListProposals, wire.ProposalPage, _REVIEW, Access.READ,
    "What waits for a decision, held or learned, in the order it came; or what was decided.",
)  # fmt: skip
get = Operation(
    "review.get", "GET", "/v1/review/{proposal_id}", wire.GetProposal, wire.QueuedProposal, _REVIEW, Access.READ,
    "One of them.",
)  # fmt: skip
rule = Operation(
    "review.decide", "POST", "/v1/review/decisions", wire.RuleOnProposals, wire.RuledProposals, _REVIEW, Access.OWN,
    "Approve, reject or take back: one, many, or all that a filter means. Each by itself.",
)  # fmt: skip

OPERATIONS = (list_, get, rule)
