"""What a person hands in: text and files, checked before anything is made for them."""

import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from palyra.core import limits
from palyra.core.errors import InvalidArgument, TooLarge
from palyra.core.text import has_lone_surrogate


@dataclass(frozen=True, slots=True)
class File:
    name: str
    data: bytes


def check_text(text: str, *, alone: bool = True) -> str:
    """As it is. `alone`: nothing else is sent with it, so it must say something."""
    if has_lone_surrogate(text):
        raise InvalidArgument("the message is not text in UTF-8", hint="check the encoding of what you send")
    size = len(text.encode())
    if size > limits.MESSAGE_BYTES:
        raise TooLarge(f"the message has {size} bytes; at most {limits.MESSAGE_BYTES}", hint="attach it as a file")
    if alone and not text.strip():
        raise InvalidArgument("the message is empty", hint="say something")
    return text


def check_files(files: Sequence[File]) -> None:
    if len(files) > limits.ATTACHMENTS:
        raise InvalidArgument(
            f"{len(files)} files; at most {limits.ATTACHMENTS} go with a message", hint="send the others with the next"
        )


def read_text(stream: BinaryIO) -> str:
    """All of it, up to the limit of a message."""
    data = stream.read(limits.MESSAGE_BYTES + 1)
    if len(data) > limits.MESSAGE_BYTES:
        raise TooLarge(f"the message has more than {limits.MESSAGE_BYTES} bytes", hint="attach it as a file: --attach")
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise InvalidArgument(
            "the message is not text in UTF-8", hint="check the encoding, or attach it as a file: --attach"
        ) from None


def read_file(name: str) -> File:
    path = Path(name).expanduser()
    try:
        with open(path, "rb", opener=_without_waiting) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise InvalidArgument(f"{name} is not a file", hint="attach files one by one")
            data = file.read(limits.ATTACHMENT_BYTES + 1)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "no such name"
        raise InvalidArgument(f"cannot read {name}: {why}", hint="check the path") from None
    if len(data) > limits.ATTACHMENT_BYTES:
        raise TooLarge(f"{name} has more than {limits.ATTACHMENT_BYTES} bytes", hint="attach a part of it")
    return File(path.name, data)


def _without_waiting(path: str, flags: int) -> int:
    """Nobody may ever write into a pipe of that name."""
    return os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC)
