"""`make install` and `make uninstall`: Palyra for this user, in an environment of its own.

    python3 setup/install.py [--bin DIR]
    python3 setup/install.py --remove [--bin DIR]

Each installation is made whole in a directory of its own; then the links to it change, and the one before goes. So a
cut-off leaves the old one as it was. Nobody's memory is touched: it lies in the data directory.
"""

import argparse
import os
import secrets
import shutil
import sys
import tomllib
from pathlib import Path

from environment import CHECKOUT, held, make, say_line
from trouble import Trouble, ending_in_one_line

PROGRAMS = ("palyra", "palyrad")


def install(app: Path, bin_directory: Path) -> None:
    """Trouble before anything is made if a program of that name is there that is not ours."""
    for program in PROGRAMS:
        _check_ours(bin_directory / program, app)
    with held(app / "lock", say_line):
        directory = app / f"{_version()}-{secrets.token_hex(4)}"  # not made yet: what fails leaves nothing
        make(directory, in_place=False, say=say_line)
        _link(directory, bin_directory)
        for other in app.iterdir():
            if other.is_dir() and other != directory:
                shutil.rmtree(other, ignore_errors=True)
    say_line(f"palyra and palyrad {_version()} are in {bin_directory}")
    say_line(_how_to_reach(bin_directory))


def remove(app: Path, bin_directory: Path) -> None:
    """Programs and environment. The memory stays, and so does a service that still needs them: that is refused."""
    if not app.exists():
        raise Trouble(f"nothing is installed in {app}", "make install puts it there")
    for unit in SERVICES:
        if unit.exists() and any(str(place) in unit.read_text("utf-8") for place in (app, bin_directory)):
            raise Trouble(f"{unit} starts what is to be removed", f"{bin_directory / 'palyra'} service remove")
    with held(app / "lock", say_line):
        for program in PROGRAMS:
            if _leads_to(bin_directory / program, app):
                (bin_directory / program).unlink()
        shutil.rmtree(app)
    say_line(f"removed palyra and palyrad from {bin_directory}, and {app}")
    say_line("what was remembered is untouched: it lies in its data directory, usually ~/.local/share/palyra")


SERVICES = (
    Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "systemd/user/palyra.service",
    Path.home() / "Library/LaunchAgents/local.palyra.palyrad.plist",
)


def _check_ours(link: Path, app: Path) -> None:
    if (link.exists() or link.is_symlink()) and not _leads_to(link, app):
        raise Trouble(
            f"{link} is there already, and not from make install",
            "remove it (pipx uninstall palyra, uv tool uninstall palyra), or choose: make install BIN_DIR=DIR",
        )


def _leads_to(link: Path, app: Path) -> bool:
    return link.is_symlink() and link.readlink().is_relative_to(app)


def _link(directory: Path, bin_directory: Path) -> None:
    bin_directory.mkdir(parents=True, exist_ok=True)
    for program in PROGRAMS:
        new = bin_directory / f".{program}.new"
        new.unlink(missing_ok=True)
        new.symlink_to(directory / "bin" / program)
        new.replace(bin_directory / program)


def _how_to_reach(bin_directory: Path) -> str:
    found = shutil.which("palyra")
    if found == str(bin_directory / "palyra"):
        return "next: palyra serve, or palyra service install so that it stays up"
    if found:
        return f"but the shell finds {found} first: remove that, or put {bin_directory} before it on PATH"
    return (
        f"{bin_directory} is not on PATH. For every new terminal, add this line to ~/.profile (zsh: ~/.zprofile):\n"
        f'  export PATH="{bin_directory}:$PATH"'
    )


def _version() -> str:
    version: str = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    return version


def main() -> None:
    parser = argparse.ArgumentParser(description="Installs Palyra for this user, or removes it again.")
    parser.add_argument("--remove", action="store_true")
    parser.add_argument("--bin", type=Path, default=Path.home() / ".local/bin", help="where the programs are linked")
    given = parser.parse_args()
    app = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local/share") / "palyra-app"
    work = remove if given.remove else install
    sys.exit(ending_in_one_line(lambda: work(app, given.bin.expanduser().absolute())))


if __name__ == "__main__":
    main()
