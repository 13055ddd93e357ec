"""`from palyra import Palyra`: memory from Python, with or without a daemon, on this machine or another.

    async with Palyra(principal="user:ana") as memory:
        await memory.add([{"role": "user", "content": "I moved to Lisbon in March"}])
        print((await memory.search("where does Ana live?")).hits[0].item.text)

`PalyraSync` is the same for code without an event loop.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from palyra.api import chat, learning
from palyra.api import memory as api
from palyra.api.operation import Operation
from palyra.client.connection import Connection, connected, connected_to
from palyra.client.turns import WAIT_MS, in_parts, to_turns, together
from palyra.core.errors import FailedPrecondition, InvalidArgument
from palyra.settings import Settings, load
from palyra.wire import memory as wire
from palyra.wire.base import Request, Response
from palyra.wire.chat import AddTurns, SendMessage, StreamLine, TurnsAdded
from palyra.wire.journal import Erasures
from palyra.wire.learning import DecideLearned, LearnedCandidate, LearnedPage, ListLearned

Q = TypeVar("Q", bound=Request)
R = TypeVar("R", bound=Response)


class Reply:
    """An answer that is complete."""

    def __init__(self, lines: Sequence[StreamLine]) -> None:
        self.run_id = lines[0].run_id
        self.session_id = lines[0].session_id
        self.memories: list[dict[str, Any]] = []
        """what was remembered for it: memory_id, citation, score, trust"""
        self.text = ""
        for line in lines:
            if line.event == "injection":
                self.memories += line.data["memories"]
            elif line.event in ("preview", "assistant_text", "assistant_message"):
                self.text = self.text[: line.data["offset"]] + line.data["text"]

    def __str__(self) -> str:
        return self.text


class Palyra:
    """One principal's memory. Use as an async context manager.

    With `url` and `token`: by that daemon, wherever it runs. Else by the daemon that serves the data directory when
    this is entered; and if there is none, in this process, which then owns the directory until it is left.
    """

    def __init__(
        self,
        data_dir: str | Path | None = None,
        *,
        principal: str | None = None,
        channel: str | None = None,
        session_id: str | None = None,
        actor: str | None = None,
        url: str | None = None,
        token: str | None = None,
    ) -> None:
        if (url is None) != (token is None) or (url is not None and data_dir is not None):
            raise InvalidArgument(
                "a daemon elsewhere is called by its url and a token", hint="give both of them and no data_dir, or none"
            )
        self._where: Settings | tuple[str, str]
        if url is not None and token is not None:
            self._where = (url, token)
        else:
            self._where = load({} if data_dir is None else {"daemon.data_dir": str(data_dir)}).settings
            principal = principal or self._where.memory.default_principal
            actor = actor or "user"
        self._who: dict[str, Any] = {"principal": principal, "channel": channel, "session_id": session_id}
        self._actor = actor
        """none: as whom the token is known"""
        self._connection: Connection | None = None
        self._opened = AsyncExitStack()

    async def __aenter__(self) -> "Palyra":
        where = connected_to(*self._where) if isinstance(self._where, tuple) else connected(self._where)
        self._connection = await self._opened.enter_async_context(where)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection = None
        await self._opened.__aexit__(kind, error, trace)

    async def add(
        self, messages: Iterable[Mapping[str, Any]], session: str = "python", *, wait_ms: int = WAIT_MS
    ) -> TurnsAdded:
        """Hands over finished turns of a conversation, and answers with what they state: what was written, what waits
        for a person, what was left on the tape. A message is {"role", "content"}, and may have said_at_ms, name and id.
        The same again is read once."""
        parts = [
            await self._call(
                chat.add_turns,
                AddTurns(session=session, turns=part, wait_ms=wait_ms, actor=self._actor, **self._place),
            )
            for part in in_parts(to_turns(messages))
        ]
        return together(parts)

    async def retain(self, text: str, **given: Any) -> wire.Retained:
        """Remembers a text. `given`: source, scope, tags, category, confidence, trust, speaker, thread, said_at_ms,
        valid_from_ms, valid_to_ms, ttl_ms, expires_at_ms, provenance, pinned, request_id."""
        return await self._call(api.retain, wire.Retain(text=text, actor=self._actor, **given, **self._who))

    async def retain_many(self, texts: Sequence[wire.RetainedText]) -> list[wire.Retained]:
        """Many at once, in order. Every one is checked before the first is written."""
        done = await self._call(api.retain_many, wire.RetainMany(items=list(texts), actor=self._actor, **self._who))
        return done.results

    async def search(self, query: str, **given: Any) -> wire.SearchHits:
        """Finds memories. `given`: top_k, min_score, tags, sources, categories, trusts, include_past, as_of_ms,
        as_of_seq, profile, include_score_breakdown."""
        return await self._call(api.search_, wire.Search(query=query, **given, **self._who))

    async def recall(self, query: str, **given: Any) -> wire.Recalled:
        """The block to give to an agent, with a receipt. `given`: as for search, and max_items, max_item_tokens,
        budget_tokens."""
        return await self._call(api.recall, wire.Recall(query=query, **given, **self._who))

    async def chat(self, text: str, session: str = "python", **given: Any) -> Reply:
        """Says something in a session (made if there is none of that key) and waits for the answer. `given`:
        attachments, mode, parameter_delta, request_id. A turn that failed is an error; what had arrived is kept."""
        lines = [line async for line in self.chat_lines(text, session, **given)]
        failed = next((line.error for line in lines if line.error is not None), None)
        if failed is not None:
            raise FailedPrecondition(f"the turn failed: {failed['message']} [{failed['code']}]", hint=failed["hint"])
        return Reply(lines)

    async def chat_lines(self, text: str, session: str = "python", **given: Any) -> AsyncIterator[StreamLine]:
        """The same as it comes: see the lines of a message stream in the guide."""
        assert self._connection is not None, "use it as a context manager"  # noqa: S101 - a mistake in the program
        request = SendMessage(session=session, text=text, create=True, **given, **self._place)
        async for line in self._connection.stream(chat.send, request):
            yield line

    async def get(self, memory_id: str) -> wire.ItemDetail:
        return await self._call(api.get, wire.GetItem(memory_id=memory_id, **self._who))

    async def items(self, **given: Any) -> AsyncIterator[wire.Item]:
        """All memories in sight, oldest first. `given`: tags, sources, categories, trusts, include_past."""
        after = ""
        while True:
            page = await self._call(api.list_, wire.ListItems(after=after, **given, **self._who))
            for item in page.items:
                yield item
            if page.next_after is None:
                return
            after = page.next_after

    async def update(self, memory_id: str, **given: Any) -> wire.Updated:
        """`given`: text, tags, category, confidence, ttl_ms, never_expires, pinned, reason."""
        request = wire.UpdateItem(memory_id=memory_id, actor=self._actor, **given, **self._who)
        return await self._call(api.update, request)

    async def supersede(self, old_id: str, new_id: str) -> wire.Superseded:
        return await self._call(
            api.supersede, wire.SupersedeItem(old_id=old_id, new_id=new_id, actor=self._actor, **self._who)
        )

    async def history(self, memory_id: str) -> wire.ItemHistory:
        return await self._call(api.history, wire.GetItem(memory_id=memory_id, **self._who))

    async def delete(self, *memory_ids: str) -> wire.Deleted:
        return await self._call(
            api.delete, wire.DeleteItems(memory_ids=list(memory_ids), actor=self._actor, **self._who)
        )

    async def purge(self, *, everything: bool = False) -> wire.Deleted:
        """Deletes what is scoped to this channel or session, or with `everything` all that is in sight."""
        request = wire.Purge(purge_all_principal=everything, actor=self._actor, **self._who)
        return await self._call(api.purge, request)

    async def erase(self, *ids: str, reason: str = "asked for") -> Erasures:
        """Destroys every trace of the texts. The answer is the certificate."""
        return await self._call(
            api.erase, wire.EraseMemory(ids=list(ids), reason=reason, actor=self._actor, **self._who)
        )

    async def candidates(self, **given: Any) -> wire.CandidatePage:
        """What waits for a person's decision."""
        return await self._call(api.candidates, wire.ListCandidates(**given, **self._who))

    async def approve(self, candidate_id: str, *, text: str | None = None, reason: str = "") -> wire.Retained:
        return await self._decide(candidate_id, approve=True, text=text, reason=reason)

    async def reject(self, candidate_id: str, *, reason: str = "") -> wire.Retained:
        return await self._decide(candidate_id, approve=False, text=None, reason=reason)

    async def reopen(self, candidate_id: str, *, reason: str = "") -> wire.HeldCandidate:
        """Takes a decision back: it waits again, and what it became is forgotten."""
        request = wire.ReopenCandidate(candidate_id=candidate_id, reason=reason, actor=self._actor, **self._who)
        return await self._call(api.reopen, request)

    async def learned(self, **given: Any) -> LearnedPage:
        """What was learned from conversations and waits. `given`: states, kinds, snoozed, with_evidence, after_seq,
        limit."""
        return await self._call(learning.list_, ListLearned(actor=self._actor, **given, **self._place))

    async def decide_learned(
        self, candidate_id: str, decision: str, *, text: str | None = None, reason: str = ""
    ) -> LearnedCandidate:
        """`decision`: approve (with a text: in these words), reject or reopen."""
        said: dict[str, Any] = {"decision": decision, "text": text, "reason": reason, "actor": self._actor}
        return await self._call(learning.decide, DecideLearned(candidate_id=candidate_id, **said, **self._place))

    async def status(self) -> wire.MemoryStatus:
        return await self._call(api.status, wire.GetMemoryStatus(**self._who))

    async def index(self) -> wire.IndexBuilt:
        """Waits until every memory has its vector."""
        return await self._call(api.index, wire.BuildIndex())

    async def _decide(self, candidate_id: str, *, approve: bool, text: str | None, reason: str) -> wire.Retained:
        request = wire.DecideCandidate(
            candidate_id=candidate_id, approve=approve, text=text, reason=reason, actor=self._actor, **self._who
        )
        return await self._call(api.decide, request)

    @property
    def _place(self) -> dict[str, Any]:
        """Of what has no session of its own."""
        return {name: self._who[name] for name in ("principal", "channel")}

    async def _call(self, operation: Operation[Q, R], request: Q) -> R:
        if self._connection is None:
            raise RuntimeError("use it as a context manager: async with Palyra() as memory: …")
        return await self._connection.call(operation, request)


