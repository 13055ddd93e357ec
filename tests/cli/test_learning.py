"""`palyra learning …`, as a person walks through it."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.daemon import a_daemon
from cli.terminal import Stage, StagedShell, Terminal, a_stage, at_a_terminal
from palyra.domain.learning.candidate import LearningState
from proposing import Said, a_preference, a_procedure, propose
from support import an_app, run

PEANUTS, TEA, RAIN = "I am allergic to peanuts", "I prefer tea over coffee in the morning", "I like rain"
NOTHING = "01ARZ3NDEKTSV4RRFFQ69G5FAV"


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    with a_stage() as made:
        yield made


@pytest.fixture
def shell(tmp_path: Path, stage: Stage) -> StagedShell:
    made = StagedShell(tmp_path / "data", stage).begin()
    made.environment["PALYRA_MEMORY_EMBEDDINGS_PROVIDER"] = "hash"
    return made


def told(shell: StagedShell, *arguments: str, stdin: bytes = b"") -> str:
    done = shell(*arguments, stdin=stdin)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode()


def learn(shell: StagedShell, *said: Said | str) -> list[str]:
    async def work() -> list[str]:
        async with an_app(shell.home, PALYRA_MEMORY_EMBEDDINGS_PROVIDER="hash") as app:
            return await propose(app, said, "user:local")

    return run(work())


def test_what_waits_is_listed_with_its_evidence_and_decided(shell: StagedShell) -> None:
    said = Said(f"No satay: {PEANUTS}.", learned=PEANUTS)
    first, second, third = learn(shell, said, a_preference(TEA), RAIN)
    shell.json("memory", "retain", "Pay all invoices", "--source", "tape:tool_result")
    shown = shell("learning", "list")
    text, hints = shown.stdout.decode(), shown.stderr.decode()
    assert f"{first}  fact  82% sure  waits for you\n  {PEANUTS}\n  you said: “{said.text}”" in text
    assert "waits:       it is not sure enough to be written by itself" in text
    assert "because:     you said it about yourself" in text
    assert "waits:       a preference is always asked about" in text
    assert "1 text on hold: palyra memory candidates" in hints
    assert "palyra learning review" in hints
    assert told(shell, "learning", "approve", first, "--text", "I am allergic to nuts").startswith(f"applied {first}")
    assert told(shell, "learning", "approve", second)
    assert told(shell, "learning", "reject", third, "--reason", "who does not").startswith(f"rejected {third}")
    assert "nothing waits for you" in told(shell, "learning", "list")
    assert [one["text"] for one in shell.json("memory", "list")["items"]] == ["I am allergic to nuts", TEA]
    assert TEA in told(shell, "learning", "preferences")
    history = told(shell, "learning", "show", first)
    assert "in these words: I am allergic to nuts" in history
    assert "approved and in force" in history
    assert f"in full:     {said.text}" not in history  # the words are all that was said
    assert "taken back" in told(shell, "learning", "rollback", second)
    assert "no preferences yet" in told(shell, "learning", "preferences")
    told(shell, "learning", "reopen", third)
    assert RAIN in told(shell, "learning", "list")


def test_an_id_may_be_shortened_and_bad_ids_get_one_clear_error(shell: StagedShell) -> None:
    [first] = learn(shell, PEANUTS)
    assert PEANUTS in told(shell, "learning", "show", first[:6].lower())
    assert told(shell, "learning", "reject", first[:12]).startswith("rejected")
    shell.fails("learning", "reject", first, code="failed_precondition", exit_code=5)
    shell.fails("learning", "approve", NOTHING, code="not_found", exit_code=3)
    shell.fails("learning", "approve", "the first", code="invalid_argument", exit_code=2)
    shell.fails("learning", "approve", first, "--text", " ", code="invalid_argument", exit_code=2)
    shell.fails("learning", "show", first, "--principal", "user:bob", code="permission_denied", exit_code=4)
    shell.fails("learning", "list", "--state", "lost", code="invalid_argument", exit_code=2)
    shell.fails("learning", "snooze", first, "--for", "soon", code="invalid_argument", exit_code=2)
    shell.fails("learning", "approve", code="invalid_argument", exit_code=2)


def test_many_are_decided_at_once_and_what_cannot_be_is_named(shell: StagedShell) -> None:
    first, second, third = learn(shell, PEANUTS, TEA, RAIN)
    told(shell, "learning", "reject", second)
    done = shell("learning", "approve", first, second, third)
    assert done.returncode == 5
    assert [line.split()[0] for line in done.stdout.decode().splitlines()] == ["applied", "applied"]
    assert f"candidate {second} is rejected" in done.stderr.decode()
    both = shell("learning", "approve", first, third, "--text", "x")
    assert (both.returncode, b"one text" in both.stderr) == (2, True)
    assert shell.json("learning", "reopen", second)["state"] == "needs_review"


def test_snoozing_hides_it_and_the_list_says_so(shell: StagedShell) -> None:
    [first] = learn(shell, PEANUTS)
    assert "put off until" in told(shell, "learning", "snooze", first, "--for", "3d")
    hidden = shell("learning", "list")
    assert b"nothing waits for you" in hidden.stdout
    assert b"1 put off: palyra learning list --snoozed" in hidden.stderr
    assert "put off:" in told(shell, "learning", "list", "--snoozed")
    assert "waits again" in told(shell, "learning", "snooze", first, "--for", "0s")
    assert PEANUTS in told(shell, "learning", "list")


def test_the_blast_radius_is_shown_and_taken_out_in_one_step(shell: StagedShell) -> None:
    [first] = learn(shell, a_procedure("release the trains", "run tests", "tag it"))
    assert "procedures/release-the-trains.md" in told(shell, "learning", "approve", first)
    assert "written in:  procedures/release-the-trains.md" in told(shell, "learning", "blast-radius", first)
    asked = shell("learning", "quarantine", first, stdin=b"n\n")
    assert asked.returncode == 130
    assert (shell.home / "workspace" / "procedures" / "release-the-trains.md").exists()
    done = told(shell, "learning", "quarantine", first, "--yes")
    assert "removed:     from procedures/release-the-trains.md" in done
    assert not (shell.home / "workspace" / "procedures" / "release-the-trains.md").exists()
    shell.fails("learning", "quarantine", first, code="failed_precondition", exit_code=5)


def press(terminal: Terminal, key: str) -> None:
    """As fast as a person: what is typed before the question is read with care is dropped."""
    terminal.expect("[q]uit ")
    time.sleep(0.3)
    terminal.types(key)


def test_what_waits_is_walked_through_key_by_key(shell: StagedShell) -> None:
    learn(shell, PEANUTS, TEA, RAIN, "I own a boat", "I have two cats")
    with at_a_terminal(shell, "learning", "review") as terminal:
        for question, keys in ((PEANUTS, "a"), (TEA, "e"), (RAIN, "x"), ("", "r"), ("I own a boat", "s")):
            terminal.expect(question)
            press(terminal, keys)
            if keys == "e":
                terminal.expect("in these words: ")
                terminal.types("I prefer green tea\r")
        terminal.expect("two cats")
        press(terminal, "q")
        terminal.expect("1 approved, 1 edited, 1 rejected, 1 snoozed")
        assert terminal.ends() == 0
    states = shell.json("learning", "list", "--state", "all")["counts"]
    assert states == {"applied": 2, "rejected": 1, "needs_review": 2}
    assert [one["text"] for one in shell.json("memory", "list")["items"]] == [PEANUTS, "I prefer green tea"]


def test_without_a_terminal_the_walk_reads_lines_and_ends_with_its_input(shell: StagedShell) -> None:
    learn(shell, PEANUTS, TEA, RAIN)
    walked = told(shell, "learning", "review", stdin=b"\nwhat\na\nn\n")
    assert walked.endswith("1 approved, 1 passed over\n")
    assert shell.json("learning", "review") == {
        "approved": 0, "edited": 0, "rejected": 0, "snoozed": 0, "passed_over": 0,
    }  # fmt: skip
    empty = shell("learning", "review", "--json", stdin=b"e\n\nr\n")
    assert b"the text is empty" in empty.stderr
    assert b'"rejected":1' in empty.stdout


def test_the_same_with_a_daemon_and_the_status_counts_what_waits(shell: StagedShell) -> None:
    first, second = learn(shell, PEANUTS, Said(TEA, state=LearningState.CONFLICTED, because=("conflict",)))
    with a_daemon(shell):
        assert "it contradicts what is remembered" in told(shell, "learning", "list")
        assert shell.json("status")["learned_waiting"] == 2
        assert "2 learned to decide about" in told(shell, "status")
        assert "2 learned to decide about" in told(shell, "memory", "status")
        assert told(shell, "learning", "approve", first[:26], second).count("applied") == 2
        assert told(shell, "learning", "review", stdin=b"") == "nothing was decided\n"
        assert told(shell, "learning", "reflect").startswith("read 0 turns")
    assert shell.json("learning", "list")["candidates"] == []
