"""The cases as rows to fit on: turns in pieces, the pieces with what they carry, the runs with what they hold."""

import datetime
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from common import Case
from palyra.language.pieces import Piece
from palyra.language.runs import Cut, cut, runs
from palyra.language.statements import Role, ToldTurn
from palyra.language.wrappings import own_words

BEGINS_MS = 1_767_258_000_000
"""short cases have no times: each of their turns is said an hour after the one before"""


@dataclass
class Turn:
    case: str
    language: str
    kind_of_case: str
    id: str
    said: ToldTurn
    before: list[ToldTurn]
    keep: str | None
    replaces: bool
    gold: list[dict[str, Any]]
    long: bool
    zone: datetime.tzinfo | None
    cut: Cut
    own: str
    carries: np.ndarray = field(default_factory=lambda: np.zeros(0))
    """of each piece: whether it tells a statement"""
    joined: np.ndarray = field(default_factory=lambda: np.zeros(0))
    """of each piece: whether a statement goes over from the one before"""
    runs: np.ndarray = field(default_factory=lambda: np.zeros((0, 2), int))
    holds: list[list[int]] = field(default_factory=list)
    """of each run: which of `gold` it holds"""

    @property
    def worth(self) -> bool:
        return bool(self.gold) or (self.keep or "none") != "none"

    @property
    def after_assistant(self) -> bool:
        return bool(self.before) and self.before[-1].role == Role.ASSISTANT

    @property
    def pieces(self) -> list[str]:
        return [self.cut.text[p.start : p.end] for p in self.cut.pieces]


PLAIN = Path(__file__).with_name("plain.txt")


def plain_sentences() -> list[tuple[str, str, str]]:
    """(language, kind, text)"""
    found: list[tuple[str, str, str]] = []
    language = ""
    for line in PLAIN.read_text("utf-8").splitlines():
        if line.startswith("["):
            language = line.strip("[]")
        elif line and not line.startswith("#"):
            kind, _, text = line.partition(": ")
            found.append((language, kind, text))
    return found


def plain_cases() -> list[Case]:
    """Each sentence of our own twice: as the first words of a conversation, and after an assistant's answer."""
    found: list[Case] = []
    for language, kind, text in plain_sentences():
        turn = {"id": "t2", "role": "user", "text": text, "keep": kind}
        answer = {"id": "t1", "role": "assistant", "text": "All right."}
        case = {"id": f"plain-{text}", "language": language, "kind": "plain"}
        found += [{**case, "turns": turns} for turns in ([turn], [answer, turn])]
    return found


def turns_of(cases: list[Case]) -> list[Turn]:
    found = []
    for case in cases:
        before: list[ToldTurn] = []
        for n, turn in enumerate(case["turns"]):
            at = datetime.datetime.fromisoformat(turn["at"]) if turn.get("at") else None
            said = ToldTurn(
                Role(turn["role"]), turn["text"], int(at.timestamp() * 1000) if at else BEGINS_MS + n * 3_600_000
            )
            if said.role == Role.USER:
                gold = turn.get("statements", [])
                replaces = bool(turn.get("replaces"))
                keep = None if at else turn["keep"]
                spans = own_words(said.text).spans
                own = "\n".join(said.text[a:b] for a, b in spans)
                made = cut(said.text, spans)
                names = case["id"], case["language"], case["kind"], turn["id"]
                zone = at.tzinfo if at else None
                row = Turn(*names, said, list(before), keep, replaces, gold, at is not None, zone, made, own)
                label(row)
                found.append(row)
            before.append(said)
    return found


def holds(text: str, statement: dict[str, Any]) -> bool:
    """As the judge has it: every piece of the statement stands in the text, and not much else does."""
    mine = text.casefold()
    return len(text) <= 2.5 * len(statement["says"]) + 60 and all(
        any(a in mine for a in m.split("|")) for m in statement["must"]
    )


_WORD = re.compile(r"\w{3,}|[\u3040-\u30ff\u4e00-\u9fff]")


def window(made: Cut, statement: dict[str, Any]) -> tuple[int, int] | None:
    """The run of pieces that tells a statement best: first and last."""
    parts: Sequence[Piece] = made.pieces
    best, score = None, 0.0
    says = set(_WORD.findall(statement["says"].casefold()))
    limit = 2.5 * len(statement["says"]) + 60
    for first in range(len(parts)):
        for last in range(first, len(parts)):
            size = parts[last].end - parts[first].start
            if size > limit and last > first:
                break
            inner = made.told(first, last).casefold()
            has = sum(any(a in inner for a in m.split("|")) for m in statement["must"])
            shared = len(says & set(_WORD.findall(inner))) / max(1, len(says))
            value = has + 0.8 * shared - 0.003 * size
            if has and (best is None or value > score):
                best, score = (first, last), value
    return best


def label(turn: Turn) -> None:
    count = len(turn.cut.pieces)
    turn.carries, turn.joined = np.zeros(count), np.zeros(count)
    turn.runs = runs(turn.cut)
    if not turn.long:
        turn.carries[:] = turn.worth
    for statement in turn.gold:
        best = window(turn.cut, statement)
        if best:
            turn.carries[best[0] : best[1] + 1] = 1
            turn.joined[best[0] + 1 : best[1] + 1] = 1
    texts = [turn.cut.told(int(a), int(b)) for a, b in turn.runs]
    turn.holds = [[n for n, s in enumerate(turn.gold) if holds(text, s)] for text in texts]
