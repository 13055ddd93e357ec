"""A person's approval, asked through the client: by elicitation in the older dialect, by a round trip in the newer.

There is no argument by which an agent could grant it. In the newer dialect the question goes out with a sealed state
that names this caller, this tool, these arguments and this very question, and an answer without it is no answer.
"""

import asyncio
import hashlib
from dataclasses import dataclass
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError, NoBackChannelError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from palyra.core.errors import FailedPrecondition

_KEY = "approval"
_ANSWER_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class Consent:
    """What the box says that a person ticks."""

    title: str
    description: str

    @property
    def form(self) -> dict[str, Any]:
        box = {"type": "boolean", "title": self.title, "description": self.description, "default": False}
        return {"type": "object", "properties": {"confirm": box}, "required": ["confirm"]}


class AnswerNeeded(Exception):
    """The newer dialect's way to ask: answer with this, and be called again."""

    def __init__(self, result: types.InputRequiredResult) -> None:
        super().__init__("a person has to answer first")
        self.result = result


class Approval:
    """For one call of one tool."""

    def __init__(self, context: ServerRequestContext[Any, Any], params: types.CallToolRequestParams) -> None:
        self._context = context
        self._params = params

    async def ask(self, question: str, otherwise: str, consent: Consent) -> None:
        """Returns once a person has said yes. `otherwise`: what a person can do where nobody can be asked."""
        declared = self._context.session.client_capabilities
        form = None if declared is None else declared.elicitation
        if form is None or (form.form is None and form.url is not None):
            raise FailedPrecondition("a person has to confirm, and this client cannot ask one", hint=otherwise)
        if self._context.protocol_version in MODERN_PROTOCOL_VERSIONS:
            answer = self._answered(question, consent)
        else:
            answer = await self._elicited(question, otherwise, consent)
        if answer.action != "accept" or not answer.content or answer.content.get("confirm") is not True:
            raise FailedPrecondition("the person did not confirm: nothing was changed", hint=otherwise)

    def _answered(self, question: str, consent: Consent) -> types.ElicitResult:
        state = hashlib.sha256(question.encode()).hexdigest()
        answer = (self._params.input_responses or {}).get(_KEY)
        if self._params.request_state == state and isinstance(answer, types.ElicitResult):
            return answer
        params = types.ElicitRequestFormParams(message=question, requested_schema=consent.form)
        asked = types.ElicitRequest(params=params)
        raise AnswerNeeded(types.InputRequiredResult(input_requests={_KEY: asked}, request_state=state))

    async def _elicited(self, question: str, otherwise: str, consent: Consent) -> types.ElicitResult:
        try:
            async with asyncio.timeout(_ANSWER_SECONDS):
                return await self._context.session.elicit_form(question, consent.form, self._context.request_id)
        except (NoBackChannelError, MCPError, ValidationError, TimeoutError):
            raise FailedPrecondition(
                "a person has to confirm, and no answer came through this client", hint=otherwise
            ) from None
