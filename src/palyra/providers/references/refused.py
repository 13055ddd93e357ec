"""Names that no reference and no file tool may read, however they are spelt.

A name is compared as the most forgiving file system would see it: compatibility forms folded, case folded, invisible
characters and trailing dots and spaces gone. So `.GIT`, `.git. ` and `.ｇit` are all `.git`.
"""

import re
import unicodedata
from collections.abc import Sequence
from fnmatch import translate

from palyra.core.errors import InvalidArgument, PermissionDenied

FOLDERS = (".git", ".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", "git~[0-9]")
FILES = (
    ".env*",
    "*.env",
    ".netrc",
    "_netrc",
    ".pgpass",
    ".git-credentials",
    ".htpasswd",
    ".npmrc",
    ".pypirc",
    "id_rsa*",
    "id_dsa*",
    "id_ecdsa*",
    "id_ed25519*",
    "*.pem",
    "*.key",
    "*.p12",
    "*.pfx",
    "*.jks",
    "*.keystore",
    "*.kdbx",
    "*.ppk",
)
_REFUSED = re.compile("|".join(map(translate, (*FOLDERS, *FILES))))
PATH_CHARS, NAME_BYTES = 4_096, 255


def is_refused(name: str) -> bool:
    """Whether nobody may read below this name, be it a file's or a folder's."""
    return _REFUSED.match(_folded(name)) is not None


def is_plain(name: str) -> bool:
    """Whether a name can be shown and asked for: no control character, no half of one, no dots in disguise."""
    if not name or any(unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") for character in name):
        return False
    return _folded(name) != "" and "/" not in unicodedata.normalize("NFKC", name) and "\\" not in name


def path_names(target: str) -> tuple[str, ...]:
    """The names along a path that was written by somebody else, checked without a look at the disk.

    Empty for the root itself. InvalidArgument for what is no path, PermissionDenied for what is never read: so no
    name is `..`, or looks like it."""
    if not target.strip():
        raise InvalidArgument("the path is empty", hint="write it after the colon, such as @file:notes/plan.md")
    if len(target) > PATH_CHARS:
        raise InvalidArgument(f"the path has {len(target):,} characters, at most {PATH_CHARS:,} are read")
    names = tuple(name for name in target.split("/") if name not in ("", "."))
    for name in names:
        if not is_plain(name) or len(name.encode("utf-8", "replace")) > NAME_BYTES:
            raise refusal(target)
    check_names(names, target)
    return names


def check_names(names: Sequence[str], target: str) -> None:
    if any(is_refused(name) for name in names):
        raise refusal(target)


def refusal(target: str) -> PermissionDenied:
    """The one answer for all that is refused: it says nothing about what is there."""
    return PermissionDenied(
        f"{target[:200]!r} is not open to references",
        hint="name a file below the folders of workspace.reference_roots; '..', links that lead out of them, .git, "
        ".ssh, .env and keys are never read",
    )


def _folded(name: str) -> str:
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    visible = "".join(character for character in folded if unicodedata.category(character) not in ("Cf", "Mn"))
    return visible.strip().rstrip(". ")
