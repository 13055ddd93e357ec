"""`palyra service …`: it is there, it is up, it is gone. Each can be repeated."""

import shlex
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from palyra.cli.command import Group, Invocation, command_options
from palyra.core.errors import FailedPrecondition, NotFound

if TYPE_CHECKING:
    from palyra.api.running import Running
    from palyra.cli.service.managers import Manager

_PATIENCE_SECONDS = 30.0
_PAUSE_SECONDS = 0.1

manager_option = click.option(
    "--manager", "name", type=click.Choice(["systemd", "launchd"]), help="Instead of the one of this system."
)


@click.group(cls=Group)
def service() -> None:
    """Have the daemon started by itself, whenever you log in and whenever it fails."""


@service.command()
@click.option("--no-start", is_flag=True, help="Write the file and stop.")
@click.option("--print", "only_print", is_flag=True, help="Show what would be written and stop.")
@manager_option
@command_options
def install(call: Invocation, no_start: bool, only_print: bool, name: str | None) -> None:
    """Write a service for this user and start it. Repeated after a change of place, it is written anew."""
    from palyra.cli.service.managers import find_manager, run

    manager, place = find_manager(name), _ServicePlace.of(call)
    if only_print:
        text = manager.text(place.command).decode()
        call.answer({"file": str(manager.file), "text": text}, lambda: click.echo(text, nl=False))
        return
    was_active = manager.is_active()
    starts = not no_start and manager.is_there()
    if starts and not was_active and (other := place.daemon()) is not None:
        raise FailedPrecondition(
            f"a daemon serves {place.data_dir} already, at {other.http} (process {other.pid})",
            hint=f"stop it (kill {other.pid}), then repeat; or --no-start",
        )
    written = manager.write(place.command)
    if starts:
        run(manager.stop if was_active and manager.name == "launchd" else ())
        run(manager.start)
    answer = {
        "manager": manager.name,
        "file": str(manager.file),
        "written": written,
        "started": starts,
        "http": place.wait(manager).http if starts else None,
        "start_with": _as_lines(manager) if not starts else None,
        "left_in_this_terminal": place.only_here,
    }
    call.answer(answer, lambda: _say_installed(answer, place))


@service.command()
@manager_option
@command_options
def remove(call: Invocation, name: str | None) -> None:
    """Stop the service and take its file away. What is remembered stays."""
    from palyra.cli.service.managers import find_manager, run

    manager = find_manager(name)
    if manager.read() is None:
        raise NotFound(f"there is no service: {manager.file} does not exist", hint="palyra service install makes one")
    was_active = manager.is_active()
    if manager.is_there() and (was_active or manager.name == "systemd"):
        run(manager.stop)
    manager.file.unlink()
    answer = {"manager": manager.name, "file": str(manager.file), "stopped": was_active}
    call.answer(answer, lambda: click.echo(f"removed {manager.file}{', and stopped it' if was_active else ''}"))


@service.command()
@manager_option
@command_options
def status(call: Invocation, name: str | None) -> None:
    """Show whether there is a service, whether it runs, and where the daemon is."""
    from palyra.cli.service.managers import find_manager

    manager, place = find_manager(name), _ServicePlace.of(call)
    text, daemon = manager.read(), place.daemon()
    answer: dict[str, Any] = {
        "manager": manager.name,
        "file": str(manager.file),
        "installed": text is not None,
        "current": text == manager.text(place.command),
        "active": text is not None and manager.is_active(),
        "daemon": None if daemon is None else {"pid": daemon.pid, "http": daemon.http},
    }

    def show() -> None:
        how = "no; palyra service install makes one" if text is None else str(manager.file)
        if text is not None and not answer["current"]:
            how += "   (of another place or version; palyra service install writes it anew)"
        click.echo(f"service  {how}")
        click.echo(f"active   {f'yes, by {manager.name}' if answer['active'] else 'no'}")
        click.echo(f"daemon   {f'{daemon.http}, process {daemon.pid}' if daemon else f'none over {place.data_dir}'}")

    call.answer(answer, show)


@dataclass(frozen=True, slots=True)
class _ServicePlace:
    data_dir: Path
    command: list[str]
    only_here: list[str]
    """settings that only this terminal knows: a service starts without them"""

    @classmethod
    def of(cls, call: Invocation) -> "_ServicePlace":
        from palyra.cli.programs import place_of
        from palyra.settings import load

        loaded = load(call.flags())
        data_dir, program = loaded.settings.data_dir, place_of("palyrad")
        start = [str(program)] if program else [sys.executable, "-m", "palyra", "serve"]
        only_here = [origin.split()[1] for origin in loaded.origins.values() if origin.startswith("environment ")]
        return cls(data_dir, [*start, "--data-dir", str(data_dir)], only_here)

    def daemon(self) -> "Running | None":
        from palyra.api.running import find_daemon

        return find_daemon(self.data_dir)

    def wait(self, manager: "Manager") -> "Running":
        give_up_at = time.monotonic() + _PATIENCE_SECONDS
        while (daemon := self.daemon()) is None:
            if time.monotonic() > give_up_at:
                raise FailedPrecondition(f"the service was started and serves nothing yet; see {manager.log}")
            time.sleep(_PAUSE_SECONDS)
        return daemon


def _as_lines(manager: "Manager") -> list[str]:
    return [shlex.join(command) for command in manager.start]


def _say_installed(answer: dict[str, Any], place: _ServicePlace) -> None:
    click.echo(f"{'written' if answer['written'] else 'there already'}: {answer['file']}")
    if answer["started"]:
        click.echo(
            f"it serves {place.data_dir} at {answer['http']}, and starts again when it fails and when you log in"
        )
        if answer["manager"] == "systemd":
            click.echo("to have it up while nobody is logged in: loginctl enable-linger")
    else:
        click.echo(f"not started; this starts it where {answer['manager']} runs for you:")
        for line in answer["start_with"]:
            click.echo(f"  {line}")
    if place.only_here:
        click.echo(f"set in this terminal alone, so not for the service: {', '.join(place.only_here)}")
        click.echo(f"write them into {place.data_dir / 'palyra.toml'}")
