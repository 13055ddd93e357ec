"""`palyra review …`: one list of all that waits for a person, held or learned, and one set of commands for it."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from palyra.cli.chat.options import place_options
from palyra.cli.command import Group, Invocation, command_options
from palyra.cli.ids import Id
from palyra.cli.learning.words import KINDS, STATES, told_because
from palyra.cli.output import moment, one_line, styled

if TYPE_CHECKING:
    from palyra.wire.learning import LearnedCandidate
    from palyra.wire.memory import HeldCandidate

Row = dict[str, Any]
_HELD = {
    "waiting": ("needs_review",),
    "approved": ("approved",),
    "rejected": ("rejected",),
    "all": ("needs_review", "approved", "rejected"),
}
_LEARNED = {"waiting": ("waiting",), "approved": ("applied", "auto_applied"), "rejected": ("rejected", "rolled_back")}
_PAGE = 500


@click.group(cls=Group)
def review() -> None:
    """Decide about what waits for you, and take a decision back."""


@review.command("list")
@click.option("--state", type=click.Choice(list(_HELD)), default="waiting", show_default=True, help="Which of them.")
@click.option("--after-seq", type=int, default=0, help="Continue after this journal seq.")
@click.option("--limit", type=click.IntRange(1, _PAGE), default=_PAGE, show_default=True, help="Rows per page.")
@place_options
@command_options
def list_(call: Invocation, state: str, after_seq: int, limit: int, who: dict[str, Any]) -> None:
    """List what waits, in the order it came, with the reason and where it was said."""
    from palyra.api import learning
    from palyra.wire.learning import ListLearned

    wanted = _LEARNED.get(state, ("all",))
    page = call.call(
        learning.list_, ListLearned(states=wanted, with_evidence=True, after_seq=after_seq, limit=limit, **who)
    )
    rows = [_of_learned(one) for one in page.candidates]
    for name in _HELD[state]:
        rows += [_of_held(one) for one in _held(call, name, after_seq, limit, who)]
    rows.sort(key=lambda row: row["seq"])
    waiting = page.counts.get("needs_review", 0) + page.counts.get("conflicted", 0) + page.held_texts
    more = rows[limit - 1]["seq"] if len(rows) >= limit else None
    answer = {"proposals": rows[:limit], "next_after_seq": more, "waiting": waiting}

    def show() -> None:
        if not rows:
            click.echo("nothing waits for you" if state == "waiting" else "nothing is here")
        for row in rows[:limit]:
            _show(row)
        if more is not None:
            click.echo(f"{waiting} wait in all; more: palyra review list --after-seq {more}", err=True)
        if rows and state == "waiting":
            click.echo("decide: palyra review approve ID, or reject ID", err=True)

    call.answer(answer, show)


@review.command()
@click.argument("proposal_id", type=Id("learned", "candidate"))
@place_options
@command_options
def show(call: Invocation, proposal_id: str, who: dict[str, Any]) -> None:
    """Show one with the words it was made of."""
    from palyra.cli.learning.words import show_detail

    learned = _learned(call, proposal_id, who)
    if learned is not None:
        call.answer(learned, lambda: show_detail(learned))
        return
    row = _of_held(_held_by_id(call, proposal_id, who))
    call.answer(row, lambda: _show(row))


@review.command()
@click.argument("proposal_ids", nargs=-1, required=True, metavar="PROPOSAL_ID...", type=Id("learned", "candidate"))
@click.option("--text", help="In these words instead; for one of them.")
@click.option("--reason", default="", help="Kept in its history.")
@place_options
@command_options
def approve(
    call: Invocation, proposal_ids: tuple[str, ...], text: str | None, reason: str, who: dict[str, Any]
) -> None:
    """Let them hold: they become memory."""
    from palyra.core.errors import InvalidArgument

    if text is not None and len(proposal_ids) > 1:
        raise InvalidArgument("many proposals cannot have one text", hint="reword them one by one")
    _decide(call, proposal_ids, who, "approve", reason, text)


@review.command()
@click.argument("proposal_ids", nargs=-1, required=True, metavar="PROPOSAL_ID...", type=Id("learned", "candidate"))
@click.option("--reason", default="", help="Kept in its history.")
@place_options
@command_options
def reject(call: Invocation, proposal_ids: tuple[str, ...], reason: str, who: dict[str, Any]) -> None:
    """Keep them out of memory. The same is not proposed again; what was said stays on the tape."""
    _decide(call, proposal_ids, who, "reject", reason)


@review.command()
@click.argument("proposal_ids", nargs=-1, required=True, metavar="PROPOSAL_ID...", type=Id("learned", "candidate"))
@click.option("--reason", default="", help="Kept in its history.")
@place_options
@command_options
def undo(call: Invocation, proposal_ids: tuple[str, ...], reason: str, who: dict[str, Any]) -> None:
    """Take a decision back: they wait again, and what they became is forgotten."""
    from palyra.api import learning, memory
    from palyra.wire.learning import DecideLearned, RollBackLearned
    from palyra.wire.memory import ReopenCandidate

    done: list[Row] = []
    for proposal_id in proposal_ids:
        found = _learned(call, proposal_id, who)
        if found is None:
            request = ReopenCandidate(candidate_id=proposal_id, reason=reason, **who)
            done.append(_of_held(call.call(memory.reopen, request)))
            continue
        id_ = found.candidate.candidate_id
        if found.candidate.state in ("applied", "auto_applied"):
            call.call(learning.roll_back, RollBackLearned(candidate_id=id_, reason=reason, **who))
        again = DecideLearned(candidate_id=id_, decision="reopen", reason=reason, **who)
        done.append(_of_learned(call.call(learning.decide, again)))
    _answer(call, done)


def _decide(
    call: Invocation, ids: Sequence[str], who: dict[str, Any], decision: str, reason: str, text: str | None = None
) -> None:
    """One after the other; the first that cannot be decided ends it, and says so."""
    from palyra.api import learning, memory
    from palyra.wire.learning import DecideLearned
    from palyra.wire.memory import DecideCandidate

    done: list[Row] = []
    for proposal_id in ids:
        found = _learned(call, proposal_id, who)
        if found is not None:
            asked = DecideLearned(
                candidate_id=found.candidate.candidate_id, decision=decision, text=text, reason=reason, **who
            )
            done.append(_of_learned(call.call(learning.decide, asked)))
            continue
        held = _held_by_id(call, proposal_id, who)
        request = DecideCandidate(
            candidate_id=held.candidate_id, approve=decision == "approve", text=text, reason=reason, **who
        )
        became = call.call(memory.decide, request)
        state = "approved" if decision == "approve" else "rejected"
        done.append(_of_held(held) | {"state": state, "memory_id": became.memory_id, "text": text or held.text})
    _answer(call, done)


def _answer(call: Invocation, rows: list[Row]) -> None:
    def show() -> None:
        for row in rows:
            became = f"  (memory {row['memory_id']})" if row["memory_id"] else ""
            click.echo(f"{STATES.get(row['state'], row['state'])}  {row['id']}{became}  {one_line(row['text'])}")

    call.answer({"proposals": rows}, show)


# -- the two places they wait in


def _learned(call: Invocation, proposal_id: str, who: dict[str, Any]) -> Any:
    """None: it is not one that was learned."""
    from palyra.api import learning
    from palyra.core.errors import NotFound
    from palyra.wire.learning import GetLearned

    try:
        return call.call(learning.get, GetLearned(candidate_id=proposal_id, **who))
    except NotFound:
        return None


def _held(call: Invocation, state: str, after_seq: int, limit: int, who: dict[str, Any]) -> "list[HeldCandidate]":
    from palyra.api import memory
    from palyra.wire.memory import ListCandidates

    return call.call(memory.candidates, ListCandidates(state=state, after_seq=after_seq, limit=limit, **who)).candidates


def _held_by_id(call: Invocation, proposal_id: str, who: dict[str, Any]) -> "HeldCandidate":
    """By its id, or by a beginning of it that no other shares."""
    from palyra.core.errors import InvalidArgument, NotFound

    wanted = proposal_id.upper()
    found = [
        one for state in _HELD["all"] for one in _all_held(call, state, who) if one.candidate_id.startswith(wanted)
    ]
    if not found:
        raise NotFound(f"no proposal {proposal_id[:64]!r}", hint="palyra review list --state all")
    if len(found) > 1:
        raise InvalidArgument(f"several proposals begin with {wanted}", hint="write more of it")
    return found[0]


def _all_held(call: Invocation, state: str, who: dict[str, Any]) -> "Iterator[HeldCandidate]":
    after = 0
    while page := _held(call, state, after, _PAGE, who):
        yield from page
        after = page[-1].seq


def _of_held(one: "HeldCandidate") -> Row:
    return {
        "id": one.candidate_id,
        "seq": one.seq,
        "kind": one.category,
        "text": one.text,
        "state": one.state,
        "confidence": one.confidence,
        "trust": one.trust,
        "because": one.because,
        "why": told_because(one.because),
        "risks": one.risks,
        "provenance": one.provenance,
        "at_ms": one.held_at_ms,
        "memory_id": one.memory_id,
        "queue": "held",
    }


def _of_learned(one: "LearnedCandidate") -> Row:
    return {
        "id": one.candidate_id,
        "seq": one.seq,
        "kind": one.kind,
        "text": one.text,
        "state": one.state,
        "confidence": one.confidence,
        "trust": one.trust,
        "because": one.because,
        "why": told_because(one.because),
        "risks": one.risks,
        "provenance": [quote.event_id for quote in one.evidence],
        "at_ms": one.proposed_at_ms,
        "memory_id": one.memory_id,
        "queue": "learned",
    }


def _show(row: Row) -> None:
    state = "" if row["state"] in ("needs_review", "conflicted") else STATES.get(row["state"], row["state"])
    kind = KINDS.get(row["kind"], row["kind"])
    head = [row["id"], kind, f"{row['confidence']:.0%} sure", *([styled(state, bold=True)] if state else [])]
    click.echo("  ".join(head))
    click.echo(f"  {one_line(row['text'])}")
    if row["why"]:
        click.echo(f"  {'waits:':<12} {row['why']}")
    click.echo(f"  {'said by:':<12} {row['trust']}, {moment(row['at_ms'])} UTC")
