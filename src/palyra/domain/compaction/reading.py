"""What a sentence says that somebody may ask for later: its terms, its values, and what kind of statement it is."""

import re
from dataclasses import dataclass, replace
from itertools import islice

from palyra.core.redact import redact_text
from palyra.domain.classify import category_of
from palyra.domain.compaction.plan import ProbeKind, Voice
from palyra.domain.compaction.sentences import Sentence, sentences
from palyra.domain.compaction.tape import TapeMessage
from palyra.domain.labels import Category
from palyra.domain.memory import Trust
from palyra.domain.retrieval.terms import analyse, is_stop
from palyra.domain.temporal import time_ranges
from palyra.language.wording.text import HAN_OR_KANA

READ_CHARS = {Voice.USER: 8_000, Voice.ASSISTANT: 4_000, Voice.TOOL: 600}
"""of one message: people's words count most"""

_NUMBER = re.compile(
    r"(?<![\w.])[#$€£¥]?\d[\d.,:/-]*\d%?|(?<![\w.])[#$€£¥]?\d%?|[零〇一二三四五六七八九十百千万亿两]{2,}"
)
_NAME = re.compile(
    r"(?<=[^\s.!?:…] )[^\W\d_a-z][\w'’&-]+(?: [^\W\d_a-z][\w'’&-]+){0,3}|[「『《“][^」』》”]{1,24}[」』》”]"
)
_HAN_VALUE = re.compile(r"(?:是|为|為|在|叫做?|于|に|は|を)([^，。！？、,;；]{1,24})")
_PERSON = frozenset(
    analyse(
        """i i'm i've i'd my mine we our ours ich mein meine meinen meiner wir unser unsere je j'ai mon ma mes nous
        notre yo mi mis soy tengo nosotros eu meu minha nós io mio mia sono noi já můj moje jsem я мой моя мы
        меня мне"""
    )
)
_PERSON_SHORT = re.compile(r"\b(?:i|we)['’](?:re|ll|ve|d|m)\b", re.IGNORECASE)
"""as terms some of these are other words: were, well, ill"""
_PERSON_UNSPACED = re.compile("我|咱|私|僕|俺|저는|제가|나는|내가|우리")
_GENERIC = frozenset(
    analyse(
        """amazing awesome great good nice cool wow happy glad thank thanks appreciate excited exciting grateful proud
        feel feeling important inspiring inspire love lovely loved beautiful wonderful fun special super really truly
        totally definitely sure make made think thought thing lot way time people everyone help want need keep better
        best still even hey hi hello yeah yep yes no okay oh sound look see hear come take give back always never much
        agree hope wish bet lucky mean happen work know let try start day life moment world hard tough incredible
        fantastic interesting interested thoughtful support journey share sharing experience meaningful powerful
        i'll it'll you'll we'll he'll she'll they'll you've we've they've they're you're that's there's here's
        gut toll danke schön sehr auch bien merci très bueno gracias muy bom obrigado molto grazie"""
    )
)
"""said about anything: a sentence of these alone is no fact"""
_VOCATIVE_BEFORE = re.compile(
    r"(?:^(?:hey|hi|hello|wow|thanks|thank you|yeah|yep|yes|no|sure|oh|ok|dear)|,) ?$", re.IGNORECASE
)
_VOCATIVE_AFTER = re.compile(r"\s*(?:[,.!?…]|$)")
_TASK = re.compile(
    r"\b(?:i|we) (?:still |really |also )?(?:need|have|must|ought|plan|intend|promised|forgot) to\b|\bto-?do\b"
    r"|\b(?:remember|don't forget|remind me) to\b|\b(?:is|are) due\b|\bdeadline\b|\bnext step\b|\bopen (?:task|point)\b"
    r"|\b(?:ich|wir) (?:muss|müssen|soll|sollen|will|wollen)\b|\b(?:je dois|nous devons|il faut)\b"
    r"|\b(?:tengo|tenemos|hay) que\b|\bdevo\b|\bмне нужно\b|\bнадо\b"
    "|(?:我|我们)(?:还)?(?:需要|要|得|打算|计划)|待办|截止|记得|忘れないで|しなければ|する予定|해야",
)
_TASK_WORDS = (
    *(" to", "to-do", "todo", " due", "deadline", "next step", "open task", "open point"),
    *("ich ", "wir ", "dois", "devons", "il faut", " que", "devo"),
)
"""one of these is in every ASCII text that `_TASK` matches"""
_ASKS = re.compile(
    r"[?？]\W*$|^(?:what|who|where|when|why|how|which)(?:'s)? (?:do|does|did|can|could|would|should|is|are|was|were)\b"
    r"|^(?:can|could|would|will|do|does|did|is|are) (?:i|you|he|she|it|we|they|the|my|your|there|this|that)\b",
    re.IGNORECASE,
)
_CATEGORY_KINDS = {
    Category.CORRECTION: ProbeKind.CORRECTION,
    Category.DECISION: ProbeKind.DECISION,
    Category.PREFERENCE: ProbeKind.PREFERENCE,
    Category.CONSTRAINT: ProbeKind.PREFERENCE,
    Category.PROCEDURE: ProbeKind.DECISION,
}


_TELLING = 2
"""telling words of a statement, at least"""


