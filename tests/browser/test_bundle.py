"""The console that is served is the one that is written: built output, types and sources belong together.

Needs no Node. Where Node is, `make console-check` builds it anew and compares every byte.
"""

import gzip
import hashlib
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
CONSOLE = ROOT / "console"
PAGES = ROOT / "src" / "palyra" / "transports" / "http" / "pages"
SOURCES = ("index.html", "package.json", "package-lock.json", "tsconfig.json", "vite.config.ts")
FIRST_LOAD_BYTES = 300 * 1024


def test_the_build_is_that_of_the_sources() -> None:
    """Otherwise: make console."""
    inside = [path for path in (CONSOLE / "src").rglob("*") if path.is_file() and not path.name.endswith(".d.ts")]
    names = sorted([*SOURCES, *(path.relative_to(CONSOLE).as_posix() for path in inside)])
    total = hashlib.sha256()
    for name in names:
        total.update(f"{name} {hashlib.sha256((CONSOLE / name).read_bytes()).hexdigest()}\n".encode())
    assert (PAGES / "sources.sha256").read_text("utf-8").strip() == total.hexdigest(), "run make console"


def test_the_types_are_those_of_the_interface() -> None:
    """Otherwise: make console."""
    described = hashlib.sha256((ROOT / "schemas" / "openapi.json").read_bytes()).hexdigest()
    with (CONSOLE / "src" / "api" / "schema.d.ts").open(encoding="utf-8") as types:
        assert types.readline().split()[-1] == described, "run make console"


def test_the_first_load_is_small() -> None:
    page = (PAGES / "index.html").read_text("utf-8")
    scripts = re.findall(r'(?:src|href)="/console/(assets/[^"]+\.js)"', page)
    assert scripts
    assert sum(len(gzip.compress((PAGES / name).read_bytes(), 9)) for name in scripts) <= FIRST_LOAD_BYTES


def test_every_built_file_is_used() -> None:
    texts = [path.read_text("utf-8") for path in PAGES.rglob("*") if path.suffix in {".html", ".js"}]
    for path in (PAGES / "assets").iterdir():
        assert any(path.name in text for text in texts), path.name


def test_the_lock_file_names_no_place_to_fetch_from() -> None:
    assert "resolved" not in (CONSOLE / "package-lock.json").read_text("utf-8")
