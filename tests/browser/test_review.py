"""What a model proposed waits in Review: it is reworded, decided at once with others, and taken out again."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from browser.visitor import Visitor, candidate
from e2e.palyrad import Daemon, palyrad
from proposing import a_preference, propose
from shell import Shell
from support import an_app, run

NAMES = ("Irene", "Tomas", "Vera")
SAID = (
    "Please always answer in French.",
    *(f"Please always address me as {name} in letters." for name in NAMES),
    "Please always use metric units.",
)


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    """With what waits in its store: every proposal is of another turn."""
    made = Shell(tmp_path_factory.mktemp("palyra") / "home")

    async def learn() -> None:
        async with an_app(made.home) as app:
            await propose(app, [a_preference(text, key="") for text in SAID], "user:local")

    run(learn())
    return made


@pytest.fixture(scope="module")
def daemon(shell: Shell, chromium: Browser) -> Iterator[Daemon]:
    with palyrad(shell) as running:
        yield running


def test_what_was_learned_is_reworded_and_the_decision_taken_back(visitor: Visitor) -> None:
    visitor.goes_to("#/review")
    page = visitor.page
    card = candidate(page, "always answer in French")
    expect(card.first).to_contain_text("% sure")
    card.first.get_by_role("button", name="Edit").click()
    page.get_by_role("textbox", name="Text").fill("Answer in French, and quote in the original.")
    page.get_by_role("button", name="Approve as edited").click()
    expect(page.get_by_role("status")).to_contain_text("Approved, and remembered")
    expect(card).to_have_count(0)
    page.get_by_role("status").get_by_role("button", name="Undo").click()
    expect(page.locator("main")).to_contain_text("in French")


def test_many_candidates_are_decided_at_once_and_the_decision_is_taken_back(visitor: Visitor) -> None:
    visitor.goes_to("#/review")
    page = visitor.page
    cards = page.locator("main li[data-chosen]").filter(has_text="address me as")
    expect(cards.first).to_contain_text("Show in conversation")
    before = len(NAMES)
    expect(cards).to_have_count(before)
    cards.first.get_by_role("checkbox").click()
    cards.last.get_by_role("checkbox").click(modifiers=["Shift"])
    expect(page.get_by_role("toolbar")).to_contain_text("selected")
    page.keyboard.press("r")
    expect(page.get_by_role("status")).to_contain_text("rejected")
    expect(cards).to_have_count(0)
    page.keyboard.press("u")
    expect(cards).to_have_count(before)


def test_what_was_learned_shows_what_it_touched_and_is_taken_out_at_once(visitor: Visitor) -> None:
    page = visitor.page
    waiting = visitor.asks("GET", "/v1/learning/candidates?limit=200")["candidates"]
    learned = next(one for one in waiting if "metric units" in one["text"])
    path = f"/v1/learning/candidates/{learned['candidate_id']}/decision"
    visitor.asks("POST", path, {"decision": "approve"})
    visitor.goes_to("#/review?show=learned")
    page.get_by_role("link", name=re.compile("metric units")).first.click()
    expect(page.get_by_role("heading", name="Memories that hold what it says")).to_be_visible()
    page.get_by_role("button", name="Quarantine").click()
    page.get_by_role("textbox", name="Why").fill("planted")
    page.get_by_role("button", name="Take all of it out").click()
    expect(page.get_by_role("status")).to_contain_text("1 memory forgotten")
