"""`palyra`: the groups and commands by name, each loaded when it is asked for."""

import logging
import sys
from difflib import get_close_matches
from importlib import import_module
from io import TextIOWrapper
from itertools import chain
from typing import TYPE_CHECKING, Any

import click

from palyra.cli.command import SYNONYMS, Group, invocation

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

COMMANDS = {
    "serve": ("palyra.cli.commands.serve:serve", "Start the daemon: HTTP, gRPC, MCP and the console."),
    "service": ("palyra.cli.service.commands:service", "Have the daemon started by itself, and kept up."),
    "chat": ("palyra.cli.commands.chat:chat", "Talk to a model that remembers, or to your memory alone."),
    "why": ("palyra.cli.chat.why:why", "Say what the last answer was given, and where that was said."),
    "connect": ("palyra.cli.connect.connecting:connect", "Connect a model, an MCP client or any program."),
    "add": ("palyra.cli.add:add", "Hand over a conversation: what it states is remembered."),
    "session": ("palyra.cli.commands.session:session", "Look at conversations, and at what an answer was made of."),
    "checkpoint": (
        "palyra.cli.chat.checkpoint:checkpoint",
        "Mark a point in a conversation and its documents, and go back to it.",
    ),
    "workspace": (
        "palyra.cli.workspace.reading:workspace",
        "Read and write the documents you keep together with your agent.",
    ),
    "cron": ("palyra.cli.cron:cron", "Let prompts run by themselves, and see what became of them."),
    "memory": ("palyra.cli.commands.memory:memory", "Remember things, find them again, correct and forget them."),
    "privacy": ("palyra.cli.privacy:privacy", "See what is held that is nobody else's business."),
    "review": ("palyra.cli.review:review", "Decide about what waits for you, and take a decision back."),
    "learning": (
        "palyra.cli.learning.reading:learning",
        "Decide about what was learned from your conversations, and take it back.",
    ),
    "journal": ("palyra.cli.commands.journal:journal", "Append to the journal, read it, verify it, prove it."),
    "console": ("palyra.cli.commands.console:console", "Sign in to the web console."),
    "mcp": ("palyra.cli.commands.mcp:mcp", "Give an agent this memory over MCP."),
    "backup": ("palyra.cli.commands.backup:backup", "Make, check and restore backups."),
    "status": ("palyra.cli.commands.status:status", "Show how this installation stands, at a glance."),
    "jobs": ("palyra.cli.commands.jobs:jobs", "See and steer what the daemon does by itself."),
    "doctor": ("palyra.cli.commands.doctor:doctor", "Look for anything wrong with this installation."),
    "token": ("palyra.cli.commands.token:token", "Give programs a way in, and take it away again."),
    "config": ("palyra.cli.commands.config:config", "Show and check the settings in force."),
    "completion": ("palyra.cli.commands.completion:completion", "Let your shell complete commands."),
    "demo": ("palyra.cli.demo:demo", "Load a sample history to look at, and remove it again."),
    "tour": ("palyra.cli.commands.tour:tour", "See in half a minute what Palyra does."),
    "version": ("palyra.cli.about:version", "Print the version."),
    "help": ("palyra.cli.about:help_", "Show what a command does and takes."),
}


class LazyGroup(Group):
    def list_commands(self, _context: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, _context: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[name][0].partition(":")
        command: click.Command = getattr(import_module(module), attribute)
        return command

    def near(self, context: click.Context, name: str) -> list[str]:
        """Also what is known in a group: `palyra search` is what somebody types who has seen it once."""
        groups = {one: self.get_command(context, one) for one in sorted(COMMANDS, key="memory".__ne__)}
        within = {one: list(group.commands) for one, group in groups.items() if isinstance(group, click.Group)}
        for word in get_close_matches(SYNONYMS.get(name, name), {*COMMANDS, *chain(*within.values())}, 1):
            return [word] if word in COMMANDS else [f"{one} {word}" for one in within if word in within[one]][:3]
        return []

    def shell_complete(self, context: click.Context, incomplete: str) -> "list[CompletionItem]":
        """From the table alone: a person waits for it at every tab."""
        from click.shell_completion import CompletionItem

        named = [CompletionItem(name, help=text) for name, (_, text) in COMMANDS.items() if name.startswith(incomplete)]
        return named + click.Command.shell_complete(self, context, incomplete)

    def format_commands(self, _context: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, help_text) for name, (_, help_text) in COMMANDS.items()])


@click.group(
    cls=LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(package_name="palyra", message="palyra %(version)s")
@click.pass_context
def cli(context: click.Context) -> None:
    """The memory of record for AI agents: one tamper-evident journal, everything else a projection of it.

    \b
    First steps:
      palyra memory retain "My sister Ines lives in Porto"
      palyra memory search "where does my sister live?"
      palyra chat
      palyra journal verify
    """
    if context.invoked_subcommand is not None:
        return
    call = invocation(context)
    if not call.as_json and all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout)):
        from palyra.cli.welcome import show_welcome

        show_welcome(call)
    else:
        click.echo(context.get_help())


def main(arguments: list[str] | None = None) -> None:
    """Runs a command; an error becomes one line on stderr and the exit code of the error table."""
    from palyra.core.errors import Cancelled, Internal, PalyraError

    arguments = sys.argv[1:] if arguments is None else arguments
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that lacks a character shows the rest
    upgrades = logging.getLogger("palyra.upgrade")
    upgrades.handlers, upgrades.propagate = [logging.StreamHandler(sys.stderr)], False
    try:
        result: Any = cli.main(arguments, prog_name="palyra", standalone_mode=False)
        sys.exit(result if isinstance(result, int) else 0)
    except click.exceptions.Abort as error:
        if isinstance(error.__cause__, KeyboardInterrupt):
            _fail(Cancelled("interrupted"), arguments)
        if not sys.stdin.isatty():
            click.echo(err=True)  # the question stands there still
        _fail(Cancelled("not confirmed: nothing was changed", hint="--yes does it without asking"), arguments)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        sys.exit(0)
    except click.UsageError as error:
        from palyra.core.errors import InvalidArgument

        command = error.ctx.command_path if error.ctx else "palyra"
        _fail(InvalidArgument(error.format_message(), hint=f"{command} --help"), arguments)
    except click.ClickException as error:
        _fail(Internal(error.format_message()), arguments)
    except PalyraError as error:
        _fail(error, arguments)
    except KeyboardInterrupt:
        _fail(Cancelled("interrupted"), arguments)
    except OSError as error:
        _cannot_answer(error, arguments)


def _cannot_answer(error: OSError, arguments: list[str]) -> None:
    from palyra.core.errors import Unavailable

    if isinstance(error, BrokenPipeError):
        sys.stderr.close()  # whoever read our output has gone, which is no error of ours
        sys.exit(0)
    if error.filename is not None:
        raise error
    setattr(sys, "stdout", None)  # noqa: B010 - mypy; else the rest would be tried again at the end
    said = f"the answer could not be written: {error.strerror}"
    _fail(Unavailable(said, hint="check where the output goes"), arguments)


def _fail(error: Any, arguments: list[str]) -> None:
    from palyra.cli.output import write_error

    write_error(error, as_json="--json" in arguments)
    sys.exit(error.exit_code)
