"""`palyra backup …`"""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from palyra.cli.command import Group, Invocation, command_options
from palyra.cli.output import counted, moment

if TYPE_CHECKING:
    from palyra.wire.system import Backup


@click.group(cls=Group)
def backup() -> None:
    """Make, check and restore backups."""


@backup.command()
@click.argument("directory", type=click.Path(), required=False)
@command_options
def create(call: Invocation, directory: str | None) -> None:
    """Copy the journal, its key and its checkpoints, and verify the copy. Default: backups/ in the data directory."""
    from palyra.api import system as api
    from palyra.wire.system import CreateBackup

    made = call.call(api.create_backup, CreateBackup(path=directory and str(Path(directory).absolute())))
    call.answer(made, lambda: _show(made))


@backup.command()
@click.argument("directory", type=click.Path())
@command_options
def verify(call: Invocation, directory: str) -> None:
    """Check the files, the database and the whole chain of a backup."""
    from palyra.api import system as api
    from palyra.wire.system import VerifyBackup

    found = call.call(api.verify_backup, VerifyBackup(path=str(Path(directory).absolute())))
    call.answer(found, lambda: _show(found))


@backup.command()
@click.argument("directory", type=click.Path())
@click.option("--replace", is_flag=True, help="Put it in the place of the journal that is there (kept as a backup).")
@command_options
def restore(call: Invocation, directory: str, replace: bool) -> None:
    """Go back to a backup. What was erased since is erased again."""
    from palyra.api import system as api
    from palyra.wire.system import RestoreBackup

    done = call.call(api.restore_backup, RestoreBackup(path=str(Path(directory).absolute()), replace=replace))

    def show() -> None:
        click.echo(f"restored {counted(done.size, 'event')} into {done.data_dir}")
        if done.erased_again:
            click.echo(f"{done.erased_again} later erasures repeated")
        if done.replaced_journal:
            click.echo(f"{done.abandoned_events} later events left behind, kept in {done.replaced_journal}")

    call.answer(done, show)


def _show(found: "Backup") -> None:
    click.echo(f"ok: {counted(found.size, 'event')} of {moment(found.created_at_ms)} UTC in {found.path}")
    click.echo(f"root {found.root}")
