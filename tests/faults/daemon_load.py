"""Writes without end to the daemon of a directory, over one surface, and keeps a file of what was acknowledged.

When the daemon dies it looks for the next one and repeats what was not answered, under the same request id. SIGTERM
ends it once nothing is left to be answered; an answer that is an error ends it at once, and says so.
"""

import asyncio
import hashlib
import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, NamedTuple, Protocol

import grpc
import httpx2

from faults.ledger import Ack, kind_of, payload_of
from palyra.api.running import Running, find_daemon
from palyra.core.clock import SystemClock
from palyra.core.ids import UlidFactory
from palyra.transports.grpc.generated import memory_pb2

IN_FLIGHT = 4
MEMORY = "memory"
"""the kind of an acknowledgement that names a memory; others name an event of that kind"""
_SYLLABLES = "ba de fi go hu ka le mi no pu ra se ti vo wu za"
_JSON = {"content-type": "application/json", "accept": "application/json, text/event-stream"}


class Written(NamedTuple):
    """One acknowledgement, and what it took to get it."""

    ack: Ack
    attempts: int
    repeated: bool
    """the daemon had it already: an earlier one was killed between the commit and the answer"""


class Unanswered(Exception):
    """The daemon is gone; the write may be done or not."""


class Surface(Protocol):
    async def write(self, n: int, request_id: str) -> tuple[Ack, bool]:
        """The acknowledgement, and whether the daemon says that it is a repeat."""

    async def close(self) -> None: ...


def text_of(who: int, n: int) -> str:
    """Words unlike every other's: what is alike would be merged. That it may be taken for a change is no matter: then
    links, and the end of what it replaces, are written with it."""
    syllables, digest = _SYLLABLES.split(), hashlib.sha256(f"{who} {n}".encode()).hexdigest()
    words = ("".join(syllables[int(digit, 16)] for digit in digest[i : i + 3]) for i in range(0, 24, 3))
    return " ".join(words)


class Http:
    """Retains and appends in turn, with the id in a header."""

    def __init__(self, running: Running, token: str, who: int) -> None:
        self._who = who
        self._client = httpx2.AsyncClient(
            base_url=running.http, headers={**_JSON, "authorization": f"Bearer {token}"}, timeout=30
        )

    async def write(self, n: int, request_id: str) -> tuple[Ack, bool]:
        if n % 4 < 2:
            body: dict[str, Any] = {"text": text_of(self._who, n)}
            done = await self.post("/v1/memory/items", body, {"idempotency-key": request_id})
            return _of_memory(done, self._who, n), done["repeated"]
        body = {"kind": kind_of(n), "payload": payload_of(self._who, n), "id": request_id}
        done = await self.post("/v1/journal/events", body, {"idempotency-key": request_id})
        return Ack(done["event_id"], kind_of(n), self._who, n, done["seq"], done["hash"]), done["repeated"]

    async def post(self, path: str, body: dict[str, Any], headers: dict[str, str]) -> dict[str, Any]:
        try:
            answer = await self._client.post(path, json=body, headers=headers)
        except httpx2.TransportError as error:
            raise Unanswered(repr(error)) from None
        if answer.status_code != 200:
            sys.exit(f"{path}: {answer.text}")
        found: dict[str, Any] = answer.json()
        return found

    async def close(self) -> None:
        await self._client.aclose()


class Mcp(Http):
    """Retains with a tool."""

    async def write(self, n: int, request_id: str) -> tuple[Ack, bool]:
        arguments = {"text": text_of(self._who, n), "request_id": request_id}
        params = {"name": "palyra.memory.retain", "arguments": arguments}
        message = {"jsonrpc": "2.0", "id": n, "method": "tools/call", "params": params}
        result = (await self.post("/mcp", message, {})).get("result", {})
        done = result.get("structuredContent", {})
        if result.get("isError") or "seq" not in done:
            sys.exit(f"mcp: {result}")
        return _of_memory(done, self._who, n), done["repeated"]


