"""`palyra completion`"""

import click


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print what makes your shell complete palyra's commands and options.

    \b
    bash: palyra completion bash > ~/.local/share/bash-completion/completions/palyra
    zsh:  palyra completion zsh > ~/.zfunc/_palyra     (a directory of your fpath)
    fish: palyra completion fish > ~/.config/fish/completions/palyra.fish
    """
    from click.shell_completion import get_completion_class

    from palyra.cli.main import cli

    script = get_completion_class(shell)
    assert script is not None  # noqa: S101 - the choice above names those that click has
    click.echo(script(cli, {}, "palyra", "_PALYRA_COMPLETE").source())
