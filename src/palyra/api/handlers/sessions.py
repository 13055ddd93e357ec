"""What the operations on sessions do."""

import msgspec

from palyra.api import chat as api
from palyra.api.call import Call, actor_of, seer
from palyra.api.handlers.binding import bind
from palyra.api.handlers.journal import to_erasures
from palyra.api.repeats import request_key
from palyra.core import limits
from palyra.core.errors import InvalidArgument
from palyra.domain.access import Capability
from palyra.domain.chat.session import Run, TapeRecord, TapeType
from palyra.domain.chat.transcript import messages
from palyra.domain.chat.transcript_files import to_json, to_markdown
from palyra.domain.retrieval.query import RetrievalSourceProfileKind
from palyra.language.statements import Role
from palyra.services.continuity.withdrawing import withdraw
from palyra.services.learning.looking import left_on_tape
from palyra.services.memory.sources.searching import check_limit, search_passages
from palyra.services.sessions import lifecycle, transcripts
from palyra.services.sessions.handing import FinishedTurn, hand_over
from palyra.services.sessions.lifecycle import question_of
from palyra.wire import chat as wire
from palyra.wire.from_domain.sessions import shown, to_entry, to_run, to_session
from palyra.wire.from_domain.turns import to_left, to_statement
from palyra.wire.journal import Erasures

_EXPORTED = 1_000
"""entries read at a time"""


async def _create(call: Call, request: wire.CreateSession) -> wire.SessionInfo:
    standing, actor = seer(call, request), actor_of(call, None)
    key = request_key(api.create, request, standing, actor)
    return to_session(await lifecycle.create(call.app.sessions, standing, actor, request.key, request.title, key))


async def _list(call: Call, request: wire.ListSessions) -> wire.SessionPage:
    found = await lifecycle.list_(
        call.app.sessions, seer(call, request), request.after_session_key, request.limit, archived=request.archived
    )
    more = len(found) == request.limit
    return wire.SessionPage(
        sessions=[to_session(session) for session in found], next_after_session_key=found[-1].key if more else None
    )


async def _get(call: Call, request: wire.NameSession) -> wire.Lineage:
    kin = await lifecycle.kin(call.app.sessions, request.session, seer(call, request))
    return wire.Lineage(
        session=to_session(kin.session),
        ancestors=[to_session(session) for session in kin.ancestors],
        branches=[to_session(session) for session in kin.branches],
        active_runs=[to_run(run) for run in kin.active],
    )


async def _rename(call: Call, request: wire.RenameSession) -> wire.SessionInfo:
    standing, actor = seer(call, request), actor_of(call, None)
    return to_session(await lifecycle.rename(call.app.sessions, request.session, standing, actor, request.title))


async def _reset(call: Call, request: wire.NameSession) -> wire.SessionInfo:
    standing, actor = seer(call, request), actor_of(call, None)
    return to_session(await lifecycle.reset(call.app.sessions, request.session, standing, actor))


async def _archive(call: Call, request: wire.ArchiveSession) -> wire.SessionInfo:
    standing, actor = seer(call, request), actor_of(call, None)
    done = await lifecycle.archive(call.app.sessions, request.session, standing, actor, archived=request.archived)
    return to_session(done)


async def _branch(call: Call, request: wire.BranchSession) -> wire.SessionInfo:
    standing, actor = seer(call, request), actor_of(call, None)
    made = await lifecycle.branch(
        call.app.sessions,
        request.session,
        standing,
        actor,
        request.run_id,
        request.key,
        request.title,
        request_key(api.branch, request, standing, actor),
    )
    return to_session(made)


async def _undo(call: Call, request: wire.NameSession) -> wire.Undone:
    standing, actor = seer(call, request), actor_of(call, None)
    run_id, asked = await lifecycle.undo(
        call.app.sessions, request.session, standing, actor, may_forget=call.caller.may(Capability.FORGET)
    )
    return wire.Undone(run_id=run_id, text=asked)


async def _add(call: Call, request: wire.AddTurns) -> wire.TurnsAdded:
    if not 0 <= request.wait_ms <= limits.WAIT_MS:
        raise InvalidArgument(
            f"wait_ms {request.wait_ms} is outside 0..{limits.WAIT_MS}", hint="0 answers at once, with what is pending"
        )
    standing, actor = seer(call, request), actor_of(call, request.actor)
    turns = [
        FinishedTurn(_role(turn.role, number), turn.text, turn.said_at_ms, turn.speaker, turn.turn_id)
        for number, turn in enumerate(request.turns)
    ]
    done = await hand_over(call.app.sessions, request.session, turns, standing, actor)
    to_read = done.run_ids if call.app.sessions.reflects else ()
    read = await call.app.turns.wait(to_read, request.wait_ms / 1_000) if to_read else {}
    places = {event_id: number for number, event_id in enumerate(done.events) if event_id is not None}
    found = [one for run_id in to_read if run_id in read for one in read[run_id].found]
    return wire.TurnsAdded(
        session_id=done.session_id,
        session_key=done.key,
        added=len(places),
        repeated=len(turns) - len(places),
        pending=len(to_read) - len(read),
        written=[to_statement(one, places) for one in found if not one.waits and not one.is_left],
        waiting=[to_statement(one, places) for one in found if one.waits],
        left=[to_left(one, places) for one in found if one.is_left],
    )


