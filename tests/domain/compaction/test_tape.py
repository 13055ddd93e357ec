"""What stays verbatim, and what is dropped."""

from domain.compaction.compacting import Story
from palyra.domain.chat.session import TapeType
from palyra.domain.compaction.plan import DroppedBecause, DroppedRange, KeptBecause
from palyra.domain.compaction.summary import plan


def test_the_last_six_texts_stay_and_everything_before_them_is_condensed() -> None:
    story = Story()
    story.small_talk(10)
    made = plan(story.runs(), {})
    assert [kept.seq for kept in made.kept] == list(range(15, 21))
    assert [(block.first_seq, block.last_seq) for block in made.condensed] == [(1, 14)]


def test_a_conversation_of_six_texts_is_left_alone() -> None:
    story = Story()
    story.small_talk(3)
    made = plan(story.runs(), {})
    assert len(made.kept) == 6
    assert made.condensed == ()
    assert made.tokens_after == made.tokens_before


def test_an_empty_conversation_gives_an_empty_plan() -> None:
    made = plan([], {})
    assert (made.kept, made.condensed, made.candidates, made.tokens_after) == ((), (), (), 0)


def test_a_pinned_message_stays_and_parts_the_range_around_it() -> None:
    story = Story()
    story.small_talk(2)
    pinned = story.user("Keep this one here.", pinned=True)
    story.small_talk(8)
    made = plan(story.runs(), {})
    assert (made.kept[0].seq, made.kept[0].because) == (pinned, KeptBecause.PINNED)
    assert [(block.first_seq, block.last_seq) for block in made.condensed] == [(1, 4), (6, 15)]


def test_a_message_that_is_pinned_after_it_was_condensed_is_verbatim_again() -> None:
    def told(pinned: bool) -> Story:
        story = Story()
        story.user("The gate code changes every Monday.", pinned=pinned)
        story.small_talk(8)
        return story

    artifact = plan(told(False).runs(), {}).artifact
    assert artifact.covers(1)
    assert plan(told(True).runs(), {}, artifact).kept[0].because is KeptBecause.PINNED


def test_a_turn_that_waits_for_an_approval_or_a_result_stays_whole() -> None:
    story = Story()
    asked = story.user("Forget the old address.", is_over=False)
    call = story.tool("memory_forget", "{}", None)
    story.add(TapeType.NOTICE, {"code": "approval_needed", "message": "may it?", "call_id": "c1"})
    story.small_talk(6)
    made = plan(story.runs(), {})
    assert [kept.seq for kept in made.kept if kept.because is KeptBecause.OPEN] == [asked, call, call + 1]


def test_a_call_of_a_run_that_is_over_is_not_open_any_more() -> None:
    story = Story()
    story.user("Forget the old address.")
    story.tool("memory_forget", "{}", None)
    story.small_talk(6)
    assert KeptBecause.OPEN not in {kept.because for kept in plan(story.runs(), {}).kept}


def test_the_question_of_a_recent_answer_stays_even_when_it_was_long_ago() -> None:
    story = Story()
    story.small_talk(4)
    asked = story.user("Go through all of the files.")
    for number in range(8):
        story.assistant(f"Now comes file {number}.")
    made = plan(story.runs(), {})
    assert (made.kept[0].seq, made.kept[0].because) == (asked, KeptBecause.QUESTION)
    assert len(made.kept) == 7


def test_tool_output_that_came_again_or_anew_is_dropped() -> None:
    story = Story()
    story.user("Look at the folder.")
    listing = story.tool("list", '{"path":"/a"}', "one.md")
    same = story.tool("read", '{"path":"one.md"}', "text of one")
    other = story.tool("read", '{"path":"two.md"}', "text of two")
    newer = story.tool("list", '{"path":"/a"}', "one.md two.md")
    again = story.tool("read", '{"path":"one.md"}', "text of one")
    story.small_talk(6)
    made = plan(story.runs(), {})
    assert made.dropped == (
        DroppedRange(listing, listing + 1, DroppedBecause.SUPERSEDED, newer),
        DroppedRange(same, same + 1, DroppedBecause.REPEATED, again),
    )
    assert other not in {dropped.seq for dropped in made.dropped}


def test_a_call_that_failed_later_does_not_replace_what_it_gave_before() -> None:
    story = Story()
    story.user("Look at the folder.")
    story.tool("list", "{}", "one.md")
    story.add(TapeType.TOOL_PROPOSAL, {"call_id": "x", "name": "list", "arguments": "{}"})
    story.add(
        TapeType.TOOL_RESULT, {"call_id": "x", "name": "list", "text": "no disk", "is_error": True, "tainted": False}
    )
    story.small_talk(6)
    assert plan(story.runs(), {}).dropped == ()


def test_a_range_does_not_reach_over_a_message_that_is_kept() -> None:
    story = Story()
    story.user("Look at the folder.")
    story.add(TapeType.TOOL_PROPOSAL, {"call_id": "x", "name": "list", "arguments": "{}"})
    pinned = story.add(TapeType.NOTICE, {"code": "held_for_review", "message": "wait"}, pinned=True)
    story.add(
        TapeType.TOOL_RESULT, {"call_id": "x", "name": "list", "text": "one.md", "is_error": False, "tainted": False}
    )
    story.small_talk(6)
    artifact = plan(story.runs(), {}).artifact
    assert not artifact.covers(pinned)
    assert artifact.covers(pinned - 1)
