"""Who and what: everything remembered about a person, a place, a project or a thing, by any name it goes by."""

from collections.abc import Iterable
from dataclasses import dataclass

from palyra.core.errors import InvalidArgument
from palyra.domain.memory import MemoryItem
from palyra.domain.retrieval.terms import analyse
from palyra.domain.scope import Visibility
from palyra.language.names.aliases import aliases, names_of, roles_in
from palyra.services.memory.asking import checked_query
from palyra.services.memory.context import Memory
from palyra.store.connection import ReadTx
from palyra.store.memory.items import fetch_seqs
from palyra.store.memory.replaced import successor_of
from palyra.store.memory.search import exact_hits

_MOST = 500
_NAME_CHARS = 120


@dataclass(frozen=True, slots=True)
class ChangedItem:
    before: MemoryItem
    after: MemoryItem | None
    """what holds instead, if anybody here sees it"""


@dataclass(frozen=True, slots=True)
class AboutName:
    name: str
    also: tuple[str, ...]
    """other words for it: "sister" for Ines, by plain evidence"""
    holds: tuple[MemoryItem, ...]
    """newest first"""
    changed: tuple[ChangedItem, ...]
    """newest first"""


async def about(memory: Memory, name: str, caller: Visibility) -> AboutName:
    """Nothing known is an empty page. Whoever is called by a role ("my sister") is found by it and by name."""
    asked = checked_query(name)
    if len(asked) > _NAME_CHARS:
        raise InvalidArgument(f"a name of {len(asked)} characters", hint=f"at most {_NAME_CHARS}: name one thing")
    now_ms = memory.clock.now_ms()

    def read(tx: ReadTx) -> AboutName:
        names = names_by_role(tx, roles_in(asked) or {asked.casefold()}, caller)
        known = next(iter(names)) if len(names) == 1 else asked
        found = {item.seq: item for item in holding(tx, [known], caller)}
        own = {
            one.role for item in found.values() for one in aliases(item.text) if one.name.casefold() == known.casefold()
        }
        roles = [role for role in sorted(own) if len(names_by_role(tx, {role}, caller)) == 1]
        for item in holding(tx, roles, caller):
            if roles_in(item.text).intersection(roles):
                found[item.seq] = item
        newest = sorted(found.values(), key=lambda item: (-item.said_at_ms, -item.seq))
        ended = [item for item in newest if item.superseded_by is not None]
        return AboutName(
            known,
            tuple(roles),
            tuple(item for item in newest if _still_holds(item, now_ms)),
            tuple(ChangedItem(item, successor_of(tx, item, caller)) for item in ended),
        )

    return await memory.store.db.read(read)


def names_by_role(tx: ReadTx, roles: Iterable[str], caller: Visibility) -> frozenset[str]:
    """Names of those who are called by one of these roles."""
    roles = frozenset(roles)
    known = [alias for item in holding(tx, roles, caller) if item.superseded_by is None for alias in aliases(item.text)]
    return frozenset(name for role in roles for name in names_of(role, known))


def holding(tx: ReadTx, words: Iterable[str], caller: Visibility) -> list[MemoryItem]:
    """Items that hold one of these as it is written, also such as were replaced."""
    phrases = [terms for word in words if (terms := analyse(word))]
    if not phrases:
        return []
    return list(fetch_seqs(tx, exact_hits(tx, phrases, [], caller, _MOST), caller).values())


def _still_holds(item: MemoryItem, now_ms: int) -> bool:
    ends = [ms for ms in (item.expires_at_ms, item.valid_to_ms) if ms is not None]
    return item.superseded_by is None and all(ms > now_ms for ms in ends)
