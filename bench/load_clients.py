"""The clients of the load bench: each has a connection and a token, asks, waits for the answer, and asks again.

They speak HTTP over bare sockets: on a small machine a comfortable client costs more than the daemon it measures.
"""

import asyncio
import json
import random
import time
from collections import Counter
from dataclasses import dataclass, field
from multiprocessing.synchronize import Barrier
from typing import Protocol, cast

import uvloop
from bench.search_latency import Texts

_WARM_UP = 2
"""searches before the clock runs: the first one loads a principal's memory"""
_WAIT_SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class Plan:
    """What one process of clients does."""

    surface: str
    address: str
    tokens: tuple[str, ...]
    """one client each"""
    seed: int
    write_share: float
    seconds: float


@dataclass(slots=True)
class Tally:
    read_ms: list[float] = field(default_factory=list)
    write_ms: list[float] = field(default_factory=list)
    per_client: list[int] = field(default_factory=list)
    errors: Counter[str] = field(default_factory=Counter)

    def add(self, other: "Tally") -> None:
        self.read_ms += other.read_ms
        self.write_ms += other.write_ms
        self.per_client += other.per_client
        self.errors += other.errors


class Asker(Protocol):
    """Says None when the answer was a good one, otherwise what was wrong."""

    async def search(self, query: str) -> str | None: ...
    async def retain(self, text: str) -> str | None: ...
    async def close(self) -> None: ...


_together: Barrier | None = None


def meet_at(barrier: Barrier) -> None:
    """Where this process waits for the others before the clock runs."""
    global _together  # noqa: PLW0603 - a barrier comes with the process, not with its work
    _together = barrier


def run_clients(plan: Plan) -> Tally:
    return uvloop.run(_run(plan))


class Speech(Texts):
    """The vocabulary of what is there already, in sentences nobody said before."""

    def __init__(self, seed: int) -> None:
        super().__init__(7)
        self._random = random.Random(seed)


async def _run(plan: Plan) -> Tally:
    texts = Speech(plan.seed)
    tally = Tally()
    clients = [_Client(plan, number, texts, tally) for number in range(len(plan.tokens))]
    await asyncio.gather(*(client.warm_up() for client in clients))
    assert _together is not None
    await asyncio.to_thread(_together.wait, _WAIT_SECONDS)
    end = time.monotonic() + plan.seconds
    await asyncio.gather(*(client.ask_until(end) for client in clients))
    tally.per_client = [client.answered for client in clients]
    return tally


class _Client:
    def __init__(self, plan: Plan, number: int, texts: Speech, tally: Tally) -> None:
        self._plan = plan
        self._token = plan.tokens[number]
        self._chance = random.Random(f"{plan.seed} {number}")
        self._texts = texts
        self._tally = tally
        self._asker: Asker | None = None
        self.answered = 0

    async def warm_up(self) -> None:
        self._asker = await connect(self._plan.surface, self._plan.address, self._token)
        for _ in range(_WARM_UP):
            self._note(await self._asker.search(self._texts.question()))

    async def ask_until(self, end: float) -> None:
        asker = self._asker
        assert asker is not None
        while time.monotonic() < end:
            if self._chance.random() < self._plan.write_share:
                await self._timed(asker.retain, self._texts.sentence(), self._tally.write_ms)
            else:
                await self._timed(asker.search, self._texts.question(), self._tally.read_ms)
        await asker.close()

    async def _timed(self, ask: "Ask", text: str, times_ms: list[float]) -> None:
        started = time.perf_counter()
        trouble = await ask(text)
        times_ms.append((time.perf_counter() - started) * 1000)
        self._note(trouble)
        self.answered += trouble is None

    def _note(self, trouble: str | None) -> None:
        if trouble is not None:
            self._tally.errors[trouble] += 1


async def connect(surface: str, address: str, token: str) -> Asker:
    return await HttpAsker.connect(address, token) if surface == "http" else GrpcAsker(address, token)


