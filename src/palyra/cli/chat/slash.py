"""What a person can say to the chat itself: lines that begin with a slash."""

from collections.abc import Callable
from difflib import get_close_matches
from typing import NamedTuple

from palyra.api import continuity as continuity_api
from palyra.api import memory as memory_api
from palyra.cli.chat.account import explanation_of
from palyra.cli.chat.conversation import Conversation
from palyra.cli.chat.message import check_files, read_file
from palyra.cli.chat.why import in_words, reasons_of
from palyra.cli.output import counted, moment
from palyra.core.errors import InvalidArgument
from palyra.wire.continuity import ApplyCompaction
from palyra.wire.memory import Recall


class Leave(Exception):
    """The person wants to go."""


class Command(NamedTuple):
    usage: str
    does: str
    run: Callable[[Conversation, str], None]


def run_command(conversation: Conversation, line: str) -> None:
    """`line` begins with a slash. Raises InvalidArgument for a command there is not."""
    name, _, argument = line[1:].strip().partition(" ")
    name = {"exit": "quit", "q": "quit", "?": "help"}.get(name, name)
    if name not in COMMANDS:
        near = get_close_matches(name, COMMANDS, 1)
        hint = f"/{near[0]}?" if near else "/help lists them"
        raise InvalidArgument(f"there is no command /{name[:64]}", hint=f"{hint}   //{name[:24]} sends it as text")
    COMMANDS[name].run(conversation, argument.strip())


def _help(conversation: Conversation, _argument: str) -> None:
    rows = [(command.usage, command.does) for command in COMMANDS.values()] + _KEYS
    width = max(len(usage) for usage, _ in rows)
    conversation.screen.show("\n".join(f"{usage.ljust(width)}  {does}" for usage, does in rows))


_KEYS = [
    ("//text", "sends /text"),
    ("text\\", "goes on in the next line"),
    ('""" text """', "may have many lines"),
    ("Ctrl-C", "stops an answer"),
]


def _new(conversation: Conversation, argument: str) -> None:
    conversation.start_anew(argument)
    conversation.screen.note("a new session, from your next message on")


def _branch(conversation: Conversation, argument: str) -> None:
    made = conversation.branch(argument or None)
    conversation.screen.note(f"now in {made.key}, which shares what was said so far; the other one stays as it is")


def _recall(conversation: Conversation, argument: str) -> None:
    if not argument:
        raise InvalidArgument("recall what?", hint="/recall where does my sister live")
    session_id = None if conversation.session is None else conversation.session.session_id
    found = conversation.client.call(
        memory_api.recall, Recall(query=argument, session_id=session_id, **conversation.who)
    )
    if not found.memories:
        conversation.screen.note("nothing would be put into the prompt")
    for one in found.memories:
        conversation.screen.show(f"[{one.citation}] {one.text}")
        conversation.screen.note(f"score {one.score:.2f}, trust {one.trust}, {one.source}, {one.memory_id}")
    if found.degraded:
        conversation.screen.note(f"without {', '.join(found.degraded)}")


def _why(conversation: Conversation, _argument: str) -> None:
    if conversation.session is None:
        raise InvalidArgument("nothing was said yet", hint="ask something first")
    explanation = explanation_of(conversation.client, conversation.session.session_id, conversation.who)
    found = reasons_of(conversation.client, explanation, conversation.who)
    conversation.screen.show("\n".join(in_words(found)))


def _pin(conversation: Conversation, _argument: str) -> None:
    conversation.pin_last_answer()
    conversation.screen.note("the last answer stays in every prompt of this session")


def _undo(conversation: Conversation, _argument: str) -> None:
    asked = conversation.undo()
    conversation.screen.note("taken out of the conversation. You had asked:")
    conversation.screen.show(asked)


def _retry(conversation: Conversation, _argument: str) -> None:
    turn = conversation.retry()
    if turn.error is not None:
        raise turn.error


def _rename(conversation: Conversation, argument: str) -> None:
    if not argument:
        raise InvalidArgument("which title?", hint="/rename the trip to Porto")
    conversation.screen.note(f"renamed to {conversation.rename(argument).title}")


def _attach(conversation: Conversation, argument: str) -> None:
    if not argument:
        raise InvalidArgument("which file?", hint="/attach notes.pdf")
    file = read_file(argument)
    check_files([*conversation.files, file])
    conversation.files.append(file)
    conversation.screen.note(f"{file.name} ({counted(len(file.data), 'byte')}) goes with your next message")


def _compact(conversation: Conversation, _argument: str) -> None:
    if conversation.session is None:
        raise InvalidArgument("nothing was said yet", hint="there is nothing to condense")
    request = ApplyCompaction(session=conversation.session.session_id, **conversation.who)
    done = conversation.client.call(continuity_api.apply, request)
    cut = f"{done.tokens_before} -> {done.tokens_after} tokens"
    facts = f"{done.loss.present} of {counted(done.loss.facts, 'statement')} in sight"
    conversation.screen.note(f"condensed {counted(done.messages, 'message')}, {cut}; {facts}")
    if done.documents:
        conversation.screen.note(f"written to {', '.join(done.documents)}")
    for one in done.refused:
        conversation.screen.note(f"left alone: {one.path}: {one.why}")


def _session(conversation: Conversation, _argument: str) -> None:
    if conversation.session is None:
        conversation.screen.note("a new session, from your next message on")
        return
    found = conversation.current()
    where = f" in {found.channel}" if found.channel else ""
    conversation.screen.show(f"{found.title or '(no title)'}\n{found.key}  {found.principal}{where}")
    conversation.screen.note(f"begun {moment(found.created_at_ms)} UTC; go on with it: palyra chat {found.key}")


def _quit(_conversation: Conversation, _argument: str) -> None:
    raise Leave


COMMANDS = {
    "help": Command("/help", "this list", _help),
    "new": Command("/new [TITLE]", "begins a new session", _new),
    "branch": Command("/branch [KEY]", "goes another way from here, in a session of its own", _branch),
    "recall": Command("/recall QUERY", "shows what would be put into the prompt", _recall),
    "why": Command("/why", "says what the last answer was given, and where that was said", _why),
    "pin": Command("/pin", "keeps the last answer in every prompt", _pin),
    "undo": Command("/undo", "takes the last turn back", _undo),
    "retry": Command("/retry", "has the last turn answered anew", _retry),
    "rename": Command("/rename TITLE", "gives the session another title", _rename),
    "attach": Command("/attach FILE", "sends a file with the next message", _attach),
    "compact": Command("/compact", "condenses what was said first; the tape stays whole", _compact),
    "session": Command("/session", "says which session this is", _session),
    "quit": Command("/quit", "leaves; Ctrl-D does, too", _quit),
}
