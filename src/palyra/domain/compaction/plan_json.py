"""Plans and artifacts as JSON, and back. What comes back is checked against the types of the fields, all of it."""

from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from functools import cache
from typing import Any, TypeVar, cast, get_args, get_origin, get_type_hints

from palyra.core.errors import InvalidArgument
from palyra.core.hashing import Json
from palyra.domain.compaction.plan import STRATEGY, CompactionArtifact, SessionCompactionPlan

T = TypeVar("T")


def to_json(value: SessionCompactionPlan | CompactionArtifact) -> dict[str, Json]:
    """The same bytes for the same plan, once written canonically. What is empty and need not be there is left out."""
    return cast("dict[str, Json]", _plain(value))


def plan_from_json(data: object) -> SessionCompactionPlan:
    return _known(cast("SessionCompactionPlan", _read(SessionCompactionPlan, _as_now(data), "plan")))


def artifact_from_json(data: object) -> CompactionArtifact:
    return _known(cast("CompactionArtifact", _read(CompactionArtifact, data, "artifact")))


def _as_now(data: object) -> object:
    """A plan that was written when losses were counted by probes, as it would be written now."""
    if not isinstance(data, dict) or "probes" not in data:
        return data
    told, was = {name: one for name, one in data.items() if name not in _RETIRED}, data.get("loss")
    if isinstance(was, dict) and "probes" in was:
        lost = [{name: one[name] for name in ("seq", "kind", "text")} for one in was["lost"]]
        told["loss"] = {"statements": was["probes"], "in_summary": was["present"], "lost": lost}
    return told


_RETIRED = frozenset({"probes", "superseded"})


def _known(value: T) -> T:
    strategy = getattr(value, "strategy", None)
    if strategy != STRATEGY:
        raise InvalidArgument(
            f"this compaction was made by the strategy {str(strategy)[:64]!r}, which is not known here",
            hint="a newer Palyra may know it",
        )
    return value


def _plain(value: Any) -> Json:
    if is_dataclass(value):
        told = ((one, getattr(value, one.name)) for one in fields(value))
        return {one.name: _plain(held) for one, held in told if held or one.default is MISSING or held != one.default}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return cast("Json", value.value if isinstance(value, Enum) else value)


def _read(kind: Any, data: object, place: str) -> Any:
    if is_dataclass(kind):
        return _read_record(cast("type", kind), data, place)
    if get_origin(kind) is tuple:
        if not isinstance(data, list):
            raise _unfit(place, "a list")
        return tuple(_read(get_args(kind)[0], one, f"{place}[{n}]") for n, one in enumerate(data))
    if issubclass(kind, Enum):
        try:
            return kind(data)
        except ValueError:
            raise _unfit(place, "one of " + ", ".join(str(one.value) for one in kind)) from None
    if type(data) is not kind:
        raise _unfit(place, f"of type {kind.__name__}")
    return data


def _read_record(kind: type, data: object, place: str) -> Any:
    types = _types(kind)
    if not isinstance(data, dict) or not _needed(kind) <= data.keys() <= types.keys():
        raise _unfit(place, "an object with " + ", ".join(types))
    return kind(**{name: _read(types[name], one, f"{place}.{name}") for name, one in data.items()})


@cache
def _needed(kind: type) -> frozenset[str]:
    return frozenset(field.name for field in fields(kind) if field.default is MISSING)


@cache
def _types(kind: type) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in fields(kind)}


def _unfit(place: str, wanted: str) -> InvalidArgument:
    return InvalidArgument(f"{place} is not {wanted}", hint="it was written by something else, or changed since")
