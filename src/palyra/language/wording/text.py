"""From a text to the forms that are compared: exact, plain, and the words of its frame.

`exact` undoes only how a text was typed (case, spacing, Unicode form, quotes, the final stop); `plain` also
undoes how it was put (contractions, articles, "please note that", 3pm for 3 p.m.); `words` is for finding
what two statements disagree about, and drops what marks an update. Each form is a list of tokens in order,
and no character that could carry meaning is dropped from the first two.
"""

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

from palyra.language.wording import words as w
from palyra.language.wording.rewrites import EXPLICIT_LEAD, LEAD_IN, LEADING, rewrite, says_so

CJK = "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
CJK_NUMERALS = "零〇一二三四五六七八九十百千万亿两"
HAN_OR_KANA = re.compile(f"[{CJK}]")
_LETTER = rf"[^\W{CJK}]"
# The last alternative takes any other character, so that marks and signs we know nothing of still count.
_TOKEN = re.compile(
    rf"https?://\S+|(?<![^\s(])-\d[\d.,]*\d|(?<![^\s(])-\d"
    rf"|{_LETTER}+(?:(?:[.'_/@:&+\-]|(?<=\d),(?=\d)){_LETTER}+)*(?:[+#]+|-(?![\w\s]))?"
    rf"|[{CJK_NUMERALS}]+|\S"
)
_TYPOGRAPHY = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛ʼ′＇`´", "'"),
        **dict.fromkeys("“”„‟″＂«»", '"'),
        **dict.fromkeys("‐‑−", "-"),
        **dict.fromkeys("\u00ad\u200b\u200e\u200f\u2060\ufeff"),
        **{chr(0xFF01 + n): chr(0x21 + n) for n in range(94) if chr(0x21 + n) not in "'\"!?:;,"},
        "！": "!",
        "？": "?",
        "：": ":",
        "；": ";",
        "，": ",",
        "。": ".",
        "｡": ".",
        "…": ".",
    }
)
_FINAL = frozenset(".!")
_BREAKS = frozenset(".!?:")
_SILENT = frozenset(",;\"*–—-、'•·「」『』")
_MARKUP = frozenset("\"*'•·「」『』")
_DASHES = frozenset("-–—")
_OPENING_WORDS = "in on at after before during since until by from for if when while as although because however then"
_OPENING = frozenset(_OPENING_WORDS.split())
_JOINING = frozenset(("and", "or", "but", "so", "und", "et", "y", "e", "и"))
_OPERATORS = frozenset("*-–·")
_CODE_SIGNS = frozenset("{}<>\\")
_CODE = re.compile(r"[_/\\]|[^\W\d].*\d.{4}|\d.*[^\W\d].{4}")


class WordedStatement(NamedTuple):
    exact: tuple[str, ...]
    plain: tuple[str, ...]
    words: tuple[str, ...]
    articles: dict[int, str]
    """`a` or `t`, by the place in `plain` before which it stood"""
    names: frozenset[str]
    """words written with a capital letter, in lower case"""
    is_english: bool
    is_question: bool
    is_hedged: bool
    is_code: bool
    is_cjk: bool
    is_explicit: bool
    """says itself that it replaces something"""


def clean(text: str) -> str:
    """One Unicode form, plain quotes and dashes, no invisible characters, no space around it: a sign at the very end
    belongs to its word, as in a blood group. Not NFKC: that would read 10² as 102."""
    if text.isascii():
        return text.replace("`", "'").strip()
    return unicodedata.normalize("NFC", text).translate(_TYPOGRAPHY).strip()


def tokens(cleaned: str) -> list[str]:
    return _TOKEN.findall(cleaned)


