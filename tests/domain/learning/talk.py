"""Runs to learn from, in a line."""

from palyra.core.ids import EventId
from palyra.domain.compaction.plan import Voice
from palyra.domain.learning.proposal import Heard, Proposal, ToolUse, Utterance
from palyra.domain.learning.rules import propose_by_rules
from palyra.domain.memory import Trust

MOST = 24


def said(text: str, seq: int = 1, voice: Voice = Voice.USER, trust: Trust = Trust.OWNER) -> Utterance:
    return Utterance(seq, EventId(f"E{seq}"), voice, text, trust=trust)


def used(name: str, seq: int, arguments: str = "{}", *, succeeded: bool = True) -> ToolUse:
    return ToolUse(seq, EventId(f"E{seq}"), name, arguments, succeeded)


def learned(*texts: str) -> tuple[Proposal, ...]:
    """From one run in which the person said these."""
    return propose_by_rules([Heard("R", tuple(said(text, seq) for seq, text in enumerate(texts, 1)))], MOST)
