"""Finding memory again: by words and by meaning, as of then, in any language, and with parts that fail."""

import logging
import math
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from palyra.core.clock import Clock, ManualClock
from palyra.core.errors import InvalidArgument, Unavailable
from palyra.domain.labels import Category
from palyra.domain.memory import AsOf, Change, ConflictFound, Draft, ItemFilter, MemorySource, Merged, Stored, Trust
from palyra.domain.retrieval.vectors import Floats
from palyra.domain.scope import Visibility
from palyra.ports import EmbeddingIdentity, Role
from palyra.providers.embeddings.cache import QueryVectorCache
from palyra.services.memory import lifecycle
from palyra.services.memory.context import Memory
from palyra.services.memory.embedding import EmbeddingFollower
from palyra.services.memory.engine import SearchEngine
from palyra.services.memory.ingest import ingest, ingest_many
from palyra.services.memory.search import SearchRequest, SearchResult, search
from support import a_memory, run

ANA = Visibility("user:ana")
FACTS = (
    "My dog Biscuit is afraid of thunderstorms",
    "The staging database listens on port 5432",
    "I am allergic to peanuts",
    "Our physician moved her practice to Baker Street",
    "The rent is due on the third of every month",
)


async def keep(memory: Memory, *texts: str, **given: object) -> list[str]:
    ids: list[str] = []
    for text in texts:
        outcome = (await ingest(memory, Draft(text, **given), ANA)).outcome  # type: ignore[arg-type]
        assert isinstance(outcome, Stored | Merged | ConflictFound)
        ids.append(outcome.memory_id)
    return ids


async def ask(memory: Memory, query: str, **given: object) -> SearchResult:
    return await search(memory, SearchRequest(query, **given), ANA)  # type: ignore[arg-type]


async def found(memory: Memory, query: str, **given: object) -> list[str]:
    return [hit.item.text for hit in (await ask(memory, query, **given)).hits]


# -- finding


def test_the_real_model_finds_by_words_and_by_meaning(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path, provider="local") as memory:
            await keep(memory, *FACTS)
            await memory.follower.backfill()
            result = await ask(memory, "which port does the staging database use")
            assert result.hits[0].item.text == FACTS[1]
            assert result.degraded == ()
            assert (await found(memory, "the doctor's office"))[0] == FACTS[3]
            assert (await found(memory, "a puppy scared by lightning"))[0] == FACTS[0]

    run(story())


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("我住在北京的朝阳区", "北京"),
        ("来週の火曜日に歯医者へ行きます", "歯医者"),
        ("우리 회의는 화요일에 있습니다", "회의"),
        ("ฉันแพ้ถั่วลิสง", "ถั่วลิสง"),
        ("Die Besprechung findet in der Großen Straße statt", "große straße"),
        ("Я живу в Москве", "москве"),
        ("أنا أحب القهوة", "القهوة"),
        ("Le café est fermé", "cafe ferme"),
        ("Ana's e-mail says C++ and node.js", "node.js c++"),
    ],
)
def test_words_are_found_in_any_script(tmp_path: Path, text: str, query: str) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            await keep(memory, *FACTS, text)
            assert (await found(memory, query))[0] == text

    run(story())


