"""What `palyra` alone says at a terminal: where things stand, and three things to do next."""

from typing import TYPE_CHECKING

import click

from palyra.cli.command import Invocation, terminal_width
from palyra.cli.output import counted, printable, styled
from palyra.cli.programs import from_elsewhere, spelled
from palyra.core.errors import NotFound

if TYPE_CHECKING:
    from palyra.wire.system import SystemStatus

_REMEMBER = ('palyra memory retain "My sister Ines lives in Porto"', "remember something")
_TALK = ("palyra chat", "talk to your memory")
_SERVE = ("palyra serve", "start the daemon: console, HTTP, MCP")


def show_welcome(call: Invocation) -> None:
    from palyra.api import system as api
    from palyra.wire.system import GetSystemStatus

    try:
        found = call.call(api.status, GetSystemStatus())
    except NotFound as error:  # nothing is there yet; looking makes nothing
        click.echo(styled("Palyra", bold=True))
        click.echo(printable(f"{error.message}; {error.hint}"))
        steps = [_REMEMBER, _TALK, ("palyra tour", "see in half a minute what it does")]
    else:
        click.echo(styled(f"Palyra {found.version}", bold=True))
        for line in _standing(found):
            click.echo(printable(line))
        steps = _next_steps(found)
    palyra, where = spelled(), "" if call.data_dir is None else from_elsewhere(call.settings().data_dir)
    click.echo()
    _show_steps([(f"{palyra}{where}{step.removeprefix('palyra')}", does) for step, does in steps])
    click.echo(f"\nAll commands: {palyra} help")


def _standing(found: "SystemStatus") -> list[str]:
    kept = f"{counted(found.memories, 'memory')} and {counted(found.sessions, 'conversation')}"
    daemon = f"the daemon is running (process {found.pid})" if found.serving else "no daemon is running"
    model = "from memory alone (no model is set)" if found.chat_model == "offline" else f"with {found.chat_model}"
    lines = [f"{kept} at {found.data_dir}", f"{daemon}; chat answers {model}"]
    if found.refuses_writes is not None:
        lines.append(f"writing has stopped: {found.refuses_writes}")
    lines += found.attention
    return lines


def _next_steps(found: "SystemStatus") -> list[tuple[str, str]]:
    """What presses comes first."""
    steps = []
    if found.refuses_writes is not None or found.failing_jobs:
        steps.append(("palyra doctor", "look for what is wrong"))
    if waiting := found.waiting_for_review + found.learned_waiting:
        steps.append(("palyra review list", f"decide about {counted(waiting, 'thing')} that should become memory"))
    if found.memories:
        steps.append(('palyra memory search "where do I live"', "find something again"))
    else:
        steps.append(_REMEMBER)
    steps.append(("palyra chat --continue", "go on with the last conversation") if found.sessions else _TALK)
    if not found.serving:
        steps.append(_SERVE)
    steps.append(("palyra connect", "give it to your agent or program"))
    return steps[:3]


def _show_steps(steps: list[tuple[str, str]]) -> None:
    width = max(len(command) for command, _ in steps)
    narrow = terminal_width() < width + 4 + max(len(does) for _, does in steps)
    for command, does in steps:
        click.echo(f"  {does}:\n    {command}" if narrow else f"  {command.ljust(width)}  {does}")
