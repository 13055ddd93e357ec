"""What the ways to connect share on the command line."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

turn_option = click.option("--no-turn", is_flag=True, help="Only set it up: send nothing.")


def client_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """How the settings of an MCP client are changed."""

    @click.option("--project", is_flag=True, help="For the current directory only, instead of all your projects.")
    @click.option("--print", "only_print", is_flag=True, help="Show the change and stop.")
    @click.option("--yes", is_flag=True, help="Do not ask.")
    @turn_option
    @wraps(function)
    def run(*args: Any, no_turn: bool, **kwargs: Any) -> Any:
        return function(*args, turn=not no_turn, **kwargs)

    return run
