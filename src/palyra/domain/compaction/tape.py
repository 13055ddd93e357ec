"""A conversation before it is condensed: which messages stay, which go, and which tool output says nothing new."""

from collections.abc import Sequence
from dataclasses import dataclass

from palyra.core.hashing import canonical_text
from palyra.core.ids import RunId
from palyra.core.tokens import estimate_tokens
from palyra.domain.chat.session import Run, TapeRecord
from palyra.domain.chat.transcript import TranscriptKind, TranscriptMessage, messages
from palyra.domain.compaction.plan import (
    CompactionArtifact,
    CompactionLimits,
    DroppedBecause,
    DroppedRange,
    KeptBecause,
    KeptMessage,
    Voice,
)
from palyra.domain.journal import Actor
from palyra.domain.memory import ACTOR_TRUST, Trust

_VOICES = {TranscriptKind.USER: Voice.USER, TranscriptKind.ASSISTANT: Voice.ASSISTANT, TranscriptKind.TOOL: Voice.TOOL}
_ENDING_DECISIONS = frozenset({"denied", "refused_by_policy", "expired"})


@dataclass(frozen=True, slots=True)
class RunTape:
    """One turn of the conversation. A run that is over has no open calls: nobody can answer them any more."""

    run_id: RunId
    actor: Actor
    is_over: bool
    records: tuple[TapeRecord, ...]

    @classmethod
    def of(cls, run: Run, records: Sequence[TapeRecord]) -> "RunTape":
        return cls(run.run_id, run.actor, run.state.is_over, tuple(records))


@dataclass(frozen=True, slots=True)
class TapeMessage:
    """A message of the conversation, as a prompt shows it."""

    seq: int
    last_seq: int
    run_id: str
    at_ms: int
    voice: Voice
    trust: Trust
    text: str
    tokens: int
    pinned: bool

    @property
    def is_long(self) -> bool:
        """Long messages are often copied from elsewhere: what they state need not be what their sender means."""
        return self.tokens > LONG_TOKENS


LONG_TOKENS = 400


@dataclass(frozen=True, slots=True)
class Survey:
    """`condensing` and `verbatim` are apart and in order; together they are what was said since the earlier plan."""

    condensing: tuple[TapeMessage, ...]
    verbatim: tuple[TapeMessage, ...]
    kept: tuple[KeptMessage, ...]
    dropped: tuple[DroppedRange, ...]
    ranges: tuple[tuple[int, int], ...]
    """of the tape, without gaps but for what is kept"""
    erased: frozenset[int]
    """messages nobody can read any more"""
    tokens: int
    """of all that was said"""
    source_tokens: dict[int, int]
    """of each message that is condensed or dropped, by its seq"""


def spoken(message: TranscriptMessage) -> str:
    """What a message says: with names in place of references, as it stands in later prompts."""
    return (
        str(message.details.get("clean_text") or message.text) if message.kind is TranscriptKind.USER else message.text
    )


def survey(runs: Sequence[RunTape], earlier: CompactionArtifact | None, limits: CompactionLimits) -> Survey:
    """Order is the tape's: `runs` may come in any. What is taken from it is redacted where it is read or shown."""
    read = [(run, message) for run in runs for message in messages(run.records, to_be_shown=False)]
    read.sort(key=lambda pair: pair[1].seq)
    erased = frozenset(message.seq for _, message in read if not spoken(message).strip())
    fresh = [(run, message) for run, message in read if earlier is None or is_verbatim(earlier, message)]
    because = _because(fresh, limits.keep_recent)
    dropped = {item.seq: item for item in _redundant([message for _, message in fresh if message.seq not in because])}
    condensing: list[TapeMessage] = []
    verbatim: list[TapeMessage] = []
    kept: list[KeptMessage] = []
    tokens = 0
    source_tokens: dict[int, int] = {}
    for run, message in fresh:
        said = said_of(run, message)
        tokens += said.tokens if said else 0
        if message.seq not in because:
            source_tokens[message.seq] = said.tokens if said else 0
        if message.seq in because:
            kept.append(KeptMessage(message.seq, message.last_seq, because[message.seq]))
            verbatim += [said] if said else []
        elif said is not None and message.seq not in dropped:
            condensing.append(said)
    ranges = _ranges([message for _, message in fresh], because)
    return Survey(
        tuple(condensing),
        tuple(verbatim),
        tuple(kept),
        tuple(dropped.values()),
        ranges,
        erased,
        tokens,
        source_tokens,
    )


