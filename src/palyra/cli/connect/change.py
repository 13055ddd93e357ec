"""A change to a file of somebody's settings: shown as a difference first, then written, all of it or nothing."""

import difflib
import os
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from palyra.core.errors import FailedPrecondition, InvalidArgument


@dataclass(frozen=True, slots=True)
class FileChange:
    path: Path
    old: str | None
    """None: there is no such file yet"""
    new: str
    difference: str
    """empty: nothing to do"""

    @property
    def backup(self) -> Path:
        return self.path.with_name(self.path.name + ".before-palyra")


def planned(path: Path, edit: Callable[[str], str]) -> FileChange:
    """What `edit` makes of the file. Refuses what it cannot read or may not write rather than lose any of it."""
    path = path.expanduser().resolve()
    try:
        old = path.read_text("utf-8") if path.exists() else None
        is_read_only = old is not None and not path.stat().st_mode & 0o200
    except (OSError, UnicodeDecodeError) as error:
        raise FailedPrecondition(f"cannot read {path}: {error}", hint="check the file, or use --print") from None
    new = edit(old or "")
    if is_read_only and new != old:
        raise FailedPrecondition(f"{path} is read-only; nothing was changed", hint=f"chmod u+w {path}, or use --print")
    lines = difflib.unified_diff(
        (old or "").splitlines(keepends=True),
        new.splitlines(keepends=True),
        str(path) if old is not None else "(no file yet)",
        str(path),
    )
    return FileChange(path, old, new, "".join(line if line.endswith("\n") else line + "\n" for line in lines))


def write(change: FileChange) -> None:
    """All or nothing, and the file as it was beside it."""
    mode = 0o600 if change.old is None else change.path.stat().st_mode & 0o777
    try:
        change.path.parent.mkdir(parents=True, exist_ok=True)
        if change.old is not None:
            _write_file(change.backup, change.old, mode)
        replace_file(change.path, change.new, mode)
    except OSError as error:
        raise FailedPrecondition(f"cannot write {change.path}: {error.strerror}", hint="check its directory") from None


def replace_file(path: Path, text: str, mode: int) -> None:
    temporary = path.with_name(path.name + ".palyra-tmp")
    try:
        _write_file(temporary, text, mode)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def _write_file(path: Path, text: str, mode: int) -> None:
    descriptor = os.open(path, os.O_CREAT | os.O_TRUNC | os.O_WRONLY | os.O_CLOEXEC, mode)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def read_toml(text: str, path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise unreadable(path, str(error)) from None


def is_toml(text: str, wanted: Mapping[str, Any]) -> bool:
    """Whether an edit came out as it was meant."""
    try:
        return tomllib.loads(text) == wanted
    except tomllib.TOMLDecodeError:
        return False


def unreadable(path: Path, why: str) -> InvalidArgument:
    return InvalidArgument(f"{path} cannot be read: {why}", hint="mend the file, then repeat")