@dataclass(frozen=True, slots=True)
class Value:
    kind: ProbeKind
    terms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReadSentence:
    said: TapeMessage
    sentence: Sentence
    place: int
    """which sentence of its message it is"""
    terms: tuple[str, ...]
    """without stop words, each once, in order"""
    telling: tuple[str, ...]
    """those that are not said about anything and everything"""
    values: tuple[Value, ...]
    category: Category
    of_person: bool
    is_task: bool
    asks: bool

    @property
    def text(self) -> str:
        return self.sentence.text

    @property
    def is_own(self) -> bool:
        """Said by the owner."""
        return self.said.trust is Trust.OWNER and self.said.voice is Voice.USER

    @property
    def kind(self) -> ProbeKind | None:
        """What kind of statement the whole is, if it is one."""
        return _CATEGORY_KINDS.get(self.category) or (ProbeKind.PERSON if self.of_person else None)

    @property
    def states(self) -> bool:
        """Whether there is a fact in it."""
        if self.category is Category.TRANSIENT or len(self.telling) < _TELLING:
            return False
        return bool(self.values or self.kind)


def read(said: TapeMessage) -> list[ReadSentence]:
    """The sentences of a message that say something: all of a person's, of others the first and what they decided."""
    most = READ_CHARS[said.voice]
    if said.voice is not Voice.USER and not _decides(said.text[:most]):
        found = list(islice(sentences(said.text, _FIRST_CHARS), 1))
    else:
        found = list(sentences(said.text, most))
        if said.voice is not Voice.USER:
            found = [sentence for n, sentence in enumerate(found) if not n or _decides(sentence.text)]
    readings = [_read(said, _redacted(sentence), place) for place, sentence in enumerate(found)]
    return [reading for reading in readings if reading.terms]


def _redacted(sentence: Sentence) -> Sentence:
    text = redact_text(sentence.text).text
    return sentence if text is sentence.text else replace(sentence, text=text)


_FIRST_CHARS = 400
_DECIDING = (
    *("decided", "agreed", "settled", "confirmed", "booked", "scheduled", "going with", "correction", "i was wrong"),
    *("mistake", "entschieden", "beschlossen", "vereinbart", "décidé", "convenu", "decidido", "acordado", "deciso"),
    *("concordato", "rozhod", "dohod", "реши", "договор", "决定", "商定", "更正", "決定", "訂正"),
)
"""in words of an assistant or a tool: what the rules for decisions and corrections may find"""


def _decides(text: str) -> bool:
    low = text.lower()
    return any(word in low for word in _DECIDING)


def _read(said: TapeMessage, sentence: Sentence, place: int) -> ReadSentence:
    stated = sentence.text
    every = analyse(stated)
    terms = tuple(dict.fromkeys(term for term in every if not is_stop(term)))
    telling = tuple(term for term in terms if term not in _GENERIC)
    of_person = _is_of_person(stated, every)
    category = Category.DURABLE_FACT
    if said.voice is Voice.USER or (said.voice is Voice.ASSISTANT and of_person):
        category = category_of(stated)
    if said.voice is not Voice.USER and category not in (Category.DECISION, Category.CORRECTION):
        return ReadSentence(said, sentence, place, terms, telling, (), category, False, False, False)
    asks = _ASKS.search(stated) is not None
    # Looking for values costs most: not where nothing comes of them.
    is_idle = category is not Category.TRANSIENT and (len(telling) < _TELLING or (asks and not of_person))
    return ReadSentence(
        said,
        sentence,
        place,
        terms,
        telling,
        () if is_idle else _values(stated, said.at_ms),
        category,
        of_person,
        not is_idle and _is_task(stated),
        asks,
    )


def _is_task(text: str) -> bool:
    low = text.lower()
    # Most sentences hold none of these, and finding that out by the whole expression takes longest of all.
    return (not low.isascii() or any(word in low for word in _TASK_WORDS)) and _TASK.search(low) is not None


def _is_of_person(text: str, every: list[str]) -> bool:
    if not _PERSON.isdisjoint(every):
        return True
    if ("'" in text or "’" in text) and _PERSON_SHORT.search(text):
        return True
    return not text.isascii() and _PERSON_UNSPACED.search(text) is not None


def _values(text: str, at_ms: int) -> tuple[Value, ...]:
    found: dict[tuple[str, ...], Value] = {}
    taken: list[tuple[int, int]] = []
    spans = [(ProbeKind.DATE, when.start_char, when.end_char) for when in time_ranges(text, at_ms)]
    spans += [(ProbeKind.NUMBER, *match.span()) for match in _NUMBER.finditer(text)]
    spans += [(ProbeKind.NAME, *match.span()) for match in _NAME.finditer(text) if not _is_addressed(text, match)]
    if not text.isascii() and HAN_OR_KANA.search(text):
        spans += [(ProbeKind.NAME, *match.span(1)) for match in _HAN_VALUE.finditer(text)]
    for kind, start, end in spans:
        if any(start < other_end and other < end for other, other_end in taken):
            continue
        taken.append((start, end))
        terms = tuple(dict.fromkeys(term for term in analyse(text[start:end]) if not is_stop(term)))[:_VALUE_TERMS]
        if terms:
            found.setdefault(terms, Value(kind, terms))
    return tuple(found.values())


_VALUE_TERMS = 4


def _is_addressed(text: str, name: re.Match[str]) -> bool:
    """ "Thanks, Ana!" says nothing about Ana."""
    before = text[max(0, name.start() - 12) : name.start()]
    return _VOCATIVE_BEFORE.search(before) is not None and _VOCATIVE_AFTER.match(text, name.end()) is not None
