"""What git says has changed is shown, and nothing that a repository names is run."""

import os
import shutil
import stat
import subprocess
from pathlib import Path

import pytest

from palyra.core.errors import Deadline, FailedPrecondition, PalyraError
from palyra.providers.references.git import GitDiffs
from support import run

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def git(folder: Path, *arguments: str) -> None:
    environment = {"PATH": os.defpath, "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(
        ["git", "-c", "user.name=ana", "-c", "user.email=ana@example.org", *arguments],
        cwd=folder,
        env=environment,
        check=True,
        capture_output=True,
    )


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "repository"
    (root / "docs").mkdir(parents=True)
    git(root, "init", "-q")
    for name in ("a.txt", "docs/b.txt", ".env", "docs/Server.PEM"):
        (root / name).write_text("before\n")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "first")
    return root


def test_changes_are_shown_apart_from_what_is_staged(repository: Path) -> None:
    (repository / "a.txt").write_text("staged change\n")
    git(repository, "add", "a.txt")
    (repository / "docs" / "b.txt").write_text("later change\n")
    diffs = GitDiffs([repository])
    changed, staged = run(diffs.diff(10_000)), run(diffs.staged(10_000))
    assert "+later change" in changed.text
    assert "staged change" not in changed.text
    assert "+staged change" in staged.text
    assert "later change" not in staged.text
    assert changed.whole


def test_no_change_is_said(repository: Path) -> None:
    assert run(GitDiffs([repository]).diff(10_000)).warnings == ("there is no difference",)


def test_a_repository_without_a_commit_has_staged_files(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / "new.txt").write_text("new\n")
    git(tmp_path, "add", "new.txt")
    assert "+new" in run(GitDiffs([tmp_path]).staged(10_000)).text


def test_what_no_reference_may_read_is_in_no_difference(repository: Path) -> None:
    for name in (".env", "docs/Server.PEM", "a.txt"):
        (repository / name).write_text("the secret\n")
    shown = run(GitDiffs([repository]).diff(10_000)).text
    assert shown.count("+the secret") == 1
    git(repository, "mv", ".env", "plain.txt")
    git(repository, "add", "-A")
    assert ".env" not in run(GitDiffs([repository]).staged(10_000)).text


def test_only_what_is_below_the_root_is_shown(repository: Path) -> None:
    for name in ("a.txt", "docs/b.txt"):
        (repository / name).write_text("after\n")
    shown = run(GitDiffs([repository / "docs"]).diff(10_000)).text
    assert "a/b.txt" in shown
    assert "a.txt" not in shown


def test_a_long_difference_is_cut(repository: Path) -> None:
    (repository / "a.txt").write_text("a long line of text\n" * 200_000)
    shown = run(GitDiffs([repository]).diff(1_000))
    assert len(shown.text) == 1_000
    assert not shown.whole


