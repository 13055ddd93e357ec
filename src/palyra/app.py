"""The composition root: settings and a clock in, a working Palyra out."""

import asyncio
import hashlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from palyra.core.clock import Clock, SystemClock
from palyra.domain.access import Access
from palyra.domain.events import SAMPLE_PRINCIPAL
from palyra.jobs.runner import JobRunner
from palyra.jobs.table import JOBS
from palyra.services.console import Console
from palyra.services.journal import CheckpointPolicy, JournalService
from palyra.services.prompt import standing
from palyra.services.sessions.context import Sessions
from palyra.services.sessions.runs import recover
from palyra.services.tokens import Tokens
from palyra.settings import Settings, default_data_dir
from palyra.store.checkpoints import read_verifier_key
from palyra.store.datadir import DataDir, no_store
from palyra.store.journal_store import JournalStore, StoreOptions

if TYPE_CHECKING:
    from palyra.domain.learning.candidate import LearningPolicy
    from palyra.ports import ChatModel, ModelHealth
    from palyra.providers.extract.extractor import FileExtractor
    from palyra.services.chat.engine import ChatEngine
    from palyra.services.chat.exchanges import Exchanges
    from palyra.services.continuity.context import Continuity
    from palyra.services.continuity.planning import Compactor
    from palyra.services.continuity.previewing import PreviewedPlans
    from palyra.services.cron.context import Cron
    from palyra.services.external.runtime import ExternalRuntime
    from palyra.services.learning.context import Learning
    from palyra.services.learning.turns import TurnReader
    from palyra.services.memory.context import Memory
    from palyra.services.workspace.context import DocumentFiles, Workspace

_LAST_BATCH_SECONDS = 15.0
_MINUTE_MS = 60_000


