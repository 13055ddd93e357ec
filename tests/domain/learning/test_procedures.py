"""Procedures: spelled out by a person, or done the same way by an agent more than once."""

import pytest

from domain.learning.talk import MOST, learned, said, used
from palyra.domain.learning.proposal import Heard, LearnedKind, Proposal, ToolUse
from palyra.domain.learning.rules import propose_by_rules
from palyra.domain.memory import Trust


def test_steps_told_in_order_become_a_procedure_with_a_title() -> None:
    text = "To deploy the site: first run the tests, then build the image, finally push it."
    [found] = learned(text)
    assert found.kind is LearnedKind.PROCEDURE
    assert found.title == "To deploy the site"
    assert found.steps == ("run the tests", "build the image", "push it.")
    assert found.confidence_bps >= 8_500
    [span] = found.evidence
    assert text[span.start : span.end] == text


def test_numbered_steps_become_a_procedure() -> None:
    text = "Hi!\n\nHow we restore the database:\n1. stop the app\n2. load the dump\n3. start the app\n\nThanks!"
    [found] = learned(text)
    assert found.steps == ("stop the app", "load the dump", "start the app")
    [span] = found.evidence
    assert text[span.start : span.end].startswith("How we restore")
    assert text[span.start : span.end].endswith("start the app")


@pytest.mark.parametrize(
    "text",
    [
        "Zum Ausliefern: zuerst die Tests starten, dann das Image bauen, schließlich pushen.",
        "Pour déployer : d'abord lancer les tests, ensuite construire l'image, enfin pousser.",
        "Para desplegar: primero ejecuta las pruebas, luego construye la imagen, por último súbela.",
        "部署步骤：首先运行测试，然后构建镜像，最后推送。",
    ],
)
def test_procedures_are_read_in_other_languages(text: str) -> None:
    [found] = learned(text)
    assert found.kind is LearnedKind.PROCEDURE
    assert len(found.steps) == 3


@pytest.mark.parametrize(
    "text",
    [
        "First we went to Rome, then we took a train to Naples, and finally we flew home.",
        "How do I deploy? 1. build 2. push",
        "Write a recipe: 1. boil water 2. add pasta 3. eat",
        "1. apples 2. pears 3. plums",
        "Maybe to deploy: first build, then push.",
    ],
)
def test_stories_questions_lists_and_tasks_are_no_procedures(text: str) -> None:
    assert [found for found in learned(text) if found.kind is LearnedKind.PROCEDURE] == []


def run(number: int, *uses: ToolUse, asked: str = "Deploy the site.") -> Heard:
    return Heard(f"R{number}", (said(asked, number * 100),), uses)


def release(number: int, tag: str) -> Heard:
    seq = number * 100
    return run(
        number,
        used("run_tests", seq + 1, '{"suite": "all"}'),
        used("tag", seq + 2, f'{{"name": "{tag}"}}'),
        used("publish", seq + 3),
    )


def procedures(*runs: Heard) -> list[Proposal]:
    return [one for one in propose_by_rules(runs, MOST) if one.kind is LearnedKind.PROCEDURE]


def test_tools_that_succeeded_in_the_same_order_in_two_runs_become_a_procedure() -> None:
    [found] = procedures(release(1, "v1"), release(2, "v2"))
    assert found.title == "Deploy the site"
    assert found.steps == ("run_tests (suite=all)", "tag (name=…)", "publish")
    assert found.confidence_bps >= 8_500
    assert [span.seq for span in found.evidence] == [101, 102, 103, 201, 202, 203]


def test_a_third_run_makes_it_surer_and_never_sure_enough_to_be_written_unasked() -> None:
    [twice] = procedures(release(1, "v1"), release(2, "v2"))
    [often] = procedures(release(1, "v1"), release(2, "v2"), release(3, "v3"))
    assert twice.confidence_bps < often.confidence_bps < 9_000
    assert often.trust is Trust.AGENT


def test_one_run_another_order_or_a_failure_at_the_end_is_no_procedure() -> None:
    assert procedures(release(1, "v1")) == []
    assert (
        procedures(run(1, used("tag", 101), used("run_tests", 102)), run(2, used("run_tests", 201), used("tag", 202)))
        == []
    )
    failing = run(2, used("run_tests", 201), used("tag", 202), used("publish", 203, succeeded=False))
    assert procedures(release(1, "v1"), failing) == []


def test_a_step_that_failed_and_was_tried_again_counts_once() -> None:
    second = run(
        2, used("run_tests", 201, succeeded=False), used("run_tests", 202), used("tag", 203), used("publish", 204)
    )
    assert len(procedures(release(1, "v1"), second)) == 1


def test_broken_arguments_and_hidden_characters_do_no_harm() -> None:
    runs = [
        run(
            n, used("a\x00b\n", n * 100 + 1, "{" * 5_000), used("c", n * 100 + 2, '{"x": "\\ud800 \\u0007y"}'), asked=""
        )
        for n in (1, 2)
    ]
    [found] = procedures(*runs)
    assert all(character.isprintable() for text in (found.text, found.title, *found.steps) for character in text)
