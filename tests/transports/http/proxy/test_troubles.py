"""What can go wrong between a client, us and the model's server."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import openai
import pytest

from palyra.core.errors import Unavailable
from palyra.domain.access import Capability
from palyra.services.memory import recalling
from palyra.transports.http.proxy import relay
from palyra.transports.limits import RateLimit
from providers.models.scripted_provider import Reply, calls, hold, says, silence
from transports.http.proxy.proxy_support import QUESTION, Bench, bench, memory_header
from transports.http.support import READ, eventually, is_idle, stop

BODY = {"model": "m", "messages": [{"role": "user", "content": QUESTION}]}
CHAT = "/v1/chat/completions"


@contextmanager
def a_bench(root: Path, patch: pytest.MonkeyPatch, provider: str = "openai", **settings: str) -> Iterator[Bench]:
    with bench(root / "data", provider, patch, **settings) as made:
        yield made


def closed_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


def test_a_server_that_is_down_is_our_own_502(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = f"http://127.0.0.1:{closed_port()}/v1"
    with a_bench(tmp_path, monkeypatch, PALYRA_MODELS_BASE_URL=url) as desk:
        with pytest.raises(openai.InternalServerError) as down:
            desk.openai().chat.completions.create(model="m", messages=[{"role": "user", "content": "hi"}])
        assert down.value.status_code == 502
        assert (down.value.code, down.value.type) == ("unavailable", "server_error")
        assert "models.base_url" in down.value.message
        [run] = desk.tape.runs
        assert isinstance(run.error, Unavailable)


def test_a_server_that_says_nothing_is_our_own_504(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    never = threading.Event()
    with a_bench(tmp_path, monkeypatch, PALYRA_MODELS_TIMEOUT_SECONDS="1") as desk:
        desk.provider.then(silence(never))
        answer = desk.http().post(CHAT, json=BODY)
        assert (answer.status_code, answer.json()["error"]["code"]) == (504, "deadline")
        assert desk.provider.asked[0].client_left.wait(20)


def test_a_key_file_that_is_not_there_is_said_before_anything_is_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = str(tmp_path / "nothing")
    with a_bench(tmp_path, monkeypatch, PALYRA_MODELS_API_KEY="", PALYRA_MODELS_API_KEY_FILE=file) as desk:
        answer = desk.http().post(CHAT, json=BODY)
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, "failed_precondition")
        assert (desk.provider.asked, desk.tape.runs) == ([], [])


def test_a_defect_of_ours_ends_the_run_and_says_nothing_of_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_headers: object) -> None:
        raise RuntimeError("the pump is dry")

    with a_bench(tmp_path, monkeypatch) as desk:
        monkeypatch.setattr(relay, "answered_headers", broken)
        answer = desk.http().post(CHAT, json=BODY)
        assert (answer.status_code, answer.json()["error"]["code"]) == (500, "internal")
        assert "pump" not in answer.text
        [run] = desk.tape.runs
        assert run.error is not None


def test_nobody_is_sent_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def elsewhere(reply: Reply) -> None:
        reply.raw(b"", "text/plain", 307, {"location": f"{desk.provider.url}/elsewhere"})

    with a_bench(tmp_path, monkeypatch) as desk:
        desk.provider.then(elsewhere)
        answer = desk.http().post(CHAT, json=BODY)
        assert (answer.status_code, answer.json()["error"]["code"]) == (502, "unavailable")
        assert "location" not in answer.headers
        assert len(desk.provider.asked) == 1


@pytest.mark.parametrize(
    "sent",
    [
        b"HTTP/1.1 600 Odd\r\ncontent-length: 0\r\n\r\n",
        b"HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nhello",
        b"not HTTP at all\r\n\r\n",
        b"",
    ],
    ids=["an odd status", "another protocol", "two lengths", "no HTTP", "nothing"],
)
def test_what_is_no_answer_is_our_own_502(shared: Bench, sent: bytes) -> None:
    def odd(reply: Reply) -> None:
        reply._handler.wfile.write(sent)
        reply.hang_up()

    shared.provider.then(odd)
    answer = shared.http().post(CHAT, json=BODY)
    assert (answer.status_code, answer.json()["error"]["code"]) == (502, "unavailable")
    assert shared.tape.is_over()


def test_headers_of_the_answer_that_concern_nobody_stay_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = {"x-ratelimit-remaining-requests": "9", "x-request-id": "r1", "set-cookie": "a=b", "server": "s", "via": "v"}

    with a_bench(tmp_path, monkeypatch) as desk:
        desk.provider.then(lambda reply: reply.document({"choices": []}, 200, told))
        headers = desk.http().post(CHAT, json=BODY).headers
        assert (headers["x-ratelimit-remaining-requests"], headers["x-request-id"]) == ("9", "r1")
        assert not {"set-cookie", "server", "via"} & set(headers)


@pytest.mark.parametrize("is_stream", [True, False])
def test_a_client_that_goes_away_takes_the_request_to_the_model_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_stream: bool
) -> None:
    never = threading.Event()
    with a_bench(tmp_path, monkeypatch) as desk:
        desk.provider.then(hold(never) if is_stream else silence(never))
        with desk.served.connect() as wire:
            body = httpx2.Request("POST", desk.served.url, json={**BODY, "stream": is_stream}).content
            head = f"POST {CHAT} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer {desk.token}\r\n"
            wire.send(f"{head}content-length: {len(body)}\r\n\r\n".encode() + body)
            if is_stream:
                wire.read_until(b"held")
            eventually(lambda: bool(desk.provider.asked))
        assert desk.provider.asked[0].client_left.wait(20)
        eventually(desk.tape.is_over)
        [run] = desk.tape.runs
        assert run.error is not None
        assert run.error.code == "cancelled"
        assert run.text == ("held" if is_stream else "")
        eventually(lambda: is_idle(desk.served))


def test_a_stream_that_outlasts_the_daemon_is_ended_with_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    never = threading.Event()
    with a_bench(tmp_path, monkeypatch) as desk:
        desk.provider.then(hold(never))
        stream = desk.openai().chat.completions.create(
            model="m", messages=[{"role": "user", "content": "hi"}], stream=True
        )
        chunks = iter(stream)
        next(chunks)
        stop(desk.served)
        with pytest.raises(openai.APIError, match="stopping"):
            list(chunks)
        eventually(desk.tape.is_over)
        never.set()


def test_what_waits_for_its_tools_is_ended_when_the_daemon_stops(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with a_bench(tmp_path, monkeypatch) as desk:
        desk.provider.then(calls("look", {}, text="Let me look."))
        desk.http().post(CHAT, json=BODY)
        [run] = desk.tape.runs
        assert run.ends == []
    assert run.text == "Let me look."
    assert run.error is not None


def test_a_recall_that_fails_leaves_the_conversation_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(*_args: object) -> None:
        raise RuntimeError("the index is on fire")

    with a_bench(tmp_path, monkeypatch) as desk:
        desk.remember()
        monkeypatch.setattr(recalling, "search", broken)
        answer = desk.http().post(CHAT, json=BODY)
        assert answer.status_code == 200
        assert answer.headers["x-palyra-memory"] == "injected=0; recorded=yes; degraded=recall"
        assert desk.provider.bodies == [BODY]


def test_a_body_that_is_too_large_is_refused_in_the_clients_shape(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with a_bench(tmp_path, monkeypatch, "openai", PALYRA_DAEMON_MAX_BODY_BYTES="2097152") as desk:
        large = {"model": "m", "messages": [{"role": "user", "content": "x" * 2_097_152}]}
        answer = desk.http().post(CHAT, json=large)
        assert (answer.status_code, answer.json()["error"]["code"]) == (413, "too_large")
        assert answer.json()["error"]["type"] == "invalid_request_error"
        answer = desk.http().post("/v1/messages", json=large)
        assert (answer.status_code, answer.json()["error"]["type"]) == (413, "request_too_large")
        assert (desk.provider.asked, desk.tape.runs) == ([], [])


def test_a_long_text_is_asked_about_and_passed_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with a_bench(tmp_path, monkeypatch) as desk:
        desk.remember()
        text = "ö" * 500_000 + f" {QUESTION}"
        answer = desk.http().post(CHAT, json={"messages": [{"role": "user", "content": text}]})
        assert memory_header(answer)[0]
        assert desk.provider.bodies[0]["messages"][0]["content"].startswith(f"{text}\n\n<memory")


@pytest.mark.parametrize(
    "body",
    [b"", b"[]", b"nope", b'{"messages": [', b'{"a": NaN}', b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}"],
    ids=["empty", "a list", "a word", "half", "not a number", "deep"],
)
def test_what_is_no_json_object_is_refused(shared: Bench, body: bytes) -> None:
    for path, shape in ((CHAT, "error"), ("/v1/responses", "error")):
        answer = shared.http().post(path, content=body)
        assert (answer.status_code, answer.json()[shape]["code"]) == (400, "invalid_argument")
    assert shared.provider.asked == []


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"messages": None},
        {"messages": "hello"},
        {"messages": [1, None, "x"]},
        {"messages": [{"role": "user"}]},
        {"messages": [{"role": 7, "content": "hi"}]},
        {"messages": [{"role": "user", "content": {"text": "hi"}}]},
        {"messages": [{"role": "user", "content": [{"type": "text", "text": 7}, 8]}]},
        {"messages": [{"role": "user", "content": "   "}]},
        {"messages": [{"role": "assistant", "content": "hi"}]},
    ],
    ids=str,
)
def test_what_is_not_understood_passes_as_it_came(shared: Bench, body: dict[str, object]) -> None:
    answer = shared.http().post(CHAT, json=body)
    assert (answer.status_code, memory_header(answer)) == (200, (False, False))
    assert shared.provider.bodies == [body]


@pytest.mark.parametrize("key", ["", "x" * 300, "a\tb"])
def test_a_session_key_that_is_none_is_refused(shared: Bench, key: str) -> None:
    answer = shared.http(**{"x-palyra-session": key}).post(CHAT, json=BODY)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid_argument")
    assert shared.provider.asked == []


def test_whoever_has_nothing_to_do_with_memory_is_refused(shared: Bench) -> None:
    client = shared.http(shared.served.token([Capability.METRICS]))
    for method, path in (("POST", CHAT), ("POST", "/v1/responses"), ("GET", "/v1/models"), ("GET", "/v1/models/m")):
        answer = client.request(method, path)
        assert (answer.status_code, answer.json()["error"]["code"]) == (403, "permission_denied")
    assert shared.provider.asked == []


def test_a_token_of_channels_must_say_in_which_it_stands(shared: Bench) -> None:
    token = shared.served.token(channels=("a:1", "a:2"))
    answer = shared.http(token).post(CHAT, json=BODY)
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "permission_denied")
    answer = shared.http(token, **{"x-palyra-channel": "a:3"}).post(CHAT, json=BODY)
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "permission_denied")
    assert shared.provider.asked == []
    answer = shared.http(token, **{"x-palyra-channel": "a:2"}).post(CHAT, json=BODY)
    assert answer.status_code == 200
    assert shared.tape.runs[0].caller.channel == "a:2"


def test_speaking_for_another_principal_is_journaled(shared: Bench) -> None:
    token = shared.served.token([READ, Capability.ANY_PRINCIPAL])
    size = shared.served.journal_size
    answer = shared.http(token, **{"x-palyra-principal": "user:bob"}).post(CHAT, json=BODY)
    assert (answer.status_code, memory_header(answer)) == (200, (False, False))
    assert shared.served.journal_size == size + 2  # that it crossed, and what was recalled


def test_nobodys_words_are_recorded_in_the_sample(shared: Bench) -> None:
    token = shared.served.token([READ, Capability.WRITE, Capability.ANY_PRINCIPAL])
    in_sample = shared.http(token, **{"x-palyra-principal": "user:demo"})
    answer = in_sample.post(CHAT, json=BODY)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "failed_precondition")
    assert "nothing of yours is written there" in answer.json()["error"]["message"]
    assert shared.provider.asked == []
    assert in_sample.post(CHAT, json=BODY, headers={"x-palyra-memory": "read"}).status_code == 200


def test_no_path_leads_out_of_the_list_of_models(shared: Bench) -> None:
    for path in ("/v1/models/..", "/v1/models/%2e%2e", "/v1/models/..%2fchat", "/v1/models/a/../../x"):
        with shared.served.connect() as wire:
            head = f"GET {path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer {shared.token}\r\n\r\n"
            assert wire.send(head.encode()).read_answer().status == 404
    assert shared.provider.asked == []


def test_too_many_requests_are_refused_in_the_clients_shape(shared: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared.served.site, "rate", RateLimit(1, 1, now=lambda: 0.0))
    client = shared.http(**{"anthropic-version": "2023-06-01"})
    assert client.get("/v1/models").status_code == 200
    answer = client.get("/v1/models")
    assert (answer.status_code, answer.json()["error"]["type"]) == (429, "rate_limit_error")
    assert answer.headers["retry-after"] == "1"


def test_twenty_streams_at_once_keep_their_answers_apart(shared: Bench) -> None:
    def answer_with_the_question(reply: Reply) -> None:
        says(reply.asked.body["messages"][0]["content"].split("\n")[0])(reply)

    shared.provider.then(*[answer_with_the_question] * 20)
    heard: dict[int, str] = {}

    def talk(number: int) -> None:
        stream = shared.openai().chat.completions.create(
            model="m", messages=[{"role": "user", "content": f"number {number}"}], stream=True
        )
        heard[number] = "".join(chunk.choices[0].delta.content or "" for chunk in stream if chunk.choices)

    threads = [threading.Thread(target=talk, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert heard == {number: f"number {number}" for number in range(20)}
    eventually(shared.tape.is_over)
    assert sorted(run.text for run in shared.tape.runs) == sorted(heard.values())
    assert all(run.text == run.user_text for run in shared.tape.runs)


@pytest.fixture(scope="module")
def module_bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    with pytest.MonkeyPatch.context() as patch, a_bench(tmp_path_factory.mktemp("p"), patch) as made:
        yield made


@pytest.fixture
def shared(module_bench: Bench) -> Bench:
    return module_bench.fresh()
