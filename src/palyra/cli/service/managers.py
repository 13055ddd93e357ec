"""The two programs that start services: where they look for ours, and how each is asked to start and stop it."""

import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from palyra.cli.service.units import LABEL, MARK, launchd_list, systemd_unit
from palyra.core.errors import AlreadyExists, FailedPrecondition

_SECONDS = 60
Command = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Manager:
    name: str
    file: Path
    text: Callable[[list[str]], bytes]
    """for a command, what is written into the file"""
    probe: Command
    """succeeds where it runs for this user"""
    activity: Command
    """succeeds while the service is up"""
    start: tuple[Command, ...]
    stop: tuple[Command, ...]
    log: str
    """how to see what the daemon said"""

    def is_there(self) -> bool:
        return _succeeds(self.probe)

    def is_active(self) -> bool:
        return _succeeds(self.activity)

    def write(self, command: list[str]) -> bool:
        """False: it says so already. Never over a file that somebody else wrote."""
        new, old = self.text(command), self.read()
        if old == new:
            return False
        if old is not None and MARK.encode() not in old and LABEL.encode() not in old:
            raise AlreadyExists(f"{self.file} is there and was not written by Palyra", hint="move it away, then repeat")
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            temporary = self.file.with_name(self.file.name + ".palyra-tmp")
            temporary.write_bytes(new)
            temporary.replace(self.file)
        except OSError as error:
            raise FailedPrecondition(
                f"cannot write {self.file}: {error.strerror}", hint="check its directory, or use --print"
            ) from None
        return True

    def read(self) -> bytes | None:
        try:
            return self.file.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise FailedPrecondition(f"cannot read {self.file}: {error.strerror}", hint="check it") from None


def find_manager(name: str | None) -> Manager:
    """That of this system, unless one is named."""
    name = name or {"linux": "systemd", "darwin": "launchd"}.get(sys.platform)
    if name is None:
        raise FailedPrecondition(
            f"services are known for systemd and launchd, not for {sys.platform}",
            hint="start palyrad by whatever starts programs here",
        )
    return _systemd() if name == "systemd" else _launchd()


def run(commands: Sequence[Command]) -> None:
    """One after the other. FailedPrecondition with what the first one said that failed."""
    for command in commands:
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)  # noqa: S603 - from the tables below
        except (OSError, subprocess.TimeoutExpired) as error:
            raise FailedPrecondition(
                f"{shlex.join(command)} could not be run: {error}", hint="run it yourself"
            ) from None
        if done.returncode:
            said = " ".join(done.stderr.split()) or f"exit code {done.returncode}"
            raise FailedPrecondition(f"{shlex.join(command)} failed: {said}", hint="mend that, then repeat")


def _succeeds(command: Command) -> bool:
    try:
        return not subprocess.run(command, capture_output=True, timeout=_SECONDS, check=False).returncode  # noqa: S603 - from the tables below
    except (OSError, subprocess.TimeoutExpired):
        return False


def _systemd() -> Manager:
    import platformdirs

    control, unit = ("systemctl", "--user"), "palyra.service"
    return Manager(
        name="systemd",
        file=platformdirs.user_config_path() / "systemd" / "user" / unit,
        text=systemd_unit,
        probe=(*control, "show-environment"),
        activity=(*control, "is-active", unit),
        start=((*control, "daemon-reload"), (*control, "enable", unit), (*control, "restart", unit)),
        stop=((*control, "disable", "--now", unit),),
        log=f"journalctl --user --unit {unit}",
    )


def _launchd() -> Manager:
    file, domain = Path.home() / "Library" / "LaunchAgents" / f"{LABEL}.plist", f"gui/{os.getuid()}"
    log = Path.home() / "Library" / "Logs" / "palyra.log"
    return Manager(
        name="launchd",
        file=file,
        text=lambda command: launchd_list(command, log),
        probe=("launchctl", "print", domain),
        activity=("launchctl", "print", f"{domain}/{LABEL}"),
        start=(("launchctl", "bootstrap", domain, str(file)),),
        stop=(("launchctl", "bootout", f"{domain}/{LABEL}"),),
        log=f"tail {shlex.quote(str(log))}",
    )
