"""What differs from run to run, as the pages show it: `<id1>`, `<time>`, `<hash>`, … in place of the value."""

import re

_PLAIN = (
    (re.compile(r"\b\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?"), "<time>"),
    (re.compile(r"\b\d{4}-\d\d-\d\d\b"), "<date>"),
    (re.compile(r"\bpal_[\w-]{20,}"), "<token>"),
    (re.compile(r"\bcode=[\w-]{16,}"), "code=<code>"),
    (re.compile(r"(?<![\w+/])[\w+/]{43}=(?![\w=])"), "<hash>"),
    (re.compile(r"(?<![\w+/])[\w+/]{80,}=*(?![\w=])"), "<signature>"),
    (re.compile(r"\+[0-9a-f]{8}\+[\w+/]{44}={0,2}(?![\w=])"), "+<key>"),
    (re.compile(r"\bpalyra_[0-9a-f]{20}\b"), "palyra_<hash>"),
    (re.compile(r"(?<=\bSQLite )[\d.]+"), "<version>"),
    (re.compile(r"\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{12,}\b"), "<hash>"),
    (re.compile(r"(?<!every )(?<!at most )\b\d+(\.\d+)? m?s\b"), "<duration>"),
    (re.compile(r"\b\d+(\.\d+)? [KMG]iB\b"), "<size>"),
    # A block of memories holds a random boundary, which counts as a few tokens more or less.
    (re.compile(r"\b[\d,]+(?= tokens\b|(?: of |-> )[\d,]+ tokens\b)"), "<n>"),
    (re.compile(r"(?<=-)\d{13}\b|(?<=process )\d+"), "<n>"),
    # The sample history is long, and one event more or less is nobody's news.
    (re.compile(r"\b\d{3,}(?= events\b| erased\b)"), "<n>"),
)
_ID = re.compile(r"\b01[0-9A-HJKMNP-TV-Z]{4,24}\b(…?)")
_WHOLE = 26
_GAP = re.compile(r" {2,}")


class Names:
    """Ids are counted as they are met: the same id has the same number, within one block of a page."""

    def __init__(self) -> None:
        self._ids: list[str] = []

    def shown(self, printed: str) -> str:
        text = _ID.sub(self._id, printed)
        for pattern, name in _PLAIN:
            text = pattern.sub(lambda met, name=name: _as_wide(met, name), text)  # type: ignore[misc]
        return text

    def _id(self, met: re.Match[str]) -> str:
        begun = met[0].removesuffix("…")
        known = [whole for whole in self._ids if whole.startswith(begun)]
        if not known and len(begun) == _WHOLE:
            self._ids.append(begun)
            known = [begun]
        is_known = len(known) == 1 and not met[1]
        return _as_wide(met, f"<id{self._ids.index(known[0]) + 1}>" if is_known else f"<id>{met[1]}")


def is_same(written: str, shown: str) -> bool:
    """Columns may be wider or narrower; all else counts."""
    return _evened(written) == _evened(shown)


def _evened(text: str) -> list[str]:
    return [_GAP.sub("  ", line).rstrip() for line in text.rstrip().splitlines()]


def _as_wide(met: re.Match[str], name: str) -> str:
    """Padded where a column begins and another one follows, so that columns stay columns."""
    begins = met.string[: met.start()].endswith(("\n", "  ")) or not met.start()
    return name.ljust(len(met[0])) if begins and met.string.startswith("  ", met.end()) else name
