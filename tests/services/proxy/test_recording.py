"""Which requests are one run, and that every run comes to its end."""

from palyra.core.errors import Cancelled, PalyraError, Unavailable
from palyra.core.ids import RunId
from palyra.domain.chat.conversation import Usage
from palyra.domain.journal import Actor
from palyra.domain.scope import Visibility
from palyra.services.chat.exchanges import ConversationKey
from palyra.services.proxy import recording
from palyra.services.proxy.asked import LastSaid, ProxyProtocol
from palyra.services.proxy.heard import TEXT_CHARS, AnswerListener
from palyra.services.proxy.recording import HELD_SECONDS, RecordedTurn, Recorder
from support import run

ANA = Visibility("user:ana")


class Tape:
    def __init__(self) -> None:
        self.begun: list[str] = []
        self.ended: dict[str, tuple[str, Usage, PalyraError | None]] = {}

    async def begin(
        self,
        caller: Visibility,  # noqa: ARG002 - as the recorder calls it
        actor: Actor,  # noqa: ARG002
        place: ConversationKey,  # noqa: ARG002
        user_text: str,
        model: str,  # noqa: ARG002
    ) -> RunId | None:
        if user_text == "nothing of this":
            return None
        self.begun.append(user_text)
        return RunId(f"run {len(self.begun)}")

    async def finish(self, run_id: RunId, text: str, usage: Usage, error: PalyraError | None) -> None:
        assert run_id not in self.ended, "a run ends once"
        self.ended[run_id] = (text, usage, error)


def turn(
    text: str = "tea?", place: int = 0, *, is_new: bool = True, caller: Visibility = ANA, key: str = "k"
) -> RecordedTurn:
    return RecordedTurn(caller, Actor.USER, ConversationKey(key), LastSaid(text, place, is_new), "m")


def answer(text: str, *, wants_tools: bool = False) -> AnswerListener:
    heard = AnswerListener(ProxyProtocol.CHAT)
    heard.add(text)
    heard.usage = Usage(2, 1)
    heard.wants_tools = wants_tools
    return heard


async def say(recorder: Recorder, what: RecordedTurn, heard: AnswerListener, error: PalyraError | None = None) -> bool:
    begun = await recorder.begin(what)
    if begun is not None:
        await recorder.end(begun, heard, error)
    return begun is not None


def test_requests_of_one_turn_are_one_run() -> None:
    tape = Tape()
    recorder = Recorder(tape)
    assert run(say(recorder, turn(), answer("one", wants_tools=True)))
    assert run(say(recorder, turn(is_new=False), answer("", wants_tools=True)))
    assert tape.ended == {}
    assert run(say(recorder, turn(is_new=False), answer("two")))
    assert tape.begun == ["tea?"]
    assert tape.ended == {"run 1": ("one\n\ntwo", Usage(6, 3), None)}


def test_a_turn_without_end_is_not_kept_whole() -> None:
    tape = Tape()
    recorder = Recorder(tape)
    run(say(recorder, turn(), answer("x" * TEXT_CHARS, wants_tools=True)))
    run(say(recorder, turn(is_new=False), answer("more", wants_tools=True)))
    run(say(recorder, turn(is_new=False), answer("and more")))
    assert tape.ended["run 1"][0] == "x" * TEXT_CHARS


def test_results_for_a_run_nobody_knows_are_not_recorded() -> None:
    tape = Tape()
    recorder = Recorder(tape)
    run(say(recorder, turn(), answer("one", wants_tools=True)))
    others = (
        turn(is_new=False, caller=Visibility("user:bob")),
        turn(is_new=False, caller=Visibility("user:ana", "a:1")),
        turn(is_new=False, key="another"),
        turn(is_new=False, place=2),
        turn("coffee?", is_new=False),
    )
    for other in others:
        assert not run(say(recorder, other, answer("two")))
    assert tape.ended == {}


def test_a_question_asked_again_ends_the_run_that_waited_for_its_tools() -> None:
    tape = Tape()
    recorder = Recorder(tape)
    run(say(recorder, turn(), answer("one", wants_tools=True)))
    run(say(recorder, turn(), answer("two")))
    text, _, error = tape.ended["run 1"]
    assert (text, type(error)) == ("one", Cancelled)
    assert tape.ended["run 2"] == ("two", Usage(2, 1), None)


def test_of_two_alike_that_wait_for_tools_at_once_both_come_to_an_end() -> None:
    tape = Tape()
    recorder = Recorder(tape)

    async def both() -> None:
        one, two = await recorder.begin(turn()), await recorder.begin(turn())
        assert one is not None
        assert two is not None
        await recorder.end(one, answer("one", wants_tools=True), None)
        await recorder.end(two, answer("two", wants_tools=True), None)
        await recorder.close()

    run(both())
    assert sorted(tape.ended) == ["run 1", "run 2"]


def test_an_error_ends_a_run_even_if_tools_were_asked_for() -> None:
    tape = Tape()
    error = Unavailable("broke off")
    run(say(Recorder(tape), turn(), answer("one", wants_tools=True), error))
    assert tape.ended == {"run 1": ("one", Usage(2, 1), error)}


def test_what_the_tape_does_not_want_is_not_recorded() -> None:
    assert not run(say(Recorder(Tape()), turn("nothing of this"), answer("")))


def test_runs_nobody_comes_back_to_are_ended_after_a_while() -> None:
    tape, now = Tape(), 0.0
    recorder = Recorder(tape, lambda: now)
    run(say(recorder, turn("one"), answer("", wants_tools=True)))
    now = HELD_SECONDS / 2
    run(say(recorder, turn("two"), answer("", wants_tools=True)))
    run(recorder.give_up_old())
    assert tape.ended == {}
    now = HELD_SECONDS
    run(recorder.give_up_old())
    assert list(tape.ended) == ["run 1"]
    run(recorder.close())
    assert list(tape.ended) == ["run 1", "run 2"]


def test_no_more_runs_wait_than_there_is_room_for() -> None:
    tape = Tape()

    async def ask() -> None:
        recorder = Recorder(tape)
        for number in range(recording.HELD_RUNS + 3):
            await say(recorder, turn(f"question {number}"), answer("", wants_tools=True))

    run(ask())
    assert list(tape.ended) == ["run 1", "run 2", "run 3"]
