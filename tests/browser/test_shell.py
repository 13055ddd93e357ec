"""The frame of the console: the way in, where a link leads, keys, colours, narrow screens."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from browser.visitor import Visitor
from e2e.palyrad import Daemon, palyrad
from shell import Shell

PLACES = [
    "chat",
    "memory",
    "memory/about?name=boat",
    "memory/conflicts",
    "memory?q=boat",
    "review",
    "review?show=learned",
    "workspace",
    "workspace/README.md",
    "continuity/axe",
    "journal",
    "journal/3",
    "jobs",
    "status",
]


def test_a_link_signs_in_and_leads_on_to_where_one_wanted_to_go(daemon: Daemon, open_page: Callable[..., Page]) -> None:
    visitor = Visitor(daemon, open_page())
    visitor.tells("porto", "I live in Porto")
    visitor.goes_to("#/chat/porto")
    expect(visitor.page.get_by_role("heading", name="Sign in to Palyra")).to_be_visible()
    visitor.page.get_by_role("button", name="Paste a link instead").click()
    visitor.page.locator("#secret").fill(visitor.link())
    visitor.page.get_by_role("button", name="Sign in", exact=True).click()
    expect(visitor.turns.last).to_contain_text("I live in Porto")
    visitor.page.reload()
    expect(visitor.turns.last).to_contain_text("I live in Porto")
    assert visitor.page.url.endswith("#/chat/porto")


def test_a_printed_link_keeps_the_place_that_is_put_behind_it(daemon: Daemon, open_page: Callable[..., Page]) -> None:
    visitor = Visitor(daemon, open_page())
    visitor.sign_in("#/chat/nowhere")
    assert visitor.page.url.endswith("/console/#/chat/nowhere")
    expect(visitor.page.get_by_text("This conversation is not in sight")).to_be_visible()


def test_a_link_that_was_used_says_so(daemon: Daemon, open_page: Callable[..., Page]) -> None:
    visitor = Visitor(daemon, open_page())
    visitor.page.goto(f"{daemon.http}/console/login?code=used")
    expect(visitor.page.get_by_role("alert")).to_contain_text("This link was used before, or is too old")


def test_a_wrong_password_says_what_to_do(daemon: Daemon, open_page: Callable[..., Page]) -> None:
    visitor = Visitor(daemon, open_page())
    visitor.goes_to("")
    visitor.page.locator("#secret").fill("not the password")
    visitor.page.get_by_role("button", name="Sign in", exact=True).click()
    expect(visitor.page.get_by_role("alert")).to_contain_text("palyra console link")


def test_another_tab_that_signs_in_anew_does_not_stop_this_one(visitor: Visitor) -> None:
    """Its CSRF token is another one by then."""
    other = visitor.page.context.new_page()
    other.goto(visitor.link())
    expect(other.get_by_role("navigation", name="Pages")).to_be_visible()
    visitor.says_and_hears("My bicycle is green", "Noted")


def test_a_page_without_the_token_changes_nothing(visitor: Visitor) -> None:
    told = visitor.page.evaluate(
        """async () => {
            const init = {method: "POST", headers: {"content-type": "application/json"}, body: '{"text": "forged"}'};
            const answer = await fetch("/console/v1/memory/items", init);
            return [answer.status, (await answer.json()).error.code];
        }"""
    )
    assert told == [403, "permission_denied"]


def test_a_session_that_ended_is_signed_in_again_over_what_was_being_written(visitor: Visitor) -> None:
    visitor.message.fill("half a sentence")
    visitor.page.context.clear_cookies()
    visitor.message.press("Enter")
    dialog = visitor.page.get_by_role("dialog", name="Sign in again")
    expect(dialog).to_contain_text("Nothing you typed is lost")
    visitor.page.keyboard.press("Escape")
    expect(dialog).to_be_visible()
    other = visitor.page.context.new_page()
    other.goto(visitor.link())
    expect(dialog).to_be_hidden()
    expect(visitor.message).to_have_value("half a sentence")


def test_a_daemon_that_goes_away_is_missed_and_found_again(tmp_path: Path, open_page: Callable[..., Page]) -> None:
    shell = Shell(tmp_path / "home")
    with palyrad(shell) as first:
        visitor = Visitor(first, open_page())
        visitor.sign_in()
        visitor.says_and_hears("My cat is called Miso", "Noted")
        first.stop()
        visitor.says("What is my cat called?")
        expect(visitor.page.get_by_role("alert").first).to_contain_text("palyrad does not answer")
        expect(visitor.message).to_have_value("What is my cat called?")
    with palyrad(shell, "--port", str(first.port)) as second:
        visitor.daemon = second
        expect(visitor.page.get_by_role("dialog", name="Sign in again")).to_be_visible()
        visitor.page.context.new_page().goto(visitor.link())
        expect(visitor.page.get_by_role("dialog", name="Sign in again")).to_be_hidden()
        expect(visitor.message).to_have_value("What is my cat called?")
        visitor.message.press("Enter")
        expect(visitor.turns).to_have_count(2)
        expect(visitor.turns.last).to_contain_text("Miso")


def test_every_command_is_found_by_a_few_letters(visitor: Visitor) -> None:
    page = visitor.page
    expect(visitor.message).to_be_visible()
    page.keyboard.press("Control+k")
    page.keyboard.type("keybo")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_have_count(0)  # by then it has given the focus back
    visitor.message.blur()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()


def test_colours_follow_the_system_until_somebody_chooses(daemon: Daemon, open_page: Callable[..., Page]) -> None:
    visitor = Visitor(daemon, open_page(color_scheme="dark"))
    visitor.sign_in()
    background = "getComputedStyle(document.documentElement).backgroundColor"
    dark = visitor.page.evaluate(background)
    visitor.page.get_by_role("button", name="Auto").click()
    light = visitor.page.evaluate(background)
    assert light != dark
    visitor.page.reload()
    expect(visitor.page.get_by_role("button", name="Light")).to_be_visible()
    assert visitor.page.evaluate(background) == light


def test_another_principals_memory_is_another_one(visitor: Visitor) -> None:
    visitor.says_and_hears("My bird is called Pip", "Noted")
    visitor.message.blur()
    visitor.page.keyboard.press("g")
    visitor.page.keyboard.press("p")
    visitor.page.get_by_role("combobox", name="Principal").fill("user:bob")
    visitor.page.get_by_role("button", name="Switch").click()
    expect(visitor.page.get_by_text("None yet. Your first message begins one.")).to_be_visible()
    assert "as=user%3Abob" in visitor.page.get_by_role("link", name="Chat").get_attribute("href")  # type: ignore[operator]


def test_the_principals_and_channels_there_are_can_be_chosen(visitor: Visitor) -> None:
    for who, text in (({"principal": "user:ana", "channel": "discord:7"}, "The launch is in May"), ({}, "I like figs")):
        visitor.asks("POST", "/v1/memory/items", {"text": text, **who})
    page = visitor.page
    page.get_by_role("button", name="Principal: user:local").click()
    dialog = page.get_by_role("dialog", name="Whose memory this is")
    dialog.get_by_role("button", name=re.compile("user:ana in discord:7.*1 memory")).click()
    expect(page.get_by_role("button", name="Principal: user:ana")).to_be_visible()
    visitor.goes_to("#/memory")
    expect(page.get_by_role("region", name="Memories")).to_contain_text("The launch is in May")
    expect(page.get_by_role("region", name="Memories")).not_to_contain_text("I like figs")


def test_a_narrow_screen_has_a_menu_for_what_the_rail_has_no_room_for(
    daemon: Daemon, open_page: Callable[..., Page]
) -> None:
    visitor = Visitor(daemon, open_page(viewport={"width": 380, "height": 800}, color_scheme="light"))
    visitor.sign_in()
    page = visitor.page
    page.get_by_role("button", name="More: find").click()
    menu = page.get_by_role("dialog", name="More")
    menu.get_by_role("radio", name="Dark").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    menu.get_by_role("button", name="user:local").click()
    expect(page.get_by_role("dialog", name="Whose memory this is")).to_be_visible()


@pytest.mark.parametrize(("width", "theme"), [(380, "dark"), (1440, "light")])
def test_nothing_is_in_the_way_of_anybody(
    daemon: Daemon, open_page: Callable[..., Page], axe: str, width: int, theme: str
) -> None:
    """axe finds nothing, and nothing is wider than the screen."""
    visitor = Visitor(daemon, open_page(viewport={"width": width, "height": 800}, color_scheme=theme))
    visitor.tells("axe", "My boat is called **Nauta**")
    visitor.tells("axe-again", "What is my boat called?")
    visitor.goes_to("")
    expect(visitor.page.locator("#secret")).to_be_visible()
    visitor.page.evaluate(axe)
    assert faults(visitor.page) == []
    visitor.sign_in("#/chat/axe-again")
    expect(visitor.turns.last).to_contain_text("Nauta")
    visitor.page.evaluate(axe)
    assert faults(visitor.page) == []
    for place in PLACES:
        visitor.page.evaluate(f"location.hash = '#/{place}'")
        expect(visitor.page.locator("main :is(h1, h2):visible").first).to_be_visible()
        visitor.page.wait_for_load_state("networkidle")
        assert (place, faults(visitor.page)) == (place, [])
        assert visitor.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def faults(page: Page) -> list[str]:
    found = page.evaluate("axe.run().then(done => done.violations.map(one => one.id + ' ' + one.nodes[0].html))")
    return [re.sub(r"\s+", " ", one)[:200] for one in found]