class HttpAsker(asyncio.Protocol):
    """One kept connection, one request at a time."""

    def __init__(self, address: str, token: str) -> None:
        self._head = (
            "POST {path} HTTP/1.1\r\nhost: " + address + "\r\nauthorization: Bearer " + token + "\r\n"
            "content-type: application/json\r\ncontent-length: {size}\r\n\r\n"
        )
        self._received = b""
        self._waiting: asyncio.Future[tuple[int, bytes]] | None = None
        self._transport: asyncio.Transport | None = None

    @staticmethod
    async def connect(address: str, token: str) -> "HttpAsker":
        host, _, port = address.rpartition(":")
        loop = asyncio.get_running_loop()
        _, asker = await loop.create_connection(lambda: HttpAsker(address, token), host, int(port))
        return asker

    async def search(self, query: str) -> str | None:
        return await self._ask("/v1/memory/search", {"query": query})

    async def retain(self, text: str) -> str | None:
        return await self._ask("/v1/memory/items", {"text": text})

    async def close(self) -> None:
        assert self._transport is not None
        self._transport.close()

    async def _ask(self, path: str, request: dict[str, str]) -> str | None:
        assert self._transport is not None
        body = json.dumps(request).encode()
        self._received = b""
        self._waiting = asyncio.get_running_loop().create_future()
        self._transport.write(self._head.format(path=path, size=len(body)).encode() + body)
        status, answer = await self._waiting
        if status == 200:
            return None
        error = json.loads(answer)["error"]
        return _trouble(error["code"], error["message"])

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)  # uvloop has a class of its own

    def data_received(self, data: bytes) -> None:
        self._received += data
        head, separator, body = self._received.partition(b"\r\n\r\n")
        if not separator:
            return
        size = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])
        if len(body) >= size and self._waiting is not None:
            self._waiting.set_result((int(head[9:12]), body))

    def connection_lost(self, _error: Exception | None) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result((0, b'{"error": {"code": "connection lost", "message": ""}}'))


class GrpcAsker:
    """A channel with a connection of its own."""

    def __init__(self, address: str, token: str) -> None:
        import grpc  # noqa: PLC0415 - slow to load, and only where it is used

        from palyra.transports.grpc.generated import memory_pb2 as proto  # noqa: PLC0415 - as above

        self._failure = grpc.aio.AioRpcError
        self._proto = proto
        self._metadata = (("authorization", f"Bearer {token}"),)
        self._channel = grpc.aio.insecure_channel(address, (("grpc.use_local_subchannel_pool", 1),))
        service = "/palyra.memory.v1.MemoryService/"
        self._search = self._channel.unary_unary(
            service + "SearchMemory",
            request_serializer=proto.SearchMemoryRequest.SerializeToString,
            response_deserializer=proto.SearchMemoryResponse.FromString,
        )
        self._ingest = self._channel.unary_unary(
            service + "IngestMemory",
            request_serializer=proto.IngestMemoryRequest.SerializeToString,
            response_deserializer=proto.IngestMemoryResponse.FromString,
        )

    async def search(self, query: str) -> str | None:
        try:
            await self._search(self._proto.SearchMemoryRequest(v=1, query=query), metadata=self._metadata)
        except self._failure as error:
            return _trouble(error.code().name.lower(), error.details() or "")
        return None

    async def retain(self, text: str) -> str | None:
        manual = self._proto.MEMORY_SOURCE_MANUAL
        request = self._proto.IngestMemoryRequest(v=1, source=manual, content_text=text)
        try:
            await self._ingest(request, metadata=self._metadata)
        except self._failure as error:
            return _trouble(error.code().name.lower(), error.details() or "")
        return None

    async def close(self) -> None:
        await self._channel.close(None)


class Ask(Protocol):
    async def __call__(self, text: str, /) -> str | None: ...


def _trouble(code: str, message: str) -> str:
    return "locked" if "locked" in message else code
