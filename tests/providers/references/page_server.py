"""A real HTTP server on loopback whose pages are functions, and what was asked of it."""

import datetime as dt
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

Page = Callable[["Handler"], None]


@dataclass(slots=True)
class Pages:
    port: int = 0
    pages: dict[str, Page] = field(default_factory=dict)
    asked: list[tuple[str, str, dict[str, str]]] = field(default_factory=list)
    """Host, path and headers"""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: "Server"

    def do_GET(self) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.pages.asked.append((headers.get("host", ""), self.path, headers))
        page = self.server.pages.pages.get(self.path.partition("?")[0])
        if page is None:
            self.send(b"none", 404)
        else:
            page(self)

    def send(self, body: bytes, status: int = 200, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        try:
            self.wfile.write(body)
        except OSError:
            self.close_connection = True  # the client had enough

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name it overrides
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, pages: Pages) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.pages = pages


@contextmanager
def serving(certificate: ssl.SSLContext | None = None, **pages: Page) -> Iterator[Pages]:
    """Pages by path, without its slash; over TLS with a certificate."""
    state = Pages(pages={"/" + path: page for path, page in pages.items()})
    server = Server(state)
    if certificate is not None:
        server.socket = certificate.wrap_socket(server.socket, server_side=True)
    state.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def text(body: str | bytes, content_type: str = "text/plain; charset=utf-8", **headers: str) -> Page:
    data = body.encode() if isinstance(body, str) else body
    return lambda handler: handler.send(data, 200, content_type=content_type, **headers)


def redirect(location: str, status: int = 302) -> Page:
    return lambda handler: handler.send(b"", status, location=location)


def certificates(folder: Path, name: str) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """For a server called `name`, and for a client that trusts it."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    start = dt.datetime(2020, 1, 1, tzinfo=dt.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(start)
        .not_valid_after(start + dt.timedelta(days=36_500))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    chain, secret = folder / "certificate", folder / "secret"
    chain.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    secret.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(chain, secret)
    return server, ssl.create_default_context(cafile=str(chain))
