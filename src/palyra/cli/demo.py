"""`palyra demo`: a sample history to look at, and taking it out again."""

import click

from palyra.cli.command import Invocation, command_options
from palyra.cli.output import warn_of_copies


@click.command()
@click.option("--remove", is_flag=True, help="Take the sample out again, completely.")
@click.option("--status", is_flag=True, help="Say whether the sample is there.")
@command_options
def demo(call: Invocation, remove: bool, status: bool) -> None:
    """Load a sample history, in a principal of its own: user:demo.

    It is to look at: your own memory is not touched, and nothing of yours lands there. `palyra demo --remove` destroys
    every word of it.
    """
    if remove and status:
        raise click.UsageError("--remove and --status do not go together")
    if status:
        _status(call)
    elif remove:
        _remove(call)
    else:
        _load(call)


def _load(call: Invocation) -> None:
    from palyra.api.operating import demo as api
    from palyra.wire.demo import LoadDemo

    done = call.call(api.load, LoadDemo())

    def show() -> None:
        what = "the sample is there already" if done.repeated else f"loaded in {done.took_ms / 1000:.1f} s"
        click.echo(f"{what}: {done.events} events of {done.principal}")
        click.echo(f"look at it: palyra session show {done.session} --principal {done.principal}, or in the console")
        click.echo("take it out: palyra demo --remove")

    call.answer(done, show)


def _remove(call: Invocation) -> None:
    from palyra.api.operating import demo as api
    from palyra.wire.demo import RemoveDemo

    done = call.call(api.remove, RemoveDemo())

    def show() -> None:
        if not done.erased:
            click.echo("there is no sample to remove")
            return
        click.echo(f"removed: the payloads of {done.erased} events of {done.principal} are destroyed")
        if done.certificate:
            click.echo(f"certificate: palyra journal prove {done.certificate}")
        warn_of_copies(done.untouched_copies)

    call.answer(done, show)


def _status(call: Invocation) -> None:
    from palyra.api.operating import demo as api
    from palyra.wire.demo import GetDemoStatus

    found = call.call(api.status, GetDemoStatus())
    words = {
        "absent": "not loaded   hint: palyra demo",
        "partial": f"half loaded, {found.events} events   hint: palyra demo begins anew",
        "loaded": f"loaded: {found.events} events of {found.principal}   hint: palyra demo --remove",
        "foreign": f"{found.principal} has {found.events} events that are not the sample's",
    }
    call.answer(found, lambda: click.echo(words[found.state]))