def exact_form(raw: list[str]) -> list[str]:
    """The tokens with the case that means nothing undone, without the final stop."""
    end = len(raw)
    while end and raw[end - 1] in _FINAL:
        end -= 1
    if end > 5 and "".join(raw).isupper():
        raw = [token.lower() for token in raw]  # shouted throughout: the capitals say nothing
    keyed: list[str] = []
    keep_case = False
    for n, token in enumerate(raw[:end]):
        low = token.lower()
        if token == low:
            keyed.append(_month_or_land(low, raw, n) if low in {"may", "march", "us"} else low)
        elif keep_case or _CODE.search(token):
            keyed.append(token)
        else:
            keyed.append(_case_key(token, low, raw, n))
        if low in w.CASE_COUNTS_AFTER:
            keep_case = True  # what follows may be the secret or the user name itself
    return keyed


def _case_key(token: str, low: str, raw: list[str], n: int) -> str:
    """US is not us, May is not may, 5 Mb is not 5 MB; everywhere else case is how it was typed."""
    if low in w.CAPITALS_ARE_A_NAME or low == "u.s":
        return "US" if low == "u.s" else token if token.isupper() else _month_or_land(low, raw, n)
    if low in w.CAPITAL_IS_A_NAME:
        opens = n == 0 or raw[n - 1] in _BREAKS
        named = n and raw[n - 1] in {"called", "named"}
        return _month_or_land(low, raw, n) if opens or named else low.capitalize()
    if n and raw[n - 1][0].isdigit() and len(token) <= 4:
        return token if (token[0].isupper() and token[1:2] == "b") or token in {"M", "MW", "mW"} else low
    return low


def _month_or_land(low: str, raw: list[str], n: int) -> str:
    before = raw[n - 1].lower() if n else ""
    if low == "us":
        return "US" if before == "the" else low
    is_month = before in w.BEFORE_A_MONTH or before.isdigit() or (n + 1 < len(raw) and raw[n + 1][0].isdigit())
    return low.capitalize() if low in {"may", "march"} and is_month else low


@lru_cache(maxsize=4_096)
def parse(text: str) -> WordedStatement:
    """The forms of a short text. Kept for a while, as one new text is compared with many stored ones."""
    cleaned = clean(text)
    raw = tokens(cleaned)
    exact = exact_form(raw)
    led = LEAD_IN.match(cleaned)
    stated = exact_form(tokens(cleaned[led.end() :])) if led else exact
    low = {token.lower() for token in exact}
    is_english = _is_english(low, cleaned)
    canonical = _canonical(stated, is_english)
    plain, articles = _plain(canonical, is_english)
    stripped = canonical
    while stripped and stripped[0] in LEADING and (lead := EXPLICIT_LEAD.match(" ".join(stripped) + " ")):
        stripped = stripped[lead.group().count(" ") :]
    words = _words(stripped, is_english)
    return WordedStatement(
        exact=tuple(exact),
        plain=tuple(plain),
        articles=articles,
        words=tuple(words),
        names=frozenset(token.lower() for token in raw if token[0].isupper()),
        is_english=is_english,
        is_question="?" in low or "¿" in low or _asks(exact),
        is_hedged=not w.HEDGES.isdisjoint(exact) and not _WISH.search(cleaned),
        is_code=not _CODE_SIGNS.isdisjoint(low) or "()" in cleaned or "==" in cleaned or exact[-1:] == [";"],
        is_cjk=not cleaned.isascii() and HAN_OR_KANA.search(cleaned) is not None,
        is_explicit=len(stripped) < len(canonical) or says_so(cleaned, low),
    )


def _is_english(low: set[str], cleaned: str) -> bool:
    english, other = len(low & w.ENGLISH), len(low & w.OTHER_LANGUAGES)
    if "'" in cleaned:
        other += any(token.partition("'")[0] in w.ELIDED for token in low if "'" in token)
    return english > other or (english == other and cleaned.isascii())


