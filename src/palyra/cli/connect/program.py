"""`palyra connect program`: a base URL and a token for any program that speaks OpenAI's or Anthropic's protocol."""

import click

from palyra.cli.command import Invocation, command_options
from palyra.cli.connect.options import turn_option
from palyra.core.errors import FailedPrecondition, PalyraError

_VARIABLES = {
    "openai": ("OPENAI_BASE_URL", "/v1", "OPENAI_API_KEY"),
    "anthropic": ("ANTHROPIC_BASE_URL", "", "ANTHROPIC_API_KEY"),
}


@click.command()
@click.option("--protocol", type=click.Choice(list(_VARIABLES)), help="What it speaks. Default: what the model does.")
@click.option("--principal", help="Whose memory it is given. Default: memory.default_principal.")
@click.option("--can", "capabilities", multiple=True, help="read, write, …; repeat for several. Default: both.")
@click.option("--label", default="a program", show_default=True, help="What the token is for.")
@turn_option
@command_options
def program(
    call: Invocation,
    protocol: str | None,
    principal: str | None,
    capabilities: tuple[str, ...],
    label: str,
    no_turn: bool,
) -> None:
    """Let any program have this memory by its base URL. Needs the daemon.

    Makes a token, sends one turn as the program will, and prints the two variables that most programs read:

    \b
    eval "$(palyra connect program)"
    """
    from palyra.api import access
    from palyra.api import chat as api
    from palyra.api.running import find_daemon
    from palyra.cli.connect.trying_program import try_program
    from palyra.wire.access import CreateToken, RevokeToken
    from palyra.wire.chat import GetModel

    settings = call.settings()
    daemon = find_daemon(settings.data_dir)
    if daemon is None:
        raise FailedPrecondition(
            f"no daemon serves {settings.data_dir}, and a program reaches this memory through it",
            hint="start it in another terminal: palyra serve; then repeat",
        )
    model = call.call(api.model, GetModel())
    protocol = protocol or ("anthropic" if model.provider == "anthropic" else "openai")
    made = call.call(
        access.create,
        CreateToken(principal=principal, capabilities=capabilities or ("read", "write"), label=label),
    )
    arrived = None
    try:
        if not no_turn:
            arrived = try_program(daemon.http, made.token, protocol, model.model)
    except PalyraError:
        call.call(access.revoke, RevokeToken(token_id=made.info.token_id))
        raise
    url_name, path, key_name = _VARIABLES[protocol]

    def show() -> None:
        click.echo(f"export {url_name}={daemon.http}{path}")
        click.echo(f"export {key_name}={made.token}")
        click.echo(
            f"token {made.info.token_id} lets {label} {', '.join(made.info.capabilities)} for {made.info.principal};"
            " it is kept nowhere and not shown again",
            err=True,
        )
        if arrived is not None:
            click.echo(f"one turn: {arrived}", err=True)

    answer = {
        "base_url": f"{daemon.http}{path}",
        "token": made.token,
        "info": made.info,
        "answer": None if arrived is None else arrived.text,
        "memory": None if arrived is None else arrived.memory,
    }
    call.answer(answer, show)
