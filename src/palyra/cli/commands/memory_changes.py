"""`palyra memory …`: changing, reviewing and forgetting."""

from typing import Any

import click

from palyra.cli.command import Invocation, command_options, terminal_width
from palyra.cli.commands.memory import memory, scope_options, show_retained
from palyra.cli.ids import Id
from palyra.cli.moments import parse_duration_ms
from palyra.cli.output import counted, moment, one_line, warn_of_copies, write_table

_NAMED = 3
"""ids are repeated in a hint, no more"""


@memory.command()
@click.argument("memory_id", type=Id("memory"))
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
@click.argument("memory_id", type=Id("memory"))
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
@click.argument("old_id", type=Id("memory"))
@click.argument("new_id", type=Id("memory"))
@scope_options
@command_options
def supersede(call: Invocation, old_id: str, new_id: str, who: dict[str, Any]) -> None:
    """Say that NEW_ID has taken the place of OLD_ID. The old one stays answerable as of its time."""
    from palyra.api import memory as api
    from palyra.wire.memory import SupersedeItem

    done = call.call(api.supersede, SupersedeItem(old_id=old_id, new_id=new_id, **who))
    call.answer(done, lambda: click.echo(f"{new_id} supersedes {old_id} (seq {done.seq})"))


@memory.command()
@click.argument("name")
@scope_options
@command_options
def about(call: Invocation, name: str, who: dict[str, Any]) -> None:
    """Show what is remembered about a person, a place or a thing: what holds, what changed, and where it was said."""
    from palyra.api import memory as api
    from palyra.wire.memory import AskAbout

    page = call.call(api.about, AskAbout(name=name, **who))

    def show() -> None:
        click.echo(page.name + (f", your {', '.join(page.also)}" if page.also else ""))
        if not page.holds and not page.changed:
            click.echo("nothing is remembered")
        for item in page.holds:
            where = f"  (said in {one_line(item.thread)})" if item.thread else ""
            click.echo(f"{moment(item.said_at_ms)[:10]}  {one_line(item.text)}{where}")
        for one in page.changed:
            later = "" if one.after is None else f", now: {one_line(one.after.text)}"
            click.echo(f"{moment(one.before.said_at_ms)[:10]}  no longer: {one_line(one.before.text)}{later}")

    call.answer(page, show)


@memory.command()
@click.option("--limit", type=int, default=50, show_default=True)
@scope_options
@command_options
def conflicts(call: Invocation, limit: int, who: dict[str, Any]) -> None:
    """List memories that contradict each other and that nobody has settled, with the days they were said."""
    from palyra.api import memory as api
    from palyra.wire.memory import ListConflicts

    page = call.call(api.conflicts, ListConflicts(limit=limit, **who))

    def show() -> None:
        if not page.conflicts:
            click.echo("no open conflicts")
        for one in page.conflicts:
            for item in (one.newer, one.older):
                click.echo(f"{item.memory_id}  {moment(item.said_at_ms)[:10]}  {one_line(item.text)}")
            click.echo(f"  {', '.join(one.reasons)}; palyra memory settle {one.newer.memory_id} {one.older.memory_id}")

    call.answer(page, show)


@memory.command()
@click.argument("holds_id", type=Id("memory"))
@click.argument("other_id", type=Id("memory"))
@click.option("--both", is_flag=True, help="Both hold: they do not contradict each other.")
@scope_options
@command_options
def settle(call: Invocation, holds_id: str, other_id: str, both: bool, who: dict[str, Any]) -> None:
    """Say that HOLDS_ID holds and OTHER_ID does no longer, or that both do. What ended is answerable as of its time."""
    from palyra.api import memory as api
    from palyra.wire.memory import SettleConflict

    request = SettleConflict(memory_id=holds_id, other_id=other_id, holds="both" if both else holds_id, **who)
    done = call.call(api.settle, request)
    said = "both hold" if both else f"{holds_id} holds, {other_id} does no longer"
    call.answer(done, lambda: click.echo(f"{said} (seq {done.seq})"))


@memory.command()
@click.argument("memory_ids", nargs=-1, required=True, metavar="MEMORY_ID...", type=Id("memory"))
@scope_options
@command_options
def delete(call: Invocation, memory_ids: tuple[str, ...], who: dict[str, Any]) -> None:
    """Take memories out of use. Their history stays; erase removes that, too."""
    from palyra.api import memory as api
    from palyra.wire.memory import DeleteItems

    done = call.call(api.delete, DeleteItems(memory_ids=list(memory_ids), **who))
    back = " ".join(memory_ids) if len(memory_ids) <= _NAMED else "ID..."
    call.answer(
        done,
        lambda: click.echo(f"deleted {done.deleted} (seq {done.seq}); to have it back: palyra memory restore {back}"),
    )


@memory.command()
@click.argument("memory_ids", nargs=-1, required=True, metavar="MEMORY_ID...", type=Id("memory"))
@scope_options
@command_options
def restore(call: Invocation, memory_ids: tuple[str, ...], who: dict[str, Any]) -> None:
    """Make memory again what was deleted. What was erased is gone for good."""
    from palyra.api import memory as api
    from palyra.wire.memory import RestoreItems

    done = call.call(api.restore, RestoreItems(memory_ids=list(memory_ids), **who))
    call.answer(done, lambda: click.echo(f"restored {done.restored} (seq {done.seq})"))


@memory.command()
@click.option("--preview", is_flag=True, help="Only list them. The default.")
@click.option("--apply", is_flag=True, help="Take them out.")
@click.option("--undo", is_flag=True, help="Bring back all that was ever taken out this way.")
@scope_options
@command_options
def tidy(call: Invocation, preview: bool, apply: bool, undo: bool, who: dict[str, Any]) -> None:
    """List what an older version kept whole and today stays on the tape: chatter, requests, questions."""
    from palyra.api import memory as api
    from palyra.wire.memory import Tidy

    if preview + apply + undo > 1:
        raise click.UsageError("--preview, --apply and --undo exclude each other")
    done = call.call(api.tidy, Tidy(apply=apply, undo=undo, **who))

    def show() -> None:
        for one in done.left:
            click.echo(f"{one.memory_id}  {one.because:<10} {one_line(one.text)}")
        if undo:
            click.echo(f"restored {done.restored}")
        elif apply:
            click.echo(f"took out {done.taken_out}; to have all of it back: palyra memory tidy --undo")
        else:
            click.echo(f"{len(done.left)} would stay on the tape today; to take them out: palyra memory tidy --apply")

    call.answer(done, show)


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
@click.argument("ids", nargs=-1, required=True, metavar="ID...", type=Id("memory", "candidate"))
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
        events = counted(len(done.erased), "event no longer holds", "events no longer hold")
        click.echo(f"erased {len(ids)}: {events} any text")
        warn_of_copies(done.untouched_copies)
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
@click.argument("candidate_id", type=Id("candidate"))
@click.option("--text", help="Store this wording instead.")
@click.option("--reason", default="", help="Kept for ever.")
@scope_options
@command_options
def approve(call: Invocation, candidate_id: str, who: dict[str, Any], **given: Any) -> None:
    """Let a candidate become memory."""
    _decide(call, candidate_id, who, approve=True, **given)


@memory.command()
@click.argument("candidate_id", type=Id("candidate"))
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
@click.argument("candidate_id", type=Id("candidate"))
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
