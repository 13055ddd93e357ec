"""Procedures that somebody spells out: a heading that says what for, and steps that are numbered or told in order."""

import re
from collections.abc import Iterator

from palyra.core.text import has_lone_surrogate, normalise
from palyra.domain.compaction.sentences import flat
from palyra.domain.learning.proposal import LearnedKind, Proposal, Span, Utterance

READ_CHARS = 8_000
MAX_STEPS = 24
TITLE_CHARS = 80
_STEP_CHARS = 300
_NUMBERED_BPS, _ORDERED_BPS = 8_900, 8_800

_HEADING = re.compile(
    r"(?:(?:please |also |ok(?:ay)?,? )?(?:remember|note|keep in mind)(?: that|:)? |bitte )?"
    r"(?:(?:here(?:'s| is| are)|this is|that's|das ist|so|hier ist|voici|así es|assim é|ecco) )?"
    r"(?:the steps? (?:to|for)|steps? (?:to|for)|(?:our|my|the) [\w -]{2,40}(?:process|procedure"
    r"|checklist|steps|runbook|workflow|routine|recipe)"
    r"|how (?:we|i|to|you)|the way (?:we|i)|to|in order to|when (?:we|you|i)|for|um|so|wie (?:wir"
    r"|man|ich)|zum|beim|pour|comment (?:on|nous|je)|para|cómo|como|per|come|om|hoe (?:we|je|ik)"
    r"|aby|żeby|jak|pro|чтобы|как(?: мы)?)\b"
    r"[^.!?\n:]{2,100}?",
    re.IGNORECASE,
)
_CJK_HEADING = re.compile(
    r"[^。！？\n：:]{1,40}(?:步骤|流程|方法|手順|やり方|方法|절차|방법|하려면|时|するには|的时候)[^。！？\n：:]{0,12}"
)
_NUMBERED = re.compile(r"(?:(?<=\n)|(?<=[\s:：,;.])|^)(?:\(?(\d{1,2})[.)）:](?=\s)|([①②③④⑤⑥⑦⑧⑨]))[ \t]*")
_FIRST = re.compile(
    r"\b(?:first(?:ly)?(?: of all)?|start by|begin by|step one|zuerst|als erstes|zunächst|d'abord"
    r"|premièrement|primero|primeiro|prima|innanzitutto|eerst"
    r"|najpierw|nejdřív|nejprve|сначала|сперва)\b,? ?|首先|先|まず|最初に|먼저",
    re.IGNORECASE,
)
_GOAL = re.compile(r"[^.!?\n:：]{4,120}[:：] ?")
"""what for, before the first of the steps"""
_NEXT = re.compile(
    r"(?:[,;.]|\band\b|\bund\b|\bet\b|\by\b|\be\b|\ben\b|\bi\b|\ba\b|\bи\b"
    r"|[，。；、])? ?(?:\b(?:and )?(?:then|next|after that|afterwards|finally|lastly|at the end"
    r"|second(?:ly)?|third(?:ly)?|dann|danach|anschließend"
    r"|zuletzt|schließlich|zum schluss|ensuite|puis|enfin|après|luego|después|finalmente"
    r"|por último|depois|em seguida|por fim|poi|dopo|infine"
    r"|daarna|vervolgens|dan|ten slotte|tot slot|potem|następnie|na koniec|pak|potom|nakonec"
    r"|потом|затем|в конце|наконец)\b,? ?"
    r"|然后|接着|再|最后|次に|それから|最後に|그다음|그런 다음|다음으로|마지막으로)",
    re.IGNORECASE,
)
_STORY = re.compile(
    r"(?:i|we|he|she|they|it|you|there|ich|wir|er|sie|je|nous|on|il|elle|the|my|our|a"
    r"|an)\b.{0,12}\b(?:went|took|was|were|had|did|saw|met|ate|flew|drove|came|got|said|told|felt"
    r"|found|left|bought"
    r"|visited|arrived|\w+ed|gingen|waren|sind|haben|avons|sommes|fuimos|fomos|siamo|abbiamo)\b",
    re.IGNORECASE,
)
_MADE_UP = re.compile(
    r"^\W*(?:please |can you |could you |would you )*(?:write|translate|summari[sz]e|rewrite"
    r"|imagine|pretend|explain|tell|give|generate|list|create|what|why|who"
    r"|how (?:do|does|can|could|should|would|did|is|are)|übersetze|schreib|traduis|écris|traduce"
    r"|escribe|traduz|escreve|traduci|scrivi|vertaal|schrijf|przetłumacz|napisz|přelož|napiš"
    r"|переведи|напиши)\b"
    r"|翻译|翻訳|번역|\b(?:maybe|perhaps|probably|might|if i|would)\b|vielleicht|peut-être|quizás"
    r"|talvez|forse|misschien|może|možná|может",
    re.IGNORECASE,
)


