"""Compactions: what they keep, what they write, and when they count."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from chatting import a_chat
from palyra.api import chat as sessions
from palyra.api import continuity as api
from palyra.api import journal, memory
from palyra.api import workspace as documents
from palyra.api.call import owner
from palyra.core.errors import Conflict, FailedPrecondition, InvalidArgument, NotFound, PermissionDenied
from palyra.domain.compaction.plan import CompactionLimits
from palyra.services.continuity.statements import statements_of
from services.continuity.continuing import FACTS, block_in_prompt, compact, read, record, talk, taped, turns, write
from support import run, verify_directory


def test_forty_turns_are_condensed_and_the_early_facts_are_still_answered(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            session = await talk(chat, "trip", turns(40))
            plan = await chat.do(api.preview, session=session)
            assert plan.tokens_after < plan.tokens_before
            assert (await chat.do(api.list_, session=session)).compactions == []
            done = await compact(chat, session)
            assert (done.summary, done.messages) == (plan.summary, plan.messages)
            assert "Porto" in await block_in_prompt(chat, session)
            heard = await chat.say(session, "And now?")
            found = (await chat.do(memory.search_, query="Which hospital do I work at?")).hits
            assert "Santa Maria" in found[0].item.text
            [report] = heard.events("prompt_report")
            parts = {part["kind"]: part for part in report["parts"]}
            assert parts["compaction"]["units"] == 1
            assert parts["turns"]["units"] <= 5

    run(story())


def test_lasting_facts_go_into_blocks_and_a_persons_own_lines_stay(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            mine = "# Mine\r\n\r\nkeep  this \r\n"
            await write(chat, "MEMORY.md", mine)
            done = await compact(chat, await taped(chat, "trip"))
            text = await read(chat, "MEMORY.md")
            assert text.startswith(mine)
            assert "- My sister Ines lives in Porto." in text
            assert {"MEMORY.md", "context/decisions.md"} <= set(done.documents)
            [newest, *_] = (await chat.do(documents.versions, path="MEMORY.md")).revisions
            assert (newest.source, newest.because) == ("compaction", done.compaction_id)

    run(story())


def test_a_newer_statement_takes_the_place_of_the_one_it_contradicts(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            session = await chat.new("move")
            await record(chat, session, ["I live in Lisbon.", *turns(16)[6:]])
            await compact(chat, session)
            assert "I live in Lisbon." in await read(chat, "MEMORY.md")
            await record(chat, session, ["I live in Porto now.", *turns(16)[6:]])
            await compact(chat, session)
            text = await read(chat, "MEMORY.md")
            assert "Porto" in text
            assert "Lisbon" not in text

    run(story())


def test_a_block_edited_by_hand_is_left_alone_and_named_with_its_line(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            session = await taped(chat, "trip")
            await compact(chat, session)
            text = (await read(chat, "MEMORY.md")).replace("Ines lives in Porto", "Ines lives in Faro")
            await write(chat, "MEMORY.md", text)
            await record(chat, session, ["My brother Rui lives in Braga.", *turns(12)[6:]])
            done = await compact(chat, session)
            [refused] = [one for one in done.refused if one.path == "MEMORY.md"]
            assert "line " in refused.why
            assert await read(chat, "MEMORY.md") == text
            assert done.in_force

    run(story())


def test_a_document_that_holds_a_secret_is_left_alone(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            folder = chat.app.workspace_folder("user:ana")
            assert folder is not None
            await chat.do(documents.list_)
            folder.mkdir(parents=True, exist_ok=True)
            words = f"password = {'Xk9' * 8}\n"
            (folder / "MEMORY.md").write_text(words)
            done = await compact(chat, await taped(chat, "trip"))
            assert "MEMORY.md" in [one.path for one in done.refused]
            assert (folder / "MEMORY.md").read_text() == words

    run(story())


def test_the_block_is_the_same_bytes_in_every_prompt_until_the_next_compaction(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            session = await taped(chat, "trip")
            await compact(chat, session)
            reports = [(await chat.say(session, text)).events("prompt_report")[0] for text in ("Hello.", "Go on.")]
            first, second = (
                next(part["sha256"] for part in report["parts"] if part["kind"] == "compaction") for report in reports
            )
            assert first == second

    run(story())


def test_a_later_compaction_builds_on_the_earlier(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            session = await taped(chat, "trip")
            first = await compact(chat, session)
            await record(chat, session, ["My car is a red Fiat.", *turns(14)[6:]])
            second = await compact(chat, session)
            assert second.from_seq == first.from_seq
            assert second.to_seq > first.to_seq
            assert second.summary.startswith(first.summary)
            assert len(second.summary) > len(first.summary)
            assert "red Fiat" in await read(chat, "MEMORY.md")
            listed = (await chat.do(api.list_, session=session)).compactions
            assert [(one.compaction_id, one.in_force) for one in listed] == [
                (second.compaction_id, True),
                (first.compaction_id, False),
            ]

    run(story())


def test_undoing_a_condensed_turn_brings_the_earlier_compaction_back(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            session = await taped(chat, "trip")
            await compact(chat, session)
            before = await block_in_prompt(chat, session)
            await record(chat, session, turns(14)[6:])
            await compact(chat, session)
            assert await block_in_prompt(chat, session) != before
            for _ in range(5):
                await chat.do(sessions.undo, session=session)
            assert await block_in_prompt(chat, session) == before

    run(story())


def test_a_reset_takes_a_compaction_out(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            session = await taped(chat, "trip")
            await compact(chat, session)
            await chat.do(sessions.reset, session=session)
            assert await block_in_prompt(chat, session) == ""
            with pytest.raises(NotFound, match="condensed"):
                await chat.do(api.expand, session=session)

    run(story())


def test_a_branch_has_the_compaction_only_if_all_its_range_is_shared(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            session = await chat.new("trip")
            runs = await record(chat, session, turns(12))
            before = await chat.do(sessions.branch, session=session, key="before")
            await compact(chat, session)
            whole = await chat.do(sessions.branch, session=session, key="whole")
            early = await chat.do(sessions.branch, session=session, run_id=runs[3], key="early")
            block = await block_in_prompt(chat, session)
            assert await block_in_prompt(chat, whole.session_id) == block
            assert await block_in_prompt(chat, early.session_id) == ""
            assert await block_in_prompt(chat, before.session_id) == "", "it was branched before"
            await chat.do(sessions.reset, session=session)
            assert await block_in_prompt(chat, whole.session_id) == block, "a branch goes its own way"

    run(story())


def test_a_pinned_turn_stays_word_for_word(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            session = await taped(chat, "trip")
            entry = (await chat.do(sessions.transcript, session=session)).entries[2]
            await chat.do(sessions.pin, session=session, event_id=entry.event_id)
            await compact(chat, session)
            heard = await chat.say(session, "Hello.")
            [report] = heard.events("prompt_report")
            kept = next(part["kept"] for part in report["parts"] if part["kind"] == "turns")
            assert entry.run_id in [one["source"]["id"] for one in kept]

    run(story())


def test_untrusted_text_in_the_condensed_part_still_taints_later_turns(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            clean, tainted = await taped(chat, "clean"), await taped(chat, "tainted", untrusted=True)
            await compact(chat, clean)
            await compact(chat, tainted)

            def taints(session: str) -> bool:
                row = chat.app.store.db.read_now(
                    lambda tx: tx.execute(
                        "SELECT artifact ->> 'untrusted' FROM session_compactions WHERE session_id = ?", (session,)
                    ).fetchone()
                )
                assert row is not None
                return bool(row[0])

            assert (taints(clean), taints(tainted)) == (False, True)

    run(story())


def test_a_repeated_request_gets_the_first_answer(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            session = await taped(chat, "trip")
            first, twin = await asyncio.gather(*(compact(chat, session, request_id="one") for _ in range(2)))
            assert twin.compaction_id == first.compaction_id
            assert (await compact(chat, session, request_id="one")).compaction_id == first.compaction_id
            assert len((await chat.do(api.list_, session=session)).compactions) == 1

    run(story())


def test_too_little_to_condense_is_one_clear_error_and_changes_nothing(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            session = await taped(chat, "short", 4)
            await chat.do(documents.list_)
            size = (await chat.do(journal.status)).size
            for operation in (api.preview, api.apply):
                with pytest.raises(FailedPrecondition, match="2 messages to condense; it takes 4"):
                    await chat.do(operation, session=session)
            assert (await chat.do(journal.status)).size - size <= 6, "at most the templates"
            session = await chat.new("empty")
            with pytest.raises(FailedPrecondition, match="0 messages"):
                await compact(chat, session)

    run(story())


def test_a_conversation_that_changes_meanwhile_is_not_condensed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            session = await taped(chat, "trip")

            async def undo_meanwhile(*given: object, **more: object) -> object:
                await chat.do(sessions.undo, session=session)
                return await statements_of(*given, **more)  # type: ignore[arg-type]

            monkeypatch.setattr("palyra.services.continuity.planning.statements_of", undo_meanwhile)
            with pytest.raises(Conflict, match="changed while"):
                await compact(chat, session)
            assert (await chat.do(api.list_, session=session)).compactions == []
            assert (await chat.do(api.checkpoints, session=session)).checkpoints == []

    run(story())


def test_expand_shows_the_originals(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            session = await taped(chat, "trip")
            done = await compact(chat, session)
            found = await chat.do(api.expand, session=session)
            said = [entry.payload["text"] for entry in found.entries if entry.type == "user_message"]
            assert said[: len(FACTS)] == list(FACTS)
            assert found.compaction_id == done.compaction_id
            assert found.entries[-1].seq == done.to_seq
            first = found.entries[0].seq
            page = await chat.do(api.expand, session=session, from_seq=first, to_seq=first + 1, limit=1)
            assert [entry.seq for entry in page.entries] == [first]
            for wrong in ({"from_seq": 9, "to_seq": 3}, {"limit": 0}, {"after_seq": -1}, {"from_seq": 1 << 63}):
                with pytest.raises(InvalidArgument):
                    await chat.do(api.expand, session=session, **wrong)

    run(story())


def test_a_compaction_adds_nothing_to_memory_and_proposes_nothing(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            session = await taped(chat, "trip")
            before = len((await chat.do(memory.list_)).items)
            done = await compact(chat, session)
            assert (done.stored, done.held) == ([], [])
            assert len((await chat.do(memory.list_)).items) == before
            assert "- My sister Ines lives in Porto" in await read(chat, "MEMORY.md")

    run(story())


def test_turns_that_nobody_has_read_are_read_for_the_summary_and_nothing_of_it_is_written(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path, PALYRA_LEARNING_ENABLED="false") as chat:
            done = await compact(chat, await taped(chat, "trip"))
            assert "My sister Ines lives in Porto" in done.summary
            assert (await chat.do(memory.list_)).items == []
            assert done.documents == []
            assert {one.disposition for one in done.candidates} <= {"review_required", "skipped_noise"}

    run(story())


def test_a_statement_the_owner_has_rejected_is_not_said_again(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            session = await taped(chat, "trip")
            [ines] = [one for one in (await chat.do(memory.list_)).items if "Ines" in one.text]
            await chat.do(memory.delete, memory_ids=[ines.memory_id])
            done = await compact(chat, session)
            assert "Ines" not in done.summary
            assert "Ines" not in await read(chat, "MEMORY.md")
            assert "rejected" in next(one.why for one in done.loss.unseen if "Ines" in one.text)

    run(story())


def test_what_a_summary_says_is_left_out_of_the_next_once_it_was_replaced(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            session = await chat.new("move")
            await record(chat, session, ["I live in Lisbon.", *turns(16)[6:]])
            assert "Lisbon" in (await compact(chat, session)).summary
            await record(chat, session, ["I moved to Porto.", *turns(16)[6:]])
            text = (await compact(chat, session)).summary
            assert "Porto" in text
            assert "Lisbon" not in text

    run(story())


def test_something_grave_is_lost_only_by_force(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def story() -> None:
        async with a_chat(tmp_path, PALYRA_LEARNING_ENABLED="false") as chat:
            session = await taped(chat, "trip")
            small = replace(CompactionLimits(), max_summary_tokens=30)
            monkeypatch.setattr("palyra.services.continuity.planning.CompactionLimits", lambda **_given: small)
            lost = (await chat.do(api.preview, session=session)).loss.lost
            assert {"health", "date"} & {one.kind for one in lost}
            with pytest.raises(FailedPrecondition, match="must not get lost"):
                await compact(chat, session)
            assert (await chat.do(api.list_, session=session)).compactions == []
            assert (await compact(chat, session, force=True)).in_force

    run(story())


def test_erasing_a_condensed_turn_erases_the_summary_and_facts_made_of_it(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            session = await chat.new("trip")
            runs = await record(chat, session, turns(12))
            branch = await chat.do(sessions.branch, session=session, key="other")
            for name in (session, branch.session_id):
                await compact(chat, name)
            await chat.do(sessions.erase, session=session, run_ids=[runs[0]])
            for name in (session, branch.session_id):
                assert await block_in_prompt(chat, name) == ""
                assert (await chat.do(api.list_, session=name)).compactions == []
            found = await chat.do(memory.search_, query="where does Ines live")
            assert not [hit for hit in found.hits if "Ines" in hit.item.text]
            again = await compact(chat, session)
            assert "Ines" not in again.summary
            before, after = await chat.app.journal.rebuild(lambda _done: None)
            assert before == after

    run(story())


def test_nobody_else_can_condense_or_read_it(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            session = await taped(chat, "trip")
            await compact(chat, session)
            bob = chat.as_(owner("user:bob"))
            for operation in (api.preview, api.apply, api.list_, api.expand, api.tree):
                with pytest.raises(PermissionDenied):
                    await bob.do(operation, session=session)

    run(story())


def test_five_hundred_turns_are_condensed_and_replay_to_the_same_state(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            session = await chat.new("long")
            await record(chat, session, turns(500), is_read=False)
            done = await compact(chat, session)
            assert done.messages == 2 * (500 - 3)
            assert done.tokens_after * 3 <= done.tokens_before
            heard = await chat.say(session, "Hello.")
            [report] = heard.events("prompt_report")
            assert next(part["units"] for part in report["parts"] if part["kind"] == "turns") == 3
            before, after = await chat.app.journal.rebuild(lambda _done: None)
            assert before == after

    run(story())
    assert verify_directory(tmp_path / "data").findings == ()
