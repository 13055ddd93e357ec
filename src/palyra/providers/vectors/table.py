"""Every engine elsewhere by its name."""

from palyra.core.errors import InvalidArgument
from palyra.ports import MirrorIndex

MIRRORS = ("pgvector",)


def make_mirror(provider: str, name: str, dsn: str, table: str, dims: int, *, search_seconds: float) -> MirrorIndex:
    """One server that vectors are mirrored to. Connects when it is first asked something."""
    if provider == "pgvector":
        from palyra.providers.vectors.pgvector.index import PgOptions, PgVectorIndex  # noqa: PLC0415 - off by default

        return PgVectorIndex(PgOptions(name, dsn, table, dims, search_seconds))
    raise InvalidArgument(f"unknown external engine {provider[:64]!r}", hint=f"use one of {', '.join(MIRRORS)}")
