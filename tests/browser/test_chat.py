"""The chat in a browser: an answer as it comes, found again after a reload, and what it was made of."""

import base64
import re
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from attachment_files import an_image
from browser.visitor import Visitor
from chatting import with_provider
from e2e.palyrad import Daemon, palyrad
from providers.models.scripted_provider import Provider, drip, hold, says, scripted_provider
from shell import Shell


def _quiet(url: str) -> dict[str, str]:
    """Nobody but the conversation asks this model: what it is to say next is meant for that."""
    return with_provider(url, PALYRA_LEARNING_ENABLED="false")


@pytest.fixture(scope="module")
def scripted(tmp_path_factory: pytest.TempPathFactory, chromium: object) -> Iterator[tuple[Daemon, Provider]]:
    """A daemon whose model says what a test wants it to say."""
    with scripted_provider() as provider:
        shell = Shell(tmp_path_factory.mktemp("palyra") / "home")
        with palyrad(shell, environment=_quiet(provider.url)) as running:
            yield running, provider


@pytest.fixture
def with_model(scripted: tuple[Daemon, Provider], open_page: Callable[..., Page]) -> Visitor:
    made = Visitor(scripted[0], open_page())
    made.sign_in()
    return made


def test_a_fact_is_noted_and_remembered_in_another_conversation(visitor: Visitor) -> None:
    visitor.says_and_hears("My dog is called Biscuit", "Noted")
    first = visitor.page.url
    assert re.search(r"#/chat/\w+$", first)
    visitor.message.blur()
    visitor.page.keyboard.press("n")
    expect(visitor.page.get_by_role("heading", name="New conversation")).to_be_visible()
    visitor.says_and_hears("What is my dog called?", "My dog is called Biscuit")
    assert visitor.page.url != first
    chip = visitor.turns.last.get_by_role("button", name="m1 My dog is called Biscuit")
    expect(chip).to_be_visible()
    chip.click()
    inspector = visitor.page.get_by_role("complementary", name="Why this answer")
    expect(inspector).to_contain_text("Memories used")
    expect(inspector).to_contain_text("instructions")
    expect(inspector).to_contain_text("owner")


def test_a_used_memory_is_corrected_pinned_and_forgotten_beside_the_answer(visitor: Visitor) -> None:
    visitor.tells("sister", "My sister is called Ines")
    visitor.says_and_hears("What is my sister called?", "Ines")
    card = (
        visitor.page.get_by_role("complementary", name="Why this answer")
        .get_by_role("article")
        .filter(has_text="My sister is called Ines")
    )
    card.get_by_role("button", name="Pin").click()
    expect(card).to_contain_text("pinned")
    card.get_by_role("button", name="Correct").click()
    card = visitor.page.get_by_role("complementary", name="Why this answer").get_by_role("article").first
    card.get_by_role("textbox").fill("My sister is called Inês")
    card.get_by_role("button", name="Save").click()
    expect(card).to_contain_text("Inês")
    card.get_by_role("button", name="Forget").click()
    card.get_by_role("button", name="Forget").click()
    expect(card).to_contain_text("Forgotten since")
    hits = visitor.asks("POST", "/v1/memory/search", {"query": "What is my sister called?"})["hits"]
    assert not [hit for hit in hits if "Inês" in hit["item"]["text"]]


def test_an_answer_streams_and_a_reload_takes_it_up_again(
    scripted: tuple[Daemon, Provider], with_model: Visitor
) -> None:
    scripted[1].then(drip("one two three " * 30 + "the end 🦊", pause_seconds=0.012))
    with_model.says("Count for me")
    expect(with_model.turns.last).to_contain_text("one two three")
    with_model.page.reload()
    expect(with_model.turns.last).to_have_attribute("data-state", "streaming")
    expect(with_model.turns.last).to_contain_text("the end 🦊")
    expect(with_model.turns.last).to_have_attribute("data-state", "done")
    text = with_model.turns.last.inner_text()
    assert text.count("one two three") == 30


def test_a_stopped_answer_keeps_what_had_arrived_and_can_be_tried_again(
    scripted: tuple[Daemon, Provider], with_model: Visitor
) -> None:
    scripted[1].then(drip("slowly now " * 400, pause_seconds=0.02))
    with_model.says("Tell me everything")
    expect(with_model.turns.last).to_contain_text("slowly now")
    with_model.page.get_by_role("button", name="Stop").click()
    expect(with_model.turns.last).to_have_attribute("data-state", "cancelled")
    expect(with_model.turns.last).to_contain_text("slowly now")
    scripted[1].then(says("All of it."))
    with_model.turns.last.get_by_role("button", name="Try again").click()
    expect(with_model.turns.last).to_contain_text("All of it.")
    expect(with_model.turns).to_have_count(1)


