"""When the disk refuses: why writing has stopped, when it is tried again, and when that is given up.

Pauses grow from attempt to attempt, and from one outage to the next that follows on it: a disk that fails now and then
is not worn out by looking at it.
"""

import errno
import logging
from time import monotonic

import apsw

from palyra.core.errors import PalyraError, Unavailable
from palyra.store.connection import DISK_FULL

log = logging.getLogger("palyra.journal")

DISK_ERRORS = (apsw.IOError, apsw.FullError, apsw.ReadOnlyError, apsw.CantOpenError)
FIRST_PAUSE_SECONDS = 0.1
LONGEST_PAUSE_SECONDS = 4.0
MOST_ATTEMPTS = 6
"""of opening the journal on a disk that takes files: what does not succeed by then, a new process may manage"""
_CALM_SECONDS = 60.0

_GOES_ON = "nothing that was acknowledged is lost; writing goes on by itself within seconds {}; then repeat the request"


class Outage:
    """Of one database: lasts from a failed commit until the journal is open again. Used by the writer thread alone,
    but for what it says."""

    def __init__(self) -> None:
        self.refusal: PalyraError | None = None
        """what whoever wants to write is told; None: all is well"""
        self.is_final = False
        """nothing is tried any more"""
        self.is_lost = False
        """because it was tried in vain"""
        self._began_at = self._ended_at = float("-inf")
        self._pause_seconds = FIRST_PAUSE_SECONDS
        self._next_at = 0.0
        self._attempts = 0

    @property
    def seconds_to_attempt(self) -> float | None:
        """None: there is nothing to be mended."""
        if self.refusal is None or self.is_final:
            return None
        return max(0.0, self._next_at - monotonic())

    def begin(self, error: BaseException) -> None:
        """Or goes on, for another reason."""
        if self.is_final:
            return
        now = monotonic()
        if self.refusal is None:
            if now - self._ended_at > _CALM_SECONDS:
                self._pause_seconds = FIRST_PAUSE_SECONDS
            self._began_at, self._attempts = now, 0
        self.refusal = _refusal(error)
        self._next_at = now + self._pause_seconds
        log.warning("%s", self.refusal.message)

    def wait_for_disk(self, error: OSError | apsw.Error) -> None:
        """It takes no files yet: as long as that lasts, there is nothing to give up."""
        self.refusal = _refusal(error)
        self._attempts = 0
        self._wait()

    def postpone(self) -> None:
        self._next_at = monotonic() + self._pause_seconds

    def attempt_failed(self, error: PalyraError) -> None:
        """The disk takes files, and still the journal could not be opened and written to."""
        self._attempts += 1
        if not isinstance(error, Unavailable) or self._attempts >= MOST_ATTEMPTS:
            self.is_final = self.is_lost = True
            self.refusal = Unavailable(
                "writing has stopped, and the journal cannot be opened again",
                hint="the daemon ends, for whoever watches over it to start it anew; palyra doctor says what is wrong",
                reason="cannot_reopen",
            )
            log.error("%s: %s", self.refusal.message, error.message)
            return
        self._wait()

    def over(self) -> None:
        now = monotonic()
        log.warning("writing goes on: the journal is open again after %.1f s", now - self._began_at)
        self.refusal, self._ended_at = None, now

    def _wait(self) -> None:
        self._pause_seconds = min(LONGEST_PAUSE_SECONDS, 2 * self._pause_seconds)
        self._next_at = monotonic() + self._pause_seconds


def _refusal(error: BaseException) -> Unavailable:
    """In words without a path: they are told to whoever asks whether we are ready."""
    match error:
        case apsw.FullError() | OSError(errno=errno.ENOSPC | errno.EDQUOT):
            reason, what, once = DISK_FULL, "the disk is full", "once there is space again"
        case apsw.ReadOnlyError() | OSError(errno=errno.EROFS | errno.EACCES | errno.EPERM):
            reason, what, once = "read_only", "the disk is read-only", "once it can be written to again"
        case apsw.IOError() | apsw.CantOpenError() | OSError():
            reason, what, once = "disk_error", "the disk failed (input/output error)", "once it works again"
        case _:
            reason, what, once = "commit_failed", f"a commit failed ({error})", "once the journal is open again"
    return Unavailable(f"writing has stopped: {what}", hint=_GOES_ON.format(once), reason=reason)
