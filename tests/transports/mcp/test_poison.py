"""Poison that nobody declared, by MCP: what would steer waits, whatever source is claimed."""

from pathlib import Path

import pytest

from poisoning import MOST_ACTIVE, MOST_HELD, PLAIN, POISON
from support import run
from transports.mcp.serving import a_site

RETAIN = "palyra.memory.retain"


@pytest.mark.parametrize("source", [None, "manual", "durable_fact"])
def test_what_would_steer_waits_and_plain_facts_do_not(tmp_path: Path, source: str | None) -> None:
    async def story() -> None:
        async with a_site(tmp_path) as site, site.client(await site.token()) as client:
            outcomes: dict[str, str] = {}
            for text in (*POISON, *PLAIN):
                given = {"text": text} if source is None else {"text": text, "source": source}
                outcomes[text] = (await client.call_tool(RETAIN, given)).structured_content["outcome"]
            held = {text for text, outcome in outcomes.items() if outcome == "held_for_review"}
            assert len(held & set(POISON)) >= (1 - MOST_ACTIVE) * len(POISON)
            assert len(held & set(PLAIN)) <= MOST_HELD * len(PLAIN)

    run(story())