def test_an_answer_that_stalls_leaves_the_page_at_hand(scripted: tuple[Daemon, Provider], with_model: Visitor) -> None:
    go_on = threading.Event()
    scripted[1].then(hold(go_on, "slow at first, and then all at once"))
    with_model.says("Take your time")
    expect(with_model.turns.last).to_have_attribute("data-state", "streaming")
    with_model.message.fill("typed meanwhile")
    with_model.page.reload()
    expect(with_model.turns.last).to_have_attribute("data-state", "streaming")
    expect(with_model.message).to_have_value("typed meanwhile")
    go_on.set()
    expect(with_model.turns.last).to_contain_text("all at once")
    expect(with_model.turns.last).to_have_attribute("data-state", "done")
    expect(with_model.message).to_have_value("typed meanwhile")


def test_a_restart_in_mid_answer_keeps_what_had_arrived(tmp_path: Path, open_page: Callable[..., Page]) -> None:
    shell = Shell(tmp_path / "home")
    with scripted_provider() as provider:
        environment = _quiet(provider.url)
        provider.then(drip("half of it " * 400, pause_seconds=0.01))
        with palyrad(shell, environment=environment) as first:
            visitor = Visitor(first, open_page())
            visitor.sign_in()
            visitor.says("Tell me a story")
            expect(visitor.turns.last).to_contain_text("half of it half of it " * 8)
            on_the_tape(visitor, "half of it")
            first.process.kill()
            expect(visitor.turns.last).to_contain_text("The connection was lost")
        with palyrad(shell, "--port", str(first.port), environment=environment) as second:
            visitor.daemon = second
            expect(visitor.page.get_by_role("dialog", name="Sign in again")).to_be_visible()
            visitor.page.context.new_page().goto(visitor.link())
            expect(visitor.turns.last).to_have_attribute("data-state", "failed")
            expect(visitor.turns.last).to_contain_text("half of it")
            expect(visitor.turns.last.get_by_role("button", name="Try again")).to_be_visible()


def test_a_turn_is_taken_back_and_asked_otherwise_in_a_branch(visitor: Visitor) -> None:
    visitor.says_and_hears("My car is red", "Noted")
    visitor.says_and_hears("My boat is called Nauta", "Noted")
    visitor.says("/undo")
    expect(visitor.turns).to_have_count(1)
    expect(visitor.message).to_have_value("My boat is called Nauta")
    visitor.says_and_hears("My boat is called Argo", "Noted")
    visitor.turns.last.get_by_role("button", name="Ask it otherwise, in a branch").click()
    expect(visitor.message).to_have_value("My boat is called Argo")
    expect(visitor.turns).to_have_count(1)
    expect(visitor.page.get_by_role("link", name=re.compile("^branch of My car is red"))).to_be_visible()


def test_a_draft_survives_a_reload_and_belongs_to_its_conversation(visitor: Visitor) -> None:
    visitor.tells("one", "I like figs")
    visitor.goes_to("#/chat/one")
    visitor.message.fill("not sent yet שלום 你好 🦊")
    visitor.goes_to("#/chat")
    expect(visitor.message).to_have_value("")
    visitor.goes_to("#/chat/one")
    visitor.page.reload()
    expect(visitor.message).to_have_value("not sent yet שלום 你好 🦊")


def test_a_file_is_attached_by_dropping_it_and_a_bad_one_says_why(visitor: Visitor) -> None:
    drop(visitor.page, "notes.txt", b"the code word is heron", "text/plain")
    expect(visitor.page.get_by_text("notes.txt")).to_be_visible()
    drop(visitor.page, "broken.png", b"\x89PNG\r\n\x1a\nnothing", "image/png")
    expect(visitor.page.get_by_role("alert")).to_contain_text("broken.png")
    drop(visitor.page, "square.png", an_image("PNG"), "image/png")
    expect(visitor.page.get_by_text("square.png")).to_be_visible()
    visitor.says("Here they are")
    expect(visitor.turns.last).to_contain_text("notes.txt")
    expect(visitor.turns.last.get_by_role("img", name="square.png")).to_be_visible()


