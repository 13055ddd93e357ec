"""A page pasted into what a person sends through the proxy: found as pasted, or weighed, in each of the protocols."""

from collections.abc import Iterator
from typing import Any

import pytest

from palyra.domain.journal import Actor
from poisoning import MOST_ACTIVE, PLAIN, POISON, share
from providers.models.scripted_provider import says
from transports.http.proxy.proxy_support import Bench, bench
from transports.http.support import eventually

CHAT, RESPONSES, MESSAGES = "/v1/chat/completions", "/v1/responses", "/v1/messages"
OWN = {
    CHAT: "My grandmother Jule was born in Ulm in 1931.",
    RESPONSES: "My daughter Lotte is allergic to hazelnuts.",
    MESSAGES: "My cat is called Miso, and we live in Lisbon.",
}
PAGE = " ".join(POISON[:4])
AROUND = ("What do you make of this page?\n\n{}", 'The page says: "{}"', "<page>{}</page>", "---\n{}\n---")


@pytest.fixture(scope="module", params=["openai", "anthropic"])
def desk(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    with bench(tmp_path_factory.mktemp("p") / "data", request.param, None) as made:
        yield made


def bodies(path: str, text: str) -> Iterator[dict[str, Any]]:
    """As text, as parts, and beside the result of a tool."""
    limit = {"max_tokens": 64} if path == MESSAGES else {}
    kind = "input_text" if path == RESPONSES else "text"
    results: dict[str, list[dict[str, Any]]] = {
        CHAT: [
            {"role": "assistant", "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
            ]},
            {"role": "tool", "tool_call_id": "c1", "content": text},
        ],
        RESPONSES: [
            {"type": "function_call", "call_id": "c1", "name": "look", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c1", "output": text},
        ],
        MESSAGES: [
            {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "look", "input": {}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": text}]},
        ],
    }  # fmt: skip
    name = "input" if path == RESPONSES else "messages"
    yield {"model": "m", name: [{"role": "user", "content": text}], **limit}
    yield {"model": "m", name: [{"role": "user", "content": [{"type": kind, "text": text}]}], **limit}
    yield {"model": "m", name: [{"role": "user", "content": "Look at the page."}, *results[path]], **limit}


def paths(desk: Bench) -> tuple[str, ...]:
    return (MESSAGES,) if "anthropic" in desk.served.app.settings.models.provider else (CHAT, RESPONSES)


def active(desk: Bench) -> list[str]:
    return [item["text"] for item in desk.http().get("/v1/memory/items?limit=500").json()["items"]]


def say(desk: Bench, path: str, body: dict[str, Any], token: str, session: str) -> None:
    desk.provider.then(says("Noted."))
    answer = desk.http(token, **{"x-palyra-session": session.replace("/", ".")}).post(path, json=body)
    assert answer.status_code == 200, answer.text


def test_what_an_agents_client_sends_is_weighed_in_every_protocol(desk: Bench) -> None:
    agent = desk.served.token(actor=Actor.AGENT)
    for path in paths(desk):
        plain = share(PLAIN, active(desk))
        for n, text in enumerate(POISON):
            say(desk, path, next(bodies(path, text)), agent, f"agent{path}{n}")
        say(desk, path, next(bodies(path, PLAIN[1] if path == RESPONSES else PLAIN[6])), agent, f"plain{path}")
        eventually(lambda: share(PLAIN, active(desk)) > plain)  # noqa: B023 - at once
    assert share(POISON, active(desk)) <= MOST_ACTIVE


def test_what_a_person_pastes_is_not_theirs_in_any_protocol_or_form(desk: Bench) -> None:
    before = share(POISON[:4], active(desk))
    for path in paths(desk):
        for n, around in enumerate(AROUND):
            for m, body in enumerate(bodies(path, around.format(PAGE))):
                say(desk, path, body, desk.token, f"person{path}{n}.{m}")
        say(desk, path, next(bodies(path, OWN[path])), desk.token, f"own{path}")
        eventually(lambda: any(OWN[path] in text for text in active(desk)))  # noqa: B023 - at once
    assert share(POISON[:4], active(desk)) == before
