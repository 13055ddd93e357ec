"""What is sensitive: whose words wait for it, and what is kept of it."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from palyra.core.errors import FailedPrecondition
from palyra.domain.journal import Actor
from palyra.domain.labels import SensitivePolicy
from palyra.domain.memory import Change, Draft, HeldForReview, IngestOutcome, MemorySource, Stored
from palyra.domain.retrieval.vectors import Floats
from palyra.domain.scope import Visibility
from palyra.ports import Role
from palyra.providers.embeddings.cache import QueryVectorCache
from palyra.providers.embeddings.hash import HashMemoryEmbeddingProvider
from palyra.providers.encoder import LocalEncoder
from palyra.services.memory import lifecycle
from palyra.services.memory.context import Memory
from palyra.services.memory.embedding import EmbeddingFollower
from palyra.services.memory.ingest import ingest
from palyra.settings import Settings
from palyra.store.memory.follower import count_vectors, pending_vectors
from support import a_memory, run

ANA = Visibility("user:ana")
ILL = "I was diagnosed with epilepsy last spring and take my pills at eight."
CARD = "The expense card on file is 4111 1111 1111 " + "1111."
PLAIN = "The office in Ghent opens at nine."


def with_encoder(memory: Memory, **policy: bool) -> Memory:
    return replace(memory, encoder=LocalEncoder(Settings().cache_dir), sensitive=SensitivePolicy(**policy))


async def outcome(memory: Memory, text: str, actor: Actor, **given: object) -> IngestOutcome:
    return (await ingest(memory, Draft(text, **given), ANA, actor)).outcome  # type: ignore[arg-type]


def test_what_the_owner_says_is_kept_and_labelled_not_held(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as plain:
            memory = with_encoder(plain)
            for text, kind in ((ILL, "health"), (CARD, "identity_number")):
                stored = await outcome(memory, text, Actor.USER)
                assert isinstance(stored, Stored)
                assert kind in (await lifecycle.get(memory, stored.memory_id, ANA)).item.sensitive

    run(story())


def test_what_an_agent_or_a_tool_says_of_it_waits_and_its_plain_facts_do_not(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as plain:
            memory = with_encoder(plain)
            held = await outcome(memory, ILL, Actor.AGENT)
            assert isinstance(held, HeldForReview)
            assert held.because == ("sensitive",)
            tool = await outcome(memory, CARD, Actor.USER, source=MemorySource.TOOL_RESULT)
            assert isinstance(tool, HeldForReview)
            assert "sensitive" in tool.because
            assert isinstance(await outcome(memory, PLAIN, Actor.AGENT), Stored)

    run(story())


def test_the_owners_words_wait_too_where_the_settings_say_so(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as plain:
            memory = with_encoder(plain, holds_all=True)
            assert isinstance(await outcome(memory, ILL, Actor.USER), HeldForReview)
            assert isinstance(await outcome(memory, PLAIN, Actor.USER), Stored)

    run(story())


def test_a_correction_is_labelled_anew(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as plain:
            memory = with_encoder(plain)
            stored = await outcome(memory, PLAIN, Actor.USER)
            assert isinstance(stored, Stored)
            for text, is_sensitive in ((ILL, True), (PLAIN, False)):
                item, _ = await lifecycle.update(memory, stored.memory_id, Change(text=text), ANA)
                assert bool(item.sensitive) is is_sensitive

    run(story())


def test_what_is_sensitive_gets_no_vector_from_a_model_elsewhere(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as plain:
            memory = with_encoder(plain)
            for text in (ILL, PLAIN):
                await outcome(memory, text, Actor.USER)
            told = await memory.store.db.read(
                lambda tx: [row.text for row in pending_vectors(tx, "somewhere/3/1", 0, 9, sensitive=False)]
            )
            assert told == [PLAIN]
            assert await memory.store.db.read(lambda tx: count_vectors(tx, "somewhere/3/1", sensitive=False)) == (0, 1)

    run(story())


def test_a_sensitive_question_is_not_sent_to_a_model_elsewhere(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as plain:
            asked: list[str] = []
            follower = EmbeddingFollower(
                plain.store,
                plain.engine,
                Elsewhere(asked),
                QueryVectorCache(),
                leaves=lambda text: "pills" not in text,
                is_elsewhere=lambda identity: identity.startswith("elsewhere"),
            )
            with pytest.raises(FailedPrecondition, match="sensitive"):
                await follower.query_embedder("When do I take my pills?")
            await follower.query_embedder("When does the office open?")
            assert asked == ["When does the office open?"]

    run(story())


class Elsewhere(HashMemoryEmbeddingProvider):
    """A model of another place, which writes down what it is told."""

    def __init__(self, asked: list[str]) -> None:
        super().__init__()
        self.identity = replace(self.identity, model="elsewhere")
        self._asked = asked

    def embed(self, texts: Sequence[str], role: Role) -> Floats:
        self._asked += texts
        return super().embed(texts, role)
