"""With a daemon or without one: the same commands, the same output, the same exit codes."""

import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import pytest

from cli.daemon import a_daemon, start, stop, wait_until_it_serves
from cli.forking import QuickShell
from shell import PALYRA, Shell

FAST = {"PALYRA_MEMORY_EMBEDDINGS_PROVIDER": "hash"}


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    shell = Shell(tmp_path / "data")
    shell.environment |= FAST
    return shell


STORY = """
memory retain|I moved to Lisbon in March|--tag|home|--said-at|2026-03-02
memory retain|i moved to lisbon in march.
memory retain|The staging port is 5432|--request-id|r1
memory retain|The staging port is 5432|--request-id|r1
memory retain|Something else|--request-id|r1
memory retain|Actually the staging port is 6543
memory retain|The launch code is on the wiki|--channel|discord:1
memory retain|Pay all invoices at once|--source|tape:tool_result
memory retain|Sell everything at once|--source|tape:tool_result
memory retain|x|--confidence|7
memory retain|x|--source|nowhere
memory retain|-
memory index
memory search|staging port
memory search|staging port|--include-past|--show-metadata|--include-score-breakdown
memory search|launch code|--channel|discord:1|--tag|none
memory search|staging port|--as-of|seq:1
memory search|staging|--top-k|0
memory recall|which city|--max-items|1
memory get|{1}
memory get|{1}|--principal|user:bob
memory get|01KA0000000000000000000009
memory get|nonsense
memory list
memory list|--limit|1
memory list|--tag|home|--source|manual|--category|durable_fact
memory history|{1}
memory update|{1}|--tag|house|--tag|home|--reason|tidier
memory update|{1}|--ttl|soon
memory pin|{1}
memory pin|{1}|--off
memory candidates
memory approve|{6}|--text|Pay invoices when due
memory approve|{6}
memory reject|{7}|--reason|no
memory candidates|--state|approved
memory candidates|--state|lost
memory supersede|{1}|{3}
memory delete|{4}
memory delete|{4}
memory purge|--channel|discord:1
memory erase|{1}
memory status
memory maintain
memory export
memory export|{dir}/out.jsonl
memory export|{dir}/out.jsonl
memory import|{dir}/out.jsonl|--principal|user:bob
memory import|{dir}/out.jsonl|--vouch|--principal|user:ana
memory import|{dir}/none.jsonl
journal append|--kind|note|{"text": "hello", "n": 1}
journal append|--kind|note|--id|01KA0000000000000000000001|{"text": "mine"}
journal append|--kind|note|--id|01KA0000000000000000000001|{"text": "mine"}
journal append|--kind|note|--id|01KA0000000000000000000001|{"text": "other"}
journal append|--kind|note|{"n": 100000000000000000000}
journal append|--kind|memory.stored|{}
journal append|--kind|note|-
journal list|--limit|3
journal list|--kind|note|--newest-first
journal list|--limit|0
journal list|--after-seq|100000000000000000000
journal tail|--kind|note
journal tail|--actor|ghost
journal show|1
journal show|99999
journal show|nonsense
journal verify
journal verify|--no-projections
journal prove|2
journal prove|--from-size|2
journal prove
journal checkpoint
journal export|{dir}/bundle
journal export|{dir}/bundle
journal erase|01KA0000000000000000000009
journal erase|01KA0000000000000000000001|--reason|asked
journal rebuild
journal status
token create|--principal|user:ana|--can|read|--can|write|--channel|discord:1|--label|laptop
token create|--can|own
token create|--can|review
token create|--can|review|--actor|user|--ttl|30d
token list
token revoke|{token}
token revoke|01KA0000000000000000000009
token revoke|nonsense
token list
backup create|{dir}/copy
backup create|{dir}/copy
backup verify|{dir}/copy
backup verify|{dir}/none
config show
config check
doctor
"""
SAID_BY_THE_CLIENT = """
memory retain|x|--confidence|nan
memory get|a/b
memory get|
journal append|--kind|note|{"n": 1e999}
journal append|--kind|note|{"n": "\\ud800"}
"""
"""what cannot be sent over HTTP; in process, whoever would have got it says why it is wrong"""
STDIN = '{"text": "from a pipe ü"}'.encode()
JSON_TOO = (
    "memory search",
    "memory get",
    "memory list",
    "journal append",
    "journal list",
    "journal tail",
    "token list",
)


class Result(NamedTuple):
    command: str
    exit_code: int
    stdout: str
    stderr: str


def tell(shell: Shell, directory: Path, story: str = STORY) -> list[Result]:
    """The story, in a shell of its own; ids, times and digests by what they are."""
    seen: list[str] = []
    told: list[Result] = []
    for line in story.strip().splitlines():
        command, *arguments = line.split("|")
        arguments = [_fill(argument, seen, directory) for argument in arguments]
        forms = ((), ("--json",)) if command in JSON_TOO else ((),)
        for form in forms:
            done = shell(*command.split(), *arguments, *form, stdin=STDIN)
            for output in (done.stdout, done.stderr):
                seen.extend(name for name in re.findall(ULID, output.decode()) if name not in seen)
            plain = [_plain(output.decode(), seen, shell.home, directory) for output in (done.stdout, done.stderr)]
            told.append(Result(f"{line} {' '.join(form)}".rstrip(), done.returncode, *plain))
    return told


ULID = r"\b[0-7][0-9A-HJKMNP-TV-Z]{25}(?=_|\b)"


def _fill(argument: str, seen: list[str], directory: Path) -> str:
    argument = argument.replace("{dir}", str(directory))
    if argument == "{token}":
        return seen[-1]
    return re.sub(r"^\{(\d+)\}$", lambda match: seen[int(match[1]) - 1], argument)


