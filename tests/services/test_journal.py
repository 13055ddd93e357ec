import asyncio
from pathlib import Path

import pytest

from palyra.core.clock import ManualClock
from palyra.core.errors import InvalidArgument, NotFound
from palyra.core.merkle import leaf_hash, verify_consistency, verify_inclusion
from palyra.domain.access import Access
from palyra.domain.journal import Actor, EventDraft, EventFilter, Origin
from palyra.store.checkpoints import checkpoint_notes
from support import ANA, a_note, an_app, an_event, run


def test_queries_match_by_every_field_and_page_by_cursor(tmp_path: Path) -> None:
    async def work() -> None:
        clock = ManualClock(1_000)
        async with an_app(tmp_path, clock) as app:
            seqs: dict[str, int] = {}
            cases = {
                "plain": EventDraft("test.a", {}, ANA),
                "kind": EventDraft("test.b", {}, ANA),
                "actor": EventDraft("test.a", {}, Origin("user:ana", Actor.AGENT)),
                "principal": EventDraft("test.a", {}, Origin("user:bo")),
                "channel": EventDraft("test.a", {}, Origin("user:ana", channel="discord:1")),
                "session": EventDraft("test.a", {}, Origin("user:ana", session_id="s1")),
                "run": EventDraft("test.a", {}, Origin("user:ana", run_id="r1")),
            }
            ids = {}
            for name, draft in cases.items():
                receipt = await app.journal.append(draft)
                seqs[name], ids[name] = receipt.seq, receipt.event_id
                clock.advance(1_000)

            async def found(**want: object) -> list[int]:
                return [record.seq for record in await app.journal.list(EventFilter(**want))]  # type: ignore[arg-type]

            assert await found(kind="test.b") == [seqs["kind"]]
            assert await found(actor=Actor.AGENT) == [seqs["actor"]]
            assert await found(principal="user:bo") == [seqs["principal"]]
            assert await found(channel="discord:1") == [seqs["channel"]]
            assert await found(session_id="s1") == [seqs["session"]]
            assert await found(run_id="r1") == [seqs["run"]]
            assert await found(since_ms=2_000, until_ms=4_000) == [2, 3]
            assert await found(from_id=ids["kind"], to_id=ids["actor"]) == [2, 3]
            assert await found(kind="test.b", actor=Actor.AGENT) == []
            pages, after = [], 0
            while page := await app.journal.list(EventFilter(), after, 3):
                pages.append([record.seq for record in page])
                after = page[-1].seq
            assert pages == [[1, 2, 3], [4, 5, 6], [7]]
            newest = await app.journal.list(EventFilter(), 0, 2, newest_first=True)
            older = await app.journal.list(EventFilter(), newest[-1].seq, 2, newest_first=True)
            assert [record.seq for record in newest + older] == [7, 6, 5, 4]

    run(work())


def test_following_shows_what_is_there_and_what_comes_even_from_another_owner(tmp_path: Path) -> None:
    async def work() -> list[int]:
        async with an_app(tmp_path) as writer:
            await writer.journal.append(a_note("already there"))
            async with an_app(tmp_path, access=Access.READ) as reader:
                seen: list[int] = []

                async def follow() -> None:
                    async for record in reader.journal.tail(EventFilter(), 0, follow=True):
                        seen.append(record.seq)
                        if len(seen) == 3:
                            return

                following = asyncio.create_task(follow())
                await asyncio.sleep(0.05)
                await writer.journal.append(a_note("comes"))
                await writer.journal.append(an_event(1))
                await asyncio.wait_for(following, 10)
                return seen

    assert run(work()) == [1, 2, 3]


def test_proofs_hold_against_the_root_they_name(tmp_path: Path) -> None:
    async def work() -> None:
        async with an_app(tmp_path) as app:
            for n in range(30):
                await app.journal.append(an_event(n))
            _, early = await app.journal.head()
            for n in range(300):
                await app.journal.append(an_event(n))
            proof = await app.journal.prove_inclusion("17")
            assert verify_inclusion(16, proof.size, leaf_hash(proof.event.hash), proof.path, proof.root)
            grown = await app.journal.prove_consistency(30)
            assert grown.old_root == early
            assert verify_consistency(30, grown.size, early, grown.root, grown.path)
            with pytest.raises(InvalidArgument):
                await app.journal.prove_consistency(331)
            with pytest.raises(NotFound):
                await app.journal.prove_inclusion("331")

    run(work())


@pytest.mark.parametrize("kind", ["journal.erased", "memory.stored", "session.opened"])
def test_kinds_of_the_product_cannot_be_forged_through_append(tmp_path: Path, kind: str) -> None:
    async def work() -> None:
        async with an_app(tmp_path) as app:
            with pytest.raises(InvalidArgument, match="reserved"):
                await app.journal.append(
                    EventDraft(kind, {"seq": 1, "event_id": "x", "kind": "note", "reason": ""}, ANA)
                )

    run(work())


def test_checkpoints_are_signed_every_n_events_by_themselves(tmp_path: Path) -> None:
    async def work() -> list[int]:
        async with an_app(tmp_path, PALYRA_JOURNAL_CHECKPOINT_EVERY_EVENTS="10") as app:
            for n in range(25):
                await app.journal.append(an_event(n))
                await app.journal.close()
            return [size for size, _ in await app.store.db.read(checkpoint_notes)]

    assert run(work()) == [10, 20]


def test_a_short_lived_process_signs_when_the_timer_would_have(tmp_path: Path) -> None:
    clock = ManualClock()

    async def append() -> None:
        async with an_app(tmp_path, clock) as app:
            await app.journal.append(a_note("hi"))

    async def sizes() -> list[int]:
        async with an_app(tmp_path, clock, Access.READ) as app:
            return [size for size, _ in await app.store.db.read(checkpoint_notes)]

    run(append())
    run(append())
    assert run(sizes()) == [1]
    clock.advance(61 * 60_000)
    run(append())
    assert run(sizes()) == [1, 3]


@pytest.mark.parametrize("reference", ["0", "99", "01KA0000000000000000000009"])
def test_an_event_that_is_not_there_is_not_found(tmp_path: Path, reference: str) -> None:
    async def work() -> None:
        async with an_app(tmp_path) as app:
            with pytest.raises(NotFound, match=reference):
                await app.journal.get(reference)

    run(work())
