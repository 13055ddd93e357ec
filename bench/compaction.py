"""What condensing costs and keeps: compacts the conversations of retrieval sets, then asks for their probe facts.

    python bench/compaction.py [--set DIR ...] [--limit-conversations N] [--turns 2000] [--json]

A fact counts as recallable when the summary or what is kept still says it, or when one of the three best memories
does: every turn of a person is a memory, as in a chat; an assistant's turns are not. Facts are asked for with their
cue: a few words around them, never the answer. Also: the time to plan a long session, in one go and after half of it
was condensed; and the whole of compacting it as a person has it done: asked of a daemon, read from its journal,
planned, written.
"""

import argparse
import asyncio
import json
import random
import sys
import tempfile
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from time import perf_counter, process_time

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.load_daemon import Daemon
from bench.retrieval_sets import Conversation, read_set

from palyra.app import App, build_app
from palyra.core import limits
from palyra.core.clock import ManualClock
from palyra.core.ids import EventId, RunId, SessionId
from palyra.domain.chat.pieces import pieces
from palyra.domain.chat.session import RunState, Session, TapeRecord, TapeType
from palyra.domain.chat.session_events import RunCreated, RunMoved, TapeAppended
from palyra.domain.compaction.analysis import analyse_tape
from palyra.domain.compaction.extract import DEFAULT_LIMITS, plan
from palyra.domain.compaction.loss import Coverage
from palyra.domain.compaction.plan import Probe, Voice
from palyra.domain.compaction.tape import RunTape
from palyra.domain.journal import Actor, Decision, EventBody, EventDraft, draft_of_event
from palyra.domain.memory import Draft, MemorySource
from palyra.domain.scope import Visibility
from palyra.services.memory.ingest import ingest_many
from palyra.services.memory.search import SearchRequest, search
from palyra.services.sessions import lifecycle
from palyra.services.sessions.context import origin_in
from palyra.settings import load
from palyra.store.connection import ReadTx

_START_MS = 1_700_000_000_000
_MINUTE_MS = 60_000
_EVENTS_AT_ONCE = 500
_TOP = 3
_ASKED = 400
"""probes of one conversation, evenly spread"""


@dataclass(slots=True)
class Figures:
    tokens_before: int = 0
    tokens_after: int = 0
    asked: int = 0
    in_prompt: int = 0
    by_recall: int = 0
    recallable: int = 0
    of_assistant: int = 0
    of_assistant_in_prompt: int = 0
    candidates: int = 0
    seconds: list[float] = field(default_factory=list)

    def shares(self) -> dict[str, float]:
        asked, theirs = max(1, self.asked), max(1, self.of_assistant)
        return {
            "cut": round(1 - self.tokens_after / max(1, self.tokens_before), 4),
            "probes": self.asked,
            "in prompt": round(self.in_prompt / asked, 4),
            "by recall": round(self.by_recall / asked, 4),
            "recallable": round(self.recallable / asked, 4),
            "probes of assistant": self.of_assistant,
            "of them in prompt": round(self.of_assistant_in_prompt / theirs, 4),
            "candidates": self.candidates,
            "slowest plan s": round(max(self.seconds, default=0.0), 3),
        }


async def measure(directory: Path, limit: int | None) -> Figures:
    figures = Figures()
    with tempfile.TemporaryDirectory() as home:
        clock = ManualClock(_START_MS)
        settings = load({"daemon.data_dir": home}, {}).settings
        async with build_app(settings, clock) as app:
            for conversation in read_set(directory, limit):
                await _measure_one(app, clock, conversation, figures)
    return figures


