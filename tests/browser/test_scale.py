"""A long conversation and many memories: the page answers as fast as with few."""

import logging
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from browser.crowd import fill
from browser.visitor import Visitor
from e2e.palyrad import Daemon, palyrad
from shell import Shell

_LOG = logging.getLogger(__name__)
"""the figures: --log-cli-level info"""
TURNS = 2_000
MEMORIES = 2_000
STEPS = 40
# What a person feels as "at once" is 100 ms. What the page itself takes of a processor is compared with that: how long
# it has to wait for one says something about the tests that run beside this one.
BUSY_MS = 100
SLOWEST_OPENING_MS = 10_000

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


class Meter:
    """How long the page's main thread has worked: not while it was waiting for a processor."""

    def __init__(self, page: Page) -> None:
        self._told = page.context.new_cdp_session(page)
        self._told.send("Performance.enable", {"timeDomain": "threadTicks"})
        self._began = self._now_ms()

    def _now_ms(self) -> float:
        metrics = self._told.send("Performance.getMetrics")["metrics"]
        return next(float(one["value"]) * 1000 for one in metrics if one["name"] == "TaskDuration")

    def lap_ms(self) -> float:
        """Since the last one."""
        now = self._now_ms()
        took, self._began = now - self._began, now
        return took


def opens_soon(visitor: Visitor, place: str, text: str) -> None:
    took = measured(visitor, _UNTIL_SHOWN, place, text)
    _LOG.info("%s opened in %.0f ms", place, took)
    assert took < SLOWEST_OPENING_MS


def scrolls_smoothly(visitor: Visitor, name: str, by: int) -> None:
    meter = Meter(visitor.page)
    slowest = measured(visitor, _SLOWEST_FRAME, name, by, STEPS)
    busy = meter.lap_ms() / STEPS
    _LOG.info("%s: %.1f ms of work a frame; slowest frame %.0f ms by the clock", name, busy, slowest)
    assert busy < BUSY_MS


def types_smoothly(visitor: Visitor, box: Locator, text: str) -> None:
    meter = Meter(visitor.page)
    visitor.page.evaluate(_WATCH)
    box.press_sequentially(text)
    busy = meter.lap_ms() / len(text)
    slowest = float(visitor.page.evaluate("window.slowest"))
    _LOG.info("%.1f ms of work a key; slowest key %.0f ms by the clock", busy, slowest)
    assert busy < BUSY_MS


# Whether what stands in sight is where it was some frames ago.
_STAYS = """
async () => {
  const turn = [...document.querySelectorAll('article[data-run]')].find((one) => one.getBoundingClientRect().top > 100)
  const before = turn.getBoundingClientRect().top
  for (let n = 0; n < 10; n++) await new Promise((painted) => requestAnimationFrame(painted))
  return turn.isConnected && Math.abs(turn.getBoundingClientRect().top - before) < 1
}
"""


def stays_put(visitor: Visitor) -> None:
    """Once what was being measured is measured."""
    visitor.page.wait_for_function(f"() => ({_STAYS})()")


def test_a_long_conversation_opens_at_its_end_and_is_read_upwards(visitor: Visitor) -> None:
    page = visitor.page
    opens_soon(visitor, "#/chat/long", f"Question number {TURNS - 1}")
    expect(page.get_by_text(f"Question number {TURNS - 1}", exact=True)).to_be_in_viewport()
    transcript = page.get_by_role("region", name="Transcript")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/transcript" in request.url else None)
    scrolls_smoothly(visitor, "Transcript", -700)
    assert any("before_seq=" in url for url in asked)
    page.wait_for_load_state("networkidle")  # what came before has arrived
    stays_put(visitor)
    transcript.press("Home")
    expect(page.get_by_role("button", name="To the end")).to_be_visible()
    page.wait_for_load_state("networkidle")  # older pages are still arriving
    page.get_by_role("button", name="To the end").click()
    expect(page.get_by_text(f"Question number {TURNS - 1}", exact=True)).to_be_in_viewport()
    types_smoothly(visitor, visitor.message, "typed while much is open")
    assert visitor.turns.count() < 40


def test_a_link_to_an_old_turn_of_a_long_conversation_leads_to_it(visitor: Visitor) -> None:
    early = visitor.asks("GET", "/v1/chat/sessions/long/transcript?after_seq=0&limit=20")
    run_id = early["entries"][-1]["run_id"]
    visitor.goes_to(f"#/chat/long?turn={run_id}")
    expect(visitor.page.locator(f"article[data-run='{run_id}']")).to_be_in_viewport()


def test_many_memories_are_listed_and_searched_without_delay(visitor: Visitor) -> None:
    page = visitor.page
    opens_soon(visitor, "#/memory", f"Note {MEMORIES - 1}:")
    scrolls_smoothly(visitor, "Memories", 2_000)
    rows = page.get_by_role("region", name="Memories").get_by_role("link")
    assert rows.count() < 60
    types_smoothly(visitor, page.get_by_role("searchbox", name="Search memory"), "painted orchard")
    expect(page.get_by_role("region", name="Found").get_by_role("link").first).to_contain_text("orchard")
