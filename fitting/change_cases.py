"""The cases as changes to fit on: each statement of a person with the statements that held when it was made."""

import json
from dataclasses import dataclass
from pathlib import Path

from common import Case
from palyra.language.runs import cut
from palyra.language.wording.pairs import StatementSide
from palyra.language.wrappings import own_words
from reading_cases import window

MOST = 64


@dataclass
class New:
    case: str
    language: str
    kind_of_case: str
    long: bool
    key: str
    turn: int
    """which turn of the conversation, as a time"""
    side: StatementSide
    earlier: list[StatementSide]
    keys: list[str]
    """of those"""
    replaces: list[bool]
    corrects: bool
    """replaces something, whether that was kept or not"""


def news_of(cases: list[Case], *, verbatim: bool = False) -> list[New]:
    """`verbatim`: long messages by the words of the turn instead of the ideal statements."""
    found = []
    for case in cases:
        long = any("statements" in turn for turn in case["turns"])
        held: dict[str, StatementSide] = {}
        for number, turn in enumerate(case["turns"]):
            if turn["role"] != "user":
                continue
            for key, side, replaces in _told(turn, long, verbatim):
                earlier = [(k, s) for k, s in held.items() if not k.startswith(f"{turn['id']}.")][-MOST:]
                labels = [other in replaces for other, _ in earlier]
                sides, keys = [s for _, s in earlier], [k for k, _ in earlier]
                where = (case["id"], case["language"], case["kind"], long, key, number)
                found.append(New(*where, side, sides, keys, labels, bool(replaces)))
                before: list[str] = []
                for old in replaces:
                    if old in held:
                        gone = held.pop(old)
                        before += [gone.text, *gone.before]
                held[key] = StatementSide(side.text, side.said, tuple(before[:3]), side.kind)
    return found


def additions(texts: list[str], name: str) -> list[New]:
    """Bare statements that go together: none of them replaces another, however alike they are."""
    found = []
    for start in range(0, len(texts), 20):
        sides = [StatementSide(text, text) for text in texts[start : start + 20]]
        keys = [str(n) for n in range(start, start + len(sides))]
        for n, side in enumerate(sides):
            where = (f"{name}-{start}", "en", name, False, keys[n], n)
            found.append(New(*where, side, sides[:n], keys[:n], [False] * n, False))
    return found


def pairs_apart(path: Path) -> list[str]:
    """Both sides of the pairs of a table that are neither the same nor in conflict."""
    rows = [line.split("|") for line in path.read_text("utf-8").splitlines() if line and line[0] != "#"]
    different = [row[-2:] for row in rows if len(row) == 2 or row[0].strip() in ("different", "not_same")]
    return list(dict.fromkeys(side.strip() for row in different for side in row))


def facts_apart(path: Path) -> list[str]:
    """Facts of a set, of those that contradict each other the first."""
    case = json.loads(path.read_text("utf-8"))
    later = {new for _, new in case["pairs"]}
    return [fact for n, fact in enumerate(case["facts"]) if n not in later]


def _told(turn: dict, long: bool, verbatim: bool) -> list[tuple[str, StatementSide, list[str]]]:
    if not long:
        if turn["keep"] == "none":
            return []
        return [(turn["id"], StatementSide(turn["text"], turn["text"], (), turn["keep"]), turn.get("replaces", []))]
    told = []
    made = cut(turn["text"], own_words(turn["text"]).spans)
    for statement in turn.get("statements", []):
        best = window(made, statement)
        said = made.told(*best) if best else turn["text"][:600]
        side = StatementSide(said if verbatim else statement["says"], said, (), statement["kind"])
        told.append((f"{turn['id']}.{statement['id']}", side, statement.get("replaces", [])))
    return told
