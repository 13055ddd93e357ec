"""A tape as a person reads it."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from palyra.cli.chat.screen import dim, reference_name, room, short
from palyra.cli.output import counted, moment, printable, styled

if TYPE_CHECKING:
    from palyra.client.chat import ChatClient
    from palyra.wire.chat import RunInfo, TapeEntry, Transcript

_PAGE = 500
_ANSWER = ("assistant_text", "assistant_message")


def read_transcript(client: "ChatClient", session: str, who: dict[str, Any], *, everything: bool) -> "Transcript":
    """All pages of it as one."""
    from palyra.api import chat as api
    from palyra.wire.chat import GetTranscript

    whole: Transcript | None = None
    after_seq = 0
    while True:
        request = GetTranscript(session=session, after_seq=after_seq, limit=_PAGE, everything=everything, **who)
        page = client.call(api.transcript, request)
        if whole is None:
            whole = page
        else:
            known = {run.run_id for run in whole.runs}
            whole.runs += [run for run in page.runs if run.run_id not in known]
            whole.entries += page.entries
        if page.next_after_seq is None:
            whole.next_after_seq = None
            return whole
        after_seq = page.next_after_seq


def last_answer(entries: "Sequence[TapeEntry]") -> "list[TapeEntry]":
    """The pieces of the last answer that was not erased, in order; none if there is no answer."""
    pieces: list[TapeEntry] = []
    for entry in reversed(entries):
        if entry.type not in _ANSWER or (entry.type == "assistant_message" and pieces):
            if pieces:
                break
        elif entry.payload is not None:
            pieces.insert(0, entry)
    return pieces


def show_transcript(found: "Transcript") -> None:
    click.echo(styled(printable(found.session.title or found.session.key), bold=True))
    if not found.entries:
        click.echo(dim("· nothing was said yet"))
    show_entries(found.entries, {run.run_id: run for run in found.runs})


def show_entries(entries: "Sequence[TapeEntry]", runs: "Mapping[str, RunInfo]") -> None:
    answer = ""
    for entry in entries:
        payload = entry.payload
        if entry.type in _ANSWER:
            answer += "[erased]" if payload is None else str(payload.get("text", ""))
        if entry.type == "assistant_text":
            continue
        if answer:
            state = runs[entry.run_id].state if entry.run_id in runs else "done"
            _said("palyra", entry, "" if state == "done" else state, answer)
            answer = ""
        if entry.type == "user_message":
            undone = entry.run_id in runs and runs[entry.run_id].undone
            _said("you", entry, "undone" if undone else "", "[erased]" if payload is None else str(payload["text"]))
        elif entry.type not in _ANSWER and payload is not None and (told := _told(entry.type, payload)):
            click.echo(dim(f"· {printable(told)}"))
    if answer:
        click.echo(_shown(answer))


def _said(who: str, entry: "TapeEntry", state: str, text: str) -> None:
    marks = "  ".join(filter(None, (moment(entry.at_ms), state, "pinned" if entry.pinned else "")))
    click.echo(f"\n{styled(who, bold=True)}  {dim(f'{marks}  {entry.run_id}')}")
    click.echo(_shown(text))


def _shown(text: str) -> str:
    return "\t".join(map(printable, text.split("\t")))


def _told(kind: str, payload: dict[str, Any]) -> str:
    match kind:
        case "injection":
            count = len(payload.get("memories", ()))
            return f"used {counted(count, 'memory')}"
        case "reference":
            name, error = reference_name(payload), payload.get("error")
            return f"could not read {name}: {error}" if error else f"read {name}"
        case "attachment":
            return f"with {payload.get('name')} ({payload.get('media_type')})"
        case "notice":
            return str(payload.get("message", ""))
        case "tool_proposal":
            return f"called {payload.get('name')} {short(str(payload.get('arguments', '')), room(40))}"
        case "tool_decision" if payload.get("decision") != "allowed":
            return f"{str(payload.get('decision')).replace('_', ' ')} {payload.get('reason', '')}".rstrip()
        case "tool_result":
            failed = " failed" if payload.get("is_error") else ""
            return f"{payload.get('name')}{failed}: {short(str(payload.get('text', '')), room(30))}"
    return ""
