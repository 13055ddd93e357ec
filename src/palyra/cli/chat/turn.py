"""One turn on the screen: the answer as it comes, and in dim lines what else happens."""

from collections.abc import Callable
from typing import Any, TypeVar

from palyra.cli.chat.screen import Screen, reference_name, room, short
from palyra.cli.output import write_json
from palyra.client.chat import AnswerText
from palyra.core.errors import TABLE, Cancelled, Internal, PalyraError, Unavailable
from palyra.wire.chat import InChat, StreamLine

M = TypeVar("M", bound=InChat)

Ask = Callable[[str, str, str], None]
"""run, call and question: has a person decide, and says so to the run"""
_OF_THE_MESSAGE = ("references", "images", "attachments")


class TurnView:
    """Takes the lines of a run and shows them."""

    def __init__(self, screen: Screen, ask: Ask) -> None:
        self._screen = screen
        self.ask = ask
        self._text = AnswerText()
        self.run_id = ""
        self.state = ""
        self.memories: list[dict[str, Any]] = []
        """what was put into its prompt"""
        self.error: PalyraError | None = None
        self._noticed = ""
        """told with the next line, unless that is an error, which says the same"""

    def take(self, line: StreamLine) -> None:
        if self._noticed and line.type != "error":
            self._screen.note(self._noticed)
        self._noticed = ""
        match line.type:
            case "meta":
                self.run_id = line.run_id
                if line.state == "pending":
                    self._screen.note("waits for another turn of this session to end")
            case "event":
                self._event(line)
            case "error":
                self.error = to_error(line.error or {})
            case "complete":
                self.state = line.state
                self._screen.end_answer()

    def _event(self, line: StreamLine) -> None:
        self._screen.say(self._text.take(line))
        data = line.data
        match line.event:
            case "assistant_message":
                self._screen.end_answer()
                if data.get("stop") == "length":
                    self._screen.note("cut off: this is all the model may say at once (models.max_output_tokens)")
            case "notice":
                self._notice(data)
            case "injection":
                self.memories = list(data.get("memories", ()))
            case "prompt_report":
                self._report(data)
            case "reference" if data.get("error"):
                self._screen.note(f"{reference_name(data)}: {data['error']}")
            case "tool_proposal":
                name, arguments = str(data.get("name")), str(data.get("arguments", ""))
                self._screen.note(f"calls {name} {short(arguments, room(len(name) + 9))}")
            case "tool_decision" if data.get("decision") != "allowed":
                reason = f": {data['reason']}" if data.get("reason") else ""
                self._screen.note(f"{str(data.get('decision')).replace('_', ' ')}{reason}")
            case "tool_result" if data.get("is_error"):
                self._screen.note(f"{data.get('name')} failed: {short(str(data.get('text', '')), room(20))}")

    def _notice(self, data: dict[str, Any]) -> None:
        message = str(data.get("message", ""))
        if data.get("code") == "approval_needed":
            self.ask(self.run_id, str(data.get("call_id", "")), message)
        else:
            self._noticed = message

    def _report(self, data: dict[str, Any]) -> None:
        if data.get("degraded"):
            self._screen.note(f"without {', '.join(map(str, data['degraded']))}")
        for part in data.get("parts", ()):
            for left in part.get("left_out", ()) if part.get("kind") in _OF_THE_MESSAGE else ():
                source = left.get("source") or {}
                name = source.get("label") or source.get("id") or part["kind"]
                self._screen.note(f"not in the prompt: {name} ({left.get('why')})")


class RawTurn(TurnView):
    """The same for a program: every line as it is."""

    def take(self, line: StreamLine) -> None:
        write_json(line)
        self.run_id = self.run_id or line.run_id
        self.state = line.state or self.state
        if line.error is not None:
            self.error = to_error(line.error)
        if line.event == "notice" and line.data.get("code") == "approval_needed":
            self.ask(self.run_id, str(line.data.get("call_id", "")), str(line.data.get("message", "")))


def to_error(told: dict[str, Any]) -> PalyraError:
    """The error that a run ended with."""
    code = str(told.get("code", ""))
    kind = Unavailable if code == "interrupted" else next((one for one in TABLE if one.code == code), Internal)
    hint = str(told.get("hint", "")).replace("RUN", str(told.get("run_id", "RUN")))
    return kind(str(told.get("message", "the turn failed")), hint=hint)


def cancelled(run_id: str) -> PalyraError:
    return Cancelled(f"run {run_id} was stopped; what had arrived is kept", hint=f"palyra session explain {run_id}")
