"""`palyra memory …`: taking in, finding, and looking at what is remembered."""

import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from palyra.cli.command import Group, Invocation, command_options, terminal_width
from palyra.cli.found import show_hits, show_passages
from palyra.cli.ids import Id
from palyra.cli.moments import parse_duration_ms, parse_moment_ms
from palyra.cli.output import counted, moment, one_line, printable, styled, write_json, write_table

if TYPE_CHECKING:
    from palyra.wire.memory import Item, MemoryStatus, Recalled, Retained


@click.group(cls=Group)
def memory() -> None:
    """Remember things, find them again, correct and forget them."""


def scope_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Where the caller stands; handed on as `who`, ready for a request."""

    @click.option("--principal", help="Whose memory. Default: memory.default_principal, which is user:local.")
    @click.option("--channel", help="The channel the agent is talking in.")
    @click.option("--session", "session_id", help="The conversation.")
    @wraps(function)
    def run(*args: Any, principal: str | None, channel: str | None, session_id: str | None, **kwargs: Any) -> Any:
        return function(*args, who={"principal": principal, "channel": channel, "session_id": session_id}, **kwargs)

    return run


def filter_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Which items; handed on as `want`."""

    @click.option("--tag", "tags", multiple=True, help="Only items with this tag (repeat for several).")
    @click.option("--source", "sources", multiple=True, help="Only items from this source.")
    @click.option("--category", "categories", multiple=True, help="Only items of this category.")
    @click.option("--trust", "trusts", multiple=True, help="Only items of this trust: owner, agent, tool, web, import.")
    @click.option("--include-past", is_flag=True, help="Also superseded and expired items.")
    @wraps(function)
    def run(
        *args: Any, tags: Any, sources: Any, categories: Any, trusts: Any, include_past: bool, **kwargs: Any
    ) -> Any:
        want = {
            "tags": list(tags),
            "sources": list(sources),
            "categories": list(categories),
            "trusts": list(trusts),
            "include_past": include_past,
        }
        return function(*args, want=want, **kwargs)

    return run


@memory.command()
@click.argument("text")
@click.option("--source", default="manual", show_default=True, help="Where it comes from, such as tape:user_message.")
@click.option("--scope", type=click.Choice(["principal", "channel", "session"]), help="Default: the narrowest given.")
@click.option("--tag", "tags", multiple=True, help="A word to find it by (repeat for several).")
@click.option("--category", help="durable_fact, preference, procedure, constraint, decision, correction, transient.")
@click.option("--confidence", type=float, help="0 to 1.")
@click.option("--trust", help="owner, agent, tool, web or import: never more than the source has.")
@click.option("--speaker", default="", help="Who said it.")
@click.option("--thread", default="", help="The conversation it was said in.")
@click.option("--said-at", help="When it was said: 2026-05-03, 2026-05-03T14:30, or milliseconds.")
@click.option("--ttl", help="How long to keep it: 30d, 12h, 45m.")
@click.option("--pin", is_flag=True, help="Never evict it.")
@click.option("--request-id", help="The same id again gives the first answer.")
@scope_options
@command_options
def retain(
    call: Invocation, text: str, who: dict[str, Any], said_at: str | None, ttl: str | None, pin: bool, **given: Any
) -> None:
    """Remember TEXT (- reads standard input)."""
    from palyra.api import memory as api
    from palyra.wire.memory import Retain

    given["tags"] = list(given["tags"])
    request = Retain(
        text=sys.stdin.read() if text == "-" else text,
        said_at_ms=None if said_at is None else parse_moment_ms(said_at),
        ttl_ms=None if ttl is None else parse_duration_ms(ttl),
        pinned=pin,
        **given,
        **who,
    )
    done = call.call(api.retain, request)
    call.answer(done, lambda: show_retained(done))


