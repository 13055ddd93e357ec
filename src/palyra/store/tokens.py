"""API tokens: the table, and how its events become rows."""

import json
from typing import Any, cast

from palyra.domain.access import Capability
from palyra.domain.journal import Actor
from palyra.domain.tokens import (
    AccessRefused,
    ConsolePasswordSet,
    PrincipalCrossed,
    Token,
    TokenCreated,
    TokenGrant,
    TokenRevoked,
)
from palyra.store.connection import ReadTx, WriteTx
from palyra.store.projector import Applied, Body, Projector

_COLUMNS = (
    "token_id, principal, actor, channels, capabilities, label, expires_at_ms, digest, created_at_ms, revoked_at_ms"
)


def fetch_token(tx: ReadTx, token_id: str) -> Token | None:
    row = tx.execute(f"SELECT {_COLUMNS} FROM access_tokens WHERE token_id = ?", (token_id,)).fetchone()
    return None if row is None else _to_token(row)


def list_tokens(tx: ReadTx, after: str, limit: int) -> list[Token]:
    rows = tx.execute(
        f"SELECT {_COLUMNS} FROM access_tokens WHERE token_id > ? ORDER BY token_id LIMIT ?", (after, limit)
    )
    return [_to_token(row) for row in rows]


def _to_token(row: tuple[Any, ...]) -> Token:
    token_id, principal, actor, channels, capabilities, label, expires_at_ms, digest, created_at_ms, revoked_at_ms = row
    grant = TokenGrant(
        principal,
        Actor(actor),
        tuple(json.loads(channels)),
        frozenset(map(Capability, json.loads(capabilities))),
        label,
        expires_at_ms,
    )
    return Token(token_id, grant, digest, created_at_ms, revoked_at_ms)


def _created(tx: WriteTx, event: Applied, body: Body) -> None:
    if body is None:
        return
    tx.execute(
        "INSERT INTO access_tokens VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)",
        (
            body["token_id"],
            event.seq,
            bytes.fromhex(cast("str", body["digest"])),
            body["principal"],
            body["actor"],
            json.dumps(body["channels"], ensure_ascii=False),
            json.dumps(body["capabilities"]),
            body["label"],
            event.recorded_at_ms,
            body["expires_at_ms"],
        ),
    )


def _revoked(tx: WriteTx, event: Applied, body: Body) -> None:
    if body is None:
        return
    tx.execute(
        "UPDATE access_tokens SET revoked_at_ms = ? WHERE token_id = ? AND revoked_at_ms IS NULL",
        (event.recorded_at_ms, body["token_id"]),
    )


_TABLES = ("access_tokens",)

ACCESS_PROJECTORS: dict[str, Projector] = {
    TokenCreated.KIND: Projector(_TABLES, _created, erasable=False),
    TokenRevoked.KIND: Projector(_TABLES, _revoked, erasable=False),
    PrincipalCrossed.KIND: Projector(erasable=False),
    AccessRefused.KIND: Projector(erasable=False),
    ConsolePasswordSet.KIND: Projector(erasable=False),
}
