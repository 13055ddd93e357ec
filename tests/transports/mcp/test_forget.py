"""An agent may ask to forget; only a person can let it."""

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import types
from mcp.client import Client

from shell import Shell
from support import run
from transports.mcp.serving import JSON, MODES, a_site, over_stdio, text_of

FORGET, RETAIN, GET = "palyra.memory.forget", "palyra.memory.retain", "palyra.memory.get"
Person = Callable[[Any, Any], Awaitable[types.ElicitResult]]
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": MODES[0],
    "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}},
}


def a_person(action: Any, content: dict[str, Any] | None, asked: list[str]) -> Person:
    async def answer(_context: Any, params: Any) -> types.ElicitResult:
        asked.append(params.message)
        return types.ElicitResult(action=action, content=content)

    return answer


async def a_memory(client: Client, text: str = "Ana keeps bees") -> str:
    return str((await client.call_tool(RETAIN, {"text": text})).structured_content["memory_id"])


@pytest.mark.parametrize("mode", MODES)
def test_a_person_who_confirms_is_shown_the_text_and_the_memory_is_gone(tmp_path: Path, mode: str) -> None:
    asked: list[str] = []

    async def story() -> None:
        person = a_person("accept", {"confirm": True}, asked)
        async with over_stdio(Shell(tmp_path), mode=mode, elicitation_callback=person) as client:
            memory_id = await a_memory(client)
            done = await client.call_tool(FORGET, {"memory_ids": [memory_id]})
            assert done.structured_content == {"deleted": 1, "memory_ids": [memory_id]}
            assert (await client.call_tool(GET, {"memory_id": memory_id})).structured_content["item"]["closed_why"]

    run(story())
    assert len(asked) == 1
    assert "Ana keeps bees" in asked[0]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("action", "content"),
    [("decline", None), ("cancel", None), ("accept", {"confirm": False}), ("accept", None)],
)
def test_a_person_who_does_not_confirm_keeps_the_memory(
    tmp_path: Path, mode: str, action: str, content: dict[str, Any] | None
) -> None:
    async def story() -> None:
        async with over_stdio(Shell(tmp_path), mode=mode, elicitation_callback=a_person(action, content, [])) as client:
            await keeps(client)

    run(story())


@pytest.mark.parametrize("mode", MODES)
def test_a_client_that_cannot_ask_is_told_what_a_person_can_do(tmp_path: Path, mode: str) -> None:
    async def story() -> None:
        async with over_stdio(Shell(tmp_path), mode=mode) as client:
            assert "palyra memory delete 01" in await keeps(client)

    run(story())


async def keeps(client: Client) -> str:
    memory_id = await a_memory(client)
    refused = await client.call_tool(FORGET, {"memory_ids": [memory_id]})
    assert refused.is_error
    assert refused.structured_content["error"]["code"] == "failed_precondition"
    assert (await client.call_tool(GET, {"memory_id": memory_id})).structured_content["item"]["closed_at_ms"] is None
    return text_of(refused)


@pytest.mark.parametrize("extra", [{"confirm": True}, {"approved": True}, {"force": True}])
def test_no_argument_of_the_agent_grants_the_approval(tmp_path: Path, extra: dict[str, Any]) -> None:
    async def story() -> None:
        async with over_stdio(Shell(tmp_path)) as client:
            refused = await client.call_tool(FORGET, {"memory_ids": [await a_memory(client)], **extra})
            assert refused.structured_content["error"]["code"] == "invalid_argument"

    run(story())


def test_over_http_the_newer_dialect_asks_and_the_older_cannot(tmp_path: Path) -> None:
    asked: list[str] = []

    async def story() -> None:
        async with a_site(tmp_path) as site:
            token = await site.token("user:ana", "read", "write", "forget")
            person = a_person("accept", {"confirm": True}, asked)
            async with site.client(token, MODES[1], elicitation_callback=person) as client:
                await keeps(client)
            assert not asked
            async with site.client(token, MODES[0], elicitation_callback=person) as client:
                done = await client.call_tool(FORGET, {"memory_ids": [await a_memory(client)]})
                assert done.structured_content["deleted"] == 1
            assert len(asked) == 1

    run(story())


def test_an_answer_to_a_question_that_was_not_asked_counts_for_nothing(tmp_path: Path) -> None:
    """Neither without the sealed state, nor with that of another memory, another caller, or a made-up one."""
    answer = {"approval": {"action": "accept", "content": {"confirm": True}}}

    async def story() -> None:
        async with a_site(tmp_path) as site:
            token = await site.token("user:ana", "read", "write", "forget")
            other = await site.token("user:ana", "read", "write", "forget")
            async with site.client(token) as client:
                one, two = await a_memory(client), await a_memory(client, "Bo plays the oboe")

            async def forget(memory_id: str, by: str, **given: Any) -> Any:
                params = {"name": FORGET, "arguments": {"memory_ids": [memory_id]}, "_meta": ENVELOPE, **given}
                message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
                routing = {"mcp-protocol-version": MODES[0], "mcp-method": "tools/call", "mcp-name": FORGET}
                return (await site.post(json.dumps(message).encode(), by, **JSON, **routing)).json()

            before = await site.size()
            unasked = await forget(one, token, inputResponses=answer)
            state = unasked["result"]["requestState"]
            assert unasked["result"]["resultType"] == "input_required"
            for refused in (
                await forget(two, token, inputResponses=answer, requestState=state),
                await forget(one, other, inputResponses=answer, requestState=state),
                await forget(one, token, inputResponses=answer, requestState="v1.AAAA"),
            ):
                assert refused["error"]["code"] == -32602
                assert refused["error"]["data"]["error"]["code"] == "invalid_argument"
            assert await site.size() == before
            done = await forget(one, token, inputResponses=answer, requestState=state)
            assert done["result"]["structuredContent"]["deleted"] == 1

    run(story())
