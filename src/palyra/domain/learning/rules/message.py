"""A message of the person, sentence by sentence: what of it is their own word, said in earnest, and stands for itself.

What they translate, quote, make up or have written for them is not. A sentence that leans on the one before it is
joined with it, or left alone.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from palyra.core.text import has_lone_surrogate, normalise
from palyra.domain.classify import classify
from palyra.domain.compaction.sentences import Sentence, sentences
from palyra.domain.learning.proposal import LearnedKind, Proposal, Span, Utterance
from palyra.domain.learning.rules.clauses import Clause, Found, clause_of, findings, is_in_earnest, same_length
from palyra.domain.learning.rules.confidence import ASKED_BPS, UNSAID_BPS, Setting, weigh
from palyra.domain.learning.rules.detect import languages_of
from palyra.domain.learning.rules.keys import key_of
from palyra.domain.learning.rules.language import FAIR, FIRM, Language
from palyra.domain.learning.rules.languages import LANGUAGES

READ_CHARS = 8_000
"""of a message; what is longer was not typed"""
LONG_CHARS = 1_500
"""from here on part of it may be somebody else's text"""
_REMINDED_BPS, _AFFIRMED_BPS = 8_500, 8_000
_LABELLED = re.compile(
    r"(?:[A-ZÀ-ÞА-ЯЁ][\w.'-]{0,20} ?){1,2}[:：] ?\S|(?:user|assistant|system|human|ai)[:：]", re.IGNORECASE
)
_OWN = re.compile(
    (
        r"\b(?:my|mein|meine|mon|ma|mes|mi|mis|meu|minha|mio|mia|mijn|mój|moja|moje|můj|мой|моя"
        r"|моё)\b|我的?|私の|제|내"
    ),
    re.IGNORECASE,
)
_UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_MIN_WORDS, _BRIEF_WORDS, _TOLD_WORDS, _TAG_WORDS = 3, 12, 20, 2


@dataclass(slots=True)
class _Place:
    """How far the message was read."""

    doubtful: bool = False
    asked: Sentence | None = None
    """the sentence just before, if it was a question"""
    last: Proposal | None = None
    """what the sentence just before said"""


def read_message(
    utterance: Utterance, taken: Sequence[tuple[int, int]] = (), before: Proposal | None = None
) -> list[Proposal]:
    """What the message states or asks for. `taken`: places that were understood already. `before`: what an earlier
    message said last, which a correction may lean on."""
    place = _Place(doubtful=len(utterance.text) > LONG_CHARS or bool(_risks(utterance.text)))
    found: list[Proposal] = []
    every = list(_whole(utterance.text))
    for number, sentence in enumerate(every):
        language = _language(sentence.text, utterance.text)
        if _borrows(sentence.text):
            # "… Translate that.": what came before is the text.
            return [] if number and number == len(every) - 1 else found
        if any(start < sentence.end and sentence.start < end for start, end in taken) or _is_theirs(
            utterance.text, sentence
        ):
            place.last = None
            continue
        if language.jokes.search(same_length(sentence.text)):
            found = found[:-1] if place.last is not None else found
            place.last = None
            continue
        if language.drafts.search(same_length(sentence.text)):
            place.doubtful, place.last = True, None
            if sentence.text.rstrip().endswith((":", "：")):
                return found
            continue
        said = list(_said(utterance, sentence, language, place, before))
        if said and place.last is not None and len(said[0].evidence) > 1 and place.last in found:
            found.remove(place.last)
        found += said
        place.last = said[-1] if said else None
        place.asked = sentence if language.asks.search(sentence.text) else None
    return found


def _risks(text: str) -> tuple[str, ...]:
    """What it seems to be after, if it seems to steer an agent: somebody may have pasted it."""
    return classify(text[:READ_CHARS], ()).risks


def is_own_statement(text: str, start: int, end: int) -> bool:
    """Whether what stands there in a person's message is their own word, said in earnest."""
    touched = False
    for sentence in _whole(text):
        if sentence.start >= end:
            break
        if _borrows(sentence.text):
            return False
        if sentence.end <= start:
            continue
        touched = True
        plain, language = same_length(sentence.text), _language(sentence.text, text)
        if _is_theirs(text, sentence) or language.drafts.search(plain):
            return False
        if not is_in_earnest(clause_of(_without_question(sentence.text, language), language)):
            return False
    return touched