async def _measure_one(app: App, clock: ManualClock, conversation: Conversation, figures: Figures) -> None:
    clock.ms = max(clock.now_ms(), conversation.end_ms)
    caller = Visibility(f"bench:{conversation.name}")
    drafts = [
        Draft(
            piece,
            MemorySource.USER_MESSAGE,
            speaker=item.speaker,
            thread=item.session,
            said_at_ms=item.at_ms if item.at_ms is not None else _START_MS + place,
        )
        for place, item in enumerate(conversation.items)
        if item.speaker != "assistant"
        for piece in pieces(item.text, app.memory.limits)
    ]
    for start in range(0, len(drafts), limits.BULK_ITEMS):
        await ingest_many(app.memory, drafts[start : start + limits.BULK_ITEMS], caller)
    await app.memory.follower.backfill()
    runs = _tape(conversation)
    started = perf_counter()
    made = plan(runs)
    figures.seconds.append(perf_counter() - started)
    figures.tokens_before += made.tokens_before
    figures.tokens_after += made.tokens_after
    figures.candidates += len(made.candidates)
    standing = Coverage(line.text for block in made.condensed for line in block.lines)
    analysis = analyse_tape(runs, None, DEFAULT_LIMITS)
    for said in analysis.survey.verbatim:
        standing.add(said.text)
    probes = [weighed.probe for weighed in analysis.probes]
    own = [probe for probe in probes if probe.voice is Voice.USER]
    theirs = [probe for probe in probes if probe.voice is not Voice.USER]
    figures.of_assistant += len(theirs)
    figures.of_assistant_in_prompt += sum(map(standing.answers, theirs))
    for probe in own[:: max(1, len(own) // _ASKED)]:
        in_prompt = standing.answers(probe)
        by_recall = await _is_recalled(app, probe, caller)
        figures.asked += 1
        figures.in_prompt += in_prompt
        figures.by_recall += by_recall
        figures.recallable += in_prompt or by_recall


async def _is_recalled(app: App, probe: Probe, caller: Visibility) -> bool:
    found = await search(app.memory, SearchRequest(" ".join(probe.cue), _TOP), caller)
    return Coverage(hit.item.text for hit in found.hits).answers(probe)


def _tape(conversation: Conversation) -> list[RunTape]:
    rows = [
        (item.speaker == "assistant", item.text, item.at_ms if item.at_ms is not None else _START_MS + place)
        for place, item in enumerate(conversation.items)
    ]
    return _runs(rows)


def _runs(rows: list[tuple[bool, str, int]]) -> list[RunTape]:
    """Each turn one run."""
    runs: list[list[TapeRecord]] = []
    for seq, (is_answer, text, at_ms) in enumerate(rows, 1):
        if not is_answer or not runs:
            runs.append([])
        run_id, session_id = RunId(f"R{len(runs)}"), SessionId("S")
        kind = TapeType.ASSISTANT_MESSAGE if is_answer else TapeType.USER_MESSAGE
        payload = {"text": text, "offset": 0, "complete": True, "stop": "end"} if is_answer else {"text": text}
        runs[-1].append(TapeRecord(seq, EventId(f"E{seq}"), run_id, session_id, kind, payload, at_ms))
    return [RunTape(records[0].run_id, Actor.USER, True, tuple(records)) for records in runs]


_PLACES = ("Lisbon", "Porto", "Berlin", "Prague", "Osaka", "Nairobi", "Lima", "Oslo", "Turin", "Gdansk")
_THINGS = ("bicycle", "laptop", "garden", "guitar", "camera", "kitchen", "boat", "printer", "tent", "telescope")
_USER = (
    "I bought a {thing} in {place} for {number} euros on {month} {day}.",
    "My {thing} is kept in {place} now, not at home.",
    "Can you compare the {thing} with the other {number} options?",
    "We decided to meet in {place} at {hour}:30 about the {thing}.",
    "Thanks, that helps a lot!",
    "I prefer the {thing} over anything else when I am in {place}.",
)
_ANSWER = (
    "Here is what matters about the {thing}. It should be serviced every {number} days and kept dry.",
    "In {place} there are several shops for that. Most open at {hour}:00, and prices start at {number} euros.",
    "A few points to consider:\n\n1. **Price**: about {number} euros.\n2. **Place**: {place}.\n3. **Use**: daily.",
    "I would begin with the {thing}, then look at the rest, and compare what each of them costs in {place}.",
)
_MONTHS = ("January", "March", "April", "May", "June", "July", "August", "October", "November")


def _long_session(turns: int, seed: int = 7) -> list[RunTape]:
    dice = random.Random(seed)
    rows: list[tuple[bool, str, int]] = []
    for turn in range(turns):
        at_ms = _START_MS + turn * 7 * _MINUTE_MS
        for is_answer, forms, most in ((False, _USER, 3), (True, _ANSWER, 6)):
            told = (_filled(dice, dice.choice(forms)) for _ in range(dice.randint(1, most)))
            rows.append((is_answer, " ".join(told), at_ms))
    return _runs(rows)


def _filled(dice: random.Random, form: str) -> str:
    return form.format(
        thing=dice.choice(_THINGS) + f" {dice.randint(1, 400)}",
        place=dice.choice(_PLACES),
        number=dice.randint(2, 4_000),
        month=dice.choice(_MONTHS),
        day=dice.randint(1, 28),
        hour=dice.randint(7, 19),
    )


def measure_time(turns: int) -> dict[str, float]:
    runs = _long_session(turns)
    started, started_cpu = perf_counter(), process_time()
    whole = plan(runs)
    at_once_s, at_once_cpu_s = perf_counter() - started, process_time() - started_cpu
    half = plan(runs[: turns // 2]).artifact
    started = perf_counter()
    second = plan(runs, half)
    return {
        "turns": turns,
        "tokens": whole.tokens_before,
        "cut": whole.cut_bps / 10_000,
        "plan s": round(at_once_s, 3),
        "of it on the processor s": round(at_once_cpu_s, 3),
        "second plan s": round(perf_counter() - started, 3),
        "second cut": second.cut_bps / 10_000,
    }


async def measure_whole(turns: int) -> dict[str, float]:
    """Of a conversation that stands in the journal of a running daemon, from the request over HTTP to the answer: the
    middle of three, each of other words, so that none finds anything read before."""
    took: list[tuple[float, float]] = []
    with tempfile.TemporaryDirectory() as root:
        home = Path(root) / "data"
        async with build_app(load({"daemon.data_dir": str(home)}, {}).settings) as app:
            for seed, key in enumerate(_KEYS):
                caller = Visibility(app.settings.memory.default_principal)
                session = await lifecycle.create(app.sessions, caller, Actor.USER, key, "")
                drafts = [draft for run in _long_session(turns, seed) for draft in _said(app, session, run)]
                for start in range(0, len(drafts), _EVENTS_AT_ONCE):
                    piece = Decision(tuple(drafts[start : start + _EVENTS_AT_ONCE]), None)
                    await app.journal.commit(partial(_decided, piece))
        daemon = Daemon(home, Path(root) / "log", with_grpc=False)
        try:
            for key in _KEYS:
                started, started_cpu = perf_counter(), daemon.cpu_seconds
                daemon.call("POST", f"/v1/chat/sessions/{key}/compactions", {})
                took.append((perf_counter() - started, daemon.cpu_seconds - started_cpu))
        finally:
            daemon.stop()
    whole_s, whole_cpu_s = sorted(took)[1]
    return {"whole s": round(whole_s, 3), "of the whole on the processor s": round(whole_cpu_s, 3)}


_KEYS = ("one", "two", "three")


def _decided(decision: Decision[None], _tx: ReadTx) -> Decision[None]:
    return decision


def _said(app: App, session: Session, run: RunTape) -> list[EventDraft]:
    run_id = RunId(app.store.ids.next(app.clock.now_ms()))
    tape = [TapeAppended(run_id, session.session_id, one.type.value, dict(one.payload or {})) for one in run.records]
    events: list[EventBody] = [
        RunCreated(run_id, session.session_id, RunState.ACCEPTED.value, "chat", None),
        RunMoved(run_id, RunState.IN_PROGRESS.value, "offline", 0, 0, 0, ""),
        *tape,
        RunMoved(run_id, RunState.DONE.value, "offline", 10, 20, 0, ""),
    ]
    return [draft_of_event(one, origin_in(session, Actor.USER, run_id)) for one in events]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", dest="directories", type=Path, nargs="*", default=[], help="directories of sets")
    parser.add_argument("--limit-conversations", type=int)
    parser.add_argument("--turns", type=int, default=2_000)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    for directory in given.directories:
        if not (directory / "items.jsonl").is_file() or not (directory / "queries.jsonl").is_file():
            sys.exit(f"error: {directory} has no items.jsonl and queries.jsonl")
    report: dict[str, dict[str, float]] = {}
    for directory in (None, *given.directories):
        if directory is None:
            name, figures = "long session", measure_time(given.turns) | asyncio.run(measure_whole(given.turns))
        else:
            name, figures = directory.name, asyncio.run(measure(directory, given.limit_conversations)).shares()
        report[name] = figures
        if not given.json:
            print(f"{name:<14}" + "  ".join(f"{label} {value}" for label, value in figures.items()), flush=True)
    if given.json:
        print(json.dumps(report, ensure_ascii=False))


if __name__ == "__main__":
    main()
