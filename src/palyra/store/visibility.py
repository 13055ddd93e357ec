"""The one predicate of `domain/scope.py`, as SQL. Every read of scoped rows takes it as an argument."""

from typing import TypeAlias

from palyra.domain.scope import Everyone, Visibility

Seer: TypeAlias = Visibility | Everyone


def visible_clause(seer: Seer, alias: str = "") -> tuple[str, tuple[str | None, ...]]:
    """A condition over columns principal, channel and session_id, and what to bind to it."""
    if isinstance(seer, Everyone):
        return "TRUE", ()
    at = f"{alias}." if alias else ""
    # `= NULL` is never true, so a caller without a channel sees only what has none.
    where = (
        f"({at}principal = ? AND ({at}channel IS NULL OR {at}channel = ?)"
        f" AND ({at}session_id IS NULL OR {at}session_id = ?))"
    )
    return where, (seer.principal, seer.channel, seer.session_id)


def place_clause(seer: Visibility, alias: str = "") -> tuple[str, tuple[str | None, ...]]:
    """The same for what has no session of its own, such as sessions: seen from any session of its channel."""
    at = f"{alias}." if alias else ""
    return f"({at}principal = ? AND ({at}channel IS NULL OR {at}channel = ?))", (seer.principal, seer.channel)
