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
    name, address = parse_address(given.dsn)
    seconds = given.search_timeout_ms / 1_000

    def make(table: str, dims: int) -> MirrorIndex:
        return make_mirror(given.provider, name, address, table, dims, search_seconds=seconds)

    options = ExternalOptions(given.provider, name, seconds, given.reconcile_minutes * 60.0)
    return ExternalRuntime(memory.store, memory.clock, memory.follower, options, make)


def parse_address(text: str) -> tuple[str, str]:
    """Name and address of the first server; others are left alone. Errors name no address: it may hold a password."""
    parts = text.split()
    if not parts:
        raise InvalidArgument(
            "memory.external.provider is on and memory.external.dsn is empty",
            hint="set memory.external.dsn to the server's address, such as postgresql://palyra@db/palyra",
        )
    match = _NAMED.fullmatch(parts[0])
    return (match[1], match[2]) if match else (_ONLY, parts[0])
