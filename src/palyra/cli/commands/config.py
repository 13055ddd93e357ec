"""`palyra config …`"""

from dataclasses import asdict

import click

from palyra.cli.command import Group, Invocation, command_options
from palyra.cli.output import write_table


@click.group(cls=Group)
def config() -> None:
    """Show and check the settings in force."""


@config.command()
@click.option("--origin", is_flag=True, help="Also say where each value came from.")
@command_options
def show(call: Invocation, origin: bool) -> None:
    """Show every setting: palyra.toml, then PALYRA_*, then flags."""
    from palyra.settings import flat_values, load

    loaded = load(call.flags())
    values = {key: _shown(key, value) for key, value in flat_values(loaded.settings).items()}
    answer = {key: {"value": value, "origin": loaded.origins[key]} for key, value in values.items()}
    rows = [(key, str(value), loaded.origins[key] if origin else "") for key, value in values.items()]
    call.answer(answer, lambda: write_table(rows, width=200))


@config.command()
@command_options
def check(call: Invocation) -> int:
    """Find every problem in the settings at once. Exits 2 if there is one; a setting that has gone is a warning."""
    from palyra.core.redact import redact_payload_json, redact_text
    from palyra.settings import check as check_settings

    loaded, problems = check_settings(call.flags())

    def show() -> None:
        for warning in loaded.warnings:
            click.echo(f"warning: {redact_text(str(warning)).text}")
        for problem in problems:
            click.echo(redact_text(str(problem)).text)
        if not problems:
            click.echo("ok")

    listed, warned = (
        redact_payload_json([asdict(problem) for problem in some]) for some in (problems, loaded.warnings)
    )
    call.answer({"ok": not problems, "problems": listed, "warnings": warned}, show)
    return 2 if problems else 0


def _shown(key: str, value: object) -> object:
    return "(set)" if key.endswith(("api_key", ".dsn")) and value else value
