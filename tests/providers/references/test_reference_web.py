"""Pages of the public web are fetched; nothing inside the house can be reached through us."""

import gzip
import ipaddress
import json
import random
import time
import zlib
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import httpx2
import pytest

from palyra.core.errors import (
    Deadline,
    Exhausted,
    InvalidArgument,
    NotFound,
    PalyraError,
    PermissionDenied,
    Unavailable,
)
from palyra.domain.chat.references import PageText
from palyra.providers.references.addresses import Address, is_public
from palyra.providers.references.page import html_text
from palyra.providers.references.web import BODY_BYTES, WebPages
from providers.references.page_server import Handler, certificates, redirect, serving, text
from support import run

CASES = Path(__file__).parents[4] / "shared" / "cases" / "ssrf-urls.jsonl"
PUBLIC = "93.184.216.34"


def loopback_too(address: Address) -> bool:
    return address == ipaddress.ip_address("127.0.0.1") or is_public(address)


def streamed(body: str) -> httpx2.Response:
    async def parts() -> AsyncIterator[bytes]:
        yield body.encode()

    return httpx2.Response(200, content=parts(), headers={"content-type": "text/plain"})


async def here(host: str, port: int) -> Sequence[str]:
    return ["127.0.0.1"]


def fetch(url: str, max_chars: int = 8_000) -> PageText:
    return run(WebPages(resolve=here, allows=loopback_too, timeout_seconds=10).fetch(url, max_chars))


def test_a_page_is_fetched_by_its_name_from_the_address_that_was_checked() -> None:
    with serving(a=text("hello")) as server:
        page = fetch(f"http://good.example:{server.port}/a?q=1#part")
    assert (page.url, page.text, page.whole) == (f"http://good.example:{server.port}/a?q=1", "hello", True)
    host, path, headers = server.asked[0]
    assert (host, path) == (f"good.example:{server.port}", "/a?q=1")
    assert not {"cookie", "authorization"} & set(headers)


def test_the_name_is_resolved_once_and_the_connection_goes_there() -> None:
    """A name that changes its address after the check is not asked for again."""
    answers = [[PUBLIC], ["127.0.0.1"]]
    connected: list[tuple[str, str, object]] = []

    async def rebinding(host: str, port: int) -> Sequence[str]:
        return answers.pop(0)

    def answer(request: httpx2.Request) -> httpx2.Response:
        connected.append((request.url.host, request.headers["host"], request.extensions["sni_hostname"]))
        return streamed("fine")

    pages = WebPages(resolve=rebinding, transport=httpx2.MockTransport(answer))
    assert run(pages.fetch("https://rebind.example/", 100)).text == "fine"
    assert connected == [(PUBLIC, "rebind.example", "rebind.example")]


def test_the_certificate_is_checked_against_the_name_and_not_the_address(tmp_path: Path) -> None:
    names: list[str | None] = []
    ours, trusting = certificates(tmp_path, "good.example")
    ours.sni_callback = lambda _socket, name, _context: names.append(name)

    def secure(url: str) -> PageText:
        transport = httpx2.AsyncHTTPTransport(verify=trusting, trust_env=False)
        return run(WebPages(resolve=here, allows=loopback_too, transport=transport).fetch(url, 100))

    with serving(ours, a=text("over TLS")) as server:
        assert secure(f"https://good.example:{server.port}/a").text == "over TLS"
        with pytest.raises(Unavailable, match="certificate"):
            secure(f"https://other.example:{server.port}/a")
    assert names == ["good.example", "other.example"]
    assert len(server.asked) == 1


def test_one_private_address_among_public_ones_is_enough_to_refuse() -> None:
    async def mixed(host: str, port: int) -> Sequence[str]:
        return [PUBLIC, "10.0.0.7"]

    with pytest.raises(PermissionDenied):
        run(WebPages(resolve=mixed, transport=never()).fetch("http://mixed.example/", 100))


def test_another_address_is_tried_when_the_first_is_silent() -> None:
    async def two(host: str, port: int) -> Sequence[str]:
        return ["2606:2800:220:1::1", PUBLIC]

    def answer(request: httpx2.Request) -> httpx2.Response:
        if ":" in request.url.host:
            raise httpx2.ConnectError("no route")
        return streamed("by the second")

    pages = WebPages(resolve=two, transport=httpx2.MockTransport(answer))
    assert run(pages.fetch("http://two.example/", 100)).text == "by the second"


def never() -> httpx2.MockTransport:
    def answer(request: httpx2.Request) -> httpx2.Response:
        raise AssertionError(f"{request.url} was asked")

    return httpx2.MockTransport(answer)


