"""`palyra token …`"""

from typing import TYPE_CHECKING

import click

from palyra.cli.command import Group, Invocation, command_options, terminal_width
from palyra.cli.ids import Id
from palyra.cli.moments import parse_duration_ms
from palyra.cli.output import moment, printable, write_table

if TYPE_CHECKING:
    from palyra.wire.access import TokenInfo


_ACTORS = {"person": "user", "agent": "agent"}


@click.group(cls=Group)
def token() -> None:
    """Give programs a way in, and take it away again."""


@token.command()
@click.option("--principal", help="Whose memory it opens. Default: memory.default_principal.")
@click.option(
    "--can", "capabilities", multiple=True, help="read, write, forget, sensitive, metrics; for a person also review,"
    " schedule, erase, operate, any_principal. Repeat for several. Default: read and write.",
)  # fmt: skip
@click.option("--channel", "channels", multiple=True, help="A channel it may stand in, or * for any (repeatable).")
@click.option(
    "--for", "holder", type=click.Choice(("person", "agent")), help="Who holds it. A person's words are the owner's;"
    " an agent's are the agent's, which is also what it is without this.",
)  # fmt: skip
@click.option("--actor", help="The same by the journal's names: user, agent, …")
@click.option("--label", default="", help="What it is for.")
@click.option("--ttl", help="How long it is good for: 30d, 12h. Default: until it is revoked.")
@command_options
def create(
    call: Invocation,
    principal: str | None,
    capabilities: tuple[str, ...],
    channels: tuple[str, ...],
    holder: str | None,
    actor: str | None,
    label: str,
    ttl: str | None,
) -> None:
    """Make a token and show it, this once. It is the only line on standard output.

    \b
    palyra token create --for person --label laptop
    palyra token create --principal user:ana --can read --can write --label "coding agent"
    """
    if holder is not None and actor is not None and _ACTORS[holder] != actor:
        raise click.UsageError(f"--for {holder} and --actor {actor} contradict each other; leave one of them out.")
    from palyra.api import access as api
    from palyra.wire.access import CreateToken

    request = CreateToken(
        principal=principal,
        actor=actor or _ACTORS[holder or "agent"],
        channels=channels,
        capabilities=capabilities or ("read", "write"),
        label=label,
        ttl_ms=None if ttl is None else parse_duration_ms(ttl),
    )
    made = call.call(api.create, request)

    def show() -> None:
        info = made.info
        click.echo(made.token)
        click.echo(
            f"token {info.token_id} lets {info.actor} {', '.join(info.capabilities)} for {info.principal}, "
            f"{_until(info)}",
            err=True,
        )
        click.echo("It is kept nowhere and not shown again. Send it as: authorization: Bearer TOKEN", err=True)

    call.answer(made, show)


@token.command("list")
@click.option("--after", default="", help="Go on after this token id.")
@click.option("--limit", type=int, default=100, show_default=True)
@command_options
def list_(call: Invocation, after: str, limit: int) -> None:
    """List tokens, also those expired and revoked. None of them is shown."""
    from palyra.api import access as api
    from palyra.wire.access import ListTokens

    page = call.call(api.list_, ListTokens(after=after, limit=limit))

    def show() -> None:
        if not page.tokens:
            click.echo("no tokens: palyra token create")
        write_table([_row(info) for info in page.tokens], width=terminal_width())
        if page.next_after:
            click.echo(f"more: palyra token list --after {page.next_after}", err=True)

    call.answer(page, show)


@token.command()
@click.argument("token_id", type=Id("token"))
@command_options
def revoke(call: Invocation, token_id: str) -> None:
    """Make a token useless from now on. TOKEN_ID is what list shows, not the token itself."""
    from palyra.api import access as api
    from palyra.wire.access import RevokeToken

    info = call.call(api.revoke, RevokeToken(token_id=token_id))
    call.answer(info, lambda: click.echo(f"revoked {info.token_id}"))


def _row(info: "TokenInfo") -> tuple[str, ...]:
    return (
        info.token_id,
        info.state,
        info.principal,
        info.actor,
        ",".join(info.capabilities),
        ",".join(info.channels) or "-",
        _until(info),
        printable(info.label),
    )


def _until(info: "TokenInfo") -> str:
    return "no end" if info.expires_at_ms is None else f"until {moment(info.expires_at_ms)[:16]}"
