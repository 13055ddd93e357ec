"""`palyra memory …`: changing, reviewing and forgetting."""

from typing import Any

import click

from palyra.cli.command import Invocation, command_options, terminal_width
from palyra.cli.commands.memory import memory, scope_options, show_retained
from palyra.cli.moments import parse_duration_ms
from palyra.cli.output import one_line, styled, write_table


@memory.command()
@click.argument("memory_id")
@click.option("--text", help="The new text; the old one stays in history.")
@click.option("--tag", "tags", multiple=True, help="The new tags, all of them (repeat for several).")
@click.option("--category")
@click.option("--confidence", type=float, help="0 to 1.")
@click.option("--ttl", help="Keep it for 30d, 12h, 45m from now on, or never to keep it for good.")
@click.option("--reason", default="", help="Kept in history.")
@scope_options
@command_options
def update(
    call: Invocation, memory_id: str, tags: tuple[str, ...], ttl: str | None, who: dict[str, Any], **given: Any
) -> None:
    """Change a memory. A new text is a new version of it."""
    from palyra.api import memory as api
    from palyra.wire.memory import UpdateItem

    never = ttl == "never"
    request = UpdateItem(
        memory_id=memory_id,
        tags=list(tags) or None,
        ttl_ms=None if ttl is None or never else parse_duration_ms(ttl),
        never_expires=never,
        **given,
        **who,
    )
    done = call.call(api.update, request)
    call.answer(done, lambda: click.echo(f"updated {memory_id} (seq {done.seq})"))


@memory.command()
@click.argument("memory_id")
@click.option("--off", is_flag=True, help="Unpin it.")
@scope_options
@command_options
def pin(call: Invocation, memory_id: str, off: bool, who: dict[str, Any]) -> None:
    """Never evict or replace this memory by itself."""
    from palyra.api import memory as api
    from palyra.wire.memory import UpdateItem

    done = call.call(api.update, UpdateItem(memory_id=memory_id, pinned=not off, **who))
    call.answer(done, lambda: click.echo(f"{'unpinned' if off else 'pinned'} {memory_id} (seq {done.seq})"))


@memory.command()
@click.argument("old_id")
@click.argument("new_id")
@scope_options
@command_options
def supersede(call: Invocation, old_id: str, new_id: str, who: dict[str, Any]) -> None:
    """Say that NEW_ID has taken the place of OLD_ID. The old one stays answerable as of its time."""
    from palyra.api import memory as api
    from palyra.wire.memory import SupersedeItem

    done = call.call(api.supersede, SupersedeItem(old_id=old_id, new_id=new_id, **who))
    call.answer(done, lambda: click.echo(f"{new_id} supersedes {old_id} (seq {done.seq})"))


@memory.command()
@click.argument("memory_ids", nargs=-1, required=True, metavar="MEMORY_ID...")
@scope_options
@command_options
def delete(call: Invocation, memory_ids: tuple[str, ...], who: dict[str, Any]) -> None:
    """Take memories out of use. Their history stays; erase removes that, too."""
    from palyra.api import memory as api
    from palyra.wire.memory import DeleteItems

    done = call.call(api.delete, DeleteItems(memory_ids=list(memory_ids), **who))
    call.answer(done, lambda: click.echo(f"deleted {done.deleted} (seq {done.seq})"))


@memory.command()
@click.option(
    "--all", "everything", is_flag=True, help="All in sight, not only what belongs to the channel or session."
)
@click.option("--yes", is_flag=True, help="Do not ask.")
@scope_options
@command_options
def purge(call: Invocation, everything: bool, yes: bool, who: dict[str, Any]) -> None:
    """Delete all memories of a channel or a session, or with --all everything in sight."""
    from palyra.api import memory as api
    from palyra.wire.memory import Purge

    if everything and not yes and not call.as_json:
        click.confirm("Delete every memory of this principal that is in sight here?", abort=True)
    done = call.call(api.purge, Purge(purge_all_principal=everything, **who))
    call.answer(done, lambda: click.echo(f"deleted {done.deleted}"))


