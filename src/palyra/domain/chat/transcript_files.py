"""A conversation as a file: JSON for programs, Markdown for people. Pure."""

import json
import re
from collections.abc import Sequence
from datetime import UTC, datetime

from palyra.core.hashing import Json
from palyra.core.redact import redact_memory_text_for_output
from palyra.core.text import normalise
from palyra.domain.chat.session import Run, Session
from palyra.domain.chat.transcript import TranscriptKind, TranscriptMessage, Wholeness

FORMAT = "palyra.session/1"


def to_json(session: Session, runs: Sequence[Run], transcript: Sequence[TranscriptMessage]) -> dict[str, Json]:
    """All there is, under names that stay as they are for as long as the format's number does."""
    return {
        "format": FORMAT,
        "session": {
            "session_id": session.session_id,
            "key": session.key,
            "title": redact_memory_text_for_output(session.title),
            "principal": session.principal,
            "channel": session.channel,
            "created_at": _iso(session.created_at_ms),
            "active_at": _iso(session.active_at_ms),
            "archived": session.archived,
            "parent_id": session.parent_id,
            "branched_at_seq": session.branched_at_seq,
            "cut_seq": session.cut_seq,
        },
        "runs": [_run_json(run) for run in runs],
        "messages": [_message_json(message) for message in transcript],
    }


def _run_json(run: Run) -> dict[str, Json]:
    return {
        "run_id": run.run_id,
        "seq": run.seq,
        "actor": run.actor.value,
        "state": run.state.value,
        "origin": run.origin.value,
        "retry_of": run.retry_of,
        "model": run.model,
        "input_tokens": run.usage.input_tokens,
        "output_tokens": run.usage.output_tokens,
        "cached_tokens": run.usage.cached_tokens,
        "error_code": run.error_code,
        "created_at": _iso(run.created_at_ms),
        "started_at": None if run.started_at_ms is None else _iso(run.started_at_ms),
        "ended_at": None if run.ended_at_ms is None else _iso(run.ended_at_ms),
        "undone_seq": run.undone_seq,
    }


def _message_json(message: TranscriptMessage) -> dict[str, Json]:
    return {
        "kind": message.kind.value,
        "run_id": message.run_id,
        "seq": message.seq,
        "event_ids": list(message.event_ids),
        "at": _iso(message.at_ms),
        "text": message.text,
        "wholeness": message.wholeness.value,
        "pinned": message.pinned,
        "details": message.details,
    }


def to_markdown(session: Session, transcript: Sequence[TranscriptMessage]) -> str:
    """For reading. What anybody said stands in quotes or fences that it cannot end, so that no message can pass for
    another; it can neither hide what follows nor have a picture fetched."""
    title = _flat(redact_memory_text_for_output(session.title))
    head = [
        "---",
        f"format: {FORMAT}",
        f"id: {session.session_id}",
        f"key: {_scalar(session.key)}",
        f"title: {_scalar(title)}",
        f"created: {_iso(session.created_at_ms)}",
        f"active: {_iso(session.active_at_ms)}",
        "---",
        "",
        f"# {_harmless(title) or 'Session'}",
    ]
    parts = [part for message in transcript if (part := _markdown(message))]
    return "\n\n".join(["\n".join(head), *parts]) + "\n"


def _markdown(message: TranscriptMessage) -> str:
    details, at = message.details, _iso(message.at_ms)
    pin = " · pinned" if message.pinned else ""
    match message.kind:
        case TranscriptKind.USER | TranscriptKind.ASSISTANT:
            body = [f"## {message.kind.value.capitalize()} · {at}{pin}", _quoted(message.text)]
        case TranscriptKind.TOOL:
            head = f"### Tool {_code(details.get('name', 'unknown'))} · {at}{pin}"
            arguments = _fenced(str(details["arguments"]), "json") if "arguments" in details else ""
            decided = " · ".join(_code(details[name]) for name in ("decision", "reason", "by") if details.get(name))
            failed = "The call failed:" if details.get("is_error") is True else ""
            body = [head, arguments, decided, failed, _fenced(message.text) if "is_error" in details else ""]
        case TranscriptKind.REFERENCE:
            error = f": {_code(details['error'])}" if details.get("error") else ""
            body = [f"- reference {_code(details.get('label', ''))}{error}"]
        case TranscriptKind.ATTACHMENT:
            body = [f"- attachment {_code(details.get('name', ''))}, {_code(details.get('media_type', ''))}"]
        case TranscriptKind.NOTICE:
            body = [f"- notice {_code(details.get('code', ''))}: {_code(details.get('message', ''))}"]
        case TranscriptKind.INJECTION:
            memories = details.get("memories", ())
            listed = ", ".join(_code(memory.get("memory_id")) for memory in memories)
            body = [f"- remembered: {listed}"] if listed else []
        case TranscriptKind.ERASED:
            body = [f"## Erased · {at}"]
        case _:
            body = []
    if body and message.wholeness is not Wholeness.COMPLETE:
        body.append(_MARKS[message.kind is TranscriptKind.TOOL, message.wholeness])
    return "\n\n".join(part for part in body if part)


_MARKS = {
    (False, Wholeness.PARTIAL): "*(cut off here: this is what had arrived)*",
    (True, Wholeness.PARTIAL): "*(no result)*",
    (False, Wholeness.ERASED): "*(erased)*",
    (True, Wholeness.ERASED): "*(erased)*",
}


def _iso(ms: int) -> str:
    return datetime.fromtimestamp(ms // 1_000, UTC).strftime("%Y-%m-%dT%H:%M:%S") + f".{ms % 1_000:03}Z"


def _scalar(text: str) -> str:
    """YAML takes JSON's strings."""
    return json.dumps(text, ensure_ascii=not text.isprintable())


_FENCE = re.compile(r"(`{3,})[^`]*$|(~{3,})")
_RISKY = re.compile(r"<(?=[A-Za-z/!?])|!(?=\[)")


def _harmless(text: str) -> str:
    return _RISKY.sub(lambda match: "&lt;" if match[0] == "<" else "&#33;", text)


def _quoted(text: str) -> str:
    """Markdown in a block quote: it is drawn as meant, and whatever it opens ends with the quote. Tags and pictures
    are written out, but for those that are surely in a code fence."""
    lines: list[str] = []
    fence = ""
    sure = True
    for line in normalise(text).split("\n"):
        if fence:
            lines.append(line)
            if re.fullmatch(rf" {{0,3}}{fence[0]}{{{len(fence)},}}[ \t]*", line):
                fence = ""
            continue
        opened = _FENCE.match(line)
        if opened and sure:
            fence = opened[1] or opened[2]
        elif "```" in line or "~~~" in line:
            sure = False  # it may be a fence of a list and end with it, or none: what follows could be inside or out
        lines.append(_harmless(line))
    return "\n".join(f"> {line}".rstrip() for line in lines) if text else ""


def _fenced(text: str, language: str = "") -> str:
    """In a fence longer than any in the text."""
    plain = normalise(text)  # first: what it takes away may have stood between two ticks
    fence = "`" * max(3, _longest_ticks(plain) + 1)
    return f"{fence}{language}\n{plain}\n{fence}"


def _code(value: object) -> str:
    """On one line, in backticks longer than any in it."""
    flat = _flat(str(value)) or " "
    ticks = "`" * (_longest_ticks(flat) + 1)
    return f"{ticks} {flat} {ticks}" if "`" in flat else f"`{flat}`"


def _longest_ticks(text: str) -> int:
    return max(map(len, re.findall(r"`+", text)), default=0)


def _flat(text: str) -> str:
    return " ".join(normalise(text).split())
