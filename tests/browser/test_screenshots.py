"""Pictures of every page with the sample history: `pytest tests/browser/test_screenshots.py --screenshots DIR`.

In a directory that has some already, such as docs/screenshots, those are taken anew and no others."""

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from browser.visitor import Visitor
from e2e.palyrad import Daemon

_SHOWN = {"1440": (1440, 900), "380": (380, 780)}
_WIDEST = 1200
_QUALITY = 62


@pytest.fixture(scope="module")
def directory(request: pytest.FixtureRequest) -> Path:
    given = request.config.getoption("--screenshots")
    if given is None:
        pytest.skip("asked for by --screenshots DIR")
    made = Path(given)
    made.mkdir(parents=True, exist_ok=True)
    return made


@pytest.fixture(scope="module")
def wanted(directory: Path) -> frozenset[str]:
    """None: all of them."""
    return frozenset(one.stem for one in directory.glob("*.webp"))


@pytest.mark.timeout(600)
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", ["1440", "380"])
def test_every_page_is_pictured(
    directory: Path, wanted: frozenset[str], daemon: Daemon, open_page: Callable[..., Page], width: str, theme: str
) -> None:
    across, down = _SHOWN[width]
    visitor = Visitor(daemon, open_page(viewport={"width": across, "height": down}, color_scheme=theme))
    principal = visitor.asks("POST", "/v1/demo/load", {})["principal"]
    visitor.sign_in(f"#/status?as={principal}")
    for page, place in places(visitor, principal).items():
        name = f"{page}-{theme}-{width}"
        if wanted and name not in wanted:
            continue
        visitor.page.evaluate("place => { location.hash = place }", place)
        expect(visitor.page.locator("main :is(h1, h2):visible").first).to_be_visible()
        visitor.page.wait_for_load_state("networkidle")
        visitor.page.wait_for_timeout(400)
        picture = Image.open(io.BytesIO(visitor.page.screenshot())).convert("RGB")
        picture.thumbnail((_WIDEST, _WIDEST))
        picture.save(directory / f"{name}.webp", quality=_QUALITY, method=6)


def places(visitor: Visitor, principal: str) -> dict[str, str]:
    """Where there is something to see in the sample."""

    def ask(path: str) -> dict[str, list[dict[str, object]]]:
        found: dict[str, list[dict[str, object]]] = visitor.asks("GET", f"{path}?principal={principal}")
        return found

    session = ask("/v1/chat/sessions")["sessions"][0]["key"]
    documents = ask("/v1/workspace/documents")["documents"]
    document = next(one for one in documents if one["pinned"])["path"]
    memory = ask("/v1/memory/items")["items"][0]["memory_id"]
    return {
        "chat": f"#/chat/{session}",
        "memory": "#/memory?q=what+about+the+new+flat",
        "item": f"#/memory/{memory}",
        "review": "#/review",
        "workspace": f"#/workspace/{document}",
        "continuity": "#/continuity/larkspur",
        "journal": "#/journal?kind=memory.stored",
        "jobs": "#/jobs",
        "status": "#/status",
    }
