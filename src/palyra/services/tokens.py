"""API tokens: making, listing and revoking them, and knowing whose a presented one is."""

import hmac
import secrets
from dataclasses import dataclass

from palyra.core import limits
from palyra.core.clock import Clock
from palyra.core.errors import InvalidArgument, NotFound, Unauthenticated
from palyra.core.ids import parse_ulid
from palyra.domain.access import Capability
from palyra.domain.journal import Actor, Decision, Origin
from palyra.domain.tokens import (
    AccessRefused,
    PrincipalCrossed,
    Token,
    TokenCreated,
    TokenGrant,
    TokenId,
    TokenRevoked,
    access_draft,
    check_grant,
    read_token,
    write_token,
)
from palyra.services.journal import JournalService
from palyra.store.connection import ReadTx
from palyra.store.journal_store import JournalStore
from palyra.store.tokens import fetch_token, list_tokens

_READING_MS = 600_000
_REFUSAL_MS = 60_000
_HINT = "palyra token create --principal NAME --can read --can write"


@dataclass(frozen=True, slots=True)
class NewToken:
    token: Token
    text: str
    """shown once, kept nowhere"""


class Tokens:
    """Remembers what it has read: the process that serves is the only one that writes."""

    def __init__(self, store: JournalStore, journal: JournalService, clock: Clock) -> None:
        self._store = store
        self._journal = journal
        self._clock = clock
        self._known: dict[TokenId, Token] = {}
        self._revocations = 0
        self._readings: dict[tuple[str, str], int] = {}
        self._refusals: dict[tuple[str, str], int] = {}

    async def create(self, grant: TokenGrant, by: Origin) -> NewToken:
        now_ms = self._clock.now_ms()
        check_grant(grant, now_ms)
        token_id, secret = TokenId(self._store.ids.next(now_ms)), secrets.token_urlsafe(32)
        text = write_token(token_id, secret)
        read = read_token(text)
        assert read is not None  # noqa: S101 - our own format
        event = TokenCreated(
            token_id,
            read[1].hex(),
            grant.principal,
            grant.actor.value,
            grant.channels,
            tuple(sorted(grant.capabilities)),
            grant.label,
            grant.expires_at_ms,
        )
        committed = await self._journal.commit(lambda _tx: Decision((access_draft(event, by),), None))
        return NewToken(Token(token_id, grant, read[1], committed.receipts[0].recorded_at_ms), text)

    async def list(self, after: str = "", limit: int = 100) -> list[Token]:
        if not 1 <= limit <= limits.PAGE_ITEMS:
            raise InvalidArgument(f"limit {limit} is outside 1..{limits.PAGE_ITEMS}", hint="ask for smaller pages")
        if after:
            parse_ulid(after, "after")
        return await self._store.db.read(lambda tx: list_tokens(tx, after, limit))

    async def revoke(self, token_id: str, by: Origin) -> Token:
        """Holds from the moment it returns. Revoking twice changes nothing."""
        parse_ulid(token_id, "token id")

        def work(tx: ReadTx) -> Decision[None]:
            token = fetch_token(tx, token_id)
            if token is None:
                raise NotFound(f"no token has the id {token_id}", hint="palyra token list")
            if token.revoked_at_ms is not None:
                return Decision((), None)
            return Decision((access_draft(TokenRevoked(token.token_id), by),), None)

        await self._journal.commit(work)
        self._revocations += 1
        self._known.pop(TokenId(token_id), None)
        token = await self._store.db.read(lambda tx: fetch_token(tx, token_id))
        assert token is not None  # noqa: S101 - just written
        return token

    async def authenticate(self, text: str) -> Token:
        """Whose token this is. One answer for every token that is none, so that nobody learns which ids exist."""
        read = read_token(text)
        if read is None:
            raise Unauthenticated("this is not a Palyra token", hint=_HINT)
        token_id, digest = read
        token = self._known.get(token_id) or await self._load(token_id)
        if token is None or not hmac.compare_digest(token.digest, digest):
            raise Unauthenticated("unknown token", hint=_HINT)
        state = token.state(self._clock.now_ms())
        if state != "active":
            raise Unauthenticated(f"this token is {state}", hint=_HINT)
        return token

    async def note_crossing(self, by: str, principal: str, operation: str) -> None:
        """Before anything of a foreign principal is read or written, it says so in the journal."""
        event = PrincipalCrossed(by, operation)
        origin = Origin(principal, Actor.OPERATOR)
        await self._journal.commit(lambda _tx: Decision((access_draft(event, origin),), None))

    async def note_reading(self, by: str, principal: str, operation: str) -> None:
        """That somebody reads what everybody wrote, at most once in ten minutes: a reader of the journal must not
        fill it with their own reading."""
        now_ms = self._clock.now_ms()
        if now_ms - self._readings.get((by, operation), -_READING_MS) < _READING_MS:
            return
        await self.note_crossing(by, principal, operation)
        if len(self._readings) >= limits.KNOWN_TOKENS:
            self._readings.clear()
        self._readings[by, operation] = now_ms

    async def note_refusal(self, by: str, origin: Origin, operation: str, needs: Capability) -> None:
        """That somebody called for what only persons may do, at most once a minute: an agent that tries again and
        again must not fill the journal."""
        now_ms = self._clock.now_ms()
        last_ms = self._refusals.get((by, operation))
        if last_ms is not None and 0 <= now_ms - last_ms < _REFUSAL_MS:
            return
        if len(self._refusals) >= limits.KNOWN_TOKENS:
            self._refusals.clear()
        self._refusals[by, operation] = now_ms  # before it is written: many may be asking at once
        event = AccessRefused(by, operation, needs.value)
        await self._journal.commit(lambda _tx: Decision((access_draft(event, origin),), None))

    async def _load(self, token_id: TokenId) -> Token | None:
        before = self._revocations
        token = await self._store.db.read(lambda tx: fetch_token(tx, token_id))
        # What was read while a token was being revoked may be of the time before; remembered, it would never end.
        if token is not None and before == self._revocations and len(self._known) < limits.KNOWN_TOKENS:
            self._known[token_id] = token
        return token
