"""Commands a page names in its sentences, `palyra memory list --newest` for one: whether there is such a thing."""

import re
from collections.abc import Iterator

import click

from palyra.cli.main import cli

_NAMED = re.compile(r"(?<!`)`palyra ([^`\n]+)`(?!`)")


def unknown_commands(text: str) -> list[str]:
    return [named for named in _NAMED.findall(text) for _ in _problems(named.split())]


def _problems(words: list[str]) -> Iterator[str]:
    command: click.Command = cli
    while isinstance(command, click.Group) and words and words[0][:1].isalpha() and words[0].islower():
        found = command.get_command(click.Context(command), words.pop(0))
        if found is None:
            yield "no such command"
            return
        command = found
    options = {option for one in command.params for option in (*one.opts, *one.secondary_opts)} | {"--help"}
    yield from (word for word in words if word.startswith("--") and word not in options)
