"""`palyra chat`: a conversation in the terminal, or one turn of it for a script."""

import sys
from typing import TYPE_CHECKING, Any

import click

from palyra.cli.chat.options import opened, place_options, session_argument
from palyra.cli.command import Invocation, command_options
from palyra.cli.output import counted

if TYPE_CHECKING:
    from palyra.cli.chat.conversation import Conversation
    from palyra.cli.chat.keyboard import Keyboard
    from palyra.client.chat import ChatClient
    from palyra.wire.chat import SessionInfo


@click.command()
@session_argument(required=False)
@click.option("--continue", "-c", "last", is_flag=True, help="Go on with the session that was last active.")
@click.option("--new", is_flag=True, help="Begin SESSION, which there must not be yet.")
@click.option("--title", default="", help="Of a new session. Default: what you say first.")
@click.option("--message", "-m", help="Say this, print the answer and end (- reads standard input).")
@click.option("--attach", "attached", multiple=True, metavar="FILE", help="Send a file along (repeat for several).")
@click.option("--no-memory", is_flag=True, help="Put no memories into the prompts.")
@place_options
@command_options
def chat(call: Invocation, session: str | None, message: str | None, **given: Any) -> None:
    """Talk to the model that is set, which knows what Palyra remembers; without one, to your memory.

    At a terminal: a conversation. With --message, or text on standard input: one turn, with the answer on standard
    output and everything else on standard error; --json prints the stream, line by line.
    """
    from palyra.core.errors import InvalidArgument

    if given["last"] and (session is not None or given["new"]):
        raise InvalidArgument("--continue is the session that was last active, and no other", hint="leave one out")
    if given["title"] and (given["last"] or (session is not None and not given["new"])):
        raise InvalidArgument("--title is for a new session", hint="palyra session rename SESSION TITLE")
    if message is None and not call.as_json and _is_at_a_terminal():
        _converse(call, session, **given)
    else:
        _say_once(call, session, message, **given)


def _is_at_a_terminal() -> bool:
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))


def _say_once(
    call: Invocation, session: str | None, message: str | None, attached: tuple[str, ...], **given: Any
) -> None:
    from palyra.api import chat as api
    from palyra.cli.chat.conversation import Conversation
    from palyra.cli.chat.message import check_files, check_text, read_file, read_text
    from palyra.cli.chat.screen import Screen
    from palyra.cli.chat.turn import RawTurn, TurnView, cancelled

    text = message if message not in (None, "-") else "" if sys.stdin is None else read_text(sys.stdin.buffer)
    files = [read_file(name) for name in attached]
    check_text(text, alone=not files)
    check_files(files)
    screen = Screen(notes_apart=True, quiet=call.as_json)
    with opened(call, api.send, screen.break_in) as client:
        found = _session(client, session, **given)
        talk = Conversation(
            client,
            screen,
            given["who"],
            found,
            title=given["title"],
            inject=not given["no_memory"],
            agrees=None,
            turn=RawTurn if call.as_json else TurnView,
        )
        talk.files = files
        turn = talk.send(text)
    call.keep_last(session=talk.opened_session().session_id, run=turn.run_id)
    if turn.error is not None:
        raise turn.error
    if turn.state == "cancelled":
        raise cancelled(turn.run_id)


def _converse(call: Invocation, session: str | None, attached: tuple[str, ...], **given: Any) -> None:
    from palyra.api import chat as api
    from palyra.cli.chat.conversation import Conversation
    from palyra.cli.chat.keyboard import Keyboard
    from palyra.cli.chat.message import read_file
    from palyra.cli.chat.screen import Screen
    from palyra.cli.chat.slash import COMMANDS

    files = [read_file(name) for name in attached]
    screen = Screen()
    with opened(call, api.send, screen.break_in) as client:
        found = _session(client, session, **given)
        keyboard = Keyboard(call.settings().data_dir, [f"/{name}" for name in COMMANDS])
        talk = Conversation(
            client,
            screen,
            given["who"],
            found,
            title=given["title"],
            inject=not given["no_memory"],
            agrees=keyboard.confirm,
        )
        talk.files = files
        _greet(talk)
        _talk(talk, keyboard)
        if talk.session is not None:
            screen.note(f"go on with it: palyra chat {talk.session.key}")


def _greet(talk: "Conversation") -> None:
    from palyra.api import chat as api
    from palyra.wire.chat import GetModel, NameSession

    model = talk.client.call(api.model, GetModel(**talk.who))
    which = "a new session" if talk.session is None else f"“{talk.session.title or talk.session.key}”"
    by = (
        "offline: answers from memory alone; set models.provider for more"
        if model.provider == "offline"
        else f"{model.provider} {model.model}"
    )
    talk.screen.note(f"{which} · {by}")
    if model.last_error:
        talk.screen.note(f"the model failed last time: {model.last_error}")
    for file in talk.files:
        talk.screen.note(f"{file.name} ({counted(len(file.data), 'byte')}) goes with your first message")
    talk.screen.note("/help lists what else you can do, Ctrl-D leaves")
    if talk.session is None:
        return
    lineage = talk.client.call(api.get, NameSession(session=talk.session.session_id, **talk.who))
    for run in lineage.active_runs:
        talk.screen.note("an answer is still coming:")
        talk.follow(run.run_id)


def _talk(talk: "Conversation", keyboard: "Keyboard") -> None:
    from palyra.cli.chat.slash import Leave, run_command
    from palyra.core.errors import PalyraError

    asked_to_leave = False
    while True:
        try:
            text = keyboard.read()
        except EOFError:
            click.echo()
            return
        except KeyboardInterrupt:
            click.echo()
            if asked_to_leave:
                return
            talk.screen.note("Ctrl-C again or Ctrl-D leaves")
            asked_to_leave = True
            continue
        asked_to_leave = False
        if not text.strip() and not talk.files:
            continue
        try:
            if text.startswith("/") and not text.startswith("//"):
                run_command(talk, text)
            else:
                turn = talk.send(text[1:] if text.startswith("//") else text)
                if turn.error is not None:
                    talk.screen.fail(turn.error)
                talk.screen.gap()
        except Leave:
            return
        except PalyraError as error:
            talk.screen.fail(error)
        except KeyboardInterrupt:
            click.echo()
            talk.screen.note("stopped")


def _session(
    client: "ChatClient", session: str | None, *, last: bool, new: bool, title: str, who: dict[str, Any], **_given: Any
) -> "SessionInfo | None":
    """The one that is meant; none: a new one, made with the first message."""
    from palyra.api import chat as api
    from palyra.core.errors import NotFound
    from palyra.wire.chat import CreateSession, ListSessions, NameSession

    if last:
        found = client.call(api.list_, ListSessions(limit=1, **who)).sessions
        return found[0] if found else None
    if session is None:
        return None
    if new:
        return client.call(api.create, CreateSession(key=session, title=title, **who))
    try:
        return client.call(api.get, NameSession(session=session, **who)).session
    except NotFound as error:
        raise NotFound(error.message, hint="palyra session list names them; --new begins one of that name") from None
