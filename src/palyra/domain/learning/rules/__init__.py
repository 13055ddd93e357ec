"""What can be learned from a run without a model: rules for facts, preferences and procedures, in many languages.

Only the person's own words count, and only those of the last run; runs before it help to understand them. The same
runs always give the same proposals.
"""

from collections.abc import Sequence

from palyra.domain.compaction.plan import Voice
from palyra.domain.learning.proposal import Heard, LearnedKind, Proposal, Utterance
from palyra.domain.learning.rules.message import read_message
from palyra.domain.learning.rules.procedures import spelled_out
from palyra.domain.learning.rules.sequences import repeated
from palyra.domain.memory import Trust

MESSAGES_READ = 64
"""of one run"""


def propose_by_rules(heard: Sequence[Heard], most: int) -> tuple[Proposal, ...]:
    """At most `most` proposals from the last of `heard`, the surest of them, in the order they were said.

    Never raises for any text."""
    if not heard or most <= 0:
        return ()
    found: list[Proposal] = []
    before = _said_before(heard[:-1])
    for utterance in _own(heard[-1]):
        procedures = list(spelled_out(utterance))
        taken = [(span.start, span.end) for proposal in procedures for span in proposal.evidence]
        told = read_message(utterance, taken, before)
        before = next((proposal for proposal in reversed(told) if _is_fact(proposal)), before)
        found += [*procedures, *told]
    if (sequence := repeated(heard)) is not None:
        found.append(sequence)
    return _surest(found, most)


def _own(run: Heard) -> list[Utterance]:
    own = [said for said in run.said if said.voice is Voice.USER and said.trust is Trust.OWNER]
    return own[:MESSAGES_READ]


def _said_before(runs: Sequence[Heard]) -> Proposal | None:
    """The last fact of the run before: "No, it's 6543." corrects that one, if any."""
    if not runs:
        return None
    told = [proposal for said in _own(runs[-1])[-1:] for proposal in read_message(said)]
    return next((proposal for proposal in reversed(told) if _is_fact(proposal)), None)


def _is_fact(proposal: Proposal) -> bool:
    return proposal.kind is LearnedKind.DURABLE_FACT


def _surest(found: list[Proposal], most: int) -> tuple[Proposal, ...]:
    distinct = {(proposal.kind, proposal.text.casefold()): proposal for proposal in reversed(found)}
    ordered = list(reversed(distinct.values()))
    kept = sorted(ordered, key=lambda proposal: -proposal.confidence_bps)[:most]
    return tuple(proposal for proposal in ordered if proposal in kept)
