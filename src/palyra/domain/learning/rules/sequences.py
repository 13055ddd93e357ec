"""Procedures nobody spelled out: the same tools, in the same order, with success, in one run after the other."""

import json
from collections.abc import Sequence

from palyra.core.text import has_lone_surrogate, normalise
from palyra.domain.compaction.plan import Voice
from palyra.domain.compaction.sentences import sentences
from palyra.domain.learning.proposal import Heard, LearnedKind, Proposal, Span, ToolUse
from palyra.domain.memory import Trust

MIN_STEPS, MAX_STEPS = 2, 16
MIN_RUNS = 2
_TWICE_BPS, _OFTEN_BPS = 8_600, 8_900
_VALUE_CHARS, _TITLE_CHARS = 80, 80
_MAX_ARGUMENTS_CHARS = 65_536


def repeated(heard: Sequence[Heard]) -> Proposal | None:
    """The sequence of the last run, if at least one of its neighbours went the same way."""
    last = _went(heard[-1])
    if not MIN_STEPS <= len(last) <= MAX_STEPS:
        return None
    names = [use.name for use in last]
    alike = [went for went in map(_went, heard[:-1]) if [use.name for use in went] == names]
    if 1 + len(alike) < MIN_RUNS:
        return None
    steps = tuple(_step([went[n] for went in (*alike, last)]) for n in range(len(last)))
    title = _asked(heard[-1]) or _line(", then ".join(names))[:_TITLE_CHARS]
    evidence = tuple(Span(use.seq, use.event_id) for went in (*alike, last) for use in went)
    return Proposal(
        LearnedKind.PROCEDURE,
        _line(f"{title}: " + "; ".join(f"{n}. {step}" for n, step in enumerate(steps, 1))),
        _OFTEN_BPS if len(alike) >= MIN_RUNS else _TWICE_BPS,
        ("repeated_tools", f"runs:{1 + len(alike)}"),
        evidence,
        # An agent chose the tools and wrote the arguments.
        trust=Trust.AGENT,
        steps=steps,
        title=title,
    )


def _went(run: Heard) -> list[ToolUse]:
    """What succeeded, a call that is repeated at once counted once; nothing if it ended in a failure."""
    if not run.used or not run.used[-1].succeeded:
        return []
    went: list[ToolUse] = []
    for use in run.used:
        if use.succeeded and not (went and went[-1].name == use.name):
            went.append(use)
    return went


def _step(uses: list[ToolUse]) -> str:
    """The tool, with the arguments that were the same every time."""
    given = [_arguments(use) for use in uses]
    same = {name: value for name, value in given[-1].items() if all(other.get(name) == value for other in given)}
    varying = sorted(set(given[-1]) - set(same))
    told = [f"{name}={value}" for name, value in sorted(same.items()) if len(value) <= _VALUE_CHARS]
    told += [f"{name}=…" for name in varying]
    return _line(uses[-1].name + (f" ({', '.join(told)})" if told else ""))


def _arguments(use: ToolUse) -> dict[str, str]:
    if len(use.arguments) > _MAX_ARGUMENTS_CHARS:
        return {}
    try:
        given = json.loads(use.arguments)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(given, dict):
        return {}
    return {
        str(name): value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for name, value in given.items()
    }


def _asked(run: Heard) -> str:
    """What the person asked for, in a line."""
    for said in run.said:
        if said.voice is Voice.USER and said.trust is Trust.OWNER and not has_lone_surrogate(said.text):
            first = next(sentences(said.text, 2_000), None)
            return _line(first.text).rstrip(" .!?")[:_TITLE_CHARS] if first else ""
    return ""


def _line(text: str) -> str:
    """On one line, with nothing in it that cannot be seen."""
    return " ".join(normalise(text.encode("utf-8", "replace").decode("utf-8")).split())
