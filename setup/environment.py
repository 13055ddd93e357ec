"""Makes an environment to run Palyra in: the packages of requirements.lock, and Palyra itself. For `make run`.

    python3 setup/environment.py .venv-run

Says on standard output what it does, a line a step. A mark in the environment tells what it was made from, and is
written last: without it, or with another one, everything is made anew, so nothing half made is ever used.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from trouble import Trouble, ending_in_one_line, in_words

CHECKOUT = Path(__file__).resolve().parent.parent
LOCK = CHECKOUT / "requirements.lock"
NEEDED_MB = 450
"""what it takes is 330 MB; the rest is room for what pip unpacks on the way"""
PIP = ("-m", "pip", "--disable-pip-version-check", "--no-input", "--no-color")
NOT_TO_RUN = ("setuptools", "uv_build")
"""what venv and our own build bring, and nothing needs once all is there"""
SAID_EVERY_SECONDS = 3.0
"""where lines cannot be overwritten"""

Say = Callable[[str], None]


def prepare(directory: Path, say: Say) -> None:
    """The environment is there and made from what lies here now. Nothing is said if it was already."""
    mark, wanted = directory / ".ready", _fingerprint(directory)
    if _read(mark) == wanted:
        return
    with held(directory.with_name(directory.name + ".lock"), say):
        if _read(mark) != wanted:  # else somebody else has made it while we waited
            make(directory, in_place=True, say=say)
            lead_clients_here(CHECKOUT / ".venv", directory)
            mark.write_text(wanted, "utf-8")


def lead_clients_here(before: Path, directory: Path) -> None:
    """Up to 0.1.0 there was one environment, `.venv`, and agents' settings name the programs in it. Where that lacks
    what a newer Palyra imports, they lead to the new one; `make test` brings it up to date and puts its own back."""
    try:
        made = (before / ".ready").stat().st_mtime
    except OSError:
        return
    if made >= max(file.stat().st_mtime for file in (CHECKOUT / "pyproject.toml", CHECKOUT / "requirements-dev.lock")):
        return
    for program in ("palyra", "palyrad"):
        old = before / "bin" / program
        if old.exists():
            link = old.with_name(f".{program}.new")
            link.unlink(missing_ok=True)
            link.symlink_to(directory / "bin" / program)
            link.replace(old)


def make(directory: Path, *, in_place: bool, say: Say) -> None:
    """Anew, whatever is there. `in_place`: it runs the sources as they lie here, and follows every change to them.
    Trouble, or whatever else ends it, leaves nothing there."""
    started = time.monotonic()
    _check_room(directory.parent)
    try:
        _make(directory, in_place=in_place, say=say)
    except BaseException as error:
        shutil.rmtree(directory, ignore_errors=True)
        if isinstance(error, OSError):
            raise in_words(str(error), directory) from error
        raise
    say(f"set up in {time.monotonic() - started:.0f} s")


def _make(directory: Path, *, in_place: bool, say: Say) -> None:
    say(f"1/4 Python {sys.version.split()[0]}: an environment of its own in {_short(directory)}")
    if directory.exists():
        shutil.rmtree(directory)
    _run([sys.executable, "-m", "venv", str(directory)], directory, "no environment could be made")
    say("2/4 the packages that requirements.lock names, about 300 MB")
    _install_packages(directory, say)
    say(f"3/4 Palyra itself{', from the sources here' if in_place else ''}")
    _install_palyra(directory, in_place=in_place)
    say("4/4 compiling, so that it starts at once")
    _compile(directory, in_place=in_place)


@contextmanager
def held(lock: Path, say: Say) -> Iterator[None]:
    """Two at once in the same place would spoil each other's work: the second one waits."""
    try:
        lock.parent.mkdir(parents=True, exist_ok=True)
        file = os.open(lock, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise in_words(str(error), lock) from error
    try:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"somebody else is setting up {_short(lock.with_suffix(''))}; waiting for them to finish")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield
    finally:
        os.close(file)


def python_of(directory: Path) -> Path:
    return directory / "bin" / "python"


def packages_of(directory: Path) -> Path:
    (found,) = (directory / "lib").glob("python3*/site-packages")
    return found


def _fingerprint(directory: Path) -> str:
    """Also of the place: scripts in an environment name it by its full path, so a copy of it elsewhere is none."""
    digest = hashlib.sha256(f"{sys.version}\n{sys.executable}\n{directory.absolute()}\n".encode())
    for file in (LOCK, CHECKOUT / "pyproject.toml"):
        digest.update(file.read_bytes())
    return digest.hexdigest()


