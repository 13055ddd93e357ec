"""The words the rules of similarity rest on, as `data/wording.txt` has them: tables only, no rules."""

from collections.abc import Iterable

from palyra.language.words import by_word, groups, pairs, words

TABLE = "wording.txt"


def _forms(bases: Iterable[str]) -> dict[str, str]:
    """Each present form of a regular English verb, to its base."""
    forms: dict[str, str] = {}
    for base in bases:
        stem = base.removesuffix("e")
        forms[base] = base
        if base.endswith("y") and base[-2] not in "aeiou":
            forms[f"{base[:-1]}ies"] = base
        else:
            forms[f"{base}es" if base.endswith(("s", "sh", "ch", "x")) else f"{base}s"] = base
        forms[f"{stem}ing"] = base
        if base[-1] in "nptgm" and base[-2] in "aeiou":
            forms[f"{base}{base[-1]}ing"] = base
    return forms


CAPITAL_IS_A_NAME = words("capital_is_a_name", TABLE)
CAPITALS_ARE_A_NAME = words("capitals_are_a_name", TABLE)
BEFORE_A_MONTH = words("before_a_month", TABLE)
CASE_COUNTS_AFTER = words("case_counts_after", TABLE)
ENGLISH = words("english", TABLE)
CONTRACTIONS = groups("contractions", TABLE)
CONTRACTED_ENDINGS = {ending: full for ending, (full,) in groups("contracted_endings", TABLE).items()}
ELIDED = words("elided", TABLE)
ARTICLES = words("articles", TABLE)
AFTER_A_MEANT_ARTICLE = words("after_a_meant_article", TABLE)

NUMBER_WORDS = by_word("number_words", TABLE)
NUMBER_NAMES = words("number_names", TABLE)
MONTHS = {name: int(month) for name, month in by_word("months", TABLE).items()}
MONTH_NAMES = frozenset(MONTHS) | words("months_elsewhere", TABLE)
WEEKDAYS = words("weekdays", TABLE)
UNITS = {
    spelling: (unit, of, float(size))
    for unit, (of, size, *others) in groups("units", TABLE).items()
    for spelling in (unit, *others)
}
"""every spelling, to (unit, dimension, size in the dimension's first unit)"""
CURRENCY_SIGNS = words("currency_signs", TABLE)

NEGATIONS = words("negations", TABLE)
HEDGES = words("hedges", TABLE)
RELATIVE_DAYS = words("relative_days", TABLE)
UPDATES = words("updates", TABLE)
FADING = words("fading", TABLE)
MEANING_WORDS = words("meaning_words", TABLE)
PREPOSITIONS = words("prepositions", TABLE)
LIGHT = words("light", TABLE)
VAGUE_SUBJECTS = words("vague_subjects", TABLE)

GROUPS = tuple(map(frozenset, groups("groups", TABLE).values()))
COUNTRIES = words("countries", TABLE)
WIDER = words("wider", TABLE)
VERB_ANTONYMS = pairs("verb_antonyms", TABLE)
OTHER_ANTONYMS = pairs("other_antonyms", TABLE)
QUANTIFIER_ANTONYMS = pairs("quantifier_antonyms", TABLE)
NOT_OPPOSITES = pairs("not_opposites", TABLE)

COPULAS = words("copulas", TABLE)
FUNCTIONAL_LEADS = {
    verb: frozenset(leads.split(",")) - {""}
    for verb, _, leads in (row.partition(":") for row in words("functional", TABLE))
}
COUNTING_ONLY = words("counting_only", TABLE)
FUNCTIONAL = _forms(FUNCTIONAL_LEADS)
SET_LIKE = _forms(words("set_like", TABLE)) | {"has": "have", "got": "have", "does": "do", "goes": "go"}
WITH_OBJECT = words("with_object", TABLE)
USING = words("using", TABLE)
PREFERRING = words("preferring", TABLE)
PURPOSES = words("purposes", TABLE)
PARTICIPLES = words("participles", TABLE)
PASTS = words("pasts", TABLE)
IRREGULAR = by_word("irregular", TABLE)
COPULAS_ELSEWHERE = words("copulas_elsewhere", TABLE)
FUNCTIONAL_ELSEWHERE = words("functional_elsewhere", TABLE)
SET_LIKE_ELSEWHERE = words("set_like_elsewhere", TABLE)
OTHER_LANGUAGES = (
    words("other_languages", TABLE) | COPULAS_ELSEWHERE | FUNCTIONAL_ELSEWHERE | SET_LIKE_ELSEWHERE
) - words("also_english", TABLE)

SLOT_NOUNS = words("slot_nouns", TABLE)
SLOT_MODIFIERS = words("slot_modifiers", TABLE)
PAST_COPULAS = words("past_copulas", TABLE)
STOP_WORDS = words("stop_words", TABLE)
