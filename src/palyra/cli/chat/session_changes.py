"""`palyra session …`: going another way, taking back, keeping, destroying, stopping."""

from typing import TYPE_CHECKING, Any

import click

from palyra.cli.chat.options import opened, place_options, session_argument
from palyra.cli.command import Invocation, command_options
from palyra.cli.commands.session import session
from palyra.cli.ids import Id
from palyra.cli.output import counted, printable, warn_of_copies

if TYPE_CHECKING:
    from palyra.client.chat import ChatClient
    from palyra.wire.chat import RunInfo


@session.command()
@session_argument()
@click.option(
    "--at", "run_id", metavar="RUN", help="The last turn that both share. Default: the last there is.", type=Id("run")
)
@click.option("--key", help="A name of your own for the new one.")
@click.option("--title", default="", help="Default: that of the old one.")
@place_options
@command_options
def branch(call: Invocation, session: str, who: dict[str, Any], **given: Any) -> None:
    """Begin a conversation that shares the first part of this one."""
    from palyra.api import chat as api
    from palyra.wire.chat import BranchSession

    done = call.call(api.branch, BranchSession(session=session, **given, **who))
    call.answer(done, lambda: click.echo(f"{done.key}\ngo on: palyra chat {done.key}"))


@session.command()
@session_argument()
@place_options
@command_options
def undo(call: Invocation, session: str, who: dict[str, Any]) -> None:
    """Take the last turn out of the conversation; it stays on the tape. Prints what had been asked."""
    from palyra.api import chat as api
    from palyra.wire.chat import NameSession

    done = call.call(api.undo, NameSession(session=session, **who))
    call.answer(done, lambda: click.echo(f"undone {done.run_id}\n{printable(done.text)}"))


@session.command()
@session_argument()
@click.argument("event_id", required=False, type=Id("event"))
@click.option("--off", is_flag=True, help="No longer.")
@place_options
@command_options
def pin(call: Invocation, session: str, event_id: str | None, off: bool, who: dict[str, Any]) -> None:
    """Keep an entry of the tape in every prompt: EVENT_ID (--json of show has them), or the last answer."""
    from palyra.api import chat as api
    from palyra.cli.chat.conversation import pin_last_answer
    from palyra.wire.chat import PinEntry

    with opened(call, api.pin) as client:
        if event_id is None:
            done = pin_last_answer(client, session, who, pinned=not off)
        else:
            done = [client.call(api.pin, PinEntry(session=session, event_id=event_id, pinned=not off, **who))]
    word = "unpinned" if off else "pinned"
    call.answer(done, lambda: click.echo("\n".join(f"{word} {entry.event_id}" for entry in done)))


@session.command()
@session_argument()
@click.argument("run_ids", nargs=-1, metavar="[RUN]...", type=Id("run"))
@click.option("--reason", default="asked for", show_default=True, help="Kept for ever: no personal data here.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@place_options
@command_options
def erase(
    call: Invocation, session: str, run_ids: tuple[str, ...], reason: str, yes: bool, who: dict[str, Any]
) -> None:
    """Destroy what was said for good, and the memories made of it. With RUNs: only those turns."""
    from palyra.api import chat as api
    from palyra.cli.chat.keyboard import forget_history
    from palyra.wire.chat import EraseSession

    if not yes and not call.as_json:
        what = counted(len(run_ids), "turn") if run_ids else "everything that was said"
        click.confirm(f"Destroy {what} in {session}, and the memories made of it, for good?", abort=True)
    done = call.call(api.erase, EraseSession(session=session, run_ids=run_ids, reason=reason, **who))
    forget_history(call.settings().data_dir)

    def show() -> None:
        events = counted(len(done.erased), "event no longer holds", "events no longer hold")
        click.echo(f"erased: {events} any text")
        warn_of_copies(done.untouched_copies)
        click.echo("certificate: --json shows the proofs; the journal still verifies")

    call.answer(done, show)


@session.command()
@click.argument("run_or_session", type=Id("run", "session"))
@place_options
@command_options
def abort(call: Invocation, run_or_session: str, who: dict[str, Any]) -> None:
    """Stop a turn, or all that a session has under way. What has arrived is kept."""
    from palyra.api import chat as api

    with opened(call, api.abort) as client:
        done = _aborted(client, run_or_session, who)
    call.answer(done, lambda: click.echo("\n".join(f"{run.run_id} is {run.state}" for run in done)))


def _aborted(client: "ChatClient", name: str, who: dict[str, Any]) -> "list[RunInfo]":
    from palyra.api import chat as api
    from palyra.core.errors import FailedPrecondition, InvalidArgument, NotFound
    from palyra.wire.chat import NameRun, NameSession

    try:
        return [client.call(api.abort, NameRun(run_id=name, **who))]
    except (NotFound, InvalidArgument):  # no run has that name
        lineage = client.call(api.get, NameSession(session=name, **who))
    if not lineage.active_runs:
        raise FailedPrecondition(f"session {name[:64]!r} has nothing under way", hint="there is nothing to stop")
    return [client.call(api.abort, NameRun(run_id=run.run_id, **who)) for run in lineage.active_runs]
