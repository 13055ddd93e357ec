"""How tokens are counted: exactly for OpenAI's models where their tokenizer is installed, by the bound elsewhere."""

import pytest

from palyra.core.tokens import estimate_tokens
from palyra.providers.models.tokens import ENCODINGS, counter_for


@pytest.mark.parametrize("model", ["", "llama3", "claude-sonnet-4-5", "qwen3:0.6b", "o", "mistral-gpt-4o"])
def test_a_model_whose_tokenizer_is_unknown_is_counted_by_the_bound(model: str) -> None:
    assert counter_for(model) is estimate_tokens


@pytest.mark.parametrize(("model", "tokens"), [("gpt-4o-2024-08-06", 8), ("openai/gpt-5-mini", 8), ("gpt-4", 9)])
def test_openai_models_are_counted_exactly_where_the_tokenizer_is_installed(model: str, tokens: int) -> None:
    pytest.importorskip("bpe_openai")
    count = counter_for(model)
    assert count("お誕生日おめでとう") == tokens  # as OpenAI publishes it
    assert count("") == 0
    assert count("\ud800") > 0
    assert count("<|endoftext|>") > 1


def test_a_longer_prefix_stands_before_a_shorter_one() -> None:
    names = [prefix for prefix, _ in ENCODINGS]
    assert not any(later.startswith(earlier) for at, earlier in enumerate(names) for later in names[at + 1 :])
