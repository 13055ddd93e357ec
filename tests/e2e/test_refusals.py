"""An agent's token that asks to decide: refused on every surface of a real daemon, and the journal says so."""

import json
import subprocess
from pathlib import Path
from typing import Any

import grpc
import httpx2
import pytest
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

from palyra.transports.grpc.generated import common_pb2, learning_pb2
from proposing import propose
from shell import PALYRA, Shell
from support import an_app, run
from transports.mcp.serving import over_stdio

HASH = {"PALYRA_MEMORY_EMBEDDINGS_PROVIDER": "hash"}
PEANUTS = "I am allergic to peanuts"
SERVICE = "/palyra.learning.v1.LearningService"


def learn(home: Path) -> str:
    async def work() -> str:
        async with an_app(home, PALYRA_MEMORY_EMBEDDINGS_PROVIDER="hash") as app:
            [candidate_id] = await propose(app, [PEANUTS], "user:local")
            return candidate_id

    return run(work())


def start(shell: Shell) -> tuple[subprocess.Popen[bytes], dict[str, Any]]:
    command = [*PALYRA, "serve", "--port", "0", "--grpc-port", "0", "--json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=shell.environment)
    assert process.stdout is not None
    return process, json.loads(process.stdout.readline())


def over_http(base: str, token: str, candidate_id: str) -> str:
    headers = {"authorization": f"Bearer {token}"}
    with httpx2.Client(base_url=base, headers=headers, timeout=60, trust_env=False) as client:
        path = f"/v1/learning/candidates/{candidate_id}"
        shown = client.get(path)
        assert PEANUTS not in shown.text
        answer = client.post(f"{path}/decision", json={"decision": "approve"})
        assert (shown.status_code, answer.status_code) == (403, 403)
        return str(answer.json()["error"]["code"])


def over_grpc(address: str, token: str, candidate_id: str) -> str:
    request = learning_pb2.DecideCandidateRequest(
        v=1, candidate_id=common_pb2.CanonicalId(ulid=candidate_id), decision=learning_pb2.DECISION_APPROVE
    )
    with grpc.insecure_channel(address) as channel:
        decide = channel.unary_unary(
            f"{SERVICE}/DecideCandidate",
            learning_pb2.DecideCandidateRequest.SerializeToString,
            learning_pb2.DecideCandidateResponse.FromString,
        )
        with pytest.raises(grpc.RpcError) as failed:
            decide(request, metadata=(("authorization", f"Bearer {token}"),), timeout=60)
        refused: Any = failed.value
        assert refused.code() is grpc.StatusCode.PERMISSION_DENIED
        return str(dict(refused.trailing_metadata())["palyra-code"])


async def over_mcp(base: str, token: str, candidate_id: str) -> str:
    headers = {"authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60, trust_env=False) as http,
        Client(streamable_http_client(f"{base}/mcp", http_client=http)) as client,
    ):
        assert not [tool for tool in (await client.list_tools()).tools if "learning" in tool.name]
        answer = await client.call_tool("palyra.learning.decide", {"candidate_id": candidate_id, "decision": "approve"})
        assert answer.is_error
        return str(answer.structured_content["error"]["code"])


def test_an_agents_token_is_refused_on_every_surface_and_the_journal_says_so(tmp_path: Path) -> None:
    shell = Shell(tmp_path / "data")
    shell.environment |= HASH
    candidate_id = learn(shell.home)
    daemon, started = start(shell)
    try:
        made = [shell.json("token", "create", "--principal", "user:local", "--label", "an agent") for _ in range(3)]
        tokens = [one["token"] for one in made]
        codes = [
            over_http(started["http"], tokens[0], candidate_id),
            over_grpc(started["grpc"], tokens[1], candidate_id),
            run(over_mcp(started["http"], tokens[2], candidate_id)),
        ]
        assert codes == ["permission_denied"] * 3
        for _ in range(5):  # an agent in a loop
            over_http(started["http"], tokens[0], candidate_id)
        events = shell.json("journal", "list", "--kind", "access.refused")["events"]
        tried = {(event["payload"]["by"], event["payload"]["operation"]) for event in events}
        ids = [one["info"]["token_id"] for one in made]
        assert tried == {
            (f"caller {ids[0]}", "learning.get"),
            *((f"caller {token_id}", "learning.decide") for token_id in ids),
        }
        assert len(events) == 4
        assert {(event["principal"], event["actor"]) for event in events} == {("user:local", "agent")}
        assert PEANUTS not in json.dumps(events)
        assert shell.json("learning", "list")["counts"] == {"needs_review": 1}
        assert shell.json("learning", "approve", candidate_id)["state"] == "applied"
    finally:
        daemon.terminate()
        daemon.communicate(timeout=60)


def test_the_owners_own_agent_is_refused_too(tmp_path: Path) -> None:
    """`palyra mcp` runs with the owner's files, but whoever speaks there is an agent."""
    shell = Shell(tmp_path / "data")
    shell.environment |= HASH
    candidate_id = learn(shell.home)

    async def story() -> None:
        async with over_stdio(shell) as client:
            assert not [tool for tool in (await client.list_tools()).tools if "learning" in tool.name]
            for name, asked in (
                ("decide", {"candidate_id": candidate_id, "decision": "approve"}),
                ("list", {}),
            ):
                answer = await client.call_tool(f"palyra.learning.{name}", asked)
                assert answer.structured_content["error"]["code"] == "permission_denied"
                assert PEANUTS not in str(answer)

    run(story())
    events = shell.json("journal", "list", "--kind", "access.refused")["events"]
    assert [event["payload"]["operation"] for event in events][:1] == ["learning.decide"]
    assert {event["actor"] for event in events} == {"agent"}