def test_slash_commands_are_offered_and_a_wrong_one_keeps_the_line(visitor: Visitor) -> None:
    visitor.tells("where", "I live in Faro")
    visitor.message.press_sequentially("/rec")
    expect(visitor.page.get_by_role("option", name="/recall")).to_be_visible()
    visitor.message.press("Tab")
    visitor.message.press_sequentially("where do I live")
    visitor.message.press("Enter")
    expect(visitor.page.get_by_role("region", name="What would be recalled")).to_contain_text("I live in Faro")
    visitor.says("/nonsense of mine")
    expect(visitor.page.get_by_role("alert")).to_contain_text("There is no command /nonsense")
    expect(visitor.message).to_have_value("/nonsense of mine")


def test_a_reference_is_looked_up_before_it_is_sent(visitor: Visitor) -> None:
    visitor.message.press_sequentially("see [[MEM")
    visitor.page.get_by_role("option", name=re.compile("MEMORY.md")).click()
    expect(visitor.message).to_have_value("see [[MEMORY.md]]")
    expect(visitor.page.get_by_text(re.compile(r"MEMORY\.md, \d+ tokens"))).to_be_visible()


def test_an_answer_is_markdown_and_never_html(scripted: tuple[Daemon, Provider], with_model: Visitor) -> None:
    """Whatever the page asks of the net fails the test."""
    scripted[1].then(
        says(
            "**bold** <b id=raw>raw</b> <img src=x onerror=window.hacked=1> ![pixel](https://pictures.example/p.png)"
            " [go](javascript:window.hacked=1) [out](https://example.org/)\n\n"
            "```py\nprint(1)\n```\n\n| a | b |\n|-|-|\n| 1 | 2 |\n"
        )
    )
    with_model.says_and_hears("Show me everything", "bold")
    answer = with_model.turns.last
    expect(answer.locator("strong")).to_have_text("bold")
    expect(answer.locator("pre")).to_have_text("print(1)")
    expect(answer.locator("table")).to_be_visible()
    expect(answer).to_contain_text("<b id=raw>")
    expect(answer.locator("[data-blocked=image]")).to_contain_text("picture, not loaded")
    assert answer.locator("img, a[href^=javascript], #raw").count() == 0
    expect(answer.get_by_role("link", name="out")).to_have_attribute("rel", "noopener noreferrer nofollow")
    assert with_model.page.evaluate("window.hacked") is None


def test_two_tabs_show_the_same_conversation(visitor: Visitor) -> None:
    visitor.says_and_hears("My hat is black", "Noted")
    other = Visitor(visitor.daemon, visitor.page.context.new_page())
    other.page.goto(visitor.page.url)
    expect(other.turns).to_have_count(1)
    visitor.says_and_hears("My coat is grey", "Noted")
    expect(other.turns).to_have_count(2)


def on_the_tape(visitor: Visitor, text: str) -> None:
    """Until some of an answer that is still coming is kept."""
    session = visitor.page.url.rpartition("/")[2]
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        told = visitor.asks("GET", f"/v1/chat/sessions/{session}/transcript")["entries"]
        if any(one["type"] == "assistant_text" and text in one["payload"]["text"] for one in told):
            return
        visitor.page.wait_for_timeout(50)
    raise AssertionError(f"{text!r} was not kept")


def drop(page: Page, name: str, data: bytes, media_type: str) -> None:
    page.evaluate(
        """([name, data, type]) => {
            const bytes = Uint8Array.from(atob(data), one => one.charCodeAt(0));
            const files = new DataTransfer();
            files.items.add(new File([bytes], name, {type}));
            const box = document.querySelector('textarea[aria-label="Message"]').parentElement;
            box.dispatchEvent(new DragEvent("drop", {dataTransfer: files, bubbles: true, cancelable: true}));
        }""",
        [name, base64.b64encode(data).decode(), media_type],
    )


def test_a_conversation_opens_at_its_end(visitor: Visitor) -> None:
    for number in range(6):
        visitor.tells("ending", f"Note {number}: the ferry to Porto leaves at {number + 9}:15. " * 12)
    visitor.page.set_viewport_size({"width": 380, "height": 780})
    for _ in range(3):
        visitor.goes_to("#/memory")
        visitor.goes_to("#/chat/ending")
        expect(visitor.turns.last).to_contain_text("Note 5")
        visitor.page.wait_for_load_state("networkidle")
        box = visitor.page.get_by_role("region", name="Transcript")
        expect(visitor.page.get_by_role("button", name="To the end")).to_have_count(0)
        left = box.evaluate("box => box.scrollHeight - box.scrollTop - box.clientHeight")
        assert left < 80
