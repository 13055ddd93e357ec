"""What `.gitignore` and `.palyraignore` say: each rules its folder and below, and the nearest one has the last word."""

import os
import re
from dataclasses import dataclass, field

from pathspec import GitIgnoreSpec

from palyra.core.errors import PalyraError
from palyra.providers.references.confined import ConfinedPath, open_regular

IGNORE_FILES = (".gitignore", ".palyraignore")
FILE_BYTES, LINES, STARS = 65_536, 2_000, 3
"""Patterns become expressions that try every place for every star: a longer row of them could keep us for hours."""
_STARS = re.compile(r"\*+")


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """`levels`: a depth below the root, and what the ignore files of the folder there say; the outermost first."""

    levels: tuple[tuple[int, GitIgnoreSpec], ...] = ()
    warnings: list[str] = field(default_factory=list)

    def entered(self, folder: int, place: ConfinedPath, names: tuple[str, ...]) -> "IgnoreRules":
        """The rules inside the folder that is open as `folder`, `names` below its root."""
        lines = [line for name in IGNORE_FILES for line in self._lines(folder, name, place)]
        if not lines:
            return self
        return IgnoreRules((*self.levels, (len(names), _spec(lines, self.warnings))), self.warnings)

    def ignores(self, names: tuple[str, ...], *, is_folder: bool) -> bool:
        for depth, spec in reversed(self.levels):
            said = spec.check_file("/".join(names[depth:]) + ("/" if is_folder else "")).include
            if said is not None:
                return said
        return False

    def _lines(self, folder: int, name: str, place: ConfinedPath) -> list[str]:
        try:
            fd = open_regular(folder, name, place)
        except PalyraError:
            return []
        with os.fdopen(fd, "rb") as file:
            text = file.read(FILE_BYTES + 1)
        lines = text[:FILE_BYTES].decode("utf-8", "replace").splitlines()
        kept = [line for line in lines[:LINES] if _is_cheap(line)]
        if len(kept) < len(lines) or len(text) > FILE_BYTES:
            self.warnings.append(f"{name}: some of its patterns are too long or too many and were not followed")
        return kept


def _is_cheap(line: str) -> bool:
    return len(line) <= 512 and len(_STARS.findall(line)) <= STARS


def _spec(lines: list[str], warnings: list[str]) -> GitIgnoreSpec:
    try:
        return GitIgnoreSpec.from_lines(lines)
    except (ValueError, re.error):
        good: list[str] = []
        for line in lines:
            try:
                GitIgnoreSpec.from_lines([line])
            except (ValueError, re.error):
                warnings.append(f"an ignore file has a pattern that makes no sense: {line[:60]!r}")
            else:
                good.append(line)
        return GitIgnoreSpec.from_lines(good)
