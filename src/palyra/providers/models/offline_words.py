"""What kind of message somebody sent, told from its words alone. Framing is known for English and, where a word or a
mark decides, for the languages most people write in; everything that is none of these is a statement."""

import re
from functools import cache
from typing import Literal, TypeAlias

from palyra.core.text import normalise
from palyra.domain.retrieval.terms import analyse
from palyra.language.wording import LONG_CHARS
from palyra.language.wording.text import parse

Kind: TypeAlias = Literal[
    "greeting", "thanks", "farewell", "agreement", "about", "forget", "question", "perhaps", "request", "statement"
]
"""perhaps: it begins as a question does in some language, but has no mark"""

_COURTESY_CHARS = 40


def _words(text: str) -> frozenset[str]:
    return frozenset(word.replace("_", " ") for word in text.split())


_COURTESIES: tuple[tuple[Kind, frozenset[str]], ...] = (
    (
        "greeting",
        _words(
            "hi hello hey hiya howdy yo greetings good_morning good_afternoon good_evening good_day hi_there"
            " hello_there hey_there how_are_you how_are_you_doing how_is_it_going how's_it_going what's_up wassup hallo"
            " wie_geht's wie_geht_es_dir ça_va comment_ça_va qué_tal come_stai tudo_bem"
            " guten_tag guten_morgen moin servus bonjour salut bonsoir hola buenos_días"
            " buenas ciao buongiorno salve olá oi bom_dia hej hei ahoj cześć привет здравствуйте привіт γεια merhaba"
            " selam مرحبا السلام_عليكم שלום नमस्ते สวัสดี xin_chào halo 你好 您好 嗨 こんにちは おはよう 안녕 안녕하세요"
        ),
    ),
    (
        "thanks",
        _words(
            "thanks thank_you thank_you_very_much thanks_a_lot many_thanks thx ty cheers danke vielen_dank merci"
            " merci_beaucoup gracias muchas_gracias grazie obrigado obrigada tack takk dziękuję děkuji спасибо дякую"
            " ευχαριστώ teşekkürler شكرا תודה धन्यवाद ขอบคุณ cảm_ơn terima_kasih 谢谢 謝謝 ありがとう 감사합니다"
        ),
    ),
    (
        "farewell",
        _words(
            "bye goodbye good_bye bye_bye see_you see_you_later see_ya good_night later tschüss auf_wiedersehen"
            " au_revoir adiós adios hasta_luego arrivederci tchau adeus hejdå пока до_свидания 再见 再見 さようなら"
        ),
    ),
    (
        "agreement",
        _words(
            "ok okay k yes yeah yep no nope sure fine great cool nice good perfect right alright all_right got_it"
            " i_see understood very_good sounds_good ja nein oui non sí si não нет да 好 好的 はい いいえ 네"
        ),
    ),
)
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
        for kind, phrases in _COURTESIES:
            if plain in phrases:
                return kind
    if _ABOUT.fullmatch(bare):
        return "about"
    if asking(text):
        return "question"
    if _FORGET.match(bare):
        return "forget"
    if _REQUEST.match(bare):
        return "request"
    return "perhaps" if any(map(_may_ask, sentences(text))) else "statement"


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


_KIN = (
    "live lives living moved move home address flat apartment house city town based reside",
    "work works working job employed employer company office profession occupation",
    "born birthday birth age old",
    "eat food dish meal diet allergic allergy",
    "like likes love loves favourite favorite prefer prefers enjoy enjoys fond",
    "hate hates dislike dislikes",
    "married wife husband partner spouse",
    "kids children son daughter child",
    "pet dog cat",
    "car drive drives vehicle",
)
"""what is asked in one word is often told in another"""


@cache
def _kin() -> tuple[frozenset[str], ...]:
    return tuple(frozenset(analyse(group)) for group in _KIN)


def akin(terms: frozenset[str]) -> frozenset[str]:
    """The terms of a question with those their answers come in. Only if there are such for all of them: whoever has
    told what they like has not told their favourite colour."""
    groups = [group for group in _kin() if group & terms]
    known = frozenset[str]().union(*groups)
    return known if terms <= known else terms  # noqa: FURB136 - sets: the smaller is no maximum
