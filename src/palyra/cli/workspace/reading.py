"""`palyra workspace …`: looking at the documents that a person and an agent write together."""

import sys
from typing import TYPE_CHECKING, Any

import click

from palyra.cli.command import Group, Invocation, command_options, terminal_width
from palyra.cli.moments import parse_moment_ms
from palyra.cli.output import breakdown, counted, moment, one_line, printable, styled, write_table

if TYPE_CHECKING:
    from palyra.wire.workspace import DocumentHits, DocumentInfo, RevisionInfo

line_option = click.option(
    "--line", default="", help="Documents of a branch, by the id of its session. Default: the main ones."
)
whose_option = click.option(
    "--principal", help="Whose documents. Default: memory.default_principal, which is user:local."
)


@click.group(cls=Group)
def workspace() -> None:
    """Read and write the documents you keep together with your agent."""


@workspace.command("list")
@click.argument("prefix", default="")
@click.option("--deleted", is_flag=True, help="Also those that were deleted.")
@click.option("--as-of", help="As it was: an event's seq, or a time such as 2026-05-03T14:30.")
@line_option
@whose_option
@command_options
def list_(call: Invocation, prefix: str, deleted: bool, as_of: str | None, line: str, principal: str | None) -> None:
    """List documents; with PREFIX only those below it."""
    from palyra.api import workspace as api
    from palyra.wire.workspace import ListDocuments

    request = ListDocuments(prefix=prefix, deleted=deleted, line=line, **_moment(as_of), principal=principal)
    found = call.call(api.list_, request)

    def show() -> None:
        if not found.documents:
            click.echo("no documents: palyra workspace write NOTES.md")
        write_table([_row(one) for one in found.documents], width=terminal_width())

    call.answer(found, show)


def _row(one: "DocumentInfo") -> tuple[str, ...]:
    notes = [one.document_class, one.binding]
    notes += [
        name for name, holds in (("pinned", one.pinned), ("deleted", one.deleted), ("masked", one.masked)) if holds
    ]
    if one.risk != "clean":
        notes.append("released" if one.released else one.risk)
    if one.file == "pending":
        notes.append("file pending")
    return one_line(one.path), f"r{one.revision}", moment(one.at_ms), one.source, ", ".join(notes)


@workspace.command()
@click.argument("path")
@click.option("--revision", type=int, help="That revision.")
@click.option("--as-of", help="As it was: an event's seq, or a time such as 2026-05-03T14:30.")
@line_option
@whose_option
@command_options
def show(
    call: Invocation, path: str, revision: int | None, as_of: str | None, line: str, principal: str | None
) -> None:
    """Show what a document says, or said."""
    from palyra.api import workspace as api
    from palyra.wire.workspace import GetDocument

    request = GetDocument(path=path, revision=revision, line=line, **_moment(as_of), principal=principal)
    found = call.call(api.get, request)

    def write_out() -> None:
        if found.risk != "clean" and not found.released:
            click.echo(styled(f"{found.risk}: {'; '.join(map(one_line, found.reasons))}", "yellow"), err=True)
        # To a file or a pipe byte for byte; a terminal is not steered by what somebody wrote.
        click.echo(printable(found.text) if sys.stdout.isatty() else found.text.encode(), nl=False)

    call.answer(found, write_out)


@workspace.command()
@click.argument("path")
@line_option
@whose_option
@command_options
def versions(call: Invocation, path: str, line: str, principal: str | None) -> None:
    """List every revision of a document, newest first."""
    from palyra.api import workspace as api
    from palyra.wire.workspace import NameDocument

    found = call.call(api.versions, NameDocument(path=path, line=line, principal=principal))
    call.answer(found, lambda: write_table([_version(one) for one in found.revisions], width=terminal_width()))


def _version(one: "RevisionInfo") -> tuple[str, ...]:
    what = "deleted" if one.deleted else one.sha256[:12]
    notes = " ".join(note for note in (one.because, one.reason) if note)
    return f"r{one.revision}", moment(one.at_ms), one.source, one.actor, what, one.risk, one_line(notes)