def _role(name: str, number: int) -> Role:
    try:
        return Role(name)
    except ValueError:
        raise InvalidArgument(
            f"turns[{number}] has the unknown role {name[:64]!r}", hint=f"use one of {', '.join(Role)}"
        ) from None


async def _transcript(call: Call, request: wire.GetTranscript) -> wire.Transcript:
    page = await transcripts.read_page(
        call.app.sessions,
        request.session,
        seer(call, request),
        request.after_seq,
        request.limit,
        everything=request.everything,
        before_seq=request.before_seq,
        newest=request.newest,
    )
    return wire.Transcript(
        session=to_session(page.session),
        runs=[to_run(run) for run in page.runs],
        entries=[to_entry(record) for record in page.entries],
        next_after_seq=page.entries[-1].seq if page.more and not request.newest else None,
        next_before_seq=page.entries[0].seq if page.more and request.newest else None,
    )


async def _export(call: Call, request: wire.ExportSession) -> wire.SessionExport:
    if request.format not in ("json", "markdown"):
        raise InvalidArgument(f"unknown format {request.format[:64]!r}", hint="use json or markdown")
    standing, after_seq = seer(call, request), 0
    entries: list[TapeRecord] = []
    runs: dict[str, Run] = {}
    while True:
        page = await transcripts.read_page(call.app.sessions, request.session, standing, after_seq, _EXPORTED)
        entries += page.entries
        runs |= {run.run_id: run for run in page.runs}
        if not page.more:
            break
        after_seq = page.entries[-1].seq
    said = messages(entries)
    if request.format == "markdown":
        return wire.SessionExport(format="markdown", content=to_markdown(page.session, said))
    whole = msgspec.json.encode(to_json(page.session, tuple(runs.values()), said))
    return wire.SessionExport(format="json", content=msgspec.json.format(whole, indent=2).decode())


async def _search(call: Call, request: wire.SearchSessions) -> wire.TranscriptHits:
    """By words alone: whoever looks for what was meant asks memory, with the profile transcript."""
    check_limit(request.limit)
    kind = RetrievalSourceProfileKind.TRANSCRIPT
    found = await search_passages(call.app.memory, kind, request.query, seer(call, request), limits.TOP_K)
    hits = [hit for hit in found.hits if hit.parts["lexical"] > 0][: request.limit]
    return wire.TranscriptHits(
        hits=[
            wire.TranscriptHit(
                session_id=hit.passage.place.session_id,
                session_key=hit.passage.place.session_key,
                session_title=hit.passage.place.session_title,
                run_id=hit.passage.place.run_id or None,
                seq=hit.passage.place.seq,
                type=hit.passage.place.type,
                trust=hit.passage.trust.label,
                snippet=hit.snippet,
                at_ms=hit.passage.said_at_ms,
                score=round(hit.score, 4),
            )
            for hit in hits
        ]
    )


async def _pin(call: Call, request: wire.PinEntry) -> wire.TapeEntry:
    standing, actor = seer(call, request), actor_of(call, None)
    done = await lifecycle.pin(
        call.app.sessions, request.session, request.event_id, standing, actor, pinned=request.pinned
    )
    return to_entry(done)


async def _erase(call: Call, request: wire.EraseSession) -> Erasures:
    standing, actor = seer(call, request), actor_of(call, None)
    withdrawn = await withdraw(call.app.continuity, request.session, request.run_ids, standing, actor)
    report = await transcripts.erase(
        call.app.sessions,
        request.session,
        request.run_ids,
        request.reason,
        standing,
        actor,
        lambda tx: withdrawn.events(tx, standing.principal),
    )
    call.app.forget(standing.principal)
    done = to_erasures(report)
    done.untouched_copies += withdrawn.still_holding
    return done


async def _run(call: Call, request: wire.NameRun) -> wire.RunInfo:
    run, _ = await transcripts.read_run(call.app.sessions, request.run_id, seer(call, request))
    return to_run(run)


async def _explain(call: Call, request: wire.NameRun) -> wire.Explanation:
    run, records = await transcripts.read_run(call.app.sessions, request.run_id, seer(call, request))

    def of(*kinds: TapeType) -> list[dict[str, object]]:
        return [found for record in records if record.type in kinds and (found := shown(record)) is not None]

    answers = [message.text for message in messages(records) if message.kind.value == "assistant"]
    left = await left_on_tape(call.app.store, run)
    return wire.Explanation(
        run=to_run(run),
        question=question_of(records),
        answer="\n\n".join(answers),
        reports=of(TapeType.PROMPT_REPORT),
        injections=of(TapeType.INJECTION),
        references=of(TapeType.REFERENCE),
        tools=of(TapeType.TOOL_PROPOSAL, TapeType.TOOL_DECISION, TapeType.TOOL_RESULT),
        notices=of(TapeType.NOTICE),
        left=[to_left(one, {}) for one in left],
    )


HANDLERS = (
    bind(api.create, _create),
    bind(api.list_, _list),
    bind(api.get, _get),
    bind(api.rename, _rename),
    bind(api.reset, _reset),
    bind(api.archive, _archive),
    bind(api.branch, _branch),
    bind(api.undo, _undo),
    bind(api.add_turns, _add),
    bind(api.transcript, _transcript),
    bind(api.export, _export),
    bind(api.search, _search),
    bind(api.pin, _pin),
    bind(api.erase, _erase),
    bind(api.run, _run),
    bind(api.explain, _explain),
)