def test_a_quoted_phrase_leaves_out_what_does_not_hold_it(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            await keep(memory, "The red house is old", "The house with red doors is new", "A red barn")
            assert await found(memory, '"red house"') == ["The red house is old"]
            assert await found(memory, '"red house" barn') == ["The red house is old"]
            assert len(await found(memory, '"blue house"')) >= 1  # nobody said so: as if it were plain words

    run(story())


def test_a_star_finds_words_by_their_beginning(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            await keep(memory, "The thermometer is broken", "Thermal paste is in the drawer", "A red barn")
            assert sorted(await found(memory, "therm*")) == [
                "The thermometer is broken",
                "Thermal paste is in the drawer",
            ]
            assert await found(memory, "THERMO*") == ["The thermometer is broken"]
            await keep(memory, "She was running late")
            assert "She was running late" in await found(memory, "running*")
            await keep(memory, "Das Café ist zu", "我住在北京的朝阳区")
            assert await found(memory, "CAF*") == await found(memory, "café*") == ["Das Café ist zu"]
            assert await found(memory, "北京的*") == ["我住在北京的朝阳区"]

    run(story())


@pytest.mark.parametrize("superseded", [False, True])
def test_a_phrase_finds_no_more_than_plain_words_do(tmp_path: Path, superseded: bool) -> None:
    """What has been superseded or has expired is past, however it is asked for."""

    async def story() -> None:
        clock = ManualClock()
        async with a_memory(tmp_path, clock) as memory:
            later = clock.now_ms() + 10 * 86_400_000
            if superseded:
                [old] = await keep(memory, "The purple house is old", valid_from_ms=later)
                [new] = await keep(memory, "Nothing of the kind stands there")
                await lifecycle.supersede(memory, old, new, ANA)
            else:
                await keep(memory, "The purple house is old", expires_at_ms=clock.now_ms() + 1_000)
                clock.advance(2_000)
            for query in ("purple house", '"purple house"', "purp*"):
                assert "The purple house is old" not in await found(memory, query)
                assert "The purple house is old" in await found(memory, query, want=ItemFilter(include_past=True))

    run(story())


def test_a_phrase_can_be_asked_as_of_then(tmp_path: Path) -> None:
    async def story() -> None:
        clock = ManualClock()
        async with a_memory(tmp_path, clock) as memory:
            [memory_id] = await keep(memory, "The purple house is old")
            then = clock.now_ms()
            clock.advance(60_000)
            await lifecycle.update(memory, memory_id, Change(text="The purple house is new"), ANA)
            for as_of in (AsOf(at_ms=then), AsOf(seq=1)):
                for query in ('"purple house"', "purp*", "purple house"):
                    assert await found(memory, query, as_of=as_of) == ["The purple house is old"]
            assert await found(memory, '"purple house"') == ["The purple house is new"]

    run(story())


def test_what_ended_does_not_crowd_out_what_has_not(tmp_path: Path) -> None:
    async def story() -> None:
        clock = ManualClock()
        async with a_memory(tmp_path, clock) as memory:
            end = clock.now_ms() + 1_000
            drafts = [
                Draft("gargoyle gargoyle", MemorySource.USER_MESSAGE, thread=f"t{n}", said_at_ms=n, expires_at_ms=end)
                for n in range(60)
            ]
            await ingest_many(memory, drafts, ANA)
            await keep(memory, "There is a gargoyle on the old church in the village")
            clock.advance(2_000)
            for query in ("gargoyle", '"gargoyle gargoyle" gargoyle'):
                assert await found(memory, query, top_k=1) == ["There is a gargoyle on the old church in the village"]

    run(story())


def test_filters_hold_by_tag_source_category_and_trust(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            await keep(memory, "The lantern is red", tags=("a", "b"), category=Category.PREFERENCE)
            await keep(memory, "A lantern was lit at noon", tags=("b",), source=MemorySource.SUMMARY)
            for want, expected in (
                (ItemFilter(tags=("a",)), ["The lantern is red"]),
                (ItemFilter(tags=("a", "b")), ["The lantern is red"]),
                (ItemFilter(sources=(MemorySource.SUMMARY,)), ["A lantern was lit at noon"]),
                (ItemFilter(categories=(Category.PREFERENCE,)), ["The lantern is red"]),
                (ItemFilter(trusts=(Trust.OWNER, Trust.WEB)), ["The lantern is red"]),
                (ItemFilter(trusts=(Trust.AGENT,)), ["A lantern was lit at noon"]),
                (ItemFilter(trusts=(Trust.IMPORT,)), []),
                (ItemFilter(tags=("a",), sources=(MemorySource.SUMMARY,)), []),
                (ItemFilter(tags=("c",)), []),
            ):
                assert await found(memory, "lantern", want=want) == expected
                assert await found(memory, "lant*", want=want) == expected

    run(story())


def test_superseded_items_are_found_only_when_asked_for(tmp_path: Path) -> None:
    async def story() -> None:
        clock = ManualClock()
        async with a_memory(tmp_path, clock) as memory:
            await keep(memory, "The staging port is 5432")
            then = AsOf(at_ms=clock.now_ms())
            clock.advance(60_000)
            await keep(memory, "Actually the staging port is 6543")
            assert await found(memory, "staging port") == ["Actually the staging port is 6543"]
            assert len(await found(memory, "staging port", want=ItemFilter(include_past=True))) == 2
            for as_of in (then, AsOf(seq=1)):
                assert await found(memory, "staging port", as_of=as_of) == ["The staging port is 5432"]

    run(story())


def test_the_parts_of_a_score_add_up_to_it(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            await keep(memory, *FACTS)
            await memory.follower.backfill()
            for query in (*FACTS, "dog", "when is the rent due", '"peanuts" allergic', "nothing of the sort"):
                hits = (await ask(memory, query, top_k=64)).hits
                assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
                for hit in hits:
                    assert 0.0 <= hit.score <= 1.0
                    assert math.isclose(sum(hit.parts.values()), hit.score, abs_tol=1e-4)
            best = (await ask(memory, FACTS[2])).hits[0].score
            assert await found(memory, FACTS[2], min_score=best - 1e-6) == [FACTS[2]]

    run(story())


def test_top_k_is_honoured(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            drafts = [Draft("gargoyle", MemorySource.USER_MESSAGE, said_at_ms=n, thread="t") for n in range(80)]
            await ingest_many(memory, drafts, ANA)
            for top_k in (1, 7, 64):
                assert len(await found(memory, "gargoyle", top_k=top_k)) == top_k

    run(story())


# -- asking badly


@pytest.mark.parametrize(
    "request_",
    [
        SearchRequest(""),
        SearchRequest(" \n\t\u200b "),
        SearchRequest("half \ud800"),
        SearchRequest("x" * 8_193),
        SearchRequest("x", top_k=0),
        SearchRequest("x", top_k=65),
        SearchRequest("x", top_k=-3),
        SearchRequest("x", min_score=math.nan),
        SearchRequest("x", min_score=2.0),
        SearchRequest("x", min_score=-0.1),
        SearchRequest("x", min_score=math.inf),
    ],
)
def test_a_question_that_makes_no_sense_is_one_clear_error(tmp_path: Path, request_: SearchRequest) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            with pytest.raises(InvalidArgument) as caught:
                await search(memory, request_, ANA)
            assert caught.value.hint

    run(story())


SYNTAX = [
    "AND",
    "OR",
    "NOT",
    "NEAR",
    "NEAR(",
    "NEAR(a",
    "b,",
    "2)",
    "(",
    ")",
    "()",
    '"',
    '""',
    "''",
    "*",
    "a*",
    "**",
    "^a",
    "a:b",
    "terms:a",
    "{a",
    "b}:c",
    "-a",
    "+a",
    "a+b",
    "a-b",
    "#",
    ";",
    "--",
    "/*",
    "*/",
    "%",
    "_",
    "\\",
    '"a',
    "AND",
    'b"',
    '"unclosed',
    '"a"b"',
    '""',
    '"*',
    '*"',
    "\x00",
    "'",
    "||",
    "a",
    "||",
    "x=1",
    "[a]",
    "~a",
    "!a",
    "?",
    "�",
    "ก",
    "北",
    "é́",
]


def test_nothing_a_person_types_is_syntax(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            await keep(memory, *FACTS)
            for query in (*SYNTAX, " ".join(SYNTAX), *(f"{word} peanuts" for word in SYNTAX)):
                if query.replace("\x00", "").strip():
                    result = await ask(memory, query)
                    assert result.degraded == ()
            assert (await found(memory, "NOT peanuts OR (NEAR"))[0] == FACTS[2]

    run(story())


def test_any_text_is_a_question_and_any_text_can_be_found(tmp_path: Path) -> None:
    characters = st.characters(exclude_categories=["Cs"])
    pieces = st.sampled_from(SYNTAX) | st.text(characters, max_size=12) | st.sampled_from(FACTS)
    texts = st.lists(pieces, min_size=1, max_size=4).map(" ".join)
    with_memory = _Opened(tmp_path)

    @settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(texts, texts)
    def check(stored: str, query: str) -> None:
        with_memory.check(stored, query)

    with with_memory:
        check()


class _Opened:
    """One memory for many examples."""

    def __init__(self, root: Path) -> None:
        import asyncio

        self._runner = asyncio.Runner()
        self._context = a_memory(root)
        self.memory: Memory

    def __enter__(self) -> None:
        self.memory = self._runner.run(self._context.__aenter__())

    def __exit__(self, *error: object) -> None:
        self._runner.run(self._context.__aexit__(None, None, None))
        self._runner.close()

    def check(self, stored: str, query: str) -> None:
        self._runner.run(self._check(stored, query))

    async def _check(self, stored: str, query: str) -> None:
        try:
            await ingest(self.memory, Draft(stored), ANA)
        except InvalidArgument as error:
            assert "empty" in error.message or "invisible" in error.message  # noqa: PT017 - any other fails
        try:
            result = await ask(self.memory, query)
        except InvalidArgument as error:
            assert "empty" in error.message  # noqa: PT017 - any other fails
            return
        assert result.degraded == ()


# -- failing parts


class Broken:
    """An embedder that does one thing wrong."""

    def __init__(self, fault: str) -> None:
        self.fault = fault
        self.identity = EmbeddingIdentity("broken", 8, "1")

    def embed(self, texts: Sequence[str], role: Role) -> Floats:  # noqa: ARG002 - the port's
        good = np.full((len(texts), 8), 8**-0.5, np.float32)
        match self.fault:
            case "unavailable":
                raise Unavailable("the model is away", hint="wait")
            case "wrong size":
                return np.ones((len(texts), 5), np.float32)
            case "too few":
                return good[:-1]
            case "nan":
                good[0, 0] = np.nan
            case "infinite":
                good[-1, -1] = np.inf
            case _:
                pass
        return good

    def close(self) -> None:
        pass


@asynccontextmanager
async def with_provider(root: Path, provider: Any, clock: Clock | None = None) -> AsyncIterator[Memory]:
    async with a_memory(root, clock) as memory:
        engine = SearchEngine(str(provider.identity), provider.identity.dims)
        follower = EmbeddingFollower(memory.store, engine, provider, QueryVectorCache())
        yield replace(memory, engine=engine, follower=follower)


@pytest.mark.parametrize("fault", ["unavailable", "wrong size", "too few", "nan", "infinite"])
def test_a_failing_model_degrades_the_search_and_stores_no_vector(tmp_path: Path, fault: str) -> None:
    async def story() -> None:
        provider = Broken(fault)
        async with with_provider(tmp_path, provider) as memory:
            await keep(memory, *FACTS)
            result = await ask(memory, "allergic to peanuts")
            assert result.hits[0].item.text == FACTS[2]
            assert result.degraded == ("vector",)
            report = await memory.follower.backfill()
            assert (report.embedded, report.done, report.total) == (0, 0, len(FACTS))
            assert isinstance(report.error, Unavailable)
            provider.fault = ""
            report = await memory.follower.backfill()
            assert (report.done, report.error) == (len(FACTS), None)
            assert (await ask(memory, "allergic to peanuts, or nuts")).degraded == ()

    run(story())


def test_a_model_that_hangs_costs_its_time_limit_and_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import threading

    released = threading.Event()

    class Hanging(Broken):
        def embed(self, texts: Sequence[str], role: Role) -> Floats:
            released.wait(20)
            return super().embed(texts, role)

    async def story() -> None:
        monkeypatch.setattr("palyra.services.memory.embedding._QUERY_SECONDS", 0.05)
        async with with_provider(tmp_path, Hanging("")) as memory:
            await keep(memory, *FACTS)
            try:
                result = await ask(memory, "allergic to peanuts")
            finally:
                released.set()
            assert result.hits[0].item.text == FACTS[2]
            assert result.degraded == ("vector",)

    run(story())


class BrokenEngine(SearchEngine):
    def search(self, *_args: object) -> Any:
        raise IndexError("a defect of the index")


def test_the_database_answers_when_the_index_fails(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def story() -> None:
        clock = ManualClock()
        async with a_memory(tmp_path, clock) as whole:
            memory = replace(whole, engine=BrokenEngine("x", 8))
            await keep(memory, *FACTS, tags=("fact",))
            [memory_id] = await keep(memory, "The lantern is red")
            then = AsOf(at_ms=clock.now_ms())
            clock.advance(1_000)
            await lifecycle.update(memory, memory_id, Change(text="The lantern is green"), ANA)
            with caplog.at_level(logging.CRITICAL):
                result = await ask(memory, "allergic to peanuts")
                assert result.hits[0].item.text == FACTS[2]
                assert result.degraded == ("index",)
                assert await found(memory, "lantern") == ["The lantern is green"]
                assert await found(memory, "lantern", as_of=then) == ["The lantern is red"]
                assert await found(memory, "lantern red port", want=ItemFilter(tags=("fact",))) == [FACTS[1]]
                assert await found(memory, "lantern", want=ItemFilter(tags=("fact",))) == []
                elsewhere = await search(memory, SearchRequest("peanuts"), Visibility("user:tom"))
                assert elsewhere.hits == ()

    run(story())
