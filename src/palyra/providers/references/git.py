"""What git says has changed in the folder of the first root: nothing of the repository is run, nothing is written.

A repository is somebody else's: its configuration may name programs for hooks, filters, pagers, conversions and
file-system monitors. Each way is closed here, by option, by variable or by overriding what is configured; only
`safe.directory` of the user is read as always, so git itself refuses repositories of other owners.
"""

import asyncio
import os
import shutil
import signal
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from palyra.core.errors import Deadline, FailedPrecondition, Unavailable
from palyra.domain.chat.references import DiffText
from palyra.providers.references.confined import Roots
from palyra.providers.references.refused import FILES, FOLDERS
from palyra.providers.references.repository import Repository, check_own

TIMEOUT_SECONDS = 10
CONFIG_BYTES, PATH_MAX = 65_536, 4_096
_CONFIG = {
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.pager": "cat",
    "core.attributesFile": os.devnull,
    "safe.bareRepository": "explicit",
    "color.ui": "false",
}
_DIFF = (
    "diff",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--no-renames",
    "--ignore-submodules=all",
    "--relative",
    "--src-prefix=a/",
    "--dst-prefix=b/",
)
_EXCLUDED = tuple(f":(exclude,icase,glob)**/{name}{below}" for name in (*FILES, *FOLDERS) for below in ("", "/**"))


class GitDiffs:
    """Differences below the first of `roots`, never of what is `closed`. `program`: for who has git somewhere else."""

    def __init__(
        self,
        roots: Sequence[Path],
        closed: Sequence[Path] = (),
        *,
        program: str = "git",
        timeout_seconds: float = TIMEOUT_SECONDS,
    ) -> None:
        self._roots = Roots(roots, closed)
        self._program, self._timeout_seconds = program, timeout_seconds

    async def diff(self, max_chars: int) -> DiffText:
        """What is changed and not staged. FailedPrecondition where there is no git or no repository."""
        return await self._difference((), max_chars)

    async def staged(self, max_chars: int) -> DiffText:
        """What the next commit would hold. As `diff`."""
        return await self._difference(("--cached",), max_chars)

    async def _difference(self, options: tuple[str, ...], max_chars: int) -> DiffText:
        root = await asyncio.to_thread(self._roots.first)
        program = shutil.which(self._program)
        if program is None:
            raise FailedPrecondition("git is not installed, so there are no differences to show", hint="install git")
        repository = await self._repository(program, root)
        names = await self._configured(program, root)
        await asyncio.to_thread(check_own, repository, says_its_work_tree="core.worktree" in names)
        config = {**_CONFIG, **_without_filters(names)}
        arguments = (*_DIFF, *options, "--", ".", *_EXCLUDED, *self._excluded(root))
        data, whole = await self._run(program, root, config, arguments, 4 * max_chars)
        text = data.decode("utf-8", "replace")
        warnings = () if text.strip() else ("there is no difference",)
        return DiffText(text[:max_chars], whole and len(text) <= max_chars, warnings)

    def _excluded(self, root: Path) -> list[str]:
        closed = [path.relative_to(root) for path in self._roots.closed() if path.is_relative_to(root)]
        return [f":(exclude,literal){path}" for path in closed]

    async def _repository(self, program: str, root: Path) -> Repository:
        wanted = ("--is-inside-work-tree", "--show-toplevel", "--absolute-git-dir", "--git-common-dir")
        data, _ = await self._run(program, root, _CONFIG, ("rev-parse", *wanted), 4 * PATH_MAX)
        lines = data.decode("utf-8", "surrogateescape").splitlines()
        if len(lines) != len(wanted) or lines[0] != "true":
            raise _no_repository()
        return Repository(Path(lines[1]), Path(lines[2]), root / lines[3])

    async def _configured(self, program: str, root: Path) -> set[str]:
        """The names of all settings."""
        data, whole = await self._run(program, root, _CONFIG, ("config", "-z", "--name-only", "--list"), CONFIG_BYTES)
        if not whole:
            raise FailedPrecondition("the configuration of this git repository is too long to be checked")
        return set(data.decode("utf-8", "surrogateescape").split("\0"))

    async def _run(
        self, program: str, root: Path, config: dict[str, str], arguments: tuple[str, ...], max_bytes: int
    ) -> tuple[bytes, bool]:
        """What git writes, at most `max_bytes`, and whether that was all."""
        try:
            process = await asyncio.create_subprocess_exec(
                program,
                "--no-pager",
                "--no-optional-locks",
                *[part for key, value in config.items() for part in ("-c", f"{key}={value}")],
                "-C",
                str(root),
                *arguments,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                env=_environment(),
                start_new_session=True,
            )
        except OSError as error:
            raise Unavailable(f"git could not be started: {error.strerror}") from error
        complaining = asyncio.create_task(_drain(process.stderr))
        try:
            async with asyncio.timeout(self._timeout_seconds):
                data, whole = await _read_to(process.stdout, max_bytes)
                if whole and await process.wait() != 0:
                    raise _failure(await complaining)
        except TimeoutError:
            raise Deadline(f"git took longer than {self._timeout_seconds:g} s") from None
        finally:
            await _end(process)
            await complaining
        return data, whole


