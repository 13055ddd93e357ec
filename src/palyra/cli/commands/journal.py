"""`palyra journal …`"""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from palyra.cli.command import Group, Invocation, command_options, terminal_width
from palyra.cli.ids import Id
from palyra.cli.output import counted, moment, one_line, printable, styled, warn_of_copies, write_json, write_table

if TYPE_CHECKING:
    from palyra.wire.journal import Event, Proof, Verified


@click.group(cls=Group)
def journal() -> None:
    """Append to the journal, read it, verify it, prove it."""


@journal.command()
@click.option("--kind", required=True, help="What happened, as a dotted name: note, build.finished.")
@click.option("--id", "event_id", help="ULID of the event: the same id again returns the first result.")
@click.option("--request-id", help="Your id of this request: repeating it returns the first result.")
@click.option("--principal", help="Whose memory it belongs to (default: memory.default_principal).")
@click.option("--actor", default="user", show_default=True, help="user, agent, system, operator or plugin.")
@click.option("--channel", help="Where it happened, such as discord:42.")
@click.option("--session", "session_id", help="Session it belongs to.")
@click.option("--run", "run_id", help="Run it belongs to.")
@click.option("--version", "v", type=int, default=1, show_default=True, help="Version of the kind's payload.")
@click.option("--occurred-at-ms", type=int, help="When it happened, if not now.")
@click.argument("payload")
@command_options
def append(call: Invocation, payload: str, event_id: str | None, **fields: Any) -> None:
    """Write one event. PAYLOAD is a JSON object, @FILE, or - for standard input.

    \b
    palyra journal append --kind note '{"text": "hello"}'
    """
    from palyra.api import journal as api
    from palyra.wire.journal import AppendEvent
    from palyra.wire.payload import parse_payload

    request = AppendEvent(payload=parse_payload(_read(payload)), id=event_id, **fields)
    done = call.call(api.append, request)
    again = "  (was there already)" if done.repeated else ""
    call.answer(done, lambda: click.echo(f"{done.seq}  {done.event_id}  {done.hash}{again}"))


def event_filters(function: Callable[..., Any]) -> Callable[..., Any]:
    options = (
        click.option("--kind", help="Only this kind."),
        click.option("--actor", help="Only by this actor."),
        click.option("--principal", help="Only of this principal."),
        click.option("--channel", help="Only in this channel."),
        click.option("--session", "session_id", help="Only of this session."),
        click.option("--run", "run_id", help="Only of this run."),
        click.option("--since-ms", type=int, help="Recorded at or after, milliseconds since 1970."),
        click.option("--until-ms", type=int, help="Recorded before, milliseconds since 1970."),
        click.option("--from-id", help="Event ids from this ULID."),
        click.option("--to-id", help="Event ids up to this ULID."),
        click.option("--after-seq", type=click.IntRange(min=0), default=0, help="Go on after this seq."),
    )
    for option in reversed(options):
        function = option(function)
    return function


@journal.command("list")
@event_filters
@click.option("--limit", type=int, default=50, show_default=True, help="Events per page, at most 1000.")
@click.option("--newest-first", is_flag=True, help="Newest first; go on with --after-seq.")
@command_options
def list_(call: Invocation, **fields: Any) -> None:
    """Say what happened, oldest first, page by page. --json has every field of every event."""
    from palyra.api import journal as api
    from palyra.wire.journal import ListEvents

    page = call.call(api.list_, ListEvents(**fields))

    def show() -> None:
        if not page.events:
            click.echo("no events")
        write_table([_row(event) for event in page.events], width=terminal_width())
        if page.next_after_seq is not None:
            click.echo(f"more: --after-seq {page.next_after_seq}", err=True)

    call.answer(page, show)


@journal.command()
@click.argument("event", type=Id("event"))
@command_options
def show(call: Invocation, event: str) -> None:
    """Show one event in full. EVENT is its id or its seq."""
    from palyra.api import journal as api
    from palyra.wire.journal import GetEvent

    found = call.call(api.get, GetEvent(reference=event))
    call.answer(found, lambda: _show_event(found))


