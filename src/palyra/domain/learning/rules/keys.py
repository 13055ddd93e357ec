"""The slot of a preference: what it is about, whichever way it goes, so that a later one takes an earlier one's place.

How to answer has a few well-known slots in any language (`answer.language`, `units`, …); what somebody likes or
dislikes has the thing itself (`like:jazz`); a standing instruction has its first words (`rule:deploy:friday`).
"""

import re

from palyra.domain.learning.rules.language import Rule
from palyra.domain.retrieval.terms import analyse, is_stop

_KEY_WORDS = 4
_SLOTS = tuple(
    (slot, re.compile(pattern, re.IGNORECASE))
    for slot, pattern in (
        ("answer.emoji", r"emoji|smile?y|表情|絵文字|이모"),
        (
            "units",
            r"\bmetric|imperial|celsius|fahrenheit|kilomet|\bmiles\b|si units|metrisch|métri|metric|公制|摂氏|섭씨",
        ),
        ("time.format", r"\b(?:24|12)[- ]?h|military time|24小时|24時間|24시간"),
        ("date.format", r"\bdates?\b|dd[./-]mm|yyyy|iso 8601|\bdatum|\bfecha|\bdata\b|日期|日付|날짜"),
        ("currency", r"\beuros?\b|\bdollars?\b|currenc|währung|\bmoneda|\bmoeda|valuta|人民币|通貨|통화"),
        (
            "answer.language",
            (
                r"\b(?:english|german|french|spanish|portuguese|italian|dutch|polish|czech|russian|chinese|japanese|korean"
                r"|swedish|norwegian|danish|ukrainian|turkish|arabic|deutsch|englisch|französisch|français|anglais|allemand"
                r"|español|castellano|inglés|portugu[eê]s|inglês|italiano|inglese|nederlands|engels|duits|polsku|angielsku"
                r"|česky|češtině|anglicky|англий\w*|русск\w*|по-русски|по-английски|plain language)\b"
                r"|中文|英文|英语|汉语|日本語|英語|한국어|영어"
            ),
        ),
        (
            "answer.length",
            (
                r"\b(?:short|brief|briefly|concise|concisely|long|detailed|verbose|one line|to the point|kurz\w*|knapp"
                r"|ausführlich|courte?s?|bref|brève|concis|cort[ao]s?|breves?|conciso|curt[ao]s?|brevi|kort"
                r"|krótk\w*|stručn\w*"
                r"|krátk\w*|кратк\w*|коротк\w*)\b|简短|简洁|短く|簡潔|짧게|간단"
            ),
        ),
        (
            "answer.format",
            (
                r"\b(?:bullet|bullets|table|tables|markdown|list|lists|headings?|step by step|code first"
                r"|stichpunkt\w*|tabelle"
                r"|puces|tableau|viñetas|tabla|tópicos|tabela|elenco|tabella|opsomming\w*|tabel)\b|列表|表格|箇条書き|목록"
            ),
        ),
        (
            "address.form",
            (
                r"\b(?:du|duze\w*|siez\w*|tuto\w+|vouvo\w+|tut[ée]a\w*|formal\w*|informal\w*|casual\w*"
                r"|polite\w*|jij|tykej|vykej)\b"
                r"|敬語|타메|반말|존댓말|您"
            ),
        ),
        ("answer.sources", r"\bsources?\b|\bcite\b|quellen|fuentes|fontes|fonti|bronnen"),
    )
)


def key_of(rule: Rule, match: re.Match[str], sentence: str) -> str:
    if "." in rule.key or not rule.key:
        return rule.key
    thing = match.groupdict().get("thing") or match[0]
    if rule.key == "answer" or (rule.key in ("rule", "prefer") and _is_about_answers(sentence)):
        for slot, pattern in _SLOTS:
            if pattern.search(sentence):
                return slot
    terms = list(dict.fromkeys(term for term in analyse(thing) if not is_stop(term)))[:_KEY_WORDS]
    if rule.key == "prefer":
        # Tabs over spaces, or spaces over tabs: the same question.
        terms.sort()
    return ":".join((rule.key, *terms)) if terms else rule.key


def _is_about_answers(sentence: str) -> bool:
    return _ANSWERING.search(sentence) is not None


_ANSWERING = re.compile(
    r"\b(?:answer\w*|repl(?:y|ies)|respon[ds]\w*|write|explain|talk|speak|show|use|give|antwort\w*|schreib\w*|répon\w+"
    r"|respuesta\w*|respond\w*|respónd\w*|resposta\w*|rispo\w*|rispon\w*|antwoord\w*|odpow\w*"
    r"|odpov\w*|отве\w*)\b|回答|回复|答え|대답|답변",
    re.IGNORECASE,
)