@memory.command()
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@click.option("--reason", default="asked for", show_default=True, help="Kept for ever: no personal data here.")
@scope_options
@command_options
def erase(call: Invocation, ids: tuple[str, ...], reason: str, who: dict[str, Any]) -> None:
    """Destroy memories or candidates for good: text, versions, index, vectors and backups. The chain stays whole."""
    from palyra.api import memory as api
    from palyra.cli.chat.keyboard import forget_history
    from palyra.wire.memory import EraseMemory

    done = call.call(api.erase, EraseMemory(ids=list(ids), reason=reason, **who))
    forget_history(call.settings().data_dir)

    def show() -> None:
        events = "1 event no longer holds" if len(done.erased) == 1 else f"{len(done.erased)} events no longer hold"
        click.echo(f"erased {len(ids)}: {events} any text")
        for path in done.untouched_copies:
            click.echo(f"{styled('warning:', 'yellow')} {path} cannot be read and may still hold it", err=True)
        click.echo("certificate: --json shows the proofs; the journal still verifies")

    call.answer(done, show)


@memory.command()
@click.option("--state", default="needs_review", show_default=True, help="needs_review, approved or rejected.")
@click.option("--after-seq", type=int, default=0)
@click.option("--limit", type=int, default=50, show_default=True)
@scope_options
@command_options
def candidates(call: Invocation, who: dict[str, Any], **given: Any) -> None:
    """List what waits for your decision."""
    from palyra.api import memory as api
    from palyra.wire.memory import ListCandidates

    page = call.call(api.candidates, ListCandidates(**given, **who))

    def show() -> None:
        if not page.candidates:
            click.echo("nothing is waiting")
        rows = [
            (held.candidate_id, held.trust, ",".join((*held.because, *held.risks)), one_line(held.text))
            for held in page.candidates
        ]
        write_table(rows, width=terminal_width())
        if page.next_after_seq is not None:
            click.echo(f"more: palyra memory candidates --after-seq {page.next_after_seq}")

    call.answer(page, show)


@memory.command()
@click.argument("candidate_id")
@click.option("--text", help="Store this wording instead.")
@click.option("--reason", default="", help="Kept for ever.")
@scope_options
@command_options
def approve(call: Invocation, candidate_id: str, who: dict[str, Any], **given: Any) -> None:
    """Let a candidate become memory."""
    _decide(call, candidate_id, who, approve=True, **given)


@memory.command()
@click.argument("candidate_id")
@click.option("--reason", default="", help="Kept for ever.")
@scope_options
@command_options
def reject(call: Invocation, candidate_id: str, who: dict[str, Any], **given: Any) -> None:
    """Keep a candidate out of memory; the same text will not be offered again."""
    _decide(call, candidate_id, who, approve=False, **given)


def _decide(call: Invocation, candidate_id: str, who: dict[str, Any], **given: Any) -> None:
    from palyra.api import memory as api
    from palyra.wire.memory import DecideCandidate

    done = call.call(api.decide, DecideCandidate(candidate_id=candidate_id, **given, **who))
    if given["approve"]:
        call.answer(done, lambda: show_retained(done))
    else:
        call.answer(done, lambda: click.echo(f"rejected {candidate_id} (seq {done.seq})"))


@memory.command()
@click.argument("candidate_id")
@click.option("--reason", default="", help="Kept with the decision, erased with it.")
@scope_options
@command_options
def reopen(call: Invocation, candidate_id: str, reason: str, who: dict[str, Any]) -> None:
    """Take a decision back: the candidate waits again, and what it became is forgotten."""
    from palyra.api import memory as api
    from palyra.wire.memory import ReopenCandidate

    done = call.call(api.reopen, ReopenCandidate(candidate_id=candidate_id, reason=reason, **who))
    call.answer(done, lambda: click.echo(f"{candidate_id} waits again: {one_line(done.text)}"))


@memory.command()
@click.option("--sure", is_flag=True, help="Expire even if the clock seems to have leapt.")
@command_options
def maintain(call: Invocation, sure: bool) -> None:
    """Remove what has expired or is over the limits, now."""
    from palyra.api import memory as api
    from palyra.wire.memory import Maintain

    done = call.call(api.maintain, Maintain(sure=sure))

    def show() -> None:
        click.echo(f"{done.expired} expired, {done.evicted} evicted")
        if done.deferred:
            click.echo("the clock seems to have leapt: nothing was expired, and nothing will be until you say --sure")

    call.answer(done, show)
