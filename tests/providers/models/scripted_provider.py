"""A real HTTP server on loopback that speaks all three model protocols: it answers as scripted and notes each request.

    with scripted_provider() as provider:
        provider.then(says("Hello"), calls("recall", {"query": "tea"}), status(429, retry_after="1"))
        ... point a model or a client at provider.url (it ends in /v1) ...
        assert provider.asked[0].body["messages"][-1]["content"] == "Hi"

Every request takes the next answer of the queue, and `says("ok")` when it is empty. The path asked for decides the
protocol (…/chat/completions, …/responses, …/messages); `"stream": true` in the body decides between a stream and one
document. On …/embeddings and …/models an answer that says something becomes the plain JSON of that path.
"""

import json
import random
import select
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeAlias

from providers.models.scripted_protocols import (
    Called,
    Protocol,
    Said,
    Stop,
    as_sse,
    error_body,
    error_event,
    events,
    protocol_of,
    whole,
)

EMBEDDING_DIMS = 8
DEFAULT_KINDS = {400: "invalid_request_error", 401: "authentication_error", 404: "not_found_error"}


@dataclass(slots=True)
class Asked:
    """One request, as it arrived."""

    method: str
    path: str
    headers: dict[str, str]
    """by lower-case name"""
    body: dict[str, Any]
    """{} when the request had none"""
    client: tuple[str, int] = ("", 0)
    """address and port: the same for requests over one connection"""
    client_left: threading.Event = field(default_factory=threading.Event)
    """set when the client hung up before the answer was complete"""


@dataclass(slots=True)
class Provider:
    url: str = ""
    asked: list[Asked] = field(default_factory=list)
    queue: list["Answer"] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def then(self, *answers: "Answer") -> "Provider":
        """Adds to the queue."""
        with self.lock:
            self.queue.extend(answers)
        return self

    @property
    def bodies(self) -> list[dict[str, Any]]:
        return [asked.body for asked in self.asked]


class Reply:
    """What an answer writes to: one connection, one request."""

    def __init__(self, handler: "Handler", asked: Asked) -> None:
        self._handler = handler
        self.asked = asked
        self.protocol: Protocol = protocol_of(asked.path) or "chat"
        self.model = str(asked.body.get("model", "scripted"))
        self.streams = asked.body.get("stream") is True

    def document(self, value: object, status: int = 200, headers: dict[str, str] | None = None) -> None:
        self.raw(json.dumps(value).encode(), "application/json", status, headers)

    def raw(self, body: bytes, content_type: str, status: int = 200, headers: dict[str, str] | None = None) -> None:
        self._head(status, {"content-type": content_type, "content-length": str(len(body)), **(headers or {})})
        self._handler.wfile.write(body)

    def start_stream(self) -> None:
        self._head(200, {"content-type": "text/event-stream; charset=utf-8", "transfer-encoding": "chunked"})

    def send(self, data: bytes) -> None:
        self._handler.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))

    def end_stream(self) -> None:
        self._handler.wfile.write(b"0\r\n\r\n")

    def hang_up(self) -> None:
        self._handler.close_connection = True

    def is_client_gone(self) -> bool:
        ready, _, _ = select.select([self._handler.connection], [], [], 0)
        return bool(ready) and not self._handler.connection.recv(1, socket.MSG_PEEK)

    def wait_for(self, event: threading.Event, seconds: float = 30) -> None:
        """Until the event is set; BrokenPipeError if the client leaves first."""
        end = time.monotonic() + seconds
        while not event.wait(0.005) and time.monotonic() < end:
            if self.is_client_gone():
                raise BrokenPipeError

    def _head(self, status: int, headers: dict[str, str]) -> None:
        self._handler.send_response(status)
        for name, value in headers.items():
            self._handler.send_header(name, value)
        self._handler.end_headers()


Answer: TypeAlias = Callable[[Reply], None]


def says(
    text: str,
    size: int = 4,
    *,
    pause_seconds: float = 0.0,
    stop: Stop = "end",
    bytes_per_write: int = 0,
    input_tokens: int = 12,
    output_tokens: int = 7,
) -> Answer:
    """`text` in pieces of `size` characters. `bytes_per_write` cuts the stream elsewhere, inside characters too."""
    pieces = tuple(text[start : start + size] for start in range(0, len(text), size))
    said = Said(pieces, stop=stop, input_tokens=input_tokens, output_tokens=output_tokens)
    return lambda reply: _answer(reply, said, pause_seconds=pause_seconds, bytes_per_write=bytes_per_write)


def calls(name: str, arguments: dict[str, Any], *, text: str = "", call_id: str = "call_1") -> Answer:
    """One tool call, after `text` if there is any."""
    called = (Called(call_id, name, json.dumps(arguments)),)
    return lambda reply: _answer(reply, Said((text,) if text else (), called, "tool_calls"))


def calls_all(*called: Called, text: str = "") -> Answer:
    """Several calls in one answer."""
    return lambda reply: _answer(reply, Said((text,) if text else (), called, "tool_calls"))


def status(code: int, retry_after: str = "", *, message: str = "refused as scripted", kind: str = "") -> Answer:
    """An error answer with the body its protocol has for errors."""
    headers = {"retry-after": retry_after} if retry_after else {}
    kind = kind or DEFAULT_KINDS.get(code, "api_error")
    return lambda reply: reply.document(error_body(protocol_of(reply.asked.path), kind, message), code, headers)


def fails(kind: str, message: str = "failed as scripted", *, after: str = "") -> Answer:
    """A stream that says `after` and then reports an error of this kind, as providers do in mid-stream."""

    def answer(reply: Reply) -> None:
        reply.start_stream()
        said = as_sse(events(reply.protocol, Said((after,)), reply.model))
        for block in list(said)[: _until_text(reply) if after else 1]:
            reply.send(block)
        for block in as_sse(iter((error_event(reply.protocol, kind, message),))):
            reply.send(block)
        reply.end_stream()

    return answer


