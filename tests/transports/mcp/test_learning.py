"""A person's review over MCP: offered to a credential that may review, and decided when the person confirms."""

from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped] # comes without type information
import pytest
from mcp import types

from proposing import a_procedure, propose
from support import run
from transports.mcp.serving import MODES, a_site, text_of

LIST, DECIDE = "palyra.learning.list", "palyra.learning.decide"
PEANUTS = "I am allergic to peanuts"


def a_person(confirms: bool, asked: list[str]) -> Any:
    async def answer(_context: Any, params: Any) -> types.ElicitResult:
        asked.append(params.message)
        return types.ElicitResult(action="accept", content={"confirm": confirms})

    return answer


def test_a_reviewers_client_is_offered_both_and_decides_once_the_person_confirms(tmp_path: Path) -> None:
    asked: list[str] = []

    async def story() -> None:
        async with a_site(tmp_path) as site:
            first, second = await propose(site.app, [PEANUTS, a_procedure("release", "run tests", "tag it")])
            token = await site.token("user:ana", "read", "review", actor="user")
            async with site.client(token, elicitation_callback=a_person(True, asked)) as client:
                offered = {tool.name: tool for tool in (await client.list_tools()).tools}
                assert {LIST, DECIDE} <= offered.keys()
                shown = await client.call_tool(LIST, {})
                jsonschema.validate(shown.structured_content, offered[LIST].output_schema or {})
                assert [one["candidate_id"] for one in shown.structured_content["candidates"]] == [first, second]
                assert text_of(shown).startswith("Nobody has reviewed these")
                asked_for = {"candidate_id": first, "decision": "approve", "text": "No nuts for me"}
                done = await client.call_tool(DECIDE, asked_for)
                jsonschema.validate(done.structured_content, offered[DECIDE].output_schema or {})
                assert (done.structured_content["state"], done.structured_content["text"]) == (
                    "applied",
                    "No nuts for me",
                )
                assert not (await client.call_tool(DECIDE, {"candidate_id": second, "decision": "reject"})).is_error
                twice = await client.call_tool(DECIDE, {"candidate_id": second, "decision": "reject"})
                assert twice.structured_content["error"]["code"] == "failed_precondition"

    run(story())
    assert PEANUTS in asked[0]
    assert "in these words: No nuts for me" in asked[0]
    assert "step: run tests\nstep: tag it" in asked[1]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("can_ask", [True, False])
def test_without_the_persons_word_nothing_is_decided(tmp_path: Path, mode: str, can_ask: bool) -> None:
    async def story() -> None:
        async with a_site(tmp_path) as site:
            [first] = await propose(site.app, [PEANUTS])
            token = await site.token("user:ana", "read", "review", actor="user")
            given = {"elicitation_callback": a_person(False, [])} if can_ask else {}
            before = await site.size()
            async with site.client(token, mode, **given) as client:
                refused = await client.call_tool(DECIDE, {"candidate_id": first, "decision": "approve"})
                assert refused.structured_content["error"]["code"] == "failed_precondition"
                assert f"palyra learning approve {first}" in text_of(refused)
            assert await site.size() == before

    run(story())


@pytest.mark.parametrize(
    "arguments",
    [{}, {"candidate_id": "x"}, {"candidate_id": "0" * 26, "decision": "edit"}, {"confirm": True}, {"actor": "user"}],
)
def test_no_argument_of_the_agent_helps(tmp_path: Path, arguments: dict[str, Any]) -> None:
    async def story() -> None:
        async with a_site(tmp_path) as site, site.client(await site.token()) as client:
            refused = await client.call_tool(DECIDE, arguments)
            assert refused.structured_content["error"]["code"] == "invalid_argument"

    run(story())
