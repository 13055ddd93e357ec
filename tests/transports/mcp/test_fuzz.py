"""Whatever arrives: an answer from the table, nothing broken, nothing written, and the next caller is served."""

import asyncio
import json
import re
from pathlib import Path

import httpx2
import pytest

from palyra.core.errors import TABLE
from shell import PALYRA, Shell
from support import run
from transports.mcp.mutations import ENVELOPE, MODERN, mutated
from transports.mcp.serving import HASH, JSON, a_site

CODES = {error.code for error in TABLE} - {"internal", "integrity"}
SEED = 20_260_728
BATCH = 50
HEADER = re.compile(r"[!-~]+")


@pytest.fixture
def inputs(request: pytest.FixtureRequest) -> int:
    return int(request.config.getoption("--fuzz-inputs"))


def check(text: str) -> None:
    """One line or body of an answer."""
    assert "Traceback" not in text
    assert "pydantic" not in text
    message = json.loads(text)
    if "result" in message and message["result"].get("isError"):
        assert message["result"]["structuredContent"]["error"]["code"] in CODES
    elif "error" in message:
        body = message["error"]["data"] if "jsonrpc" in message else message
        assert body["error"]["code"] in CODES, text


@pytest.mark.timeout(3_600)
@pytest.mark.parametrize("modern", [True, False])
def test_mutated_bodies_over_http(tmp_path: Path, inputs: int, modern: bool) -> None:
    async def story() -> None:
        async with a_site(tmp_path) as site, httpx2.AsyncClient(timeout=20) as http:
            shown = {**JSON, "authorization": f"Bearer {await site.token('user:ana', 'read', 'forget')}"}
            before = await site.size()
            for body in mutated(inputs // 2, SEED, modern):
                routing = _routing(body) if modern else {}
                answer = await http.post(site.url, content=body, headers={**shown, **routing})
                assert answer.status_code < 500, (body, answer.text)
                if answer.content:
                    check(answer.text)
                else:
                    assert answer.status_code == 202, body
            assert await site.size() <= before + 1  # a note that an agent asked for palyra://journal/head
            alive = await http.post(site.url, content=b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}', headers=shown)
            assert len(alive.json()["result"]["tools"]) == 8

    run(story())


def _routing(body: bytes) -> dict[str, str]:
    """The headers a client derives from its body, as far as a header can say it."""
    said = {"mcp-protocol-version": MODERN}
    try:
        message = json.loads(body)
        params = message.get("params", {})
        said |= {"mcp-method": message["method"], "mcp-name": params.get("name", params.get("uri"))}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        pass
    return {name: value for name, value in said.items() if isinstance(value, str) and HEADER.fullmatch(value)}


@pytest.mark.timeout(3_600)
@pytest.mark.parametrize("modern", [True, False])
def test_mutated_lines_over_stdio(tmp_path: Path, inputs: int, modern: bool) -> None:
    shell = Shell(tmp_path).begin()
    shell.json("workspace", "list")  # makes the first documents, as the first who lists resources would
    size = shell.json("journal", "status")["size"]

    async def story() -> bytes:
        process = await asyncio.create_subprocess_exec(
            *PALYRA,
            "mcp",
            env={**shell.environment, **HASH},
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            limit=16_777_216,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        errors = asyncio.create_task(process.stderr.read() if process.stderr else asyncio.sleep(0, b""))
        lines = [body.replace(b"\n", b" ").replace(b"\r", b" ") for body in mutated(inputs // 2, SEED, modern)]
        process.stdin.write(_opening(modern))
        for start in range(0, len(lines), BATCH):
            asked = f"alive {start}"
            for line in [*lines[start : start + BATCH], _question(asked, modern)]:
                process.stdin.write(line + b"\n")
            await process.stdin.drain()
            async with asyncio.timeout(60):
                while True:
                    answer = (await process.stdout.readline()).decode()
                    check(answer)
                    if json.loads(answer).get("id") == asked:
                        assert len(json.loads(answer)["result"]["tools"]) == 8
                        break
        process.stdin.close()
        async with asyncio.timeout(30):
            assert await process.wait() == 0
            return await errors

    said = run(story())
    assert b"Traceback" not in said, said.decode()
    assert shell.json("journal", "status")["size"] == size


def _opening(modern: bool) -> bytes:
    """The first request decides which dialect is spoken."""
    if modern:
        return _question("hello", modern) + b"\n"
    who = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "fuzz", "version": "1"}}
    return json.dumps({"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": who}).encode() + b"\n"


def _question(asked: str, modern: bool) -> bytes:
    params = {"_meta": ENVELOPE} if modern else {}
    return json.dumps({"jsonrpc": "2.0", "id": asked, "method": "tools/list", "params": params}).encode()
