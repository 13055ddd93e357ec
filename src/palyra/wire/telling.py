"""What an event says to a person, in one sentence. The words stand in its own class, as `TELLS`:

{field}, {field.inner}   its value
{field#one|many}         how many, with the word for it
[ … {field} … ]          left out if there is nothing to say
`MEANS`, where a class has it, says what a value is called.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import MISSING, fields
from datetime import UTC, datetime
from typing import Any

from palyra.domain.events import EVENTS
from palyra.wire.journal import Event

_CLASSES: dict[str, Any] = {event.KIND: event for event in EVENTS}
_OPTIONAL = re.compile(r"\[([^\[\]]*)\]")
_FIELD = re.compile(r"\{([a-z_0-9.]+)(?:#([^|}]*)\|([^}]*))?\}")
_CODE = re.compile(r"[a-z0-9]+(?:_[a-z0-9]+)+")
_ERASED = "(erased)"
_TWICE = re.compile(r"\(erased\)(?:\W+\(erased\))+")


def told(event: Event) -> str:
    return tell(event.kind, None if event.erased else event.payload)


def tell(kind: str, body: Mapping[str, Any] | None) -> str:
    """`body` None: it was erased. What somebody else's kind means is theirs to say: its text, or all of it."""
    event = _CLASSES.get(kind)
    if event is None:
        return _ERASED if body is None else _text(body.get("text", body))
    if body is None:
        return _TWICE.sub(_ERASED, _FIELD.sub(_ERASED, _OPTIONAL.sub("", event.TELLS)))
    values = {**_defaults(event), **body}
    means: Mapping[str, str] = getattr(event, "MEANS", {})

    def optional(part: re.Match[str]) -> str:
        names = [found[1] for found in _FIELD.finditer(part[1])]
        return part[1] if all(_value(values, name) not in (None, "", (), [], False) for name in names) else ""

    def field(found: re.Match[str]) -> str:
        value = _value(values, found[1])
        if value is None:  # what says nothing is not written; a note need not have a text
            value = body if kind == "note" else "" if found[2] is None else ()
        if found[2] is None:
            return means.get(str(value)) or _shown(found[1], value)
        count = value if isinstance(value, int) else len(value)
        return f"{count:,} {found[2] if count == 1 else found[3]}"

    return _FIELD.sub(field, _OPTIONAL.sub(optional, event.TELLS))


def _defaults(event: Any) -> dict[str, Any]:
    """What is not written: a field that says nothing."""
    return {
        field.name: False if field.type in (bool, "bool") else field.default
        for field in fields(event)
        if field.default is not MISSING or field.type in (bool, "bool")
    }


def _value(values: Mapping[str, Any], path: str) -> Any:
    value: Any = values
    for name in path.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def _shown(name: str, value: Any) -> str:
    if name.endswith("_ms"):
        return datetime.fromtimestamp(value / 1000, UTC).strftime("%Y-%m-%d %H:%M")
    if isinstance(value, list | tuple):
        return ", ".join(map(_text, value)) or "nothing"
    return _text(value)


def _text(value: Any) -> str:
    """Codes in words; whatever else it is as it stands."""
    if isinstance(value, str):
        return value.replace("_", " ") if _CODE.fullmatch(value) else value
    return f"{value:,}" if isinstance(value, int) else json.dumps(value, ensure_ascii=False)
