"""Bad input and bad luck: the page says what happened and what to do, and loses no typed text."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect

from browser.test_chat import drop
from browser.test_pages import HOSTILE, retain
from browser.visitor import Visitor, candidate
from e2e.palyrad import Daemon

SIXTEEN_KIB = "The house at number 7 " * 744
LARGEST = "The house at number 7 has eleven windows. " * 180
ODD = {
    "right to left": "גרתי בחיפה עד שנת 2019, ואז עברתי ל-Lisbon",
    "without spaces": "我的猫叫做小白，今年三岁了，喜欢吃鱼",
    "of many parts": "The fox is 🦊, the family 👨‍👩‍👧‍👦, the flag 🇵🇹",
    "unbroken": "word" + "x" * 900,
    "largest": LARGEST,
}


def sign_in_elsewhere(visitor: Visitor) -> None:
    """As somebody does who is asked to: by a new link in another tab."""
    dialog = visitor.page.get_by_role("dialog", name="Sign in again")
    expect(dialog).to_be_visible()
    visitor.page.context.new_page().goto(visitor.link())
    expect(dialog).to_be_hidden()


def test_a_correction_outlives_a_session_that_ended_and_a_reload(visitor: Visitor) -> None:
    visitor.goes_to(f"#/memory/{retain(visitor, 'The tram leaves at eight')}")
    page = visitor.page
    page.get_by_role("button", name="Correct").click()
    text = page.get_by_role("textbox", name="Text")
    text.fill("The tram leaves at nine")
    page.context.clear_cookies()
    page.get_by_role("button", name="Save").click()
    sign_in_elsewhere(visitor)
    expect(text).to_have_value("The tram leaves at nine")
    page.reload()
    expect(text).to_have_value("The tram leaves at nine")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("listitem").filter(has_text="corrected in the console")).to_contain_text("at nine")
    page.reload()
    expect(page.get_by_role("button", name="Correct")).to_be_visible()


def test_a_reworded_candidate_and_a_new_schedule_outlive_a_reload(visitor: Visitor) -> None:
    page = visitor.page
    text = "The page says that the crane was built in 1931"
    visitor.asks("POST", "/v1/memory/items", {"text": text, "source": "tape:tool_result", "trust": "web"})
    visitor.goes_to("#/review")
    card = candidate(page, "the crane was built")
    card.get_by_role("button", name="Edit").click()
    page.get_by_role("textbox", name="Text").fill("The crane was built in 1932")
    page.reload()
    card.get_by_role("button", name="Edit").click()
    expect(page.get_by_role("textbox", name="Text")).to_have_value("The crane was built in 1932")
    visitor.goes_to("#/jobs")
    page.get_by_role("button", name="New schedule").first.click()
    page.get_by_label("What is said").fill("What has changed?")
    page.reload()
    page.get_by_role("button", name="New schedule").first.click()
    expect(page.get_by_label("What is said")).to_have_value("What has changed?")


def test_a_text_of_sixteen_kibibytes_is_refused_and_stays_in_the_form(visitor: Visitor) -> None:
    visitor.goes_to("#/memory")
    page = visitor.page
    page.get_by_role("button", name="Add a memory").first.click()
    text = page.get_by_role("textbox", name="What should be remembered")
    text.fill(SIXTEEN_KIB)
    page.get_by_role("button", name="Remember").click()
    expect(page.get_by_role("alert")).to_contain_text("Split it into several memories")
    expect(text).to_have_value(SIXTEEN_KIB)
    page.reload()
    page.get_by_role("button", name="Add a memory").first.click()
    expect(text).to_have_value(SIXTEEN_KIB)


def test_a_message_that_is_too_long_is_refused_and_stays_in_the_box(visitor: Visitor) -> None:
    text = "-".join(["all work and no play"] * 7_000)
    visitor.says(text)
    expect(visitor.page.get_by_role("alert").first).to_contain_text(re.compile("at most|too large|bytes"))
    expect(visitor.message).not_to_have_value("")
    assert visitor.message.input_value() == text


@pytest.mark.parametrize("width", [380, 1440])
def test_odd_texts_stand_in_every_list_and_push_nothing_out_of_sight(
    daemon: Daemon, open_page: Callable[..., Page], width: int
) -> None:
    visitor = Visitor(daemon, open_page(viewport={"width": width, "height": 800}))
    page = visitor.page
    ids = [retain(visitor, text) for text in ODD.values()]
    visitor.tells("odd", ODD["right to left"])
    visitor.tells("odd", ODD["unbroken"])
    visitor.sign_in("#/memory")
    for text in ODD.values():
        row = page.get_by_role("region", name="Memories").get_by_role("link", name=re.compile(re.escape(text[:16])))
        expect(row.first).to_be_visible()
    for place, text in zip([f"#/memory/{one}" for one in ids], ODD.values(), strict=True):
        visitor.goes_to(place)
        expect(page.locator("main p").filter(has_text=text[:16]).first).to_have_text(text.strip())
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    visitor.goes_to("#/chat/odd")
    expect(visitor.turns.last).to_contain_text(ODD["unbroken"])
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_hostile_text_stays_text_in_the_small_fields_too(visitor: Visitor) -> None:
    """Tags, speakers, reasons, names of points, prompts, channels; whatever the page asks of the net fails the test."""
    page = visitor.page
    tag = "<img/src=x/onerror=window.hacked=1>"
    memory_id = retain(visitor, "The bridge is red", speaker=HOSTILE[:60], thread=HOSTILE[:60], tags=[tag])
    retain(visitor, "The bridge is long", channel=tag)
    visitor.asks("PATCH", f"/v1/memory/items/{memory_id}", {"text": "The bridge is blue", "reason": HOSTILE})
    held = {"text": f"The page says {HOSTILE}", "source": "tape:tool_result", "trust": "web"}
    visitor.asks("POST", "/v1/memory/items", held)
    visitor.tells("small", "We talk about the bridge")
    visitor.asks("POST", "/v1/chat/sessions/small/checkpoints", {"name": HOSTILE[:100], "note": HOSTILE})
    visitor.asks("POST", "/v1/cron/jobs", {"name": "hostile", "prompt": HOSTILE, "every": "1h"})
    visitor.asks("POST", "/v1/journal/events", {"kind": "note", "payload": {"text": HOSTILE}})
    for place in (f"#/memory/{memory_id}", "#/memory", "#/review", "#/continuity/small", "#/jobs", "#/journal"):
        visitor.goes_to(place)
        expect(page.locator("main")).to_contain_text("onerror")
    page.keyboard.press("g")
    page.keyboard.press("p")
    expect(page.get_by_role("dialog", name="Whose memory this is")).to_contain_text(tag)
    assert page.evaluate("window.hacked") is None
    assert page.locator("a[href^='javascript'], main img").count() == 0


def test_a_file_that_is_refused_leaves_what_was_typed(visitor: Visitor) -> None:
    visitor.message.fill("Look at this")
    drop(visitor.page, "program.exe", b"MZ\x90\x00" + bytes(200), "application/octet-stream")
    expect(visitor.page.get_by_role("alert")).to_contain_text("program.exe")
    expect(visitor.message).to_have_value("Look at this")
    visitor.message.press("Enter")
    expect(visitor.turns.last).to_contain_text("Look at this")


def test_a_daemon_that_answers_late_says_nothing_twice(visitor: Visitor) -> None:
    """The message arrives, the answer to it does not: sent again, it is said once."""
    lost: list[str] = []

    def lose(route: Route) -> None:
        if not lost:
            lost.append(route.request.post_data or "")
            route.fetch()
            route.abort()
        else:
            route.continue_()

    visitor.tells("once", "We begin")
    visitor.goes_to("#/chat/once")
    expect(visitor.turns).to_have_count(1)
    visitor.page.route("**/messages/stream", lose)
    visitor.says("My kettle is copper")
    expect(visitor.message).to_have_value("My kettle is copper")
    expect(visitor.page.get_by_role("alert").first).to_be_visible()
    visitor.message.press("Enter")
    expect(visitor.message).to_have_value("")
    expect(visitor.turns).to_have_count(2)
    told = visitor.asks("GET", "/v1/chat/sessions/once/transcript")["entries"]
    assert [one["payload"].get("text") for one in told if one["type"] == "user_message"][1:] == ["My kettle is copper"]


def test_a_hidden_page_asks_for_nothing(visitor: Visitor) -> None:
    """Nothing changes where nobody looks; what changed meanwhile is there when somebody does."""
    page = visitor.page
    page.clock.install()
    visitor.tells("hidden", "We begin")
    visitor.goes_to("#/chat/hidden")
    expect(visitor.turns).to_have_count(1)
    page.wait_for_load_state("networkidle")
    page.evaluate("Object.defineProperty(document, 'visibilityState', {value: 'hidden', configurable: true})")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    visitor.tells("hidden", "My lamp is brass")
    page.clock.run_for(120_000)
    assert asked == []
    page.evaluate("delete document.visibilityState; document.dispatchEvent(new Event('visibilitychange'))")
    expect(visitor.turns).to_have_count(2)
