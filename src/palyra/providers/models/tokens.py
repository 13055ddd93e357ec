"""How many tokens a text costs a model: exact where its tokenizer is installed, else the upper estimate.

OpenAI's tokenizers come with the package `bpe-openai` (the extra `exact-tokens`), vocabularies and all. Loading one
takes a second and 130 MB, so only a model that uses it has it loaded, once, when the model is built.
"""

from collections.abc import Callable
from functools import lru_cache
from importlib import import_module

from palyra.core.tokens import estimate_tokens

# The first prefix that fits decides: gpt-4o before gpt-4.
ENCODINGS = (
    ("gpt-4o", "o200k_base"),
    ("gpt-4.1", "o200k_base"),
    ("gpt-4.5", "o200k_base"),
    ("chatgpt-4o", "o200k_base"),
    ("gpt-4", "cl100k_base"),
    ("gpt-3.5", "cl100k_base"),
    ("gpt-5", "o200k_base"),
    ("o1", "o200k_base"),
    ("o3", "o200k_base"),
    ("o4", "o200k_base"),
)


def counter_for(model: str) -> Callable[[str], int]:
    """By the model's name at OpenAI, with or without `openai/` before it, as routers write it."""
    name = model.removeprefix("openai/")
    encoding = next((encoding for prefix, encoding in ENCODINGS if name.startswith(prefix)), "")
    return _exact_counter(encoding) if encoding else estimate_tokens


@lru_cache(maxsize=2)
def _exact_counter(encoding: str) -> Callable[[str], int]:
    try:
        tokenizer = import_module("bpe_openai").get_encoding(encoding)
    except ImportError:
        return estimate_tokens

    def count(text: str) -> int:
        return len(tokenizer.encode_ordinary(text))

    return count
