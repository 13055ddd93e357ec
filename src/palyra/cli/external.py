"""`palyra memory external …`: the mirror of the vectors in an engine elsewhere."""

from typing import TYPE_CHECKING

import click

from palyra.cli.command import Group, Invocation, command_options, terminal_width
from palyra.cli.output import counted, printable, styled, write_table

if TYPE_CHECKING:
    from palyra.wire.external import ExternalDrift, ExternalObjective, ExternalStanding, ExternalStatus, Mirrored


@click.group(cls=Group)
def external() -> None:
    """See and repair the mirror of the vectors in an engine elsewhere."""


@external.command()
@command_options
def status(call: Invocation) -> int:
    """Show how the mirror stands. Exits 6 while no server of it answers."""
    from palyra.api import external as api
    from palyra.wire.external import GetExternalStatus

    found = call.call(api.status, GetExternalStatus())
    call.answer(found, lambda: _show_status(found))
    return 6 if found.state == "down" else 0


@external.command()
@command_options
def drift(call: Invocation) -> int:
    """Compare what the engine has with what it should have, by content. Exits 8 if something differs."""
    from palyra.api import external as api
    from palyra.wire.external import FindDrift

    found = call.call(api.drift, FindDrift())
    call.answer(found, lambda: click.echo(_told(found)))
    return 8 if found.differences else 0


@external.command()
@command_options
def reconcile(call: Invocation) -> int:
    """Compare, and put right what differs. Exits 8 if something still does."""
    from palyra.api import external as api
    from palyra.wire.external import Reconcile

    done = call.call(api.reconcile, Reconcile())

    def show() -> None:
        click.echo(f"before  {_told(done.before)}")
        click.echo(f"after   {_told(done.after)}")

    call.answer(done, show)
    return 8 if done.after.differences else 0


@external.command()
@command_options
def rebuild(call: Invocation) -> int:
    """Mirror everything anew. Searches are answered by the local index meanwhile."""
    from palyra.api import external as api
    from palyra.wire.external import RebuildExternal

    done = call.call(api.rebuild, RebuildExternal())
    call.answer(done, lambda: _show_mirrored(done))
    return 6 if done.pending else 0


def _show_status(found: "ExternalStatus") -> None:
    if found.provider == "off":
        click.echo("off: search by meaning is done in this process   hint: docs/guides/external.md")
        return
    colour = "green" if found.state == "healthy" else "yellow"
    click.echo(f"{found.provider} {styled(found.state, colour)}, {found.model}")
    click.echo(
        f"{'pending':<12} {counted(found.pending, 'item')}, {counted(found.unread_events, 'event')} unread;"
        f" watermark {found.watermark}"
    )
    p50, p95 = found.query_p50_ms, found.query_p95_ms
    times = "" if p50 is None else f", p50 {p50:.1f} ms, p95 {p95:.1f} ms"
    click.echo(f"{'searches':<12} {found.searches}{times}")
    for title, counts in (("fallbacks", found.fallbacks), ("rejected", found.rejected), ("elsewhere", found.elsewhere)):
        if counts:
            click.echo(f"{title:<12} {', '.join(f'{name} {count}' for name, count in sorted(counts.items()))}")
    rows = [("server", "breaker", "vectors", "principals", "last error")]
    rows += [
        (one.name, one.breaker, str(one.held), str(one.principals), printable(one.last_error)) for one in found.shards
    ]
    write_table(rows, width=terminal_width())
    for one in found.objectives:
        click.echo(f"{one.name:<18} {_told_objective(one)}")
    if found.last_drift is not None:
        click.echo(f"{'drift':<12} {_told(found.last_drift)}")
    if found.doubt:
        click.echo(f"{'doubt':<12} {printable(found.doubt)}: all will be compared soon")


def show_standing(found: "ExternalStanding") -> None:
    """For `palyra status`."""
    state = styled(found.state, "green" if found.state == "healthy" else "yellow")
    hint = "" if found.state == "healthy" else "   hint: palyra memory external status"
    click.echo(f"{'engine':<15} {found.provider} {state}{hint}")
    for one in found.objectives:
        click.echo(f"  {one.name:<17} {_told_objective(one)}")


def _told_objective(one: "ExternalObjective") -> str:
    """12 ms, at most 250 ms  ok"""
    bound = f"{'at least' if one.is_floor else 'at most'} {_amount(one.target, one.unit)}"
    if one.value is None:
        return f"not measured yet, {bound}"
    mark = "ok" if one.is_met else styled("missed", "yellow")
    return f"{_amount(one.value, one.unit)}, {bound}  {mark}"


def _amount(value: float, unit: str) -> str:
    if unit == "share":
        return f"{value * 100:.3g} %"
    return f"{value / 1_000:.3g} s" if value >= 1_000 else f"{value:.3g} ms"


def _show_mirrored(done: "Mirrored") -> None:
    click.echo(f"{counted(done.items, 'item')} mirrored, {done.pending} pending")


def _told(drift: "ExternalDrift") -> str:
    if not drift.differences:
        return f"none: {counted(drift.items, 'item is', 'items are')} as they should be"
    return (
        f"{drift.differences} of {counted(drift.items, 'item')} in {counted(drift.ranges, 'range')}:"
        f" {drift.missing} missing,"
        f" {drift.differing} differ, {drift.extra} should not be there"
    )
