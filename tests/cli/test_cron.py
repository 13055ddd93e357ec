"""`palyra cron …`: scheduled, looked at, changed, run by hand and deleted, as a person does it without a daemon."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.terminal import Stage, StagedShell, a_stage


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    with a_stage() as made:
        yield made


@pytest.fixture
def shell(tmp_path: Path, stage: Stage) -> StagedShell:
    made = StagedShell(tmp_path / "data", stage).begin()
    made.environment["PALYRA_MEMORY_EMBEDDINGS_PROVIDER"] = "hash"
    return made


def told(shell: StagedShell, *arguments: str) -> str:
    done = shell(*arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode()


MORNING = ("--cron", "0 9 * * mon-fri", "--zone", "Europe/Lisbon", "--name", "morning", "--prompt", "What is due?")


def test_the_whole_way_of_a_scheduled_prompt(shell: StagedShell) -> None:
    assert "no scheduled prompts here" in told(shell, "cron", "list")
    made = told(shell, "cron", "create", *MORNING, "--retries", "2", "--jitter", "5m")
    assert "At 09:00 on Monday through Friday (Europe/Lisbon); next 20" in made
    listed = told(shell, "cron", "list")
    assert "morning  0 9 * * mon-fri  next 20" in listed
    assert "never ran  What is due?" in listed
    assert told(shell, "cron", "next", "morning", "--count", "3").count("Europe/Lisbon") == 3
    assert "nothing has run yet" in told(shell, "cron", "history", "morning")

    assert "running" in told(shell, "cron", "run", "morning")
    shown = told(shell, "cron", "show", "morning")
    assert "last run: done" in shown
    assert "2 retries, the first after 30s, up to 300s later, session shared" in shown
    assert "done, by hand" in told(shell, "cron", "history")
    assert "What is due?" in told(shell, "session", "show", "cron:morning")

    assert "Every 2 hours" in told(shell, "cron", "update", "morning", "--every", "2h", "--name", "evening")
    assert told(shell, "cron", "disable", "evening") == "evening: switched off\n"
    assert "switched off" in told(shell, "cron", "list")
    assert told(shell, "cron", "enable", "evening").startswith("evening: next 20")
    assert "deleted; its history" in told(shell, "cron", "delete", "evening")
    assert "done, by hand" in told(shell, "cron", "history", "evening")
    assert shell.json("cron", "list")["jobs"] == []
    assert shell.json("cron", "history")["runs"][0]["manual"] is True


REFUSED = [
    (("--cron", "61 * * * *"), "the minute field has '61'"),
    (("--cron", "0 0 30 2 *"), "never comes"),
    (("--cron", "* * * *"), "4 fields instead of 5"),
    (("--cron", "@daily", "--zone", "Europe/Lissabon"), "does not exist"),
    (("--every", "5"), "no duration"),
    (("--at", "tomorrow"), "no date with a time of day"),
    (("--every", "5m", "--cron", "@daily"), "more than one schedule"),
    (("--every", "5m", "--misfire", "later"), "unknown misfire 'later'"),
    (("--every", "5m", "--retries", "99"), "retries 99"),
    (("--every", "5m", "--retries", "some"), "not a valid integer"),
    ((), "no schedule given"),
]


def test_what_cannot_be_scheduled_is_said_in_one_line(shell: StagedShell) -> None:
    for options, why in REFUSED:
        arguments = ("cron", "create", "--prompt", "What?", *options)
        assert why in shell.fails(*arguments, code="invalid_argument", exit_code=2), options
    assert "prompt is empty" in shell.fails("cron", "create", "--every", "5m", code="invalid_argument", exit_code=2)
    for command in ("show", "next", "run", "enable", "disable", "delete", "history"):
        shell.fails("cron", command, "nothing", code="not_found", exit_code=3)
    shell.fails("cron", "update", "nothing", "--every", "5m", code="not_found", exit_code=3)
    told(shell, "cron", "create", *MORNING)
    shell.fails("cron", "create", *MORNING, code="already_exists", exit_code=5)
    shell.fails("cron", "update", "morning", code="invalid_argument", exit_code=2)