@memory.command()
@click.argument("query")
@click.option("--top-k", type=int, default=8, show_default=True, help="At most this many hits (up to 64).")
@click.option("--min-score", type=float, default=0.0, show_default=True, help="Leave out hits below it (0 to 1).")
@click.option("--as-of", help="What was known then: a date, a moment, or a journal seq as seq:123.")
@click.option(
    "--profile",
    default="memory",
    show_default=True,
    help="What to search: memory, transcript, workspace, checkpoint or compaction.",
)
@click.option("--show-metadata", is_flag=True, help="Also show where each hit comes from.")
@click.option("--include-score-breakdown", is_flag=True, help="Show what makes up each score.")
@filter_options
@scope_options
@command_options
def search(
    call: Invocation, query: str, want: dict[str, Any], who: dict[str, Any], as_of: str | None, show_metadata: bool,
    include_score_breakdown: bool, **given: Any,
) -> None:  # fmt: skip
    """Find memories by words and by meaning; with another profile what was said, documents, checkpoints or summaries.

    "Quoted words" must stand together; begin* matches words that begin so.
    """
    from palyra.api import memory as api
    from palyra.wire.memory import Search

    request = Search(
        query=query, include_score_breakdown=include_score_breakdown, **_as_of(as_of), **given, **want, **who
    )
    found = call.call(api.search_, request)
    show = show_hits if request.profile == "memory" else show_passages
    call.answer(found, lambda: show(found, metadata=show_metadata))


@memory.command()
@click.argument("query")
@click.option("--top-k", type=int, default=16, show_default=True, help="How many hits to choose from.")
@click.option("--min-score", type=float, help="Nothing below this score. Default: memory.auto_inject_min_score.")
@click.option("--max-items", type=int, help="At most this many memories. Default: memory.auto_inject_max_items.")
@click.option("--budget-tokens", type=int, default=2048, show_default=True, help="For the whole block.")
@click.option("--max-item-tokens", type=int, default=512, show_default=True, help="For one memory.")
@click.option("--as-of", help="What was known then: a date, a moment, or a journal seq as seq:123.")
@filter_options
@scope_options
@command_options
def recall(
    call: Invocation, query: str, want: dict[str, Any], who: dict[str, Any], as_of: str | None, **given: Any
) -> None:
    """Show exactly what an agent would be given, and leave a receipt in the journal."""
    from palyra.api import memory as api
    from palyra.wire.memory import Recall

    given = {key: value for key, value in given.items() if value is not None}
    done = call.call(api.recall, Recall(query=query, **_as_of(as_of), **given, **want, **who))
    call.answer(done, lambda: _show_recalled(done))


@memory.command()
@click.argument("memory_id", type=Id("memory"))
@scope_options
@command_options
def get(call: Invocation, memory_id: str, who: dict[str, Any]) -> None:
    """Show one memory with all that is known about it."""
    from palyra.api import memory as api
    from palyra.wire.memory import GetItem

    detail = call.call(api.get, GetItem(memory_id=memory_id, **who))

    def show() -> None:
        _show_item(detail.item)
        for link in detail.conflicts:
            click.echo(f"{'conflicts':<14} {link.memory_id}  ({', '.join(link.reasons)})")

    call.answer(detail, show)


@memory.command("list")
@click.option("--after", default="", help="Continue after this memory id.")
@click.option("--limit", type=int, default=50, show_default=True)
@click.option("--newest", is_flag=True, help="Newest first.")
@filter_options
@scope_options
@command_options
def list_(call: Invocation, after: str, limit: int, *, newest: bool, want: dict[str, Any], who: dict[str, Any]) -> None:
    """List what is remembered, oldest first."""
    from palyra.api import memory as api
    from palyra.wire.memory import ListItems

    page = call.call(api.list_, ListItems(after=after, limit=limit, newest_first=newest, **want, **who))

    def show() -> None:
        if not page.items:
            click.echo('nothing in sight here: palyra memory retain "…"')
        write_table([_row(item) for item in page.items], width=terminal_width())
        if page.next_after:
            newest_too = " --newest" if newest else ""
            click.echo(f"more: palyra memory list{newest_too} --after {page.next_after}")

    call.answer(page, show)


@memory.command()
@click.argument("memory_id", type=Id("memory"))
@scope_options
@command_options
def history(call: Invocation, memory_id: str, who: dict[str, Any]) -> None:
    """Show who changed a memory, when, and how."""
    from palyra.api import memory as api
    from palyra.wire.memory import GetItem

    found = call.call(api.history, GetItem(memory_id=memory_id, **who))

    def show() -> None:
        rows = []
        for event in found.events:
            body = {} if event.body is None else event.body
            told = body.get("text") or ", ".join(
                f"{key}={one_line(value)}" for key, value in body.items() if key not in ("memory_id", "likeness")
            )
            if body.get("text") and body.get("reason"):
                told += f"  ({body['reason']})"
            rows.append((str(event.seq), moment(event.at_ms), event.kind, event.actor, one_line(told)))
        write_table(rows, width=terminal_width())

    call.answer(found, show)


