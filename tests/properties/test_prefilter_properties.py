"""The quick look before redaction may only skip payloads that redaction would leave alone."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palyra.core.hashing import Json, canonical_json
from palyra.core.redact import payload_may_hold_secret, redact_payload_json, words_may_hold_secret
from palyra.core.redact_values import HINT_NAMES, PASSWORD_NAMES, SECRET_NAMES

NAMES = (*PASSWORD_NAMES, *SECRET_NAMES, *HINT_NAMES)


def is_missed(payload: dict[str, Json]) -> bool:
    is_looked_at = payload_may_hold_secret(payload, canonical_json(payload)) and words_may_hold_secret(payload)
    return not is_looked_at and redact_payload_json(payload) != payload


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("value", ["Zx9!kd2q", "hunter22x", "aB3dE5gH7jK9mN1p", "1234"])
def test_no_name_that_keeps_a_secret_slips_past_the_quick_look(name: str, value: str) -> None:
    for payload in ({name: value}, {f"my_{name}": value}, {name.upper(): value}):
        assert not is_missed(dict(payload)), payload
    for text in (f"my {name} is {value}", f"{name}: {value}", f"{name}={value}", f'"{name}": "{value}"'):
        assert not is_missed({"text": text}), text


@settings(max_examples=300, deadline=None)
@given(
    st.dictionaries(
        st.text(max_size=10) | st.sampled_from(NAMES),
        st.text(max_size=40) | st.lists(st.text(max_size=20), max_size=3) | st.integers(),
        max_size=3,
    )
)
def test_no_payload_that_redaction_would_change_slips_past_the_quick_look(payload: dict[str, Json]) -> None:
    assert not is_missed(dict(payload))


def test_no_generated_secret_slips_past_the_quick_look() -> None:
    corpus = _bench("redaction_corpus")
    texts = [sample.text for held_out in (False, True) for sample in corpus.samples(11, held_out=held_out)]
    assert len(texts) > 500
    assert [text for text in texts if is_missed({"text": text})] == []


def _bench(name: str) -> ModuleType:
    path = Path(__file__).parents[2] / "bench" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