class Grpc:
    def __init__(self, running: Running, token: str, who: int) -> None:
        self._who = who
        self._metadata = (("authorization", f"Bearer {token}"),)
        self._channel = grpc.aio.insecure_channel(running.grpc)
        self._ingest = self._channel.unary_unary(
            "/palyra.memory.v1.MemoryService/IngestMemory",
            request_serializer=memory_pb2.IngestMemoryRequest.SerializeToString,
            response_deserializer=memory_pb2.IngestMemoryResponse.FromString,
        )

    async def write(self, n: int, request_id: str) -> tuple[Ack, bool]:
        text, manual = text_of(self._who, n), memory_pb2.MEMORY_SOURCE_MANUAL
        request = memory_pb2.IngestMemoryRequest(v=1, source=manual, content_text=text, request_id=request_id)
        try:
            done = await self._ingest(request, metadata=self._metadata, timeout=30)
        except grpc.aio.AioRpcError as error:
            trailing: Any = error.trailing_metadata() or ()
            if "palyra-code" in dict(trailing):
                sys.exit(f"grpc: {error.code()}: {error.details()}")
            raise Unanswered(repr(error.code())) from None
        if done.outcome not in (memory_pb2.INGEST_OUTCOME_STORED, memory_pb2.INGEST_OUTCOME_CONFLICT_FOUND):
            sys.exit(f"grpc: {text!r} became {done}")
        ack = Ack(done.memory_id.ulid, MEMORY, self._who, n, done.receipt.seq, done.receipt.hash)
        return ack, done.is_repeat

    async def close(self) -> None:
        await self._channel.close(None)


SURFACES: dict[str, Callable[[Running, str, int], Surface]] = {"http": Http, "mcp": Mcp, "grpc": Grpc}


def _of_memory(done: dict[str, Any], who: int, n: int) -> Ack:
    if done["outcome"] not in ("stored", "conflict_found"):
        sys.exit(f"{text_of(who, n)!r} became {done}")
    return Ack(done["memory_id"], MEMORY, who, n, done["seq"], done["hash"])


class Load:
    def __init__(self, directory: Path, acks: IO[str], connect: Callable[[Running], Surface]) -> None:
        self._directory = directory
        self._acks = acks
        self._connect = connect
        self._ids = UlidFactory(SystemClock())
        self._n = 0
        self._stopping = False
        self._parent = os.getppid()
        self._surface: Surface | None = None
        self._running: Running | None = None

    async def run(self) -> None:
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, self._stop)
        async with asyncio.TaskGroup() as group:
            for _ in range(IN_FLIGHT):
                group.create_task(self._write_on())
        if self._surface is not None:
            await self._surface.close()

    def _stop(self) -> None:
        self._stopping = True

    async def _write_on(self) -> None:
        while not self._stopping:
            self._n += 1
            written = await self._until_answered(self._n, self._ids.next())
            self._acks.write(json.dumps(written) + "\n")
            self._acks.flush()

    async def _until_answered(self, n: int, request_id: str) -> Written:
        attempts = 0
        while True:
            surface = await self._reach()
            attempts += 1
            try:
                ack, repeated = await surface.write(n, request_id)
            except Unanswered:
                await asyncio.sleep(0.02)
            else:
                return Written(ack, attempts, repeated)

    async def _reach(self) -> Surface:
        """The daemon that is there now, once there is one."""
        while (running := find_daemon(self._directory)) is None:
            if os.getppid() != self._parent:
                sys.exit("the test is gone")
            await asyncio.sleep(0.02)
        if self._surface is None or running != self._running:
            self._surface, self._running = self._connect(running), running  # what the old one had in flight has failed
        return self._surface


def main(directory: str, ack_file: str, surface: str, token: str, who: str) -> None:
    with Path(ack_file).open("w") as acks:
        load = Load(Path(directory), acks, lambda running: SURFACES[surface](running, token, int(who)))
        asyncio.run(load.run())


def read_written(file: Path) -> list[Written]:
    """A process may die while it writes its last line; the line before was whole."""
    lines = [json.loads(line) for line in file.read_text().split("\n")[:-1]]
    return [Written(Ack(*ack), attempts, repeated) for ack, attempts, repeated in lines]


if __name__ == "__main__":
    main(*sys.argv[1:])
