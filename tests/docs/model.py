"""The model that guides talk to: a scripted one on loopback, which answers what the pages ask it."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from providers.models.scripted_provider import Answer, Reply, calls, says, scripted_provider

_ENOUGH = 1_000
_GIVEN = re.compile(r"<memory .*</memory [^>]*>", re.DOTALL)
"""what was not said but remembered"""
_ANSWERS = {
    "Where does my sister live?": "Your sister lives in Porto [m1].",
}


@contextmanager
def a_model() -> Iterator[str]:
    """Its port."""
    with scripted_provider(*[_answer] * _ENOUGH) as provider:
        yield provider.url.removeprefix("http://127.0.0.1:").removesuffix("/v1")


def _answer(reply: Reply) -> None:
    messages = reply.asked.body.get("messages", [])
    last = max((at for at, message in enumerate(messages) if message["role"] == "user"), default=0)
    asked = _GIVEN.sub("", str(messages[last]["content"])) if messages else ""
    if "Please forget the staging port" in asked:
        return _forgets([str(message["content"]) for message in messages[last:] if message["role"] == "tool"])(reply)
    return says(next((said for question, said in _ANSWERS.items() if question in asked), "I see."))(reply)


def _forgets(results: list[str]) -> Answer:
    """Looks for it, forgets what it found, and says so."""
    match results:
        case []:
            return calls("memory_search", {"query": "staging port"})
        case [found]:
            ids = re.findall(r"01[0-9A-HJKMNP-TV-Z]{24}", found)
            return calls("memory_forget", {"memory_id": ids[0]}, call_id="call_2") if ids else says("There is none.")
        case _:
            return says("I have forgotten it.")
