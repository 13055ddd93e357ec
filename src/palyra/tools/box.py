"""The tools of a run behind one gate: what the policy refuses or wants asked about does not run.

A run keeps count of its calls and remembers whether untrusted text has reached its prompt. Both only ever grow.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import assert_never

import msgspec

from palyra.core import limits
from palyra.core.errors import Cancelled, InvalidArgument, NotFound, PalyraError
from palyra.core.hashing import sha256
from palyra.core.redact import redact_text
from palyra.domain.access import Capability
from palyra.domain.chat.conversation import ToolSpec
from palyra.domain.chat.tool_policy import (
    CALLS_PER_RUN,
    RULES,
    SAME_CALLS,
    Allow,
    AskPerson,
    Deny,
    Effect,
    Reason,
    ToolContext,
    Verdict,
    decide,
)
from palyra.domain.journal import Actor
from palyra.domain.memory import ACTOR_TRUST
from palyra.domain.scope import Visibility
from palyra.ports import ToolOffer, ToolOutcome
from palyra.services.memory.context import Memory
from palyra.tools import TOOLS
from palyra.tools.tool import AnyTool, Bench, FileTools, parameters, parse
from palyra.wire.base import Arguments

log = logging.getLogger("palyra.tools")

OUTPUT_CHARS = 16_000
_CALL_SECONDS = 30
_BY_NAME = {tool.name: tool for tool in TOOLS}
_SPECS = {tool.name: ToolSpec(tool.name, tool.description, parameters(tool.arguments)) for tool in TOOLS}


class ToolBox:
    """Made once; `files` is None where no folder may be read."""

    def __init__(self, memory: Memory, files: FileTools | None) -> None:
        self._memory = memory
        self._files = files

    def for_run(
        self, caller: Visibility, actor: Actor, capabilities: frozenset[Capability], provenance: tuple[str, ...]
    ) -> "BoxedRun":
        """`actor` is who started the run. What its tools write is an agent's word at best, whoever that was."""
        writes_as = max(Actor.AGENT, actor, key=lambda one: ACTOR_TRUST[one])
        bench = Bench(self._memory, self._files, caller, writes_as, provenance[-limits.PROVENANCE_IDS :])
        return BoxedRun(bench, capabilities)


class BoxedRun:
    """`ToolRun`. For each call of a model: `check`, ask a person if it says so, then `call`.

    `call` judges once more, as the run stands by then: between the two another call may have brought untrusted text.
    """

    def __init__(self, bench: Bench, capabilities: frozenset[Capability]) -> None:
        self._bench = bench
        self._capabilities = capabilities
        self._tainted = False
        self._checked = _Tally()
        self._called = _Tally()

    @property
    def tainted(self) -> bool:
        """Whether untrusted text has been in the prompt of this run."""
        return self._tainted

    def taint(self) -> None:
        """To be called when untrusted text is put into the prompt by anybody else. There is no way back."""
        self._tainted = True

    def offers(self) -> Sequence[ToolOffer]:
        """The tools that this caller could use at all, with what the policy says as the run stands now."""
        context = ToolContext(self._capabilities, self._tainted)
        offered = []
        for tool in TOOLS:
            verdict = decide(tool.effect, context)
            if isinstance(verdict, Deny) or (tool.effect is Effect.READ_FILES and self._bench.files is None):
                continue
            offered.append(
                ToolOffer(_SPECS[tool.name], isinstance(verdict, AskPerson), RULES[tool.effect].brings_untrusted)
            )
        return offered

    def check(self, name: str, arguments: str) -> Verdict:
        """What the policy says about this call. Counts it: a model that keeps asking is refused in the end."""
        return self._judged(name, _read(name, arguments), self._checked)

    async def question(self, name: str, arguments: str) -> str:
        """What to ask a person whose agreement `check` wants: what would be done to what, redacted, on one line.

        NotFound, InvalidArgument or PermissionDenied when there is nothing to ask about: `call` says the same."""
        tool = _tool(name)
        if tool.question is None:
            raise InvalidArgument(f"nobody is asked about {name}", hint="call it")
        return await tool.question(self._bench, parse(tool.arguments, arguments))

    async def call(self, name: str, arguments: str, *, approved: bool = False) -> ToolOutcome:
        """What the tool answers, redacted and cut to length; or why it was not run, or failed.

        `approved`: a person has agreed to this very call. That helps where the policy asks, not where it refuses."""
        given = _read(name, arguments)
        verdict = self._judged(name, given, self._called)
        match verdict:
            case Deny(reason):
                return _outcome(_refusal(name, given, reason), is_error=True)
            case AskPerson(reason) if not approved:
                return _outcome(f"not done: a person has to agree first, and has not ({reason.value})", is_error=True)
            case Allow() | AskPerson():
                return await self._run(_BY_NAME[name], given)
            case _:
                assert_never(verdict)

    def _judged(self, name: str, given: "_Given", tally: "_Tally") -> Verdict:
        tool = _BY_NAME.get(name)
        context = ToolContext(
            self._capabilities, self._tainted, tally.calls, tally.same[given.key], given.arguments is not None
        )
        tally.add(given.key)
        return decide(None if tool is None else tool.effect, context)

    async def _run(self, tool: AnyTool, given: "_Given") -> ToolOutcome:
        try:
            async with asyncio.timeout(_CALL_SECONDS):
                answer = await tool.run(self._bench, given.arguments)
        except Cancelled:
            raise
        except PalyraError as error:
            return _outcome(_said(error), is_error=True)
        except TimeoutError:
            return _outcome(f"no answer within {_CALL_SECONDS} s; it may have been done or not", is_error=True)
        except Exception:
            # A model can do something about a wrong argument, nothing about our defects: those are for the log.
            log.exception("tool %s failed", tool.name)
            return _outcome("the tool is broken here; do without it", is_error=True)
        self._tainted = self._tainted or answer.untrusted
        return _outcome(answer.text)