@memory.command()
@scope_options
@command_options
def status(call: Invocation, who: dict[str, Any]) -> None:
    """Show how much is remembered, against which limits, and how far the index is."""
    from palyra.api import memory as api
    from palyra.wire.memory import GetMemoryStatus

    found = call.call(api.status, GetMemoryStatus(**who))
    call.answer(found, lambda: _show_status(found))


@memory.command()
@click.option("--until-complete", is_flag=True, help="Go on until nothing is pending; it always does.")
@command_options
def index(call: Invocation, until_complete: bool) -> int:  # noqa: ARG001 - said by scripts and people alike
    """Give every memory its vector. Goes on where it was interrupted."""
    from palyra.api import memory as api
    from palyra.wire.memory import BuildIndex

    done = call.call(api.index, BuildIndex())

    def show() -> None:
        click.echo(f"{done.embedded} embedded with {done.model}; {done.done} of {done.total} done")
        if done.error is not None:
            click.echo(f"{styled('stopped:', 'yellow')} {done.error}", err=True)

    call.answer(done, show)
    return 6 if done.error is not None else 0


@memory.command("import")
@click.argument("file", type=click.Path())
@click.option("--vouch", is_flag=True, help="You have read the file: its memories need no review.")
@scope_options
@command_options
def import_(call: Invocation, file: str, vouch: bool, who: dict[str, Any]) -> None:
    """Read memories from a JSON Lines FILE. Without --vouch they wait for review."""
    from palyra.api import memory as api
    from palyra.wire.memory import ImportMemory

    done = call.call(api.import_, ImportMemory(path=str(Path(file).absolute()), vouch=vouch, **who))

    def show() -> None:
        told = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in sorted(done.outcomes.items()))
        click.echo(f"{counted(done.lines, 'line')}: {told}")
        if done.outcomes.get("held_for_review"):
            click.echo("review them: palyra memory candidates")

    call.answer(done, show)


@memory.command()
@click.argument("file", type=click.Path(), required=False)
@click.option("--include-past", is_flag=True, help="Also superseded and expired items.")
@scope_options
@command_options
def export(call: Invocation, file: str | None, include_past: bool, who: dict[str, Any]) -> None:
    """Write all memories as JSON Lines, to FILE or standard output."""
    import msgspec

    from palyra.api import memory as api
    from palyra.wire.memory import ExportMemory

    request = ExportMemory(include_past=include_past, **who)
    if file is None:
        call.follow(api.export, request, write_json)
        return
    count = 0
    path = Path(file)
    with _created(path) as out:

        def write(item: "Item") -> None:
            nonlocal count
            out.write(msgspec.json.encode(item) + b"\n")
            count += 1

        try:
            call.follow(api.export, request, write)
        except BaseException:
            path.unlink()  # half of an export looks like a whole one
            raise
    call.answer({"items": count, "path": str(path)}, lambda: click.echo(f"{counted(count, 'memory')} in {path}"))


def _created(path: Path) -> Any:
    from palyra.core.errors import AlreadyExists, InvalidArgument

    try:
        handle = path.open("xb")
    except FileExistsError:
        raise AlreadyExists(f"{path} exists already", hint="name a new file") from None
    except OSError as error:
        raise InvalidArgument(f"cannot write {path}: {error.strerror}", hint="check the path") from None
    path.chmod(0o600)
    return handle


def _as_of(text: str | None) -> dict[str, Any]:
    if text is None:
        return {}
    if text.startswith("seq:") and text[4:].isdigit():
        return {"as_of_seq": int(text[4:])}
    if text.startswith("seq:"):
        from palyra.core.errors import InvalidArgument

        raise InvalidArgument(f"{text!r} is no journal seq", hint="write seq:123")
    return {"as_of_ms": parse_moment_ms(text)}


