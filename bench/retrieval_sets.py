"""Retrieval sets: reading them, and scoring a ranking against what is relevant."""

import json
import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

_NUMBERS = re.compile(r"\d+")
_MINUTE_MS = 60_000


@dataclass(frozen=True, slots=True)
class SetItem:
    id: str
    session: str
    at_ms: int | None
    speaker: str
    text: str


@dataclass(frozen=True, slots=True)
class SetQuery:
    id: str
    text: str
    at_ms: int | None
    category: str
    relevant: frozenset[str]


@dataclass(slots=True)
class Conversation:
    name: str
    items: list[SetItem] = field(default_factory=list)
    queries: list[SetQuery] = field(default_factory=list)

    @property
    def end_ms(self) -> int:
        """The moment after everything was said: when a question without a time is asked."""
        return max((item.at_ms for item in self.items if item.at_ms is not None), default=0) + _MINUTE_MS


def read_set(directory: Path, limit_conversations: int | None = None) -> list[Conversation]:
    conversations: dict[str, Conversation] = {}
    for row in _rows(directory / "items.jsonl"):
        name = str(row["conversation"])
        conversation = conversations.setdefault(name, Conversation(name))
        conversation.items.append(
            SetItem(
                str(row["id"]), str(row["session"]), moment_ms(str(row["at"])), str(row["speaker"]), str(row["text"])
            )
        )
    for row in _rows(directory / "queries.jsonl"):
        relevant = row["relevant"]
        if str(row["conversation"]) in conversations and isinstance(relevant, list):
            conversations[str(row["conversation"])].queries.append(
                SetQuery(
                    str(row["id"]),
                    str(row["text"]),
                    moment_ms(str(row.get("at", ""))),
                    str(row["category"]),
                    frozenset(map(str, relevant)),
                )
            )
    return list(conversations.values())[:limit_conversations]


def moment_ms(text: str) -> int | None:
    """Year, month, day and, if given, hour and minute, in any notation that writes them in this order; UTC."""
    numbers = [int(number) for number in _NUMBERS.findall(text)][:5]
    if len(numbers) < 3:
        return None
    try:
        year, month, day, hour, minute = (*numbers, 0, 0)[:5]
        moment = datetime(year, month, day, hour, minute, tzinfo=UTC)
    except ValueError:
        return None
    return int(moment.timestamp() * 1000)


@dataclass(slots=True)
class Scores:
    """Sums over queries; `averages` divides."""

    queries: int = 0
    sums: dict[str, float] = field(default_factory=lambda: defaultdict(float))

    def add(self, ranked: Sequence[str], sessions: Mapping[str, str], relevant: frozenset[str]) -> None:
        self.queries += 1
        for k in (5, 10, 20):
            self.sums[f"R@{k}"] += _recall(ranked[:k], relevant)
        self.sums["hit@10"] += bool(relevant & set(ranked[:10]))
        for k in (5, 10):
            self.sums[f"all@{k}"] += relevant <= set(ranked[:k])
        self.sums["MRR"] += next((1 / place for place, name in enumerate(ranked, 1) if name in relevant), 0.0)
        self.sums["nDCG@10"] += _ndcg(ranked[:10], relevant)
        by_session = list(dict.fromkeys(sessions[name] for name in ranked))
        wanted = frozenset(sessions[name] for name in relevant if name in sessions)
        self.sums["session any@5"] += bool(wanted & set(by_session[:5]))
        self.sums["session all@5"] += wanted <= set(by_session[:5])
        self.sums["session R@10"] += _recall(by_session[:10], wanted)

    def averages(self) -> dict[str, float]:
        return {name: round(total / max(1, self.queries), 4) for name, total in self.sums.items()}


def _recall(found: Sequence[str], relevant: frozenset[str]) -> float:
    return len(relevant & set(found)) / len(relevant) if relevant else 0.0


def _ndcg(found: Sequence[str], relevant: frozenset[str]) -> float:
    gain = sum(1 / math.log2(place + 1) for place, name in enumerate(found, 1) if name in relevant)
    best = sum(1 / math.log2(place + 1) for place in range(1, min(len(relevant), len(found) or 10) + 1))
    return gain / best if best else 0.0


def _rows(path: Path) -> list[dict[str, object]]:
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]
