"""Conversations as everybody keeps them, as turns to hand over: a list of messages, JSON lines, or a pasted chat."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from palyra.core import limits
from palyra.core.errors import InvalidArgument
from palyra.wire.chat import HandedTurn, TurnsAdded

WAIT_MS = 10_000
"""for the statements, unless the caller says otherwise"""
_ROLES = {"developer": "system", "function": "tool", "human": "user", "ai": "assistant", "model": "assistant"}
_FORM = 'a message looks like {"role": "user", "content": "…"}'
_SPOKEN = re.compile(
    r"^(?:\[(?P<at>[^\]\n]{4,40})\]\s*)?(?P<who>[^\W\d_][\w .'’-]{0,39}?)\s*[:：](?:\s+|$)(?P<text>.*)$"
)
_PERSONS = frozenset(
    {"user", "you", "me", "human", "i", "du", "ich", "ja", "já", "vous", "moi", "tú", "yo", "我", "私"}
)
_MODELS = frozenset({"assistant", "ai", "bot", "model", "chatgpt", "claude", "gemini", "copilot", "palyra"})


def to_turns(messages: Iterable[Mapping[str, Any]]) -> list[HandedTurn]:
    """Messages in which nothing is said, such as calls of tools, are left out."""
    turns = [_turn(message, number) for number, message in enumerate(messages)]
    return [turn for turn in turns if turn is not None]


def read_chat(text: str, now_ms: int) -> list[HandedTurn]:
    """JSON lines, a JSON list, or lines that begin with who speaks; what begins with nobody is one turn of a person."""
    text = text.strip().removeprefix("\ufeff")
    if text.startswith(("{", "[{")):
        return to_turns(_loaded(text))
    if not _SPOKEN.match(text.partition("\n")[0]):
        return [HandedTurn(role="user", text=text)] if text else []
    turns: list[HandedTurn] = []
    for line in text.splitlines():
        if (found := _SPOKEN.match(line)) is not None:
            turns.append(_spoken(found, now_ms))
        else:
            turns[-1].text = f"{turns[-1].text}\n{line}"
    for turn in turns:
        turn.text = turn.text.strip()
    return [turn for turn in turns if turn.text]


def in_parts(turns: list[HandedTurn]) -> Iterator[list[HandedTurn]]:
    """As many as one call takes; an empty list is handed over as well, to be refused."""
    for start in range(0, max(len(turns), 1), limits.TURNS_AT_ONCE):
        yield turns[start : start + limits.TURNS_AT_ONCE]


def together(parts: list[TurnsAdded]) -> TurnsAdded:
    """The answers to the parts as one."""
    done = parts[0]
    for number, part in enumerate(parts[1:], 1):
        first = number * limits.TURNS_AT_ONCE
        for one in (*part.written, *part.waiting):
            one.turn += first
        for left in part.left:
            left.turn += first
        done.added += part.added
        done.repeated += part.repeated
        done.pending += part.pending
        done.written += part.written
        done.waiting += part.waiting
        done.left += part.left
    return done


def _turn(message: Mapping[str, Any], number: int) -> HandedTurn | None:
    if not isinstance(message, Mapping) or not isinstance(role := message.get("role"), str):
        raise InvalidArgument(f"message {number} has no role", hint=_FORM)
    text = _text(message.get("text", message.get("content")), number)
    if not text.strip():
        return None
    said_at_ms = message.get("said_at_ms")
    if said_at_ms is None and isinstance(at := message.get("at"), str):
        said_at_ms = _moment(at, number)
    if said_at_ms is not None and not isinstance(said_at_ms, int):
        raise InvalidArgument(f"message {number} has said_at_ms {said_at_ms!r:.64}", hint="give whole milliseconds")
    name, turn_id = message.get("speaker", message.get("name")), message.get("turn_id", message.get("id"))
    return HandedTurn(
        role=_ROLES.get(role, role),
        text=text,
        said_at_ms=said_at_ms,
        speaker=name if isinstance(name, str) else "",
        turn_id="" if turn_id is None else str(turn_id),
    )


def _text(content: object, number: int) -> str:
    """Of a string, or of the text parts of a list; what is neither says nothing."""
    if content is None or isinstance(content, str):
        return content or ""
    if isinstance(content, list):
        texts = (
            part if isinstance(part, str) else part.get("text") for part in content if isinstance(part, str | dict)
        )
        return "\n".join(text for text in texts if isinstance(text, str))
    raise InvalidArgument(f"the content of message {number} is neither text nor a list of parts", hint=_FORM)


def _loaded(text: str) -> list[Any]:
    lines = [text] if text.startswith("[") else text.splitlines()
    found: list[Any] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            raise InvalidArgument(f"line {number} is no JSON", hint=f"one message a line: {_FORM}") from None
        found += value if isinstance(value, list) else [value]
    return found


def _spoken(found: re.Match[str], now_ms: int) -> HandedTurn:
    who = found["who"].strip()
    role = "assistant" if who.casefold() in _MODELS else "user"
    known = who.casefold() in _PERSONS | _MODELS
    said_at_ms = None
    if found["at"]:
        try:
            said_at_ms = min(_to_ms(found["at"]), now_ms)
        except ValueError:  # some other mark in brackets: the turn stands without it
            said_at_ms = None
    return HandedTurn(role=role, text=found["text"], speaker="" if known else who, said_at_ms=said_at_ms)


def _moment(text: str, number: int) -> int:
    try:
        return _to_ms(text)
    except ValueError:
        raise InvalidArgument(
            f"message {number} was said at {text[:64]!r}, which is no time", hint="such as 2026-05-04T09:30:00+02:00"
        ) from None


def _to_ms(text: str) -> int:
    at = datetime.fromisoformat(text.strip())
    return int((at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp() * 1_000)
