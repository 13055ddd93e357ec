"""Memory as a file: out, and in again; a file is not its owner's word."""

import json
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from palyra.core.clock import ManualClock
from palyra.core.errors import InvalidArgument, PalyraError, PermissionDenied
from palyra.domain.journal import Actor
from palyra.domain.memory import CandidateState, Draft, ItemFilter, MemoryItem, MemorySource
from palyra.domain.scope import Visibility
from palyra.services.memory import ingest as ingesting
from palyra.services.memory import lifecycle
from palyra.services.memory.context import Memory
from palyra.services.memory.ingest import ingest
from palyra.services.memory.transfer import ImportReport, export, import_
from palyra.wire.from_domain.memory import to_wire
from support import a_memory, run

ANA = Visibility("user:ana")
HERE = Visibility("user:ana", "discord:1", "s1")


async def write_export(memory: Memory, path: Path, caller: Visibility = ANA, *, include_past: bool = False) -> None:
    """As `palyra memory export` does."""
    lines = [msgspec.json.encode(to_wire(item)) async for item in export(memory, caller, include_past=include_past)]
    path.write_bytes(b"".join(line + b"\n" for line in lines))  # noqa: ASYNC240 - nobody waits


async def read_in(
    memory: Memory, path: Path, caller: Visibility = ANA, actor: Actor = Actor.USER, *, vouch: bool = True
) -> ImportReport:
    return await import_(memory, path, caller, actor, vouch=vouch, progress=lambda _done, _total: None)


def a_file(root: Path, rows: Sequence[object]) -> Path:
    path = root / "memories.jsonl"
    path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows), "utf-8")
    return path


async def stock(memory: Memory, clock: ManualClock) -> None:
    soon = clock.now_ms() + 86_400_000
    for draft in (
        Draft("Ana lives in Lisbon\nnear the river", tags=("home", "place"), pinned=True),
        Draft("Summary of the week", MemorySource.SUMMARY, confidence_bps=6_500, expires_at_ms=soon),
        Draft("Thanks!", MemorySource.USER_MESSAGE, speaker="Ana", thread="t", said_at_ms=1_000),
        Draft("Thanks!", MemorySource.USER_MESSAGE, speaker="Ana", thread="t", said_at_ms=2_000),
        Draft("The staging port is 5432"),
        Draft("Actually the staging port is 6543", valid_from_ms=5_000),
    ):
        await ingest(memory, draft, ANA)
    await ingest(memory, Draft("Only in the channel"), Visibility("user:ana", "discord:1"))
    await ingest(memory, Draft("Only in the session"), HERE)
    await ingest(memory, Draft("Tom's own"), Visibility("user:tom"))


def told(items: list[MemoryItem]) -> list[tuple[object, ...]]:
    """All of an item that a file carries."""
    return sorted(
        (repr(i.scope), i.text, i.source, i.category, i.trust, i.confidence_bps, i.tags, i.speaker, i.thread,
         i.said_at_ms, i.valid_from_ms, i.expires_at_ms or 0, i.pinned)
        for i in items
    )  # fmt: skip


@pytest.mark.parametrize("include_past", [False, True])
def test_what_goes_out_comes_in_again_when_a_person_vouches_for_it(tmp_path: Path, include_past: bool) -> None:
    async def story() -> None:
        clock = ManualClock()
        path = tmp_path / "out.jsonl"
        want = ItemFilter(include_past=include_past)
        async with a_memory(tmp_path / "one", clock) as memory:
            await stock(memory, clock)
            await write_export(memory, path, HERE, include_past=include_past)
            before = await lifecycle.list_(memory, HERE, want)
        assert "Tom's own" not in path.read_text("utf-8")
        async with a_memory(tmp_path / "two", clock) as memory:
            report = await read_in(memory, path, HERE)
            assert report.lines == len(before)
            after = await lifecycle.list_(memory, HERE, want)
            assert told(after) == told(before)
            assert await ingesting.candidates(memory, HERE, CandidateState.NEEDS_REVIEW, 0, 50) == []

    run(story())


def test_without_a_person_everything_waits_for_review(tmp_path: Path) -> None:
    async def story() -> None:
        path = a_file(tmp_path, [{"text": f"Fact {n}", "source": "manual", "trust": "owner"} for n in range(5)])
        async with a_memory(tmp_path / "data") as memory:
            assert (await read_in(memory, path, vouch=False)).outcomes == {"held_for_review": 5}
            assert await lifecycle.list_(memory, ANA, ItemFilter()) == []
            [first, *_] = waiting = await ingesting.candidates(memory, ANA, CandidateState.NEEDS_REVIEW, 0, 50)
            assert len(waiting) == 5
            assert first.body["source"] == "import"

    run(story())


def test_no_agent_can_vouch_for_a_file(tmp_path: Path) -> None:
    async def story() -> None:
        path = a_file(tmp_path, [{"text": "The owner wants it", "source": "import", "trust": "import"}])
        async with a_memory(tmp_path / "data") as memory:
            assert (await read_in(memory, path, actor=Actor.AGENT)).outcomes == {"held_for_review": 1}

    run(story())