REFUSED_URLS = [
    "http://127.0.0.1/",
    "http://127.1/",
    "http://2130706433/",
    "http://0x7f.1/",
    "http://0177.0.0.1/",
    "http://127.0.0.1./",
    "http://0/",
    "http://[::1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:8.8.8.8]/",
    "http://[64:ff9b::7f00:1]/",
    "http://[2002:7f00:1::]/",
    "http://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/",
    "http://[fe80::1%25eth0]/",
    "http://[fe80::1%eth0]/",
    "http://localhost/",
    "http://LOCALHOST./",
    "http://a.localhost/",
    "http://router/",
    "http://printer.local/",
    "http://metadata.google.internal/",
    "http://168.63.129.16/",
    "http://192.0.0.9/",
    "http://１２７.0.0.1/",
    "http://127。0。0。1/",
    "http://a@example.org/",
    "http://example.org@127.0.0.1/",
    "http://example.org\\@127.0.0.1/",
    "http://example.org:22/",
    "http://example.org:0/",
    "http://example.org:65536/",
    "http://example.org:-1/",
    "http://exa mple.org/",
    "http://example.org/\r\nHost: a",
    "http://exam%70le.org/",
    "http:example.org",
    "http:///example.org",
    "//example.org/",
    "example.org",
    "ftp://example.org/",
    "file:///etc/passwd",
    "data:text/plain,a",
    "http://example.org/" + "a" * 3_000,
    "http://" + "a" * 300 + ".example/",
    "",
]


@pytest.mark.parametrize("url", REFUSED_URLS)
def test_an_address_that_is_not_of_the_public_web_is_refused(url: str) -> None:
    with pytest.raises((PermissionDenied, InvalidArgument, Unavailable)) as refused:
        run(WebPages(transport=never(), resolve=public_unless_a_number).fetch(url, 100))
    assert len(url) < 250 or isinstance(refused.value, InvalidArgument | Unavailable)


async def public_unless_a_number(host: str, port: int) -> Sequence[str]:
    """As a system that resolves whatever it is given."""
    if len(host) > 253:
        raise UnicodeError("label too long")
    return [PUBLIC]


def shared_urls() -> list[str]:
    """Only the part that is there to develop against."""
    if not CASES.exists():
        return []
    rows = [json.loads(line) for line in CASES.read_text("utf-8").splitlines()]
    return [row["text"] for row in rows if row["part"] == "dev"]


class Listener:
    """A house with a secret: every name is public but for `.test`, whose redirects and addresses lead inside."""

    def __init__(self) -> None:
        self.reached: list[str] = []

    async def resolve(self, host: str, _port: int) -> Sequence[str]:
        if host.startswith("mixed."):
            return [PUBLIC, "10.0.0.7"]
        if host.startswith("rebind."):
            return ["127.0.0.1"]
        return [PUBLIC]

    def answer(self, request: httpx2.Request) -> httpx2.Response:
        address = ipaddress.ip_address(request.url.host)
        if not is_public(address):
            self.reached.append(str(request.url))
        if request.url.params.get("to"):
            return httpx2.Response(302, headers={b"location": request.url.params["to"].encode()})
        return streamed("public")

    def fetch(self, url: str) -> PageText:
        return run(WebPages(resolve=self.resolve, transport=httpx2.MockTransport(self.answer)).fetch(url, 100))


@pytest.mark.skipif(not CASES.exists(), reason="the shared cases are not here")
def test_no_url_of_the_shared_cases_is_fetched() -> None:
    house = Listener()
    assert shared_urls()
    for url in shared_urls():
        with pytest.raises(PalyraError):
            house.fetch(url)
    assert house.reached == []


def test_no_mutated_url_reaches_an_inner_address(pytestconfig: pytest.Config) -> None:
    house, dice, fetched = Listener(), random.Random(7), 0
    pieces = ["http://", "https://", "127.0.0.1", "@", "#", "?to=", "[::1]", "::ffff:", "example.org", ":80", ".",
              "%00", "\\", "/", "localhost", "10.0.0.7", "0x7f000001", "。", "①", "redirect.test", " "]  # fmt: skip
    for number in range(pytestconfig.getoption("--fuzz-inputs")):
        url = dice.choice(
            [*REFUSED_URLS, *shared_urls(), "http://example.org/", "http://example.org/?to=http://a.example"]
        )
        for _ in range(0 if number < 20 else dice.randrange(1, 4)):
            at = dice.randrange(len(url) + 1)
            url = url[:at] + dice.choice(pieces) + url[at + dice.randrange(3) :]
        try:
            house.fetch(url)
        except PalyraError:
            continue
        fetched += 1
    assert house.reached == []
    assert fetched > 0, "no URL was fetched: the test would prove nothing"


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_followed_and_checked_again(status: int) -> None:
    with serving(a=redirect("/b", status), b=text("at last")) as server:
        page = fetch(f"http://good.example:{server.port}/a")
    assert (page.url, page.text) == (f"http://good.example:{server.port}/b", "at last")


