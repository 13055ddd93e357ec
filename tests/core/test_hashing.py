"""The bytes that are hashed, pinned: a change here is a new format version and a new chapter in the docs."""

import hashlib
import struct

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from palyra.core.hashing import GENESIS, canonical_json, event_hash, header_names, payload_commitment

text_without_surrogates = st.text(st.characters(exclude_categories=["Cs"]))
plain_json = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | text_without_surrogates,
    lambda children: st.lists(children) | st.dictionaries(st.text(st.characters(max_codepoint=0xD7FF)), children),
)


def test_an_event_hashes_as_the_format_page_says() -> None:
    names = (b"note", b"user", b"user:ana", None, b"", None, None, None)
    encoded = b"".join(b"\xff\xff\xff\xff" if n is None else struct.pack(">I", len(n)) + n for n in names)
    commitment = hashlib.sha256(b"palyra:payload:v1\n" + b"s" * 16 + b'{"text":"hi"}').digest()
    assert payload_commitment(b"s" * 16, b'{"text":"hi"}') == commitment
    expected = hashlib.sha256(
        b"palyra:event:v1\n"
        + struct.pack(">QIqq", 1, 1, 1_700_000_000_000, 1_700_000_000_001)
        + b"01JD8QZ6T3M4N5P6Q7R8S9TABC"
        + encoded
        + commitment
        + bytes(32)
    ).digest()
    event_id = b"01JD8QZ6T3M4N5P6Q7R8S9TABC"
    mine = event_hash(1, 1, 1_700_000_000_000, 1_700_000_000_001, event_id, header_names(*names), commitment, GENESIS)
    assert mine == expected


@given(
    st.lists(st.none() | st.binary(max_size=6), min_size=8, max_size=8),
    st.lists(st.none() | st.binary(max_size=6), min_size=8, max_size=8),
)
def test_different_names_never_share_an_encoding(left: list[bytes | None], right: list[bytes | None]) -> None:
    assert (header_names(*left) == header_names(*right)) == (left == right)


@given(plain_json)
def test_canonical_json_is_rfc_8785_where_there_are_no_fractions(value: object) -> None:
    assert canonical_json(value) == rfc8785.dumps(value)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {1, 2}, "\ud800"])
def test_what_json_cannot_say_is_refused(value: object) -> None:
    with pytest.raises((ValueError, TypeError)):
        canonical_json({"x": value})  # type: ignore[dict-item]
