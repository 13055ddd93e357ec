"""One turn: read what belongs to it, prepare the prompt, stream the answer, let tools do what they may."""

import asyncio
import logging
import secrets
import time
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import assert_never

from palyra.core.errors import PalyraError
from palyra.core.redact import redact_text
from palyra.domain.chat.conversation import (
    ChatRequest,
    Message,
    Part,
    Stopped,
    Text,
    TextDelta,
    ToolAnswer,
    ToolCall,
    Usage,
)
from palyra.domain.chat.references import PreviewOfReferences
from palyra.domain.chat.session import RunState, TapeRecord, TapeType
from palyra.domain.chat.tool_policy import Allow, AskPerson, Deny, is_untrusted
from palyra.domain.chat.transcript import tool_answer
from palyra.domain.journal import Actor
from palyra.domain.memory import parse_trust
from palyra.domain.prompt import ModelWindow, turns_room
from palyra.ports import ToolRun
from palyra.services.chat.history import TurnsBefore, history_of
from palyra.services.chat.live import LiveRun
from palyra.services.chat.parts import Attached, ChatParts, Turn
from palyra.services.chat.redaction import StreamRedactor
from palyra.services.prompt.context import PromptContext, PromptDocument, ReferenceText, StandingPreference
from palyra.services.prompt.prepare import prepare_model_provider_input
from palyra.services.prompt.standing import owners_instructions, standing_preferences
from palyra.services.sessions.context import standing_in
from palyra.services.sessions.lifecycle import question_of
from palyra.services.sessions.runs import Move, Payload, append, last_records, text_records

log = logging.getLogger("palyra.chat")

_KEEP_SECONDS = 1.0
"""how long streamed text may be only in memory"""
_KEEP_CHARS = 4_000
_RESULT_CHARS = 16_000