def drip(text: str = "slow but sure", pause_seconds: float = 0.05) -> Answer:
    """One character after the other, with pauses."""
    return says(text, 1, pause_seconds=pause_seconds)


def pings(pause_seconds: float = 0.02) -> Answer:
    """Bytes without end and not one event: comments, as some servers send to keep a connection open."""

    def answer(reply: Reply) -> None:
        reply.start_stream()
        while True:
            reply.send(b": still here\n\n")
            time.sleep(pause_seconds)

    return answer


def cut(text: str = "this will not be finished", after_events: int = 3) -> Answer:
    """The connection breaks after so many events; not streaming, in the middle of the document."""

    def answer(reply: Reply) -> None:
        said = Said((text[:4], text[4:]))
        if not reply.streams:
            body = json.dumps(whole(reply.protocol, said, reply.model)).encode()
            reply.raw(body[:20], "application/json", headers={"content-length": str(len(body))})
        else:
            reply.start_stream()
            for block in list(as_sse(events(reply.protocol, said, reply.model)))[:after_events]:
                reply.send(block)
        reply.hang_up()

    return answer


def ends_early(text: str = "this will not be finished") -> Answer:
    """The stream is closed in good order before the answer is complete."""

    def answer(reply: Reply) -> None:
        reply.start_stream()
        for block in list(as_sse(events(reply.protocol, Said((text,)), reply.model)))[: _until_text(reply)]:
            reply.send(block)
        reply.end_stream()

    return answer


def hold(event: threading.Event, text: str = "held until released") -> Answer:
    """Says the first word, then keeps the stream open until `event` is set, then says the rest."""

    def answer(reply: Reply) -> None:
        said = Said((text[:4], text[4:]))
        if not reply.streams:
            reply.wait_for(event)
            return reply.document(whole(reply.protocol, said, reply.model))
        reply.start_stream()
        for number, block in enumerate(as_sse(events(reply.protocol, said, reply.model)), 1):
            reply.send(block)
            if number == _until_text(reply):
                reply.wait_for(event)
        return reply.end_stream()

    return answer


def silence(event: threading.Event) -> Answer:
    """Not a byte until `event` is set; then it hangs up."""

    def answer(reply: Reply) -> None:
        reply.wait_for(event)
        reply.hang_up()

    return answer


def raw(body: bytes, content_type: str = "text/event-stream", code: int = 200) -> Answer:
    """Exactly these bytes."""
    return lambda reply: reply.raw(body, content_type, code)


def garbage(reply: Reply) -> None:
    """Events that are no JSON."""
    reply.raw(b'data: {"choices": [{"del\n\ndata: \x00\xff\xfe<html>\n\n', "text/event-stream")


def hung_up(reply: Reply) -> None:
    """No answer at all."""
    reply.hang_up()


@contextmanager
def scripted_provider(*answers: Answer) -> Iterator[Provider]:
    provider = Provider(queue=list(answers))
    server = Server(provider)
    provider.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), name="scripted-provider")
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _until_text(reply: Reply) -> int:
    """How many events it takes to have said the first piece."""
    return {"chat": 2, "responses": 4, "messages": 4}[reply.protocol]


def _answer(reply: Reply, said: Said, *, pause_seconds: float = 0.0, bytes_per_write: int = 0) -> None:
    path = reply.asked.path.partition("?")[0]
    if path.endswith("/embeddings"):
        return reply.document(_embeddings(reply.asked.body))
    if path.endswith("/models"):
        return reply.document({"object": "list", "data": [_model("scripted"), _model("scripted-2")]})
    if protocol_of(path) is None:
        return status(404, message=f"no such path: {path}")(reply)
    if not reply.streams:
        return reply.document(whole(reply.protocol, said, reply.model))
    reply.start_stream()
    blocks = as_sse(events(reply.protocol, said, reply.model))
    if bytes_per_write:
        joined = b"".join(blocks)
        blocks = iter([joined[at : at + bytes_per_write] for at in range(0, len(joined), bytes_per_write)])
    for block in blocks:
        reply.send(block)
        if pause_seconds:
            time.sleep(pause_seconds)
    return reply.end_stream()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: "Server"

    def do_POST(self) -> None:
        self._reply(json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}"))

    def do_GET(self) -> None:
        self._reply({})

    def _reply(self, body: dict[str, Any]) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        asked = Asked(self.command, self.path, headers, body, self.client_address)
        provider = self.server.provider
        with provider.lock:
            provider.asked.append(asked)
            answer = provider.queue.pop(0) if provider.queue else says("ok")
        try:
            answer(Reply(self, asked))
        except (BrokenPipeError, ConnectionResetError):
            asked.client_left.set()
            self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name it overrides
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 256

    def __init__(self, provider: Provider) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.provider = provider

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that gave up is part of the tests."""


def _model(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": 1, "owned_by": "scripted"}


def _embeddings(body: dict[str, Any]) -> dict[str, Any]:
    """The same text always has the same vector."""
    texts = body.get("input", [])
    texts = [texts] if isinstance(texts, str) else texts
    data = [
        {"object": "embedding", "index": index, "embedding": _vector(str(text))} for index, text in enumerate(texts)
    ]
    usage = {"prompt_tokens": len(texts), "total_tokens": len(texts)}
    return {"object": "list", "data": data, "model": body.get("model", "scripted"), "usage": usage}


def _vector(text: str) -> list[float]:
    seeded = random.Random(text)
    return [seeded.uniform(-1, 1) for _ in range(EMBEDDING_DIMS)]
