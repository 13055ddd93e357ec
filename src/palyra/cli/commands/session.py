"""`palyra session …`: conversations from outside, and what an answer was made of."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from palyra.cli.chat.options import opened, place_options, session_argument
from palyra.cli.command import Group, Invocation, command_options, terminal_width
from palyra.cli.ids import Id
from palyra.cli.output import counted, moment, one_line, printable, write_table

if TYPE_CHECKING:
    from palyra.wire.chat import SessionInfo, SessionPage


@click.group(cls=Group)
def session() -> None:
    """Look at conversations, and at what an answer was made of."""


@session.command("list")
@click.option("--archived", is_flag=True, help="Also those that were put away.")
@click.option("--all", "everything", is_flag=True, help="All pages.")
@click.option("--after", help="Continue after this session key.")
@click.option("--limit", type=int, default=50, show_default=True, help="Sessions per page, 1..500.")
@place_options
@command_options
def list_(
    call: Invocation, archived: bool, everything: bool, after: str | None, limit: int, who: dict[str, Any]
) -> None:
    """List conversations, last active first."""
    from palyra.api import chat as api
    from palyra.wire.chat import ListSessions

    with opened(call, api.list_) as client:
        page: SessionPage | None = None
        while page is None or (everything and page.next_after_session_key is not None):
            request = ListSessions(after_session_key=after, limit=limit, archived=archived, **who)
            found = client.call(api.list_, request)
            found.sessions = [*(page.sessions if page is not None else ()), *found.sessions]
            page, after = found, found.next_after_session_key
    done = page

    def show() -> None:
        if not done.sessions:
            click.echo("no conversations in sight here: palyra chat")
        write_table([_row(one) for one in done.sessions], width=terminal_width())
        if done.next_after_session_key is not None:
            click.echo(f"more: palyra session list --after {done.next_after_session_key}, or --all", err=True)

    call.answer(done, show)


def _row(one: "SessionInfo") -> tuple[str, ...]:
    state = "archived" if one.archived else "branch" if one.parent_id else "open"
    return one_line(one.key), moment(one.active_at_ms), state, one_line(one.title) or "(no title)"


@session.command()
@session_argument()
@click.option("--everything", is_flag=True, help="Also what was undone, or cut off by a reset.")
@place_options
@command_options
def show(call: Invocation, session: str, everything: bool, who: dict[str, Any]) -> None:
    """Show what was said."""
    from palyra.api import chat as api
    from palyra.cli.chat.tape import read_transcript, show_transcript

    with opened(call, api.transcript) as client:
        found = read_transcript(client, session, who, everything=everything)
    call.answer(found, lambda: show_transcript(found))


@session.command()
@click.argument("query")
@click.option("--limit", type=int, default=20, show_default=True, help="At most this many hits, 1..64.")
@place_options
@command_options
def search(call: Invocation, query: str, limit: int, who: dict[str, Any]) -> None:
    """Find words in all conversations."""
    from palyra.api import chat as api
    from palyra.wire.chat import SearchSessions

    found = call.call(api.search, SearchSessions(query=query, limit=limit, **who))

    def show_hits() -> None:
        click.echo(counted(len(found.hits), "hit"))
        rows = [
            (one_line(hit.session_key), moment(hit.at_ms), _speaker(hit.type), one_line(hit.snippet))
            for hit in found.hits
        ]
        write_table(rows, width=terminal_width())

    call.answer(found, show_hits)


def _speaker(kind: str) -> str:
    return {"user_message": "you", "assistant_message": "palyra", "assistant_text": "palyra"}.get(kind, "tool")


@session.command()
@session_argument()
@click.option("--format", "form", type=click.Choice(["markdown", "json"]), default="markdown", show_default=True)
@click.option("--output", "-o", type=click.Path(), help="A new file, for you alone (mode 0600).")
@click.option("--force", is_flag=True, help="Replace the file if there is one.")
@place_options
@command_options
def export(call: Invocation, session: str, form: str, output: str | None, force: bool, who: dict[str, Any]) -> None:
    """Write all of a conversation, to a file or standard output."""
    from palyra.api import chat as api
    from palyra.wire.chat import ExportSession

    done = call.call(api.export, ExportSession(session=session, format=form, **who))
    if output is None:
        call.answer(done, lambda: click.echo(done.content, nl=not done.content.endswith("\n")))
        return
    path = Path(output)
    _write(path, done.content, replace=force)
    call.answer({"format": form, "path": str(path)}, lambda: click.echo(f"written to {path}"))


def _write(path: Path, text: str, *, replace: bool) -> None:
    """What stood there stays until the new text is whole."""
    from palyra.core.errors import AlreadyExists, InvalidArgument

    target = path.with_name(f".{path.name}.{os.urandom(4).hex()}") if replace else path
    try:
        descriptor = os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600)
    except FileExistsError:
        raise AlreadyExists(f"{path} exists already", hint="name a new file, or give --force") from None
    except OSError as error:
        raise InvalidArgument(f"cannot write {path}: {error.strerror}", hint="check the path") from None
    try:
        with open(descriptor, "w", encoding="utf-8") as file:  # noqa: PTH123 - by number
            file.write(text)
        if replace:
            target.replace(path)
    except OSError as error:
        target.unlink(missing_ok=True)
        raise InvalidArgument(f"cannot write {path}: {error.strerror}", hint="check the path") from None


@session.command()
@click.argument("run_or_session", type=Id("run", "session"))
@place_options
@command_options
def explain(call: Invocation, run_or_session: str, who: dict[str, Any]) -> None:
    """Say why a turn said what it said: what its prompt was made of, and what was left out.

    Of a session, its last turn.
    """
    from palyra.api import chat as api
    from palyra.cli.chat.account import explanation_of, show_account

    with opened(call, api.explain) as client:
        found = explanation_of(client, run_or_session, who)
        call.answer(found, lambda: show_account(client, found, who))


@session.command()
@session_argument()
@click.argument("title")
@place_options
@command_options
def rename(call: Invocation, session: str, title: str, who: dict[str, Any]) -> None:
    """Give a conversation another TITLE."""
    from palyra.api import chat as api
    from palyra.wire.chat import RenameSession

    done = call.call(api.rename, RenameSession(session=session, title=title, **who))
    call.answer(done, lambda: click.echo(f"{done.key} is now “{printable(done.title)}”"))


@session.command()
@session_argument()
@place_options
@command_options
def reset(call: Invocation, session: str, who: dict[str, Any]) -> None:
    """Start anew under the same name. What was said stays on the tape, and in memory."""
    from palyra.api import chat as api
    from palyra.wire.chat import NameSession

    done = call.call(api.reset, NameSession(session=session, **who))
    call.answer(done, lambda: click.echo(f"{done.key} starts anew; palyra session show --everything has the rest"))


@session.command()
@session_argument()
@click.option("--undo", is_flag=True, help="Take it out again.")
@place_options
@command_options
def archive(call: Invocation, session: str, undo: bool, who: dict[str, Any]) -> None:
    """Put a conversation away: lists leave it out."""
    from palyra.api import chat as api
    from palyra.wire.chat import ArchiveSession

    done = call.call(api.archive, ArchiveSession(session=session, archived=not undo, **who))
    call.answer(done, lambda: click.echo(f"{done.key} is {'archived' if done.archived else 'in use again'}"))


from palyra.cli.chat import compaction, session_changes  # noqa: E402, F401 - add the commands that change things
