"""Where agents keep the list of MCP servers they start, and how to add ours without touching anything else."""

import difflib
import json
import os
import re
import sys
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from palyra.core.errors import FailedPrecondition, InvalidArgument

_NAME = "palyra"


@dataclass(frozen=True, slots=True)
class Agent:
    file: str
    """under the home directory"""
    project_file: str
    """under the directory of a project"""
    merge: Callable[[str, Path, list[str]], str]


@dataclass(frozen=True, slots=True)
class Change:
    path: Path
    old: str | None
    """None: there is no such file yet"""
    new: str
    difference: str
    """empty: nothing to do"""

    @property
    def backup(self) -> Path:
        return self.path.with_name(self.path.name + ".before-palyra")


def plan(agent: Agent, folder: Path, project: bool, arguments: list[str]) -> Change:
    """What would be written where. Refuses what it cannot read rather than lose any of it."""
    path = (folder / (agent.project_file if project else agent.file)).resolve()
    try:
        old = path.read_text("utf-8") if path.exists() else None
    except (OSError, UnicodeDecodeError) as error:
        raise FailedPrecondition(f"cannot read {path}: {error}", hint="check the file, or use --print") from None
    new = agent.merge(old or "", path, [*_command(), *arguments])
    lines = difflib.unified_diff(
        (old or "").splitlines(keepends=True),
        new.splitlines(keepends=True),
        str(path) if old is not None else "(no file yet)",
        str(path),
    )
    return Change(path, old, new, "".join(line if line.endswith("\n") else line + "\n" for line in lines))


def write(change: Change) -> None:
    """All or nothing, and the file as it was beside it."""
    mode = 0o600 if change.old is None else change.path.stat().st_mode & 0o777
    temporary = change.path.with_name(change.path.name + ".palyra-tmp")
    try:
        change.path.parent.mkdir(parents=True, exist_ok=True)
        if change.old is not None:
            _write_file(change.backup, change.old, mode)
        _write_file(temporary, change.new, mode)
        temporary.replace(change.path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise FailedPrecondition(f"cannot write {change.path}: {error}", hint="check its directory") from None


def _write_file(path: Path, text: str, mode: int) -> None:
    descriptor = os.open(path, os.O_CREAT | os.O_TRUNC | os.O_WRONLY | os.O_CLOEXEC, mode)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def _command() -> list[str]:
    """By its full path: an agent does not search where a shell does."""
    script = Path(sys.executable).with_name("palyra")
    return [str(script)] if script.exists() else [sys.executable, "-m", "palyra"]


def _into_json(text: str, path: Path, command: list[str], **more: str) -> str:
    try:
        settings = json.loads(text, object_pairs_hook=_no_key_twice) if text.strip() else {}
    except (ValueError, RecursionError) as error:
        raise _unreadable(path, str(error)) from None
    if not isinstance(settings, dict) or not isinstance(settings.setdefault("mcpServers", {}), dict):
        raise _unreadable(path, "mcpServers is not an object")
    there = settings["mcpServers"].get(_NAME)
    entry = {**(there if isinstance(there, dict) else {}), **more, "command": command[0], "args": command[1:]}
    if there == entry:
        return text
    settings["mcpServers"][_NAME] = entry
    indent = re.search(r"^([ \t]+)\S", text, re.MULTILINE)
    return json.dumps(settings, ensure_ascii=False, indent=indent[1] if indent else 2) + "\n"


def _no_key_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key is there twice")
    return found


def _into_toml(text: str, path: Path, command: list[str]) -> str:
    """Our table is put at the end, or changed where it is; all other lines stay as they are, comments too."""
    try:
        settings = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _unreadable(path, str(error)) from None
    quoted = [json.dumps(part, ensure_ascii=False) for part in command]  # a TOML string, too
    header, lines = f"[mcp_servers.{_NAME}]\n", f"command = {quoted[0]}\nargs = [{', '.join(quoted[1:])}]\n"
    servers = settings.get("mcp_servers", {})
    there = servers.get(_NAME, {}) if isinstance(servers, dict) else {}
    wanted = {**there, "command": command[0], "args": command[1:]} if isinstance(there, dict) else {}
    if there == wanted:
        return text
    if found := _TABLE.search(text):
        new = text[: found.start(1)] + lines + _OURS.sub("", found[1]) + text[found.end(1) :]
    else:
        new = f"{text.rstrip()}\n\n{header}{lines}".lstrip("\n")
    try:
        if tomllib.loads(new) == {**settings, "mcp_servers": {**servers, _NAME: wanted}}:
            return new
    except (tomllib.TOMLDecodeError, TypeError):
        pass
    raise FailedPrecondition(
        f"cannot add to mcp_servers the way it is written in {path}", hint=f"put there yourself: {header}{lines}"
    )


_TABLE = re.compile(rf"^\[mcp_servers\.{_NAME}\][^\n]*(?:\n|\Z)((?:(?!\[)[^\n]*(?:\n|\Z))*?)(?=\[|\Z)", re.MULTILINE)
_OURS = re.compile(r"^(?:command\s*=[^\n]*|args\s*=\s*\[[^\]]*\][^\n]*)(?:\n|\Z)", re.MULTILINE)


def _unreadable(path: Path, why: str) -> InvalidArgument:
    return InvalidArgument(f"{path} cannot be read: {why}", hint="mend the file, then repeat")


def _claude_code(text: str, path: Path, command: list[str]) -> str:
    return _into_json(text, path, command, type="stdio")


AGENTS = {
    "claude-code": Agent(".claude.json", ".mcp.json", _claude_code),
    "codex": Agent(".codex/config.toml", ".codex/config.toml", _into_toml),
    "cursor": Agent(".cursor/mcp.json", ".cursor/mcp.json", _into_json),
}