_QUESTION_WORDS = "what who where when why how which whose"
_ASKING = frozenset(_QUESTION_WORDS.split())
_AUXILIARIES = "do does did can could would should is are was were will have has"
_INVERTED = frozenset(_AUXILIARIES.split())
_ASKED = frozenset(
    ("i", "you", "he", "she", "it", "we", "they", "the", "my", "your", "there", "this", "that", "anyone")
)
_WISH = re.compile(r"(?i)\b(?:would|'d) (?:rather|prefer|like)\b")


def _asks(exact: list[str]) -> bool:
    """Questions that lost their mark: "what is ...", "does she ..."; not "when deploying" or "do not"."""
    if len(exact) < 2:
        return False
    return (exact[0] in _ASKING and exact[1] in _INVERTED) or (exact[0] in _INVERTED and exact[1] in _ASKED)


def _canonical(exact: list[str], is_english: bool) -> list[str]:
    """Contractions written out, numbers with their units and dates in one way of writing."""
    out: list[str] = []
    size = len(exact)
    n = 0
    while n < size:
        piece = exact[n]
        n += 1
        if "'" in piece and len(piece) > 1:
            out += _written_out(piece)
        elif piece[0].isdigit():
            n = _number(piece, exact, n, out, is_english)
        elif piece in w.CURRENCY_SIGNS and n < size and exact[n][0].isdigit():
            _number(exact[n], exact, n + 1, out, is_english)
            out.append(w.UNITS[piece][0])
            n += 1
        elif is_english and piece in w.NUMBER_WORDS and piece != "one":
            _number_word(piece, out)
        elif piece in w.CONTRACTIONS:
            out += w.CONTRACTIONS[piece]
        elif piece in {"p.m", "a.m"}:
            out.append(piece.replace(".", ""))
        elif out and piece in w.UNITS and out[-1][0].isdigit():
            out.append(w.UNITS[piece][0])
        elif piece.lower() in w.MONTHS:
            n = _month_day(piece.lower(), exact, n, out)
        else:
            out.append(piece)
    return out


def _written_out(token: str) -> tuple[str, ...]:
    if token in w.CONTRACTIONS:
        return w.CONTRACTIONS[token]
    if token.endswith("n't"):
        return token[:-3], "not"
    head, _, tail = token.partition("'")
    if f"'{tail}" in w.CONTRACTED_ENDINGS:
        return head, w.CONTRACTED_ENDINGS[f"'{tail}"]
    if tail == "s":
        return head, "'s"
    if head in w.ELIDED:
        return f"{head}'", tail
    return (token,)


_NUMBER = re.compile(r"(\d+(?:[.,:]\d+)*)([^\W\d_]{1,7}|%|°[cf])?")
_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_ORDINALS = frozenset(("st", "nd", "rd", "th"))
_CLOCK = re.compile(r"(\d{1,2})(?::(\d\d))?")


def _number(token: str, exact: list[str], n: int, out: list[str], is_english: bool) -> int:
    """Appends the number that starts at `token`; the place after what was used of `exact`."""
    match = _NUMBER.fullmatch(token)
    if match is None:
        out.append(token)
        return n
    value, tail = match[1], match[2]
    if is_english and _GROUPED.fullmatch(value):
        value = value.replace(",", "")
    following = exact[n] if n < len(exact) else ""
    half = tail or {"p.m": "pm", "a.m": "am"}.get(following, following)
    if half in {"am", "pm"} and (clock := _CLOCK.fullmatch(value)) and int(clock[1]) <= 12:
        out.append(f"{int(clock[1]) % 12 + 12 * (half == 'pm'):02}:{clock[2] or '00'}")
        if tail:
            return n
        return n + 2 if "." in following and exact[n + 1 : n + 2] == ["."] else n + 1
    if tail is None or tail in _ORDINALS:
        month = n + 1 if following == "of" and n + 1 < len(exact) else n
        if (
            value.isdigit()
            and len(value) <= 2
            and 0 < int(value) <= 31
            and month < len(exact)
            and exact[month].lower() in w.MONTHS
        ):
            return _dated(w.MONTHS[exact[month].lower()], int(value), exact, month + 1, out)
        if ":" in value and len(value) == 4:
            value = f"0{value}"
        out.append(value if tail is None else f"{value}{tail}")
    elif (unit := w.UNITS.get(tail)) or tail in {"x", "k"}:
        out += (value, unit[0] if unit else tail)
    else:
        out.append(token)
    return n


