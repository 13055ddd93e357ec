"""The first run: a sample history that comes and goes with one click, in a frame that says what it is."""

import pytest
from playwright.sync_api import Locator, expect

from browser.visitor import Visitor

PAGES = ("chat", "memory", "review", "workspace", "continuity", "journal", "jobs", "status")


def banner(visitor: Visitor) -> Locator:
    return visitor.page.get_by_role("complementary", name="Sample history")


@pytest.fixture
def looking(visitor: Visitor) -> Visitor:
    """At the sample, loaded from the start page."""
    if visitor.asks("GET", "/v1/demo")["state"] == "absent" and visitor.asks("GET", "/v1/chat/sessions")["sessions"]:
        visitor.asks("POST", "/v1/demo/load", {})  # the start page offers it to whoever has nothing yet
    if visitor.asks("GET", "/v1/demo")["state"] == "absent":
        visitor.goes_to("#/chat")
        visitor.page.get_by_role("button", name="Load a sample history").click()
    else:
        visitor.goes_to("#/chat/questions?as=user:demo")
    expect(banner(visitor)).to_be_visible(timeout=60_000)
    return visitor


def test_the_most_telling_conversation_is_open_once_it_is_loaded(looking: Visitor) -> None:
    page = looking.page
    expect(page.get_by_role("heading", name="A few questions")).to_be_visible()
    expect(looking.turns.last).to_contain_text("Which port is staging on?")
    expect(looking.turns.last).to_contain_text("listens on port 6543")
    expect(page.get_by_role("navigation", name="Conversations").get_by_role("link").first).to_contain_text("questions")


def test_every_page_says_that_it_is_a_sample_and_leads_back(looking: Visitor) -> None:
    page = looking.page
    for name in PAGES:
        looking.goes_to(f"#/{name}?as=user:demo")
        expect(page.get_by_role("link", name=name.capitalize()).first).to_have_attribute("aria-current", "page")
        expect(banner(looking)).to_contain_text("A sample, not your memory")
    banner(looking).get_by_role("button", name="Back to my own memory").click()
    expect(page.get_by_role("button", name="Principal: user:local")).to_be_visible()
    expect(banner(looking)).to_have_count(0)
    expect(looking.message).to_be_visible()


def test_nothing_can_be_said_in_it_and_the_next_button_leads_to_ones_own(looking: Visitor) -> None:
    page = looking.page
    expect(looking.message).to_have_count(0)
    page.get_by_role("button", name="Begin my own conversation").click()
    expect(page.get_by_role("button", name="Principal: user:local")).to_be_visible()
    looking.says_and_hears("My bicycle is green.", "Noted")
    own = [one["title"] for one in looking.asks("GET", "/v1/chat/sessions")["sessions"]]
    assert own == ["My bicycle is green."]
    looking.asks("POST", "/v1/demo/remove", {})
    page.reload()
    expect(looking.turns.last).to_contain_text("My bicycle is green.")
    looking.asks("POST", "/v1/demo/load", {})


def test_what_would_change_it_is_refused_with_a_sentence_that_leads_back(looking: Visitor) -> None:
    looking.goes_to("#/memory?as=user:demo")
    looking.page.get_by_role("button", name="Add a memory").first.click()
    looking.page.get_by_role("dialog").get_by_role("textbox").first.fill("Mine.")
    looking.page.get_by_role("dialog").get_by_role("button", name="Remember").click()
    expect(looking.page.get_by_text("nothing of yours is written there")).to_be_visible()


def test_it_is_removed_completely_from_the_banner(looking: Visitor) -> None:
    banner(looking).get_by_role("button", name="Remove the sample").click()
    expect(looking.page.get_by_role("button", name="Principal: user:local")).to_be_visible(timeout=60_000)
    expect(banner(looking)).to_have_count(0)
    assert looking.asks("GET", "/v1/demo")["state"] == "absent"


def test_it_is_removed_completely_in_status(looking: Visitor) -> None:
    page = looking.page
    page.get_by_role("link", name="Status").click()
    page.get_by_role("button", name="Remove it completely").click()
    expect(page.get_by_text("Gone:")).to_be_visible(timeout=60_000)
    expect(page.get_by_role("button", name="Principal: user:local")).to_be_visible()
    assert looking.asks("GET", "/v1/demo")["state"] == "absent"