@journal.command()
@event_filters
@click.option("--follow", "-f", is_flag=True, help="Stay, and show events as they are written.")
@command_options
def tail(call: Invocation, **fields: Any) -> None:
    """Print events as lines, and with --follow those still to come."""
    from palyra.api import journal as api
    from palyra.wire.journal import TailEvents

    def show_one(event: "Event") -> None:
        if call.as_json:
            write_json(event)
        else:
            write_table([_row(event)], width=terminal_width())
        sys.stdout.flush()

    call.follow(api.tail, TailEvents(**fields), show_one)


@journal.command()
@command_options
def status(call: Invocation) -> None:
    """Show size, root, what is not signed yet, and how writing goes."""
    from palyra.api import journal as api
    from palyra.wire.journal import GetStatus

    found = call.call(api.status, GetStatus())

    def show_status() -> None:
        click.echo(f"{counted(found.size, 'event')}, {found.unsigned_events} since the last signed checkpoint")
        click.echo(f"root {found.root}")
        click.echo(f"{found.database_bytes / 1e6:.1f} MB in the database, {found.wal_bytes / 1e6:.1f} MB in its WAL")
        click.echo(f"writing stopped: {found.refuses_writes}" if found.refuses_writes else "accepts writes")
        if found.writes.writes:
            click.echo(f"{found.writes.over_budget} of {found.writes.writes} writes over {found.writes.budget_ms} ms")

    call.answer(found, show_status)


@journal.command()
@click.option(
    "--checkpoint", "files", multiple=True, type=click.Path(), help="A file of signed checkpoints kept elsewhere."
)
@click.option("--no-projections", is_flag=True, help="Leave out the comparison of tables with events.")
@command_options
def verify(call: Invocation, files: tuple[str, ...], no_projections: bool) -> int:
    """Check every event, link, payload, tree node, signed checkpoint and projection. Exits 8 if anything is wrong."""
    from palyra.api import journal as api
    from palyra.wire.journal import VerifyJournal

    notes = [note for file in files for note in _notes(file)]
    report = call.call(api.verify_, VerifyJournal(checkpoints=tuple(notes), projections=not no_projections))
    call.answer(report, lambda: _show_verified(report))
    return 0 if report.ok else 8


@journal.command()
@click.argument("event", required=False, type=Id("event"))
@click.option("--from-size", type=int, help="Prove that the first N events are unchanged.")
@command_options
def prove(call: Invocation, event: str | None, from_size: int | None) -> None:
    """Prove that EVENT (id or seq) is in the journal, or that it only grew since --from-size."""
    from palyra.api import journal as api
    from palyra.wire.journal import Prove

    proof = call.call(api.prove, Prove(reference=event, from_size=from_size))
    call.answer(proof, lambda: _show_proof(proof))


@journal.command()
@command_options
def checkpoint(call: Invocation) -> None:
    """Sign the present size and root, and print the signed note. Keep it somewhere else."""
    from palyra.api import journal as api
    from palyra.wire.journal import MakeCheckpoint

    made = call.call(api.checkpoint, MakeCheckpoint())
    call.answer(made, lambda: click.echo(made.note, nl=False))


@journal.command()
@click.argument("directory", type=click.Path())
@command_options
def export(call: Invocation, directory: str) -> None:
    """Write a bundle that anybody can verify offline: python verifier/palyra_verify.py DIRECTORY."""
    from palyra.api import journal as api
    from palyra.wire.journal import ExportJournal

    done = call.call(api.export, ExportJournal(path=str(Path(directory).absolute())))
    call.answer(done, lambda: click.echo(f"{counted(done.size, 'event')} in {done.path}\nroot {done.root}"))


