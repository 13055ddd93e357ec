"""What a document of the workspace may be called, what it may hold, and what it is for: one table.

A path is the same on every system or it is refused: relative, with forward slashes, NFC, nothing invisible, nothing
that Windows or a shell would read as something else. Content is any UTF-8 text without NUL, kept byte for byte.
"""

import re
import unicodedata
from dataclasses import dataclass
from enum import StrEnum

from palyra.core.errors import InvalidArgument, TooLarge
from palyra.core.text import has_lone_surrogate, normalise

PATH_BYTES = 512
SEGMENT_BYTES = 200
"""file systems allow 255: what is written beside a document (a conflict copy, a temporary file) has a longer name"""
CONTENT_BYTES = 131_072


class DocumentClass(StrEnum):
    CURATED = "curated"
    SYSTEM = "system"
    USER = "user"


class PromptBinding(StrEnum):
    SYSTEM_CANDIDATE = "system_candidate"
    MANUAL_ONLY = "manual_only"
    NEVER = "never"


@dataclass(frozen=True, slots=True)
class DocumentKind:
    name: str
    document_class: DocumentClass
    binding: PromptBinding
    purpose: str
    where: str = ""
    """a path, or a folder with its slash; the kind of all other documents has neither"""


README = DocumentKind(
    "readme", DocumentClass.CURATED, PromptBinding.SYSTEM_CANDIDATE, "identity, instructions", "README.md"
)
MEMORY = DocumentKind(
    "memory", DocumentClass.CURATED, PromptBinding.SYSTEM_CANDIDATE, "long-term facts, preferences", "MEMORY.md"
)
HEARTBEAT = DocumentKind("heartbeat", DocumentClass.SYSTEM, PromptBinding.NEVER, "status, active goals", "HEARTBEAT.md")
DAILY = DocumentKind("daily", DocumentClass.USER, PromptBinding.MANUAL_ONLY, "logs", "daily/")
CONTEXT = DocumentKind("context", DocumentClass.CURATED, PromptBinding.MANUAL_ONLY, "focus", "context/")
PROJECT = DocumentKind("project", DocumentClass.CURATED, PromptBinding.MANUAL_ONLY, "projects", "projects/")
PROCEDURE = DocumentKind("procedure", DocumentClass.CURATED, PromptBinding.MANUAL_ONLY, "how to do it", "procedures/")
NOTE = DocumentKind("note", DocumentClass.USER, PromptBinding.MANUAL_ONLY, "anything else")

KINDS = (README, MEMORY, HEARTBEAT, DAILY, CONTEXT, PROJECT, PROCEDURE, NOTE)

TEMPLATES: dict[str, str] = {
    "README.md": (
        "# README\n\n"
        "Who the agent is and how it should work. What you write here can stand at the start of every prompt.\n\n"
        "## Identity\n\n"
        "## Instructions\n"
    ),
    "MEMORY.md": (
        "# MEMORY\n\n"
        "Long-term facts and preferences. Write anywhere; Palyra writes only between its own markers.\n\n"
        "## Facts\n\n"
        "## Preferences\n"
    ),
    "HEARTBEAT.md": (
        "# HEARTBEAT\n\n"
        "What is going on now. This document never stands in a prompt by itself.\n\n"
        "## Status\n\n"
        "## Active goals\n"
    ),
}
"""what a new workspace starts with; written once, never over something that is there"""


def kind_of(path: str) -> DocumentKind:
    """The row of `KINDS` for a checked path."""
    for kind in KINDS:
        if path == kind.where or (kind.where.endswith("/") and path.startswith(kind.where)):
            return kind
    return NOTE


def check_path(path: str) -> str:
    """`path` as it is, or `InvalidArgument` that says what is wrong with it."""
    problem = _path_problem(path)
    if problem:
        raise InvalidArgument(
            f"{path[:80]!a} cannot be the path of a document: {problem}",
            hint="use a relative path such as context/travel.md",
        )
    return path


def path_key(path: str) -> str:
    """Equal for two paths that some file system would take for one: one workspace holds at most one of them."""
    return unicodedata.normalize("NFC", path.casefold())


def check_content(data: bytes) -> str:
    """The text of a document; encoding it as UTF-8 gives back `data`, byte order mark and line breaks included."""
    if len(data) > CONTENT_BYTES:
        raise TooLarge(
            f"the document has {len(data):,} bytes, at most {CONTENT_BYTES:,} are allowed",
            hint="split it into several documents",
            bytes=len(data),
        )
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidArgument(
            f"the document is not UTF-8 text: byte {error.start} is {data[error.start]:#04x}",
            hint="save it as UTF-8",
            offset=error.start,
        ) from None
    at = text.find("\0")
    if at >= 0:
        raise InvalidArgument(
            f"the document holds a NUL character in line {text.count(chr(10), 0, at) + 1}: it is not text",
            hint="remove the character, or keep binary files elsewhere",
        )
    return text


_DEVICE = re.compile(r"(?:CON|PRN|AUX|NUL|CONIN\$|CONOUT\$|(?:COM|LPT)[0-9\u00b9\u00b2\u00b3])", re.IGNORECASE)
_FORBIDDEN = re.compile(r'[\\:*?"<>|]')
_PERCENT = re.compile(r"%[0-9A-Fa-f]{2}")


def _path_problem(path: str) -> str:
    if not path:
        return "it is empty"
    if has_lone_surrogate(path):
        return "it is not valid Unicode"
    if len(path.encode()) > PATH_BYTES:
        return f"it has {len(path.encode())} bytes, at most {PATH_BYTES} are allowed"
    if unicodedata.normalize("NFC", path) != path:
        return "it is not in Unicode normal form NFC"
    if normalise(path) != path or "\n" in path or "\t" in path:
        return "it holds control or invisible characters, or begins or ends with a space"
    if forbidden := _FORBIDDEN.search(path):
        return f"it holds the character {forbidden[0]!a}"
    if encoded := _PERCENT.search(path):
        return f"it is percent-encoded ({encoded[0]})"
    if path.startswith("/"):
        return "it is not relative"
    if not path.endswith(".md"):
        return "it does not end in .md"
    return next((problem for segment in path.split("/") if (problem := _segment_problem(segment))), "")


def _segment_problem(segment: str) -> str:
    folded = unicodedata.normalize("NFKC", segment)
    if not segment:
        return "it has an empty part"
    if len(segment.encode()) > SEGMENT_BYTES:
        return f"a part of it has more than {SEGMENT_BYTES} bytes"
    if folded.startswith("."):
        return f"the part {segment[:40]!a} begins with a dot"
    if segment != segment.strip() or folded.endswith((".", " ")):
        return f"the part {segment[:40]!a} begins or ends with a space, or ends with a dot"
    if segment.startswith("~"):
        return f"the part {segment[:40]!a} begins with a tilde"
    if "/" in folded or _FORBIDDEN.search(folded):
        return f"the part {segment[:40]!a} holds a look-alike of a separator"
    if _DEVICE.fullmatch(segment.partition(".")[0].rstrip()):
        return f"{segment[:40]!a} is a device on Windows"
    return ""
