"""The built console: files that come with the package, read once, and served as they are or gzipped.

A name in `assets` says what is in the file, so a browser may keep it for good; the page that names them is never kept.
"""

import gzip
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import NamedTuple

from palyra.core.errors import NotFound

_TYPES = {
    ".css": b"text/css; charset=utf-8",
    ".js": b"text/javascript; charset=utf-8",
    ".svg": b"image/svg+xml",
}


class BuiltFile(NamedTuple):
    content_type: bytes
    plain: bytes
    gzipped: bytes


def page() -> bytes:
    return _pages().joinpath("index.html").read_bytes()


def asset(name: str) -> BuiltFile:
    found = _assets().get(name)
    if found is None:
        raise NotFound(f"the console has no file {name[:128]!r}", hint="load the page again: it is of an older build")
    return found


@cache
def _assets() -> dict[str, BuiltFile]:
    """By name: what is not here cannot be asked for."""
    read = {}
    for one in _pages().joinpath("assets").iterdir():
        content_type = _TYPES["." + one.name.rpartition(".")[2]]
        plain = one.read_bytes()
        read[one.name] = BuiltFile(content_type, plain, gzip.compress(plain, 9, mtime=0))
    return read


def _pages() -> Traversable:
    return files("palyra.transports.http").joinpath("pages")