def show_retained(done: "Retained") -> None:
    why = f"  ({', '.join(done.reasons)})" if done.reasons else ""
    match done.outcome:
        case "stored":
            click.echo(f"stored {done.memory_id}")
        case "merged":
            click.echo(f"merged into {done.memory_id}{why}")
        case "held_for_review":
            click.echo(f"held for review as {done.candidate_id}{why}")
            click.echo(f"decide: palyra memory approve {done.candidate_id}, or reject")
        case "conflict_found":
            click.echo(f"stored {done.memory_id}{why}")
            for other in done.superseded:
                click.echo(f"  supersedes {other}")
            for other in done.conflicts_with:
                if other not in done.superseded:
                    click.echo(f"  contradicts {other}; palyra memory supersede {other} {done.memory_id} settles it")
        case _:
            click.echo(f"not stored{why}")
    click.echo(f"seq {done.seq}  hash {done.hash[:16]}…")


def _show_recalled(done: "Recalled") -> None:
    if not done.block:
        click.echo("nothing to recall")
    else:
        click.echo(printable(done.block), nl=False)
    lacking = f"  without {', '.join(done.degraded)}" if done.degraded else ""
    count = len(done.memories)
    click.echo(f"{counted(done.tokens, 'token')}, {counted(count, 'memory')}, {len(done.dropped)} left out{lacking}")
    if done.receipt:
        click.echo(f"receipt {done.receipt} (seq {done.seq})")


def _row(item: "Item") -> tuple[str, ...]:
    return item.memory_id, moment(item.created_at_ms)[:10], item.category, item.scope, one_line(item.text)


def _show_item(item: "Item") -> None:
    for name in ("memory_id", "principal", "channel", "session_id", "source", "category", "sensitivity", "trust"):
        value = getattr(item, name)
        if value is not None:
            click.echo(f"{name:<14} {printable(value)}")
    if item.sensitive:
        click.echo(f"{'sensitive':<14} {', '.join(item.sensitive)}")
    click.echo(f"{'confidence':<14} {item.confidence:.2f}")
    for name in ("speaker", "thread", "supersedes", "superseded_by", "closed_why"):
        if getattr(item, name):
            click.echo(f"{name:<14} {printable(getattr(item, name))}")
    if item.tags:
        click.echo(f"{'tags':<14} {printable(', '.join(item.tags))}")
    if item.pinned:
        click.echo(f"{'pinned':<14} yes")
    for name in ("said_at_ms", "valid_to_ms", "expires_at_ms", "created_at_ms", "updated_at_ms", "closed_at_ms"):
        if getattr(item, name) is not None:
            click.echo(f"{name.removesuffix('_ms'):<14} {moment(getattr(item, name))} UTC")
    click.echo(f"{'recalled':<14} {counted(item.recall_count, 'time')}")
    click.echo(printable(item.text))


def _show_status(found: "MemoryStatus") -> None:
    limit = f" of {found.max_entries}" if found.max_entries else ""
    size = f" of {found.max_bytes}" if found.max_bytes else ""
    told = f"{found.items}{limit} memories" if limit else counted(found.items, "memory")
    click.echo(f"{found.principal}: {told}, {found.bytes}{size} bytes")
    for title, rows in (("scope", found.by_scope), ("source", found.by_source), ("category", found.by_category)):
        told = ", ".join(f"{row.name} {row.items}" for row in rows)
        click.echo(f"{title:<12} {told or 'none'}")
    learned = f", {found.learned_waiting} learned to decide about" if found.learned_waiting else ""
    click.echo(f"{'review':<12} {found.waiting_for_review} waiting{learned}")
    click.echo(f"{'vectors':<12} {found.vectors} with {found.embedding_model}, {found.vectors_pending} pending")
    if found.serving_model != found.embedding_model:
        click.echo(f"{'':<12} searches still use {found.serving_model}")
    if found.embedding_error:
        click.echo(f"{styled('embedding'.ljust(12), 'yellow')} {found.embedding_error}")
    last = found.last_maintenance
    told = "never" if last is None else f"{moment(last.at_ms)} UTC, {last.expired} expired, {last.evicted} evicted"
    click.echo(f"{'maintenance':<12} {told}")


from palyra.cli.external import external  # noqa: E402 - a group of its own

memory.add_command(external)

from palyra.cli.commands import memory_changes  # noqa: E402, F401 - adds the commands that change and forget