def spelled_out(utterance: Utterance) -> Iterator[Proposal]:
    """At most one for each paragraph."""
    text = utterance.text[:READ_CHARS]
    if "```" in text or has_lone_surrogate(text):
        return
    start = 0
    for paragraph in re.split(r"(\n[ \t]*\n)", text):
        found = _numbered(utterance, start, paragraph) or _ordered(utterance, start, paragraph)
        if found is not None:
            yield found
        start += len(paragraph)


def _numbered(utterance: Utterance, start: int, text: str) -> Proposal | None:
    marks = list(_NUMBERED.finditer(text))[: MAX_STEPS + 1]
    if not 2 <= len(marks) <= MAX_STEPS or any(_number(mark) != n for n, mark in enumerate(marks, 1)):
        return None
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    steps = [text[mark.end() : end] for mark, end in zip(marks, ends, strict=True)]
    return _made(utterance, start, text, text[: marks[0].start()], steps, _NUMBERED_BPS, "numbered_steps")


def _number(mark: re.Match[str]) -> int:
    return int(mark[1]) if mark[1] else "①②③④⑤⑥⑦⑧⑨".index(mark[2]) + 1


def _ordered(utterance: Utterance, start: int, text: str) -> Proposal | None:
    first = _FIRST.search(text) or _GOAL.match(text)
    if first is None or "\n" in text.strip():
        return None
    nexts = [match for match in _NEXT.finditer(text, first.end()) if match[0].strip()][: MAX_STEPS + 1]
    if not 1 <= len(nexts) < MAX_STEPS:
        return None
    starts = [first.end(), *(match.end() for match in nexts)]
    ends = [*(match.start() for match in nexts), len(text)]
    steps = [text[begin:end] for begin, end in zip(starts, ends, strict=True)]
    heading = text[: first.end() if first.re is _GOAL else first.start()]
    return _made(utterance, start, text, heading, steps, _ORDERED_BPS, "ordered_steps")


def _made(
    utterance: Utterance, start: int, text: str, heading: str, steps: list[str], bps: int, basis: str
) -> Proposal | None:
    title = _line(heading).rstrip(" :：,，-–—;")
    told = [step for step in (_line(step).strip(" ,;，；、") for step in steps) if step]
    if len(told) < 2 or not _is_heading(title) or _MADE_UP.search(title) or text.rstrip().endswith(("?", "？")):
        return None
    if any(len(step) > _STEP_CHARS or _STORY.match(step) for step in told):
        return None
    inner = text.strip()
    begins = start + text.index(inner)
    return Proposal(
        LearnedKind.PROCEDURE,
        _line(text),
        bps,
        (basis, "heading"),
        (Span(utterance.seq, utterance.event_id, begins, begins + len(inner)),),
        steps=tuple(told),
        title=title[:TITLE_CHARS],
    )


def _is_heading(title: str) -> bool:
    return _HEADING.fullmatch(title) is not None or _CJK_HEADING.fullmatch(title) is not None


def _line(text: str) -> str:
    return normalise(flat(normalise(text)))
