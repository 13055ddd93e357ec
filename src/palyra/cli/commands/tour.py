"""`palyra tour`: the journal in half a minute, on a throw-away directory."""

import shlex
import tempfile
from pathlib import Path

import click


@click.command()
def tour() -> None:
    """See in half a minute what the journal does. Uses a temporary directory and removes it."""
    with tempfile.TemporaryDirectory(prefix="palyra-tour-") as root:
        data_dir, bundle = str(Path(root) / "data"), str(Path(root) / "bundle")
        secret = "my password is " + "-".join(("tango", "9f2c", "whiskey"))
        first = "01KA0000000000000000000001"
        steps: tuple[tuple[str, list[str]], ...] = (
            ("Everything is an event in a hash-chained journal.",
             ["journal", "append", "--kind", "note", "--id", first, '{"text": "Ana moved to Lisbon"}']),
            ("The same id again is the same event: retrying is safe.",
             ["journal", "append", "--kind", "note", "--id", first, '{"text": "Ana moved to Lisbon"}']),
            ("Secrets are masked before they are written; the rest of the sentence survives.",
             ["journal", "append", "--kind", "note", f'{{"text": "the wiki is down, {secret}, ask Bo"}}']),
            ("Read it back.", ["journal", "list"]),
            ("Sign what is there.", ["journal", "checkpoint"]),
            ("Take something back for good: the text is gone, the chain still holds.", ["journal", "erase", first]),
            ("Check every byte of it.", ["journal", "verify"]),
            ("Give somebody a bundle that checks itself with plain Python.", ["journal", "export", bundle]),
        )  # fmt: skip
        for explanation, arguments in steps:
            click.echo(f"\n{click.style(explanation, bold=True)}")
            click.echo(
                click.style(f"$ palyra {shlex.join(arguments)}", fg="cyan").replace(secret, "my password is ...")
            )
            _run([*arguments, "--data-dir", data_dir])
    click.echo('\nYour own journal starts with: palyra journal append --kind note \'{"text": "hello"}\'')


def _run(arguments: list[str]) -> None:
    from palyra.cli.main import cli

    cli.main(arguments, prog_name="palyra", standalone_mode=False)