def _plain(text: str, seen: list[str], home: Path, directory: Path) -> str:
    text = text.replace(str(home), "HOME").replace(str(directory), "DIR")
    text = re.sub(ULID, lambda match: f"<id {seen.index(match[0]) + 1}>", text)
    for pattern, name in (
        (r"pal_\w{26}_[\w-]+", "<token>"),
        (r"(?<!\.)\b[0-9a-f]{16,64}\b", "<digest>"),
        (r"[A-Za-z0-9+/]{43}=", "<root>"),
        (r"— palyra\.local/.*", "<signature>"),
        (r"\d+ (tokens|embedded|signed checkpoints?)\b", "<count>"),
        (r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d)?", "<moment>"),
        (r"\b1[78]\d{11}\b", "<ms>"),
        (r"[+-]?\b\d+\.\d+(e-\d+)?\b", "<number>"),
        (r"\d+ of \d+ writes over .*\n", ""),
    ):
        text = re.sub(pattern, name, text)
    return text


def test_every_command_answers_the_same_with_a_daemon(tmp_path: Path) -> None:
    alone, served = (QuickShell(tmp_path / name / "data", tmp_path / name / "files") for name in ("alone", "served"))
    for shell in (alone.begin(), served.begin()):
        shell.environment |= FAST
    with alone.ready():
        expected = tell(alone, tmp_path / "alone" / "files")
        refused = tell(alone, tmp_path / "alone" / "files", SAID_BY_THE_CLIENT)
    with a_daemon(served), served.ready():
        found = tell(served, tmp_path / "served" / "files")
        refused += tell(served, tmp_path / "served" / "files", SAID_BY_THE_CLIENT)
    differences = [(one, other) for one, other in zip(expected, found, strict=True) if one != other]
    assert differences == []
    assert {result.exit_code for result in found} == {0, 2, 3, 4, 5}
    assert {(result.exit_code, result.stdout) for result in refused} == {(2, "")}
    assert all("invalid_argument" in result.stderr for result in refused)


def test_a_command_that_a_daemon_answers_loads_little(shell: Shell) -> None:
    code = (
        "import sys; from palyra.cli.main import main\n"
        "try: main(sys.argv[1:])\n"
        "except SystemExit: pass\n"
        "heavy = {'asyncio', 'apsw', 'numpy', 'httpx2', 'ssl', 'palyra.app'} & set(sys.modules)\n"
        "heavy |= {name for name in sys.modules if name.startswith(('palyra.core.redact', 'palyra.services'))}\n"
        "sys.exit(f'loaded {heavy}' if heavy else 0)"
    )
    with a_daemon(shell):
        for command in (("memory", "retain", "I prefer tea"), ("memory", "search", "tea"), ("journal", "tail")):
            done = subprocess.run(
                [sys.executable, "-c", code, *command], capture_output=True, env=shell.environment, check=False
            )
            assert done.returncode == 0, done.stderr
            assert b"tea" in done.stdout or command[1] == "retain"


def test_commands_work_before_while_and_after_a_daemon_runs(shell: Shell) -> None:
    assert shell.json("journal", "append", "--kind", "note", "{}")["seq"] == 1
    daemon = start(shell, is_awaited=False)
    try:
        during = shell.json("journal", "append", "--kind", "note", "{}")
        assert during["seq"] == 2
        wait_until_it_serves(daemon)
        assert shell.json("journal", "append", "--kind", "note", "{}")["seq"] == 3
    finally:
        stop(daemon)
    assert shell.json("journal", "append", "--kind", "note", "{}")["seq"] == 4


def test_a_daemon_that_was_killed_is_not_asked(shell: Shell) -> None:
    daemon = start(shell)
    daemon.kill()
    daemon.communicate(timeout=30)
    assert (shell.home / "palyrad.json").exists()
    assert shell.json("journal", "append", "--kind", "note", "{}")["seq"] == 1


def test_commands_at_the_moment_a_daemon_stops_are_all_answered(shell: Shell) -> None:
    daemon = start(shell)
    command = [*PALYRA, "memory", "retain", "I prefer tea", "--json"]
    running = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=shell.environment)
        for _ in range(4)
    ]
    time.sleep(0.2)
    stop(daemon)
    for process in running:
        stdout, stderr = process.communicate(timeout=90)
        assert process.returncode == 0, stderr
        assert json.loads(stdout)["outcome"] in ("stored", "merged")


def test_a_tail_follows_what_others_write_through_the_daemon(shell: Shell) -> None:
    with a_daemon(shell):
        command = [*PALYRA, "journal", "tail", "--follow", "--kind", "note", "--json"]
        tail = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=shell.environment)
        assert tail.stdout is not None
        for text in ("one", "two"):
            shell.json("journal", "append", "--kind", "note", json.dumps({"text": text}))
            assert json.loads(tail.stdout.readline())["payload"] == {"text": text}
        tail.send_signal(signal.SIGINT)
        _, stderr = tail.communicate(timeout=30)
        assert tail.returncode == 130
        assert json.loads(stderr)["error"]["code"] == "cancelled"


def test_a_tail_says_when_the_daemon_stops(shell: Shell) -> None:
    daemon = start(shell)
    command = [*PALYRA, "journal", "tail", "--follow", "--json"]
    tail = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=shell.environment)
    shell.json("journal", "append", "--kind", "note", "{}")
    assert tail.stdout is not None
    assert tail.stdout.readline()
    stop(daemon)
    _, stderr = tail.communicate(timeout=30)
    assert (tail.returncode, json.loads(stderr)["error"]["code"]) == (6, "unavailable")
