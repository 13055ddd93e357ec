"""Durable candidates: sentences that may outlive their session, how sure they are, and the document they belong to."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime

from palyra.domain.compaction.disposition import Known, dispose
from palyra.domain.compaction.plan import (
    CandidateEvidence,
    CandidateKind,
    CompactionLimits,
    Disposition,
    DurableCandidate,
    ProbeKind,
    Voice,
)
from palyra.domain.compaction.reading import ReadSentence
from palyra.domain.labels import Category
from palyra.language.wording import LONG_CHARS, fingerprint
from palyra.language.wording.text import parse

MEMORY, HEARTBEAT = "MEMORY.md", "HEARTBEAT.md"
_DECISIONS, _PROCEDURES = "context/decisions.md", "context/procedures.md"
TARGET = re.compile(
    r"MEMORY\.md|HEARTBEAT\.md|daily/\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])\.md"
    r"|(?:context|projects)/[a-z0-9][a-z0-9-]{0,63}\.md"
)
"""documents that candidates may be written to"""

_KINDS = {
    Category.PREFERENCE: CandidateKind.PREFERENCE,
    Category.CONSTRAINT: CandidateKind.PREFERENCE,
    Category.DECISION: CandidateKind.DECISION,
    Category.PROCEDURE: CandidateKind.PROCEDURE,
    Category.CORRECTION: CandidateKind.FACT,
}
_CONFIDENCE_BPS = {
    CandidateKind.FACT: 8_600,
    CandidateKind.PREFERENCE: 9_300,
    CandidateKind.DECISION: 9_200,
    CandidateKind.PROCEDURE: 8_800,
    CandidateKind.OPEN_TASK: 9_000,
}
_ABOUT_ONESELF_BPS, _VALUE_BPS, _CORRECTION_BPS = 300, 300, 600
_HEDGED_BPS, _REFERRING_BPS = 5_000, 7_000
_UNSURE_BPS = 8_800
_ME = re.compile(r"\bme\b|\bmir\b|\bmich\b|\bmoi\b|\bremember\b|叫我", re.IGNORECASE)
_TASTE = re.compile(r"\b(?:idea|sound|look|thought) of\b", re.IGNORECASE)
"""of something that was just spoken of"""
_NOISE_SHOWN = 8
_TELLING = 3
_PROJECT = re.compile(r"\b[Pp]roject ([A-Z][\w-]{1,40})|\b([A-Z][\w-]{1,40}) project\b")
_REFERRING = re.compile(
    r"^(?:it|that|this|they|he|she|those|these|there|and|but|so|then|also|er|sie|es|das|dies|il|elle|ça|cela|eso|esto)\b"
    r"|^(?:它|他|她|这|那|これ|それ|あれ)",
    re.IGNORECASE,
)
_LASTING = re.compile(
    r"\b(?:my|our) (?:[\w-]+ ){1,4}(?:is|are|was|were|has|lives?|works?)\b|\bi(?:'m| am)(?: an?| the| from| allergic)\b"
    r"|\bi (?:live|work|study|have|own|speak|moved|grew|was born|use|drive|teach|play|manage|run|lead)\b|\bcall me\b"
    r"|\bremember (?:that|this)\b|\bmein\w* [\w-]+ (?:ist|heißt|sind)\b|\bich (?:bin|wohne|arbeite|habe|heiße)\b"
    r"|\bje (?:suis|vis|travaille|m'appelle)\b|\bj'(?:ai|habite)\b|\b(?:me llamo|vivo|trabajo|soy|tengo)\b"
    r"|\bmi [\w-]+ es\b|\b(?:moro|trabalho|sou|chamo-me)\b|\b(?:abito|lavoro|mi chiamo)\b"
    r"|\b(?:bydlím|pracuji|jmenuji)\b"
    r"|\bменя зовут\b|\bя (?:живу|работаю)\b|我(?:的[^，。]{1,12})?(?:是|叫|住|在|有|会|姓)|私(?:の[^、。]{1,12})?は",
    re.IGNORECASE,
)


def candidates_of(
    readings: Sequence[ReadSentence], replaced: frozenset[int], known: Known, limits: CompactionLimits
) -> tuple[DurableCandidate, ...]:
    """The surest, in the order they were said. `replaced`: numbers of readings that were taken back."""
    most = limits.max_candidates
    kinds = {n: kind_of(reading) for n, reading in enumerate(readings) if n not in replaced}
    own = _own_statements(readings, kinds)
    kinds = {n: kind for n, kind in kinds.items() if not _is_echo(readings[n], own)}
    noise = [n for n, kind in kinds.items() if kind is None and _is_noise(readings[n])][:_NOISE_SHOWN]
    rated = [(-_likely(readings[n], kind), -n) for n, kind in kinds.items() if kind is not None]
    looked_at = sorted(-n for _, n in sorted(rated)[: _LOOKED_AT * most])
    found: dict[str, tuple[int, DurableCandidate]] = {}
    for number in [*looked_at, *noise]:
        candidate = _candidate(readings[number], kinds[number] or CandidateKind.FACT, known, limits.auto_write_bps)
        found[fingerprint(candidate.text)] = number, candidate
    best = sorted(found.values(), key=lambda pair: (_rank(pair[1]), -pair[0]))[:most]
    return tuple(candidate for _, candidate in sorted(best, key=lambda pair: pair[0]))


def _own_statements(readings: Sequence[ReadSentence], kinds: dict[int, CandidateKind | None]) -> dict[str, list[str]]:
    """What people said that is worth more than its session, by run."""
    found: dict[str, list[str]] = {}
    for n, kind in kinds.items():
        if kind is not None and readings[n].said.voice is Voice.USER:
            found.setdefault(readings[n].said.run_id, []).append(readings[n].text.rstrip(".!"))
    return found


def _is_echo(reading: ReadSentence, own: dict[str, list[str]]) -> bool:
    """An answer that says back what it answers: that is proposed already, in the words of who said it."""
    if reading.said.voice is Voice.USER:
        return False
    return any(text in reading.text for text in own.get(reading.said.run_id, ()))


_LOOKED_AT = 2
"""times as many as are asked for: looking costs, and some turn out to be guesses"""


def _is_noise(reading: ReadSentence) -> bool:
    return reading.said.voice is Voice.USER and reading.category is Category.TRANSIENT


def _rank(candidate: DurableCandidate) -> tuple[bool, int]:
    """Noise last, then the less sure."""
    return candidate.disposition is Disposition.SKIPPED_NOISE, -candidate.confidence_bps


def kind_of(reading: ReadSentence) -> CandidateKind | None:
    """None for what is not worth more than its session."""
    if reading.said.voice is not Voice.USER or reading.asks or reading.category is Category.TRANSIENT:
        decided = reading.said.voice is Voice.ASSISTANT and reading.kind is ProbeKind.DECISION and reading.of_person
        return CandidateKind.DECISION if decided and not reading.asks else None
    if not reading.states:
        return None
    if reading.category in _KINDS:
        return _KINDS[reading.category]
    if reading.is_task and reading.of_person:
        return CandidateKind.OPEN_TASK
    if _LASTING.search(reading.text) or (reading.values and len(reading.telling) >= _TELLING):
        return CandidateKind.FACT
    return None


def _candidate(reading: ReadSentence, kind: CandidateKind, known: Known, auto_write_bps: int) -> DurableCandidate:
    said, sentence = reading.said, reading.sentence
    confidence_bps = confidence_of(reading, kind)
    disposed = dispose(sentence.text, said.trust, confidence_bps, known, auto_write_bps)
    evidence = (CandidateEvidence(said.seq, said.last_seq, sentence.start, sentence.end),)
    target = target_of(sentence.text, kind, said.at_ms, is_dated=_is_dated(reading))
    return DurableCandidate(
        disposed.text, kind, evidence, confidence_bps, disposed.disposition, target, disposed.reason
    )


def _is_dated(reading: ReadSentence) -> bool:
    return any(value.kind is ProbeKind.DATE for value in reading.values)


def confidence_of(reading: ReadSentence, kind: CandidateKind) -> int:
    """How sure it is that the sentence stands for itself and means what it says."""
    text = reading.text
    if len(text) <= LONG_CHARS and parse(text).is_hedged:
        return _HEDGED_BPS
    if _REFERRING.match(text):
        return _REFERRING_BPS
    likely = _likely(reading, kind)
    # A rule without a person may be about anything.
    is_plain = not reading.said.is_long and (reading.of_person or _ME.search(text)) and not _TASTE.search(text)
    return likely if is_plain else min(likely, _UNSURE_BPS)


def _likely(reading: ReadSentence, kind: CandidateKind) -> int:
    sure = _CONFIDENCE_BPS[kind]
    if kind is CandidateKind.FACT:
        sure += _ABOUT_ONESELF_BPS * bool(_LASTING.search(reading.text)) + _VALUE_BPS * bool(reading.values)
        sure += _CORRECTION_BPS * (reading.category is Category.CORRECTION)
    return min(sure, 10_000)


def target_of(text: str, kind: CandidateKind, at_ms: int, *, is_dated: bool) -> str:
    """The document it belongs to: tasks to the status, what a project is named in to the project, and so on."""
    if kind is CandidateKind.OPEN_TASK:
        return HEARTBEAT
    if match := _PROJECT.search(text):
        slug = re.sub(r"[^a-z0-9]+", "-", (match[1] or match[2]).lower()).strip("-")
        if TARGET.fullmatch(f"projects/{slug}.md"):
            return f"projects/{slug}.md"
    if kind is CandidateKind.DECISION:
        return _DECISIONS
    if kind is CandidateKind.PROCEDURE:
        return _PROCEDURES
    if kind is CandidateKind.FACT and is_dated and not _LASTING.search(text):
        return f"daily/{day_of(at_ms)}.md"
    return MEMORY


def day_of(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms / 1_000, UTC).date().isoformat()


def texts_of(candidates: Sequence[DurableCandidate]) -> list[str]:
    """Of those that will be written or reviewed: what they say is not lost."""
    lasting = (Disposition.AUTO_WRITE, Disposition.REVIEW_REQUIRED, Disposition.SKIPPED_DUPLICATE)
    return [candidate.text for candidate in candidates if candidate.disposition in lasting]
