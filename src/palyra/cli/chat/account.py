"""Why a turn said what it said: the parts of its prompt, what was left out, and what else took part."""

from collections import Counter
from typing import TYPE_CHECKING, Any

import click

from palyra.cli.chat.conversation import memory_text
from palyra.cli.chat.screen import dim, reference_name, room, short
from palyra.cli.chat.tape import read_transcript
from palyra.cli.command import terminal_width
from palyra.cli.output import moment, one_line, printable, styled, write_table
from palyra.core.errors import FailedPrecondition, NotFound
from palyra.core.ids import is_ulid

if TYPE_CHECKING:
    from palyra.client.chat import ChatClient
    from palyra.wire.chat import Explanation

_ANSWER_LINES = 12
_LATEST = 20
"""conversations looked through for the last turn: one that was only begun has none"""


def explanation_of(client: "ChatClient", name: str | None, who: dict[str, Any]) -> "Explanation":
    """Of a run, of a session's last turn, or of the last turn there is."""
    from palyra.api import chat as api
    from palyra.wire.chat import ListSessions, NameRun

    if name is None:
        sessions = client.call(api.list_, ListSessions(limit=_LATEST, **who)).sessions
        last = next(filter(None, (_last_run(client, one.session_id, who) for one in sessions)), None)
        if last is None:
            raise FailedPrecondition("nothing was said yet", hint="palyra chat")
    elif is_ulid(name):
        try:
            return client.call(api.explain, NameRun(run_id=name, **who))
        except NotFound:
            last = _last_run(client, name, who)
    else:
        last = _last_run(client, name, who)
    if last is None:
        raise FailedPrecondition(f"nothing was said in session {name!r:.64} yet", hint=f"palyra chat {name!s:.64}")
    return client.call(api.explain, NameRun(run_id=last, **who))


def _last_run(client: "ChatClient", session: str, who: dict[str, Any]) -> str | None:
    runs = read_transcript(client, session, who, everything=False).runs
    return runs[-1].run_id if runs else None


def show_account(client: "ChatClient", found: "Explanation", who: dict[str, Any]) -> None:
    run = found.run
    click.echo(f"run {run.run_id}  {moment(run.created_at_ms)} UTC{'  (undone)' if run.undone else ''}")
    _heading("question")
    click.echo(printable(found.question) or dim("(erased)"))
    for number, report in enumerate(found.reports, 1):
        _show_prompt(report, f" {number}" if len(found.reports) > 1 else "")
    _show_memories(client, found.injections, {**who, "session_id": run.session_id})
    _show_references(found.references)
    _show_tools(found.tools)
    if found.notices:
        _heading("notices")
        for notice in found.notices:
            click.echo(f"{notice.get('code')}: {printable(str(notice.get('message', '')))}")
    _show_answer(found)
    if found.left:
        _heading("said, and not remembered")
        for left in found.left:
            click.echo(f"{one_line(left.text)}\n  {dim(left.why)}")
        click.echo(dim('keep one all the same: palyra memory retain "…"'), err=True)


def _heading(text: str) -> None:
    click.echo(f"\n{styled(text, bold=True)}")


def _show_prompt(report: dict[str, Any], number: str) -> None:
    window = int(report.get("window_tokens", 0))
    budget = window - int(report.get("max_output_tokens", 0)) - int(report.get("margin_tokens", 0))
    used = int(report.get("used_tokens", 0))
    share = f" ({used * 100 // budget}%)" if budget > 0 else ""
    _heading(f"prompt{number} for {one_line(str(report.get('model', '')))}: {used:,} of {budget:,} tokens{share}")
    rows = [("part", "tokens", "pieces", "left out")]
    for part in report.get("parts", ()):
        row = (part.get("kind", ""), f"{part.get('tokens', 0):,}", str(part.get("units", 0)), _left_out(part))
        rows.append(tuple(map(one_line, row)))  # type: ignore[arg-type]
    write_table(rows, width=terminal_width())
    if report.get("degraded"):
        click.echo(f"without {', '.join(map(str, report['degraded']))}, which failed")


_WHY = {
    "budget": "no room",
    "limit": "enough of them",
    "weak": "beside the point",
    "repeats": "said already",
    "echo": "the question itself",
    "disabled": "turned off",
    "unsupported": "not taken by the model",
    "quarantined": "in quarantine",
    "not_found": "not found",
}


def why_left_out(one: dict[str, Any]) -> str:
    why = str(one.get("why"))
    return _WHY.get(why, why)


def _left_out(part: dict[str, Any]) -> str:
    counted: Counter[str] = Counter()
    for one in part.get("left_out", ()):
        counted[why_left_out(one)] += int(one.get("count", 1))
    return ", ".join(f"{count} {why}" for why, count in counted.items())


def _show_memories(client: "ChatClient", injections: list[dict[str, Any]], place: dict[str, Any]) -> None:
    memories = [one for injection in injections for one in injection.get("memories", ())]
    if not memories:
        return
    _heading("memories")
    rows = [("", "score", "trust", "text")]
    for one in memories:
        text = memory_text(client, str(one.get("memory_id", "")), place)
        score = float(one.get("score", 0))
        rows.append((f"[{one.get('citation')}]", f"{score:.2f}", str(one.get("trust", "")), one_line(text)))
    write_table(rows, width=terminal_width())
    for injection in injections:
        click.echo(dim(f"· receipt {injection.get('receipt_event_id')}: palyra journal show has every score"))


def _show_references(references: list[dict[str, Any]]) -> None:
    if not references:
        return
    _heading("references")
    rows = []
    for one in references:
        told = one.get("error") or ", ".join(map(str, one.get("warnings", ()))) or str(one.get("label", ""))
        name = short(reference_name(one), 48)
        rows.append((name, f"{one.get('tokens', 0):,} tokens", str(one.get("trust", "")), one_line(told)))
    write_table(rows, width=terminal_width())


def _show_tools(tools: list[dict[str, Any]]) -> None:
    if not tools:
        return
    _heading("tools")
    for one in tools:
        if "arguments" in one:
            click.echo(f"{one_line(str(one.get('name')))} {short(str(one['arguments']), room(30))}")
        elif "decision" in one:
            reason = f" ({one_line(str(one['reason']))})" if one.get("reason") else ""
            told = str(one["decision"]).replace("_", " ")
            click.echo(f"  {told} by {one_line(str(one.get('by', '?')))}{reason}")
        else:
            failed = "failed: " if one.get("is_error") else ""
            click.echo(f"  {failed}{short(str(one.get('text', '')), room(4))}")


def _show_answer(found: "Explanation") -> None:
    run = found.run
    code = f", {run.error_code}" if run.error_code else ""
    cached = f" ({run.cached_tokens:,} cached)" if run.cached_tokens else ""
    _heading(f"answer: {run.state}{code}")
    lines = printable(found.answer.strip()).splitlines()
    click.echo("\n".join(lines[:_ANSWER_LINES]) if lines else dim("(none)"))
    if len(lines) > _ANSWER_LINES:
        click.echo(dim(f"· {len(lines) - _ANSWER_LINES} more lines: palyra session show {run.session_id}"))
    click.echo(dim(f"· {run.model or 'no model'}: {run.input_tokens:,} tokens in{cached}, {run.output_tokens:,} out"))