def test_no_program_of_the_repository_is_run(repository: Path, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\necho $0 $@ >> {ran}\ncat\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    attributes = "*.txt diff=evil filter=evil\n"
    for key, value in {
        "core.fsmonitor": program,
        "core.pager": program,
        "pager.diff": program,
        "diff.external": program,
        "diff.evil.command": program,
        "diff.evil.textconv": program,
        "filter.evil.clean": program,
        "filter.evil.smudge": program,
        "filter.evil.process": program,
        "filter.evil.required": "true",
        "core.sshCommand": program,
        "core.hooksPath": tmp_path,
        "core.alternateRefsCommand": program,
        "alias.diff": f"!{program}",
    }.items():
        git(repository, "config", key, str(value))
    for hook in ("post-index-change", "fsmonitor-watchman"):
        shutil.copy(program, repository / ".git" / "hooks" / hook)
    (repository / ".gitattributes").write_text(attributes)
    (repository / "a.txt").write_text("after\n")
    (repository / "docs" / "b.txt").write_text("after\n")
    diffs = GitDiffs([repository])
    assert "+after" in run(diffs.diff(10_000)).text
    run(diffs.staged(10_000))
    assert not ran.exists(), ran.read_text()


def test_the_same_repository_does_run_programs_when_git_is_asked_plainly(repository: Path, tmp_path: Path) -> None:
    """So that the test above can fail."""
    ran = tmp_path / "ran"
    git(repository, "config", "filter.evil.clean", f"echo ran >> {ran}; cat")
    (repository / ".gitattributes").write_text("*.txt filter=evil\n")
    (repository / "a.txt").write_text("after!\n")
    git(repository, "diff")
    assert ran.exists()


def test_a_submodule_is_not_asked(repository: Path, tmp_path: Path) -> None:
    inner = repository / "inner"
    inner.mkdir()
    git(inner, "init", "-q")
    (inner / "c.txt").write_text("c\n")
    git(inner, "add", "-A")
    git(inner, "commit", "-qm", "inner")
    git(repository, "add", "inner")
    ran = tmp_path / "ran"
    git(inner, "config", "core.fsmonitor", f"touch {ran};")
    (inner / "c.txt").write_text("changed\n")
    run(GitDiffs([repository]).diff(10_000))
    assert not ran.exists()


def test_a_work_tree_elsewhere_shows_nothing_of_it(repository: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.txt").write_text("the canary sings\n")
    git(repository, "config", "core.worktree", str(outside))
    try:
        shown = run(GitDiffs([repository]).diff(10_000)).text
    except PalyraError as error:
        shown = error.message
    assert "canary" not in shown


def test_a_filter_whose_name_cannot_be_switched_off_is_refused(repository: Path) -> None:
    git(repository, "config", "filter.e=v.il.clean", "cat")
    with pytest.raises(FailedPrecondition, match="switched off"):
        run(GitDiffs([repository]).diff(1_000))


def test_what_is_closed_is_in_no_difference(repository: Path) -> None:
    for name in ("a.txt", "docs/b.txt"):
        (repository / name).write_text("after\n")
    shown = run(GitDiffs([repository], [repository / "docs"]).diff(10_000)).text
    assert "a.txt" in shown
    assert "b.txt" not in shown


@pytest.fixture
def planted(repository: Path, tmp_path: Path) -> Path:
    """A folder that somebody made to look into the repository of another."""
    (repository / "a.txt").write_text("the canary sings\n")
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "second")
    folder = tmp_path / "planted"
    folder.mkdir()
    return folder


@pytest.mark.parametrize("way", ["file", "link", "commondir", "objects", "pack", "alternates", "work tree"])
def test_a_planted_repository_shows_nothing_of_another(planted: Path, repository: Path, way: str) -> None:
    theirs, ours = repository / ".git", planted / ".git"
    if way == "file":
        ours.write_text(f"gitdir: {theirs}\n")
    elif way == "link":
        ours.symlink_to(theirs)
    else:
        git(planted, "init", "-q")
        (ours / "HEAD").write_text((theirs / "HEAD").read_text())
        shutil.copytree(theirs / "refs", ours / "refs", dirs_exist_ok=True)
        if way == "commondir":
            (ours / "commondir").write_text(str(theirs))
        elif way == "objects":
            shutil.rmtree(ours / "objects")
            (ours / "objects").symlink_to(theirs / "objects")
        elif way == "pack":
            git(repository, "gc", "-q")
            shutil.rmtree(ours / "objects" / "pack")
            (ours / "objects" / "pack").symlink_to(theirs / "objects" / "pack")
        elif way == "alternates":
            (ours / "objects" / "info" / "alternates").write_text(str(theirs / "objects") + "\n")
        else:
            shutil.rmtree(ours)
            fake = planted / "fake"
            fake.mkdir()
            for name, text in {"gitdir": ours, "commondir": theirs, "HEAD": "ref: refs/heads/master"}.items():
                (fake / name).write_text(f"{text}\n")
            shutil.copy(theirs / "HEAD", fake / "HEAD")
            ours.write_text(f"gitdir: {fake}\n")
    plain = subprocess.run(["git", "diff", "--cached"], cwd=planted, capture_output=True, text=True, check=False).stdout
    assert "canary" in plain or way in ("file", "link"), "nothing is planted: the test would prove nothing"
    for ask in (GitDiffs([planted]).diff, GitDiffs([planted]).staged):
        with pytest.raises(FailedPrecondition, match=r"belongs to another|borrows"):
            run(ask(10_000))


def test_a_linked_work_tree_is_its_own(repository: Path, tmp_path: Path) -> None:
    git(repository, "worktree", "add", "-q", str(tmp_path / "linked"), "-b", "other")
    (tmp_path / "linked" / "a.txt").write_text("changed there\n")
    assert "+changed there" in run(GitDiffs([tmp_path / "linked"]).diff(10_000)).text


def test_a_submodule_is_its_own(repository: Path, tmp_path: Path) -> None:
    outer = tmp_path / "outer"
    outer.mkdir()
    git(outer, "init", "-q")
    git(outer, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(repository), "inner")
    (outer / "inner" / "a.txt").write_text("changed inside\n")
    assert "+changed inside" in run(GitDiffs([outer / "inner"]).diff(10_000)).text


def test_a_folder_that_pretends_to_be_a_bare_repository_is_none(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--bare")
    with pytest.raises(FailedPrecondition, match="in no git repository"):
        run(GitDiffs([tmp_path]).diff(1_000))


def test_no_repository_and_no_git_are_clear_errors(tmp_path: Path) -> None:
    with pytest.raises(FailedPrecondition, match="in no git repository"):
        run(GitDiffs([tmp_path]).diff(1_000))
    with pytest.raises(FailedPrecondition, match="not installed"):
        run(GitDiffs([tmp_path], program="git-that-is-not-there").diff(1_000))
    with pytest.raises(FailedPrecondition, match="no folder is open"):
        run(GitDiffs([]).diff(1_000))
    with pytest.raises(FailedPrecondition, match="in no git repository"):
        run(GitDiffs([tmp_path / "gone"]).diff(1_000))


def test_a_git_that_hangs_is_ended(tmp_path: Path) -> None:
    slow = tmp_path / "slow"
    slow.write_text("#!/bin/sh\necho $$ > " + str(tmp_path / "pid") + "\nsleep 60 &\nwait\n")
    slow.chmod(0o700)
    with pytest.raises(Deadline):
        run(GitDiffs([tmp_path], program=str(slow), timeout_seconds=0.5).diff(1_000))
    assert not Path(f"/proc/{(tmp_path / 'pid').read_text().strip()}").exists()


def test_a_git_that_complains_at_length_does_not_block(tmp_path: Path) -> None:
    noisy = tmp_path / "noisy"
    noisy.write_text("#!/bin/sh\nhead -c 3000000 /dev/zero | tr '\\0' x >&2\nexit 1\n")
    noisy.chmod(0o700)
    with pytest.raises(FailedPrecondition, match="could not show"):
        run(GitDiffs([tmp_path], program=str(noisy)).diff(1_000))
