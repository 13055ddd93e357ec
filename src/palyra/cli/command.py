"""What every command shares: `--data-dir`, `--json`, settings, and running an operation."""

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

import click

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
        from palyra.settings import load

        return load(self.flags()).settings

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
        return Client(self.settings(), on_wait=_say_who_holds_it, progress=watched)

    def answer(self, value: object, show: Callable[[], None]) -> None:
        if self.as_json:
            write_json(value)
        else:
            show()


def command_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options every command takes, and hands the command a Invocation."""

    @click.option("--data-dir", metavar="DIR", help="Where the journal lives (or PALYRA_HOME).")
    @click.option("--json", "as_json", is_flag=True, help="Answer in JSON.")
    @wraps(function)
    def run(*args: Any, data_dir: str | None, as_json: bool, **kwargs: Any) -> Any:
        return function(Invocation(data_dir, as_json), *args, **kwargs)

    return run


def terminal_width() -> int:
    return shutil.get_terminal_size((120, 24)).columns


def _say_who_holds_it(owner: str) -> None:
    click.echo(f"waiting for {owner} to finish with this journal…", err=True)
