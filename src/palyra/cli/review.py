"""`palyra review …`: the one queue of what waits for a person, held or learned, and one set of commands for it."""

from collections.abc import Callable
from functools import reduce
from typing import TYPE_CHECKING, Any

import click

from palyra.cli.chat.options import place_options
from palyra.cli.command import Group, Invocation, command_options
from palyra.cli.ids import Id
from palyra.cli.learning.words import KINDS, STATES
from palyra.cli.output import counted, moment, one_line, printable, styled

if TYPE_CHECKING:
    from palyra.wire.learning import QueuedProposal, RuledProposals

_PAGE = 500
_WAITING = ("needs_review", "conflicted")
_FILTERS = (
    click.option("--kind", default="", help="Only of this kind: durable_fact, preference, procedure, …"),
    click.option(
        "--source", default="", help="Only what came in so, as import, or is of such trust: agent, tool, web."
    ),
    click.option("--subject", default="", help="Only those in which this name or word stands."),
    click.option("--reason-code", default="", help="Only those that wait for this reason: unsure, conflict, …"),
)
_IDS = click.argument("proposal_ids", nargs=-1, metavar="[PROPOSAL_ID]...", type=Id("proposal"))
_ALL = click.option("--all", "all_", is_flag=True, help="All that wait and that the other options mean.")
_REASON = click.option("--reason", default="", help="Kept in its history.")


def _filters(command: Callable[..., Any]) -> Callable[..., Any]:
    return reduce(lambda made, option: option(made), reversed(_FILTERS), command)


@click.group(cls=Group)
def review() -> None:
    """Decide about what waits for you, and take a decision back."""


@review.command("list")
@click.option(
    "--state",
    type=click.Choice(["waiting", "approved", "rejected", "all"]),
    default="waiting",
    show_default=True,
    help="Which of them.",
)
@_filters
@click.option("--after-seq", type=int, default=0, help="Continue after this journal seq.")
@click.option("--limit", type=click.IntRange(1, _PAGE), default=_PAGE, show_default=True, help="Rows per page.")
@place_options
@command_options
def list_(call: Invocation, state: str, after_seq: int, limit: int, who: dict[str, Any], **meant: str) -> None:
    """List what waits, in the order it came, with the reason and where it was said."""
    from palyra.api.operating import review as api
    from palyra.wire.learning import ListProposals

    request = ListProposals(state=state, after_seq=after_seq, limit=limit, **_meant(meant), **who)
    page = call.call(api.list_, request)

    def show() -> None:
        if not page.proposals:
            click.echo("nothing waits for you" if state == "waiting" else "nothing is here")
        for row in page.proposals:
            _show(row)
        if page.next_after_seq is not None:
            click.echo(f"{page.total} in all; more: palyra review list --after-seq {page.next_after_seq}", err=True)
        if page.proposals and state == "waiting":
            click.echo("decide: palyra review approve ID, or reject ID; --all takes all that are meant", err=True)

    call.answer(page, show)


@review.command()
@click.argument("proposal_id", type=Id("proposal"))
@place_options
@command_options
def show(call: Invocation, proposal_id: str, who: dict[str, Any]) -> None:
    """Show one with the words it was made of."""
    from palyra.api import learning
    from palyra.api.operating import review as api
    from palyra.cli.learning.words import show_detail
    from palyra.wire.learning import GetLearned, GetProposal

    row = call.call(api.get, GetProposal(proposal_id=proposal_id, **who))
    if row.queue == "held":
        call.answer(row, lambda: _show(row))
        return
    detail = call.call(learning.get, GetLearned(candidate_id=proposal_id, **who))
    call.answer(detail, lambda: show_detail(detail))


@review.command()
@_IDS
@_ALL
@_filters
@click.option("--text", help="In these words instead; for one of them.")
@_REASON
@place_options
@command_options
def approve(
    call: Invocation, proposal_ids: tuple[str, ...], text: str | None, reason: str, who: dict[str, Any], **meant: Any
) -> int:
    """Let them hold: they become memory."""
    return _rule(call, "approve", proposal_ids, reason, who, meant, text)


@review.command()
@_IDS
@_ALL
@_filters
@_REASON
@place_options
@command_options
def reject(call: Invocation, proposal_ids: tuple[str, ...], reason: str, who: dict[str, Any], **meant: Any) -> int:
    """Keep them out of memory. The same is not proposed again; what was said stays on the tape."""
    return _rule(call, "reject", proposal_ids, reason, who, meant)


@review.command()
@_IDS
@click.option("--batch", default="", help="All that was decided together, by the batch that deciding has printed.")
@_REASON
@place_options
@command_options
def undo(call: Invocation, proposal_ids: tuple[str, ...], batch: str, reason: str, who: dict[str, Any]) -> int:
    """Take a decision back: they wait again, and what they became is forgotten."""
    return _rule(call, "undo", proposal_ids, reason, who, {"all_": bool(batch), "batch": batch})


def _rule(
    call: Invocation,
    decision: str,
    ids: tuple[str, ...],
    reason: str,
    who: dict[str, Any],
    meant: dict[str, Any],
    text: str | None = None,
) -> int:
    """The exit code is that of the first that could not be decided."""
    from palyra.api.operating import review as api
    from palyra.core.errors import TABLE, InvalidArgument
    from palyra.wire.learning import RuleOnProposals, WantedProposals

    all_, given = meant.pop("all_"), _meant(meant)
    if given and not all_:
        raise InvalidArgument("options that say which are meant go with --all", hint="add --all, or give ids")
    wanted = WantedProposals(**given) if all_ else None
    asked = RuleOnProposals(decision=decision, ids=list(ids), wanted=wanted, text=text, reason=reason, **who)
    done = call.call(api.rule, asked)
    call.answer(done, lambda: _show_ruled(done))
    failed = [no.error.code for no in done.refused]
    return next((error.exit_code for error in TABLE if failed and error.code == failed[0]), 0)


def _meant(given: dict[str, Any]) -> dict[str, Any]:
    names = {"reason_code": "reason"}
    return {names.get(name, name): value for name, value in given.items() if value}


def _show_ruled(done: "RuledProposals") -> None:
    for row in done.proposals:
        became = f"  (memory {row.memory_id})" if row.memory_id else f"  ({row.document})" if row.document else ""
        click.echo(f"{STATES.get(row.state, row.state)}  {row.proposal_id}{became}  {one_line(row.text)}")
    for no in done.refused:
        click.echo(f"{styled('left alone:', 'yellow')} {printable(no.error.message)}  [{no.error.code}]", err=True)
    if len(done.proposals) > 1:
        many = counted(done.decided, "proposal")
        click.echo(f"{many}; to take all of it back: palyra review undo --batch {done.batch}")
    elif not done.proposals and not done.refused:
        click.echo("nothing is meant by that")


def _show(row: "QueuedProposal") -> None:
    state = "" if row.state in _WAITING else STATES.get(row.state, row.state)
    kind = KINDS.get(row.kind, row.kind)
    head = [row.proposal_id, kind, f"{row.confidence:.0%} sure", *([styled(state, bold=True)] if state else [])]
    click.echo("  ".join(head))
    click.echo(f"  {one_line(row.text)}")
    if row.why:
        click.echo(f"  {'waits:':<12} {row.why}")
    click.echo(f"  {'said by:':<12} {row.trust}, {moment(row.at_ms)} UTC")
