"""`palyra jobs …`"""

from typing import TYPE_CHECKING

import click

from palyra.cli.command import Group, Invocation, command_options, terminal_width
from palyra.cli.output import counted, moment, printable, write_table

if TYPE_CHECKING:
    from palyra.wire.jobs import Job, JobRun


@click.group(cls=Group)
def jobs() -> None:
    """See and steer what the daemon does by itself."""


@jobs.command("list")
@command_options
def list_(call: Invocation) -> None:
    """List the jobs: when each ran last, when it is due, and what went wrong."""
    from palyra.api.operating import jobs as api
    from palyra.wire.jobs import ListJobs

    found = call.call(api.list_, ListJobs())

    def show() -> None:
        if not found.serving:
            click.echo("no daemon is running, so nothing is due by itself   hint: palyra serve")
        rows = [("job", "rhythm", "last run (UTC)", "took", "next due (UTC)", "how it went")]
        for job in found.jobs:
            last = "never" if job.last_started_ms is None else moment(job.last_started_ms)
            took = "" if job.last_ms is None else f"{job.last_ms} ms"
            rows.append((job.name, job.rhythm, last, took, _due(job, serving=found.serving), _outcome(job)))
        write_table(rows, width=terminal_width())
        for job in found.jobs:
            if job.attention:
                click.echo(f"{job.name}: {printable(job.attention)}")

    call.answer(found, show)


@jobs.command()
@click.argument("name")
@click.option("--sure", is_flag=True, help="Do also what waits for a person's word, such as expiring many memories.")
@click.option("--no-wait", is_flag=True, help="Let the daemon do it, and do not wait for the end.")
@click.option("--wait", "wait_seconds", type=int, default=300, show_default=True, help="Seconds to wait for the end.")
@command_options
def run(call: Invocation, name: str, sure: bool, no_wait: bool, wait_seconds: int) -> int:
    """Run a job now, paused or not: by the daemon if there is one, else in this process. Exits 1 if it fails."""
    from palyra.api.operating import jobs as api
    from palyra.wire.jobs import RunJob

    done = call.call(api.run, RunJob(name=name, sure=sure, wait_seconds=0 if no_wait else wait_seconds))
    call.answer(done, lambda: _show_run(done))
    return 0 if done.state in ("done", "asked") else 1


@jobs.command()
@click.argument("name")
@command_options
def pause(call: Invocation, name: str) -> None:
    """Let a job not run by itself any more. It stays so until it is resumed."""
    from palyra.api.operating import jobs as api
    from palyra.wire.jobs import PauseJob

    done = call.call(api.pause, PauseJob(name=name))
    call.answer(done, lambda: click.echo(f"{done.name} is paused   hint: palyra jobs resume {done.name}"))


@jobs.command()
@click.argument("name")
@command_options
def resume(call: Invocation, name: str) -> None:
    """Let a paused job run by itself again."""
    from palyra.api.operating import jobs as api
    from palyra.wire.jobs import ResumeJob

    done = call.call(api.resume, ResumeJob(name=name))
    call.answer(done, lambda: click.echo(f"{done.name} runs by itself again"))


@jobs.command()
@click.argument("name", required=False)
@click.option("--limit", type=int, default=50, show_default=True, help="Runs to show, 1 to 500.")
@click.option("--before-seq", type=int, help="Go on from here: next_before_seq of the answer before.")
@command_options
def history(call: Invocation, name: str | None, limit: int, before_seq: int | None) -> None:
    """Show the runs that did something, failed or were asked for, newest first."""
    from palyra.api.operating import jobs as api
    from palyra.wire.jobs import ListJobRuns

    found = call.call(api.history, ListJobRuns(name=name, limit=limit, before_seq=before_seq))

    def show() -> None:
        if not found.runs:
            click.echo("no run is on record")
            return
        rows = [("seq", "job", "began (UTC)", "took", "how", "items", "asked by", "what came of it")]
        for run in found.runs:
            told = printable(run.error or run.attention or "; ".join(run.notes))
            began = "" if run.started_at_ms is None else moment(run.started_at_ms)
            took = f"{run.took_ms} ms"
            rows.append((str(run.seq), run.name, began, took, run.state, str(run.items), printable(run.by), told))
        write_table(rows, width=terminal_width())
        if found.next_before_seq is not None:
            click.echo(f"more: --before-seq {found.next_before_seq}")

    call.answer(found, show)


def _due(job: "Job", *, serving: bool) -> str:
    if job.paused_by is not None:
        return "paused"
    if job.is_stuck:
        return "stuck"
    if job.is_running:
        return "running now"
    return "" if job.next_due_ms is None or not serving else moment(job.next_due_ms)


def _outcome(job: "Job") -> str:
    if job.last_error is not None:
        times = f" ({job.failures} times in a row)" if job.failures > 1 else ""
        return f"failed{times}: {printable(job.last_error)}"
    if job.attention:
        return "see below"
    return "" if job.last_started_ms is None else "well"


def _show_run(done: "JobRun") -> None:
    if done.state == "asked":
        click.echo(f"{done.name} was asked for   hint: palyra jobs list shows when it has run")
        return
    told = printable(done.error or "; ".join(done.notes))
    click.echo(
        f"{done.name}: {done.state} in {done.took_ms} ms, {counted(done.items, 'item')}{f'; {told}' if told else ''}"
    )
    if done.attention:
        click.echo(printable(done.attention))
