"""Different ways of putting one thing, led back to one, and the phrases that say "this replaces what was".

Used only to find conflicts. Whether two texts are the same is decided before any of this, on what was written.
"""

import re

from palyra.language.wording import words as w
from palyra.language.words import by_word, groups

LEAD_IN = re.compile(
    r"\s*(?:(?:please |pls |just |and |also )?(?:"
    r"(?:remember|note|keep in mind|bear in mind|be aware|don't forget|do not forget|for the record|know) that[,:]? "
    r"|(?:remember|note|reminder|fyi|for your information|for the record|just so you know|heads up|nota bene|nb)[,:] "
    r"|(?:fyi|for your information|for the record|just so you know) "
    r"|please (?:remember|note):? (?=i\b|my\b|we\b|our\b)|remember (?=i\b|we\b)|please,? "
    r"|recuerda que |ten en cuenta que |lembre-se (?:de )?que |ricorda che |notez que |rappelle-toi que "
    r"|pamatuj,? že |запомни,? что )|请?记住[,，:：]?)",
    re.IGNORECASE,
)

_LEADS = [lead for held in groups("leads", w.TABLE).values() for lead in held]
EXPLICIT_LEAD = re.compile(rf"(?:{'|'.join(_LEADS)}) (?:(?:[,:.;!—-]|that|is) )*(?=\S)")
LEADING = frozenset(lead.split()[0] for lead in _LEADS)

_SAYS_SO = r"""\b(?:now|no longer|any ?more|any longer|instead|actually|correction|update[ds]?|
changed (?:to|from|my)|used to|switched|migrated|moved (?:to|from)|replaced|renamed|rescheduled|postponed|relocated|
stopped|quit|as of|from now on|rather than|scratch that|not .{1,40} but|jetzt|nicht mehr|kein\w* .{1,30} mehr|
stattdessen|korrektur|
ab sofort|umgezogen|maintenant|désormais|ne .{1,30} plus|en fait|à la place|ahora|ya no|en realidad|en vez de|
corrección|agora|já não|não .{1,30} mais|na verdade|em vez de|adesso|ora|non .{1,30} più|in realtà|invece|teď|nyní|
už ne\w*|
místo toho|oprava|теперь|больше не|вместо|на самом деле)\b|不再|现在|改成|改为|改到|更正|其实|搬到|もう|今は|実は|訂正|
に変更|, not \S+[.!]?$"""
EXPLICIT = re.compile(_SAYS_SO.replace("\n", ""), re.IGNORECASE)
_SAYING = """now no any anymore instead actually correction update updates updated changed used switched migrated
moved replaced renamed rescheduled postponed relocated stopped quit as rather scratch not ne ora agora invece"""
_SAYING_SO = frozenset(_SAYING.split())


def says_so(cleaned: str, low: set[str]) -> bool:
    """Whether a text, whose words are `low`, says that it replaces something."""
    # The pattern is slow; most plain texts hold none of its words.
    if cleaned.isascii() and _SAYING_SO.isdisjoint(low) and not _ELSEWHERE.intersection(low):
        return False
    return EXPLICIT.search(cleaned) is not None


_SAYING_ELSEWHERE = "jetzt nicht stattdessen korrektur ab umgezogen maintenant ahora ya vez na em adesso non oprava"
_ELSEWHERE = frozenset(_SAYING_ELSEWHERE.split())

_DAYS = "|".join(sorted(w.WEEKDAYS | w.MONTH_NAMES))
_TEMPORAL = rf"(?:\d\S*|(?:next |this )?(?:{_DAYS})|noon|midnight)"
_PHRASES = by_word("phrases", w.TABLE)
_PHRASE = re.compile(
    rf"(?<= )(?:(?P<moved>(?:is |was |has been |have been |got |were )?(?:changed|set|updated|switched|bumped|raised|"
    rf"increased|reduced|lowered|rescheduled|postponed|pushed|shifted|moved|brought forward)(?: from \S+)?"
    rf"(?: back)? (?:to|until)(?: be)?(?= {_TEMPORAL} ))"
    rf"|(?P<renamed>(?:is |was |has been )?(?:changed|set|updated|renamed) to)"
    rf"|(?P<residence>moved to)"
    rf"|(?P<left>(?:have |has )?(?:switched|migrated|moved|changed) from (?:\S+ ){{1,3}}?to)"
    rf"|(?P<stopped>(?:have |has )?(?:stopped|quit|gave up|given up)(?= \S+ing ))"
    rf"|(?P<inplace>(?:instead of|rather than) (?:\S+ ){{1,4}}?(?=for |in |on |when |\. |\Z))"
    rf"|(?P<contrast>not (?:\S+ ){{1,3}}?(?:, )?but (?:rather )?(?:in |on |at |to )?)"
    rf"|(?P<denied>, (?:and )?not (?:[^ ,.]+ ){{1,4}}(?=\. |\Z))"
    rf"|(?P<phrase>{'|'.join(sorted(_PHRASES, key=len, reverse=True))})(?= ))"
)
_BY_KIND = {"moved": "is", "renamed": "is", "residence": "lives in", "left": "use", "stopped": "not"}
_NAME_OF = re.compile(r" name of ((?:\S+ ){1,4}?)is (?=\S)")
_OPENERS = frozenset(("is", "am", "has", "have", "will", "was", "'s"))
_MOVES = """changed set updated switched moved rescheduled postponed pushed renamed stopped quit gave given instead
rather not
name bumped raised increased reduced lowered migrated shifted brought"""
# One of these words must be there before the long pattern is worth its time.
_TRIGGERS = frozenset(_MOVES.split()) | {
    next(word for word in phrase.split() if word not in _OPENERS) for phrase in _PHRASES
}


def rewrite(words: list[str], is_english: bool) -> list[str]:
    """The words with phrases led back to one form, without the words that only say "from now on"."""
    if is_english and not _TRIGGERS.isdisjoint(words):
        joined = _PHRASE.sub(_replace, f" {' '.join(words)} ")
        joined = _NAME_OF.sub(r" \1is called ", joined)
        words = joined.split()
    if not is_english and ("ne" in words or "n'" in words):
        # French says no twice: "ne" is the half that may be left out.
        words = ["pas" if word == "plus" else word for word in words if word not in {"ne", "n'"}]
    words = [word for word in words if word not in w.UPDATES and word != ","]
    return [word for n, word in enumerate(words) if word not in _AT or not _stands_before_a_time(words, n)]


_AT = frozenset(("on", "at", "for"))
_BEFORE_A_TIME = frozenset(("is", "are", "was", "be", "due"))
_TIME = re.compile(_TEMPORAL)


def _stands_before_a_time(words: list[str], n: int) -> bool:
    """ "is on Friday" and "is Friday" name the day in the same place."""
    return 0 < n < len(words) - 1 and words[n - 1] in _BEFORE_A_TIME and _TIME.fullmatch(words[n + 1]) is not None


def _replace(match: re.Match[str]) -> str:
    kind = match.lastgroup or ""
    if kind == "phrase":
        return _PHRASES[match.group()]
    return _BY_KIND.get(kind, "")