class PalyraSync:
    """`Palyra` without await: the same methods with the same arguments, each of which waits for its answer."""

    def __init__(self, data_dir: str | Path | None = None, **given: Any) -> None:
        self._memory = Palyra(data_dir, **given)
        self._runner = asyncio.Runner()

    def __enter__(self) -> "PalyraSync":
        self._runner.run(self._memory.__aenter__())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._runner.run(self._memory.__aexit__(kind, error, trace))
        finally:
            self._runner.close()

    def add(
        self, messages: Iterable[Mapping[str, Any]], session: str = "python", *, wait_ms: int = WAIT_MS
    ) -> TurnsAdded:
        return self._runner.run(self._memory.add(messages, session, wait_ms=wait_ms))

    def retain(self, text: str, **given: Any) -> wire.Retained:
        return self._runner.run(self._memory.retain(text, **given))

    def retain_many(self, texts: Sequence[wire.RetainedText]) -> list[wire.Retained]:
        return self._runner.run(self._memory.retain_many(texts))

    def search(self, query: str, **given: Any) -> wire.SearchHits:
        return self._runner.run(self._memory.search(query, **given))

    def recall(self, query: str, **given: Any) -> wire.Recalled:
        return self._runner.run(self._memory.recall(query, **given))

    def chat(self, text: str, session: str = "python", **given: Any) -> Reply:
        return self._runner.run(self._memory.chat(text, session, **given))

    def get(self, memory_id: str) -> wire.ItemDetail:
        return self._runner.run(self._memory.get(memory_id))

    def items(self, **given: Any) -> list[wire.Item]:
        async def collect() -> list[wire.Item]:
            return [item async for item in self._memory.items(**given)]

        return self._runner.run(collect())

    def update(self, memory_id: str, **given: Any) -> wire.Updated:
        return self._runner.run(self._memory.update(memory_id, **given))

    def supersede(self, old_id: str, new_id: str) -> wire.Superseded:
        return self._runner.run(self._memory.supersede(old_id, new_id))

    def history(self, memory_id: str) -> wire.ItemHistory:
        return self._runner.run(self._memory.history(memory_id))

    def delete(self, *memory_ids: str) -> wire.Deleted:
        return self._runner.run(self._memory.delete(*memory_ids))

    def purge(self, *, everything: bool = False) -> wire.Deleted:
        return self._runner.run(self._memory.purge(everything=everything))

    def erase(self, *ids: str, reason: str = "asked for") -> Erasures:
        return self._runner.run(self._memory.erase(*ids, reason=reason))

    def candidates(self, **given: Any) -> wire.CandidatePage:
        return self._runner.run(self._memory.candidates(**given))

    def approve(self, candidate_id: str, *, text: str | None = None, reason: str = "") -> wire.Retained:
        return self._runner.run(self._memory.approve(candidate_id, text=text, reason=reason))

    def reject(self, candidate_id: str, *, reason: str = "") -> wire.Retained:
        return self._runner.run(self._memory.reject(candidate_id, reason=reason))

    def reopen(self, candidate_id: str, *, reason: str = "") -> wire.HeldCandidate:
        return self._runner.run(self._memory.reopen(candidate_id, reason=reason))

    def learned(self, **given: Any) -> LearnedPage:
        return self._runner.run(self._memory.learned(**given))

    def decide_learned(
        self, candidate_id: str, decision: str, *, text: str | None = None, reason: str = ""
    ) -> LearnedCandidate:
        return self._runner.run(self._memory.decide_learned(candidate_id, decision, text=text, reason=reason))

    def status(self) -> wire.MemoryStatus:
        return self._runner.run(self._memory.status())

    def index(self) -> wire.IndexBuilt:
        return self._runner.run(self._memory.index())
