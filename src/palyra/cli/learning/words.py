"""What was learned, in words for a person."""

from typing import TYPE_CHECKING

import click

from palyra.cli.output import moment, one_line, printable, styled

if TYPE_CHECKING:
    from palyra.wire.learning import EvidenceQuote, LearnedCandidate, LearnedDetail
    from palyra.wire.memory import Item

KINDS = {"durable_fact": "fact", "preference": "preference", "procedure": "procedure"}
STATES = {
    "proposed": "proposed",
    "needs_review": "waits for you",
    "conflicted": "waits for you: it contradicts what is remembered",
    "approved": "approved",
    "applied": "approved and in force",
    "auto_applied": "written by itself",
    "rejected": "rejected",
    "rolled_back": "taken back",
}
_BASIS = {
    "first_person": "you said it about yourself",
    "health": "you said it about your health",
    "work": "you said it about your work",
    "habit": "you said it about what you do regularly",
    "possession": "you said it about what is yours",
    "relation": "you said it about people around you",
    "group": "you said it about you and others",
    "third_person": "you said it about somebody else",
    "named_thing": "you gave it a name",
    "dated_plan": "you gave it a date",
    "likes": "you said what you like or prefer",
    "answer_form": "you said how answers should be",
    "address": "you said how to address you",
    "standing_instruction": "you asked for it to be so from now on",
    "numbered_steps": "you gave numbered steps",
    "ordered_steps": "you gave steps in their order",
    "repeated_tools": "the same tools did it again and again",
    "model": "a model proposed it",
    "quoted": "in words that were said",
    "rules_agree": "the rules found it, too",
    "value": "it says exactly what",
    "reminder": "you asked to remember it",
    "correction": "you corrected something",
    "later_clause": "it is not the main part of the sentence",
    "long_sentence": "it comes from a long sentence",
    "quotation": "there is a quotation in it",
    "doubtful_setting": "it may have been copied or made up",
    "joined": "it is put together from two sentences",
    "private": "it is private",
    "heading": "it had a heading of its own",
}
_BECAUSE = {
    "preference": "a preference is always asked about",
    "procedure": "a procedure is always asked about",
    "from_agent": "the assistant said it, not you",
    "from_tool": "a tool said it, not you",
    "from_web": "a web page says it, not you",
    "from_import": "an imported text says it, not you",
    "reads_like_instructions": "it reads like instructions to an agent",
    "sensitive": "it is sensitive, and not in your own words",
    "personal_data": "it holds personal data",
    "may_not_last": "it may not last",
    "unsure": "it is not sure enough to be written by itself",
    "changes_behaviour": "an agent said it, and it would change how agents behave",
    "not_sure_enough": "it is not sure enough to be written by itself",
    "conflict": "it contradicts what is remembered",
    "secret": "there is a secret in it",
    "untrusted_source": "it does not come from you",
    "low_confidence": "it is not sure at all",
}
_VOICES = {"owner": "you said", "agent": "the assistant said", "tool": "a tool said", "web": "a page says"}
_QUOTE_CHARS = 300


def headline(one: "LearnedCandidate") -> str:
    kind, sure = KINDS.get(one.kind, one.kind), f"{one.confidence:.0%} sure"
    return f"{one.candidate_id}  {kind}  {sure}  {styled(STATES.get(one.state, one.state), bold=True)}"


def show_candidate(one: "LearnedCandidate") -> None:
    """All that helps to decide, without opening anything else."""
    click.echo(headline(one))
    click.echo(f"  {one_line(one.text)}")
    for number, step in enumerate(one.steps, 1):
        click.echo(f"    {number}. {one_line(step)}")
    for quote in one.evidence:
        click.echo(f"  {quoted(one, quote)}")
    if one.basis:
        _row("because", _told(one.basis, _BASIS))
    if one.state in ("needs_review", "conflicted"):
        _row("waits", _told(one.because, _BECAUSE))
    if one.risks:
        _row("risks", _told(one.risks, {}))
    if one.snoozed_until_ms is not None:
        _row("put off", f"until {moment(one.snoozed_until_ms)} UTC")
    if one.memory_id is not None or one.document:
        _row("became", f"memory {one.memory_id}" if one.memory_id else one.document)


def quoted(one: "LearnedCandidate", quote: "EvidenceQuote") -> str:
    words = one_line(quote.words)
    cut = words if len(words) <= _QUOTE_CHARS else words[: _QUOTE_CHARS - 1] + "…"
    where = f"  ({moment(quote.at_ms)} UTC, run {quote.run_id})"
    if not words:
        return f"what it rests on was erased{where}"
    return f"{_VOICES.get(one.trust, 'it was said')}: “{cut}”{where}"


def show_detail(found: "LearnedDetail") -> None:
    one = found.candidate
    show_candidate(one)
    for quote in one.evidence:
        if quote.message != quote.words:
            _row("in full", one_line(quote.message))
    show_neighbours("contradicts", found.conflicts)
    show_neighbours("is like", found.similar)
    if one.about:
        _row("about", one_line(one.about))
    _row("proposed", f"{moment(one.proposed_at_ms)} UTC by {printable(one.extractor)}")
    for step in found.history:
        reason = f": {one_line(step.reason)}" if step.reason else ""
        click.echo(f"  {moment(step.at_ms)}  {step.actor:<8}  {STATES.get(step.state, step.state)}{reason}")
        if step.text:
            click.echo(f"      in these words: {one_line(step.text)}")


def show_neighbours(what: str, items: "list[Item]") -> None:
    for item in items:
        _row(what, f"{item.memory_id}  {one_line(item.text)}")


def told_because(codes: list[str]) -> str:
    """Why it waits, in plain words."""
    return _told(codes, _BECAUSE)


def _told(codes: list[str], words: dict[str, str]) -> str:
    return printable(", ".join(words.get(code, code.replace("_", " ")) for code in codes))


def _row(name: str, text: str) -> None:
    click.echo(f"  {name + ':':<12} {text}")
