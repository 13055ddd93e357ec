"""`palyra learning …`: looking."""

from typing import TYPE_CHECKING, Any

import click

from palyra.cli.chat.options import place_options
from palyra.cli.command import Group, Invocation, command_options, terminal_width
from palyra.cli.ids import Id
from palyra.cli.learning.words import headline, show_candidate, show_detail, show_neighbours
from palyra.cli.output import counted, moment, one_line, write_table

if TYPE_CHECKING:
    from palyra.wire.learning import LearnedPage, LearnedRadius


@click.group(cls=Group)
def learning() -> None:
    """Decide about what was learned from your conversations, and take it back."""


@learning.command("list")
@click.option("--state", "states", multiple=True, help="waiting (default), all, or the name of a state. Repeatable.")
@click.option("--kind", "kinds", multiple=True, help="durable_fact, preference or procedure. Repeatable.")
@click.option("--snoozed", is_flag=True, help="Also those you have put off.")
@click.option("--after-seq", type=int, default=0, help="Continue after this journal seq.")
@click.option("--limit", type=int, default=20, show_default=True, help="Candidates per page, 1..500.")
@place_options
@command_options
def list_(call: Invocation, states: tuple[str, ...], who: dict[str, Any], **given: Any) -> None:
    """List what was learned and waits for you, in the order it was proposed."""
    from palyra.api import learning as api
    from palyra.wire.learning import ListLearned

    request = ListLearned(states=states or ("waiting",), with_evidence=True, **given, **who)
    page = call.call(api.list_, request)

    def show_page() -> None:
        for one in page.candidates:
            show_candidate(one)
        _show_rest(page, states)

    call.answer(page, show_page)


def _show_rest(page: "LearnedPage", states: tuple[str, ...]) -> None:
    if not page.candidates:
        click.echo("nothing is here" if states else "nothing waits for you")
    if page.counts:
        told = ", ".join(f"{count} {state.replace('_', ' ')}" for state, count in sorted(page.counts.items()))
        click.echo(f"in all: {told}", err=True)
    if page.next_after_seq is not None:
        wanted = "".join(f" --state {state}" for state in states)
        click.echo(f"more: palyra learning list{wanted} --after-seq {page.next_after_seq}", err=True)
    if page.candidates and any(one.state in ("needs_review", "conflicted") for one in page.candidates):
        click.echo("decide: palyra learning review, or approve, reject or snooze an ID", err=True)
    if page.snoozed:
        click.echo(f"{page.snoozed} put off: palyra learning list --snoozed", err=True)
    if page.queued_runs:
        click.echo(f"{counted(page.queued_runs, 'turn')} not read yet: palyra learning reflect", err=True)
    if page.held_texts:
        click.echo(f"{counted(page.held_texts, 'text')} on hold: palyra memory candidates", err=True)


@learning.command()
@click.argument("candidate_id", type=Id("learned"))
@place_options
@command_options
def show(call: Invocation, candidate_id: str, who: dict[str, Any]) -> None:
    """Show one with the words it rests on, what it contradicts, and its history."""
    from palyra.api import learning as api
    from palyra.wire.learning import GetLearned

    found = call.call(api.get, GetLearned(candidate_id=candidate_id, **who))
    call.answer(found, lambda: show_detail(found))


@learning.command("blast-radius")
@click.argument("candidate_id", type=Id("learned"))
@place_options
@command_options
def blast_radius(call: Invocation, candidate_id: str, who: dict[str, Any]) -> None:
    """Show what one thing that was learned has touched: memories, documents, prompts, what came of it."""
    from palyra.api import learning as api
    from palyra.wire.learning import NameLearned

    found = call.call(api.radius, NameLearned(candidate_id=candidate_id, **who))

    def show_all() -> None:
        show_radius(found)
        click.echo(f"take all of it out: palyra learning quarantine {found.candidate.candidate_id}", err=True)

    call.answer(found, show_all)


def show_radius(found: "LearnedRadius") -> None:
    click.echo(headline(found.candidate))
    click.echo(f"  {one_line(found.candidate.text)}")
    show_neighbours("held by", found.memories)
    show_neighbours("replaced", found.replaced)
    for path in found.documents:
        click.echo(f"  {'written in:':<12} {one_line(path)}")
    for run in found.runs:
        click.echo(f"  {'told in:':<12} run {run.run_id}  {moment(run.at_ms)} UTC  session {run.session_id}")
    for other in found.candidates:
        click.echo(f"  {'with it:':<12} {other.candidate_id}  {other.state.replace('_', ' ')}  {one_line(other.text)}")
    if not (found.memories or found.documents or found.runs or found.candidates):
        click.echo("  nothing holds it")


@learning.command()
@place_options
@command_options
def preferences(call: Invocation, who: dict[str, Any]) -> None:
    """List the preferences that stand in prompts, newest first."""
    from palyra.api import learning as api
    from palyra.wire.learning import ListPreferences

    found = call.call(api.preferences, ListPreferences(**who))

    def show_them() -> None:
        if not found.preferences:
            click.echo("no preferences yet: they are learned from what you say, and you approve them")
        rows = [
            (one.candidate_id, moment(one.since_ms)[:10], one_line(one.about), one_line(one.text))
            for one in found.preferences
        ]
        write_table(rows, width=terminal_width())

    call.answer(found, show_them)


from palyra.cli.learning import deciding, walking  # noqa: E402, F401 - add the commands that decide
