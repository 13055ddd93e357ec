"""`palyra status`"""

import click

from palyra.cli.command import Invocation, command_options
from palyra.cli.output import counted, moment, printable


@click.command()
@command_options
def status(call: Invocation) -> None:
    """Show how this installation stands, at a glance."""
    from palyra.api import system as api
    from palyra.cli.external import show_standing
    from palyra.wire.system import GetSystemStatus

    found = call.call(api.status, GetSystemStatus())

    def show() -> None:
        daemon = f"process {found.pid}, since {moment(found.started_at_ms)} UTC" if found.serving else "not running"
        refused = "" if found.refuses_writes is None else f"; writes are refused: {found.refuses_writes}"
        review = f", {found.waiting_for_review} waiting for review" if found.waiting_for_review else ""
        review += f", {found.learned_waiting} learned to decide about" if found.learned_waiting else ""
        jobs = f"failing: {', '.join(found.failing_jobs)} (palyra jobs list)" if found.failing_jobs else "all well"
        paused = f"; paused: {', '.join(found.paused_jobs)}" if found.paused_jobs else ""
        click.echo(f"palyra          {found.version}")
        click.echo(f"data directory  {found.data_dir}  ({found.database_bytes:,} bytes)")
        click.echo(f"daemon          {daemon}")
        click.echo(f"journal         {counted(found.events, 'event')}, {found.unsigned_events} unsigned{refused}")
        click.echo(f"memory          {counted(found.memories, 'item')}{review}; model {found.embedding_model}")
        failed = f"; last error: {found.chat_error}" if found.chat_error else ""
        breaker = "" if found.chat_breaker == "closed" else f"; not asked for a while (breaker {found.chat_breaker})"
        active = f", {counted(found.active_runs, 'turn')} going on" if found.active_runs else ""
        click.echo(
            f"chat            {counted(found.sessions, 'session')}{active}; model {found.chat_model}{breaker}{failed}"
        )
        if found.serving:
            click.echo(f"jobs            {found.jobs}, {jobs}{paused}")
            due = [f"{job.name} {'now' if job.is_running else moment(job.next_due_ms)}" for job in found.due_jobs]
            click.echo(f"due (UTC)       {', '.join(due)}")
        if found.external is not None:
            show_standing(found.external)
        for attention in found.attention:
            click.echo(f"attention       {printable(attention)}")

    call.answer(found, show)
