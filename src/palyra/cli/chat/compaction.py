"""`palyra session compact` and `expand`: condensing a conversation, and reading what a summary stands for."""

import re
from typing import TYPE_CHECKING, Any

import click

from palyra.cli.chat.options import opened, place_options, session_argument
from palyra.cli.command import Invocation, command_options, terminal_width
from palyra.cli.commands.session import session
from palyra.cli.output import counted, moment, one_line, printable, styled, write_table

if TYPE_CHECKING:
    from palyra.wire.continuity import (
        CompactionInfo,
        CompactionList,
        CompactionPlanInfo,
        CompactionPreview,
        ExpandedEntries,
    )

_RANGE = re.compile(r"\[?(\d{1,18})-(\d{1,18})\]?")


@session.command()
@session_argument()
@click.option("--preview", "how", flag_value="preview", default="preview", help="Show what it would do. The default.")
@click.option("--apply", "how", flag_value="apply", help="Do it. The tape stays whole.")
@click.option("--plan", help="With --apply: the plan you have looked at, and no other. PLAN is shown by --preview.")
@click.option("--force", is_flag=True, help="With --apply: also if something grave is then only on the tape.")
@click.option("--list", "how", flag_value="list", help="Show what was condensed so far.")
@place_options
@command_options
def compact(call: Invocation, session: str, how: str, plan: str | None, force: bool, who: dict[str, Any]) -> None:
    """Condense the older part of a conversation: a summary in its place in the prompt, lasting facts in documents."""
    from palyra.api import continuity as api
    from palyra.core.errors import InvalidArgument
    from palyra.wire import continuity as wire

    if plan is not None and how != "apply":
        raise InvalidArgument(
            "--plan says what to apply", hint=f"palyra session compact {session} --apply --plan {plan}"
        )
    if how == "list":
        found = call.call(api.list_, wire.ListCompactions(session=session, **who))
        call.answer(found, lambda: _show_list(found))
    elif how == "apply":
        done = call.call(api.apply, wire.ApplyCompaction(session=session, plan_id=plan, force=force, **who))
        call.answer(done, lambda: show_applied(done))
    else:
        seen = call.call(api.preview, wire.PreviewCompaction(session=session, **who))
        call.answer(seen, lambda: _show_preview(seen, session))


def _show_preview(plan: "CompactionPreview", session: str) -> None:
    show_plan(plan)
    if plan.candidates:
        click.echo("\nworth keeping:")
        rows = [(one.disposition, one.target, one_line(one.text)) for one in plan.candidates]
        write_table(rows, width=terminal_width())
    if plan.loss.lost:
        click.echo("\nno longer in sight, but still on the tape:")
        write_table(
            [(str(fact.seq), fact.kind, one_line(fact.text)) for fact in plan.loss.lost], width=terminal_width()
        )
    if plan.loss.unseen:
        click.echo("\nturns that are not wholly in sight:")
        write_table(
            [
                (str(one.seq), "in part" if one.partly else "not at all", one_line(one.text), one.why)
                for one in plan.loss.unseen
            ],
            width=terminal_width(),
        )
    do_it = f"palyra session compact {session} --apply --plan {plan.plan_id}"
    click.echo(f"\nnothing was changed; do it: {do_it}", err=True)


def show_plan(plan: "CompactionPlanInfo") -> None:
    cut = 100 - plan.tokens_after * 100 // max(1, plan.tokens_before)
    click.echo(
        f"{counted(plan.messages, 'message')}, {plan.tokens_before} -> {plan.tokens_after} tokens ({cut} % less)"
    )
    loss = plan.loss
    click.echo(
        f"{loss.present} of {counted(loss.facts, 'statement')} in sight: {loss.in_summary} in the summary,"
        f" {loss.in_memory} in memory, {loss.in_document} in a document"
    )
    click.echo(
        f"{loss.turns_in_sight} of {counted(loss.turns, 'turn')} wholly in sight; planned by the {plan.planner} planner"
    )
    for notice in plan.notices:
        click.echo(f"{styled('notice:', 'yellow')} {printable(notice)}", err=True)
    click.echo(printable(plan.summary))


def show_applied(done: "CompactionInfo") -> None:
    show_plan(done)
    if done.documents:
        click.echo(f"\nwritten: {', '.join(done.documents)}")
    for one in done.refused:
        click.echo(f"{styled('left alone:', 'yellow')} {one.path}: {printable(one.why)}", err=True)
    if done.stored or done.held:
        click.echo(f"memory: {len(done.stored)} stored, {len(done.held)} wait for you (palyra memory candidates)")
    click.echo(f"compaction {done.compaction_id}   checkpoint {done.checkpoint_id}")
    click.echo(f"the originals: palyra session expand {done.session_id}")


def _show_list(found: "CompactionList") -> None:
    if not found.compactions:
        click.echo("nothing was condensed yet")
    rows = [
        (
            one.compaction_id,
            moment(one.at_ms),
            "in force" if one.in_force else "past",
            f"{one.from_seq}-{one.to_seq}  {one.tokens_before} -> {one.tokens_after} tokens",
        )
        for one in found.compactions
    ]
    write_table(rows, width=terminal_width())


@session.command()
@session_argument()
@click.argument("between", metavar="[FIRST-LAST]", required=False)
@place_options
@command_options
def expand(call: Invocation, session: str, between: str | None, who: dict[str, Any]) -> None:
    """Show what was said where a summary stands now. FIRST-LAST: a range such as 12-48, as the summary has them."""
    from palyra.api import continuity as api
    from palyra.cli.chat.tape import show_entries
    from palyra.wire.continuity import ExpandCompaction

    first, last = _range(between)
    with opened(call, api.expand) as client:
        page: ExpandedEntries | None = None
        after = 0
        while page is None or page.next_after_seq is not None:
            request = ExpandCompaction(session=session, from_seq=first, to_seq=last, after_seq=after, **who)
            found = client.call(api.expand, request)
            found.entries = [*(page.entries if page is not None else ()), *found.entries]
            page, after = found, found.next_after_seq or 0
    done = page
    call.answer(done, lambda: show_entries(done.entries, {}))


def _range(between: str | None) -> tuple[int | None, int | None]:
    from palyra.core.errors import InvalidArgument

    if between is None:
        return None, None
    match = _RANGE.fullmatch(between)
    if match is None:
        raise InvalidArgument(f"{between[:64]!r} is no range", hint="give it as the summary has it, such as 12-48")
    return int(match[1]), int(match[2])
