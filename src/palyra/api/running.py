"""Where the daemon of a data directory listens, and the secret by which it knows the owner's own commands.

The file lies in the data directory, readable by its owner only, and is believed only while the process that wrote it
holds the directory's lock: a stranger on the same port after a crash gets neither the secret nor a single word.
"""

import fcntl
import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

_NAME = "palyrad.json"
_SECONDS = 5


@dataclass(frozen=True, slots=True)
class Running:
    pid: int
    http: str
    """such as http://127.0.0.1:7142"""
    grpc: str
    """such as 127.0.0.1:7443; empty: not served"""
    secret: str


def announce(data_dir: Path, running: Running) -> None:
    temporary = data_dir / (_NAME + ".tmp")
    descriptor = os.open(temporary, os.O_CREAT | os.O_TRUNC | os.O_WRONLY | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump(asdict(running), file)
    temporary.replace(data_dir / _NAME)


def retract(data_dir: Path) -> None:
    with suppress(OSError):  # a disk that takes no writes: nobody believes the file once the lock is free
        (data_dir / _NAME).unlink()


def why_not_ready(running: Running) -> tuple[str, str] | None:
    """What the daemon says is wrong with it, and what to do; None: it is ready, or does not answer."""
    import http.client  # noqa: PLC0415 - only for whoever looks for what is wrong

    host = running.http.removeprefix("http://")
    connection = http.client.HTTPConnection(host, timeout=_SECONDS)
    try:
        connection.request("GET", "/readyz")
        answer = connection.getresponse()
        error = json.loads(answer.read()).get("error")
        return None if error is None else (str(error["message"]), str(error["hint"]))
    except (OSError, http.client.HTTPException, ValueError, KeyError):
        return None
    finally:
        connection.close()


def find_daemon(data_dir: Path) -> Running | None:
    """The daemon that serves this directory now, if there is one."""
    try:
        running = Running(**json.loads((data_dir / _NAME).read_text("utf-8")))
        lock = os.open(data_dir / "lock", os.O_RDWR | os.O_CLOEXEC)
    except (OSError, ValueError, TypeError):
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return running if os.pread(lock, 64, 0) == b"process %d" % running.pid else None
    else:
        return None  # whoever wrote the file is gone
    finally:
        with suppress(OSError):
            os.close(lock)