@dataclass(slots=True)
class _Tally:
    calls: int = 0
    same: Counter[bytes] = field(default_factory=Counter)

    def add(self, key: bytes) -> None:
        self.calls += 1
        self.same[key] += 1


@dataclass(frozen=True, slots=True)
class _Given:
    """The arguments of a call, or what is wrong with them. Calls that mean the same have the same key."""

    key: bytes
    arguments: Arguments | None
    fault: str = ""


def _read(name: str, arguments: str) -> _Given:
    raw = arguments.encode("utf-8", "surrogatepass")
    try:
        parsed = parse(_tool(name).arguments, arguments)
    except PalyraError as error:
        return _Given(_key(name, raw), None, _said(error))
    return _Given(_key(name, msgspec.json.encode(parsed)), parsed)


def _refusal(name: str, given: _Given, reason: Reason) -> str:
    match reason:
        case Reason.MISSING_CAPABILITY:
            return f"this caller may not use {name}: it lacks {RULES[_BY_NAME[name].effect].needs.value!r}"
        case Reason.TOO_MANY_CALLS:
            return f"refused: {CALLS_PER_RUN} calls are the limit of one answer; answer with what you have"
        case Reason.REPEATED_CALL:
            return f"refused: the very same call was made {SAME_CALLS} times before; use what it answered"
        case _:
            return given.fault


def _tool(name: str) -> AnyTool:
    if name not in _BY_NAME:
        raise NotFound(f"there is no tool {name[:64]!r}", hint=f"use one of {', '.join(_BY_NAME)}")
    return _BY_NAME[name]


def _key(name: str, arguments: bytes) -> bytes:
    return sha256(name.encode("utf-8", "surrogatepass") + b"\0" + arguments)


def _said(error: PalyraError) -> str:
    return f"{error.code}: {error.message}" + (f" ({error.hint})" if error.hint else "")


def _outcome(text: str, *, is_error: bool = False) -> ToolOutcome:
    safe = redact_text(text).text
    if len(safe) > OUTPUT_CHARS:
        # Redacted first: half a secret is one that nothing recognises.
        note = f"\n[cut: the answer has {len(safe)} characters]"
        safe = safe[: OUTPUT_CHARS - len(note)] + note
    return ToolOutcome(safe, is_error)
