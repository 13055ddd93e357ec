"""Ids as people type them: the first characters of one, or `@last` for the one that stands last on their screen.

Programs and other surfaces give whole ids. `@last` is what this home printed last, not what was made last: with an
agent at work beside a person, what was made last is something that nobody has seen.
"""

import json
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from palyra.core.ids import is_ulid

if TYPE_CHECKING:
    from palyra.cli.command import Invocation

LAST = "@last"
_FILE = "last_ids.json"
_BEGINNING = re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{0,25}", re.IGNORECASE)
_FIELDS = {
    "event_id": "event",
    "memory_id": "memory",
    "candidate_id": "candidate",
    "proposal_id": "candidate",
    "session_id": "session",
    "run_id": "run",
    "checkpoint_id": "checkpoint",
    "job_id": "job",
    "token_id": "token",
}
"""fields of answers that hold the id of what the answer is about"""
_SHOWN_AS = {"learned": "candidate", "proposal": "candidate"}
_NAMED = {"session", "checkpoint", "job"}
"""kinds with names of one's own: what begins like an id may be one of those, and the command itself says what it is"""


class Id(click.ParamType[str]):
    """An id of one of these kinds, to be completed once it is known which data directory is meant."""

    name = "id"

    def __init__(self, *kinds: str) -> None:
        self.kinds = kinds


def complete_ids(call: "Invocation", command: click.Command, given: dict[str, Any]) -> None:
    """Puts whole ids where first characters or `@last` were given."""
    for parameter in command.params:
        text = given.get(parameter.name or "")
        if not isinstance(parameter.type, Id) or not text:
            continue
        principal = given.get("who", given).get("principal")
        if isinstance(text, str):
            given[str(parameter.name)] = _whole(call, parameter.type.kinds, text, principal)
        else:
            given[str(parameter.name)] = tuple(_whole(call, parameter.type.kinds, one, principal) for one in text)


def _whole(call: "Invocation", kinds: tuple[str, ...], text: str, principal: str | None) -> str:
    from palyra.core.errors import InvalidArgument, NotFound

    what = " or ".join(kinds)
    if text == LAST:
        return _last(call.settings().data_dir, kinds, what)
    if is_ulid(text) or (text.isdigit() and "event" in kinds):  # an event has a number, too
        return text
    if not _BEGINNING.fullmatch(text):
        if _NAMED.isdisjoint(kinds):
            hint = f"give an id such as 01JD8QZ6T3M4N5P6Q7R8S9TABC, or its first characters, or {LAST}"
            raise InvalidArgument(f"{text[:64]!r} is no {what} id", hint=hint)
        return text
    found = _found(call, kinds, text, principal)
    if len(found) > 1:
        shown = ", ".join(found[:8]) + (", …" if len(found) > 8 else "")
        raise InvalidArgument(f"{text!r} is the beginning of several {what} ids: {shown}", hint="give more of it")
    if found:
        return found[0]
    if _NAMED.isdisjoint(kinds):
        raise NotFound(f"no {what} id begins with {text!r}", hint="an id is what list shows")
    return text


def _found(call: "Invocation", kinds: tuple[str, ...], text: str, principal: str | None) -> list[str]:
    from palyra.api import system as api
    from palyra.wire.system import FindIds

    return call.call(api.find_ids, FindIds(beginning=text, kinds=kinds, principal=principal)).ids


def _last(data_dir: Path, kinds: tuple[str, ...], what: str) -> str:
    from palyra.core.errors import NotFound

    shown = _read(data_dir)
    for kind in reversed(shown):
        if kind in {_SHOWN_AS.get(one, one) for one in kinds}:
            return shown[kind]
    raise NotFound(f"no {what} id was shown here yet", hint="list them first")


def ids_in(answer: object) -> dict[str, str]:
    """By kind: what an answer is about, and of a list the last line."""
    return dict(_ids_in(answer))


def keep_ids(data_dir: Path, found: dict[str, str]) -> None:
    """What `@last` means from now on. A convenience: where it cannot be kept, nothing else fails."""
    shown = _read(data_dir)
    for kind, one in found.items():
        shown.pop(kind, None)
        shown[kind] = one  # at the end: the kind that was shown last
    temporary = data_dir / f".{_FILE}.{os.getpid()}"
    with suppress(OSError):
        descriptor = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        with open(descriptor, "w", encoding="utf-8") as file:  # noqa: PTH123 - by number
            json.dump(shown, file)
        temporary.replace(data_dir / _FILE)


def _read(data_dir: Path) -> dict[str, str]:
    """By kind, the one shown last at the end."""
    try:
        shown = json.loads((data_dir / _FILE).read_text("utf-8"))
        return {str(kind): one for kind, one in shown.items() if is_ulid(one)}
    except (OSError, ValueError, AttributeError, TypeError):
        return {}


def _ids_in(answer: object) -> Iterator[tuple[str, str]]:
    if isinstance(answer, list | tuple):
        if answer:
            yield from _ids_in(answer[-1])
        return
    fields: tuple[str, ...] = getattr(answer, "__struct_fields__", ())
    for name in fields:
        value = getattr(answer, name)
        if name in _FIELDS and isinstance(value, str) and is_ulid(value):
            yield _FIELDS[name], value
            return
    for name in fields:
        yield from _ids_in(getattr(answer, name))