@journal.command()
@command_options
def rebuild(call: Invocation) -> None:
    """Drop every projection and replay the journal into them."""
    from palyra.api import journal as api
    from palyra.wire.journal import RebuildProjections

    done = call.call(api.rebuild_, RebuildProjections())
    verdict = "same state as before" if done.same else f"state CHANGED from {done.state_digest_before}"
    call.answer(
        done,
        lambda: click.echo(f"{counted(done.events, 'event')} replayed, {verdict}\nstate {done.state_digest_after}"),
    )


@journal.command()
@click.argument("event_ids", nargs=-1, required=True, metavar="EVENT_ID...", type=Id("event"))
@click.option("--reason", default="asked for", show_default=True, help="Kept for ever: no personal data here.")
@command_options
def erase(call: Invocation, event_ids: tuple[str, ...], reason: str) -> None:
    """Destroy the payload of events for good, in the database, its free pages and the backups beside it."""
    from palyra.api import journal as api
    from palyra.wire.journal import EraseEvents

    done = call.call(api.erase_, EraseEvents(event_ids=list(event_ids), reason=reason))

    def show_erased() -> None:
        for item in done.erased:
            again = "  (was erased before)" if item.repeated else ""
            click.echo(f"erased {item.event_id} (seq {item.seq}), recorded as seq {item.erased_by}{again}")
        warn_of_copies(done.untouched_copies)
        if done.checkpoint:
            click.echo("certificate: --json shows the proofs; the journal still verifies")
        else:
            click.echo("the signing key is missing, so there is no signed certificate; the journal still verifies")

    call.answer(done, show_erased)


def _read(payload: str) -> bytes:
    from palyra.core.errors import InvalidArgument

    if payload == "-":
        return sys.stdin.buffer.read()
    if payload.startswith("@"):
        try:
            return Path(payload[1:]).read_bytes()
        except OSError as error:
            raise InvalidArgument(f"cannot read {payload[1:]}: {error.strerror}", hint="check the path") from None
    return payload.encode("utf-8", "surrogateescape")


def _notes(file: str) -> list[str]:
    from palyra.api.notes import read_notes

    return read_notes(Path(file))


def _row(event: "Event") -> tuple[str, ...]:
    from palyra.wire.telling import told

    return str(event.seq), moment(event.recorded_at_ms), event.kind, event.principal, one_line(told(event))


def _show_event(event: "Event") -> None:
    import json

    for name in ("seq", "event_id", "kind", "v", "actor", "principal", "channel", "session_id", "run_id", "request_id"):
        value = getattr(event, name)
        if value is not None:
            click.echo(f"{name:<12} {value}")
    click.echo(f"{'occurred':<12} {moment(event.occurred_at_ms)} UTC")
    click.echo(f"{'recorded':<12} {moment(event.recorded_at_ms)} UTC")
    click.echo(f"{'hash':<12} {event.hash}")
    click.echo(f"{'after':<12} {event.prev_hash}")
    payload = "(erased)" if event.erased else json.dumps(event.payload, ensure_ascii=False, indent=2)
    click.echo(printable(payload))


def _show_verified(report: "Verified") -> None:
    if report.ok:
        signed = counted(report.checkpoints, "signed checkpoint")
        click.echo(f"ok: {counted(report.size, 'event')}, {signed}, {report.erased} erased")
        click.echo(f"root {report.root}")
        return
    for problem in report.problems:
        where = f"seq {problem.seq}" if problem.seq is not None else "journal"
        click.echo(f"{styled('bad', 'red')} {where}: {problem.fault}: {problem.message}")


def _show_proof(proof: "Proof") -> None:
    if proof.event is not None:
        click.echo(f"event {proof.event.event_id} is number {proof.event.seq} of {proof.size}")
    else:
        before, now = counted(proof.from_size or 0, "event"), counted(proof.size, "event")
        click.echo(f"a journal of {before} with root {proof.from_root} grew to {now}")
        click.echo("compare that root with the one you kept")
    click.echo(f"root {proof.root}")
    for node in proof.path:
        click.echo(f"     {node}")
