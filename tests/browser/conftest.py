"""A real browser before a real daemon: Debian's Chromium, driven by Playwright."""

import shutil
from collections.abc import Callable, Iterator
from importlib.resources import files
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from browser.visitor import Visitor
from e2e.palyrad import Daemon, palyrad
from shell import Shell

_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
]

# How long something that should be there may take before it is missing: other tests run beside these.
_PATIENCE_MS = 20_000
expect.set_options(timeout=_PATIENCE_MS)


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if found is None:
        pytest.skip("NO BROWSER: the console is not tested; apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=_FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory, chromium: Browser) -> Iterator[Daemon]:
    """One for all tests of a file; each begins with a session of its own."""
    with palyrad(Shell(tmp_path_factory.mktemp("palyra") / "home")) as running:
        yield running


@pytest.fixture
def open_page(chromium: Browser) -> Iterator[Callable[..., Page]]:
    """Opens pages whose errors fail the test, and that reach nothing but the daemon."""
    contexts: list[BrowserContext] = []
    wrong: list[str] = []

    def make(**options: Any) -> Page:
        context = chromium.new_context(**{"viewport": {"width": 1440, "height": 900}, "locale": "en-GB", **options})
        context.set_default_timeout(_PATIENCE_MS)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda said: wrong.append(said.text) if "Content Security Policy" in said.text else None)
        page.on(
            "request",
            lambda asked: wrong.append(asked.url) if not asked.url.startswith(("http://127.0.0.1:", "data:")) else None,
        )
        return page

    yield make
    for context in contexts:
        context.close()
    assert not wrong


@pytest.fixture
def visitor(daemon: Daemon, open_page: Callable[..., Page]) -> Visitor:
    """Signed in."""
    made = Visitor(daemon, open_page())
    made.sign_in()
    return made


@pytest.fixture(scope="session")
def axe() -> str:
    """The accessibility checker."""
    return (files("axe_playwright_python") / "axe.min.js").read_text("utf-8")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "/browser/" in str(item.path):
            item.add_marker(pytest.mark.timeout(240))
