"""A question on its way to an index: checked, and with a vector as far as the model gives one."""

import logging

from palyra.core import limits
from palyra.core.errors import InvalidArgument, PalyraError
from palyra.core.text import has_lone_surrogate, normalise
from palyra.services.memory.embedding import EmbeddingFollower, Names, QueryEmbedder, Vectors

log = logging.getLogger("palyra.memory")


def checked_query(query: str) -> str:
    """As it is searched for; InvalidArgument if it is none."""
    if has_lone_surrogate(query):
        raise InvalidArgument("the query holds half of a surrogate pair", hint="send well-formed Unicode text")
    size = len(query.encode())
    if size > limits.QUERY_BYTES:
        raise InvalidArgument(f"the query is {size} bytes; the limit is {limits.QUERY_BYTES}", hint="ask more briefly")
    text = normalise(query)
    if not text:
        raise InvalidArgument("the query is empty", hint="say what to look for")
    return text


class Question:
    """Never raises for a failing model: what takes no part is named in `degraded`."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.degraded: list[str] = []
        """parts that took no part: vector, index"""
        self._embed: QueryEmbedder | None = None

    async def embed(self, follower: EmbeddingFollower) -> None:
        try:
            self._embed = await follower.query_embedder(self.text)
        except PalyraError as error:
            self.go_without_vectors(error)

    def vector(self, names: Names) -> Vectors | None:
        """`names`: where it names speakers."""
        try:
            return None if self._embed is None else self._embed(names)
        except PalyraError as error:
            self.go_without_vectors(error)
            return None

    def go_without_vectors(self, error: PalyraError) -> None:
        self.say_without_vectors(error)
        self._embed = None

    def say_without_vectors(self, error: PalyraError) -> None:
        """Of some of what is searched."""
        if "vector" not in self.degraded:
            self.degraded.append("vector")
            log.warning("search without vectors: %s", error.message)

    def go_without_index(self) -> None:
        """In the handler of the exception."""
        log.exception("the search index failed; searching the database")
        if "index" not in self.degraded:
            self.degraded.append("index")
