"""One turn through the daemon, just as a program will send it: its protocol, its base URL, its token."""

import http.client
import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from palyra.core.errors import TABLE, FailedPrecondition, Unavailable

_QUESTION = "Are you there?"
_SECONDS = 150
SESSION = "connect"


@dataclass(frozen=True, slots=True)
class Arrived:
    text: str
    memory: str
    """what was done with memory, as the answer's header says it"""

    def __str__(self) -> str:
        done = dict(part.split("=", 1) for part in self.memory.split("; ") if "=" in part)
        given = f"{done.get('injected', '0')} {'memory' if done.get('injected') == '1' else 'memories'} given"
        recorded = f"recorded: palyra session show {SESSION}" if done.get("recorded") == "yes" else "not recorded"
        without = f", without {done['degraded']}" if "degraded" in done else ""
        return f"answered, {given}{without}, {recorded}"


def try_program(address: str, token: str, protocol: str, model: str) -> Arrived:
    """Raises what the daemon, or the model behind it, refused."""
    parts = urlsplit(address)
    path = "/v1/messages" if protocol == "anthropic" else "/v1/chat/completions"
    body: dict[str, Any] = {"model": model, "messages": [{"role": "user", "content": _QUESTION}], "max_tokens": 200}
    headers = {
        "authorization": f"Bearer {token}",
        "content-type": "application/json",
        "anthropic-version": "2023-06-01",
        "x-palyra-session": SESSION,
    }
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=_SECONDS)
    try:
        connection.request("POST", path, json.dumps(body), headers)
        answer = connection.getresponse()
        told = json.loads(answer.read() or b"{}")
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise Unavailable(f"{address}{path} does not answer: {error}", hint="palyra status") from None
    finally:
        connection.close()
    if answer.status != 200:
        raise _refused(answer.status, told)
    return Arrived(_text(told), answer.headers.get("x-palyra-memory", ""))


def _text(told: dict[str, Any]) -> str:
    if "choices" in told:
        return str(told["choices"][0]["message"].get("content") or "")
    return "".join(str(part.get("text", "")) for part in told.get("content", ()))


def _refused(status: int, told: Any) -> Exception:
    error = told.get("error") if isinstance(told, dict) else None
    error = error if isinstance(error, dict) else {}
    kind = next((one for one in TABLE if one.code == error.get("code")), FailedPrecondition)
    said = str(error.get("message", ""))[:300]
    return kind(
        f"the turn was refused (HTTP {status})" + (f": {said}" if said else ""),
        hint="check the model with palyra connect model, and --can",
    )
