"""Time zones by their IANA names, as the tzdata package lists them: the same on every machine."""

from difflib import get_close_matches
from functools import cache
from importlib.resources import files

from palyra.core.errors import InvalidArgument


def checked_zone(name: str) -> str:
    """The name itself, if it is one; a misspelt one is refused with the nearest that exists."""
    if name in _zones():
        return name
    by_case = {zone.casefold(): zone for zone in _zones()}
    near = get_close_matches(name.casefold()[:64], by_case, n=1, cutoff=0.75)
    hint = f"did you mean {by_case[near[0]]}?" if near else "use a name such as Europe/Lisbon, America/New_York or UTC"
    raise InvalidArgument(f"time zone {name[:64]!r} does not exist", hint=hint, zone=name[:64])


@cache
def _zones() -> frozenset[str]:
    return frozenset(files("tzdata").joinpath("zones").read_text("utf-8").split())