class App:
    """Use as an async context manager."""

    def __init__(
        self,
        settings: Settings,
        clock: Clock,
        options: StoreOptions,
        access: Access,
        *,
        serving: bool = False,
        makes_store: bool = True,
    ) -> None:
        self.settings = settings
        self.clock = clock
        self.options = options
        self.directory = DataDir(settings.data_dir)
        if access is Access.OWN_OR_READ:
            access = Access.READ if self.directory.is_read_only else Access.OWN
        self._access = access
        self._makes_store = makes_store
        self.serving = serving
        """for as long as its process lives, not for one command"""
        self._store: JournalStore | None = None
        self._journal: JournalService | None = None
        self._tokens: Tokens | None = None
        self._console: Console | None = None
        self.jobs = JobRunner(JOBS, self)
        self.started_at_ms = clock.now_ms()
        self._memory: Memory | None = None
        self._following: asyncio.Task[None] | None = None
        self._external: ExternalRuntime | None = None
        self._mirroring: asyncio.Task[None] | None = None
        self._sessions: Sessions | None = None
        self._model: ChatModel | None = None
        self._chat: ChatEngine | None = None
        self._exchanges: Exchanges | None = None
        self._turns: TurnReader | None = None
        self._extractor: FileExtractor | None = None
        self._workspace: Workspace | None = None
        self._watching: asyncio.Task[None] | None = None
        self._cron: Cron | None = None
        self._plans: PreviewedPlans | None = None
        self.changing_demo = asyncio.Lock()
        """the sample is loaded or removed by one caller at a time"""
        self.compacted_in_vain: dict[str, int] = {}
        """by session, the prompt for which a compaction came to nothing"""

    @property
    def store(self) -> JournalStore:
        assert self._store is not None, "the app is not open"  # noqa: S101 - a mistake in our own wiring
        return self._store

    @property
    def journal(self) -> JournalService:
        assert self._journal is not None, "the app is not open"  # noqa: S101 - a mistake in our own wiring
        return self._journal

    @property
    def tokens(self) -> Tokens:
        assert self._tokens is not None, "the app is not open"  # noqa: S101 - a mistake in our own wiring
        return self._tokens

    @property
    def console(self) -> Console:
        assert self._console is not None, "the app is not open"  # noqa: S101 - a mistake in our own wiring
        return self._console

    @property
    def memory(self) -> "Memory":
        """Made when first asked for: whoever only reads the journal need not load an embedding model."""
        if self._memory is None:
            from palyra.memory_wiring import build_memory  # noqa: PLC0415 - numpy and the rest of search

            self._memory = build_memory(self.settings, self.store, self.journal, self.clock)
            if self.is_owner:
                if self.settings.memory.external.provider != "off":
                    self._mirror(self._memory)
                self._following = asyncio.get_running_loop().create_task(self._memory.follower.run())
        return self._memory

    def _mirror(self, memory: "Memory") -> None:
        from palyra.external_wiring import build_external  # noqa: PLC0415 - only for those who have an engine

        self._external = build_external(self.settings, memory)
        self._memory = replace(memory, external=self._external)
        self._mirroring = asyncio.get_running_loop().create_task(self._external.run())

    async def _left_elsewhere(self) -> tuple[str, ...]:
        _ = self.memory  # with its mirror
        return () if self._external is None else await self._external.still_held()

    @property
    def external(self) -> "ExternalRuntime | None":
        """The mirror in an engine elsewhere; None: there is none, or nobody may write here."""
        return self._external

    @property
    def sessions(self) -> Sessions:
        assert self._sessions is not None, "the app is not open"  # noqa: S101 - a mistake in our own wiring
        return self._sessions

    @property
    def model(self) -> "ChatModel":
        if self._model is None:
            from palyra.chat_wiring import make_model  # noqa: PLC0415 - with the rest of a chat

            self._model = make_model(self.settings, self.clock)
        return self._model

    @property
    def chat_model(self) -> str:
        """What is configured: whoever only asks how things stand need not load it."""
        models = self.settings.models
        return models.provider if models.provider == "offline" else f"{models.provider}/{models.model}"

    @property
    def model_health(self) -> "ModelHealth | None":
        """None: nobody has talked to it yet."""
        return None if self._model is None else self._model.health

    @property
    def chat(self) -> "ChatEngine":
        if self._chat is None:
            from palyra.chat_wiring import build_chat  # noqa: PLC0415 - only for those who talk

            self._chat = build_chat(self.settings, self.sessions, self.memory, self.workspace, self.model, self.clock)
        return self._chat

    @property
    def active_runs(self) -> int:
        """Turns that are going on in this process."""
        return 0 if self._chat is None else self._chat.active_runs

    @property
    def exchanges(self) -> "Exchanges":
        """Turns whose answer somebody else makes."""
        if self._exchanges is None:
            from palyra.services.chat.exchanges import Exchanges  # noqa: PLC0415 - only for those who talk

            self._exchanges = Exchanges(self.sessions)
        return self._exchanges

    @property
    def extractor(self) -> "FileExtractor":
        if self._extractor is None:
            from palyra.providers.extract.extractor import FileExtractor  # noqa: PLC0415 - only for files

            self._extractor = FileExtractor()
        return self._extractor

    @property
    def workspace(self) -> "Workspace":
        if self._workspace is None:
            from palyra.services.workspace.context import Workspace  # noqa: PLC0415 - only for documents

            settings = self.settings
            files = self._document_files if settings.workspace.sync_files and self.is_owner else None
            principal = settings.memory.default_principal
            self._workspace = Workspace(self.store, self.journal, self.clock, principal, files, self.is_owner)
        return self._workspace

    def workspace_folder(self, principal: str) -> Path | None:
        """Where a person finds the documents: the owner of the house in the folder itself, others below it."""
        settings = self.settings
        if not settings.workspace.sync_files:
            return None
        root = settings.data_dir / Path(settings.workspace.root or "workspace").expanduser()
        if principal == settings.memory.default_principal:
            return root
        folder = root / ".principals" / hashlib.sha256(principal.encode()).hexdigest()[:32]
        # Nobody edits the sample's documents by hand: what they wrote would go with it. It had a folder in 0.1.
        return None if principal == SAMPLE_PRINCIPAL and not folder.exists() else folder

    def _document_files(self, principal: str) -> "DocumentFiles | None":
        from palyra.domain.workspace.documents import CONTENT_BYTES  # noqa: PLC0415 - only for documents
        from palyra.providers.workspace.files import DocumentFolder  # noqa: PLC0415 - only for documents

        folder = self.workspace_folder(principal)
        if folder is None:
            return None
        mark = self.store.db.read_now(lambda tx: read_verifier_key(tx).name)
        return DocumentFolder(folder, f"{mark} {principal}\n", CONTENT_BYTES)

    @property
    def continuity(self) -> "Continuity":
        from palyra.services.continuity.context import Continuity  # noqa: PLC0415 - only for those who go back

        return Continuity(self.sessions, self.workspace)

    @property
    def compactor(self) -> "Compactor":
        from palyra.services.continuity.planning import CompactionPolicy, Compactor  # noqa: PLC0415 - only for documents

        given = self.settings.compaction
        policy = CompactionPolicy(
            given.keep_recent,
            given.min_condensed,
            given.trigger_percent,
            given.cooldown_minutes * _MINUTE_MS,
            given.thin_model_plan == "complete",
        )
        model = None if self.settings.models.provider == "offline" else self.model
        return Compactor(self.continuity, self.memory, model, policy, self.plans)

    @property
    def plans(self) -> "PreviewedPlans":
        """Of compactions, that somebody has looked at."""
        if self._plans is None:
            from palyra.services.continuity.previewing import PreviewedPlans  # noqa: PLC0415 - only for documents

            self._plans = PreviewedPlans()
        return self._plans

    def forget(self, principal: str) -> None:
        """After erasing: nothing of the text stays in what is only in memory."""
        if self._memory is not None:
            self._memory.forget(principal)
            standing.forget()
        if self._plans is not None:
            self._plans.forget(principal)

    @property
    def learning(self) -> "Learning":
        from palyra.services.learning.context import Learning  # noqa: PLC0415 - only for those who learn

        model = self.model if self._has_model else None
        return Learning(self.sessions, self.memory, self.workspace, self.turns, model, self._learning_policy)

    @property
    def turns(self) -> "TurnReader":
        """Reads what was said, as soon as it was."""
        if self._turns is None:
            from palyra.services.learning.turns import TurnReader  # noqa: PLC0415 - only where somebody talks

            policy = self._learning_policy
            self._turns = TurnReader(self.sessions, self.memory, policy, has_model=self._has_model)
        return self._turns

    def _wake_reader(self) -> None:
        self.turns.wake()

    @property
    def _has_model(self) -> bool:
        """Besides our own offline one, which reads nothing."""
        return self.settings.models.provider != "offline"

    @property
    def _learning_policy(self) -> "LearningPolicy":
        from palyra.domain.learning.candidate import LearningPolicy  # noqa: PLC0415 - only for those who learn

        given = self.settings.learning
        review = given.review_min_confidence_bps
        return LearningPolicy(
            given.enabled,
            given.cooldown_minutes * _MINUTE_MS,
            given.max_candidates_per_run,
            given.durable_fact_auto_write_threshold_bps,
            review.durable_fact,
            review.preference,
            review.procedure,
        )

    @property
    def cron(self) -> "Cron":
        if self._cron is None:
            from palyra.services.cron.context import Cron  # noqa: PLC0415 - only for those who schedule

            self._cron = Cron(self.sessions, lambda: self.chat)
        return self._cron

    @property
    def is_owner(self) -> bool:
        """It may write; else it reads beside whoever may."""
        return self._access is Access.OWN

    @property
    def embedding_model(self) -> str:
        """What is configured, and once it is loaded, which it is."""
        return self.settings.memory.embeddings.provider if self._memory is None else self._memory.follower.identity

    async def __aenter__(self) -> "App":
        if self._access is Access.NONE:
            return self
        if not self.directory.has_store and not (self.is_owner and self._makes_store):
            raise no_store(self.directory.root, self.options.default_root)
        opener = JournalStore.open_owner if self._access is Access.OWN else JournalStore.open_reader
        self._store = opener(self.directory.root, self.clock, self.options)
        try:
            await self._begin(self._store)
        except BaseException:  # nobody else would give the directory back
            await asyncio.to_thread(self._store.close)
            raise
        return self

    async def _begin(self, store: JournalStore) -> None:
        journal = self.settings.journal
        policy = CheckpointPolicy(journal.checkpoint_every_events, journal.checkpoint_every_minutes)
        self._journal = JournalService(store, policy)
        self._tokens = Tokens(store, self._journal, self.clock)
        reads = self.settings.learning.enabled
        self._sessions = Sessions(store, self._journal, self.clock, reads, self._wake_reader)
        idle_ms = self.settings.console.session_hours * 3_600_000
        self._console = Console(self.directory, self._journal, self.clock, idle_ms)
        if not self.is_owner:
            return
        if self.settings.memory.external.provider != "off":
            self._journal.left_elsewhere = self._left_elsewhere
        await recover(self._sessions)
        if not self.serving:
            self.jobs.start("checkpoint")
            return
        await self.jobs.load()
        self.jobs.start()
        if self.settings.workspace.sync_files:
            self._watching = asyncio.create_task(self._watch_files(), name="workspace watcher")

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            await self._stop_watching()
            await self.jobs.close()
            await self._stop_talking()
            await self._stop_scheduling()
            await self._stop_reading(finish=error is None)
            await self._stop_following(finish=error is None)
            if self._journal is not None:
                if self.is_owner and error is None and self.store.db.broken is None:
                    await self._journal.sign_quietly_if_due()
                await self._journal.close()
        finally:
            if self._store is not None:
                await asyncio.to_thread(self._store.close)

    async def _watch_files(self) -> None:
        from palyra.providers.workspace.watcher import folder_changes  # noqa: PLC0415 - only for documents
        from palyra.services.workspace.watching import watch  # noqa: PLC0415 - only for documents

        root = self.workspace_folder(self.settings.memory.default_principal)
        assert root is not None, "documents are not files"  # noqa: S101 - asked before
        await watch(self.workspace, lambda: folder_changes(root))

    async def _stop_watching(self) -> None:
        if self._watching is not None:
            self._watching.cancel()
            await asyncio.gather(self._watching, return_exceptions=True)

    async def _stop_talking(self) -> None:
        if self._extractor is not None:
            self._extractor.close()
        if self._chat is not None:
            await self._chat.close(self.settings.daemon.drain_seconds)
        if self._model is not None:
            await self._model.close()

    async def _stop_scheduling(self) -> None:
        """After the last turn has ended, so that what became of it is written down."""
        if self._cron is not None and self._chat is not None and self.is_owner and self.store.db.broken is None:
            from palyra.services.cron.firing import close  # noqa: PLC0415 - only for those who schedule

            await close(self._cron)

    async def _stop_reading(self, *, finish: bool) -> None:
        """A command has no jobs: what was said in it is read before it ends. What is left waits in the queue."""
        if self._turns is not None:
            await self._turns.close(_LAST_BATCH_SECONDS if finish and self.store.db.broken is None else 0.0)

    async def _stop_following(self, *, finish: bool) -> None:
        if self._mirroring is not None and self._external is not None:
            self._mirroring.cancel()
            await asyncio.gather(self._mirroring, return_exceptions=True)
            await self._external.close()
        if self._following is None or self._memory is None:
            return
        self._following.cancel()
        await asyncio.gather(self._following, return_exceptions=True)
        if finish and self.store.db.broken is None:
            with suppress(TimeoutError):  # what is left is taken up by the next process
                async with asyncio.timeout(_LAST_BATCH_SECONDS):
                    await self._memory.follower.finish()


def build_app(
    settings: Settings,
    clock: Clock | None = None,
    access: Access = Access.OWN,
    *,
    wait_seconds: float = 60.0,
    serving: bool = False,
    makes_store: bool = True,
    on_wait: Callable[[str], None] = lambda _owner: None,
    on_new: Callable[[], None] = lambda: None,
) -> App:
    """`makes_store`: where there is none yet."""
    journal = settings.journal
    options = StoreOptions(
        max_payload_bytes=journal.max_payload_bytes,
        write_budget_ms=journal.write_budget_ms,
        # Relative to the data directory, so that every command means the same file wherever it is started.
        checkpoint_file=settings.data_dir / Path(journal.checkpoint_file).expanduser()
        if journal.checkpoint_file
        else None,
        wait_seconds=wait_seconds,
        on_wait=on_wait,
        on_new=on_new,
        default_root=Path(default_data_dir()),
    )
    return App(settings, clock or SystemClock(), options, access, serving=serving, makes_store=makes_store)
