"""Reading what was said: page by page, all of it, or where some words are. And destroying it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from palyra.core.errors import InvalidArgument
from palyra.core.ids import RunId
from palyra.domain.chat.session import Run, Session, TapeRecord
from palyra.domain.journal import Actor
from palyra.domain.scope import Visibility
from palyra.services.erase import EraseReport, erase_events
from palyra.services.memory.lifecycle import events_with_text
from palyra.services.sessions.context import Sessions, find_run, find_session, origin_in, standing_in
from palyra.store.connection import ReadTx
from palyra.store.continuity.erasing import compactions_over
from palyra.store.learning.records import candidates_of_runs, events_of_candidates, reflections_of
from palyra.store.sessions.erasing import memories_made_from, texts_of_runs, texts_of_session
from palyra.store.sessions.records import all_runs, page_of, runs_named, tape_of

_PAGE = 1_000


@dataclass(frozen=True, slots=True)
class Page:
    session: Session
    runs: tuple[Run, ...]
    """those the entries belong to"""
    entries: tuple[TapeRecord, ...]
    more: bool


async def read_page(
    sessions: Sessions,
    name: str,
    caller: Visibility,
    after_seq: int,
    limit: int,
    *,
    everything: bool = False,
    before_seq: int | None = None,
    newest: bool = False,
) -> Page:
    """Entries of the conversation between the two, in their order: the first of them, or the newest. With
    `everything` also what was cut or undone."""
    if not 1 <= limit <= _PAGE:
        raise InvalidArgument(f"limit {limit} is outside 1..{_PAGE}", hint="ask for smaller pages")
    if not 0 <= after_seq < 1 << 62:
        raise InvalidArgument(f"after_seq {after_seq} is outside 0..2**62", hint="0 begins at the beginning")
    if before_seq is not None and not 0 < before_seq < 1 << 62:
        raise InvalidArgument(f"before_seq {before_seq} is outside 1..2**62", hint="leave it out for no bound")

    def read(tx: ReadTx) -> Page:
        session = find_session(tx, name, caller)
        entries = page_of(tx, session, after_seq, limit, before_seq, newest=newest, everything=everything)
        runs = runs_named(tx, {entry.run_id for entry in entries})
        return Page(session, tuple(runs), tuple(entries), len(entries) == limit)

    return await sessions.store.db.read(read)


async def read_run(sessions: Sessions, run_id: str, caller: Visibility) -> tuple[Run, list[TapeRecord]]:
    def read(tx: ReadTx) -> tuple[Run, list[TapeRecord]]:
        run = find_run(tx, run_id, caller)
        return run, tape_of(tx, [run.run_id])

    return await sessions.store.db.read(read)


def runs_to_erase(tx: ReadTx, session: Session, run_ids: Sequence[str], caller: Visibility) -> list[RunId]:
    """Those that were named, or all; one clear error if one is not of this session, or not over."""
    own = all_runs(tx, session.session_id)
    known = {run.run_id for run in own}
    for run_id in run_ids:
        if run_id not in known:
            find_run(tx, run_id, caller)
            raise InvalidArgument(
                f"run {run_id} is no part of session {session.key!r}", hint="palyra session show lists its runs"
            )
    wanted = [run.run_id for run in own if not run_ids or run.run_id in set(run_ids)]
    for run in own:
        if run.run_id in set(wanted) and not run.state.is_over:
            raise InvalidArgument(f"run {run.run_id} is {run.state.value}", hint="wait for it, or abort it")
    return wanted


async def erase(
    sessions: Sessions,
    name: str,
    run_ids: Sequence[str],
    reason: str,
    caller: Visibility,
    actor: Actor,
    also: Callable[[ReadTx], Sequence[str]] = lambda _tx: (),
) -> EraseReport:
    """Every text of these runs, or of the whole session with its title; what was made from it, too: memories,
    summaries, attachments."""
    session = await sessions.store.db.read(lambda tx: find_session(tx, name, caller))

    def find(tx: ReadTx) -> list[str]:
        wanted = runs_to_erase(tx, session, run_ids, caller)
        said = texts_of_runs(tx, wanted)
        if not run_ids or not session.titled_by_hand:  # a title we made is what was said first
            said += texts_of_session(tx, session, whole=not run_ids)
        standing = standing_in(session)
        made = memories_made_from(tx, said, session.principal)
        said += [*compactions_over(tx, wanted, session.principal), *also(tx)]
        learned = candidates_of_runs(tx, wanted, session.principal)
        said += events_of_candidates(tx, [one.candidate_id for one in learned])
        said += reflections_of(tx, wanted, session.principal)
        return said + [event_id for one in made for event_id in events_with_text(tx, one, standing)]

    return await erase_events(sessions.store, sessions.journal, find, reason, origin_in(session, actor))
