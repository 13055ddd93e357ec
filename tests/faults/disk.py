"""A tiny disk of our own, which can be filled to the last byte."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest


@contextmanager
def tiny_disk(mount: Path, mib: int = 2) -> Iterator[Path]:
    """Some MiB of tmpfs, unmounted whatever happens. Skips loudly where mounting is refused."""
    mount.mkdir()
    done = _run("mount", "-t", "tmpfs", "-o", f"size={mib}m", "tmpfs", str(mount))
    if done.returncode != 0:
        pytest.skip(f"NOT TESTED, there is no disk to fill: {done.stderr.strip()}")
    try:
        yield mount
    finally:
        if _run("umount", str(mount)).returncode != 0:
            _run("umount", "--lazy", str(mount))


@contextmanager
def fill(disk: Path) -> Iterator[None]:
    """Takes every free byte, and gives them back at the end."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(b"x" * 4096)
    try:
        yield
    finally:
        filler.unlink()


def remount(disk: Path, mode: str) -> None:
    done = _run("mount", "-o", f"remount,{mode}", str(disk))
    assert done.returncode == 0, done.stderr


def _run(*command: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(command, capture_output=True, text=True, check=False)
