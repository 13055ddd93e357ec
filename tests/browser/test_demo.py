"""The first run: a sample history that comes and goes with one click."""

from playwright.sync_api import expect

from browser.visitor import Visitor


def test_a_sample_history_is_loaded_from_the_start_page_and_removed_completely(visitor: Visitor) -> None:
    page = visitor.page
    visitor.goes_to("#/chat")
    page.get_by_role("button", name="Load a sample history").click()
    expect(page.get_by_role("button", name="Principal: user:demo")).to_be_visible(timeout=60_000)
    expect(page.get_by_role("navigation", name="Conversations").get_by_role("link").first).to_be_visible()
    page.get_by_role("link", name="Status").click()
    page.get_by_role("button", name="Remove it completely").click()
    expect(page.get_by_text("Gone:")).to_be_visible(timeout=60_000)
    expect(page.get_by_role("button", name="Principal: user:local")).to_be_visible()
    assert visitor.asks("GET", "/v1/demo")["state"] == "absent"
