"""Learning through the operations: what is shown, what is decided, and what bad input gets."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from chatting import Chat
from palyra.api import learning as api
from palyra.api import memory as memory_api
from palyra.api import workspace as documents
from palyra.api.call import Caller, owner
from palyra.core.clock import ManualClock
from palyra.core.errors import Conflict, FailedPrecondition, InvalidArgument, NotFound, PermissionDenied
from palyra.domain.access import GRANTABLE, Capability
from palyra.domain.journal import Actor, EventFilter
from palyra.domain.learning.candidate import LearningState
from proposing import Said, a_preference, a_procedure, propose
from support import an_app, run

ANA, BOB = owner("user:ana"), owner("user:bob")
PEANUTS, TEA = "I am allergic to peanuts", "I prefer tea over coffee in the morning"
NOTHING = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
DAY_MS = 86_400_000


@asynccontextmanager
async def ana(root: Path, clock: ManualClock | None = None) -> AsyncIterator[Chat]:
    async with an_app(root, clock, PALYRA_MEMORY_EMBEDDINGS_PROVIDER="hash") as app:
        yield Chat(app, ANA)


async def page(chat: Chat, **asked: Any) -> list[str]:
    return [one.text for one in (await chat.do(api.list_, **asked)).candidates]


def test_the_list_shows_what_waits_with_the_words_it_rests_on_and_counts_the_rest(tmp_path: Path) -> None:
    async def story() -> None:
        async with ana(tmp_path) as chat:
            said = Said(f"By the way, {PEANUTS}, so no satay.", learned=PEANUTS)
            first, second = await propose(chat.app, [said, a_preference(TEA)])
            await chat.do(api.decide, candidate_id=second, decision="approve")
            found = await chat.do(api.list_, with_evidence=True)
            [one] = found.candidates
            assert (one.candidate_id, one.kind, one.state) == (first, "durable_fact", "needs_review")
            assert (one.confidence, one.basis, one.because) == (0.82, ["first_person"], ["not_sure_enough"])
            [quote] = one.evidence
            assert (quote.words, quote.run_id) == (said.text, one.run_id)
            assert found.counts == {"needs_review": 1, "applied": 1}
            assert (found.queued_runs, found.held_texts, found.next_after_seq) == (0, 0, None)
            assert (await chat.do(api.list_)).candidates[0].evidence == []
            assert await page(chat, states=("applied",)) == [TEA]
            assert await page(chat, states=("all",)) == [PEANUTS, TEA]
            assert await page(chat, states=("all",), kinds=("preference",)) == [TEA]

    run(story())


def test_one_candidate_comes_with_what_it_contradicts_and_its_history(tmp_path: Path) -> None:
    async def story() -> None:
        async with ana(tmp_path) as chat:
            kept = await chat.do(memory_api.retain, text="I prefer coffee over tea in the morning")
            said = Said(TEA, state=LearningState.CONFLICTED, conflicts=(kept.memory_id,), because=("conflict",))
            [candidate_id] = await propose(chat.app, [said])
            found = await chat.do(api.get, candidate_id=candidate_id)
            assert [item.text for item in found.conflicts] == ["I prefer coffee over tea in the morning"]
            done = await chat.do(
                api.decide, candidate_id=candidate_id, decision="edit", text="I prefer green tea", reason="more exact"
            )
            assert (done.state, done.text) == ("applied", "I prefer green tea")
            steps = (await chat.do(api.get, candidate_id=candidate_id)).history
            assert [(step.state, step.actor, step.reason) for step in steps] == [
                ("conflicted", "system", ""),
                ("approved", "user", "more exact"),
                ("applied", "user", ""),
            ]
            item = (await chat.do(memory_api.get, memory_id=done.memory_id)).item
            assert (item.text, item.source) == ("I prefer green tea", "durable_fact")

    run(story())


def test_the_same_request_again_gets_the_first_answer_and_another_one_an_error(tmp_path: Path) -> None:
    async def story() -> None:
        async with ana(tmp_path) as chat:
            [candidate_id, other] = await propose(chat.app, [PEANUTS, TEA])
            asked = {"candidate_id": candidate_id, "decision": "approve"}
            first = await chat.do(api.decide, **asked, request_id="r1")
            size = (await chat.app.journal.head())[0]
            assert await chat.do(api.decide, **asked, request_id="r1") == first
            with pytest.raises(FailedPrecondition, match="is applied and cannot become approved"):
                await chat.do(api.decide, **asked)
            with pytest.raises(Conflict):
                await chat.do(api.decide, candidate_id=other, decision="approve", request_id="r1")
            assert (await chat.app.journal.head())[0] == size

    run(story())


def test_of_many_each_is_decided_by_itself(tmp_path: Path) -> None:
    async def story() -> None:
        async with ana(tmp_path) as chat:
            one, two = await propose(chat.app, [PEANUTS, TEA])
            [foreign] = await propose(chat.app, ["I like rain"], "user:bob")
            await chat.do(api.decide, candidate_id=two, decision="reject")
            ids = [one, two, foreign, NOTHING, "nonsense", one]
            done = await chat.do(api.decide_many, candidate_ids=ids, decision="approve", reason="all well")
            assert done.decided == 1
            assert [(out.candidate_id, out.error and out.error.code) for out in done.outcomes] == [
                (one, None),
                (two, "failed_precondition"),
                (foreign, "permission_denied"),
                (NOTHING, "not_found"),
                ("nonsense", "invalid_argument"),
            ]
            for wrong in ([], [NOTHING] * 100_000):
                with pytest.raises(InvalidArgument):
                    await chat.do(
                        api.decide_many, candidate_ids=[f"{n}{i}" for n, i in enumerate(wrong)], decision="approve"
                    )
            with pytest.raises(InvalidArgument, match="one text"):
                await chat.do(api.decide_many, candidate_ids=[two], decision="edit")

    run(story())


def test_what_is_put_off_is_out_of_sight_until_then(tmp_path: Path) -> None:
    async def story() -> None:
        clock = ManualClock()
        async with ana(tmp_path, clock) as chat:
            [candidate_id] = await propose(chat.app, [PEANUTS])
            done = await chat.do(api.snooze, candidate_id=candidate_id, for_ms=DAY_MS)
            assert done.snoozed_until_ms == clock.now_ms() + DAY_MS
            assert await page(chat) == []
            assert await page(chat, snoozed=True) == [PEANUTS]
            assert await page(chat, states=("all",)) == [PEANUTS]
            assert (await chat.do(api.list_)).snoozed == 1
            clock.advance(DAY_MS)
            assert await page(chat) == [PEANUTS]
            await chat.do(api.snooze, candidate_id=candidate_id, for_ms=DAY_MS)
            assert (await chat.do(api.snooze, candidate_id=candidate_id, for_ms=0)).snoozed_until_ms is None
            assert await page(chat) == [PEANUTS]

    run(story())


def test_a_preference_is_in_force_until_it_is_taken_back_and_waits_again_when_it_is_reopened(tmp_path: Path) -> None:
    async def story() -> None:
        async with ana(tmp_path) as chat:
            [candidate_id] = await propose(chat.app, [a_preference(TEA)])
            assert (await chat.do(api.preferences)).preferences == []
            done = await chat.do(api.decide, candidate_id=candidate_id, decision="approve")
            [told] = (await chat.do(api.preferences)).preferences
            assert (told.text, told.about, told.memory_id) == (TEA, "drinks", done.memory_id)
            back = await chat.do(api.roll_back, candidate_id=candidate_id, reason="not any more", request_id="r1")
            assert back.state == "rolled_back"
            again = await chat.do(api.roll_back, candidate_id=candidate_id, reason="not any more", request_id="r1")
            assert again == back
            assert (await chat.do(api.preferences)).preferences == []
            with pytest.raises(FailedPrecondition, match="rolled_back and cannot become rolled_back"):
                await chat.do(api.roll_back, candidate_id=candidate_id)
            assert (await chat.do(api.decide, candidate_id=candidate_id, decision="reopen")).state == "needs_review"
            assert await page(chat) == [TEA]

    run(story())


def test_what_was_superseded_since_is_not_taken_back_but_can_be_taken_out(tmp_path: Path) -> None:
    async def story() -> None:
        async with ana(tmp_path) as chat:
            first, second = await propose(chat.app, [a_preference(TEA), a_preference("I prefer mate now")])
            older = await chat.do(api.decide, candidate_id=first, decision="approve")
            newer = await chat.do(api.decide, candidate_id=second, decision="approve")
            size = (await chat.app.journal.head())[0]
            with pytest.raises(FailedPrecondition, match="superseded by") as refused:
                await chat.do(api.roll_back, candidate_id=first)
            assert refused.value.details == {"superseded_by": newer.memory_id}
            assert (await chat.app.journal.head())[0] == size
            found = await chat.do(api.radius, candidate_id=second)
            assert [item.memory_id for item in found.memories] == [newer.memory_id]
            assert [item.memory_id for item in found.replaced] == [older.memory_id]
            done = await chat.do(api.quarantine, candidate_id=second, reason="poisoned")
            assert done.forgotten == [newer.memory_id]
            assert done.reinstated == [older.memory_id]
            assert [one.text for one in (await chat.do(api.preferences)).preferences] == [TEA]

    run(story())


def test_a_procedure_becomes_a_document_and_goes_with_a_roll_back(tmp_path: Path) -> None:
    async def story() -> None:
        async with ana(tmp_path) as chat:
            [candidate_id] = await propose(chat.app, [a_procedure("release the trains", "run tests", "tag it")])
            done = await chat.do(api.decide, candidate_id=candidate_id, decision="approve")
            assert done.document == "procedures/release-the-trains.md"
            shown = await chat.do(documents.get, path=done.document)
            assert shown.text == "# release the trains\n\n1. run tests\n2. tag it\n"
            await chat.do(api.roll_back, candidate_id=candidate_id)
            with pytest.raises(NotFound):
                await chat.do(documents.get, path=done.document)

    run(story())


def test_ten_thousand_candidates_are_listed_in_pages_each_once(tmp_path: Path) -> None:
    async def story() -> None:
        async with ana(tmp_path) as chat:
            made = await propose(chat.app, [f"I own book number {n}" for n in range(10_000)], taped=False)
            seen: list[str] = []
            after: int | None = 0
            while after is not None:
                found = await chat.do(api.list_, after_seq=after, limit=500)
                seen += [one.candidate_id for one in found.candidates]
                after = found.next_after_seq
            assert seen == made
            assert found.counts == {"needs_review": 10_000}

    run(story())


def test_a_beginning_of_an_id_is_enough_if_only_one_has_it(tmp_path: Path) -> None:
    async def story() -> None:
        clock = ManualClock()
        async with ana(tmp_path, clock) as chat:
            [first] = await propose(chat.app, [PEANUTS])
            clock.advance(DAY_MS)
            second, third = await propose(chat.app, [TEA, "I like rain"])
            [foreign] = await propose(chat.app, ["I like rain"], "user:bob")
            assert (await chat.do(api.get, candidate_id=first[:6].lower())).candidate.candidate_id == first
            with pytest.raises(InvalidArgument, match="several") as several:
                await chat.do(api.get, candidate_id=second[:10])
            assert third in several.value.hint
            assert foreign not in several.value.hint
            with pytest.raises(NotFound):
                await chat.do(api.get, candidate_id="7ZZZZZ")
            for wrong in ("", first[:5], first[:8] + "%", first[:8] + "_", first + "0", "é" * 8, "~~~~~~"):
                with pytest.raises(InvalidArgument):
                    await chat.do(api.get, candidate_id=wrong)
            with pytest.raises(InvalidArgument):  # only looking is safe with a part of an id
                await chat.do(api.decide, candidate_id=first[:6], decision="approve")

    run(story())


WRONG: list[tuple[Any, dict[str, Any], type[Exception]]] = [
    (api.list_, {"states": ("lost",)}, InvalidArgument),
    (api.list_, {"states": ()}, InvalidArgument),
    (api.list_, {"kinds": ("gossip",)}, InvalidArgument),
    (api.list_, {"limit": 0}, InvalidArgument),
    (api.list_, {"limit": 501}, InvalidArgument),
    (api.list_, {"after_seq": -1}, InvalidArgument),
    (api.list_, {"after_seq": 1 << 63}, InvalidArgument),
    (api.list_, {"channel": ""}, InvalidArgument),
    (api.list_, {"actor": "nobody"}, InvalidArgument),
    (api.decide, {"decision": "maybe"}, InvalidArgument),
    (api.decide, {"decision": "edit"}, InvalidArgument),
    (api.decide, {"decision": "reject", "text": "x"}, InvalidArgument),
    (api.decide, {"decision": "approve", "text": ""}, InvalidArgument),
    (api.decide, {"decision": "edit", "text": " \n\t "}, InvalidArgument),
    (api.decide, {"decision": "approve", "text": "x" * 4_001}, InvalidArgument),
    (api.decide, {"decision": "approve", "text": "\ud800"}, InvalidArgument),
    (api.decide, {"decision": "approve", "reason": "x" * 501}, InvalidArgument),
    (api.decide, {"decision": "reopen"}, FailedPrecondition),
    (api.decide, {"decision": "approve", "request_id": ""}, InvalidArgument),
    (api.decide, {"decision": "approve", "actor": "agent"}, PermissionDenied),
    (api.snooze, {"for_ms": -1}, InvalidArgument),
    (api.snooze, {"for_ms": 1 << 47}, InvalidArgument),
    (api.snooze, {"for_ms": 1 << 62}, InvalidArgument),
    (api.roll_back, {}, FailedPrecondition),
    (api.roll_back, {"reason": "\udfff"}, InvalidArgument),
    (api.quarantine, {"reason": "x" * 501}, InvalidArgument),
    (api.quarantine, {"reason": "\udfff"}, InvalidArgument),
    (api.reflect, {"limit": 0}, InvalidArgument),
    (api.reflect, {"limit": 501}, InvalidArgument),
]


def test_bad_input_gets_one_clear_error_and_changes_nothing(tmp_path: Path) -> None:
    async def story() -> None:
        async with ana(tmp_path) as chat:
            [candidate_id] = await propose(chat.app, [PEANUTS])
            events = await chat.app.journal.list(EventFilter(), 0, 1_000)
            for operation, asked, error in WRONG:
                name = {"candidate_id": candidate_id} if "candidate_id" in operation.request.__struct_fields__ else {}
                with pytest.raises(error):
                    await chat.do(operation, **name, **asked)
            now = await chat.app.journal.list(EventFilter(), 0, 1_000)
            assert [event for event in now if event.kind != "access.refused"] == events
            for operation in (api.get, api.radius, api.quarantine, api.roll_back):
                with pytest.raises(NotFound):
                    await chat.do(operation, candidate_id=NOTHING)

    run(story())


def test_nobody_else_sees_or_decides_it(tmp_path: Path) -> None:
    async def story() -> None:
        async with ana(tmp_path) as chat:
            [candidate_id] = await propose(chat.app, [PEANUTS], channel="work")
            bob, elsewhere, at_work = chat.as_(BOB), {"channel": "home"}, {"channel": "work"}
            for who, where in ((bob, at_work), (chat, elsewhere), (chat, {})):
                assert await page(who, states=("all",), **where) == []
                assert (await who.do(api.list_, **where)).counts == {}
                for operation, more in (
                    (api.get, {}),
                    (api.decide, {"decision": "approve"}),
                    (api.snooze, {"for_ms": 1}),
                    (api.roll_back, {}),
                    (api.radius, {}),
                    (api.quarantine, {}),
                ):
                    with pytest.raises(PermissionDenied) as refused:
                        await who.do(operation, candidate_id=candidate_id, **more, **where)
                    assert PEANUTS not in str(refused.value.body())
                with pytest.raises(NotFound):
                    await who.do(api.get, candidate_id=candidate_id[:12], **where)
            assert await page(chat, **at_work) == [PEANUTS]

    run(story())


def test_reading_preferences_is_for_whoever_reads_and_nothing_else_of_it(tmp_path: Path) -> None:
    async def story() -> None:
        async with ana(tmp_path) as chat:
            everyday = GRANTABLE - {Capability.REVIEW}
            agent = chat.as_(Caller("user:ana", frozenset(everyday), Actor.AGENT, name="an agent"))
            [candidate_id] = await propose(chat.app, [a_preference(TEA)])
            assert (await agent.do(api.preferences)).preferences == []
            for operation in api.OPERATIONS:
                if operation is not api.preferences:
                    with pytest.raises(PermissionDenied, match="'review'"):
                        await agent.do(operation, **_asked(operation, candidate_id))
            await chat.do(api.decide, candidate_id=candidate_id, decision="approve")
            assert [one.text for one in (await agent.do(api.preferences)).preferences] == [TEA]

    run(story())


def _asked(operation: Any, candidate_id: str) -> dict[str, Any]:
    given = {"candidate_id": candidate_id, "candidate_ids": [candidate_id], "decision": "approve", "for_ms": 1}
    return {name: value for name, value in given.items() if name in operation.request.__struct_fields__}


def test_secrets_are_masked_in_all_that_is_shown(tmp_path: Path) -> None:
    secret = "ghp_" + "aB3dE5gH7jK9mN1pQ3rS5tU7vW9xY1zA2bC4"

    async def story() -> None:
        async with ana(tmp_path) as chat:
            said = Said(f"My token is {secret}", a_preference("x").kind, key="token")
            [candidate_id] = await propose(chat.app, [said])
            for operation in (api.get, api.radius):
                assert secret not in repr(await chat.do(operation, candidate_id=candidate_id))
            assert secret not in repr(await chat.do(api.list_, with_evidence=True))

    run(story())
