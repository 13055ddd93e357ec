"""A real HTTP server on loopback that speaks the embeddings protocol, and misbehaves when told to."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from palyra.providers.embeddings.hash import DIMS, HashMemoryEmbeddingProvider


@dataclass(slots=True)
class Asked:
    path: str
    authorization: str
    texts: list[str]
    model: str


Answer = Callable[["Handler", Asked], None]


@dataclass(slots=True)
class Script:
    """One answer per request, then `ok` for ever."""

    answers: list[Answer] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    url: str = ""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: "Server"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        asked = Asked(self.path, self.headers.get("authorization", ""), body["input"], body["model"])
        script = self.server.script
        with self.server.lock:
            script.asked.append(asked)
            answer = script.answers.pop(0) if script.answers else ok
        answer(self, asked)

    def send(self, body: bytes, status: int = 200, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name it overrides
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, script: Script) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.script = script
        self.lock = threading.Lock()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that gave up is part of the tests."""


@contextmanager
def embedding_server(*answers: Answer) -> Iterator[Script]:
    script = Script(list(answers))
    server = Server(script)
    script.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield script
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def entries(asked: Asked) -> list[dict[str, Any]]:
    """Twice as long as unit vectors: the client must scale them."""
    vectors = 2 * HashMemoryEmbeddingProvider().embed(asked.texts, "document")
    return [{"object": "embedding", "index": i, "embedding": vector.tolist()} for i, vector in enumerate(vectors)]


def data(change: Callable[[list[dict[str, Any]]], object]) -> Answer:
    """An answer whose list of vectors `change` has edited in place."""

    def answer(handler: Handler, asked: Asked) -> None:
        some = entries(asked)
        change(some)
        handler.send(json.dumps({"object": "list", "data": some}).encode())

    return answer


ok = data(lambda _: None)
wrong_order = data(lambda some: some.reverse())
fewer = data(lambda some: some.pop())
more = data(lambda some: some.append({"index": len(some), "embedding": [1.0] * DIMS}))
same_index = data(lambda some: some[-1].update(index=0))
no_index = data(lambda some: some[-1].pop("index"))
boolean_index = data(lambda some: some[0].update(index=False))
wrong_dims = data(lambda some: some[-1].update(embedding=[1.0] * (DIMS - 1)))
not_a_number = data(lambda some: some[-1].update(embedding=[float("nan")] * DIMS))
infinite = data(lambda some: some[-1].update(embedding=[float("inf"), *[0.0] * (DIMS - 1)]))
zeros = data(lambda some: some[-1].update(embedding=[0.0] * DIMS))
words = data(lambda some: some[-1].update(embedding=["1.0"] * DIMS))
nothing = data(lambda some: some[-1].update(embedding=None))


def raw(body: bytes) -> Answer:
    return lambda handler, _: handler.send(body)


def status(code: int, retry_after: str = "") -> Answer:
    """The words of a refusal quote the caller's key, as real servers do."""

    def answer(handler: Handler, asked: Asked) -> None:
        headers = {"retry-after": retry_after} if retry_after else {}
        handler.send(f"refused: {asked.authorization}".encode(), code, headers)

    return answer


def slow(seconds: float) -> Answer:
    def answer(handler: Handler, asked: Asked) -> None:
        time.sleep(seconds)
        ok(handler, asked)

    return answer


def dripping(handler: Handler, asked: Asked) -> None:
    """A byte now and then: no single read is ever slow."""
    handler.send_response(200)
    handler.send_header("content-length", "100000")
    handler.end_headers()
    for _ in range(200):
        handler.wfile.write(b" ")
        time.sleep(0.02)


def endless(handler: Handler, _: Asked) -> None:
    handler.send_response(200)
    handler.send_header("connection", "close")
    handler.end_headers()
    handler.close_connection = True
    while True:
        handler.wfile.write(b" " * 65_536)


def truncated(handler: Handler, asked: Asked) -> None:
    body = json.dumps({"data": entries(asked)}).encode()
    handler.send_response(200)
    handler.send_header("content-length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body[: len(body) // 2])
    handler.close_connection = True


def hung_up(handler: Handler, _: Asked) -> None:
    handler.close_connection = True
