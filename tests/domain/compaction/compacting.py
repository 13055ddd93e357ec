"""Tapes for the tests of compaction, told as who said what."""

from typing import Any

from palyra.core.ids import EventId, RunId, SessionId
from palyra.domain.chat.session import TapeRecord, TapeType
from palyra.domain.compaction.plan import CandidateKind, SessionCompactionPlan
from palyra.domain.compaction.render import render_compaction_prompt_block
from palyra.domain.compaction.stated import State, Stated
from palyra.domain.compaction.tape import RunTape
from palyra.domain.journal import Actor

AT_MS = 1_714_730_400_000  # 2024-05-03
DAY_MS = 86_400_000


class Story:
    """A conversation being told. Every record is the next on the tape."""

    def __init__(self, at_ms: int = AT_MS) -> None:
        self.at_ms = at_ms
        self._runs: list[tuple[Actor, bool, list[TapeRecord]]] = []
        self._seq = 0
        self.stated: dict[int, tuple[Stated, ...]] = {}

    def user(self, text: str, *, actor: Actor = Actor.USER, is_over: bool = True, **more: Any) -> int:
        """Begins a turn. The seq of the message."""
        self._runs.append((actor, is_over, []))
        return self.add(TapeType.USER_MESSAGE, {"text": text, "actor": actor.value}, **more)

    def states(self, text: str, state: State = State.HOLDS, **more: Any) -> int:
        """A turn that states just that, as its reader has it."""
        seq = self.user(text)
        self.read(seq, text, state, **more)
        return seq

    def read(self, seq: int, text: str, state: State = State.HOLDS, **more: Any) -> None:
        kind, sure_bps = more.pop("kind", CandidateKind.FACT), more.pop("sure_bps", 9_500)
        memory_id = f"M{text}" if state is State.HOLDS else ""
        one = Stated(seq, text, kind, state, sure_bps, memory_id=memory_id, **more)
        self.stated[seq] = (*self.stated.get(seq, ()), one)

    def assistant(self, text: str, **more: Any) -> int:
        payload = {"text": text, "offset": 0, "complete": True, "stop": "end"}
        return self.add(TapeType.ASSISTANT_MESSAGE, payload, **more)

    def tool(self, name: str, arguments: str, result: str | None, **more: Any) -> int:
        call_id = f"c{self._seq}"
        seq = self.add(TapeType.TOOL_PROPOSAL, {"call_id": call_id, "name": name, "arguments": arguments}, **more)
        if result is not None:
            answer = {"call_id": call_id, "name": name, "text": result, "is_error": False, "tainted": True}
            self.add(TapeType.TOOL_RESULT, answer)
        return seq

    def add(self, type_: TapeType, payload: dict[str, Any] | None, *, pinned: bool = False) -> int:
        self._seq += 1
        run_id = RunId(f"R{len(self._runs)}")
        record = TapeRecord(
            self._seq, EventId(f"E{self._seq}"), run_id, SessionId("S"), type_, payload, self.at_ms, pinned
        )
        self._runs[-1][2].append(record)
        return self._seq

    def small_talk(self, turns: int) -> None:
        for turn in range(turns):
            self.user(f"What do you think about subject {turn}?")
            self.assistant(
                "There is a lot that can be said about that, and opinions differ widely among those who have looked"
                " at it for long. It depends on what one is after, on the means at hand, and on the weather."
            )

    def runs(self) -> list[RunTape]:
        return [RunTape(records[0].run_id, actor, is_over, tuple(records)) for actor, is_over, records in self._runs]


def summary(made: SessionCompactionPlan) -> str:
    return render_compaction_prompt_block(made.artifact)
