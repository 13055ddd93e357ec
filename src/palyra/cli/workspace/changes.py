"""`palyra workspace …`: the commands that change documents."""

from typing import TYPE_CHECKING, Any

import click

from palyra.cli.command import Invocation, command_options
from palyra.cli.output import counted, one_line, printable, styled, warn_of_copies
from palyra.cli.workspace.reading import line_option, whose_option, workspace

if TYPE_CHECKING:
    from palyra.wire.workspace import DocumentInfo

_MOST_BYTES = 1 << 20
"""more is refused anyway"""
_reason_option = click.option("--reason", default="", help="Kept with the change.")


@workspace.command()
@click.argument("path")
@click.argument("file", type=click.File("rb"), default="-")
@click.option("--base", "base_sha256", help="Only if its SHA-256 is still this; empty: only if it is new.")
@_reason_option
@line_option
@whose_option
@command_options
def write(
    call: Invocation,
    path: str,
    file: Any,
    base_sha256: str | None,
    reason: str,
    line: str,
    principal: str | None,
) -> None:
    """Write a document: what FILE holds, or standard input."""
    from palyra.api import workspace as api
    from palyra.core.errors import InvalidArgument
    from palyra.wire.workspace import WriteDocument

    try:
        text = file.read(_MOST_BYTES).decode()
    except UnicodeDecodeError as error:
        raise InvalidArgument(f"what is to be written is not UTF-8: {error.reason}", hint="save it as UTF-8") from None
    request = WriteDocument(
        path=path, text=text, base_sha256=base_sha256, reason=reason, line=line, principal=principal
    )
    _say_done(call, call.call(api.write, request), "written")


@workspace.command()
@click.argument("path")
@click.argument("revision", type=int)
@_reason_option
@line_option
@whose_option
@command_options
def restore(call: Invocation, path: str, revision: int, reason: str, line: str, principal: str | None) -> None:
    """Bring an earlier REVISION back, as a new one."""
    from palyra.api import workspace as api
    from palyra.wire.workspace import RestoreDocument

    request = RestoreDocument(path=path, revision=revision, reason=reason, line=line, principal=principal)
    _say_done(call, call.call(api.restore, request), f"is as it was in r{revision}")


@workspace.command()
@click.argument("path")
@click.argument("target")
@line_option
@whose_option
@command_options
def move(call: Invocation, path: str, target: str, line: str, principal: str | None) -> None:
    """Give a document another path."""
    from palyra.api import workspace as api
    from palyra.wire.workspace import MoveDocument

    _say_done(
        call, call.call(api.move, MoveDocument(path=path, target=target, line=line, principal=principal)), "moved"
    )


@workspace.command()
@click.argument("path")
@click.option("--off", is_flag=True, help="No longer.")
@line_option
@whose_option
@command_options
def pin(call: Invocation, path: str, off: bool, line: str, principal: str | None) -> None:
    """Mark a document as one to keep at hand."""
    from palyra.api import workspace as api
    from palyra.wire.workspace import PinDocument

    done = call.call(api.pin, PinDocument(path=path, pinned=not off, line=line, principal=principal))
    _say_done(call, done, "pinned" if done.pinned else "no longer pinned")


@workspace.command()
@click.argument("path")
@_reason_option
@line_option
@whose_option
@command_options
def delete(call: Invocation, path: str, reason: str, line: str, principal: str | None) -> None:
    """Delete a document. Its revisions stay: restore brings it back."""
    from palyra.api import workspace as api
    from palyra.wire.workspace import DeleteDocument

    _say_done(
        call, call.call(api.delete, DeleteDocument(path=path, reason=reason, line=line, principal=principal)), "deleted"
    )


@workspace.command()
@click.argument("path")
@click.option("--sha256", help="Of the text you have read; refused if it is another by now.")
@line_option
@whose_option
@command_options
def release(call: Invocation, path: str, sha256: str | None, line: str, principal: str | None) -> None:
    """Let a quarantined text be used after you have read it: that very text, and no later one."""
    from palyra.api import workspace as api
    from palyra.wire.workspace import ReleaseDocument

    _say_done(
        call,
        call.call(api.release, ReleaseDocument(path=path, sha256=sha256, line=line, principal=principal)),
        "released",
    )


@workspace.command()
@click.argument("path")
@click.argument("block", required=False)
@click.option(
    "--keep",
    type=click.Choice(["mine", "ours"]),
    default="mine",
    show_default=True,
    help="What stands in the block now, or what Palyra wrote last.",
)
@line_option
@whose_option
@command_options
def repair(call: Invocation, path: str, block: str | None, keep: str, line: str, principal: str | None) -> None:
    """Make managed blocks that were changed by hand writable again."""
    from palyra.api import workspace as api
    from palyra.wire.workspace import RepairDocument

    request = RepairDocument(path=path, block_id=block, keep=keep, line=line, principal=principal)
    _say_done(call, call.call(api.repair, request), "repaired")


@workspace.command()
@click.argument("path")
@click.option("--reason", default="asked for", show_default=True, help="Kept for ever: no personal data here.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@whose_option
@command_options
def erase(call: Invocation, path: str, yes: bool, reason: str, principal: str | None) -> None:
    """Destroy every revision of a document and its file, here and in the backups. There is no way back."""
    from palyra.api import workspace as api
    from palyra.wire.workspace import EraseDocument

    if not yes and not call.as_json:
        click.confirm(f"Destroy every revision of {printable(path)} and its file?", abort=True, err=True)
    done = call.call(api.erase, EraseDocument(path=path, reason=reason, principal=principal))

    def show_erased() -> None:
        events = counted(len(done.erased), "event no longer holds", "events no longer hold")
        click.echo(f"{printable(path)} is erased: {events} any text, and its file is gone")
        warn_of_copies(done.untouched_copies)

    call.answer(done, show_erased)


def _say_done(call: Invocation, done: "DocumentInfo", what: str) -> None:
    def show_done() -> None:
        click.echo(f"{printable(done.path)} r{done.revision}  {what}")
        if done.risk != "clean" and not done.released and not done.deleted:
            click.echo(styled(f"{done.risk}: {'; '.join(map(one_line, done.reasons))}", "yellow"), err=True)
        if done.problem:
            click.echo(f"the file is not yet so: {printable(done.problem)}", err=True)

    call.answer(done, show_done)
