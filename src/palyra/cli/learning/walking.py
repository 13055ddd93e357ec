"""`palyra learning review`: what waits, one by one, one key each."""

import sys
from collections.abc import Iterator
from contextlib import nullcontext, redirect_stdout
from typing import TYPE_CHECKING, Any

import click

from palyra.cli.chat.options import opened, place_options
from palyra.cli.command import Invocation, command_options
from palyra.cli.learning.reading import learning
from palyra.cli.learning.words import show_candidate, show_neighbours
from palyra.cli.moments import parse_duration_ms
from palyra.cli.output import write_error

if TYPE_CHECKING:
    from palyra.client.chat import ChatClient
    from palyra.wire.learning import LearnedCandidate

_KEYS = "[a]pprove  [e]dit  [r]eject  [s]nooze  [n]ext  [q]uit"
_PAGE = 50
_WORDS = {"a": "approved", "e": "edited", "r": "rejected", "s": "snoozed", "n": "passed_over"}


@learning.command()
@click.option("--kind", "kinds", multiple=True, help="durable_fact, preference or procedure. Repeatable.")
@click.option("--for", "for_", default="3d", show_default=True, help="How long s puts one off.")
@place_options
@command_options
def review(call: Invocation, kinds: tuple[str, ...], for_: str, who: dict[str, Any]) -> None:
    """Walk through what waits, one by one: a approve, e edit, r reject, s snooze, n next, q quit."""
    from palyra.api import learning as api

    for_ms, done = parse_duration_ms(for_), dict.fromkeys(_WORDS.values(), 0)
    with opened(call, api.decide) as client:
        for one in _waiting(client, kinds, who):
            with redirect_stdout(sys.stderr) if call.as_json else nullcontext():
                _show(client, one, who)
            key = _decided(client, one, for_ms, who)
            if key == "q":
                break
            done[_WORDS[key]] += 1

    def show_done() -> None:
        told = ", ".join(f"{count} {what.replace('_', ' ')}" for what, count in done.items() if count)
        click.echo(told or "nothing was decided")

    call.answer(done, show_done)


def _waiting(client: "ChatClient", kinds: tuple[str, ...], who: dict[str, Any]) -> "Iterator[LearnedCandidate]":
    from palyra.api import learning as api
    from palyra.wire.learning import ListLearned

    after_seq: int | None = 0
    while after_seq is not None:
        request = ListLearned(kinds=kinds, after_seq=after_seq, limit=_PAGE, **who)
        page = client.call(api.list_, request)
        yield from page.candidates
        after_seq = page.next_after_seq


def _show(client: "ChatClient", one: "LearnedCandidate", who: dict[str, Any]) -> None:
    from palyra.api import learning as api
    from palyra.wire.learning import GetLearned

    found = client.call(api.get, GetLearned(candidate_id=one.candidate_id, **who))
    click.echo()
    show_candidate(found.candidate)
    show_neighbours("contradicts", found.conflicts)


def _decided(client: "ChatClient", one: "LearnedCandidate", for_ms: int, who: dict[str, Any]) -> str:
    """The key that was pressed, once what it asks for is done. What fails is said, and asked again."""
    from palyra.api import learning as api
    from palyra.core.errors import PalyraError
    from palyra.wire.learning import DecideLearned, SnoozeLearned

    name = {"candidate_id": one.candidate_id, **who}
    while True:
        key = _key()
        try:
            match key:
                case "a":
                    client.call(api.decide, DecideLearned(decision="approve", **name))
                case "e":
                    client.call(api.decide, DecideLearned(decision="edit", text=_line("in these words: "), **name))
                case "r":
                    client.call(api.decide, DecideLearned(decision="reject", **name))
                case "s":
                    client.call(api.snooze, SnoozeLearned(for_ms=for_ms, **name))
                case "n" | "q":
                    pass
                case _:
                    continue
        except PalyraError as error:
            write_error(error, as_json=False)
            continue
        return key


def _key() -> str:
    """One key at a terminal, else the first letter of a line; the end of the input is q. Only who has seen the question
    answers it: what was typed before is dropped."""
    click.echo(f"  {_KEYS} ", nl=False, err=True)
    if not sys.stdin.isatty():
        line = sys.stdin.readline()
        return line.strip()[:1].lower() if line else "q"
    pressed = click.getchar().lower()
    click.echo(pressed if pressed.isprintable() else "", err=True)
    return "q" if pressed == "\x04" else pressed


def _line(prompt: str) -> str:
    """Empty at the end of the input."""
    click.echo(prompt, nl=False, err=True)
    return sys.stdin.readline().strip()