@pytest.mark.parametrize(
    "location",
    ["http://10.0.0.7/", "//[::1]/", "http://localhost/", "file:///etc/passwd", "http://a@b.example/", "gopher://a.example",
     "http://[", "http://0x7f000001/"],
)  # fmt: skip
def test_a_redirect_into_the_house_is_refused(location: str) -> None:
    with serving(a=redirect(location)) as server, pytest.raises((PermissionDenied, InvalidArgument)):
        fetch(f"http://good.example:{server.port}/a")
    assert len(server.asked) == 1


def test_a_redirect_to_a_name_with_an_inner_address_is_refused() -> None:
    async def names(host: str, port: int) -> Sequence[str]:
        return ["127.0.0.1"] if host == "good.example" else ["192.168.0.1"]

    with serving(a=redirect("http://inner.example/")) as server, pytest.raises(PermissionDenied, match="inner"):
        run(WebPages(resolve=names, allows=loopback_too).fetch(f"http://good.example:{server.port}/a", 100))


def test_a_redirect_in_a_circle_ends() -> None:
    with serving(a=redirect("/a")) as server, pytest.raises(Unavailable, match="more than 5 times"):
        fetch(f"http://good.example:{server.port}/a")
    assert len(server.asked) == 6


def test_a_cookie_is_not_carried_to_the_next_page() -> None:
    def set_cookie(handler: Handler) -> None:
        handler.send(b"", 302, location="/b", set_cookie="a=b; Path=/")

    with serving(a=set_cookie, b=text("fine")) as server:
        fetch(f"http://good.example:{server.port}/a")
    assert "cookie" not in server.asked[1][2]


def test_no_proxy_of_the_environment_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(a=text("direct")) as server:
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, "http://127.0.0.1:9")
        assert fetch(f"http://good.example:{server.port}/a").text == "direct"


@pytest.mark.parametrize(
    ("status", "error"),
    [(404, NotFound), (410, NotFound), (429, Exhausted), (500, Unavailable), (403, PermissionDenied)],
)
def test_a_page_that_is_not_given_says_so(status: int, error: type[PalyraError]) -> None:
    with serving(a=lambda handler: handler.send(b"", status)) as server, pytest.raises(error, match=str(status)):
        fetch(f"http://good.example:{server.port}/a")


@pytest.mark.parametrize(
    ("body", "content_type", "wanted"),
    [
        ("é".encode(), "text/plain", "é"),
        ("é".encode("latin-1"), "text/plain; charset=ISO-8859-1", "é"),
        ("я".encode("koi8-r"), "text/plain; charset=koi8-r", "я"),
        ("日本".encode("shift_jis"), 'text/html; charset="Shift_JIS"', "日本"),
        (b'<meta charset="windows-1252"><p>caf\xe9', "text/html", "café"),
        ("<p>é".encode("utf-16"), "text/html", "é"),
        (b'{"a": 1}', "application/json", '{"a": 1}'),
        (b"<a>b</a>", "application/atom+xml", "<a>b</a>"),
        (b"plain", "", "plain"),
        (b"safe", "text/plain; charset=punycode", "safe"),
        (b"safe", "text/plain; charset=zip", "safe"),
    ],
)
def test_a_charset_is_respected(body: bytes, content_type: str, wanted: str) -> None:
    with serving(a=text(body, content_type)) as server:
        assert fetch(f"http://good.example:{server.port}/a").text == wanted


@pytest.mark.parametrize("content_type", ["image/png", "application/pdf", "application/octet-stream", "text/plain; x"])
def test_what_is_no_text_is_refused(content_type: str) -> None:
    with serving(a=text(b"\0\1\2", content_type)) as server, pytest.raises(InvalidArgument, match="not text"):
        fetch(f"http://good.example:{server.port}/a")


def test_a_compressed_page_is_read() -> None:
    with serving(a=text(gzip.compress(b"small again"), content_encoding="gzip")) as server:
        assert fetch(f"http://good.example:{server.port}/a").text == "small again"


def test_a_decompression_bomb_costs_what_is_shown_of_it() -> None:
    packer = zlib.compressobj(9, wbits=31)
    bomb = b"".join([packer.compress(b"x" * (1 << 20)) for _ in range(64)]) + packer.flush()
    with serving(a=text(bomb, content_encoding="gzip")) as server:
        page = fetch(f"http://good.example:{server.port}/a", BODY_BYTES * 2)
    assert len(page.text) == BODY_BYTES
    assert not page.whole
    assert any("1,048,576 bytes" in warning for warning in page.warnings)


