"""What the proxy keeps between requests, and what it does with memory for one of them."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from palyra.api.call import Call, Caller, keep_from_sample, seer
from palyra.app import App
from palyra.core.errors import InvalidArgument, NotFound, PalyraError, PermissionDenied
from palyra.core.hashing import sha256
from palyra.core.redact import redact_text
from palyra.domain.access import Capability
from palyra.domain.chat.continuity_events import MAIN
from palyra.domain.journal import check_identifier
from palyra.domain.scope import Visibility
from palyra.jobs.spec import JobBudget, JobParts, JobReport, JobSpec, every
from palyra.services.chat.exchanges import ConversationKey
from palyra.services.prompt.standing import standing_part
from palyra.services.proxy.asked import LastSaid, ProxyRequest
from palyra.services.proxy.heard import AnswerListener
from palyra.services.proxy.recalling import ProxyRecall, Recalls
from palyra.services.proxy.recording import RecordedTurn, Recorder, Recording
from palyra.services.sessions import lifecycle
from palyra.services.workspace.prompting import prompt_documents
from palyra.transports.http.headers import header
from palyra.transports.http.proxy.upstream import Header, PassThrough
from palyra.transports.http.site import Site, Visit

log = logging.getLogger("palyra.proxy")

_MEMORY, _SESSION = "x-palyra-memory", "x-palyra-session"
_WISHES = ("on", "read", "off")
_MINUTE = 60
_BEGUN_CHARS = 12


@dataclass(slots=True)
class _Unscoped:
    """Where the caller stands is said by its headers alone."""

    principal: str | None = None
    channel: str | None = None


@dataclass(frozen=True, slots=True)
class RememberedExchange:
    """What memory gave to a request, and how its answer is recorded."""

    recalled: ProxyRecall
    recorder: Recorder
    recording: Recording | None
    standing: str = ""
    """what the owner wants in every answer, for what the model is told first"""

    @property
    def header(self) -> Header:
        said = [f"injected={len(self.recalled.chosen)}", f"recorded={'no' if self.recording is None else 'yes'}"]
        if self.recalled.degraded:
            said.append(f"degraded={','.join(self.recalled.degraded)}")
        return _MEMORY.encode(), "; ".join(said).encode()

    def when_ended(self, heard: AnswerListener) -> Callable[[PalyraError | None], Awaitable[None]]:
        """Records the end once: the first that is told. Nobody who is cancelled takes it along."""
        ending: asyncio.Future[None] | None = None

        async def ended(error: PalyraError | None) -> None:
            nonlocal ending
            if self.recording is not None:
                ending = ending or asyncio.ensure_future(self.recorder.end(self.recording, heard, error))
                await asyncio.shield(ending)

        return ended


class ProxyMemory:
    """One per site."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._recalls = Recalls()
        self._recorder = Recorder(app.exchanges)
        self._upstream: PassThrough | None = None
        app.jobs.add(
            JobSpec(
                "proxy", every(_MINUTE),
                budget_items=1, budget_seconds=30, lease_seconds=60 * _MINUTE, max_attempts=1,
                work=self._tidy, journaled=False,
            )
        )  # fmt: skip
        app.jobs.start("proxy")

    @property
    def upstream(self) -> PassThrough:
        """The settings name one."""
        if self._upstream is None:
            self._upstream = PassThrough(self._app.settings.models)
        return self._upstream

    async def remember(self, visit: Visit, request: ProxyRequest) -> RememberedExchange:
        """Recalls and begins to record, as far as the caller may and wants."""
        caller = admit(visit)
        wish, named, asked = _wish(visit), _session_named(visit), request.asked
        reads = wish != "off" and caller.may(Capability.READ) and self._app.settings.memory.auto_inject_enabled
        writes = wish == "on" and caller.may(Capability.WRITE)
        if asked is None or not (reads or writes):
            return RememberedExchange(ProxyRecall(), self._recorder, None)
        place = await self._stand(visit, caller)
        if writes:
            await keep_from_sample(self._app, place.principal)
        conversation = ConversationKey(named) if named else _unnamed(caller, asked)
        stands, recalled = "", ProxyRecall()
        if reads:
            stands = await self._standing(place, conversation)
            recalled = await self._recalls.of_turn(self._app.memory, asked, place)
        recording = None
        if writes:
            turn = RecordedTurn(place, caller.actor, conversation, asked, request.field("model", str, ""))
            recording = await self._recorder.begin(turn)
        return RememberedExchange(recalled, self._recorder, recording, stands)

    async def _standing(self, place: Visibility, conversation: ConversationKey) -> str:
        """Of the session as it was when it began. Never raises: without it a conversation still goes on."""
        since_ms, db = self._app.clock.now_ms(), self._app.store.db
        try:
            key = await db.read(lambda tx: conversation.key_at(tx, place, since_ms))
            with suppress(NotFound, PermissionDenied):
                since_ms = (await lifecycle.get(self._app.sessions, key, place)).created_at_ms
            readme = await db.read(lambda tx: prompt_documents(tx, Visibility(place.principal), MAIN))
            told = "".join(one.text for one in readme if one.has_authority)
            return await standing_part(self._app.memory, place, since_ms, told)
        except PalyraError as error:
            log.warning("a request goes on without what stands: %s", redact_text(error.message).text)
            return ""

    async def close(self) -> None:
        await self._recorder.close()
        if self._upstream is not None:
            await self._upstream.close()

    async def _tidy(self, _parts: JobParts, _budget: JobBudget) -> JobReport:
        await self._recalls.forget_old()
        await self._recorder.give_up_old()
        return JobReport()

    async def _stand(self, visit: Visit, caller: Caller) -> Visibility:
        place = seer(Call(self._app, caller), _Unscoped())
        if place.principal != caller.principal and not caller.may(Capability.OWN):
            await self._app.tokens.note_crossing(caller.name, place.principal, visit.seen.operation)
        return place


