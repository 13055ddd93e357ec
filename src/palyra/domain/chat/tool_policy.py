"""What a model may do by itself, what a person has to agree to, and what nobody may: one table, pure.

Text that came from tools, pages or files may try to steer the model that reads it. From the moment such text is in the
prompt of a run, the run is tainted, and stays so: whatever would change memory for good is asked about first.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from palyra.domain.access import Capability
from palyra.domain.chat.session import TapeRecord, TapeType
from palyra.domain.memory import Trust

CALLS_PER_RUN = 64
SAME_CALLS = 3
"""the very same call once more tells the model nothing new"""


class Effect(StrEnum):
    """What calling a tool does. Every tool has exactly one."""

    READ_MEMORY = "read_memory"
    WRITE_MEMORY = "write_memory"
    FORGET = "forget"
    READ_FILES = "read_files"


class Reason(StrEnum):
    """Stable codes: they are written to the tape."""

    UNKNOWN_TOOL = "unknown_tool"
    MISSING_CAPABILITY = "missing_capability"
    BAD_ARGUMENTS = "bad_arguments"
    TOO_MANY_CALLS = "too_many_calls"
    REPEATED_CALL = "repeated_call"
    UNTRUSTED_CONTEXT = "untrusted_context"
    DESTRUCTIVE = "destructive"


@dataclass(frozen=True, slots=True)
class Allow:
    pass


@dataclass(frozen=True, slots=True)
class AskPerson:
    """A person has to agree to this one call."""

    reason: Reason


@dataclass(frozen=True, slots=True)
class Deny:
    """Not even a person's agreement helps."""

    reason: Reason


Verdict: TypeAlias = Allow | AskPerson | Deny


@dataclass(frozen=True, slots=True)
class ToolRule:
    needs: Capability
    clean: Allow | AskPerson
    tainted: Allow | AskPerson
    brings_untrusted: bool = False
    """whatever it answers came from outside"""


ALLOW = Allow()
RULES: dict[Effect, ToolRule] = {
    Effect.READ_MEMORY: ToolRule(Capability.READ, ALLOW, ALLOW),
    Effect.WRITE_MEMORY: ToolRule(Capability.WRITE, ALLOW, AskPerson(Reason.UNTRUSTED_CONTEXT)),
    Effect.FORGET: ToolRule(Capability.FORGET, AskPerson(Reason.DESTRUCTIVE), AskPerson(Reason.UNTRUSTED_CONTEXT)),
    Effect.READ_FILES: ToolRule(Capability.READ, ALLOW, ALLOW, brings_untrusted=True),
}


@dataclass(frozen=True, slots=True)
class ToolContext:
    """How a run stands when a call is judged."""

    capabilities: frozenset[Capability]
    tainted: bool
    calls: int = 0
    """judged before this one"""
    same_calls: int = 0
    """of those, with the same name and arguments"""
    arguments_fit: bool = True


def decide(effect: Effect | None, context: ToolContext) -> Verdict:
    """`effect` is None for a tool that nobody knows."""
    if effect is None:
        return Deny(Reason.UNKNOWN_TOOL)
    rule = RULES[effect]
    if rule.needs not in context.capabilities:
        return Deny(Reason.MISSING_CAPABILITY)
    if context.calls >= CALLS_PER_RUN:
        return Deny(Reason.TOO_MANY_CALLS)
    if context.same_calls >= SAME_CALLS:
        return Deny(Reason.REPEATED_CALL)
    if not context.arguments_fit:
        return Deny(Reason.BAD_ARGUMENTS)
    return rule.tainted if context.tainted else rule.clean


def is_untrusted(trust: Trust) -> bool:
    """Whether a text of this trust taints the run whose prompt it enters."""
    return trust > Trust.AGENT


def has_untrusted(records: Iterable[TapeRecord]) -> bool:
    """Whether a prompt that holds these turns is tainted. What cannot be told any more counts as untrusted.

    The assistant's own words count with what it had read: they may be somebody else's, retold.
    """
    return any(map(_is_untrusted_record, records))


def _is_untrusted_record(record: TapeRecord) -> bool:
    payload = record.payload
    if payload is None:
        return True
    match record.type:
        case TapeType.ATTACHMENT:
            return True
        case TapeType.TOOL_RESULT:
            return payload.get("tainted") is not False
        case TapeType.REFERENCE:
            return not payload.get("error") and _is_untrusted_label(payload.get("trust"))
        case TapeType.INJECTION:
            return any(_is_untrusted_label(memory.get("trust")) for memory in payload.get("memories", ()))
        case _:
            return False


_TRUSTED = frozenset(trust.label for trust in Trust if not is_untrusted(trust))


def _is_untrusted_label(label: object) -> bool:
    return not isinstance(label, str) or label not in _TRUSTED
