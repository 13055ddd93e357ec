"""No candidate is shown or decided where it does not belong, whatever principals and channels are called."""

import asyncio
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chatting import Chat
from palyra.api import learning as api
from palyra.api.authenticate import Gate, of_token
from palyra.api.call import owner
from palyra.core.errors import NotFound, PermissionDenied
from palyra.domain.access import Capability
from palyra.domain.journal import Actor
from palyra.domain.scope import Scope, Visibility
from palyra.domain.tokens import ANY_CHANNEL, TokenGrant
from proposing import Said, propose
from support import ANA, an_app

PRINCIPALS = ("user:ana", "user:Ana", "user:anа", "user:ana%", "user:a_a", "user:bob")
CHANNELS = (None, "discord:1", "discord:10", "DISCORD:1", "%", "_")

places = st.tuples(st.sampled_from(PRINCIPALS), st.sampled_from(CHANNELS))


@given(st.lists(places, min_size=2, max_size=5, unique=True), places, st.booleans(), st.booleans())
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_candidate_is_seen_and_decided_from_where_it_belongs_and_nowhere_else(
    homes: list[tuple[str, str | None]], stand: tuple[str, str | None], by_token: bool, confined: bool
) -> None:
    async def story() -> None:
        with tempfile.TemporaryDirectory() as root:
            async with an_app(Path(root), PALYRA_MEMORY_EMBEDDINGS_PROVIDER="hash") as app:
                chat = Chat(app, owner(stand[0]))
                if by_token:
                    channels = (stand[1],) if confined and stand[1] else (ANY_CHANNEL,)
                    can = frozenset({Capability.READ, Capability.REVIEW})
                    made = await app.tokens.create(TokenGrant(stand[0], Actor.USER, channels, can, ""), ANA)
                    chat = chat.as_(await Gate(app, "nobody's").caller(f"Bearer {made.text}"))
                    assert chat.call.caller == of_token(made.token)
                await _walk(chat, homes, stand)

    asyncio.run(story())


async def _walk(chat: Chat, homes: list[tuple[str, str | None]], stand: tuple[str, str | None]) -> None:
    made: dict[str, tuple[Scope, str]] = {}
    for n, (principal, channel) in enumerate(homes):
        said = Said(f"The word is canary{n}x", key=f"slot{n}")
        [candidate_id] = await propose(chat.app, [said], principal, channel)
        made[candidate_id] = Scope(principal, channel), f"canary{n}x"
    here, seer = {"channel": stand[1]}, Visibility(*stand)
    listed = await chat.do(api.list_, states=("all",), with_evidence=True, **here)
    mine = [candidate_id for candidate_id, (scope, _) in made.items() if seer.sees(scope)]
    assert [one.candidate_id for one in listed.candidates] == mine
    assert listed.counts.get("needs_review", 0) == len(mine)
    for candidate_id, (scope, canary) in made.items():
        visible = seer.sees(scope)
        assert (canary in repr(listed)) is visible
        for operation, more in _calls():
            if visible:
                assert canary in repr(await chat.do(operation, candidate_id=candidate_id, **more, **here))
                continue
            with pytest.raises((PermissionDenied, NotFound)) as refused:
                await chat.do(operation, candidate_id=candidate_id, **more, **here)
            assert canary not in repr(refused.value.body())
        if not visible:
            done = await chat.do(api.decide_many, candidate_ids=[candidate_id], decision="reject", **here)
            assert (done.decided, canary in repr(done)) == (0, False)
            at_home = chat.as_(owner(scope.principal))
            [own] = (await at_home.do(api.get, candidate_id=candidate_id, channel=scope.channel)).history
            assert own.state == "needs_review"


def _calls() -> list[tuple[Any, dict[str, Any]]]:
    return [
        (api.get, {}),
        (api.snooze, {"for_ms": 60_000}),
        (api.decide, {"decision": "approve"}),
        (api.radius, {}),
        (api.roll_back, {}),
        (api.decide, {"decision": "reopen"}),
        (api.quarantine, {}),
    ]
