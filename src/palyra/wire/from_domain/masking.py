"""What an agent without the right reads of what is sensitive: that there is something, and of which kind.

Every answer passes here before it goes to such an agent, so a new one is masked as soon as it carries `sensitive`."""

from typing import Any, TypeVar, cast

import msgspec

from palyra.domain.labels import is_masked, masked_text

T = TypeVar("T")

_WORDS = ("text", "title", "snippet", "quote", "about")
_LISTS = ("steps", "tags")


def masked(value: T) -> T:
    """The same, with the words of what is sensitive replaced wherever it stands."""
    return cast("T", _masked(value, ""))


def _masked(value: Any, mask: str) -> Any:
    if isinstance(value, list):
        return [_masked(one, mask) for one in value]
    if not isinstance(value, msgspec.Struct):
        return value
    # A hit shows a piece of its item.
    kinds: list[str] = getattr(value if hasattr(value, "sensitive") else getattr(value, "item", None), "sensitive", [])
    mask = masked_text(kinds) if is_masked(kinds) else mask
    return msgspec.structs.replace(
        value, **{name: _field(name, getattr(value, name), mask) for name in value.__struct_fields__}
    )


def _field(name: str, value: Any, mask: str) -> Any:
    if mask and name in _WORDS and isinstance(value, str):
        return mask
    if mask and name in _LISTS and value:
        return [mask]
    return _masked(value, mask)