@workspace.command()
@click.argument("path")
@click.argument("old", type=int)
@click.argument("new", type=int, required=False)
@line_option
@whose_option
@command_options
def diff(call: Invocation, path: str, old: int, new: int | None, line: str, principal: str | None) -> None:
    """Show what changed from revision OLD to NEW, or to now."""
    from palyra.api import workspace as api
    from palyra.wire.workspace import DiffDocument

    found = call.call(api.diff, DiffDocument(path=path, old=old, new=new, line=line, principal=principal))
    call.answer(found, lambda: click.echo(printable(found.diff) or "no difference", nl=not found.diff))


@workspace.command()
@click.argument("query")
@click.option("--limit", type=int, default=20, show_default=True, help="At most this many hits, 1..64.")
@click.option("--min-score", type=float, default=0.03, show_default=True, help="Nothing below this score, 0..1.")
@click.option("--include-score-breakdown", is_flag=True, help="Show what makes up each score.")
@whose_option
@command_options
def search(call: Invocation, query: str, principal: str | None, **given: Any) -> None:
    """Find sections of documents by words and by meaning."""
    from palyra.api import workspace as api
    from palyra.wire.workspace import SearchDocuments

    found = call.call(api.search, SearchDocuments(query=query, principal=principal, **given))
    call.answer(found, lambda: _show_hits(found))


def _show_hits(found: "DocumentHits") -> None:
    lacking = f"  (without {', '.join(found.degraded)})" if found.degraded else ""
    click.echo(f"{counted(len(found.hits), 'hit')}{lacking}")
    rows = [
        (f"{one_line(hit.path)}:{hit.line_number}", f"{hit.score:.2f}", one_line(hit.heading), one_line(hit.snippet))
        for hit in found.hits
    ]
    if not any(hit.breakdown for hit in found.hits):
        write_table(rows, width=terminal_width())
        return
    for row, hit in zip(rows, found.hits, strict=True):
        click.echo(printable("  ".join(row)))
        click.echo(f"    {breakdown(hit.breakdown or {})}")


@workspace.command()
@whose_option
@command_options
def status(call: Invocation, principal: str | None) -> None:
    """Say whether files and journal are in step, and what is in the way."""
    from palyra.api import workspace as api
    from palyra.wire.workspace import GetWorkspace

    found = call.call(api.status, GetWorkspace(principal=principal))

    def show_status() -> None:
        count = counted(found.documents, "document")
        click.echo(f"{count} in {found.folder}" if found.folder else count)
        if found.unwatched_because:
            click.echo(f"looked at every two seconds: {printable(found.unwatched_because)}")
        for path in found.quarantined:
            click.echo(f"{printable(path)}  quarantined: read it, then palyra workspace release")
        for path in found.pending:
            click.echo(f"{printable(path)}  the file is not yet what the journal says")
        for one in found.problems:
            click.echo(f"{printable(one.path)}  {printable(one.problem)}")

    call.answer(found, show_status)


@workspace.command()
@whose_option
@command_options
def path(call: Invocation, principal: str | None) -> None:
    """Print the folder the documents are in, for an editor."""
    from palyra.api import workspace as api
    from palyra.core.errors import FailedPrecondition
    from palyra.wire.workspace import GetWorkspace

    found = call.call(api.status, GetWorkspace(principal=principal))
    if found.folder is None:
        raise FailedPrecondition("documents are kept in the journal alone", hint="set workspace.sync_files = true")
    call.answer({"path": found.folder}, lambda: click.echo(found.folder))


def _moment(as_of: str | None) -> dict[str, Any]:
    if as_of is None:
        return {}
    if as_of.isascii() and as_of.isdigit() and len(as_of) < 11:
        return {"as_of_seq": int(as_of)}
    return {"as_of_ms": parse_moment_ms(as_of)}


from palyra.cli.workspace import changes  # noqa: E402, F401 - adds the commands that change documents