def _read(mark: Path) -> str:
    try:
        return mark.read_text("utf-8")
    except OSError:
        return ""


def _check_room(place: Path) -> None:
    while not place.exists():
        place = place.parent
    free_mb = shutil.disk_usage(place).free // 1_000_000
    if free_mb < NEEDED_MB:
        raise Trouble(
            f"the disk of {place} has {free_mb} MB left, and Palyra needs {NEEDED_MB} MB", "make room, then repeat"
        )


def _install_packages(directory: Path, say: Say) -> None:
    """`--no-deps`: the lock names everything, and leaves out on purpose what setup/left-out.txt says."""
    command = [str(python_of(directory)), "-I", *PIP, "install", "--no-deps", "--no-user", "--no-compile"]
    command += ["--progress-bar", "off", "--require-hashes", "-r", str(LOCK)]
    log, packages = directory / "setup.log", packages_of(directory)
    named = sum(line[:1].isalnum() for line in LOCK.read_text("utf-8").splitlines())
    progress = _Progress(say)
    with log.open("w", encoding="utf-8") as out:
        before = len(list(packages.glob("*.dist-info")))
        child = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, cwd=directory)
        try:
            while child.poll() is None:
                time.sleep(0.1)
                told = _read(log)
                count = named - told.count("Ignoring ")  # what is for other systems and versions
                progress.show(told.count("Collecting "), len(list(packages.glob("*.dist-info"))) - before, count)
        finally:
            _stop(child)
    progress.end()
    if child.returncode:
        raise in_words(_read(log), directory)


class _Progress:
    """One line that is written over on a terminal, and elsewhere a line every few seconds."""

    def __init__(self, say: Say) -> None:
        self._say = say
        self._overwrites = sys.stdout.isatty()
        self._shown, self._said_at = "", time.monotonic()

    def show(self, fetched: int, installed: int, count: int) -> None:
        done, what = (installed, "installed") if installed else (fetched, "fetched")
        text = f"    {min(done, count)} of {count} {what}"
        if self._overwrites and text != self._shown:
            sys.stdout.write(f"\r{text:<30}")
            sys.stdout.flush()
            self._shown = text
        elif not self._overwrites and text != self._shown and time.monotonic() >= self._said_at + SAID_EVERY_SECONDS:
            self._say(text)
            self._shown, self._said_at = text, time.monotonic()

    def end(self) -> None:
        if self._overwrites:
            sys.stdout.write("\r" + " " * 30 + "\r")
            sys.stdout.flush()


def _install_palyra(directory: Path, *, in_place: bool) -> None:
    """By the build of our own lock, found on PATH: nothing is fetched, and no compiler, Node or git is asked for."""
    python = str(python_of(directory))
    how = ["--no-deps", "--no-user", "--no-compile", "--no-build-isolation"]
    where = ["-e", str(CHECKOUT)] if in_place else [str(CHECKOUT)]
    path = f"{directory / 'bin'}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    _run([python, "-I", *PIP, "install", *how, *where], directory, "Palyra could not be installed", PATH=path)
    _run([python, "-I", *PIP, "uninstall", "-y", *NOT_TO_RUN], directory, "Palyra could not be installed")


def _compile(directory: Path, *, in_place: bool) -> None:
    """As pip does it, on all cores. What does not compile is not imported either."""
    places = [packages_of(directory), *([CHECKOUT / "src"] if in_place else [])]
    command = [str(python_of(directory)), "-I", "-m", "compileall", "-q", "-j", "0", *map(str, places)]
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)


def _run(command: Sequence[str], directory: Path, failure: str, **environment: str) -> None:
    child = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        env={**os.environ, **environment},
    )
    try:
        told, _ = child.communicate()
    finally:
        _stop(child)
    if child.returncode:
        raise in_words(told, directory, failure)


def _stop(child: "subprocess.Popen[str] | subprocess.Popen[bytes]") -> None:
    if child.poll() is None:
        child.terminate()
        child.wait()


def _short(path: Path) -> str:
    """As the reader would write it from where they stand."""
    here, home = Path.cwd(), Path.home()
    if path.absolute().is_relative_to(here):
        return str(path.absolute().relative_to(here))
    return f"~/{path.relative_to(home)}" if path.is_relative_to(home) else str(path)


def say_line(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(ending_in_one_line(lambda: prepare(Path(sys.argv[1]).absolute(), say_line)))
