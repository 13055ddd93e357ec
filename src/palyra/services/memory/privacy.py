"""What is held about whom: what is sensitive in memory and in what waits, by kind and by whom it speaks of."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from palyra.domain.labels import SENSITIVE, read_kinds
from palyra.domain.memory import MemoryItem
from palyra.domain.scope import Visibility
from palyra.language.names.aliases import aliases, roles_in
from palyra.services.memory.context import Memory
from palyra.store.connection import ReadTx
from palyra.store.memory.candidates import waiting_kinds
from palyra.store.memory.items import sensitive_items

_PAGE = 1_000


@dataclass(frozen=True, slots=True)
class HeldOfKind:
    kind: str
    items: int
    oldest_at_ms: int
    newest_at_ms: int
    by_trust: dict[str, int]
    """whose word it is"""
    waiting: int
    """in texts that wait for a person"""


@dataclass(frozen=True, slots=True)
class HeldAbout:
    name: str
    """as they are called; by their role where no name is known; empty: the owner, or nobody who is named"""
    items: int
    by_kind: dict[str, int]


@dataclass(frozen=True, slots=True)
class PrivacyReport:
    items: int
    """current memories that hold anything sensitive"""
    kinds: tuple[HeldOfKind, ...]
    about: tuple[HeldAbout, ...]
    """most first"""
    holds_all: bool
    may_leave: bool


async def privacy_report(memory: Memory, caller: Visibility) -> PrivacyReport:
    """Counts and names of what the caller sees; none of its words."""

    def read(tx: ReadTx) -> tuple[list[MemoryItem], list[str]]:
        found: list[MemoryItem] = []
        while page := sensitive_items(tx, caller, found[-1].seq if found else 0, _PAGE):
            found += page
        return found, waiting_kinds(tx, caller)

    items, held = await memory.store.db.read(read)
    waiting = Counter(kind for written in held for kind in read_kinds(written))
    policy = memory.sensitive
    return PrivacyReport(len(items), _by_kind(items, waiting), _by_name(items), policy.holds_all, policy.may_leave)


def _by_kind(items: Iterable[MemoryItem], waiting: Counter[str]) -> tuple[HeldOfKind, ...]:
    of_kind: defaultdict[str, list[MemoryItem]] = defaultdict(list)
    for item in items:
        for kind in item.sensitive:
            of_kind[kind].append(item)
    return tuple(
        HeldOfKind(
            kind,
            len(of_kind[kind]),
            min((item.said_at_ms for item in of_kind[kind]), default=0),
            max((item.said_at_ms for item in of_kind[kind]), default=0),
            dict(Counter(item.trust.label for item in of_kind[kind])),
            waiting[kind],
        )
        for kind in SENSITIVE
        if of_kind[kind] or waiting[kind]
    )


def _by_name(items: Iterable[MemoryItem]) -> tuple[HeldAbout, ...]:
    """By plain evidence: who is called by a name and a role somewhere is known by that name everywhere."""
    items = list(items)
    known = {alias.role: alias.name for item in items for alias in aliases(item.text)}
    about: defaultdict[str, Counter[str]] = defaultdict(Counter)
    count: Counter[str] = Counter()
    for item in items:
        named = {name for name in known.values() if name in item.text}
        for name in named or {known.get(role, role) for role in roles_in(item.text)} or {item.speaker}:
            about[name].update(item.sensitive)
            count[name] += 1
    return tuple(HeldAbout(name, items, dict(about[name])) for name, items in count.most_common())
