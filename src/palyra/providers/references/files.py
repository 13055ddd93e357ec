"""Files and folders that a message points at, or a tool reads: never outside the roots, never more than was asked for.

Blocking; call it off the event loop. `confined.py` decides what may be opened, `ignored.py` what a folder hides.
"""

import codecs
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from palyra.core.errors import InvalidArgument, PalyraError
from palyra.core.redact import redact_text
from palyra.domain.chat.references import FileText, FolderEntry, FolderText, shorten
from palyra.providers.references.confined import (
    ConfinedPath,
    Roots,
    open_below,
    open_regular,
    opened_file,
    opened_folder,
)
from palyra.providers.references.ignored import IgnoreRules
from palyra.providers.references.refused import is_plain, is_refused

FOLDER_ENTRIES, FOLDER_DEPTH = 5_000, 16
ENTRIES = 1_000
NAMED_OTHERS = 200
LEAST_CHARS, MARGIN_CHARS = 100, 2_000
_BOMS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


class ReferenceFiles:
    """What lies below `roots`, but for what is `closed`. A relative path is looked for below each of them in turn."""

    def __init__(self, roots: Sequence[Path], closed: Sequence[Path] = ()) -> None:
        self._roots = Roots(roots, closed)

    def read(self, target: str, max_chars: int) -> FileText:
        """At most `max_chars` characters of a text file."""
        place = self._roots.find(target)
        with opened_file(place) as fd:
            return _read(fd, place, max_chars)

    def list(self, target: str, max_files: int, max_chars: int) -> FolderText:
        """The text of at most `max_files` files below a folder, and the names of others: README first, then what is
        nearest and smallest."""
        place = self._roots.find(target)
        walk = _FolderWalk(place, self._roots.closed())
        with opened_folder(place) as fd:
            files = sorted(walk.files(fd, _rules_above(place)), key=_worth)
            return _folder_text(fd, place, files, walk, max_files, max_chars)

    def entries(self, target: str) -> tuple[FolderEntry, ...]:
        """What is in a folder itself, folders first, then by name; at most `ENTRIES`."""
        place = self._roots.find(target)
        walk = _FolderWalk(place, self._roots.closed())
        with opened_folder(place) as fd:
            found = [found for found, _ in walk.folder(fd, place.names, _rules_above(place))]
        return tuple(sorted(found, key=lambda entry: (not entry.is_folder, entry.name))[:ENTRIES])


def _read(fd: int, place: ConfinedPath, max_chars: int) -> FileText:
    size = os.fstat(fd).st_size
    data = _read_bytes(fd, 4 * max_chars + 4)
    text, warnings = _decoded(data, place.target, ended=len(data) >= size)
    whole = len(text) <= max_chars and size <= len(data)
    return FileText(place.path, text[:max_chars], size, whole, warnings)


def _read_bytes(fd: int, most: int) -> bytes:
    pieces: list[bytes] = []
    while most > 0 and (piece := os.read(fd, min(most, 1 << 18))):
        pieces.append(piece)
        most -= len(piece)
    return b"".join(pieces)


def _decoded(data: bytes, target: str, *, ended: bool) -> tuple[str, tuple[str, ...]]:
    """The text; unless it `ended`, the last character may be half there. InvalidArgument for what is none."""
    encoding = next((name for bom, name in _BOMS if data.startswith(bom)), "utf-8")
    warnings: tuple[str, ...] = ()
    try:
        text = codecs.getincrementaldecoder(encoding)().decode(data, ended)
    except UnicodeDecodeError:
        name = encoding.removesuffix("-sig").upper()
        warnings = (f"not in {name}: read as Windows-1252, some characters may be wrong",)
        text = data.decode("cp1252", "replace")
    if "\0" in text:
        raise InvalidArgument(f"{target[:200]!r} is not a text file", hint="attach it, if it is a document or an image")
    return text, warnings


@dataclass(frozen=True, slots=True)
class _FoundFile:
    names: tuple[str, ...]
    """below the folder that is listed"""
    size_bytes: int

    @property
    def path(self) -> str:
        return "/".join(self.names)


def _worth(found: _FoundFile) -> tuple[bool, int, int, str]:
    is_readme = found.names[-1].casefold().split(".")[0] == "readme"
    return not (is_readme and len(found.names) == 1), len(found.names), found.size_bytes, found.path


