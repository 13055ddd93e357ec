"""Whatever is appended, in whatever order, with whatever erased: the journal verifies, replays and exports."""

import asyncio
import json
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from palyra.core.errors import PalyraError
from palyra.core.hashing import Json, canonical_json
from palyra.core.ids import EventId
from palyra.domain.journal import Actor, EventDraft, Origin, check_identifier
from palyra.services.erase import erase
from palyra.store.journal import prepare
from palyra.store.upkeep.rebuild import rebuild
from support import ANA, a_store, an_app, tamper, verify_directory


def _is_identifier(text: str) -> bool:
    try:
        check_identifier(text, "name")
    except PalyraError:
        return False
    return True


text = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
names = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=12).filter(_is_identifier)
values: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | text,
    lambda children: st.lists(children, max_size=3) | st.dictionaries(text, children, max_size=3),
    max_leaves=6,
)
origins = st.builds(Origin, names, st.sampled_from(Actor), st.none() | names, st.none() | names, st.none() | names)
drafts = st.builds(
    EventDraft,
    st.sampled_from(["note", "test.happened", "build.finished"]),
    st.dictionaries(text, values, max_size=4) | st.builds(lambda t: {"text": t}, text),
    origins,
    st.integers(1, 65_535),
    st.none(),
    st.none() | st.integers(0, 2**47),
)
slow = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@given(drafts)
def test_the_bytes_that_are_kept_are_canonical_json(draft: EventDraft) -> None:
    payload = prepare(draft, 1 << 20).payload
    assert payload == canonical_json(json.loads(payload))


@slow
@given(st.lists(drafts, min_size=1, max_size=25), st.sets(st.integers(0, 24)))
def test_any_events_with_any_erased_verify_and_replay_to_the_live_state(
    events: list[EventDraft], erased: set[int]
) -> None:
    async def work(root: Path) -> None:
        async with an_app(root) as app:
            receipts = await asyncio.gather(*(app.journal.append(draft) for draft in events))
            doomed = [receipts[i].event_id for i in sorted(erased) if i < len(receipts)]
            if doomed:
                await erase(app.store, app.journal, doomed, "asked for", ANA)
            before, after = await app.store.db.submit(rebuild)
            assert before == after

    with tempfile.TemporaryDirectory() as name:
        asyncio.run(work(Path(name)))
        report = verify_directory(Path(name))
        assert report.ok, report.findings


COLUMNS = ["event_id", "kind", "actor", "principal", "channel", "session_id", "run_id", "request_id"]


@slow
@given(
    st.lists(drafts, min_size=1, max_size=8),
    st.integers(0, 7),
    st.sampled_from(COLUMNS),
    st.none() | text.filter(lambda value: "\x00" not in value),
)
def test_any_other_value_in_any_text_column_is_found_at_its_seq(
    events: list[EventDraft], index: int, column: str, value: str | None
) -> None:
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        with a_store(root) as store:

            async def work() -> None:
                for draft in events:
                    await store.append(store.prepare(draft))

            asyncio.run(work())
            seq = index % len(events) + 1
            row = store.db.read_now(
                lambda tx: tx.execute(f"SELECT {column} FROM journal_events WHERE seq = {seq}").fetchone()
            )
        nullable = column in COLUMNS[4:]
        if row == (value,) or (value is None and not nullable):
            return
        literal = "NULL" if value is None else "'" + value.replace("'", "''") + "'"
        tamper(root, f"UPDATE journal_events SET {column} = {literal} WHERE seq = {seq}")
        report = verify_directory(root)
        assert not report.ok
        assert report.findings[0].seq == seq


@slow
@given(st.lists(st.tuples(st.integers(0, 5), text), min_size=1, max_size=20))
def test_retrying_by_id_in_any_order_writes_each_id_once(attempts: list[tuple[int, str]]) -> None:
    ids = [EventId(f"01KA{n:022d}") for n in range(6)]
    first: dict[int, str] = {}
    with tempfile.TemporaryDirectory() as name, a_store(Path(name)) as store:

        async def work() -> None:
            for number, content in attempts:
                draft = EventDraft("note", {"text": content}, ANA, 1, ids[number])
                try:
                    receipt = await store.append(store.prepare(draft))
                except PalyraError as error:
                    assert error.code == "conflict"  # noqa: PT017 - success is a legal outcome, too
                    assert first[number] != content
                else:
                    assert receipt.repeated == (number in first)
                    first.setdefault(number, content)

        asyncio.run(work())
        assert store.chain.size == len(first)