def test_a_line_without_a_scope_goes_where_the_caller_stands(tmp_path: Path) -> None:
    async def story() -> None:
        path = a_file(tmp_path, [{"text": "Somewhere"}, {"text": "Everywhere", "channel": None, "session_id": None}])
        async with a_memory(tmp_path / "data") as memory:
            await read_in(memory, path, HERE)
            assert [item.text for item in await lifecycle.list_(memory, ANA, ItemFilter())] == ["Everywhere"]
            assert len(await lifecycle.list_(memory, HERE, ItemFilter())) == 2

    run(story())


@pytest.mark.parametrize(
    ("row", "caller"),
    [
        ({"channel": "discord:2"}, Visibility("user:ana", "discord:1")),
        ({"channel": "discord:2"}, ANA),
        ({"channel": "Discord:1"}, Visibility("user:ana", "discord:1")),
        ({"session_id": "s2"}, HERE),
        ({"session_id": "s1"}, ANA),
        ({"channel": "discord:1", "session_id": "s2"}, Visibility("user:ana", "discord:1")),
    ],
)
def test_a_line_of_another_channel_or_session_is_refused(
    tmp_path: Path, row: dict[str, str], caller: Visibility
) -> None:
    async def story() -> None:
        path = a_file(tmp_path, [{"text": "fine"}, {"text": "The launch code", **row}])
        async with a_memory(tmp_path / "data") as memory:
            with pytest.raises(PermissionDenied, match="line 2"):
                await read_in(memory, path, caller)
            assert (await memory.journal.status()).size == 0

    run(story())


BAD = [
    "not json",
    "[" * 100_000,
    "[]",
    '"text"',
    {},
    {"text": 5},
    {"text": ""},
    {"text": "\u200b"},
    {"text": "half \ud800"},
    {"text": "x" * 17_000},
    {"text": "x", "colour": "red"},
    {"text": "x", "channel": ""},
    {"text": "x", "session_id": " "},
    {"text": "x", "channel": 5},
    {"text": "x", "source": "nonsense"},
    {"text": "x", "trust": "nonsense"},
    {"text": "x", "category": "nonsense"},
    {"text": "x", "tags": "a"},
    {"text": "x", "tags": [1]},
    {"text": "x", "tags": [""]},
    {"text": "x", "tags": [f"t{n}" for n in range(33)]},
    {"text": "x", "confidence": 2},
    {"text": "x", "confidence": True},
    '{"text": "x", "confidence": NaN}',
    {"text": "x", "pinned": 1},
    {"text": "x", "said_at_ms": -1},
    {"text": "x", "said_at_ms": 1.5},
    {"text": "x", "said_at_ms": 10**30},
    {"text": "x", "expires_at_ms": 1},
    {"text": "x", "valid_from_ms": 10, "valid_to_ms": 9},
    {"text": "x", "speaker": "a\nb"},
]


@pytest.mark.parametrize("row", BAD, ids=range(len(BAD)))
def test_a_bad_line_is_named_and_nothing_is_imported(tmp_path: Path, row: object) -> None:
    async def story() -> None:
        good = [{"text": f"Fact number {n}", "source": "manual"} for n in range(300)]
        path = a_file(tmp_path, [*good, "", row])
        async with a_memory(tmp_path / "data") as memory:
            with pytest.raises(PalyraError, match="line 302") as caught:
                await read_in(memory, path)
            assert caught.value.code == "invalid_argument"
            assert caught.value.details["line"] == 302
            assert "nothing was imported" in caught.value.message
            assert len(caught.value.message) < 1_000
            assert (await memory.journal.status()).size == 0

    run(story())


@pytest.mark.parametrize("content", [None, b"", b"\n\n", b"\xff\xfe\x00"])
def test_a_file_that_is_no_memory_is_refused(tmp_path: Path, content: bytes | None) -> None:
    async def story() -> None:
        path = tmp_path / "memories.jsonl"
        if content is not None:
            path.write_bytes(content)
        async with a_memory(tmp_path / "data") as memory:
            with pytest.raises(InvalidArgument):
                await read_in(memory, path)

    run(story())


def test_line_breaks_of_other_kinds_are_part_of_a_text(tmp_path: Path) -> None:
    async def story() -> None:
        path = tmp_path / "memories.jsonl"
        path.write_bytes('{"text": "one\u2028two\u0085three"}\r\n{"text": "four"}\r\n'.encode())
        async with a_memory(tmp_path / "data") as memory:
            assert (await read_in(memory, path)).lines == 2

    run(story())


def test_importing_twice_adds_nothing(tmp_path: Path) -> None:
    async def story() -> None:
        clock = ManualClock()
        path = tmp_path / "out.jsonl"
        async with a_memory(tmp_path / "one", clock) as memory:
            await stock(memory, clock)
            await write_export(memory, path)
            before = len(await lifecycle.list_(memory, ANA, ItemFilter()))
            report = await read_in(memory, path)
            assert report.outcomes == {"merged": before}
            assert len(await lifecycle.list_(memory, ANA, ItemFilter())) == before

    run(story())
