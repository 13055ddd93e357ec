"""A long conversation and many memories: the page answers as fast as with few."""

import logging
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from browser.crowd import fill
from browser.visitor import Visitor
from e2e.palyrad import Daemon, palyrad
from shell import Shell

_LOG = logging.getLogger(__name__)
"""the figures: --log-cli-level info"""
TURNS = 2_000
MEMORIES = 2_000
# What a person feels as "at once" is 100 ms on a quiet machine; tests run beside other tests.
SLOWEST_PAINT_MS = 400
SLOWEST_OPENING_MS = 3_000

_WATCH = """
() => {
  window.slowest = 0
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) window.slowest = Math.max(window.slowest, entry.duration)
  }).observe({ type: 'event', durationThreshold: 16 })
}
"""

# Milliseconds from a change of place to the frame in which the text is there.
_UNTIL_SHOWN = """
([place, text]) => new Promise((done) => {
  const began = performance.now()
  const look = () => {
    if (document.querySelector('main').innerText.includes(text)) done(performance.now() - began)
    else requestAnimationFrame(look)
  }
  location.hash = place
  requestAnimationFrame(look)
})
"""

# The slowest frame while a list is scrolled through in big steps.
_SLOWEST_FRAME = """
async ([name, by, steps]) => {
  const box = document.querySelector(`[role=region][aria-label="${name}"]`)
  let slowest = 0
  for (let step = 0; step < steps; step++) {
    const began = performance.now()
    box.scrollTop += by
    await new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)))
    slowest = Math.max(slowest, performance.now() - began)
  }
  return slowest
}
"""


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory, chromium: Browser) -> Iterator[Daemon]:
    shell = Shell(tmp_path_factory.mktemp("palyra") / "home")
    fill(shell.home, TURNS, MEMORIES)
    with palyrad(shell, environment={"PALYRA_MEMORY_EMBEDDINGS_PROVIDER": "hash"}) as running:
        yield running


def measured(visitor: Visitor, script: str, *given: object) -> float:
    return float(visitor.page.evaluate(script, list(given)))


def check(opening_ms: float, frame_ms: float, typing_ms: float) -> None:
    _LOG.info("opening %.0f ms, slowest frame %.0f ms, slowest key %.0f ms", opening_ms, frame_ms, typing_ms)
    assert opening_ms < SLOWEST_OPENING_MS
    assert frame_ms < SLOWEST_PAINT_MS
    assert typing_ms < SLOWEST_PAINT_MS


def test_a_long_conversation_opens_at_its_end_and_is_read_upwards(visitor: Visitor) -> None:
    page = visitor.page
    opening = measured(visitor, _UNTIL_SHOWN, "#/chat/long", f"Question number {TURNS - 1}")
    expect(page.get_by_text(f"Question number {TURNS - 1}", exact=True)).to_be_in_viewport()
    page.evaluate(_WATCH)
    transcript = page.get_by_role("region", name="Transcript")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/transcript" in request.url else None)
    frame = measured(visitor, _SLOWEST_FRAME, "Transcript", -700, 40)
    assert any("before_seq=" in url for url in asked)
    seen = visitor.turns.first.inner_text()
    page.wait_for_timeout(300)
    assert visitor.turns.first.inner_text() == seen, "what is read must stay where it is"
    transcript.press("Home")
    expect(page.get_by_role("button", name="To the end")).to_be_visible()
    page.wait_for_load_state("networkidle")  # older pages are still arriving
    page.get_by_role("button", name="To the end").click()
    expect(page.get_by_text(f"Question number {TURNS - 1}", exact=True)).to_be_in_viewport(timeout=20_000)
    visitor.message.press_sequentially("typed while much is open")
    typing = float(page.evaluate("window.slowest"))
    assert visitor.turns.count() < 40
    check(opening, frame, typing)


def test_a_link_to_an_old_turn_of_a_long_conversation_leads_to_it(visitor: Visitor) -> None:
    early = visitor.asks("GET", "/v1/chat/sessions/long/transcript?after_seq=0&limit=20")
    run_id = early["entries"][-1]["run_id"]
    visitor.goes_to(f"#/chat/long?turn={run_id}")
    expect(visitor.page.locator(f"article[data-run='{run_id}']")).to_be_in_viewport(timeout=20_000)


def test_many_memories_are_listed_and_searched_without_delay(visitor: Visitor) -> None:
    page = visitor.page
    opening = measured(visitor, _UNTIL_SHOWN, "#/memory", f"Note {MEMORIES - 1}:")
    page.evaluate(_WATCH)
    frame = measured(visitor, _SLOWEST_FRAME, "Memories", 2_000, 40)
    rows = page.get_by_role("region", name="Memories").get_by_role("link")
    assert rows.count() < 60
    page.get_by_role("searchbox", name="Search memory").press_sequentially("painted orchard")
    expect(page.get_by_role("region", name="Found").get_by_role("link").first).to_contain_text("orchard")
    typing = float(page.evaluate("window.slowest"))
    check(opening, frame, typing)
