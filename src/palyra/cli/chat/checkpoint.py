"""`palyra checkpoint …`: points to come back to, the branches made of them, and what differs."""

from typing import TYPE_CHECKING, Any

import click

from palyra.cli.chat.options import place_options, session_argument
from palyra.cli.command import Group, Invocation, command_options, terminal_width
from palyra.cli.ids import Id
from palyra.cli.output import counted, moment, one_line, printable, styled, write_table

if TYPE_CHECKING:
    from palyra.wire.continuity import CheckpointInfo, Comparison, MergedBranch, RestoredCheckpoint, RunGlance


@click.group(cls=Group)
def checkpoint() -> None:
    """Mark a point in a conversation and its documents, and go back to it."""


@checkpoint.command()
@session_argument()
@click.option("--name", default="", help="A name of your own.")
@click.option("--note", default="", help="What it is for.")
@click.option("--tag", "tags", multiple=True, help="May be given several times.")
@place_options
@command_options
def create(call: Invocation, session: str, who: dict[str, Any], **given: Any) -> None:
    """Mark where a conversation and its documents stand now."""
    from palyra.api import continuity as api
    from palyra.wire.continuity import CreateCheckpoint

    done = call.call(api.create, CreateCheckpoint(session=session, **given, **who))
    call.answer(
        done, lambda: click.echo(f"{done.checkpoint_id}\ngo back: palyra checkpoint restore {done.checkpoint_id}")
    )


@checkpoint.command("list")
@session_argument(required=False)
@click.option("--before", "before_seq", type=int, default=0, help="Continue before this journal seq.")
@click.option("--limit", type=int, default=50, show_default=True, help="Checkpoints per page, 1..500.")
@place_options
@command_options
def list_(call: Invocation, session: str | None, who: dict[str, Any], **given: Any) -> None:
    """List checkpoints of a conversation, or of all, newest first."""
    from palyra.api import continuity as api
    from palyra.wire.continuity import ListCheckpoints

    found = call.call(api.checkpoints, ListCheckpoints(session=session, **given, **who))

    def show_page() -> None:
        if not found.checkpoints:
            click.echo("no checkpoints here: palyra checkpoint create SESSION")
        write_table([_row(one) for one in found.checkpoints], width=terminal_width())
        if found.next_before_seq is not None:
            click.echo(f"more: palyra checkpoint list --before {found.next_before_seq}", err=True)

    call.answer(found, show_page)


def _row(one: "CheckpointInfo") -> tuple[str, ...]:
    words = " ".join(filter(None, (one_line(one.name), one_line(one.note), *(f"#{tag}" for tag in one.tags))))
    return one.checkpoint_id, moment(one.at_ms), counted(len(one.documents), "document"), words


@checkpoint.command()
@click.argument("checkpoint", type=Id("checkpoint"))
@place_options
@command_options
def show(call: Invocation, checkpoint: str, who: dict[str, Any]) -> None:
    """Show one: CHECKPOINT is its id, or the name of the newest that has it."""
    from palyra.api import continuity as api
    from palyra.wire.continuity import NameCheckpoint

    found = call.call(api.get, NameCheckpoint(checkpoint=checkpoint, **who))

    def show_one() -> None:
        click.echo(styled(printable(found.name) or found.checkpoint_id, bold=True))
        for text in filter(None, (printable(found.note), " ".join(f"#{printable(tag)}" for tag in found.tags))):
            click.echo(text)
        click.echo(f"{found.checkpoint_id}  {moment(found.at_ms)} UTC  session {found.session_id}")
        click.echo(f"tape up to {found.tape_seq}, journal up to {found.seq}")
        rows = [(one.path, str(one.revision), one.sha256[:12]) for one in found.documents]
        write_table(rows, width=terminal_width())

    call.answer(found, show_one)


@checkpoint.command()
@click.argument("checkpoint", type=Id("checkpoint"))
@click.argument("other", required=False, type=Id("checkpoint"))
@place_options
@command_options
def compare(call: Invocation, checkpoint: str, other: str | None, who: dict[str, Any]) -> None:
    """Show what changed from CHECKPOINT to OTHER, or to now: turns, documents, memories."""
    from palyra.api import continuity as api
    from palyra.wire.continuity import CompareCheckpoints

    found = call.call(api.compare, CompareCheckpoints(checkpoint=checkpoint, other=other, **who))
    call.answer(found, lambda: _show_comparison(found))


def _show_comparison(found: "Comparison") -> None:
    click.echo(f"{counted(found.shared_runs, 'turn')} in both")
    _show_runs("only then", found.only_first, found.only_first_count)
    _show_runs("only since", found.only_second, found.only_second_count)
    for one in found.documents:
        click.echo(f"\n{one.path} {one.change}" + (" (its text was erased)" if one.missing else ""))
        if one.diff:
            click.echo(printable(one.diff).rstrip("\n"))
    if not found.documents:
        click.echo("no document differs")
    if found.memories:
        click.echo(f"\n{counted(len(found.memories), 'change')} of memory:")
    write_table([(one.change, one.memory_id, one_line(one.text)) for one in found.memories], width=terminal_width())


