"""`palyra add`"""

from typing import IO, Any

import click

from palyra.cli.chat.options import place_options
from palyra.cli.command import Invocation, command_options, terminal_width
from palyra.cli.output import counted, one_line, styled, write_table


@click.command()
@click.argument("file", type=click.File("r", encoding="utf-8", errors="strict"), default="-")
@click.option("--session", default="added", show_default=True, help="The conversation it belongs to: a key or an id.")
@click.option(
    "--wait", "wait_ms", type=int, default=10_000, show_default=True, help="At most so long, in milliseconds."
)
@place_options
@command_options
def add(call: Invocation, file: IO[str], session: str, wait_ms: int, who: dict[str, Any]) -> None:
    """Hand over a conversation: FILE, or - for standard input. What it states is remembered, the rest stays on the
    tape.

    FILE holds one message a line, {"role": "user", "content": "…"}, or a pasted chat with "Name: …" at the beginning
    of what each one says. The same again is read once.

    \b
    echo "user: I moved to Lisbon in March" | palyra add - --session standup
    """
    from palyra.api import chat as api
    from palyra.client.turns import in_parts, read_chat, together
    from palyra.core.clock import SystemClock
    from palyra.core.errors import InvalidArgument
    from palyra.wire.chat import AddTurns

    try:
        text = file.read()
    except UnicodeDecodeError as error:
        raise InvalidArgument(f"{file.name} is not UTF-8: {error.reason}", hint="save it as UTF-8") from None
    turns = read_chat(text, SystemClock().now_ms())
    done = together(
        [
            call.call(api.add_turns, AddTurns(session=session, turns=part, wait_ms=wait_ms, **who))
            for part in in_parts(turns)
        ]
    )

    def show() -> None:
        again = f", {done.repeated} were there already" if done.repeated else ""
        click.echo(f"{done.session_key}: {counted(done.added, 'turn')} added{again}")
        rows = [("written", one.kind, one_line(one.text)) for one in done.written]
        rows += [("waits", one.kind, one_line(one.text)) for one in done.waiting]
        rows += [("left", one.reason, one_line(one.text)) for one in done.left]
        write_table(rows, width=terminal_width())
        if done.pending:
            click.echo(f"{styled('not read yet:', 'yellow')} {done.pending}")
        if done.waiting:
            click.echo("decide about what waits: palyra review list", err=True)

    call.answer(done, show)
