"""Sessions: making, naming, listing, ending them; and destroying what was said in them."""

from pathlib import Path
from typing import Any

import pytest

from chatting import Chat, a_chat
from palyra.api import chat as api
from palyra.api import continuity, memory
from palyra.api.call import owner
from palyra.core.errors import AlreadyExists, FailedPrecondition, InvalidArgument, NotFound, PermissionDenied
from support import files_holding, run, verify_directory


async def _state(chat: Chat) -> str:
    before, after = await chat.app.journal.rebuild(lambda _seq: None)
    assert before == after, "a replay gives another state"
    return before


OTHER = "My brother works as a nurse at UZ Gent, in Belgium."


def test_a_session_is_found_by_id_and_by_key(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            session = await chat.new("standup", title="Every morning")
            for name in (session, "standup"):
                assert (await chat.do(api.get, session=name)).session.title == "Every morning"
            plain = await chat.new()
            assert (await chat.do(api.get, session=plain)).session.key == plain

    run(story())


@pytest.mark.parametrize(
    "key", ["", " ", "a/b", "a?b", "a#b", "100%", "back\\slash", "x" * 200, "line\nbreak", "01ARZ3NDEKTSV4RRFFQ69G5FAV"]
)
def test_a_key_that_could_not_stand_in_an_address_is_refused(tmp_path: Path, key: str) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            size, _ = await chat.app.journal.head()
            with pytest.raises(InvalidArgument):
                await chat.new(key)
            assert (await chat.app.journal.head())[0] == size

    run(story())


def test_a_key_is_unique_within_its_principal_only(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            await chat.new("standup")
            with pytest.raises(AlreadyExists):
                await chat.new("standup")
            bob = chat.as_(owner("user:bob"))
            await bob.new("standup")
            assert len((await bob.do(api.list_)).sessions) == 1

    run(story())


def test_pages_follow_each_other_by_key_last_active_first(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            for n in range(7):
                await chat.new(f"s{n}")
            await chat.say("s2", "I like tea.")
            await chat.do(api.archive, session="s5")
            seen: list[str] = []
            after: str | None = None
            while True:
                page = await chat.do(api.list_, after_session_key=after, limit=2)
                seen += [session.key for session in page.sessions]
                after = page.next_after_session_key
                if after is None:
                    break
            assert seen[0] == "s2"
            assert sorted(seen) == ["s0", "s1", "s2", "s3", "s4", "s6"]
            assert "s5" in {s.key for s in (await chat.do(api.list_, archived=True)).sessions}
            with pytest.raises(NotFound):
                await chat.do(api.list_, after_session_key="nobody")

    run(story())


def test_an_archived_session_takes_no_messages_until_it_is_taken_out_again(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            await chat.new("s")
            await chat.do(api.archive, session="s")
            with pytest.raises(FailedPrecondition, match="archived"):
                await chat.say("s", "hello")
            await chat.do(api.archive, session="s", archived=False)
            assert (await chat.say("s", "I like tea.")).state == "done"

    run(story())


def test_a_title_given_by_hand_is_kept(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            await chat.new("s")
            await chat.do(api.rename, session="s", title="  Tea \n and cake ")
            await chat.say("s", "I like tea.")
            assert (await chat.do(api.get, session="s")).session.title == "Tea and cake"
            with pytest.raises(InvalidArgument):
                await chat.do(api.rename, session="s", title="x" * 300)

    run(story())


def test_a_reset_cuts_the_history_and_keeps_the_tape(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            await chat.new("s")
            await chat.say("s", "I like tea.")
            await chat.do(api.reset, session="s")
            assert (await chat.do(api.transcript, session="s")).entries == []
            assert len((await chat.do(api.transcript, session="s", everything=True)).entries) == 3
            assert (await chat.do(api.search, query="tea")).hits
            await _state(chat)

    run(story())


def test_undo_forgets_what_only_that_turn_told(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            await chat.new("s")
            await chat.do(memory.retain, text="I live in Lisbon")
            await chat.say("s", "I live in Lisbon")
            await chat.say("s", "My sister lives in Ghent.")
            await chat.do(api.undo, session="s")
            await chat.do(api.undo, session="s")
            assert [item.text for item in (await chat.do(memory.list_)).items] == ["I live in Lisbon"]
            with pytest.raises(FailedPrecondition, match="no turn"):
                await chat.do(api.undo, session="s")

    run(story())


def test_a_pin_stays_until_it_is_taken_away(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            await chat.new("s")
            await chat.new("other")
            await chat.say("s", "I like tea.")
            entry = (await chat.do(api.transcript, session="s")).entries[0]
            assert (await chat.do(api.pin, session="s", event_id=entry.event_id)).pinned
            assert not (await chat.do(api.pin, session="s", event_id=entry.event_id, pinned=False)).pinned
            with pytest.raises(NotFound):
                await chat.do(api.pin, session="other", event_id=entry.event_id)

    run(story())


@pytest.mark.parametrize("format_", ["json", "markdown"])
def test_an_export_holds_both_sides(tmp_path: Path, format_: str) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            await chat.new("s")
            heard = await chat.say("s", "I like tea.")
            content = (await chat.do(api.export, session="s", format=format_)).content
            assert "I like tea." in content
            assert heard.answer.splitlines()[0][:10] in content
            with pytest.raises(InvalidArgument, match="format"):
                await chat.do(api.export, session="s", format="pdf")

    run(story())


def test_words_are_found_across_sessions(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            await chat.new("one")
            await chat.new("two")
            await chat.say("one", "The boiler is serviced in October.")
            await chat.say("two", "茶が好きです")
            assert {hit.session_key for hit in (await chat.do(api.search, query="boiler")).hits} == {"one"}
            assert {hit.session_key for hit in (await chat.do(api.search, query="好き")).hits} == {"two"}
            for query in ('"', "a OR", "*", "NEAR(", "-"):
                await chat.do(api.search, query=query)
            for query in ("", " ", "x" * 9_000, "\ud800"):
                with pytest.raises(InvalidArgument):
                    await chat.do(api.search, query=query)

    run(story())


@pytest.mark.parametrize("whole", [True, False])
def test_erasing_leaves_no_trace_of_what_was_said(tmp_path: Path, whole: bool) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            await chat.new("s")
            first = await chat.tell("s", "My sister Ines lives in Zwolle-upon-Test, in the Netherlands.")
            await chat.tell("s", OTHER)
            entry = (await chat.do(api.transcript, session="s")).entries[0]
            await chat.do(api.pin, session="s", event_id=entry.event_id)
            done = await chat.do(api.erase, session="s", run_ids=() if whole else (first.run_id,))
            assert done.erased
            assert (await chat.do(api.search, query="Zwolle")).hits == []
            assert [i.text for i in (await chat.do(memory.list_)).items] == ([] if whole else [OTHER])
            assert "Zwolle" not in str(await chat.do(api.transcript, session="s", everything=True))
            await _state(chat)

        assert verify_directory(tmp_path / "data").ok
        assert files_holding(tmp_path / "data", "Zwolle") == []

    run(story())


def test_erasing_a_session_erases_what_its_checkpoints_are_called(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            for session in ("s", "other"):
                await chat.new(session)
                await chat.tell(session, "I like tea.")
                name = f"before Zwolle-{session}"
                await chat.do(continuity.create, session=session, name=name, note=f"{name}: a note", tags=(name,))
            await chat.do(api.erase, session="s")
            left = (await chat.do(continuity.checkpoints)).checkpoints
            assert [one.name for one in left] == ["before Zwolle-other"]
            await _state(chat)

        assert verify_directory(tmp_path / "data").ok
        assert files_holding(tmp_path / "data", "Zwolle-s") == []

    run(story())


def test_erasing_a_memory_erases_where_it_was_said(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            session = await chat.new("s", title="Family")
            await chat.tell(session, OTHER)
            [item] = (await chat.do(memory.list_)).items
            await chat.do(memory.erase, ids=[item.memory_id])
            said = (await chat.do(api.transcript, session="s")).entries[0]
            assert (said.type, said.payload) == ("erased", None)
            await _state(chat)

    run(story())


def test_somebody_elses_session_and_run_are_refused_everywhere(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            session = await chat.new("s")
            heard = await chat.tell(session, "I like tea.")
            bob = chat.as_(owner("user:bob"))
            named: dict[Any, dict[str, Any]] = {
                api.get: {},
                api.rename: {"title": "mine"},
                api.reset: {},
                api.archive: {},
                api.branch: {},
                api.undo: {},
                api.transcript: {},
                api.export: {},
                api.erase: {},
                api.pin: {"event_id": heard.run_id},
            }
            size, _ = await chat.app.journal.head()
            for operation, fields in named.items():
                with pytest.raises(PermissionDenied):
                    await bob.do(operation, session=session, **fields)
                with pytest.raises(NotFound):
                    await bob.do(operation, session="s", **fields)
            for operation in (api.run, api.explain, api.abort):
                with pytest.raises(PermissionDenied):
                    await bob.do(operation, run_id=heard.run_id)
            with pytest.raises(PermissionDenied):
                await bob.follow(heard.run_id)
            assert (await bob.do(api.search, query="tea")).hits == []
            assert (await bob.do(api.list_)).sessions == []
            assert (await chat.app.journal.head())[0] == size

    run(story())