class _FolderWalk:
    """One look through a folder, which ends after so many entries."""

    def __init__(self, place: ConfinedPath, closed: Sequence[Path]) -> None:
        self.place, self._closed = place, closed
        self.warnings: list[str] = []
        self._left = FOLDER_ENTRIES

    def files(
        self, fd: int, rules: IgnoreRules, names: tuple[str, ...] = (), depth: int = FOLDER_DEPTH
    ) -> Iterator[_FoundFile]:
        """Files below the open folder, links left out. The descriptor stays the caller's."""
        folders: list[str] = []
        inside = rules
        for entry, rules_here in self.folder(fd, (*self.place.names, *names), rules):
            inside = rules_here
            if entry.is_folder:
                folders.append(entry.name)
            else:
                yield _FoundFile((*names, entry.name), entry.size_bytes)
        for name in sorted(folders) if depth else ():
            try:
                deeper = open_below(fd, name)
            except OSError:
                continue
            try:
                yield from self.files(deeper, inside, (*names, name), depth - 1)
            finally:
                os.close(deeper)

    def folder(self, fd: int, names: tuple[str, ...], rules: IgnoreRules) -> Iterator[tuple[FolderEntry, IgnoreRules]]:
        """What the folder itself shows, `names` below its root, each with the rules that hold inside it."""
        rules = rules.entered(fd, self.place, names)
        with os.scandir(fd) as scan:
            for entry in scan:
                if self._left <= 0:
                    self._say(f"more than {FOLDER_ENTRIES:,} entries: the rest was not looked at")
                    return
                self._left -= 1
                shown = _shown(entry)
                if shown is None or self.place.root.joinpath(*names, entry.name) in self._closed:
                    continue
                if not rules.ignores((*names, shown.name), is_folder=shown.is_folder):
                    yield shown, rules
        for warning in rules.warnings:
            self._say(warning)

    def _say(self, warning: str) -> None:
        if warning not in self.warnings:
            self.warnings.append(warning)


def _shown(entry: os.DirEntry[str]) -> FolderEntry | None:
    """None for links, devices and what nobody may read."""
    if not is_plain(entry.name) or is_refused(entry.name):
        return None
    try:
        status = entry.stat(follow_symlinks=False)
    except OSError:
        return None
    if stat.S_ISDIR(status.st_mode):
        return FolderEntry(entry.name, True, 0)
    return FolderEntry(entry.name, False, status.st_size) if stat.S_ISREG(status.st_mode) else None


def _rules_above(place: ConfinedPath) -> IgnoreRules:
    """What the folders between the root and the place say about it, the place itself not asked."""
    rules = IgnoreRules()
    for depth in range(len(place.names)):
        above = ConfinedPath(place.root, place.names[:depth], place.target)
        with opened_folder(above) as fd:
            rules = rules.entered(fd, place, above.names)
    return rules


def _folder_text(
    fd: int, place: ConfinedPath, files: Sequence[_FoundFile], walk: _FolderWalk, max_files: int, max_chars: int
) -> FolderText:
    warnings = list(walk.warnings)
    parts = [f"folder {place.path}: {len(files):,} files"]
    left = max_chars - len(parts[0])
    shown: list[str] = []
    for found in files:
        heading = f"\n\n--- {found.path} ---\n"
        # An eighth stays for the names of the others, and one long file leaves room for a second.
        room = min(left - max_chars // 8, max_chars // 2) - len(heading)
        if len(shown) == max_files or room < LEAST_CHARS:
            break
        try:
            file = _read_below(fd, found, place, room + MARGIN_CHARS)
        except (PalyraError, OSError):
            continue  # no text, or gone meanwhile: its name is listed below
        # Masked before it is shortened: half a secret would not be known for one.
        masked = redact_text(file.text).text
        text = shorten(masked, room)
        if not file.whole or len(text) < len(masked):
            size = f"the file has {file.size_bytes:,} bytes"
            warnings.append(f"{found.path}: shortened to the first {len(text):,} characters ({size})")
        warnings += [f"{found.path}: {warning}" for warning in file.warnings]
        parts.append(heading + text)
        left -= len(heading) + len(text)
        shown.append(found.path)
    taken = set(shown)
    others = tuple(found.path for found in files if found.path not in taken)
    if others:
        parts.append(shorten("\n\nother files: " + ", ".join(others[:NAMED_OTHERS]), max(left, 0)))
        warnings.append(f"the text of {len(shown)} of {len(files):,} files is shown")
    return FolderText(place.path, "".join(parts), tuple(shown), others, tuple(warnings))


def _read_below(fd: int, found: _FoundFile, place: ConfinedPath, max_chars: int) -> FileText:
    """Opened from the folder that was listed, name by name, as everything is."""
    parents: list[int] = []
    try:
        for name in found.names[:-1]:
            parents.append(open_below(parents[-1] if parents else fd, name))
        file = open_regular(parents[-1] if parents else fd, found.names[-1], place)
        parents.append(file)
        return _read(file, place, max_chars)
    finally:
        for opened in parents:
            os.close(opened)
