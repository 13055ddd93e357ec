"""A hundred and twenty turns about running a bakery, condensed by a real daemon: what is kept, and what is admitted."""

from pathlib import Path
from typing import Any

import pytest

from e2e.palyrad import palyrad
from shell import Shell

NUTS = "Jule is allergic to hazelnuts, so never suggest recipes with hazelnut"
FACTS = (
    "My bakery is called Ofenglut and stands on Tannenweg",
    "Jule is my apprentice, she started in September",
    NUTS,
    "The deck oven came from a closed bakery in Aachen",
    "Our sourdough starter is called Berta",
    "The rent is 1,450 euros a month",
    "My landlord is Mr Pohl",
    "We close on Mondays",
    "The flour comes from the mill in Simmerath on Tuesdays",
    "My brother Nils does the books",
    "I prefer rye at 70 percent for the house loaf",
    "The tax return is due on 31 July",
    "Our best seller is the walnut loaf",
    "The van is a white Kangoo",
    "My mother Gesa opens the shop on Saturdays",
    "We decided to drop the poppy seed rolls",
    "The coffee machine must be descaled every two weeks",
    "Please always give weights in grams",
    "The cooling room has to stay below 7 degrees",
    "The school on Bergstraße orders 40 pretzels every Friday",
)
CHATTER = (
    "hello there",
    "haha, what a morning",
    "thanks, that helps",
    "can you make that shorter?",
    "what is the boiling point of sugar?",
    "sounds good",
)
MOVED = "We moved the closing day: we close on Wednesdays now, no longer on Mondays"
TURNS = 120


def bakery() -> list[dict[str, Any]]:
    """A fact every fifth turn, and what people say in between."""
    said: list[str] = []
    for n in range(TURNS):
        fact = n // 5
        is_fact = n % 5 == 1 and fact < len(FACTS)
        said.append(FACTS[fact] if is_fact else MOVED if n == 110 else f"{CHATTER[n % len(CHATTER)]}")
    turns: list[dict[str, Any]] = []
    for n, text in enumerate(said):
        turns.append({"role": "user", "text": text, "turn_id": f"u{n}"})
        answer = (
            f"Noted, that is number {n}." if text in FACTS else f"Here is a list for you, number {n}: flour, water."
        )
        turns.append({"role": "assistant", "text": answer, "turn_id": f"a{n}"})
    return turns


@pytest.fixture(scope="module")
def condensed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The plan, what was applied, MEMORY.md, and what a recall gives afterwards."""
    root: Path = tmp_path_factory.mktemp("bakery")
    shell, turns = Shell(root / "home"), bakery()
    with palyrad(shell) as daemon, daemon.client() as client:
        for start in range(0, len(turns), 60):
            handed = {"turns": turns[start : start + 60], "wait_ms": 60_000, "actor": "user"}
            added = client.post("/v1/chat/sessions/bakery/turns", json=handed)
            assert added.status_code == 200, added.text
            assert added.json()["pending"] == 0
        plan = client.post("/v1/chat/sessions/bakery/compactions/preview", json={}).json()
        shown = shell("session", "compact", "bakery").stdout.decode()
        done = client.post("/v1/chat/sessions/bakery/compactions", json={"plan_id": plan["plan_id"]})
        assert done.status_code == 200, done.text
        memory = shell.json("workspace", "show", "MEMORY.md")
        recalled = client.post("/v1/memory/recall", json={"query": "Is there anything Jule must not eat?"}).json()
        items = [one["text"] for one in shell.json("memory", "list", "--limit", "200")["items"]]
    return {
        "plan": plan,
        "shown": shown,
        "done": done.json(),
        "memory": memory["text"],
        "items": items,
        "recalled": str(recalled),
    }


def test_the_hazelnut_is_in_the_summary_in_memory_and_in_memory_md(condensed: dict[str, Any]) -> None:
    assert NUTS in condensed["plan"]["summary"]
    assert NUTS in condensed["recalled"]
    assert NUTS in condensed["memory"]


def test_most_of_what_was_stated_stands_in_the_summary_and_no_chatter(condensed: dict[str, Any]) -> None:
    text = condensed["plan"]["summary"].replace("the ", "").casefold()
    said = [fact for fact in FACTS if fact.removeprefix("The ").replace("the ", "").casefold() in text]
    assert len(said) >= 0.75 * len(FACTS)
    assert not [words for words in CHATTER if words in condensed["plan"]["summary"]]


def test_what_was_replaced_is_not_in_the_summary(condensed: dict[str, Any]) -> None:
    assert "Wednesdays now" in condensed["plan"]["summary"]
    assert "- We close on Mondays" not in condensed["plan"]["summary"]


def test_the_meter_adds_up_to_the_turns_and_lists_what_is_not_in_sight(condensed: dict[str, Any]) -> None:
    loss = condensed["plan"]["loss"]
    assert loss["turns"] == loss["turns_in_sight"] + len(loss["unseen"]) == TURNS - 3
    assert loss["facts"] == loss["present"] + len(loss["lost"])
    unseen = [one["text"] for one in loss["unseen"]]
    assert unseen.count("hello there") == sum(turn["text"] == "hello there" for turn in bakery()[:-6])
    kept = condensed["items"]
    assert [fact for fact in FACTS if not any(fact in one for one in kept) and not _begins(fact, unseen)] == []
    assert f"of {TURNS - 3} turns wholly in sight" in condensed["shown"]


def _begins(fact: str, unseen: list[str]) -> bool:
    return any(fact.startswith(words.removesuffix("…")) for words in unseen)


def test_what_was_applied_is_what_was_shown(condensed: dict[str, Any]) -> None:
    assert condensed["done"]["summary"] == condensed["plan"]["summary"]
    assert (condensed["done"]["stored"], condensed["done"]["held"]) == ([], [])
