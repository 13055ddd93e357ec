"""What the commands about conversations share on the command line."""

from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from palyra.cli.ids import Id

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from palyra.api.operation import AnyOperation
    from palyra.cli.command import Invocation
    from palyra.client.chat import ChatClient

_OFFERED = 50


def place_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Where the caller stands; handed on as `who`, ready for a request."""

    @click.option("--principal", help="Whose conversations. Default: memory.default_principal, which is user:local.")
    @click.option("--channel", help="The channel they are held in.")
    @wraps(function)
    def run(*args: Any, principal: str | None, channel: str | None, **kwargs: Any) -> Any:
        return function(*args, who={"principal": principal, "channel": channel}, **kwargs)

    return run


def session_argument(**given: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    return click.argument("session", type=Id("session"), shell_complete=_complete, **given)


def opened(
    call: "Invocation",
    opened_for: "AnyOperation",
    tell: Callable[[str], None] = lambda text: click.echo(text, err=True),
) -> "ChatClient":
    """For a command that asks more than once. `tell` hears of whom it waits for."""
    from palyra.client.chat import ChatClient

    settings = call.settings()
    return ChatClient(
        settings,
        opened_for=opened_for,
        on_wait=lambda owner: tell(f"waiting for {owner} to finish with this journal…"),
        on_lost=lambda: tell("the daemon went away: looking for it…"),
        on_new=call.new_store_note(settings),
    )


def _complete(context: click.Context, _parameter: click.Parameter, incomplete: str) -> "list[CompletionItem]":
    """The sessions last active. Whatever goes wrong, a tab is no place to hear of it."""
    from click.shell_completion import CompletionItem

    from palyra.api import chat as api
    from palyra.cli.command import invocation
    from palyra.core.errors import PalyraError
    from palyra.wire.chat import ListSessions

    given = context.params
    call = replace(invocation(context), as_json=True)
    try:
        if not call.settings().data_dir.exists():
            return []
        request = ListSessions(principal=given.get("principal"), channel=given.get("channel"), limit=_OFFERED)
        page = call.call(api.list_, request)
    except PalyraError:
        return []
    return [CompletionItem(one.key, help=one.title) for one in page.sessions if one.key.startswith(incomplete)]
