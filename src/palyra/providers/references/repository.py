"""Whether a git repository is the folder's own, so that its differences hold nothing from elsewhere.

A `.git` that somebody planted may be a link, or point to the repository of another folder, or borrow its objects: then
git would show, as removed lines, files that lie far outside the roots.
"""

import os
from dataclasses import dataclass
from pathlib import Path

from palyra.core.errors import FailedPrecondition


@dataclass(frozen=True, slots=True)
class Repository:
    """As git found it from a folder."""

    top: Path
    """of the work tree"""
    git_dir: Path
    common_dir: Path
    """where the objects are; another than `git_dir` in a linked work tree"""


def check_own(repository: Repository, *, says_its_work_tree: bool) -> None:
    """FailedPrecondition unless the repository belongs to the work tree, and its objects are its own.

    `says_its_work_tree`: core.worktree is set, as in a submodule. Git has then compared it with the folder."""
    top, git_dir, common_dir = map(_real, (repository.top, repository.git_dir, repository.common_dir))
    if common_dir == git_dir:
        known = says_its_work_tree or (git_dir == top / ".git" and not (top / ".git").is_symlink())
    else:
        known = git_dir.parent == common_dir / "worktrees" and _names(git_dir / "gitdir", top / ".git")
    if not known:
        raise FailedPrecondition("the git repository of workspace.reference_roots belongs to another folder")
    if not _has_own_objects(common_dir / "objects"):
        raise FailedPrecondition("the git repository of workspace.reference_roots borrows from another repository")


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _names(file: Path, wanted: Path) -> bool:
    """Whether the repository itself knows of the work tree that points to it."""
    if not file.is_file() or file.stat().st_size > 8_192:
        return False
    text = file.read_text("utf-8", "surrogateescape")
    return _real(file.parent / text.removesuffix("\n")) == _real(wanted)


def _has_own_objects(objects: Path) -> bool:
    try:
        links = [entry.is_symlink() for folder in (objects.parent, objects) for entry in os.scandir(folder)]
        return not any(links) and not (objects / "info" / "alternates").exists()
    except OSError:
        return False
