"""Turns that somebody else answers: on the tape in one commit, each in the conversation it belongs to."""

from pathlib import Path

import pytest

from chatting import ANA
from palyra.app import App
from palyra.core.clock import ManualClock
from palyra.core.errors import PalyraError
from palyra.domain.access import Access
from palyra.domain.chat.conversation import Usage
from palyra.domain.journal import Actor
from palyra.domain.scope import Visibility
from palyra.services.chat.exchanges import SILENCE_MS, ConversationKey
from palyra.services.sessions import lifecycle
from support import an_app, run, verify_directory

SEER = Visibility(ANA)
UNNAMED = ConversationKey("proxy:agent:0a1b2c", is_named=False)
HASH = {"PALYRA_MEMORY_EMBEDDINGS_PROVIDER": "hash"}


async def pass_through(app: App, text: str, place: ConversationKey = UNNAMED) -> None:
    run_id = await app.exchanges.begin(SEER, Actor.USER, place, text, "m")
    assert run_id is not None
    await app.exchanges.finish(run_id, "All right.", Usage(1, 1), None)


async def keys(app: App) -> list[str]:
    return sorted(one.key for one in await lifecycle.list_(app.sessions, SEER, None, 50))


def test_a_turn_begins_in_one_commit_with_session_and_title(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def story() -> None:
        async with an_app(tmp_path / "data", None, Access.OWN, **HASH) as app:
            commits: list[int] = []
            commit = app.journal.commit

            async def counted(*given: object, **more: object) -> object:
                commits.append(1)
                return await commit(*given, **more)  # type: ignore[arg-type]

            monkeypatch.setattr(app.journal, "commit", counted)
            await app.exchanges.begin(SEER, Actor.USER, ConversationKey("kitchen"), "Which tea do I like?", "m")
            assert len(commits) == 1
            [session] = await lifecycle.list_(app.sessions, SEER, None, 50)
            assert (session.key, session.title) == ("kitchen", "Which tea do I like?")
            [active] = (await lifecycle.kin(app.sessions, "kitchen", SEER)).active
            assert (active.state.value, active.model) == ("in_progress", "m")
        assert verify_directory(tmp_path / "data").ok

    run(story())


def test_after_six_hours_of_silence_the_same_first_words_begin_another_conversation(tmp_path: Path) -> None:
    async def story() -> None:
        clock = ManualClock()
        async with an_app(tmp_path / "data", clock, Access.OWN, **HASH) as app:
            await pass_through(app, "hi")
            clock.advance(SILENCE_MS - 1)
            await pass_through(app, "and now?")
            assert await keys(app) == [UNNAMED.key]
            clock.advance(SILENCE_MS)
            await pass_through(app, "hi")
            clock.advance(SILENCE_MS)
            await pass_through(app, "hi")
            assert await keys(app) == [UNNAMED.key, f"{UNNAMED.key}.2", f"{UNNAMED.key}.3"]
            await pass_through(app, "named", ConversationKey("kitchen"))
            clock.advance(SILENCE_MS)
            await pass_through(app, "still", ConversationKey("kitchen"))
            assert "kitchen.2" not in await keys(app)

    run(story())


def test_nothing_is_recorded_of_a_turn_for_an_archived_session(tmp_path: Path) -> None:
    async def story() -> None:
        async with an_app(tmp_path / "data", None, Access.OWN, **HASH) as app:
            await pass_through(app, "hello", ConversationKey("kitchen"))
            await lifecycle.archive(app.sessions, "kitchen", SEER, Actor.USER, archived=True)
            with pytest.raises(PalyraError, match="archived"):
                await app.exchanges.begin(SEER, Actor.USER, ConversationKey("kitchen"), "hello?", "m")

    run(story())
