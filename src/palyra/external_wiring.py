"""How the mirror in an external engine is put together. Imported only when one is switched on."""

import re

from palyra.core.errors import InvalidArgument
from palyra.ports import MirrorIndex
from palyra.providers.vectors.table import make_mirror
from palyra.services.external.runtime import ExternalOptions, ExternalRuntime
from palyra.services.memory.context import Memory
from palyra.settings import Settings

_NAMED = re.compile(r"([a-z0-9][a-z0-9-]{0,31})=(\S+)")
_ONLY = "main"


def build_external(settings: Settings, memory: Memory) -> ExternalRuntime:
    given = settings.memory.external
    addresses = parse_addresses(given.dsn)
    seconds = given.search_timeout_ms / 1_000

    def make(name: str, table: str, dims: int) -> MirrorIndex:
        return make_mirror(given.provider, name, addresses[name], table, dims, search_seconds=seconds)

    options = ExternalOptions(given.provider, tuple(addresses), seconds, given.reconcile_minutes * 60.0)
    return ExternalRuntime(memory.store, memory.clock, memory.follower, options, make)


def parse_addresses(text: str) -> dict[str, str]:
    """Name to address. Errors name no address: it may hold a password."""
    parts = text.split()
    if not parts:
        raise InvalidArgument(
            "memory.external.provider is on and memory.external.dsn is empty",
            hint="set memory.external.dsn to the server's address, such as postgresql://palyra@db/palyra",
        )
    if len(parts) == 1 and not _NAMED.fullmatch(parts[0]):
        return {_ONLY: parts[0]}
    found: dict[str, str] = {}
    for number, part in enumerate(parts, 1):
        match = _NAMED.fullmatch(part)
        if match is None or match[1] in found:
            raise InvalidArgument(
                f"address {number} of memory.external.dsn has no name of its own",
                hint="write a=postgresql://… b=postgresql://…, names in small letters, digits and -",
            )
        found[match[1]] = match[2]
    return found
