"""The loss meter: every turn is in sight, or listed."""

import json

from domain.compaction.compacting import Story
from palyra.domain.compaction.plan import CompactionLimits, LossReport
from palyra.domain.compaction.plan_json import to_json
from palyra.domain.compaction.stated import State
from palyra.domain.compaction.summary import plan

NUTS = "Jule is allergic to hazelnuts, so never suggest recipes with hazelnut"
NO_SUMMARY = CompactionLimits(max_summary_tokens=0)


def losses(story: Story, documents: tuple[str, ...] = (), **more: object) -> LossReport:
    story.small_talk(3)
    return plan(story.runs(), story.stated, documents=documents, **more).loss  # type: ignore[arg-type]


def test_a_statement_is_in_the_summary_or_else_in_memory_or_else_in_a_document_or_lost() -> None:
    assert (losses(_one(State.HOLDS)).in_summary, losses(_one(State.READ)).in_summary) == (1, 1)
    assert losses(_one(State.HOLDS), limits=NO_SUMMARY).in_memory == 1
    assert losses(_one(State.WAITS), (f"# mine\n{NUTS.casefold()}\n",), limits=NO_SUMMARY).in_document == 1
    lost = losses(_one(State.WAITS), limits=NO_SUMMARY)
    assert (lost.statements, lost.present) == (1, 0)
    assert [(one.kind, one.text) for one in lost.grave] == [("health", NUTS)]


def _one(state: State) -> Story:
    story = Story()
    story.states(NUTS, state)
    story.assistant("There is a lot that can be said about that, and opinions differ widely. " * 4)
    return story


def test_a_turn_of_which_nothing_is_in_sight_is_listed_whether_anything_was_found_in_it_or_not() -> None:
    story = Story()
    story.states("My dog Rex is four years old.")
    unread = story.user(f"{NUTS}, " + "and whatever else there is to say about that " * 4)
    left = story.user("The gate squeaks.")
    story.read(left, "The gate squeaks.", State.LEFT, because=("passing",), sure_bps=40)
    found = losses(story)
    assert [(one.seq, one.partly) for one in found.unseen] == [(unread, False), (left, False)]
    assert found.unseen[0].text.startswith("Jule is allergic to hazelnuts, so never suggest recipes")
    assert len(found.unseen[0].text) < 80
    assert (found.turns, found.turns_in_sight) == (3, 1)


def test_a_turn_of_which_a_piece_was_left_is_in_sight_in_part() -> None:
    story = Story()
    said = story.states("My dog Rex is four years old.")
    story.read(said, "and he limps", State.LEFT, because=("passing",), sure_bps=40)
    polite = story.states("My cat Mia is white.")
    story.read(polite, "thanks", State.LEFT, because=("greeting",), sure_bps=40)
    assert [(one.seq, one.partly) for one in losses(story).unseen] == [(said, True)]


def test_a_turn_that_only_agrees_is_not_wholly_in_sight() -> None:
    story = Story()
    story.user("Well?")
    story.assistant("Shall we take the slates of Valongo for the roof of the barn?")
    said = story.user("Yes, please, and Rui brings the ladder.")
    story.read(said, "Rui brings the ladder.")
    assert [one.seq for one in losses(story).unseen if one.partly] == [said]


def test_what_was_replaced_is_not_counted_as_lost_and_its_turn_says_so() -> None:
    found = losses(_one(State.REPLACED))
    assert (found.statements, found.lost) == (0, ())
    assert "replaced" in found.unseen[0].why


def test_a_line_says_a_statement_only_with_all_of_its_numbers() -> None:
    story = Story()
    story.states("The rent of the shop is 900 euros a month.", State.WAITS)
    story.states("The rent of the shop is 800 euros a month.", State.WAITS)
    assert losses(story, limits=CompactionLimits(max_summary_tokens=30, statement_tokens=1)).present == 1


def test_a_statement_that_does_not_name_whom_it_speaks_of_leaves_its_turn_in_sight_in_part() -> None:
    story = Story()
    said = story.states("My sister Ines moved to Porto.")
    story.read(said, "she sings in a choir there")
    assert [(one.seq, one.partly) for one in losses(story).unseen] == [(said, True)]


def test_what_is_kept_for_ever_of_a_long_list_fits_into_one_event_and_still_adds_up() -> None:
    story = Story()
    for n in range(3_000):
        story.user(f"And what about the lamp number {n} that hangs in the hall of the house by the sea in the north?")
        story.states(f"The lamp number {n} hangs in hall {n + 100}.")
    made = plan(story.runs(), story.stated)
    assert len(made.loss.unseen) + made.loss.turns_in_sight == made.loss.turns
    kept = made.on_record()
    assert len(json.dumps(to_json(kept))) < 262_144 - 30_000
    assert (kept.loss.turns, kept.loss.turns_in_sight, len(kept.loss.unseen)) == (
        made.loss.turns,
        made.loss.turns_in_sight,
        256,
    )
