"""`palyra learning …`: deciding, and taking back."""

from typing import TYPE_CHECKING, Any

import click

from palyra.cli.chat.options import place_options
from palyra.cli.command import Invocation, command_options
from palyra.cli.ids import Id
from palyra.cli.learning.reading import learning
from palyra.cli.learning.words import headline
from palyra.cli.moments import parse_duration_ms
from palyra.cli.output import counted, moment, one_line, printable, styled

if TYPE_CHECKING:
    from palyra.wire.learning import DecidedMany, LearnedCandidate, LearnedQuarantined


@learning.command()
@click.argument("candidate_ids", nargs=-1, required=True, metavar="CANDIDATE_ID...", type=Id("learned"))
@click.option("--text", help="In these words instead; for one candidate.")
@click.option("--reason", default="", help="Kept in its history.")
@place_options
@command_options
def approve(
    call: Invocation, candidate_ids: tuple[str, ...], text: str | None, reason: str, who: dict[str, Any]
) -> int:
    """Let what was learned hold: a fact becomes memory, a preference stands in prompts, a procedure is a document."""
    return _decide(call, candidate_ids, who, decision="approve", reason=reason, text=text)


@learning.command()
@click.argument("candidate_ids", nargs=-1, required=True, metavar="CANDIDATE_ID...", type=Id("learned"))
@click.option("--reason", default="", help="Kept in its history.")
@place_options
@command_options
def reject(call: Invocation, candidate_ids: tuple[str, ...], reason: str, who: dict[str, Any]) -> int:
    """Say that it was not worth learning. The same is not proposed again."""
    return _decide(call, candidate_ids, who, decision="reject", reason=reason)


@learning.command()
@click.argument("candidate_ids", nargs=-1, required=True, metavar="CANDIDATE_ID...", type=Id("learned"))
@click.option("--reason", default="", help="Kept in its history.")
@place_options
@command_options
def reopen(call: Invocation, candidate_ids: tuple[str, ...], reason: str, who: dict[str, Any]) -> int:
    """Let what was rejected or taken back wait again."""
    return _decide(call, candidate_ids, who, decision="reopen", reason=reason)


def _decide(
    call: Invocation, given: tuple[str, ...], who: dict[str, Any], decision: str, reason: str, text: str | None = None
) -> int:
    """One by itself, or many, of which each succeeds or fails alone; the exit code is that of the first that failed."""
    from palyra.api import learning as api
    from palyra.core.errors import TABLE, InvalidArgument
    from palyra.wire.learning import DecideLearned, DecideManyLearned

    if text is not None and len(given) > 1:
        raise InvalidArgument("many candidates cannot have one text", hint="reword them one by one")
    if len(given) == 1:
        request = DecideLearned(candidate_id=given[0], decision=decision, text=text, reason=reason, **who)
        done = call.call(api.decide, request)
        call.answer(done, lambda: show_decided(done))
        return 0
    many = call.call(
        api.decide_many, DecideManyLearned(candidate_ids=list(given), decision=decision, reason=reason, **who)
    )
    call.answer(many, lambda: _show_many(many))
    failed = [one.error.code for one in many.outcomes if one.error is not None]
    return next((error.exit_code for error in TABLE if failed and error.code == failed[0]), 0)


def show_decided(one: "LearnedCandidate") -> None:
    became = ""
    if one.memory_id is not None:
        became = f"  (memory {one.memory_id})"
    elif one.document:
        became = f"  ({one.document})"
    click.echo(f"{one.state.replace('_', ' ')} {one.candidate_id}{became}  {one_line(one.text)}")


def _show_many(done: "DecidedMany") -> None:
    for one in done.outcomes:
        if one.candidate is not None:
            show_decided(one.candidate)
        elif one.error is not None:
            click.echo(
                f"{styled('left alone:', 'yellow')} {printable(one.error.message)}  [{one.error.code}]", err=True
            )


