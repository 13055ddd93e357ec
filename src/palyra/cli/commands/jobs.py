"""`palyra jobs`"""

import click

from palyra.cli.command import Invocation, command_options, terminal_width
from palyra.cli.output import moment, write_table


@click.group()
def jobs() -> None:
    """See what the daemon does by itself."""


@jobs.command("list")
@command_options
def list_(call: Invocation) -> None:
    """List the daemon's jobs: when each ran last, when it is due, and what went wrong."""
    from palyra.api import system as api
    from palyra.wire.system import ListJobs

    found = call.call(api.jobs, ListJobs())

    def show() -> None:
        if not found.serving:
            click.echo("no daemon is running, and jobs run in one   hint: palyra serve")
            return
        rows = [("job", "every", "runs", "last run (UTC)", "took", "next due (UTC)", "how it went")]
        for job in found.jobs:
            last = "never" if job.last_started_ms is None else moment(job.last_started_ms)
            took = "" if job.last_ms is None else f"{job.last_ms} ms"
            due = "running now" if job.is_running else moment(job.next_due_ms)
            outcome = job.last_error or ("well" if job.runs else "")
            rows.append((job.name, f"{job.every_ms // 1_000} s", str(job.runs), last, took, due, outcome))
        write_table(rows, width=terminal_width())

    call.answer(found, show)