def _whole(text: str) -> Iterator[Sentence]:
    """The sentences; "am 3. Mai" is within one, and so is "J. K. Rowling"."""
    last: Sentence | None = None
    for sentence in sentences(text, READ_CHARS):
        if last is not None and (
            (_ORDINAL.search(last.text) and _MONTH.match(sentence.text)) or _INITIALS.search(last.text)
        ):
            last = Sentence(last.start, sentence.end, f"{last.text} {sentence.text}")
            continue
        if last is not None:
            yield last
        last = sentence
    if last is not None:
        yield last


_INITIALS = re.compile(r"(?:^|\s)(?:[A-Z]\. ?){2,}$")
_ORDINAL = re.compile(r"(?:^|\s)\d{1,2}\.$")
_MONTH = re.compile(
    r"jan|feb|mär|mar|apr|mai|maj|may|jun|jul|aug|sep|okt|oct|nov|dez|dec|leden|ledna|únor|břez"
    r"|dub|květ|červ|srp|září|říj"
    r"|listop|prosin|stycz|lut|kwie|czerw|lip|sierp|wrze|paźdz|grud|янв|фев|мар|апр|ма[йя]|июн|июл|авг|сен|окт|ноя|дек",
    re.IGNORECASE,
)


def _language(sentence: str, message: str) -> Language:
    """Of those it may be in: one that the message as a whole may be in, too, and that makes something of it."""
    likely = languages_of(same_length(sentence))
    if len(likely) == 1:
        return likely[0]
    wider = languages_of(same_length(message[:LONG_CHARS]))
    likely = tuple(language for language in likely if language in wider) or likely
    clauses = [clause_of(sentence, language) for language in likely]
    if not all(map(is_in_earnest, clauses)):
        return next(clause.language for clause in clauses if not is_in_earnest(clause))
    return next((clause.language for clause in clauses if findings(clause)), likely[0])


def _borrows(text: str) -> bool:
    plain = same_length(text)
    return any(language.borrows.search(plain) for language in LANGUAGES)


def _is_theirs(text: str, sentence: Sentence) -> bool:
    """On a line of a mail that is answered, or behind a speaker's name."""
    line = text[text.rfind("\n", 0, sentence.start) + 1 : sentence.end]
    if line.lstrip().startswith(">"):
        return True
    return (
        _LABELLED.match(sentence.text) is not None
        and not any(
            pattern.match(sentence.text)
            for language in LANGUAGES
            for pattern in (language.reminds, language.corrects, language.openers)
        )
        and len(sentence.text.partition(":")[0].split()) <= 2
        and _FIRST_PERSON.search(sentence.text.partition(":")[2]) is not None
    )


_FIRST_PERSON = re.compile(
    r"\b(?:i|i'm|my|we|our|ich|mein|je|mon|yo|mi|eu|meu|io|ik|mijn|ja|mój|já|můj|я|мой)\b|我|私|저|나는", re.IGNORECASE
)


def _said(
    utterance: Utterance, sentence: Sentence, language: Language, place: _Place, before: Proposal | None
) -> Iterator[Proposal]:
    text = normalise(_UNSEEN.sub(" ", sentence.text))
    if has_lone_surrogate(text) or not text or text.endswith((":", "：")):
        # What ends in a colon only leads up to something.
        return
    text = _without_question(text, language)
    trail = language.trails.search(same_length(text))
    if trail is not None and trail.start():
        text = text[: trail.start()]
    clause = clause_of(text, language)
    if place.asked is not None and language.affirms.match(clause.text) and is_in_earnest(clause):
        yield from _affirmed(utterance, place.asked, sentence, clause)
        return
    setting = Setting(is_doubtful=place.doubtful)
    reminder = language.reminds.match(clause.text)
    if reminder and reminder.end() < len(text):
        setting = replace(setting, is_reminder=True)
        text = text[reminder.end() :]
        clause = clause_of(text, language)
    if not is_in_earnest(clause):
        return
    correction = language.corrects.match(clause.text)
    if correction and correction.end() < len(text):
        setting = replace(setting, is_correction=True)
        clause = replace(clause, begins=correction.end())
    span = Span(utterance.seq, utterance.event_id, sentence.start, sentence.end)
    if language.refers.match(clause.text, clause.begins):
        yield from _leaning(span, text, clause, setting, place.last or (before if correction else None))
        return
    made = [_proposal(found, span, text, clause, setting) for found in findings(clause)]
    yield from _best(made) or _plainly(span, text, clause, setting)