@pytest.mark.parametrize("encoding", ["br", "zstd", "gzip, gzip", "gzip"])
def test_compression_that_cannot_be_undone_is_an_error(encoding: str) -> None:
    with serving(a=text(b"not compressed", content_encoding=encoding)) as server, pytest.raises(InvalidArgument):
        fetch(f"http://good.example:{server.port}/a")


def test_a_long_page_is_read_up_to_a_limit_and_says_so() -> None:
    with serving(a=text(b"y" * (BODY_BYTES + 5))) as server:
        page = fetch(f"http://good.example:{server.port}/a", 500)
    assert len(page.text) == 500
    assert not page.whole


def test_a_page_that_drips_is_given_up() -> None:
    def drip(handler: Handler) -> None:
        handler.send_response(200)
        handler.send_header("content-type", "text/plain")
        handler.end_headers()
        for _ in range(100):
            time.sleep(0.05)
            try:
                handler.wfile.write(b".")
            except OSError:
                return
        handler.close_connection = True

    pages = WebPages(resolve=here, allows=loopback_too, timeout_seconds=0.4)
    with serving(a=drip) as server, pytest.raises(Deadline):
        run(pages.fetch(f"http://good.example:{server.port}/a", 100))


def test_a_page_that_breaks_off_or_is_nowhere_is_unavailable() -> None:
    def cut(handler: Handler) -> None:
        handler.send_response(200)
        handler.send_header("content-type", "text/plain")
        handler.send_header("content-length", "100")
        handler.end_headers()
        handler.wfile.write(b"half")
        handler.close_connection = True

    with serving(a=cut) as server:
        with pytest.raises(Unavailable):
            fetch(f"http://good.example:{server.port}/a")
        port = server.port
    with pytest.raises(Unavailable):
        fetch(f"http://good.example:{port}/a")

    async def unknown(host: str, port: int) -> Sequence[str]:
        raise OSError("no such name")

    with pytest.raises(Unavailable, match="not known"):
        run(WebPages(resolve=unknown, transport=never()).fetch("http://none.example/", 100))


HTML = """<!doctype html><html><head><title> The  title </title><style>p{color:red}</style>
<script>alert("hidden")</script></head><body><!-- a comment --><h1>Head</h1><p>One <b>bold</b>
word &amp; more.<br>Next</p><ul><li>first<li>second</ul><table><tr><td>1<td>2</table><pre>  kept
   as is</pre><noscript>hidden</noscript><svg><text>hidden</text></svg>
<a href="https://example.org/there">there</a> <a href="javascript:alert(1)">bad</a><img alt="a cat" src=x>
</body></html>"""


def test_html_becomes_text_without_its_machinery() -> None:
    title, page = html_text(HTML, "http://good.example/")
    assert title == "The title"
    for words in ("# Head", "One bold word & more.\nNext", "- first\n\n- second", "  kept\n   as is", "1 | 2",
                  "[image: a cat]", "https://example.org/there"):  # fmt: skip
        assert words in page
    for words in ("hidden", "color", "comment", "javascript", "<"):
        assert words not in page


@pytest.mark.parametrize(
    "unit",
    ["<div>", "<!--", "<![CDATA[", "<", "<a <", "&#x", "<table>", "<p><font>", "</a ", "<a href='", "<svg>", "\n "],
)
def test_broken_html_takes_time_by_its_length(unit: str) -> None:
    started = time.thread_time()
    html_text(unit * (BODY_BYTES // 4 // len(unit)) + "<p>tail", "http://good.example/")
    assert time.thread_time() - started < 5


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("8.8.8.8", True),
        (PUBLIC, True),
        ("2606:2800:220:1::1", True),
        ("2001:4860:4860::8888", True),
        ("192.0.0.170", False),
        ("100.64.0.1", False),
        ("198.19.255.255", False),
        ("224.0.0.1", False),
        ("240.0.0.1", False),
        ("255.255.255.255", False),
        ("0.1.2.3", False),
        ("::", False),
        ("::8.8.8.8", False),
        ("::ffff:8.8.8.8", False),
        ("64:ff9b::808:808", False),
        ("64:ff9b:1::1", False),
        ("2001::1", False),
        ("2001:db8::1", False),
        ("2002:808:808::1", False),
        ("3fff::1", False),
        ("fc00::1", False),
        ("fe80::1", False),
        ("fec0::1", False),
        ("ff02::1", False),
        ("4000::1", False),
        ("2606:2800:220:1::1%eth0", False),
    ],
)
def test_only_plainly_public_addresses_count(address: str, public: bool) -> None:
    assert is_public(ipaddress.ip_address(address)) is public
