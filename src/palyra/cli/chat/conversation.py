"""A conversation from this side of the screen: which session, what waits to be sent with the next message."""

from collections.abc import Callable
from contextlib import closing
from typing import Any

from palyra.api import chat as api
from palyra.api import memory as memory_api
from palyra.api.operation import StreamOperation
from palyra.cli.chat.message import File, check_files, check_text
from palyra.cli.chat.screen import Screen, room, short
from palyra.cli.chat.tape import last_answer, read_transcript
from palyra.cli.chat.turn import M, TurnView
from palyra.cli.output import counted
from palyra.client.chat import ChatClient
from palyra.core.errors import FailedPrecondition, NotFound, PalyraError
from palyra.wire import chat as wire
from palyra.wire.memory import GetItem


class Conversation:
    """`who`: where the person stands. `session`: none until the first message, so that looking in leaves nothing.
    `agrees` asks the person; none: nobody is there, and the answer is no."""

    def __init__(
        self,
        client: ChatClient,
        screen: Screen,
        who: dict[str, Any],
        session: wire.SessionInfo | None,
        *,
        title: str = "",
        inject: bool = True,
        agrees: Callable[[str], bool] | None,
        turn: type[TurnView] = TurnView,
    ) -> None:
        self.client = client
        self.screen = screen
        self.who = who
        self.session = session
        self.files: list[File] = []
        """go with the next message"""
        self._title = title
        self._inject = inject
        self._agrees = agrees
        self._turn = turn

    # -- a turn

    def send(self, text: str) -> TurnView:
        return self._listen(api.send, self.message(text))

    def message(self, text: str) -> wire.SendMessage:
        """Ready to be sent: everything is checked before a session is made for it."""
        check_text(text, alone=not self.files)
        check_files(self.files)
        files, self.files = self.files, []  # a file that is refused is not offered with every later message
        session = self.opened_session()
        attachments: list[str] = []
        for file in files:
            added = wire.AddAttachment(name=file.name, data=file.data, session=session.session_id, **self.who)
            made = self.client.call(api.attach, added)
            for warning in made.warnings:
                self.screen.note(f"{made.name}: {warning}")
            attachments.append(made.attachment_id)
        delta = None if self._inject else wire.ParameterDelta(auto_inject=False)
        return wire.SendMessage(
            session=session.session_id, text=text, attachments=tuple(attachments), parameter_delta=delta, **self.who
        )

    def retry(self) -> TurnView:
        return self._listen(api.retry, wire.RetryRun(session=self._begun().session_id, **self.who))

    def follow(self, run_id: str) -> TurnView:
        return self._listen(api.follow, wire.FollowRun(run_id=run_id, **self.who))

    def decide(self, run_id: str, call_id: str, question: str) -> None:
        """Has the person say whether a tool may do it."""
        self.screen.note(question)
        approve, reason = self._agrees is not None and self._agrees("allow?"), ""
        if self._agrees is None:
            reason = "nobody is here to ask"
        decision = wire.DecideTool(run_id=run_id, call_id=call_id, approve=approve, reason=reason, **self.who)
        try:
            self.client.call(api.decide, decision)
        except NotFound:
            self.screen.note("that is decided already")

    def _listen(self, operation: StreamOperation[M, wire.StreamLine], request: M) -> TurnView:
        turn = self._turn(self.screen, self.decide)
        try:
            with closing(self.client.stream(operation, request)) as lines:
                for line in lines:
                    turn.take(line)
        except KeyboardInterrupt:
            self.screen.end_answer()
            self._abort(turn, operation, request)
        self._show_used(turn)
        return turn

    def _abort(self, turn: TurnView, operation: StreamOperation[M, wire.StreamLine], request: M) -> None:
        if not turn.run_id:
            # The same request again is the same run: so we learn which one it is.
            with closing(self.client.stream(operation, request)) as lines:
                turn.run_id = next(lines).run_id
        try:
            self.client.call(api.abort, wire.NameRun(run_id=turn.run_id, **self.who))
        except FailedPrecondition:  # it was faster
            self.screen.note("the turn is over: palyra session show has all of it")
        else:
            self.screen.note("stopped; what had arrived is kept")
        turn.state = "cancelled"

    def _show_used(self, turn: TurnView) -> None:
        used = turn.memories
        if not used:
            return
        size = room(22 + 7 * len(used), len(used))
        told = ", ".join(f"[{one.get('citation')}] {short(self.memory_text(one), size)}" for one in used)
        self.screen.note(f"used {counted(len(used), 'memory')}: {told}")

    def memory_text(self, memory: dict[str, Any]) -> str:
        """Its text, else its id: it may have been forgotten since."""
        return memory_text(self.client, str(memory.get("memory_id", "")), self._place())

    def _place(self) -> dict[str, Any]:
        if self.session is None:
            return self.who
        return {**self.who, "channel": self.session.channel, "session_id": self.session.session_id}

    # -- the session

    def opened_session(self) -> wire.SessionInfo:
        if self.session is None:
            self.session = self.client.call(api.create, wire.CreateSession(title=self._title, **self.who))
        return self.session

    def start_anew(self, title: str) -> None:
        self.session, self._title, self.files = None, title, []

    def branch(self, key: str | None) -> wire.SessionInfo:
        request = wire.BranchSession(session=self._begun().session_id, key=key, **self.who)
        self.session = self.client.call(api.branch, request)
        return self.session

    def rename(self, title: str) -> wire.SessionInfo:
        request = wire.RenameSession(session=self._begun().session_id, title=title, **self.who)
        self.session = self.client.call(api.rename, request)
        return self.session

    def undo(self) -> str:
        """What had been asked."""
        return self.client.call(api.undo, wire.NameSession(session=self._begun().session_id, **self.who)).text

    def current(self) -> wire.SessionInfo:
        """As it is now: its title comes with the first answer."""
        found = self.client.call(api.get, wire.NameSession(session=self._begun().session_id, **self.who))
        self.session = found.session
        return found.session

    def pin_last_answer(self) -> list[wire.TapeEntry]:
        return pin_last_answer(self.client, self._begun().session_id, self.who, pinned=True)

    def _begun(self) -> wire.SessionInfo:
        if self.session is None:
            raise FailedPrecondition("nothing was said yet", hint="say something first")
        return self.session


def pin_last_answer(client: ChatClient, session: str, who: dict[str, Any], *, pinned: bool) -> list[wire.TapeEntry]:
    """All pieces of it: a long answer is several entries of the tape."""
    found = read_transcript(client, session, who, everything=False)
    own = {run.run_id for run in found.runs if run.session_id == found.session.session_id}
    pieces = last_answer([entry for entry in found.entries if entry.run_id in own])
    if not pieces:
        raise FailedPrecondition(
            f"session {found.session.key} has no answer of its own yet", hint="say something first"
        )
    return [
        client.call(api.pin, wire.PinEntry(session=session, event_id=piece.event_id, pinned=pinned, **who))
        for piece in pieces
    ]


def memory_text(client: ChatClient, memory_id: str, place: dict[str, Any]) -> str:
    """Its text, else its id: it may have been forgotten since."""
    try:
        return client.call(memory_api.get, GetItem(memory_id=memory_id, **place)).item.text
    except PalyraError:
        return memory_id
