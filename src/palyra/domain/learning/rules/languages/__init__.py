"""The tables, one module for each language, English in three."""

from palyra.domain.learning.rules.languages.chinese import CHINESE
from palyra.domain.learning.rules.languages.czech import CZECH
from palyra.domain.learning.rules.languages.dutch import DUTCH
from palyra.domain.learning.rules.languages.english import ENGLISH
from palyra.domain.learning.rules.languages.french import FRENCH
from palyra.domain.learning.rules.languages.german import GERMAN
from palyra.domain.learning.rules.languages.italian import ITALIAN
from palyra.domain.learning.rules.languages.japanese import JAPANESE
from palyra.domain.learning.rules.languages.korean import KOREAN
from palyra.domain.learning.rules.languages.polish import POLISH
from palyra.domain.learning.rules.languages.portuguese import PORTUGUESE
from palyra.domain.learning.rules.languages.russian import RUSSIAN
from palyra.domain.learning.rules.languages.spanish import SPANISH

LANGUAGES = (
    *(ENGLISH, GERMAN, FRENCH, SPANISH, PORTUGUESE, ITALIAN, DUTCH, POLISH, CZECH, RUSSIAN),
    *(CHINESE, JAPANESE, KOREAN),
)

__all__ = ["CHINESE", "ENGLISH", "JAPANESE", "KOREAN", "LANGUAGES"]