def _show_runs(what: str, runs: "list[RunGlance]", count: int) -> None:
    if count:
        click.echo(f"{what}: {counted(count, 'turn')}")
    write_table([(run.run_id, one_line(run.asked)) for run in runs], width=terminal_width())


@checkpoint.command()
@click.argument("checkpoint", type=Id("checkpoint"))
@click.option("--in-place", is_flag=True, help="Only the documents, where they are, as new revisions; no branch.")
@click.option("--key", help="A name of your own for the branch.")
@click.option("--title", default="", help="Of the branch. Default: the name of the checkpoint.")
@place_options
@command_options
def restore(call: Invocation, checkpoint: str, who: dict[str, Any], **given: Any) -> None:
    """Go back to CHECKPOINT: a new conversation with what was said until then and the documents as they were.

    The old conversation stays as it is.
    """
    from palyra.api import continuity as api
    from palyra.wire.continuity import RestoreCheckpoint

    done = call.call(api.restore, RestoreCheckpoint(checkpoint=checkpoint, **given, **who))
    call.answer(done, lambda: _show_restored(done))


def _show_restored(done: "RestoredCheckpoint") -> None:
    if done.session is not None:
        click.echo(f"{done.session.key}\ngo on: palyra chat {done.session.key}")
    else:
        count = len(done.written)
        click.echo(f"{counted(count, 'document')} rolled back, {len(done.unchanged)} as they were")
        write_table([(one.path, f"revision {one.revision}") for one in done.written], width=terminal_width())
    for path in done.missing:
        click.echo(f"{styled('missing:', 'yellow')} {path}: its text was erased since", err=True)
    for one in done.refused:
        click.echo(f"{styled('left alone:', 'yellow')} {one.path}: {printable(one.why)}", err=True)
    for path in done.newer:
        click.echo(f"{path} is newer than the checkpoint and stays", err=True)


@checkpoint.command()
@session_argument()
@click.option("--force-mine", "mine", multiple=True, metavar="PATH", help="Keep this document as it is.")
@click.option("--force-theirs", "theirs", multiple=True, metavar="PATH", help="Take this document from the branch.")
@place_options
@command_options
def merge(call: Invocation, session: str, who: dict[str, Any], **given: Any) -> None:
    """Bring the documents of the branch SESSION back to where they were taken from: all of them, or none."""
    from palyra.api import continuity as api
    from palyra.core.errors import Conflict
    from palyra.wire.continuity import MergeBranch

    done = call.call(api.merge, MergeBranch(session=session, **given, **who))
    call.answer(done, lambda: _show_merged(done))
    if done.conflicts:
        documents = counted(len(done.conflicts), "document was", "documents were")
        raise Conflict(
            f"{documents} changed on both sides; nothing was written",
            hint="decide with --force-mine PATH or --force-theirs PATH, or change one of them first",
        )


def _show_merged(done: "MergedBranch") -> None:
    for one in done.conflicts:
        click.echo(f"{one.path}: {printable(one.what) or f'{len(one.lines)} places'}")
        for place in one.lines:
            where = f"item {place.item_id} of block {place.block_id}" if place.item_id else f"line {place.line}"
            click.echo(f"  {where}")
            click.echo(f"    mine:   {one_line(place.ours) or '(removed)'}")
            click.echo(f"    theirs: {one_line(place.theirs) or '(removed)'}")
    if not done.conflicts:
        written = [(one.path, f"revision {one.revision}") for one in done.written]
        write_table(written + [(path, "deleted") for path in done.deleted], width=terminal_width())
        if not done.written and not done.deleted:
            click.echo("nothing to bring back: the documents are the same")


@checkpoint.command()
@session_argument()
@place_options
@command_options
def tree(call: Invocation, session: str, who: dict[str, Any]) -> None:
    """Show the conversations that come from one another, with their checkpoints."""
    from palyra.api import continuity as api
    from palyra.wire.chat import NameSession

    found = call.call(api.tree, NameSession(session=session, **who))

    def show_tree() -> None:
        for node in found.nodes:
            indent = "  " * node.depth
            title = one_line(node.session.title) or "(no title)"
            came = f"  from {node.from_checkpoint}" if node.from_checkpoint else ""
            click.echo(f"{indent}{node.session.key}  {title}{came}")
            for one in node.checkpoints:
                click.echo(f"{indent}  · {'  '.join(filter(None, _row(one)))}")

    call.answer(found, show_tree)
