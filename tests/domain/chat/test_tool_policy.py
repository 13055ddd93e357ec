"""Who may call what: every cell of the table, and what no sequence of calls can get around."""

from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palyra.core.ids import EventId, RunId, SessionId
from palyra.domain.access import Capability
from palyra.domain.chat.session import TapeRecord, TapeType
from palyra.domain.chat.tool_policy import (
    ALLOW,
    CALLS_PER_RUN,
    RULES,
    SAME_CALLS,
    Allow,
    AskPerson,
    Deny,
    Effect,
    Reason,
    ToolContext,
    Verdict,
    decide,
    has_untrusted,
    is_untrusted,
)
from palyra.domain.memory import Trust

EVERYTHING = frozenset(Capability)

CELLS: dict[tuple[Effect, bool], Verdict] = {
    (Effect.READ_MEMORY, False): ALLOW,
    (Effect.READ_MEMORY, True): ALLOW,
    (Effect.WRITE_MEMORY, False): ALLOW,
    (Effect.WRITE_MEMORY, True): AskPerson(Reason.UNTRUSTED_CONTEXT),
    (Effect.FORGET, False): AskPerson(Reason.DESTRUCTIVE),
    (Effect.FORGET, True): AskPerson(Reason.UNTRUSTED_CONTEXT),
    (Effect.READ_FILES, False): ALLOW,
    (Effect.READ_FILES, True): ALLOW,
}
NEEDS = {
    Effect.READ_MEMORY: Capability.READ,
    Effect.WRITE_MEMORY: Capability.WRITE,
    Effect.FORGET: Capability.FORGET,
    Effect.READ_FILES: Capability.READ,
}


@pytest.mark.parametrize(("effect", "tainted"), list(product(Effect, (False, True))))
def test_each_effect_is_judged_by_whether_the_run_is_tainted(effect: Effect, tainted: bool) -> None:
    assert decide(effect, ToolContext(EVERYTHING, tainted)) == CELLS[effect, tainted]


@pytest.mark.parametrize(("effect", "tainted"), list(product(Effect, (False, True))))
def test_each_effect_needs_its_own_capability_and_no_other_one_helps(effect: Effect, tainted: bool) -> None:
    without = EVERYTHING - {NEEDS[effect]}
    assert decide(effect, ToolContext(without, tainted)) == Deny(Reason.MISSING_CAPABILITY)
    assert decide(effect, ToolContext(frozenset({NEEDS[effect]}), tainted)) == CELLS[effect, tainted]


@pytest.mark.parametrize("effect", Effect)
def test_limits_and_wrong_arguments_are_refused_rather_than_asked_about(effect: Effect) -> None:
    last = ToolContext(EVERYTHING, True, CALLS_PER_RUN - 1, SAME_CALLS - 1)
    assert not isinstance(decide(effect, last), Deny)
    over: dict[Reason, ToolContext] = {
        Reason.TOO_MANY_CALLS: ToolContext(EVERYTHING, True, CALLS_PER_RUN),
        Reason.REPEATED_CALL: ToolContext(EVERYTHING, True, SAME_CALLS, SAME_CALLS),
        Reason.BAD_ARGUMENTS: ToolContext(EVERYTHING, True, arguments_fit=False),
    }
    for reason, context in over.items():
        assert decide(effect, context) == Deny(reason)


def test_an_unknown_tool_is_refused_whoever_asks() -> None:
    assert decide(None, ToolContext(EVERYTHING, False)) == Deny(Reason.UNKNOWN_TOOL)


def test_only_files_bring_untrusted_text_by_their_nature() -> None:
    assert {effect for effect, rule in RULES.items() if rule.brings_untrusted} == {Effect.READ_FILES}
    assert set(RULES) == set(Effect)


@settings(deadline=None)
@given(
    st.builds(
        ToolContext,
        st.frozensets(st.sampled_from(Capability)),
        st.just(True),
        st.integers(0, 100),
        st.integers(0, 5),
        st.booleans(),
    ),
    st.sampled_from((Effect.WRITE_MEMORY, Effect.FORGET)),
)
def test_nothing_is_ever_written_or_forgotten_in_a_tainted_run_by_itself(context: ToolContext, effect: Effect) -> None:
    assert not isinstance(decide(effect, context), Allow)


@pytest.mark.parametrize(
    ("trust", "untrusted"),
    [(Trust.OWNER, False), (Trust.AGENT, False), (Trust.TOOL, True), (Trust.WEB, True), (Trust.IMPORT, True)],
)
def test_what_is_farther_than_an_agent_taints(trust: Trust, untrusted: bool) -> None:
    assert is_untrusted(trust) is untrusted
    assert has_untrusted([a_record(TapeType.REFERENCE, {"trust": trust.label})]) is untrusted
    assert has_untrusted([a_record(TapeType.INJECTION, {"memories": [{"trust": trust.label}]})]) is untrusted


def a_record(type_: TapeType, payload: dict[str, Any] | None) -> TapeRecord:
    return TapeRecord(1, EventId("E"), RunId("R"), SessionId("S"), type_, payload, 0)


@pytest.mark.parametrize(
    ("type_", "payload", "untrusted"),
    [
        (TapeType.USER_MESSAGE, {"text": "hello"}, False),
        (TapeType.ASSISTANT_MESSAGE, {"text": "hello", "complete": True}, False),
        (TapeType.TOOL_RESULT, {"text": "x", "tainted": False}, False),
        (TapeType.TOOL_RESULT, {"text": "x", "tainted": True}, True),
        (TapeType.TOOL_RESULT, {"text": "x"}, True),
        (TapeType.REFERENCE, {"error": "no such file", "trust": "import"}, False),
        (TapeType.REFERENCE, {}, True),
        (TapeType.INJECTION, {"memories": []}, False),
        (TapeType.INJECTION, {"memories": [{"trust": "owner"}, {"trust": ["owner"]}]}, True),
        (TapeType.ATTACHMENT, {"name": "a.pdf"}, True),
        (TapeType.ERASED, None, True),
    ],
)
def test_a_turn_is_untrusted_if_anything_in_it_is_or_nobody_can_tell(
    type_: TapeType, payload: dict[str, Any] | None, untrusted: bool
) -> None:
    harmless = a_record(TapeType.USER_MESSAGE, {"text": "hello"})
    assert has_untrusted([harmless, a_record(type_, payload)]) is untrusted
