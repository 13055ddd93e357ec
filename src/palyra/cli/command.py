"""What every command shares: `--data-dir`, `--json`, settings, and running an operation."""

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from palyra.cli.ids import complete_ids, ids_in, keep_ids
from palyra.cli.output import Progress, write_json

if TYPE_CHECKING:
    from palyra.api.operation import Operation, StreamOperation
    from palyra.client.connect import Client
    from palyra.settings import Settings
    from palyra.wire.base import Request, Response

Q = TypeVar("Q", bound="Request")
R = TypeVar("R", bound="Response")


@dataclass(frozen=True, slots=True)
class Invocation:
    """One invocation: where the data is, and how to answer."""

    data_dir: str | None
    as_json: bool

    def settings(self) -> "Settings":
        return in_force(self.flags())

    def flags(self) -> dict[str, str]:
        return {} if self.data_dir is None else {"daemon.data_dir": self.data_dir}

    def call(self, operation: "Operation[Q, R]", request: Q) -> R:
        """By the running daemon if there is one, else in this process."""
        if getattr(request, "request_id", "") is None:
            request.request_id = os.urandom(16).hex()  # type: ignore[attr-defined] # so it can be sent again unharmed
        progress = Progress(quiet=self.as_json)
        try:
            return self._client(progress).call_now(operation, request)
        finally:
            progress.close()

    def follow(self, operation: "StreamOperation[Q, R]", request: Q, show: Callable[[R], None]) -> None:
        self._client(None).stream_now(operation, request, show)

    def _client(self, progress: Progress | None) -> "Client":
        from palyra.client.connect import Client

        watched = progress if progress is not None and progress.is_watched else None
        settings = self.settings()
        return Client(settings, on_wait=_say_who_holds_it, on_new=self.new_store_note(settings), progress=watched)

    def new_store_note(self, settings: "Settings") -> Callable[[], None]:
        """For who named a directory: one that was mistyped must not look like a memory that is gone."""
        from palyra.settings import default_data_dir

        if self.as_json or settings.data_dir == Path(default_data_dir()):
            return lambda: None
        return lambda: click.echo(f"there was no store at {settings.data_dir}: a new one was made", err=True)

    def answer(self, value: object, show: Callable[[], None]) -> None:
        if self.as_json:
            write_json(value)
        else:
            show()
        self.note(value)

    def note(self, value: object) -> None:
        """Its ids have been shown, or made: `@last` means them."""
        self.keep_last(**ids_in(value))

    def keep_last(self, **ids: str) -> None:
        """By kind."""
        if ids:
            keep_ids(self.settings().data_dir, ids)


_SHARED: tuple[tuple[tuple[str, ...], dict[str, Any]], ...] = (
    (("--data-dir",), {"metavar": "DIR", "help": "Where the journal lives (or PALYRA_HOME)."}),
    (("--json", "as_json"), {"is_flag": True, "help": "Answer in JSON."}),
)
"""what every command takes"""


SYNONYMS = {
    **dict.fromkeys(("remember", "add", "save", "store", "put"), "retain"),
    **dict.fromkeys(("forget", "remove", "rm"), "delete"),
    **dict.fromkeys(("find", "query", "grep"), "search"),
    **dict.fromkeys(("start", "run", "up", "init", "setup", "daemon"), "serve"),
    **dict.fromkeys(("ask", "say", "talk"), "chat"),
    **dict.fromkeys(("login", "ui", "web", "open"), "console"),
    **dict.fromkeys(("edit", "correct", "change"), "update"),
    "ls": "list",
    "explain": "why",
    "settings": "config",
}
"""what others call it, and what people type first"""


class Group(click.Group):
    """Its subcommands' shared options may stand before the subcommand, too."""

    def __init__(self, *args: Any, **given: Any) -> None:
        super().__init__(*args, **given)
        self.params += [click.Option(names, **more, expose_value=False, callback=_keep) for names, more in _SHARED]

    def resolve_command(
        self, context: click.Context, arguments: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = arguments[0]
        if name.startswith("-") or name in self.list_commands(context):
            return super().resolve_command(context, arguments)
        meant = " or ".join(map(repr, self.near(context, name)))
        meant = f" Did you mean {meant}?" if meant else ""
        raise click.UsageError(f"No such command {name[:64]!r}.{meant}", context)

    def near(self, context: click.Context, name: str) -> list[str]:
        """What somebody may have meant who typed a command there is not."""
        known = self.list_commands(context)
        word = SYNONYMS.get(name)
        return [word] if word in known else get_close_matches(name, known, 1)


def in_force(flags: dict[str, str]) -> "Settings":
    """What has gone from the settings is said once, on standard error."""
    from palyra.settings import load

    loaded = load(flags)
    for warning in loaded.warnings:
        _warn(str(warning))
    return loaded.settings


@cache
def _warn(text: str) -> None:
    from palyra.core.redact import redact_text

    click.echo(f"warning: {redact_text(text).text}", err=True)


def command_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the shared options, and hands the command an Invocation."""

    @wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        context = click.get_current_context()
        call = invocation(context)
        complete_ids(call, context.command, kwargs)
        _frame(call, (kwargs.get("who") or kwargs).get("principal"))
        return function(call, *args, **kwargs)

    for names, more in reversed(_SHARED):
        click.option(*names, **more, expose_value=False, callback=_keep)(run)
    return run


def _frame(call: Invocation, principal: str | None) -> None:
    """A line before what is the sample's, so that nobody takes it for their own."""
    if principal is None or call.as_json:
        return
    from palyra.wire.demo import SAMPLE_PRINCIPAL, GetDemoStatus

    if principal != SAMPLE_PRINCIPAL:
        return
    from palyra.api.operating import demo as api

    if call.call(api.status, GetDemoStatus()).state in ("partial", "loaded"):
        click.echo("sample: somebody made up, not your memory; without --principal you see your own", err=True)


def invocation(context: click.Context) -> Invocation:
    """As given on any level of the command line; what stands nearest to the command counts."""
    return Invocation(context.meta.get("palyra.data_dir"), bool(context.meta.get("palyra.as_json")))


def _keep(context: click.Context, option: click.Parameter, value: object) -> None:
    if value:
        context.meta[f"palyra.{option.name}"] = value


def terminal_width() -> int:
    return shutil.get_terminal_size((120, 24)).columns


def _say_who_holds_it(owner: str) -> None:
    click.echo(f"waiting for {owner} to finish with this journal…", err=True)
