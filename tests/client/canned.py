"""A server that says what it is told to say, byte for byte, and then hangs up."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Canned:
    """`answers`: one per connection; empty: hang up without a word."""

    def __init__(self, answers: tuple[bytes, ...]) -> None:
        self._answers = answers
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self.asked: list[bytes] = []
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        for answer in self._answers:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            with connection:
                self.asked.append(_read(connection))
                connection.sendall(answer)
        self._socket.close()

    def close(self) -> None:
        self._socket.close()
        self._thread.join(5)


@contextmanager
def canned(*answers: bytes) -> Iterator[Canned]:
    server = Canned(answers)
    try:
        yield server
    finally:
        server.close()


def whole(body: bytes, status: str = "200 OK") -> bytes:
    return b"HTTP/1.1 %b\r\ncontent-length: %d\r\nconnection: close\r\n\r\n%b" % (status.encode(), len(body), body)


def chunks(*pieces: bytes, is_cut: bool = False) -> bytes:
    head = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n"
    body = b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces)
    return head + body + (b"" if is_cut else b"0\r\n\r\n")


def _read(connection: socket.socket) -> bytes:
    data = b""
    while b"\r\n\r\n" not in data:
        data += connection.recv(65_536)
    head, _, body = data.partition(b"\r\n\r\n")
    sizes = [line.partition(b":")[2] for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    while sizes and len(body) < int(sizes[0]):
        body += connection.recv(65_536)
    return head + b"\r\n\r\n" + body