def _without_filters(names: set[str]) -> dict[str, str]:
    """Settings that switch off each filter the configuration names: git has no option to switch off all."""
    filters = {name.rpartition(".")[0] for name in names if name.lower().startswith("filter.")}
    if any("=" in name for name in filters):
        raise FailedPrecondition("a filter of this git repository has a name that cannot be switched off")
    switches = (("clean", ""), ("smudge", ""), ("process", ""), ("required", "false"))
    return {f"{name}.{key}": value for name in filters for key, value in switches}


def _environment() -> dict[str, str]:
    """Nothing of ours but the home, where `safe.directory` is."""
    return {
        "PATH": os.defpath,
        "HOME": str(Path.home()),
        "LC_ALL": "C",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_ATTR_NOSYSTEM": "1",
    }


async def _read_to(stream: asyncio.StreamReader | None, most: int) -> tuple[bytes, bool]:
    """At most `most` bytes, and whether the stream ended there."""
    assert stream is not None  # noqa: S101 - both are pipes
    pieces: list[bytes] = []
    while most >= 0:
        piece = await stream.read(min(most + 1, 1 << 16))
        if not piece:
            return b"".join(pieces), True
        pieces.append(piece)
        most -= len(piece)
    return b"".join(pieces)[: most + sum(map(len, pieces))], False


async def _drain(stream: asyncio.StreamReader | None) -> str:
    """The beginning of what is complained about; all of it is read, since git waits for a full pipe."""
    beginning, whole = await _read_to(stream, 4_096)
    while not whole:
        _, whole = await _read_to(stream, 1 << 20)
    return beginning.decode("utf-8", "replace").lower()


async def _end(process: asyncio.subprocess.Process) -> None:
    """With all it may have started; and waited for, so that nothing is left of it."""
    if process.returncode is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    await _drain(process.stdout)  # what nobody read: asyncio sees the end of a process only after that of its pipes
    await process.wait()


def _failure(complaint: str) -> FailedPrecondition:
    """In our words: git's own name paths outside the root."""
    if "dubious ownership" in complaint or "safe.directory" in complaint:
        return FailedPrecondition(
            "the git repository of workspace.reference_roots belongs to somebody else",
            hint="git config --global --add safe.directory FOLDER, if you trust it",
        )
    if any(
        words in complaint for words in ("not a git repository", "bare repository", "work tree", "cannot change to")
    ):
        return _no_repository()
    return FailedPrecondition("git could not show the differences", hint="run git diff there to see why")


def _no_repository() -> FailedPrecondition:
    return FailedPrecondition(
        "the first folder of workspace.reference_roots is in no git repository",
        hint="@diff and @staged show the differences of the repository the first root is in",
    )
