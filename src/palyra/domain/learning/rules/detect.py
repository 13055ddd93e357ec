"""Which languages a message may be in: by script, or by the small words that give a language away."""

import re
from collections import Counter

from palyra.domain.learning.rules.language import Language
from palyra.domain.learning.rules.languages import CHINESE, ENGLISH, JAPANESE, KOREAN, LANGUAGES

_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_KANA = re.compile(r"[\u3040-\u30ff]")
_HAN = re.compile(r"[\u3400-\u9fff]")
_HANGUL = re.compile(r"[\uac00-\ud7a3]")
_READ_CHARS = 1_500
_SHARED = Counter(word for language in LANGUAGES for word in language.markers)
"""in how many languages a word is found: what is found in one alone says most"""


_LETTERS = {
    "de": "äöüß",
    "fr": "àâçèéêëîïôùûœ",
    "es": "áéíóúñ¿¡",
    "pt": "áâãàéêíóôõúç",
    "it": "àèéìòù",
    "nl": "ëïé",
    "pl": "ąćęłńóśźż",
    "cs": "áčďéěíňóřšťúůýž",
}
_LETTER_LANGUAGES = Counter(letter for letters in _LETTERS.values() for letter in letters)
_AS_LIKELY = 0.7


def languages_of(text: str) -> tuple[Language, ...]:
    """The likeliest first, then those about as likely; English if nothing gives it away."""
    if not text.isascii():
        if _HANGUL.search(text):
            return (KOREAN,)
        if _KANA.search(text):
            return (JAPANESE,)
        if _HAN.search(text):
            return (CHINESE,)
    read = text[:_READ_CHARS].lower()
    seen = set(_WORD.findall(read))
    letters = () if read.isascii() else set(read) & _LETTER_LANGUAGES.keys()
    weights = {
        language.code: sum(1 / _SHARED[word] for word in seen if word in language.markers)
        + sum(1 / _LETTER_LANGUAGES[letter] for letter in letters if letter in _LETTERS.get(language.code, ""))
        for language in LANGUAGES
    }
    most = max(weights.values())
    if not most:
        return (ENGLISH,)
    likely = [language for language in LANGUAGES if weights[language.code] >= most * _AS_LIKELY]
    return tuple(sorted(likely, key=lambda language: -weights[language.code]))
