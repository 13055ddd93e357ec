"""What a memory is called: its category, and what in it is sensitive; and what follows from that, one table for every
road a text might take. Who gives the names is in `classify.py`."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class Category(StrEnum):
    DURABLE_FACT = "durable_fact"
    PREFERENCE = "preference"
    PROCEDURE = "procedure"
    CONSTRAINT = "constraint"
    DECISION = "decision"
    CORRECTION = "correction"
    TRANSIENT = "transient"


class Sensitivity(StrEnum):
    """From open to closed; `level` puts them in that order."""

    PUBLIC = "public"
    PERSONAL = "personal"
    SECRET = "secret"  # noqa: S105 - the name of a level, not a secret

    @property
    def level(self) -> int:
        return _LEVELS[self]


_LEVELS = {Sensitivity.PUBLIC: 0, Sensitivity.PERSONAL: 1, Sensitivity.SECRET: 2}

SENSITIVE = (
    "health", "identity_number", "address", "money", "belief", "sexuality", "criminal", "child", "location", "contact",
    "personal", "secret",
)  # fmt: skip
"""The kinds of what is nobody else's business. `personal`: nobody can say which of them; `secret`: a credential."""


def level_of(kinds: Iterable[str]) -> Sensitivity:
    """Secret for credentials and for numbers that open an account or an identity."""
    held = frozenset(kinds)
    if not held.isdisjoint(("secret", "identity_number")):
        return Sensitivity.SECRET
    return Sensitivity.PERSONAL if held else Sensitivity.PUBLIC


def written_kinds(kinds: Sequence[str]) -> str:
    """As one word or several: what an event says and a table holds. The levels of 0.1 read as kinds of their own."""
    return " ".join(kinds) or Sensitivity.PUBLIC.value


def read_kinds(written: str) -> tuple[str, ...]:
    return () if written in ("", Sensitivity.PUBLIC.value) else tuple(written.split())


class SensitiveRule(NamedTuple):
    others_wait: bool
    """what an agent, a tool, a page or an import says of it waits for a person"""
    owners_wait: bool
    """what the owner says of it does, too"""
    may_leave: bool
    """to an embedding server or an engine elsewhere"""
    in_channels: bool
    """it is given where others may listen: in a channel's prompt, or to whoever speaks for another principal"""
    masked: bool
    """an agent without the right is told that there is something, not what"""


_OWN = SensitiveRule(others_wait=True, owners_wait=False, may_leave=False, in_channels=False, masked=True)
POLICY: dict[str, SensitiveRule] = {
    **dict.fromkeys(SENSITIVE, _OWN),
    # Its words are masked before they are stored, by the redactor: what is left is what somebody else may know of it.
    "secret": SensitiveRule(others_wait=True, owners_wait=True, may_leave=True, in_channels=True, masked=False),
}


@dataclass(frozen=True, slots=True)
class SensitivePolicy:
    """The table, as the settings change it."""

    holds_all: bool = False
    """`memory.hold_sensitive = "all"`"""
    may_leave: bool = False
    """`memory.send_sensitive`"""

    def reasons_to_hold(self, kinds: Iterable[str], *, is_owners: bool) -> tuple[str, ...]:
        by_owner = is_owners and not self.holds_all
        waiting = [kind for kind in kinds if (POLICY[kind].owners_wait if by_owner else POLICY[kind].others_wait)]
        return tuple(dict.fromkeys("secret" if kind == "secret" else "sensitive" for kind in waiting))

    def leaves(self, kinds: Iterable[str]) -> bool:
        return self.may_leave or all(POLICY[kind].may_leave for kind in kinds)


def fits_channels(kinds: Iterable[str]) -> bool:
    return all(POLICY[kind].in_channels for kind in kinds)


def is_masked(kinds: Iterable[str]) -> bool:
    """For agents without the right to what is sensitive."""
    return any(POLICY[kind].masked for kind in kinds)


def masked_text(kinds: Iterable[str]) -> str:
    """What such an agent reads instead."""
    return f"[sensitive: {', '.join(kinds)}]"