_DESKS: WeakKeyDictionary[Site, ProxyMemory] = WeakKeyDictionary()


def desk_of(site: Site) -> ProxyMemory:
    if (desk := _DESKS.get(site)) is None:
        desk = _DESKS[site] = ProxyMemory(site.app)
        site.exits.push_async_callback(desk.close)
    return desk


def admit(visit: Visit, needs: Capability | None = None) -> Caller:
    """Whoever may do anything with memory may have it passed on, with less or more of it."""
    caller = visit.caller
    assert caller is not None  # noqa: S101 - its door lets nobody in without one
    if needs is not None and not caller.may(needs):
        raise PermissionDenied(
            f"{caller.name} lacks the capability {needs.value!r}", hint=f"create a token with --can {needs.value}"
        )
    if not (caller.may(Capability.READ) or caller.may(Capability.WRITE)):
        raise PermissionDenied(
            f"{caller.name} has neither the capability 'read' nor 'write'",
            hint="create a token with --can read --can write",
        )
    return caller


def _wish(visit: Visit) -> str:
    wish = header(visit.http, _MEMORY) or "on"
    if wish not in _WISHES:
        raise InvalidArgument(f"{_MEMORY} is {wish[:64]!r}", hint=f"use {', '.join(_WISHES)}, or leave it out")
    return wish


def _session_named(visit: Visit) -> str | None:
    key = header(visit.http, _SESSION)
    return None if key is None else check_identifier(key, _SESSION)


def _unnamed(caller: Caller, asked: LastSaid) -> ConversationKey:
    """Known by who speaks and by its first words: one token has many conversations."""
    begun = sha256(asked.first.encode("utf-8", "replace")).hex()[:_BEGUN_CHARS]
    return ConversationKey(f"proxy:{caller.name}:{begun}", is_named=False)
