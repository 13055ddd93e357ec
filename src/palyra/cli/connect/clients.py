"""Where agents keep the list of MCP servers they start, and how to add ours without touching anything else."""

import json
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from palyra.cli.connect.change import FileChange, is_toml, planned, read_toml, unreadable
from palyra.cli.programs import place_of
from palyra.core.errors import FailedPrecondition

_NAME = "palyra"


@dataclass(frozen=True, slots=True)
class Agent:
    file: str
    """under the home directory"""
    project_file: str
    """under the directory of a project"""
    merge: Callable[[str, Path, list[str]], str]


def plan(agent: Agent, folder: Path, project: bool, command: list[str]) -> FileChange:
    """What would be written where, so that the agent starts `command`."""
    path = (folder / (agent.project_file if project else agent.file)).resolve()
    return planned(path, lambda text: agent.merge(text, path, command))


def server_command(data_dir: Path, who: dict[str, Any]) -> list[str]:
    """By its full path: an agent does not search where a shell does."""
    script = place_of("palyra")
    palyra = [str(script)] if script else [sys.executable, "-m", "palyra"]
    options = {"--principal": who["principal"], "--channel": who["channel"], "--session": who["session_id"]}
    given = [part for option, value in options.items() if value is not None for part in (option, value)]
    return [*palyra, "mcp", "--data-dir", str(data_dir), *given]


def _into_json(text: str, path: Path, command: list[str], **more: str) -> str:
    try:
        settings = json.loads(text, object_pairs_hook=_no_key_twice) if text.strip() else {}
    except (ValueError, RecursionError) as error:
        raise unreadable(path, str(error)) from None
    if not isinstance(settings, dict) or not isinstance(settings.setdefault("mcpServers", {}), dict):
        raise unreadable(path, "mcpServers is not an object")
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
    settings = read_toml(text, path)
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
    if isinstance(servers, dict) and is_toml(new, {**settings, "mcp_servers": {**servers, _NAME: wanted}}):
        return new
    raise FailedPrecondition(
        f"cannot add to mcp_servers the way it is written in {path}", hint=f"put there yourself: {header}{lines}"
    )


_TABLE = re.compile(rf"^\[mcp_servers\.{_NAME}\][^\n]*(?:\n|\Z)((?:(?!\[)[^\n]*(?:\n|\Z))*?)(?=\[|\Z)", re.MULTILINE)
_OURS = re.compile(r"^(?:command\s*=[^\n]*|args\s*=\s*\[[^\]]*\][^\n]*)(?:\n|\Z)", re.MULTILINE)


def _claude_code(text: str, path: Path, command: list[str]) -> str:
    return _into_json(text, path, command, type="stdio")


AGENTS = {
    "claude-code": Agent(".claude.json", ".mcp.json", _claude_code),
    "codex": Agent(".codex/config.toml", ".codex/config.toml", _into_toml),
    "cursor": Agent(".cursor/mcp.json", ".cursor/mcp.json", _into_json),
}
