"""The key of a model's provider: from the settings or from a file only its owner may read.

Whatever is wrong with it, no message shows any of it.
"""

import os
import stat
from pathlib import Path

from palyra.core.errors import FailedPrecondition, InvalidArgument
from palyra.settings import ModelSettings

MAX_KEY_BYTES = 8_192


def read_key(settings: ModelSettings) -> str:
    """The key, or "" when none is set."""
    if settings.api_key and settings.api_key_file:
        raise InvalidArgument(
            "both models.api_key and models.api_key_file are set", hint="keep one of them; the file is the safer one"
        )
    if settings.api_key_file:
        return _checked(_read(settings.api_key_file), "the file of models.api_key_file")
    return _checked(settings.api_key, "models.api_key") if settings.api_key else ""


def _read(file: str) -> str:
    name = file[:200]
    try:
        # Not blocking, so that a pipe in the file's place cannot hold up the start; the mode is of what was opened.
        descriptor = os.open(Path(file).expanduser(), os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError, RuntimeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a path"
        raise FailedPrecondition(
            f"the key file {name!r} cannot be read: {reason}", hint="write the key there, or change models.api_key_file"
        ) from None
    try:
        mode = os.fstat(descriptor).st_mode
        if not stat.S_ISREG(mode):
            raise FailedPrecondition(f"the key file {name!r} is not a file", hint="set models.api_key_file to a file")
        if mode & 0o077:
            raise FailedPrecondition(
                f"the key file {name!r} is open to others (mode {stat.S_IMODE(mode):04o})", hint=f"chmod 600 {name}"
            )
        return os.read(descriptor, MAX_KEY_BYTES + 1).decode("utf-8", "replace")
    finally:
        os.close(descriptor)


def _checked(text: str, where: str) -> str:
    key = text.strip(" \t\r\n")
    if not key:
        raise FailedPrecondition(f"{where} is empty", hint="put the key there, or unset models.api_key_file")
    if len(key) > MAX_KEY_BYTES:
        raise FailedPrecondition(
            f"{where} holds more than {MAX_KEY_BYTES} bytes", hint="a key is one short line: is it the right file?"
        )
    if not all("!" <= character <= "~" for character in key):
        raise FailedPrecondition(
            f"{where} holds a character that no key has: a space, a line break or one beyond ASCII",
            hint="a key is one line of plain characters: copy it again",
        )
    return key
