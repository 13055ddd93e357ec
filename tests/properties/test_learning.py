"""Whatever is said, decided and taken back, in whatever order: every step is a legal one, the journal replays to the
same state, and what is in force is what a person would find in memory."""

from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chatting import Chat, a_chat
from palyra.api import chat as sessions
from palyra.core.errors import FailedPrecondition
from palyra.domain.journal import Actor
from palyra.domain.learning.candidate import TRANSITIONS, LearningState
from palyra.services.learning import looking, review
from palyra.services.learning.radius import quarantine
from palyra.services.memory import lifecycle
from proposing import Said, a_preference, a_procedure
from services.learning.studying import ANA, UNREAD, learned, told
from support import run, verify_directory

SAID = (
    Said("My dog's name is Biscuit."),
    Said("My sister Ines lives in Porto."),
    a_preference("I prefer tabs over spaces in every repo of mine.", "tabs"),
    a_preference("Always answer me in British English.", "answer.language"),
    a_preference("From now on, always answer me in French.", "answer.language"),
    Said("Could you look at the logs later? My dog's name is Rex. Thanks!", learned="My dog's name is Rex."),
    a_procedure("deploy the site", "run make build", "push the image"),
)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("say"), st.integers(0, len(SAID) - 1)),
        st.tuples(
            st.sampled_from(["approve", "reject", "reopen", "rollback", "snooze", "quarantine"]), st.integers(0, 9)
        ),
        st.tuples(st.sampled_from(["undo", "forget", "erase"]), st.integers(0, 9)),
    ),
    min_size=4,
    max_size=14,
)


@given(steps=STEPS)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_order_of_saying_deciding_and_taking_back_leaves_a_sound_state(steps: list[tuple[str, int]]) -> None:
    with TemporaryDirectory() as root:
        run(_story(Path(root), steps))
        report = verify_directory(Path(root) / "data")
        assert not report.findings, report.findings


async def _story(root: Path, steps: list[tuple[str, int]]) -> None:
    async with a_chat(root, **UNREAD) as chat:
        session = await chat.new("s")
        for what, number in steps:
            with suppress(FailedPrecondition):  # one clear error, and nothing has changed
                await _step(chat, session, what, number)
            await _check(chat)


async def _step(chat: Chat, session: str, what: str, number: int) -> None:
    learning = chat.app.learning
    if what == "say":
        await told(chat, session, SAID[number])
    elif what == "undo":
        await chat.do(sessions.undo, session=session)
    elif found := await learned(chat):
        one = found[number % len(found)]
        verdicts = {
            "approve": LearningState.APPROVED,
            "reject": LearningState.REJECTED,
            "reopen": LearningState.NEEDS_REVIEW,
        }
        if what in verdicts:
            await review.decide(learning, one.candidate_id, review.Verdict(verdicts[what]), ANA, Actor.USER)
        elif what == "rollback":
            await review.roll_back(learning, one.candidate_id, ANA, Actor.USER)
        elif what == "snooze":
            until_ms = chat.app.clock.now_ms() + 60_000
            await review.snooze(learning, one.candidate_id, until_ms, ANA, Actor.USER)
        elif what == "quarantine":
            await quarantine(learning, one.candidate_id, ANA, Actor.USER)
        elif what == "forget" and one.memory_id is not None:
            await lifecycle.delete(chat.app.memory, [one.memory_id], ANA)
        elif what == "erase":
            await lifecycle.erase(chat.app.memory, [one.candidate_id], "asked", ANA)


async def _check(chat: Chat) -> None:
    for one in await learned(chat):
        history = (await looking.get(chat.app.learning, one.candidate_id, ANA)).steps
        taken = [LearningState.PROPOSED, *(step.state for step in history)]
        assert all(after in TRANSITIONS[before] for before, after in pairwise(taken)), taken
        assert taken[-1] is one.state
        assert one.state.is_in_force == bool(one.memory_id or one.document), one
    slots: set[str] = set()
    for preference in await looking.preferences(chat.app.learning, ANA):
        item = (await lifecycle.get(chat.app.memory, preference.memory_id, ANA)).item
        assert item.closed_at_ms is None
        assert item.superseded_by is None
        assert preference.slot not in slots, "two preferences of one slot are in force"
        slots.add(preference.slot)