def _without_question(text: str, language: Language) -> str:
    """ "I eat no meat, can you suggest something?": the statement before the question."""
    if not text.rstrip("\"'”’» ").endswith(("?", "？")):
        return text
    plain = same_length(text)
    for match in language.clause.finditer(plain):
        tail = plain[match.end() :].rstrip("?？ ")
        if len(tail.split()) <= _TAG_WORDS:
            # "I live in Rome, don't I?" asks about all of it.
            break
        if language.asks.search(tail) and len(plain[: match.start()].split()) >= _MIN_WORDS:
            return text[: match.start()]
    return text


def _proposal(found: Found, span: Span, text: str, clause: Clause, setting: Setting) -> Proposal:
    bps, basis = weigh(found, clause, setting, text)
    key = key_of(found.rule, found.match, clause.text) if found.rule.kind is LearnedKind.PREFERENCE else ""
    if key and key == found.rule.key and "." not in key:
        bps = min(bps, UNSAID_BPS)
    if setting.is_correction and found.rule.kind is LearnedKind.DURABLE_FACT and _replaces(clause):
        bps = max(bps, FIRM) if not setting.is_doubtful else bps
    return Proposal(found.rule.kind, text, bps, basis, (span,), key=key)


def _replaces(clause: Clause) -> bool:
    return clause.has_value and clause.language.negates.search(clause.text) is not None


def _best(made: list[Proposal]) -> list[Proposal]:
    """One for a sentence; two where it holds a sure fact and a clear preference side by side."""
    made.sort(key=lambda proposal: -proposal.confidence_bps)
    if len(made) > 1 and made[1].confidence_bps < ASKED_BPS - 100:
        return made[:1]
    return made


def _plainly(span: Span, text: str, clause: Clause, setting: Setting) -> list[Proposal]:
    """A reminder or a correction that no other rule knows."""
    if not clause.language.states.search(clause.text, clause.begins) or clause.language.conditions.search(clause.text):
        return []
    if setting.is_correction and _replaces(clause):
        bps = ASKED_BPS if setting.is_doubtful else FIRM
        return [Proposal(LearnedKind.DURABLE_FACT, text, bps, ("correction", "value"), (span,))]
    if setting.is_correction and clause.has_value:
        bps = FAIR if clause.words <= _BRIEF_WORDS and not setting.is_doubtful else UNSAID_BPS
        return [Proposal(LearnedKind.DURABLE_FACT, text, bps, ("correction", "value"), (span,))]
    if setting.is_reminder and not _ADVISES.search(clause.text):
        bps = UNSAID_BPS if setting.is_doubtful or clause.words > _TOLD_WORDS else _REMINDED_BPS
        return [Proposal(LearnedKind.DURABLE_FACT, text, bps, ("reminder",), (span,))]
    return []


_ADVISES = re.compile(r"\b(?:you(?:r|rs)?|important|essential|crucial)\b", re.IGNORECASE)
"""advice is given to somebody; what somebody wants kept is about themselves"""


def _leaning(span: Span, text: str, clause: Clause, setting: Setting, last: Proposal | None) -> Iterator[Proposal]:
    """ "It is on 5 May.", together with what it is about."""
    if last is None or last.kind is not LearnedKind.DURABLE_FACT or not clause.has_value:
        return
    if clause.language.passing.match(clause.text, clause.begins) or not clause.language.states.search(clause.text):
        return
    basis = (*last.basis, "joined", *(("correction",) if setting.is_correction else ()))
    yield replace(
        last,
        text=f"{last.text} {text}",
        evidence=(*last.evidence, span),
        confidence_bps=min(last.confidence_bps, ASKED_BPS),
        basis=tuple(dict.fromkeys(basis)),
    )


def _affirmed(utterance: Utterance, asked: Sentence, sentence: Sentence, clause: Clause) -> Iterator[Proposal]:
    """A question somebody answers themselves."""
    if not _OWN.search(asked.text) or clause.words < _MIN_WORDS or not clause.has_value:
        return
    span = Span(utterance.seq, utterance.event_id, asked.start, sentence.end)
    text = normalise(_UNSEEN.sub(" ", f"{asked.text} {sentence.text}"))
    if not has_lone_surrogate(text):
        yield Proposal(LearnedKind.DURABLE_FACT, text, _AFFIRMED_BPS, ("affirmed", "joined"), (span,))
