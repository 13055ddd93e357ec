"""Verdicts on proposals from real chats: by place, never by text; where the chats are at hand, confidence is held to
them."""

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from domain.learning.talk import learned
from palyra.domain.learning.candidate import LearningPolicy
from palyra.domain.learning.proposal import LearnedKind

JUDGED = [json.loads(line) for line in (Path(__file__).parent / "judged.jsonl").read_text("utf-8").split("\n") if line]
SETS = Path(__file__).parents[4] / "shared" / "retrieval"
FIELDS = {"set", "conversation", "item", "start", "end", "kind", "worth", "was_bps", "sample"}
POLICY = LearningPolicy()


def test_a_verdict_names_a_place_and_holds_no_text() -> None:
    assert all(verdict.keys() == FIELDS for verdict in JUDGED)
    places = {tuple(verdict[name] for name in ("set", "conversation", "item", "start", "kind")) for verdict in JUDGED}
    assert len(places) == len(JUDGED)


def texts_of(name: str) -> dict[tuple[str, str], str]:
    lines = (SETS / name / "items.jsonl").read_text("utf-8").split("\n")
    return {(item["conversation"], item["id"]): item["text"] for item in map(json.loads, filter(None, lines))}


def confidence_now(verdict: dict[str, Any], text: str) -> int:
    return max(
        (
            proposal.confidence_bps
            for proposal in learned(text)
            if proposal.kind == verdict["kind"]
            and any(span.start < verdict["end"] and verdict["start"] < span.end for span in proposal.evidence)
        ),
        default=0,
    )


@pytest.mark.skipif(not SETS.is_dir(), reason="the chats are not part of the project")
def test_what_people_are_asked_about_in_real_chats_is_mostly_worth_it() -> None:
    worth: defaultdict[str, list[bool]] = defaultdict(list)
    for name in sorted({verdict["set"] for verdict in JUDGED}):
        texts = texts_of(name)
        for verdict in (verdict for verdict in JUDGED if verdict["set"] == name):
            kind, bps = (
                LearnedKind(verdict["kind"]),
                confidence_now(verdict, texts[verdict["conversation"], verdict["item"]]),
            )
            if kind is LearnedKind.DURABLE_FACT and bps >= POLICY.auto_write_bps:
                worth["written"].append(verdict["worth"])
            elif bps >= POLICY.review_from_bps(kind):
                worth["asked"].append(verdict["worth"])
            else:
                worth["left"].append(verdict["worth"])
    share = {band: sum(seen) / len(seen) for band, seen in worth.items()}
    assert share["written"] >= 0.97
    assert share["asked"] >= 0.7
    assert share["left"] <= 0.2
