"""What a person does on an ordinary day: start, remember, ask, Ctrl-C, start again; all of it is there."""

import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from shell import PALYRA, Shell

FACTS = ("I moved to Lisbon in March", "My sister keeps bees in Porto", "The dentist is on Rua Augusta")


@contextmanager
def serving(shell: Shell, log: Path) -> "Iterator[subprocess.Popen[str]]":
    """`palyra serve` in a terminal of its own; what it says besides its screen goes to `log`."""
    with log.open("a") as stderr:
        process = subprocess.Popen(
            [*PALYRA, "serve", "--port", "0", "--grpc-port", "0"],
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
            env=shell.environment,
        )
    assert process.stdout is not None
    try:
        shown = list(iter(process.stdout.readline, "Ctrl-C stops.\n"))
        assert "Palyra is ready\n" in shown, log.read_text()
        yield process
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def interrupt(process: "subprocess.Popen[str]") -> int:
    process.send_signal(signal.SIGINT)
    return process.wait(30)


def test_what_was_remembered_through_the_daemon_is_there_after_ctrl_c_and_another_start(tmp_path: Path) -> None:
    shell, log = Shell(tmp_path / "home"), tmp_path / "log"
    with serving(shell, log) as first:
        kept = [shell.json("memory", "retain", fact) for fact in FACTS]
        assert [one["outcome"] for one in kept] == ["stored"] * len(FACTS)
        before = shell.json("memory", "search", "where do I live?")["hits"]
        assert FACTS[0] in {hit["item"]["text"] for hit in before}
        assert interrupt(first) == 0
    said = log.read_text()
    assert said.count("memory.retain") == len(FACTS)  # the commands went through the daemon
    assert "stopped; everything that was accepted is in the journal" in said

    with serving(shell, log) as second:
        listed = shell.json("memory", "list")["items"]
        assert [(item["memory_id"], item["text"]) for item in listed] == [
            (one["memory_id"], fact) for one, fact in zip(kept, FACTS, strict=True)
        ]
        after = shell.json("memory", "search", "where do I live?")["hits"]
        assert [hit["item"]["memory_id"] for hit in after] == [hit["item"]["memory_id"] for hit in before]
        assert shell.json("journal", "verify")["ok"]
        assert interrupt(second) == 0


def test_without_the_daemon_the_same_commands_find_the_same(tmp_path: Path) -> None:
    shell, log = Shell(tmp_path / "home"), tmp_path / "log"
    with serving(shell, log) as daemon:
        kept = shell.json("memory", "retain", FACTS[0])
        assert interrupt(daemon) == 0
    [hit] = shell.json("memory", "search", "Lisbon")["hits"]
    assert hit["item"]["memory_id"] == kept["memory_id"]
    added = shell.json("memory", "retain", FACTS[1])
    with serving(shell, log) as daemon:
        found = shell.json("memory", "search", "bees")["hits"]
        assert added["memory_id"] in {one["item"]["memory_id"] for one in found}
        assert interrupt(daemon) == 0
