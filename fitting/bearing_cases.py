"""The cases as questions beside a memory: what was kept, what of it bears on the question, and what would mislead."""

import datetime
import hashlib
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from common import Case
from palyra.language.held import Counted
from palyra.language.meeting import MOST_BEFORE
from palyra.language.reading import Reader
from palyra.language.statements import WRITTEN_BPS, Kind, Known, Role, ToldTurn
from palyra.language.stems import stems
from reading_cases import holds

CANDIDATES = 32
"""as many as a search brings of a memory that holds more"""


class Stems(Counted):
    """What is kept, with a plain search over it."""

    def __init__(self, kept: Sequence[Known]) -> None:
        texts = [(k.text, *k.before[:MOST_BEFORE]) for k in kept]
        super().__init__(texts)
        self._sets = [{stem for text in one for stem in stems(text)} for one in texts]

    def best(self, question: str, most: int, cosines: np.ndarray | None = None) -> list[int]:
        """Which of what is kept a search would bring, in the order it was kept."""
        asked = stems(question)
        idf = {s: np.log((self.count + 1) / (n + 0.5)) for s, n in zip(asked, self.having(asked), strict=True) if n}
        score = np.array([sum(idf.get(s, 0.0) for s in asked if s in held) for held in self._sets], dtype=np.float64)
        score /= max(1e-9, sum(idf.values()))
        if cosines is not None:
            score += cosines
        return sorted(np.argsort(-score, kind="stable")[:most].tolist())


@dataclass
class Episode:
    """A question, the candidates, and the truth."""

    group: str
    language: str
    kind: str
    source: str
    question: str
    found: list[Known]
    held: Any
    relevant: list[bool]
    stale: list[bool]
    needed: int
    """how many statements a good answer needs, those that were not kept included"""
    about: bool
    """something said bears on it"""
    weight: float = 1.0


def seeded(*parts: object) -> random.Random:
    return random.Random(hashlib.sha256("|".join(map(str, parts)).encode()).digest())


def said(case: Case) -> list[tuple[dict[str, Any], ToldTurn]]:
    """What people said; short cases have no times, so each of their turns comes an hour after the one before."""
    found = []
    for n, turn in enumerate(case["turns"]):
        at = datetime.datetime.fromisoformat(turn["at"]).timestamp() * 1000 if turn.get("at") else n * 3_600_000
        if turn["role"] == "user":
            found.append((turn, ToldTurn(Role.USER, turn["text"], int(at))))
    return found


def gold(case: Case) -> list[tuple[str, Known, tuple[str, ...]]]:
    """Every statement ever made: its key, as it stands, and the keys it replaces."""
    found = []
    for turn, heard in said(case):
        for s in turn.get("statements", ()):
            key = f"{turn['id']}.{s['id']}"
            known = Known(key, s["says"], _told(heard.text, s), heard.said_at_ms, Kind(s["kind"]))
            found.append((key, known, tuple(s.get("replaces", ()))))
        if turn.get("keep", "none") != "none":
            known = Known(turn["id"], heard.text, heard.text, heard.said_at_ms, Kind(turn["keep"]))
            found.append((turn["id"], known, tuple(turn.get("replaces", ()))))
    return found


def _told(text: str, statement: dict[str, Any]) -> str:
    """The sentences of a message that tell a statement best, as they were said."""
    cuts = [0, *(match.end() for match in _SENTENCE.finditer(text)), len(text)]
    says, best, score = set(stems(statement["says"])), text, -1.0
    for first in range(len(cuts) - 1):
        for last in range(first + 1, min(first + 4, len(cuts))):
            inner = text[cuts[first] : cuts[last]].strip()
            low = inner.casefold()
            has = sum(any(a in low for a in m.split("|")) for m in statement["must"])
            value = has + 0.8 * len(says & set(stems(inner))) / max(1, len(says)) - 0.003 * len(inner)
            if value > score:
                best, score = inner, value
    return best


_SENTENCE = re.compile(r"[.!?;]+\s|[。！？；]|\n+")


@dataclass(frozen=True)
class Noise:
    """What really happens between what was said and what is kept."""

    dropped: float = 0.0
    junk: float = 0.0
    unlinked: float = 0.0
    raw: float = 0.0
    kindless: float = 0.0


IDEAL = Noise()
REAL = Noise(dropped=0.12, junk=0.1, unlinked=0.45, raw=0.6, kindless=0.3)
RAW = Noise(dropped=0.05, junk=0.2, unlinked=0.7, raw=1.0, kindless=0.5)


