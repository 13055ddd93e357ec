"""`palyra tour`: memory and its journal in half a minute, on a throw-away directory."""

import shlex
import tempfile
from pathlib import Path

import click

from palyra.cli.output import styled


@click.command()
def tour() -> None:
    """See in half a minute what Palyra does. Uses a temporary directory and removes it."""
    with tempfile.TemporaryDirectory(prefix="palyra-tour-") as root:
        data_dir, bundle = str(Path(root) / "data"), str(Path(root) / "bundle")
        secret = "my password is " + "-".join(("tango", "9f2c", "whiskey"))
        steps: tuple[tuple[str, list[str]], ...] = (
            ("Remember something.", ["memory", "retain", "I moved to Lisbon in March"]),
            ("Find it by meaning: no word of the question is in it.",
             ["memory", "search", "which city do I live in?", "--include-score-breakdown"]),
            ("Nobody else does.", ["memory", "search", "which city do I live in?", "--principal", "user:bo"]),
            ("Say a thing, then correct it.", ["memory", "retain", "The staging port is 5432"]),
            ("The correction takes its place; the old one stays answerable as of its time.",
             ["memory", "retain", "Actually the staging port is 6543"]),
            ("What an agent would be given, with a receipt in the journal.", ["memory", "recall", "staging port"]),
            ("Secrets are masked before they are written, and the rest waits for your decision.",
             ["memory", "retain", f"the wiki is down, {secret}, ask Bo"]),
            ("Everything is an event in a hash-chained journal.", ["journal", "list"]),
            ("Check every byte of it.", ["journal", "verify"]),
            ("Give somebody a bundle that checks itself with plain Python.", ["journal", "export", bundle]),
        )  # fmt: skip
        for explanation, arguments in steps:
            click.echo(f"\n{styled(explanation, bold=True)}")
            click.echo(styled(f"$ palyra {shlex.join(arguments)}".replace(secret, "my password is ..."), "cyan"))
            _run([*arguments, "--data-dir", data_dir])
    click.echo('\nYour own memory starts with: palyra memory retain "…"')


def _run(arguments: list[str]) -> None:
    from palyra.cli.main import cli

    cli.main(arguments, prog_name="palyra", standalone_mode=False)