@learning.command()
@click.argument("candidate_id", type=Id("learned"))
@click.option("--for", "for_", required=True, help="How long: 3d, 12h, 2w. 0s: in sight again at once.")
@place_options
@command_options
def snooze(call: Invocation, candidate_id: str, for_: str, who: dict[str, Any]) -> None:
    """Put a decision off."""
    from palyra.api import learning as api
    from palyra.wire.learning import SnoozeLearned

    for_ms = parse_duration_ms(for_)
    request = SnoozeLearned(candidate_id=candidate_id, for_ms=for_ms, **who)
    done = call.call(api.snooze, request)
    until = "waits again" if done.snoozed_until_ms is None else f"put off until {moment(done.snoozed_until_ms)} UTC"
    call.answer(done, lambda: click.echo(f"{until}: {done.candidate_id}"))


@learning.command()
@click.argument("candidate_id", type=Id("learned"))
@click.option("--reason", default="", help="Kept in its history.")
@place_options
@command_options
def rollback(call: Invocation, candidate_id: str, reason: str, who: dict[str, Any]) -> None:
    """Undo what became of it: its memory or document goes, and what it had replaced is back."""
    from palyra.api import learning as api
    from palyra.wire.learning import RollBackLearned

    request = RollBackLearned(candidate_id=candidate_id, reason=reason, **who)
    done = call.call(api.roll_back, request)
    call.answer(done, lambda: click.echo(f"taken back: {done.candidate_id}  {one_line(done.text)}"))


@learning.command()
@click.argument("candidate_id", type=Id("learned"))
@click.option("--reason", default="", help="Kept in its history.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@place_options
@command_options
def quarantine(call: Invocation, candidate_id: str, reason: str, yes: bool, who: dict[str, Any]) -> None:
    """Take out everything that holds it, in one step: memories, documents, and what came of it."""
    from palyra.api import learning as api
    from palyra.cli.learning.reading import show_radius
    from palyra.wire.learning import NameLearned, QuarantineLearned

    if not yes and not call.as_json:
        show_radius(call.call(api.radius, NameLearned(candidate_id=candidate_id, **who)))
        click.confirm("Take all of this out?", abort=True)
    done = call.call(api.quarantine, QuarantineLearned(candidate_id=candidate_id, reason=reason, **who))
    call.answer(done, lambda: _show_quarantined(done))


def _show_quarantined(done: "LearnedQuarantined") -> None:
    click.echo(headline(done.radius.candidate).rpartition("  ")[0] + "  taken out")
    for memory_id in done.forgotten:
        click.echo(f"  {'forgotten:':<12} {memory_id}")
    for memory_id in done.reinstated:
        click.echo(f"  {'back again:':<12} {memory_id}")
    for path in done.documents:
        click.echo(f"  {'removed:':<12} from {one_line(path)}")
    for one in done.refused:
        click.echo(f"{styled('left alone:', 'yellow')} {one_line(one.path)}: {one_line(one.why)}", err=True)
    click.echo("the conversation itself stays; palyra memory erase destroys every trace", err=True)


@learning.command()
@place_options
@command_options
def reflect(call: Invocation, who: dict[str, Any]) -> None:
    """Read the turns that nobody has read yet, now."""
    from palyra.api import learning as api
    from palyra.wire.learning import ReflectedNow, ReflectNow

    runs = proposed = applied = 0
    left: int | None = None
    while True:
        done = call.call(api.reflect, ReflectNow(**who))
        runs, proposed, applied = runs + done.runs, proposed + done.proposed, applied + done.applied
        if not done.queued_runs or (left is not None and done.queued_runs >= left):
            break
        left = done.queued_runs
    total = ReflectedNow(runs=runs, proposed=proposed, applied=applied, queued_runs=done.queued_runs)

    def show_total() -> None:
        click.echo(f"read {counted(runs, 'turn')}: {applied} written, {proposed} wait for you")
        if proposed:
            click.echo("decide: palyra review list", err=True)

    call.answer(total, show_total)
