"""No word of a conversation is shown where it does not belong, whatever principals and channels are called."""

import asyncio
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from chatting import Chat, a_chat
from palyra.api import chat as api
from palyra.api import memory
from palyra.api.call import owner
from palyra.core.errors import NotFound, PermissionDenied
from palyra.domain.scope import Scope, Visibility
from palyra.wire.chat import HandedTurn

PRINCIPALS = ("user:ana", "user:Ana", "user:anа", "user:ana%", "user:a_a", "user:bob")
CHANNELS = (None, "discord:1", "discord:10", "DISCORD:1", "%")

places = st.tuples(st.sampled_from(PRINCIPALS), st.sampled_from(CHANNELS))


@example([("user:ana", None), ("user:Ana", None)], ("user:ana", "discord:1"))
@example([("user:bob", "discord:1"), ("user:bob", "discord:10")], ("user:bob", "discord:1"))
@given(st.lists(places, min_size=2, max_size=4, unique=True), places)
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_canary_is_seen_from_where_its_session_is_seen_and_nowhere_else(
    homes: list[tuple[str, str | None]], stand: tuple[str, str | None]
) -> None:
    async def story() -> None:
        with tempfile.TemporaryDirectory() as root:
            async with a_chat(Path(root)) as chat:
                await _walk(chat, homes, stand)

    asyncio.run(story())


async def _walk(chat: Chat, homes: list[tuple[str, str | None]], stand: tuple[str, str | None]) -> None:
    told = {}
    for n, (principal, channel) in enumerate(homes):
        speaker = chat.as_(owner(principal))
        session = (await speaker.do(api.create, channel=channel)).session_id
        canary = f"canary{n}x"
        heard = await speaker.say(session, f"The word is {canary}.", channel=channel)
        told[canary] = (Scope(principal, channel), session, heard.run_id)
    reader = chat.as_(owner(stand[0]))
    here = {"channel": stand[1]}
    seer = Visibility(*stand)
    own = (await reader.do(api.create, **here)).session_id
    asked = await reader.say(own, "Which word is it, the canary?", **here)
    explained = str(await reader.do(api.explain, run_id=asked.run_id, **here)) + str(asked.lines)
    everything = str(await reader.do(memory.list_, **here)) + explained
    everything += str(await reader.do(api.search, query="canary word is " + " ".join(told), **here))
    everything += str(await reader.do(api.list_, **here))
    for canary, (scope, session, run_id) in told.items():
        visible = seer.sees(scope)
        assert visible or canary not in everything, (canary, scope, stand)
        assert (session in everything) is visible
        for operation, fields in _reads(session, run_id):
            if visible:
                assert await reader.do(operation, **fields, **here)
                continue
            with pytest.raises((PermissionDenied, NotFound)):
                await reader.do(operation, **fields, **here)
        home = chat.as_(owner(scope.principal))
        before = str(await home.do(api.transcript, session=session, channel=scope.channel))
        turns = [HandedTurn(role="user", text=f"I live in Added{canary}.", turn_id=canary)]
        if visible:
            added = await reader.do(api.add_turns, session=session, turns=turns, wait_ms=10_000, **here)
            assert (added.added, added.pending, len(added.written)) == (1, 0, 1)
            assert f"Added{canary}" in str(await reader.do(memory.list_, **here))
            for other in {*PRINCIPALS} - {scope.principal}:
                assert f"Added{canary}" not in str(await chat.as_(owner(other)).do(memory.list_, channel=stand[1]))
            continue
        with pytest.raises((PermissionDenied, NotFound)):
            await reader.do(api.add_turns, session=session, turns=turns, **here)
        assert str(await home.do(api.transcript, session=session, channel=scope.channel)) == before


def _reads(session: str, run_id: str) -> list[tuple[Any, dict[str, Any]]]:
    return [
        (api.get, {"session": session}),
        (api.transcript, {"session": session}),
        (api.export, {"session": session}),
        (api.run, {"run_id": run_id}),
        (api.explain, {"run_id": run_id}),
    ]
