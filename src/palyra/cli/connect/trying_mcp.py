"""Starts the MCP server as a client will, and asks it something: what it answers is what the client will see."""

import json
import subprocess
import threading
from dataclasses import dataclass
from typing import IO, Any

from palyra.core.errors import FailedPrecondition

_SECONDS = 60
_PROTOCOL = "2025-06-18"


@dataclass(frozen=True, slots=True)
class Tried:
    tools: int
    memories: int | None
    """None: it did not say"""

    def __str__(self) -> str:
        known = "" if self.memories is None else f", {self.memories} {'memory' if self.memories == 1 else 'memories'}"
        return f"it answers: {self.tools} tools{known}"


def try_server(command: list[str]) -> Tried:
    """FailedPrecondition with its own words if it does not answer."""
    try:
        process = subprocess.Popen(  # noqa: S603 - the command is our own
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8"
        )
    except OSError as error:
        raise FailedPrecondition(f"{command[0]} cannot be started: {error.strerror}", hint="check the path") from None
    watch = threading.Timer(_SECONDS, process.kill)
    watch.start()
    try:
        return _talk(process)
    finally:
        watch.cancel()
        process.kill()
        process.communicate()


def _talk(process: "subprocess.Popen[str]") -> Tried:
    about = {"name": "palyra connect", "version": "1"}
    _ask(process, 1, "initialize", {"protocolVersion": _PROTOCOL, "capabilities": {}, "clientInfo": about})
    _tell(process.stdin, {"method": "notifications/initialized"})
    tools = _ask(process, 2, "tools/list", {})["tools"]
    status = _ask(process, 3, "tools/call", {"name": "palyra.memory.status", "arguments": {}})
    told = status.get("structuredContent") or {}
    if status.get("isError") and told.get("error", {}).get("code") != "not_found":  # nothing was ever remembered here
        why = told.get("error", {}).get("message", "it does not say why")
        raise FailedPrecondition(f"the server starts, and memory does not answer: {why}", hint="palyra doctor")
    return Tried(len(tools), told.get("items"))


def _ask(process: "subprocess.Popen[str]", number: int, method: str, params: dict[str, Any]) -> dict[str, Any]:
    _tell(process.stdin, {"id": number, "method": method, "params": params})
    assert process.stdout is not None  # noqa: S101 - a pipe, see above
    for line in process.stdout:
        answer = json.loads(line)
        if answer.get("id") != number:
            continue
        if "result" in answer:
            return dict(answer["result"])
        raise FailedPrecondition(f"the server refuses {method}: {answer['error'].get('message')}", hint="palyra doctor")
    process.kill()
    said = (process.stderr.read() if process.stderr else "").strip().splitlines()
    raise FailedPrecondition(
        f"the server does not answer {method}" + (f": {said[-1][:300]}" if said else ""), hint="palyra doctor"
    )


def _tell(stdin: IO[str] | None, message: dict[str, Any]) -> None:
    assert stdin is not None  # noqa: S101 - a pipe, see above
    try:
        stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        stdin.flush()
    except BrokenPipeError:
        pass  # it has ended; its own words say why