class TurnRun:
    """Drives one run to its end. Whoever made it catches what goes wrong, and calls `finish`."""

    def __init__(self, parts: ChatParts, live: LiveRun, turn: Turn) -> None:
        self._parts = parts
        self._live = live
        self._turn = turn
        self._usage = Usage()
        self._redactor = StreamRedactor()
        self._kept_at = time.monotonic()
        self._answering = False
        self.ended = False
        """its end is in the journal"""

    async def run(self) -> None:
        question = question_of(self._live.records)
        preview, attached = await self._bring(question)
        tools = self._parts.tools.for_run(
            standing_in(self._turn.session),
            self._turn.speaker.actor,
            self._turn.speaker.capabilities,
            tuple(record.event_id for record in self._live.records),
        )
        asked = question_of(self._live.records, clean=True)
        request = await self._prepare(asked, preview, attached, tools)
        for round_ in range(self._parts.policy.max_tool_rounds + 1):
            if round_ == self._parts.policy.max_tool_rounds:
                request = replace(request, tools=())  # it has had its turns; now it has to answer
            calls, text, stop = await self._stream(request)
            if not calls:
                await self._end_answer(stop, complete=stop != "length", move=self._done())
                return
            await self._end_answer("tool_calls", complete=True)
            calls = self._told_apart(calls)
            answers = [await self._call(tools, call) for call in calls]
            said: list[Part] = [Text(text)] if text else []
            request = replace(
                request,
                messages=(*request.messages, Message("assistant", (*said, *calls)), Message("tool", tuple(answers))),
            )

    def _done(self) -> Move:
        return Move(RunState.DONE, self._parts.model.info.model, self._usage)

    async def fail(self, state: RunState, code: str, message: str, hint: str) -> None:
        """Ends the run with what has arrived. The tape never stays without an end."""
        records: list[tuple[TapeType, Payload]] = []
        if self._answering or self._live.text:
            self._live.text += self._redactor.finish()
            stop = "cancelled" if state is RunState.CANCELLED else "failed"
            records += self._rest(stop, complete=False)
        for call_id in list(self._live.approvals):
            payload = {"call_id": call_id, "decision": "expired", "reason": "the turn ended", "by": "system"}
            records.append((TapeType.TOOL_DECISION, payload))
        if state is RunState.FAILED:
            records.append((TapeType.NOTICE, {"code": code, "message": message} | ({"hint": hint} if hint else {})))
        move = Move(state, self._parts.model.info.model, self._usage, code)
        await self._write(records, move)

    # -- before the prompt

    async def _bring(self, question: str) -> tuple[PreviewOfReferences, Attached]:
        message, standing = self._turn.message, standing_in(self._turn.session)
        text = "\n".join((question, *message.references))
        preview = await self._parts.references(text, standing, self._turn.speaker.may_read)
        attached = Attached()
        if message.attachments:
            attached = await self._parts.attachments(message.attachments, standing, self._parts.model.info)
        records: list[tuple[TapeType, Payload]] = [
            (
                TapeType.REFERENCE,
                {
                    "kind": found.reference.kind.value,
                    "target": redact_text(found.reference.target).text,
                    "label": found.label,
                    "chars": len(found.text),
                    "tokens": found.tokens,
                    "trust": found.trust.label,
                    "warnings": list(found.warnings),
                    "error": found.error,
                },
            )
            for found in preview.references
        ]
        records += [
            (TapeType.ATTACHMENT, {"attachment_id": id_, "name": name, "media_type": kind})
            for id_, name, kind in attached.listed
        ]
        records += [
            (TapeType.NOTICE, {"code": "attachment_left_out", "message": f"{name}: {why}"})
            for name, why in attached.refused
        ]
        if records:
            await self._write(records)
        return preview, attached

    async def _prepare(
        self, question: str, preview: PreviewOfReferences, attached: Attached, tools: ToolRun
    ) -> ChatRequest:
        parts, turn = self._parts, self._turn
        model, policy, message = parts.model, parts.policy, turn.message
        history = await self._history()
        documents = await parts.documents(turn.session) if turn.speaker.may_read else ()
        preferences = await self._preferences(documents) if turn.speaker.may_read else ()
        stands = any(is_untrusted(one.trust) and not one.quarantined for one in documents)
        brought = any(is_untrusted(found.trust) and not found.error for found in preview.references)
        if history.untrusted or stands or brought or attached.texts or attached.images:
            tools.taint()
        offers = tools.offers() if model.info.takes_tools and policy.max_tool_rounds else ()
        prepared = await prepare_model_provider_input(
            PromptContext(
                memory=parts.memory,
                info=model.info,
                count=parts.count,
                caller=standing_in(turn.session),
                run_id=turn.run_id,
                question=question,
                asked_at_ms=parts.clock.now_ms(),
                boundary=secrets.token_hex(8),
                instructions=policy.instructions,
                preferences=preferences,
                documents=documents,
                auto_inject=turn.speaker.may_read and self._injects,
                max_items=policy.max_items,
                recall=message.recall,
                references=tuple(
                    ReferenceText(found.label, found.reference.kind.value, found.text, found.trust, found.warnings)
                    for found in preview.references
                    if not found.error
                ),
                attachments=attached.texts,
                images=attached.images,
                compaction=history.compaction,
                history=history.turns,
                older=history.older,
                turns_percent=policy.turns_percent,
                tools=tuple(offer.spec for offer in offers),
            )
        )
        records: list[tuple[TapeType, Payload]] = []
        if prepared.injection is not None:
            injection: Payload = dict(prepared.injection)
            records.append((TapeType.INJECTION, injection))
            if any(is_untrusted(parse_trust(memory["trust"])) for memory in injection["memories"]):
                tools.taint()
        records.append((TapeType.PROMPT_REPORT, dict(prepared.report.to_json())))
        move = Move(RunState.IN_PROGRESS, model.info.model)
        await self._write(records, move)
        return prepared.request

    @property
    def _injects(self) -> bool:
        asked = self._turn.message.auto_inject
        return self._parts.policy.auto_inject if asked is None else asked

    async def _preferences(self, documents: Sequence[PromptDocument]) -> tuple[StandingPreference, ...]:
        session = self._turn.session
        told = "".join(owners_instructions(one.text) for one in documents if one.has_authority)
        return await standing_preferences(self._parts.memory, standing_in(session), session.created_at_ms, told)

    async def _history(self) -> TurnsBefore:
        session, own = self._turn.session, self._turn.run_id
        info, percent = self._parts.model.info, self._parts.policy.turns_percent
        window = ModelWindow(info.provider, info.model, info.window_tokens, info.max_output_tokens)
        room = turns_room(window, percent)
        return await self._parts.sessions.store.db.read(lambda tx: history_of(tx, session, own, room))

    # -- the answer

    async def _stream(self, request: ChatRequest) -> tuple[list[ToolCall], str, str]:
        """Streams one answer. What it called for, what it said, and why it stopped."""
        self._redactor, self._kept_at, self._answering = StreamRedactor(), time.monotonic(), True
        calls: list[ToolCall] = []
        stop = "end"
        async with aclosing(self._parts.model.stream(request)) as events:
            async for event in events:
                match event:
                    case TextDelta(text=text):
                        if shown := self._redactor.feed(text):
                            self._live.say(shown)
                            await self._keep()
                    case ToolCall():
                        calls.append(event)
                    case Stopped(reason=reason, usage=usage):
                        stop, self._usage = reason, self._usage.plus(usage)
                    case _:
                        assert_never(event)
        self._live.say(self._redactor.finish())
        return calls, self._live.text, stop

    async def _keep(self) -> None:
        waiting = len(self._live.text) - self._live.kept
        if waiting < _KEEP_CHARS and time.monotonic() - self._kept_at < _KEEP_SECONDS:
            return
        records = text_records(self._live.text, self._live.kept)
        self._live.kept = len(self._live.text)
        await self._write(records)
        self._kept_at = time.monotonic()

    async def _end_answer(self, stop: str, *, complete: bool, move: Move | None = None) -> None:
        await self._write(self._rest(stop, complete=complete), move)
        self._answering = False

    def _rest(self, stop: str, *, complete: bool) -> list[tuple[TapeType, Payload]]:
        return last_records(self._live.text, self._live.kept, stop, complete=complete)

    # -- tools

    async def _call(self, tools: ToolRun, call: ToolCall) -> ToolAnswer:
        proposal = {"call_id": call.call_id, "name": call.name, "arguments": call.arguments}
        await self._write([(TapeType.TOOL_PROPOSAL, proposal)])
        verdict = tools.check(call.name, call.arguments)
        approved = False
        match verdict:
            case Allow():
                decision = {"decision": "allowed", "reason": "", "by": "policy"}
            case Deny(reason=reason):
                decision = {"decision": "refused_by_policy", "reason": reason.value, "by": "policy"}
            case AskPerson(reason=reason):
                approved, decision = await self._ask(tools, call, reason.value)
            case _:
                assert_never(verdict)
        outcome = await tools.call(call.name, call.arguments, approved=approved)
        text = outcome.text[:_RESULT_CHARS]
        result = {
            "call_id": call.call_id,
            "name": call.name,
            "text": text,
            "is_error": outcome.is_error,
            "tainted": tools.tainted,
        }
        await self._write(
            [
                (TapeType.TOOL_DECISION, {"call_id": call.call_id, **decision}),
                (TapeType.TOOL_RESULT, result),
            ]
        )
        return tool_answer(call.call_id, call.name, text, is_error=outcome.is_error)

    def _told_apart(self, calls: Sequence[ToolCall]) -> list[ToolCall]:
        """Some servers number calls anew in each answer, or not at all; a decision is about one of them."""
        known = {r.payload["call_id"] for r in self._live.records if r.type is TapeType.TOOL_PROPOSAL and r.payload}
        apart: list[ToolCall] = []
        for call in calls:
            call_id = call.call_id or f"call_{secrets.token_hex(4)}"
            if call_id in known:
                call_id = f"{call_id[:48]}_{secrets.token_hex(4)}"
            known.add(call_id)
            apart.append(replace(call, call_id=call_id))
        return apart

    async def _ask(self, tools: ToolRun, call: ToolCall, reason: str) -> tuple[bool, dict[str, str]]:
        try:
            asked = await tools.question(call.name, call.arguments)
        except PalyraError as error:  # there is nothing to ask about: the call itself will say so
            return False, {"decision": "refused_by_policy", "reason": error.code, "by": "policy"}
        waiting: asyncio.Future[tuple[bool, str]] = asyncio.get_running_loop().create_future()
        self._live.approvals[call.call_id] = waiting
        minutes = self._parts.policy.approval_ms / 60_000
        notice = {"code": "approval_needed", "call_id": call.call_id, "message": asked, "reason": reason}
        await self._write([(TapeType.NOTICE, notice)])
        try:
            async with asyncio.timeout(self._parts.policy.approval_ms / 1000):
                approved, why = await waiting
        except TimeoutError:
            return False, {"decision": "expired", "reason": f"nobody agreed within {minutes:g} minutes", "by": "clock"}
        finally:
            del self._live.approvals[call.call_id]
        return approved, {"decision": "approved" if approved else "denied", "reason": why, "by": "person"}

    # -- the tape

    async def _note(self, code: str, message: str) -> None:
        await self._write([(TapeType.NOTICE, {"code": code, "message": message})])

    async def _write(self, records: Sequence[tuple[TapeType, Payload]], move: Move | None = None) -> list[TapeRecord]:
        """Whole, even if the run is aborted meanwhile: what is in the journal is also what listeners see."""
        writing = asyncio.ensure_future(
            append(self._parts.sessions, self._turn.session, self._turn.run_id, Actor.AGENT, records, move)
        )
        try:
            written = await asyncio.shield(writing)
        except asyncio.CancelledError:
            await asyncio.wait({writing})
            self._take(writing.result(), move)
            raise
        self._take(written, move)
        return written

    def _take(self, written: list[TapeRecord], move: Move | None) -> None:
        self.ended = self.ended or (move is not None and move.state.is_over)
        self._live.add(written)