def is_verbatim(artifact: CompactionArtifact, message: TranscriptMessage) -> bool:
    """Whether a prompt that begins with the summary still shows this message: it was not condensed, or was pinned."""
    return message.pinned or not artifact.covers(message.seq)


def said_of(run: RunTape, message: TranscriptMessage) -> TapeMessage | None:
    """None for what nobody said, or nobody can read any more."""
    voice = _VOICES.get(message.kind)
    text = spoken(message)
    if voice is None or not text.strip():
        return None
    return TapeMessage(
        message.seq,
        message.last_seq,
        message.run_id,
        message.at_ms,
        voice,
        _trust(run, message, voice),
        text,
        estimate_tokens(text),
        message.pinned,
    )


def _trust(run: RunTape, message: TranscriptMessage, voice: Voice) -> Trust:
    """Of the two who may have written it, run and message name one each: the one trusted less."""
    if voice is not Voice.USER:
        return Trust.AGENT if voice is Voice.ASSISTANT else Trust.TOOL
    try:
        writer = Actor(str(message.details.get("actor", run.actor.value)))
    except ValueError:
        return Trust.IMPORT
    return max(ACTOR_TRUST[writer], ACTOR_TRUST[run.actor])


def _because(read: Sequence[tuple[RunTape, TranscriptMessage]], keep_recent: int) -> dict[int, KeptBecause]:
    """Why a message stays, by its seq."""
    texts = [
        message
        for _, message in read
        if message.kind in (TranscriptKind.USER, TranscriptKind.ASSISTANT) and spoken(message).strip()
    ]
    recent = texts[-keep_recent:] if keep_recent else []
    from_seq = recent[0].seq if recent else None
    asking = {message.run_id for message in recent}
    open_runs = {message.run_id for run, message in read if not run.is_over and _is_open(message)}
    because: dict[int, KeptBecause] = {}
    for _, message in read:
        if message.run_id in open_runs:
            because[message.seq] = KeptBecause.OPEN
        elif message.pinned:
            because[message.seq] = KeptBecause.PINNED
        elif from_seq is not None and message.seq >= from_seq:
            because[message.seq] = KeptBecause.RECENT
        elif message.kind is TranscriptKind.USER and message.run_id in asking:
            because[message.seq] = KeptBecause.QUESTION
    return because


def _is_open(message: TranscriptMessage) -> bool:
    if message.kind is not TranscriptKind.TOOL or "is_error" in message.details:
        return False
    return message.details.get("decision") not in _ENDING_DECISIONS


def _redundant(read: Sequence[TranscriptMessage]) -> list[DroppedRange]:
    """Of calls with the same name and arguments the last one counts."""
    latest: dict[tuple[str, str], TranscriptMessage] = {}
    found: list[DroppedRange] = []
    for message in reversed(read):
        if message.kind is not TranscriptKind.TOOL or "is_error" not in message.details:
            continue
        call = (str(message.details.get("name")), canonical_text(message.details.get("arguments")))
        later = latest.setdefault(call, message)
        if later is message:
            continue
        if message.text == later.text:
            found.append(DroppedRange(message.seq, message.last_seq, DroppedBecause.REPEATED, later.seq))
        elif later.details.get("is_error") is not True:
            found.append(DroppedRange(message.seq, message.last_seq, DroppedBecause.SUPERSEDED, later.seq))
    return found[::-1]


def _ranges(read: Sequence[TranscriptMessage], because: dict[int, KeptBecause]) -> tuple[tuple[int, int], ...]:
    """A call may begin before a message that is kept and end after it: its range ends before that message."""
    found: list[tuple[int, int]] = []
    is_open = False
    for message in read:
        if message.seq in because:
            if is_open:
                found[-1] = (found[-1][0], min(found[-1][1], message.seq - 1))
            is_open = False
        elif is_open:
            found[-1] = (found[-1][0], max(found[-1][1], message.last_seq))
        else:
            found.append((message.seq, message.last_seq))
            is_open = True
    return tuple(found)
