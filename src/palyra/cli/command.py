"""What every command shares: `--data-dir`, `--json`, settings, and running an operation."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

import click

from palyra.cli.output import Progress, write_json

if TYPE_CHECKING:
    from palyra.api.operation import Operation, StreamOperation
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
        from palyra.client.local import LocalClient

        progress = Progress(quiet=self.as_json)
        client = LocalClient(self.settings(), on_wait=_say_who_holds_it, progress=progress)
        try:
            return asyncio.run(client.call(operation, request))
        finally:
            progress.close()

    def follow(self, operation: "StreamOperation[Q, R]", request: Q, show: Callable[[R], None]) -> None:
        from palyra.client.local import LocalClient

        async def run() -> None:
            items: AsyncIterator[R] = LocalClient(self.settings()).stream(operation, request)
            async for item in items:
                show(item)

        asyncio.run(run())

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
