"""What kind of message somebody sent, told from its words alone. Framing is known for English and, where a word or a
mark decides, for the languages most people write in; everything that is none of these is a statement."""

import re
from functools import cache
from typing import Literal, TypeAlias, cast

from palyra.core.text import normalise
from palyra.domain.retrieval.terms import analyse
from palyra.language.wording import LONG_CHARS
from palyra.language.wording.text import parse
from palyra.language.words import by_word, lines

Kind: TypeAlias = Literal[
    "greeting", "thanks", "farewell", "agreement", "about", "forget", "question", "perhaps", "request", "statement"
]
"""perhaps: it begins as a question does in some language, but has no mark"""

_TABLE = "offline.txt"
_COURTESY_CHARS = 40


_ABOUT = re.compile(
    r"(?i)(?:who|what) (?:are|r) (?:you|u)|what(?: can| do|'s| is) (?:you|your|this)(?: do| name| for)?|help(?: me)?"
    r"|/?help|how (?:do(?:es)?|can) (?:you|this|i) (?:work|use (?:you|this))"
)
_FORGET = re.compile(r"(?i)(?:please |can you |could you )?(?:forget|delete|erase|remove) ")
_ASK_FOR = re.compile(
    r"(?i)(?:please |can you |could you )?(?:tell me|remind me|show me|list|find|search|look up|recall|give me"
    r"|what about|how about) "
)
_REQUEST = re.compile(
    r"(?i)(?:please |can you |could you |would you )?(?:write|translate|summari[sz]e|explain|calculate|compute|draw"
    r"|generate|draft|rewrite|rephrase|compose|suggest|recommend|compare|plan|book|send|order|code|debug|fix) "
)
_MEMO = re.compile(
    r"(?i)(?:please |can you |could you )?(?:remember|note|keep in mind|don't forget|do not forget|take a note|fyi)"
    r"(?: this| that| down)?\b[:,]?\s+(?!when\b|what\b|who\b|where\b)"
)
_ASKING_START = re.compile(
    r"(?i)(?:wer|was|wann|wo|wie|warum|wieso|welche[rsn]?|wem|wen|wessen|qui|que|quoi|quand|où|comment|pourquoi|combien"
    r"|quels?|quelles?|est-ce|quién|quien|qué|cuándo|cuando|dónde|donde|cómo|cuál|cuánto|cuántos|chi|cosa|quando|dove"
    r"|perché|quale|quanto|quem|onde|qual|quanto|кто|что|когда|где|как|почему|какой|какая|сколько)\b"
)
_SHORT_IS = re.compile(r"(?i)^(what|who|where|when|how|which)['’]s\b")
_EVERYTHING = re.compile(r"(?i)\b(?:know|remember|recall|told|said|memory|memories|everything|anything)\b|\bwho am i\b")
_ASKING_UNSPACED = re.compile(
    "什么|什麼|谁|誰|哪|吗|嗎|怎么|怎麼|为什|為什|多少|几点|何時|何|どこ|いつ|ですか|ますか|누구|어디|언제|무엇|뭐"
)
_ASKING_MARKS = ("?", "？", "؟", "¿", "⸮")
_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？؟।])\s*|\n+")


def kind_of(text: str) -> Kind:
    bare = normalise(text).strip(" \t\n.!…,~?？")
    if len(bare) <= _COURTESY_CHARS:
        plain = re.sub(r"[,!.\s]+", " ", bare.lower().replace("’", "'"))
        if courtesy := _courtesies().get(plain):
            return courtesy
    if _ABOUT.fullmatch(bare):
        return "about"
    if asking(text):
        return "question"
    if _FORGET.match(bare):
        return "forget"
    if _REQUEST.match(bare):
        return "request"
    return "perhaps" if any(map(_may_ask, sentences(text))) else "statement"


@cache
def _courtesies() -> dict[str, Kind]:
    return {phrase: cast("Kind", kind) for phrase, kind in by_word("courtesies", _TABLE).items()}


def asking(text: str) -> list[str]:
    """The sentences that ask, as sure as words can tell."""
    return [sentence for sentence in sentences(text) if _asks(sentence)]


def stating(text: str) -> str:
    """The sentences that tell something, joined."""
    return " ".join(sentence for sentence in sentences(text) if kind_of(sentence) == "statement")


def asks_for_everything(question: str) -> bool:
    """ "What do you know?": for a question that names nothing to look for."""
    return _EVERYTHING.search(question) is not None


def statement_in(text: str) -> str:
    """What was to be remembered, without the words that say so: "Remember that …"."""
    flat = " ".join(normalise(text).split())
    return _MEMO.sub("", flat, count=1) if _MEMO.match(flat) else flat


def sentences(text: str) -> list[str]:
    return [sentence for piece in _SENTENCE_END.split(normalise(text)) if (sentence := " ".join(piece.split()))]


def _asks(sentence: str) -> bool:
    bare = _bare(sentence)
    if bare.endswith(_ASKING_MARKS) or bare.startswith("¿"):
        return True
    if _MEMO.match(bare) or bare.endswith("!") or len(bare) > LONG_CHARS:
        return False
    return bool(_ASK_FOR.match(bare)) or parse(_SHORT_IS.sub(r"\1 is", bare)).is_question


def _may_ask(sentence: str) -> bool:
    bare = _bare(sentence)
    return not bare.endswith("!") and bool(_ASKING_START.match(bare) or _ASKING_UNSPACED.search(bare))


def _bare(sentence: str) -> str:
    return sentence.strip("\"'“”„«»()* ")


@cache
def _kin() -> tuple[frozenset[str], ...]:
    """What is asked in one word is often told in another."""
    return tuple(frozenset(analyse(rest)) for _, rest in lines(_TABLE)["kin"])


def akin(terms: frozenset[str]) -> frozenset[str]:
    """The terms of a question with those their answers come in. Only if there are such for all of them: whoever has
    told what they like has not told their favourite colour."""
    groups = [group for group in _kin() if group & terms]
    known = frozenset[str]().union(*groups)
    return known if terms <= known else terms  # noqa: FURB136 - sets: the smaller is no maximum
