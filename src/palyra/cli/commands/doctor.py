"""`palyra doctor`"""

import click

from palyra.cli.command import Invocation, command_options
from palyra.cli.output import styled

_COLOURS = {"ok": "green", "warning": "yellow", "error": "red"}


@click.command()
@command_options
def doctor(call: Invocation) -> int:
    """Look for anything wrong with this installation. Exits 8 if something is."""
    from palyra.api import system as api
    from palyra.wire.system import Examine

    found = call.call(api.examine, Examine())

    def show() -> None:
        click.echo(f"data directory {found.data_dir}")
        for check in found.checks:
            level = styled(f"{check.level:<8}", _COLOURS[check.level])
            hint = f"   hint: {check.hint}" if check.hint else ""
            click.echo(f"{level} {check.name:<12} {check.message}{hint}")

    call.answer(found, show)
    return 0 if found.ok else 8
