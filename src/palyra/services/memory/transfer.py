"""Memory as JSON Lines, out and in again.

A file is not its owner's word: what comes in is held for review, unless a person vouches for the file. Then items
keep the source and trust it names.
"""

import json
from collections import Counter
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from palyra.core import limits
from palyra.core.errors import InvalidArgument, PalyraError, PermissionDenied
from palyra.domain.ingest import Ready
from palyra.domain.journal import Actor, Origin
from palyra.domain.memory import (
    OUTCOME_NAMES,
    Draft,
    ItemFilter,
    MemoryItem,
    MemorySource,
    Trust,
    parse_category,
    parse_source,
    parse_trust,
    to_bps,
)
from palyra.domain.scope import Scope, Visibility, scope_for, visibility
from palyra.services.memory.context import Memory
from palyra.services.memory.ingest import check_draft, ingest_checked
from palyra.services.memory.lifecycle import list_

_BATCH = 256
_TEXT_KEYS = ("text", "source", "category", "trust", "speaker", "thread", "channel", "session_id")
_TIME_KEYS = ("said_at_ms", "valid_from_ms", "valid_to_ms", "expires_at_ms")
_IGNORED = frozenset({
    "format", "memory_id", "principal", "content_hash", "sensitivity", "sensitive", "created_at_ms", "updated_at_ms",
    "supersedes", "superseded_by", "recall_count", "last_recalled_at_ms", "provenance", "closed_at_ms", "closed_why",
    "scope", "seq",
})  # fmt: skip
"""written for the reader; a new item gets its own"""


@dataclass(frozen=True, slots=True)
class ImportReport:
    lines: int
    outcomes: dict[str, int]


async def export(memory: Memory, caller: Visibility, *, include_past: bool = False) -> AsyncIterator[MemoryItem]:
    """Every item the caller sees, page by page."""
    after = ""
    while page := await list_(memory, caller, ItemFilter(include_past=include_past), after, limit=limits.PAGE_ITEMS):
        for item in page:
            yield item
        after = page[-1].memory_id


async def import_(
    memory: Memory,
    path: Path,
    caller: Visibility,
    actor: Actor,
    *,
    vouch: bool,
    progress: Callable[[int, int], None],
) -> ImportReport:
    """Every line is checked before the first is written."""

    def parse(line: str) -> Ready:
        draft, place = _parse(line, caller, vouch=vouch)
        return check_draft(memory, draft, place, actor)

    lines = _read(path, parse)
    outcomes: Counter[str] = Counter()
    done = 0
    for place in dict.fromkeys(line.scope for line in lines):
        here = [line for line in lines if line.scope == place]
        origin = Origin(place.principal, actor, place.channel, place.session_id)
        for start in range(0, len(here), _BATCH):
            batch = here[start : start + _BATCH]
            results = await ingest_checked(memory, batch, origin)
            outcomes.update(OUTCOME_NAMES[type(result.outcome)] for result in results)
            done += len(batch)
            progress(done, len(lines))
    return ImportReport(len(lines), dict(outcomes))


def _read(path: Path, parse: Callable[[str], Ready]) -> list[Ready]:
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidArgument(f"cannot read {path}: {error}", hint="give a JSON Lines file in UTF-8") from None
    lines: list[Ready] = []
    for number, line in enumerate(text.split("\n"), 1):  # not splitlines: JSON may hold other line breaks as they are
        if not line.strip():
            continue
        try:
            lines.append(parse(line))
        except PalyraError as error:
            raise type(error)(
                f"{path.name} line {number}: {error.message}; nothing was imported", hint=error.hint, line=number
            ) from None
    if not lines:
        raise InvalidArgument(f"{path} holds no memory", hint="one JSON object a line, with a text")
    return lines


def _parse(line: str, caller: Visibility, *, vouch: bool) -> tuple[Draft, Scope]:
    try:
        row: Any = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InvalidArgument(f"not JSON: {error}", hint="one JSON object a line") from None
    if not isinstance(row, dict) or not isinstance(row.get("text"), str):
        raise InvalidArgument("no object with a text", hint='such as {"text": "Ana lives in Lisbon"}')
    known = {*_TEXT_KEYS, *_TIME_KEYS, "tags", "confidence", "pinned"}
    unknown = sorted(set(row) - known - _IGNORED)
    if unknown:
        raise InvalidArgument(f"unknown field {unknown[0]!r}", hint=f"known: {', '.join(sorted(known))}")
    _check_types(row)
    source = parse_source(row["source"]) if vouch and row.get("source") else MemorySource.IMPORT
    draft = Draft(
        text=row["text"],
        source=source,
        tags=tuple(row.get("tags") or ()),
        category=parse_category(row["category"]) if row.get("category") else None,
        confidence_bps=None if row.get("confidence") is None else to_bps(row["confidence"]),
        trust=(parse_trust(row["trust"]) if row.get("trust") else None) if vouch else Trust.IMPORT,
        speaker=row.get("speaker") or "",
        thread=row.get("thread") or "",
        said_at_ms=row.get("said_at_ms"),
        valid_from_ms=row.get("valid_from_ms"),
        valid_to_ms=row.get("valid_to_ms"),
        expires_at_ms=row.get("expires_at_ms"),
        pinned=bool(row.get("pinned")),
        vouched=vouch,
    )
    return draft, _place(row, caller)


def _place(row: dict[str, Any], caller: Visibility) -> Scope:
    """Where the line says it belongs, if the caller stands there; without a word about it, where the caller stands."""
    if "channel" not in row and "session_id" not in row:
        return scope_for(caller, None)
    named = visibility(caller.principal, row.get("channel"), row.get("session_id"))
    place = scope_for(named, None)
    if not caller.sees(place):
        raise PermissionDenied(
            f"it belongs to channel {place.channel!r} and session {place.session_id!r}, and you are in channel"
            f" {caller.channel!r} and session {caller.session_id!r}",
            hint="import it in its own channel and session",
        )
    return place


def _check_types(row: dict[str, Any]) -> None:
    tags = row.get("tags")
    wrong = [
        *(key for key in _TEXT_KEYS if not isinstance(row.get(key, ""), str | None)),
        *(key for key in _TIME_KEYS if type(row.get(key)) not in (int, type(None))),
        *(["tags"] if tags is not None and not _is_text_list(tags) else []),
        *(["confidence"] if type(row.get("confidence")) not in (int, float, type(None)) else []),
        *(["pinned"] if type(row.get("pinned")) not in (bool, type(None)) else []),
    ]
    if wrong:
        raise InvalidArgument(
            f"{wrong[0]} has a value of the wrong type: {row[wrong[0]]!r}", hint="see the export format"
        )


def _is_text_list(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(entry, str) for entry in value)
