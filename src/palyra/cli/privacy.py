"""`palyra privacy …`: what is held about whom."""

from typing import Any

import click

from palyra.cli.chat.options import place_options
from palyra.cli.command import Group, Invocation, command_options
from palyra.cli.output import counted, moment, printable


@click.group(cls=Group)
def privacy() -> None:
    """See what is held that is nobody else's business."""


@privacy.command()
@place_options
@command_options
def report(call: Invocation, who: dict[str, Any]) -> None:
    """Count what is sensitive in memory, by kind and by whom it is about; none of its words are shown."""
    from palyra.api import memory
    from palyra.wire.memory import GetPrivacyReport

    found = call.call(memory.privacy, GetPrivacyReport(**who))

    def show() -> None:
        held = counted(found.items, "memory")
        click.echo(f"{held} of {found.principal} {'holds' if found.items == 1 else 'hold'} something sensitive")
        for kind in found.kinds:
            since = f"  {moment(kind.oldest_at_ms)[:10]} to {moment(kind.newest_at_ms)[:10]}" if kind.items else ""
            whose = ", ".join(f"{count} {trust}" for trust, count in kind.by_trust.items())
            waits = f"  {kind.waiting} waiting" if kind.waiting else ""
            click.echo(f"{kind.kind:<16} {kind.items:>5}{since}{f'  {whose}' if whose else ''}{waits}")
        for one in found.about:
            kinds = ", ".join(f"{count} {kind}" for kind, count in one.by_kind.items())
            click.echo(f"about {printable(one.name) or 'you or somebody unnamed'}: {kinds}")
        click.echo(
            f"your own words {'wait' if found.holds_all else 'do not wait'} for it;"
            f" it {'may' if found.may_leave else 'does not'} go to embedding servers elsewhere"
        )

    call.answer(found, show)