def kept(case: Case, noise: Noise, seed: object) -> list[Known]:
    """What holds at the end, with what it replaced."""
    dice = seeded(case["id"], noise, seed)
    standing: dict[str, Known] = {}
    for key, known, olds in gold(case):
        text, kind = known.text, known.kind
        if dice.random() < noise.raw:
            text = known.said
        if dice.random() < noise.kindless:
            kind = dice.choice([None, Kind.FACT])
        before: list[str] = []
        for old in olds:
            if old in standing and dice.random() >= noise.unlinked:
                gone = standing.pop(old)
                before += [gone.text, *gone.before]
        if dice.random() >= noise.dropped:
            standing[key] = replace(known, text=text, kind=kind, before=tuple(before))
    made = {key.partition(".")[0] for key, _, _ in gold(case)}
    for turn, heard in said(case):
        if turn["id"] not in made and len(heard.text) > 20 and dice.random() < noise.junk:
            text = heard.text[:300]
            standing[turn["id"]] = Known(turn["id"], text, text, heard.said_at_ms, Kind.FACT)
    return sorted(standing.values(), key=lambda k: (k.said_at_ms, str(k.key)))


def really_kept(case: Case, encode: Any) -> list[Known]:
    """What the reader of the package writes, each under the key of what it tells; half of the changes followed."""
    reader, dice = Reader(encode), seeded(case["id"], "read")
    standing: dict[Any, Known] = {}
    before: list[ToldTurn] = []
    replaces = {key: olds for key, _, olds in gold(case)}
    by_id = {turn["id"]: heard for turn, heard in said(case)}
    for turn in case["turns"]:
        heard = by_id.get(turn["id"]) or ToldTurn(Role(turn["role"]), turn["text"], 0)
        for n, statement in enumerate(reader.read(heard, before).statements if turn["id"] in by_id else ()):
            if statement.confidence_bps < WRITTEN_BPS:
                continue
            told = [turn["id"]] if "keep" in turn else []
            told += [f"{turn['id']}.{s['id']}" for s in turn.get("statements", ()) if holds(statement.text, s)]
            gone: list[str] = []
            for old in (old for key in told for old in replaces.get(key, ())):
                if old in standing and dice.random() < 0.5:
                    was = standing.pop(old)
                    gone += [was.text, *was.before]
            known = Known(None, statement.text, heard.text, heard.said_at_ms, statement.kind, tuple(gone))
            for key in told or [(turn["id"], n)]:
                standing[key] = replace(known, key=key)
        before.append(heard)
    return sorted(standing.values(), key=lambda k: (k.said_at_ms, str(k.key)))


def read_episodes(cases: Sequence[Case], encode: Any, source: str) -> list[Episode]:
    return [e for case in cases if (m := really_kept(case, encode)) for e in asked_of(case, m, source, 1.0, encode)]


def episodes(
    cases: Sequence[Case], noise: Noise, source: str, encode: Any = None, weight: float = 1.0, others: int = 0
) -> list[Episode]:
    """Every question of every case, beside its own memory and those of some other cases."""
    memories = {case["id"]: kept(case, noise, source) for case in cases}
    if encode:
        encode(
            [k.text for memory in memories.values() for k in memory]
            + [q["text"] for c in cases for q in c["questions"]]
        )
    made = []
    for case in cases:
        memory = memories[case["id"]]
        if others:
            dice = seeded(case["id"], source)
            strangers = [c["id"] for c in cases if c["id"] != case["id"] and c["language"] in (case["language"], "en")]
            for n, other in enumerate(dice.sample(strangers, min(others, len(strangers)))):
                memory = memory + [replace(k, key=(n, k.key)) for k in memories[other]]
        if memory:
            made += asked_of(case, memory, source, weight, encode)
    return made


def asked_of(case: Case, memory: list[Known], source: str, weight: float, encode: Any) -> list[Episode]:
    held, made = Stems(memory), []
    for q in case["questions"]:
        found = memory
        if len(memory) > CANDIDATES:
            cosines = encode([k.text for k in memory]) @ encode([q["text"]])[0] if encode else None
            found = [memory[n] for n in held.best(q["text"], CANDIDATES, cosines)]
        stale = q.get("stale", ())
        made.append(
            Episode(
                case["id"],
                case["language"],
                case["kind"],
                source,
                q["text"],
                found,
                held,
                [k.key in q["relevant"] for k in found],
                [k.key in stale for k in found],
                len(q["relevant"]),
                bool(q["relevant"]),
                weight,
            )
        )
    return made
