"""`palyra why` and `/why`: what an answer was given, what was left out, and where that was said."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.terminal import CTRL_D, Stage, StagedShell, a_stage, at_a_terminal


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    with a_stage() as made:
        yield made


@pytest.fixture
def shell(tmp_path: Path, stage: Stage) -> StagedShell:
    made = StagedShell(tmp_path / "data", stage).begin()
    made.environment |= {"PALYRA_MEMORY_EMBEDDINGS_PROVIDER": "hash", "PALYRA_MEMORY_AUTO_INJECT_MAX_ITEMS": "1"}
    return made


def say(shell: StagedShell, key: str, text: str) -> None:
    done = shell("chat", key, "--new", "-m", text)
    assert done.returncode == 0, done.stderr


def why(shell: StagedShell, *arguments: str) -> str:
    done = shell("why", *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode()


def test_it_says_what_was_given_where_it_was_said_and_what_was_left_out(shell: StagedShell) -> None:
    say(shell, "porto", "My sister Ines lives in Porto")
    shell.json("memory", "retain", "My sister Ines lives with two cats in Porto")
    say(shell, "question", "Where does my sister Ines live?")
    shown = why(shell)
    assert "asked     Where does my sister Ines live?" in shown
    assert "It was given 1 memory:" in shown
    found = shell.json("why")
    [given], [left_out] = found["given"], found["left_out"]
    by_hand, said = sorted((given, left_out), key=lambda one: str(one["session"]))
    assert (said["text"], said["session"]) == ("My sister Ines lives in Porto", "porto")
    assert (by_hand["source"], by_hand["session"]) == ("manual", "")
    assert (given["citation"], given["why_not"]) == ("m1", "")
    assert f"\n  {left_out['why_not'] or '?'}; " in shown
    assert "(palyra session show porto)" in shown
    assert f"palyra memory get {given['memory_id']}" in shown
    assert f"palyra session explain {found['run_id']}" in shown


def test_it_says_what_a_correction_took_the_place_of(shell: StagedShell) -> None:
    old = shell.json("memory", "retain", "The staging port is 5432")["memory_id"]
    new = shell.json("memory", "retain", "Actually, the staging port is 6543")
    assert new["superseded"] == [old]
    say(shell, "question", "Which port does staging use?")
    assert "it took the place of: The staging port is 5432" in why(shell)


def test_a_preference_that_stands_in_every_prompt_is_cited_by_the_answer_it_gives(shell: StagedShell) -> None:
    shell.json("memory", "retain", "I prefer tea over coffee")
    done = shell("chat", "question", "--new", "-m", "Do I prefer tea or coffee?")
    assert "I prefer tea over coffee” [m1]" in done.stdout.decode()
    assert "[m1] I prefer tea over coffee" in why(shell)


def test_what_was_forgotten_since_is_said_to_be(shell: StagedShell) -> None:
    made = shell.json("memory", "retain", "The staging port is 5432")["memory_id"]
    say(shell, "question", "Which port does staging use?")
    shell.json("memory", "erase", made)
    assert "forgotten since" in why(shell)


def test_another_answer_is_asked_about_by_its_run_or_its_session(shell: StagedShell) -> None:
    say(shell, "one", "What is my dog called?")
    say(shell, "two", "Where do I live?")
    assert "Where do I live?" in why(shell)
    assert "What is my dog called?" in why(shell, "one")
    [run] = shell.json("session", "show", "one")["runs"]
    assert "What is my dog called?" in why(shell, run["run_id"])
    assert "It was given no memory." in why(shell, run["run_id"][:-1])


def test_before_anything_was_said_there_is_nothing_to_explain(shell: StagedShell) -> None:
    shell.fails("why", code="failed_precondition", exit_code=5)
    shell.fails("why", "nobody", code="not_found", exit_code=3)


def test_in_a_chat_it_is_about_the_last_answer_here(shell: StagedShell) -> None:
    shell.json("memory", "retain", "The staging port is 5432")
    with at_a_terminal(shell, "chat") as terminal:
        terminal.says("/why")
        terminal.expect("nothing was said yet")
        terminal.says("Which port does staging use?")
        terminal.says("/why")
        terminal.expect("It was given 1 memory:")
        terminal.expect("[m1] The staging port is 5432")
        terminal.expect("> ")
        terminal.types(CTRL_D)
        assert terminal.ends() == 0