def _dated(month: int, day: int, exact: list[str], n: int, out: list[str]) -> int:
    year = exact[n + 1] if exact[n : n + 1] == [","] and n + 1 < len(exact) else exact[n] if n < len(exact) else ""
    if len(year) == 4 and year.isdigit() and year[:2] in {"19", "20"}:
        out.append(f"{year}-{month:02}-{day:02}")
        return n + (2 if exact[n] == "," else 1)
    out.append(f"{month:02}-{day:02}")
    return n


def _month_day(month: str, exact: list[str], n: int, out: list[str]) -> int:
    match = _NUMBER.fullmatch(exact[n]) if n < len(exact) else None
    if (
        match
        and match[1].isdigit()
        and len(match[1]) <= 2
        and 0 < int(match[1]) <= 31
        and (match[2] is None or match[2] in _ORDINALS)
    ):
        return _dated(w.MONTHS[month], int(match[1]), exact, n + 1, out)
    out.append(exact[n - 1])
    return n


def _number_word(token: str, out: list[str]) -> None:
    value = w.NUMBER_WORDS[token]
    before = out[-1] if out else ""
    if value in {"100", "1000"}:
        if before.isdigit():
            out[-1] = str(int(before) * int(value))
        else:
            out.append(token)
    else:
        out.append(value)


def _plain(canonical: list[str], is_english: bool) -> tuple[list[str], dict[int, str]]:
    plain: list[str] = []
    articles: dict[int, str] = {}
    last = len(canonical) - 1
    for n, piece in enumerate(canonical):
        if piece in _MARKUP:
            if piece in _OPERATORS and plain and plain[-1][0].isdigit():
                plain.append(piece)
        elif piece == ",":
            # "Let's eat, Max" is not "Let's eat Max", and "No, deploy" is not "No deploy"; only these say nothing:
            opens = bool(plain) and plain[0] in _OPENING and "," not in canonical[:n]
            if not opens and n < last and canonical[n + 1] not in _JOINING:
                plain.append(piece)
        elif piece in _DASHES and not plain:
            pass
        elif piece in w.ARTICLES and is_english and n < last:
            if piece != "the" and canonical[n + 1] in w.AFTER_A_MEANT_ARTICLE:
                plain.append(piece)
            else:
                articles[len(plain)] = piece[:1]
        else:
            plain.append(piece)
    return plain, articles


_BRACKETS = frozenset("()[]|~")


def _words(canonical: list[str], is_english: bool) -> list[str]:
    words: list[str] = []
    for n, piece in enumerate(canonical):
        low = piece.lower()
        if piece in _SILENT or piece in _BRACKETS:
            if piece == ",":
                words.append(piece)
        elif is_english and piece in w.ARTICLES:
            if piece == "the" and words and words[-1] in w.COPULAS:
                words.append(piece)
        elif piece in ":=" and n and n + 1 < len(canonical):
            words.append("is" if words and words[-1] in w.SLOT_NOUNS else ":")
        elif low not in w.FADING and (low not in w.UPDATES or low == "instead"):
            words.append(low)
    words = rewrite(words, is_english)
    if words[1:3] != ["is", "the"] or words[0] in w.MEANING_WORDS:
        return words
    if not w.SLOT_NOUNS.isdisjoint(words[3:]) and not w.PREPOSITIONS & set(words[3:]):
        return [*words[3:], "is", words[0]]  # "Ana is the team lead", as "The team lead is Ana"
    return words
