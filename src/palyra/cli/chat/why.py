"""`palyra why` and `/why`: what an answer was given, what was left out, and where each of it was said.

From the same account as `palyra session explain`, which has everything else that took part.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from palyra.cli.chat.account import explanation_of, why_left_out
from palyra.cli.chat.options import opened, place_options
from palyra.cli.chat.screen import short
from palyra.cli.command import Invocation, command_options
from palyra.cli.ids import Id
from palyra.cli.output import counted, moment, one_line, printable
from palyra.core.errors import PalyraError

if TYPE_CHECKING:
    from palyra.client.chat import ChatClient
    from palyra.wire.chat import Explanation
    from palyra.wire.memory import Item

_SHOWN_CHARS = 400


@dataclass(frozen=True, slots=True)
class Given:
    """One memory that was put into the prompt, or left out of it."""

    memory_id: str
    citation: str
    """empty: left out"""
    why_not: str
    """empty: given"""
    score: float | None
    text: str | None
    """None: it has been forgotten since"""
    said_at_ms: int | None
    source: str
    speaker: str
    session: str
    """the key of the conversation it was said in, if it was said in one"""
    session_title: str
    instead_of: str
    """what it took the place of"""


@dataclass(frozen=True, slots=True)
class Reasons:
    run_id: str
    session_id: str
    question: str
    answer: str
    given: tuple[Given, ...]
    left_out: tuple[Given, ...]
    left_out_unnamed: str
    """what was not worth naming one by one"""


@click.command()
@click.argument("run_or_session", type=Id("run", "session"), required=False)
@place_options
@command_options
def why(call: Invocation, run_or_session: str | None, who: dict[str, Any]) -> None:
    """Say what the last answer was given, what was left out, and where that was said.

    RUN_OR_SESSION: another answer, or the last one of that conversation.
    """
    from palyra.api import chat as api

    with opened(call, api.explain) as client:
        explanation = explanation_of(client, run_or_session, who)
        found = reasons_of(client, explanation, who)
    call.answer(found, lambda: click.echo(printable("\n".join(in_words(found)))))
    call.note(explanation)


def reasons_of(client: "ChatClient", explanation: "Explanation", who: dict[str, Any]) -> Reasons:
    run = explanation.run
    teller = _Teller(client, {**who, "session_id": run.session_id})
    given = [
        teller.told(one, citation=str(one.get("citation", "")))
        for injection in explanation.injections
        for one in injection.get("memories", ())
    ]
    left_out, unnamed = [], []
    for one in _left_out_memories(explanation):
        source = one.get("source")
        if source:
            told = {"memory_id": source.get("id"), "score": source.get("score")}
            left_out.append(teller.told(told, why_not=why_left_out(one)))
        else:
            unnamed.append(f"{one.get('count', 1)} {why_left_out(one)}")
    return Reasons(
        run.run_id,
        run.session_id,
        explanation.question,
        explanation.answer,
        tuple(given),
        tuple(left_out),
        ", ".join(unnamed),
    )


def _left_out_memories(explanation: "Explanation") -> list[dict[str, Any]]:
    """Of the prompt that the answer came from: the last one."""
    parts = explanation.reports[-1].get("parts", ()) if explanation.reports else ()
    return [one for part in parts if part.get("kind") == "memory" for one in part.get("left_out", ())]


class _Teller:
    """Looks memories up, and each conversation once."""

    def __init__(self, client: "ChatClient", place: dict[str, Any]) -> None:
        self._client = client
        self._place = place
        self._sessions: dict[str, tuple[str, str]] = {}

    def told(self, memory: dict[str, Any], *, citation: str = "", why_not: str = "") -> Given:
        memory_id = str(memory.get("memory_id", ""))
        item = self._item(memory_id)
        session, title = ("", "") if item is None else self._session(item.thread)
        old = None if item is None or not item.supersedes else self._item(item.supersedes)
        return Given(
            memory_id,
            citation,
            why_not,
            memory.get("score"),
            None if item is None else item.text,
            None if item is None else item.said_at_ms,
            "" if item is None else item.source,
            "" if item is None else item.speaker,
            session,
            title,
            "" if old is None else old.text,
        )

    def _item(self, memory_id: str) -> "Item | None":
        from palyra.api import memory as api
        from palyra.wire.memory import GetItem

        try:
            return self._client.call(api.get, GetItem(memory_id=memory_id, **self._place)).item
        except PalyraError:
            return None

    def _session(self, thread: str) -> tuple[str, str]:
        """Key and title. A thread may also be the name of a conversation elsewhere."""
        from palyra.api import chat as api
        from palyra.wire.chat import NameSession

        if thread and thread not in self._sessions:
            who = {name: self._place[name] for name in ("principal", "channel")}
            try:
                session = self._client.call(api.get, NameSession(session=thread, **who)).session
                self._sessions[thread] = session.key, session.title
            except PalyraError:
                self._sessions[thread] = "", thread
        return self._sessions.get(thread, ("", ""))


def in_words(found: Reasons) -> list[str]:
    lines = [f"asked     {short(found.question, _SHOWN_CHARS) or '(erased)'}"]
    lines.append(f"answered  {short(found.answer, _SHOWN_CHARS) or '(nothing)'}")
    lines.append("")
    if found.given:
        lines.append(f"It was given {counted(len(found.given), 'memory')}:")
    else:
        lines.append("It was given no memory.")
    for one in found.given:
        lines += _told(one, f"[{one.citation}]")
    if found.left_out or found.left_out_unnamed:
        lines += ["", "Left out:"]
    for one in found.left_out:
        lines += _told(one, "-")
    if found.left_out_unnamed:
        lines.append(f"- {found.left_out_unnamed}")
    lines += ["", f"everything else that took part: palyra session explain {found.run_id}"]
    return lines


def _told(one: Given, mark: str) -> list[str]:
    """The text, then what is known about it."""
    about = "forgotten since" if one.text is None else f"{_where(one)}; palyra memory get {one.memory_id}"
    if one.why_not:
        about = f"{one.why_not}; {about}"
    indent = " " * (len(mark) + 1)
    lines = [f"{mark} {one_line(one.text) if one.text is not None else one.memory_id}", f"{indent}{about}"]
    if one.instead_of:
        lines.append(f"{indent}it took the place of: {one_line(one.instead_of)}")
    return lines


def _where(one: Given) -> str:
    by = f" by {one_line(one.speaker)}" if one.speaker else ""
    said = f"said {moment(one.said_at_ms or 0)[:16]} UTC{by}"
    if one.session:
        return f"{said} in “{short(one.session_title or one.session, 60)}” (palyra session show {one.session})"
    return f"{said}{f' in {one_line(one.session_title)}' if one.session_title else ''}, source {one.source}"
