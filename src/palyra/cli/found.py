"""What a search has found, for a person."""

from typing import TYPE_CHECKING

import click

from palyra.cli.command import terminal_width
from palyra.cli.output import breakdown, counted, moment, one_line, printable, write_table

if TYPE_CHECKING:
    from palyra.wire.memory import SearchHits


def show_hits(found: "SearchHits", *, metadata: bool) -> None:
    lacking = f"  (without {', '.join(found.degraded)})" if found.degraded else ""
    click.echo(f"{counted(len(found.hits), 'hit')}{lacking}")
    rows = [
        (hit.item.memory_id, f"{hit.score:.2f}", hit.item.category, hit.item.scope, one_line(hit.snippet))
        for hit in found.hits
    ]
    if not metadata and not any(hit.breakdown for hit in found.hits):
        write_table(rows, width=terminal_width())
        return
    for row, hit in zip(rows, found.hits, strict=True):
        click.echo(printable("  ".join(row)))
        item = hit.item
        if metadata:
            who = f"  speaker {item.speaker}" if item.speaker else ""
            tags = f"  tags {', '.join(item.tags)}" if item.tags else ""
            past = f"  superseded by {item.superseded_by}" if item.superseded_by else ""
            told = f"said {moment(item.said_at_ms)}  source {item.source}  trust {item.trust}{who}{tags}{past}"
            click.echo(printable(f"    {told}  confidence {item.confidence:.2f}"))
        if hit.breakdown:
            click.echo(f"    {breakdown(hit.breakdown)}")


def show_passages(found: "SearchHits", *, metadata: bool) -> None:
    lacking = f"  (without {', '.join(found.degraded)})" if found.degraded else ""
    click.echo(f"{counted(len(found.passages), 'hit')}{lacking}")
    rows = [
        (str(hit.where), f"{hit.score:.2f}", moment(hit.said_at_ms)[:10], hit.speaker, one_line(hit.snippet))
        for hit in found.passages
    ]
    if not metadata and not any(hit.breakdown for hit in found.passages):
        write_table(rows, width=terminal_width())
        return
    for row, hit in zip(rows, found.passages, strict=True):
        click.echo(printable("  ".join(row)))
        if metadata:
            where = hit.where
            ids = (where.session_id, where.run_id, where.checkpoint_id, where.compaction_id)
            told = "  ".join(part for part in (where.heading, where.type, where.risk, *ids) if part)
            click.echo(printable(f"    event {where.event_id}  trust {hit.trust}  {told}"))
        if hit.breakdown:
            click.echo(f"    {breakdown(hit.breakdown)}")
