"""What holds for any text: redaction is idempotent, exact about its spans, and never raises."""

import string

from hypothesis import given, settings
from hypothesis import strategies as st

from palyra.core import redact
from palyra.core.redact import (
    EVERYTHING,
    SECRETS_ONLY,
    Json,
    Policy,
    find_spans,
    redact_payload_json,
    redact_text,
)

NAMES = (
    "password",
    "my api key",
    "token",
    "SECRET",
    "DB_PASSWORD",
    "密码",
    "cookie",
    "Authorization",
    "pass",
    "pin",
    "pw",
)
JOINTS = (
    "=",
    ": ",
    " is ",
    " ",
    '": "',
    "\n",
    "', '",
    "://",
    "@",
    ":",
    " -> ",
    ". It's ",
    "; ",
    ",",
    "&",
    "(",
    ")",
    '\\"',
    "[redacted:",
)
MASKS = ("[redacted:password]", "[redacted:github_token]", "[redacted:email]", "[redacted:nothing]", "\ufdd0", "İ")
PERSONAL = ("ana@example.com", "10.0.0.1", "+44 20 7946 0958", "219-09-9999")
words = st.text(string.ascii_letters + string.digits + "-_.!$/+", min_size=1, max_size=40)
prefixes = st.sampled_from(
    ("gh" + "p_", "sk" + "-", "AK" + "IA", "ey" + "J", "gl" + "pat-", "postgres://u:", "Bearer ", "--token ")
)
tokens = st.builds(str.__add__, prefixes, words)
pieces = st.one_of(*(st.sampled_from(x) for x in (NAMES, JOINTS, MASKS, PERSONAL)), words, tokens, st.text(max_size=8))
texts = st.lists(pieces, max_size=14).map("".join)
policies = st.sampled_from((SECRETS_ONLY, EVERYTHING))
payloads: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.integers() | texts,
    lambda children: (
        st.lists(children, max_size=4) | st.dictionaries(st.sampled_from(NAMES) | texts, children, max_size=4)
    ),
    max_leaves=12,
)


@settings(max_examples=400, deadline=None)
@given(texts, policies)
def test_redacting_twice_is_redacting_once(text: str, policy: Policy) -> None:
    once = redact_text(text, policy).text
    assert redact_text(once, policy).text == once


@settings(max_examples=300, deadline=None)
@given(texts, policies)
def test_what_lies_between_the_spans_survives_letter_by_letter(text: str, policy: Policy) -> None:
    result = redact_text(text, policy)
    rebuilt, at = "", 0
    for span in result.spans:
        assert at <= span.start < span.end <= len(text)
        rebuilt += text[at : span.start] + f"[redacted:{span.label.partition('.')[2]}]"
        at = span.end
    assert rebuilt + text[at:] == result.text
    assert result.spans or result.text is text


@settings(max_examples=200, deadline=None)
@given(texts)
def test_what_was_remembered_as_clean_is_what_would_have_been_found_clean(text: str) -> None:
    redact._CLEAN.clear()
    alone = redact_text(text)
    redact._CLEAN.clear()
    find_spans(text)
    assert redact_text(text) == alone
    assert redact_text(text) == alone


@settings(max_examples=200, deadline=None)
@given(texts)
def test_find_spans_covers_whatever_a_policy_masks(text: str) -> None:
    assert redact_text(text, EVERYTHING).spans == find_spans(text)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=300))
def test_any_text_at_all_can_be_redacted(text: str) -> None:
    redact_text(text, EVERYTHING)


@settings(max_examples=200, deadline=None)
@given(payloads, policies)
def test_a_payload_redacted_twice_is_the_payload_redacted_once(payload: Json, policy: Policy) -> None:
    once = redact_payload_json(payload, policy)
    assert redact_payload_json(once, policy) is once
    assert shape(once) == shape(payload)


def shape(value: Json) -> object:
    """The value's outline: masking may replace leaves and rename keys, never add or drop anything."""
    if isinstance(value, list):
        return [shape(item) for item in value]
    return sorted(map(repr, map(shape, value.values()))) if isinstance(value, dict) else None
