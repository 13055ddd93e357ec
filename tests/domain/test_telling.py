"""Every kind of event has its sentence, made of what is in the event."""

import re
from dataclasses import fields
from typing import Any

import pytest

from palyra.domain.events import EVENTS
from palyra.wire.telling import tell

_NAMED = re.compile(r"\{([a-z_0-9]+)")


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: event.KIND)
def test_every_kind_says_in_its_own_class_what_happened(event: Any) -> None:
    assert len(event.TELLS.split()) > 1 or event.KIND == "tape.appended"
    there = {field.name for field in fields(event)} | ({"text"} if event.KIND == "note" else set())
    assert set(_NAMED.findall(event.TELLS)) <= there
    assert not re.search(r"[{}\[\]]", tell(event.KIND, None))


def test_a_field_is_filled_in_and_what_says_nothing_is_left_out() -> None:
    assert tell("memory.stored", {"text": "I like tea"}) == "remembered: I like tea"
    assert tell("memory.decided", {"decision": "rejected"}) == "what was held back is rejected"
    assert tell("memory.decided", {"decision": "rejected", "reason": "old"}) == "what was held back is rejected: old"
    assert tell("memory.held", {"because": ["untrusted_source"], "item": {"text": "x y"}}) == (
        "held back until a person decides (untrusted source): x y"
    )


def test_what_is_counted_has_the_right_word() -> None:
    assert tell("memory.deleted", {"memory_ids": ["a"], "why": "expired"}) == "took 1 memory out: expired"
    assert tell("memory.deleted", {"memory_ids": ["a", "b"], "why": "expired"}) == "took 2 memories out: expired"
    assert tell("memory.recalled", {"tokens": 1}) == "gave an agent 0 memories, 1 token"


def test_values_are_called_what_they_mean() -> None:
    assert tell("session.archived", {"archived": True}) == "put away the conversation"
    assert tell("session.archived", {}) == "took out again the conversation"
    assert tell("tape.appended", {"type": "user_message", "payload": {"text": "Hello"}}) == "a person said: Hello"
    assert tell("learning.snoozed", {"until_ms": 1_800_000_000_000}) == "put a decision off until 2027-01-15 08:00"


def test_an_erased_event_says_what_happened_and_none_of_its_words() -> None:
    assert tell("memory.stored", None) == "remembered: (erased)"
    assert tell("memory.linked", None) == "(erased)"
    assert tell("build.finished", None) == "(erased)"


def test_somebody_elses_kind_shows_its_text_or_all_of_it() -> None:
    assert tell("build.finished", {"text": "green"}) == "green"
    assert tell("build.finished", {"took_ms": 5}) == '{"took_ms": 5}'
    assert tell("note", {"a": 1}) == 'noted: {"a": 1}'
