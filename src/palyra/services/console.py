"""Signing in to the web console: by a link that works once, or by a password. Sessions end with the process.

The password's hash lies in a file of its own beside the signing key, never in the journal: journals are exported, and
a password, unlike a token, can be guessed from its hash.
"""

import asyncio
import hashlib
import hmac
import json
import secrets
from collections import deque
from dataclasses import dataclass

from palyra.core.clock import Clock
from palyra.core.errors import Exhausted, InvalidArgument, Unauthenticated
from palyra.core.hashing import sha256
from palyra.domain.journal import Decision, Origin
from palyra.domain.tokens import ConsolePasswordSet, access_draft
from palyra.services.journal import JournalService
from palyra.store.datadir import DataDir, write_durably

LINK_MS = 15 * 60_000
LINKS = 16
SESSIONS = 256
LONGEST_SESSION_MS = 30 * 86_400_000
ATTEMPTS, ATTEMPTS_MS = 10, 5 * 60_000
PASSWORD_LENGTH = (12, 256)
_HINT = "palyra console link prints a link to sign in with"


@dataclass(slots=True)
class ConsoleSession:
    csrf_token: str
    created_at_ms: int
    used_at_ms: int


class Console:
    """Only digests of links and session ids are kept, so that no dump of memory gives a way in."""

    def __init__(self, directory: DataDir, journal: JournalService, clock: Clock, idle_ms: int) -> None:
        self._directory = directory
        self._journal = journal
        self._clock = clock
        self._idle_ms = idle_ms
        self._links: dict[bytes, int] = {}
        self._sessions: dict[bytes, ConsoleSession] = {}
        self._failures: deque[int] = deque(maxlen=ATTEMPTS)
        self._trying = asyncio.Lock()
        """one password at a time: many at once would all be tried before the first one counts"""

    def new_link_code(self) -> str:
        """Works once, for a quarter of an hour."""
        code = secrets.token_urlsafe(24)
        while len(self._links) >= LINKS:
            del self._links[next(iter(self._links))]
        self._links[sha256(code.encode())] = self._clock.now_ms() + LINK_MS
        return code

    def redeem(self, code: str) -> str:
        """The id of a new session. Not throttled: a code cannot be guessed, and guessed passwords lock nobody out."""
        expires_at_ms = self._links.pop(sha256(code.encode("utf-8", "surrogateescape")), 0)
        if self._clock.now_ms() >= expires_at_ms:
            raise Unauthenticated("this link was used before, or is too old", hint=_HINT)
        return self._start()

    async def sign_in(self, password: str) -> str:
        """The id of a new session."""
        async with self._trying:
            self._check_attempts()
            kept = await asyncio.to_thread(self._read_hash)
            if kept is None:
                raise self._failed("no password is set for the console")
            salt, wanted = kept
            if not hmac.compare_digest(await asyncio.to_thread(_hash, password, salt), wanted):
                raise self._failed("wrong password")
            return self._start()

    def session(self, session_id: str) -> ConsoleSession:
        """The session, which from now on lasts as long again."""
        key, now_ms = sha256(session_id.encode("utf-8", "surrogateescape")), self._clock.now_ms()
        found = self._sessions.get(key)
        if found is None:
            raise Unauthenticated("not signed in to the console", hint=_HINT)
        if now_ms - found.used_at_ms >= self._idle_ms or now_ms - found.created_at_ms >= LONGEST_SESSION_MS:
            del self._sessions[key]
            raise Unauthenticated("the console session has expired", hint=_HINT)
        found.used_at_ms = now_ms
        return found

    def end(self, session_id: str) -> None:
        self._sessions.pop(sha256(session_id.encode("utf-8", "surrogateescape")), None)

    async def set_password(self, password: str | None, by: Origin) -> None:
        """None removes it. Everybody is signed out."""
        low, high = PASSWORD_LENGTH
        if password is not None and not low <= len(password) <= high:
            raise InvalidArgument(
                f"a password of {len(password)} characters; {low} to {high} are allowed", hint="use a phrase"
            )
        event = ConsolePasswordSet(password is not None)
        async with self._trying:  # whoever signs in with the old one does so before everybody is signed out
            await self._journal.commit(lambda _tx: Decision((access_draft(event, by),), None))
            await asyncio.to_thread(self._write_hash, password)
            self._sessions.clear()

    def _start(self) -> str:
        self._failures.clear()
        session_id, now_ms = secrets.token_urlsafe(32), self._clock.now_ms()
        while len(self._sessions) >= SESSIONS:
            del self._sessions[min(self._sessions, key=lambda key: self._sessions[key].used_at_ms)]
        self._sessions[sha256(session_id.encode())] = ConsoleSession(secrets.token_urlsafe(24), now_ms, now_ms)
        return session_id

    def _check_attempts(self) -> None:
        if len(self._failures) == ATTEMPTS and self._clock.now_ms() - self._failures[0] < ATTEMPTS_MS:
            raise Exhausted(
                f"{ATTEMPTS} failed attempts to sign in within {ATTEMPTS_MS // 60_000} minutes",
                hint="sign in with a link: palyra console link",
                retry_after_ms=self._failures[0] + ATTEMPTS_MS - self._clock.now_ms(),
            )

    def _failed(self, message: str) -> Unauthenticated:
        self._failures.append(self._clock.now_ms())
        return Unauthenticated(message, hint=_HINT)

    def _read_hash(self) -> tuple[bytes, bytes] | None:
        try:
            kept = json.loads(self._directory.console_password.read_text("utf-8"))
        except FileNotFoundError:
            return None
        return bytes.fromhex(kept["salt"]), bytes.fromhex(kept["scrypt"])

    def _write_hash(self, password: str | None) -> None:
        if password is None:
            self._directory.console_password.unlink(missing_ok=True)
            return
        salt = secrets.token_bytes(16)
        kept = {"salt": salt.hex(), "scrypt": _hash(password, salt).hex()}
        write_durably(self._directory.console_password, json.dumps(kept).encode())


def _hash(password: str, salt: bytes) -> bytes:
    return hashlib.scrypt(
        password.encode("utf-8", "surrogateescape"), salt=salt, n=1 << 15, r=8, p=1, maxmem=1 << 26, dklen=32
    )
