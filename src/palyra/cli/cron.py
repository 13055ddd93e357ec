"""`palyra cron …`: prompts that run by themselves."""

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from palyra.cli.chat.options import place_options
from palyra.cli.command import Group, Invocation, command_options, terminal_width
from palyra.cli.ids import Id
from palyra.cli.output import counted, moment, one_line, printable, styled, write_table
from palyra.core.clock import SystemClock

if TYPE_CHECKING:
    from palyra.wire.cron import CronJobInfo, CronRunInfo

_LATE_MS = 60_000


@click.group(cls=Group)
def cron() -> None:
    """Let prompts run by themselves: at certain times, every so often, or once. They run while palyrad does."""


def _describing(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say what a job is; handed on as `wish`."""
    names = ("cron", "every", "at", "zone", "prompt", "name", "jitter", "misfire", "concurrency", "retries", "backoff")

    @click.option("--cron", "cron", metavar="EXPRESSION", help='Five fields or a macro: "0 9 * * mon-fri", @daily.')
    @click.option("--every", metavar="INTERVAL", help="90s, 15m, 2h or 1d, from now on.")
    @click.option("--at", metavar="TIME", help="Once: 2026-12-01T09:00, or +20m.")
    @click.option("--zone", metavar="ZONE", help="Time zone of the schedule, such as Europe/Lisbon. Default: UTC.")
    @click.option("--prompt", help="What is asked each time.")
    @click.option("--name", help="A name of your own; part of its session's key.")
    @click.option("--jitter", metavar="DURATION", help="Begin each run up to so much later, to spread load.")
    @click.option("--misfire", help="Of slots that passed while nothing ran: skip (default) or catch_up.")
    @click.option("--concurrency", help="While a run is not over: forbid (default), queue or replace.")
    @click.option("--retries", type=int, help="How often a run that failed is tried again, 0..10. Default: 0.")
    @click.option("--backoff", metavar="DURATION", help="Before the first retry; doubles with each. Default: 30s.")
    @click.option("--session", "session", help="shared (default): all runs in one session; fresh: each in its own.")
    @wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        wish = {name: kwargs.pop(name) for name in (*names, "session")}
        return function(*args, wish=wish, **kwargs)

    return run


@cron.command()
@_describing
@click.option("--disabled", is_flag=True, help="Do not switch it on yet.")
@place_options
@command_options
def create(call: Invocation, wish: dict[str, Any], disabled: bool, who: dict[str, Any]) -> None:
    """Schedule a prompt.

    \b
    palyra cron create --cron "0 9 * * mon-fri" --zone Europe/Lisbon --name morning --prompt "What is due today?"
    palyra cron create --every 2h --prompt "Anything new in @folder:inbox?"
    palyra cron create --at 2026-12-01T09:00 --prompt "Remind me to renew the passport."
    """
    from palyra.api.operating import cron as api
    from palyra.wire.cron import CreateCronJob

    made = call.call(api.create, CreateCronJob(**wish, **who, enabled=not disabled))

    def show_made() -> None:
        click.echo(f"{printable(made.name)}  {made.job_id}")
        click.echo(f"{made.description}; {_next(made)}")

    call.answer(made, show_made)


@cron.command("list")
@click.option("--before", "before_seq", type=int, default=0, help="Continue before this journal seq.")
@click.option("--limit", type=int, default=50, show_default=True, help="Jobs per page, 1..500.")
@place_options
@command_options
def list_(call: Invocation, who: dict[str, Any], **given: Any) -> None:
    """List scheduled prompts with their next time and their last outcome, newest first."""
    from palyra.api.operating import cron as api
    from palyra.wire.cron import ListCronJobs

    found = call.call(api.list_, ListCronJobs(**given, **who))

    def show_page() -> None:
        if not found.jobs:
            click.echo('no scheduled prompts here: palyra cron create --every 1h --prompt "…"')
        write_table([_row(one) for one in found.jobs], width=terminal_width())
        if found.next_before_seq is not None:
            click.echo(f"more: palyra cron list --before {found.next_before_seq}", err=True)

    call.answer(found, show_page)


def _row(one: "CronJobInfo") -> tuple[str, ...]:
    last = "never ran" if one.last_run is None else f"last: {_outcome(one.last_run)}"
    return printable(one.name) or one.job_id, one.schedule, _next(one), last, one_line(one.prompt)


def _next(one: "CronJobInfo") -> str:
    if not one.prompt:
        return "its prompt was erased"
    if one.deleted:
        return "deleted"
    if not one.enabled:
        return "switched off"
    if one.next_local is None or one.next_at_ms is None:
        return "comes no more"
    local = one.next_local.replace("T", " ")
    late = one.next_at_ms < SystemClock().now_ms() - _LATE_MS
    return f"due since {local}: palyra serve" if late else f"next {local}"


@cron.command()
@click.argument("job", type=Id("job"))
@place_options
@command_options
def show(call: Invocation, job: str, who: dict[str, Any]) -> None:
    """Show one: JOB is its name or its id."""
    from palyra.api.operating import cron as api
    from palyra.wire.cron import NameCronJob

    found = call.call(api.get, NameCronJob(job=job, **who))
    call.answer(found, lambda: _show_job(found))


def _show_job(one: "CronJobInfo") -> None:
    click.echo(f"{styled(printable(one.name) or '(no name)', bold=True)}  {one.job_id}")
    click.echo(printable(one.prompt) or "(its prompt was erased: palyra cron update --prompt)")
    click.echo(f"{one.description}; {_next(one)}")
    retries = (
        f"{counted(one.retries, 'retry')}, the first after {one.backoff_ms // 1000}s" if one.retries else "no retries"
    )
    jitter = f", up to {one.jitter_ms // 1000}s later" if one.jitter_ms else ""
    click.echo(f"misfire {one.misfire}, concurrency {one.concurrency}, {retries}{jitter}, session {one.session}")
    click.echo(f"made by {printable(one.made_by)} on {moment(one.created_at_ms)} UTC for {one.principal}")
    if one.session_id is not None:
        click.echo(f"what it said: palyra session show {one.session_id}")
    if one.last_run is not None:
        click.echo(f"last run: {_outcome(one.last_run)}, of {moment(one.last_run.slot_ms)} UTC")
        click.echo(f"all runs: palyra cron history {printable(one.name) or one.job_id}")


@cron.command()
@click.argument("job", type=Id("job"))
@_describing
@place_options
@command_options
def update(call: Invocation, job: str, wish: dict[str, Any], who: dict[str, Any]) -> None:
    """Change what is given, and leave the rest. From then on its runs may what you may."""
    from palyra.api.operating import cron as api
    from palyra.wire.cron import UpdateCronJob

    done = call.call(api.update, UpdateCronJob(job=job, **wish, **who))
    call.answer(done, lambda: _show_job(done))


@cron.command()
@click.argument("job", type=Id("job"))
@place_options
@command_options
def enable(call: Invocation, job: str, who: dict[str, Any]) -> None:
    """Switch it on, from its next slot: what passed while it was off is not made up for."""
    from palyra.api.operating import cron as api
    from palyra.wire.cron import NameCronJob

    done = call.call(api.enable, NameCronJob(job=job, **who))
    call.answer(done, lambda: click.echo(f"{printable(done.name)}: {_next(done)}"))


@cron.command()
@click.argument("job", type=Id("job"))
@place_options
@command_options
def disable(call: Invocation, job: str, who: dict[str, Any]) -> None:
    """Switch it off. A run that is going on comes to its end; what waits does not begin."""
    from palyra.api.operating import cron as api
    from palyra.wire.cron import NameCronJob

    done = call.call(api.disable, NameCronJob(job=job, **who))
    call.answer(done, lambda: click.echo(f"{printable(done.name)}: {_next(done)}"))


@cron.command()
@click.argument("job", type=Id("job"))
@place_options
@command_options
def delete(call: Invocation, job: str, who: dict[str, Any]) -> None:
    """Delete it; its history stays."""
    from palyra.api.operating import cron as api
    from palyra.wire.cron import NameCronJob

    done = call.call(api.delete, NameCronJob(job=job, **who))
    history = f"its history: palyra cron history {done.job_id}"
    call.answer(done, lambda: click.echo(f"{printable(done.name) or done.job_id}: deleted; {history}"))


@cron.command()
@click.argument("job", type=Id("job"))
@place_options
@command_options
def run(call: Invocation, job: str, who: dict[str, Any]) -> None:
    """Run it now, besides its schedule; also if it is switched off."""
    from palyra.api.operating import cron as api
    from palyra.wire.cron import RunCronJob

    begun = call.call(api.run, RunCronJob(job=job, **who))

    def show_begun() -> None:
        click.echo(f"{begun.run_id}  {_outcome(begun)}")
        if begun.session_id is not None:
            click.echo(f"what it says: palyra session show {begun.session_id}")

    call.answer(begun, show_begun)


@cron.command("next")
@click.argument("job", type=Id("job"))
@click.option("--count", type=int, default=5, show_default=True, help="How many, 1..100.")
@place_options
@command_options
def next_(call: Invocation, job: str, count: int, who: dict[str, Any]) -> None:
    """Show when it is due next, in its time zone."""
    from palyra.api.operating import cron as api
    from palyra.wire.cron import NextCronTimes

    found = call.call(api.upcoming, NextCronTimes(job=job, count=count, **who))

    def show_times() -> None:
        for time in found.times:
            click.echo(f"{time.local.replace('T', ' ')}  {found.zone}")
        if not found.times:
            click.echo("comes no more")

    call.answer(found, show_times)


@cron.command()
@click.argument("job", required=False, type=Id("job"))
@click.option("--before", "before_seq", type=int, default=0, help="Continue before this journal seq.")
@click.option("--limit", type=int, default=50, show_default=True, help="Runs per page, 1..500.")
@place_options
@command_options
def history(call: Invocation, job: str | None, who: dict[str, Any], **given: Any) -> None:
    """Show what became of each slot, of JOB or of all, newest first; also of jobs that were deleted."""
    from palyra.api.operating import cron as api
    from palyra.wire.cron import CronHistory

    found = call.call(api.history, CronHistory(job=job, **given, **who))

    def show_page() -> None:
        if not found.runs:
            click.echo("nothing has run yet")
        rows = [(moment(one.slot_ms), printable(one.job_name), _how(one), _where(one)) for one in found.runs]
        write_table(rows, width=terminal_width())
        if found.next_before_seq is not None:
            click.echo(f"more: palyra cron history --before {found.next_before_seq}", err=True)

    call.answer(found, show_page)


def _how(one: "CronRunInfo") -> str:
    return _outcome(one) + (", by hand" if one.manual else "")


def _where(one: "CronRunInfo") -> str:
    if one.state == "missed" and one.count > 1:
        return f"until {moment(one.until_ms)}"
    return one.session_run_id or ""


def _outcome(one: "CronRunInfo") -> str:
    """Without colours: they would shift the columns of a table."""
    text = one.state
    if one.state == "missed" and (one.count > 1 or one.more):
        text = f"{text} {one.count}{'+' if one.more else ''}"
    if one.error_code and one.error_code != one.state:
        text += f" ({one.error_code})"
    if one.attempt > 1:
        text += f", attempt {one.attempt}"
    return text
