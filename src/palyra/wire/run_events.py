"""What the events of a message stream hold, by their name: for whoever reads a stream or a transcript.

`schemas/run_events.json` is made from these. The prompt report is described by `domain/prompt/report.py`.
"""

import json
import sys
from typing import Any

import msgspec

from palyra.wire.base import Request, Response
from palyra.wire.chat import StreamLine


class Payload(Request):
    """An event with a field that is not here is a mistake of ours, and a test's to find."""


class Said(Payload, kw_only=True):
    """What can be known of a turn that was over when it came."""

    said_at_ms: int | None = None
    """when it was said, if that was not when it was recorded"""
    speaker: str = ""
    turn_id: str = ""


class UserMessage(Said, kw_only=True):
    text: str
    clean_text: str | None = None
    """with names in place of references, if there are any"""
    attachments: list[str] = []  # noqa: RUF012 - msgspec copies it
    actor: str = "user"
    cut: bool = False
    """only its beginning is kept"""


class Preview(Payload):
    """Text that is not on the tape yet. `offset`: where in the answer, in characters."""

    offset: int
    text: str


class Kept(Payload):
    """What was shown as a preview is on the tape up to here."""

    offset: int


class AssistantText(Said, kw_only=True):
    offset: int
    text: str


class AssistantMessage(Said, kw_only=True):
    """The end of an answer. `stop`: end, tool_calls, length, refused, cancelled, failed or interrupted."""

    offset: int
    text: str
    complete: bool
    stop: str


class SystemMessage(Said, kw_only=True):
    """What a client told its model to be."""

    text: str


class ToolProposal(Payload):
    call_id: str
    name: str
    arguments: str
    """the JSON as the model wrote it"""


class ToolDecision(Payload):
    call_id: str
    decision: str
    """allowed, approved, denied, refused_by_policy or expired"""
    reason: str
    by: str
    """policy, person, clock or system"""


class ToolResult(Said, kw_only=True):
    call_id: str
    name: str
    text: str
    is_error: bool
    tainted: bool
    """untrusted text was in the prompt by then"""


class InjectedMemory(Payload):
    memory_id: str
    citation: str
    score: float
    trust: str


class Injection(Payload):
    receipt_event_id: str
    tokens: int
    block_sha256: str
    memories: list[InjectedMemory]


class Reference(Payload):
    kind: str
    target: str
    label: str
    chars: int
    tokens: int
    trust: str
    warnings: list[str]
    error: str


class Attachment(Payload):
    attachment_id: str
    name: str
    media_type: str


class Notice(Payload):
    """`code`: approval_needed (with call_id and reason), held_for_review, not_remembered, attachment_left_out,
    interrupted, or the code of the error that ended the turn."""

    code: str
    message: str
    call_id: str | None = None
    reason: str | None = None


class PromptReport(Response):
    provider: str
    model: str
    window_tokens: int
    max_output_tokens: int
    margin_tokens: int
    used_tokens: int
    sha256: str
    parts: list[dict[str, Any]]
    degraded: list[str] = []  # noqa: RUF012 - msgspec copies it


RUN_EVENTS: dict[str, type[msgspec.Struct]] = {
    "user_message": UserMessage,
    "preview": Preview,
    "kept": Kept,
    "assistant_text": AssistantText,
    "assistant_message": AssistantMessage,
    "system_message": SystemMessage,
    "tool_proposal": ToolProposal,
    "tool_decision": ToolDecision,
    "tool_result": ToolResult,
    "injection": Injection,
    "reference": Reference,
    "attachment": Attachment,
    "notice": Notice,
    "prompt_report": PromptReport,
}


def document() -> dict[str, Any]:
    kinds = [StreamLine, *RUN_EVENTS.values()]
    _, components = msgspec.json.schema_components(kinds, ref_template="#/$defs/{name}")
    events = {name: {"$ref": f"#/$defs/{kind.__name__}"} for name, kind in RUN_EVENTS.items()}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A line of a message stream; `data` of an event by its name",
        "$ref": "#/$defs/StreamLine",
        "events": events,
        "$defs": components,
    }


def render() -> bytes:
    return (json.dumps(document(), indent=1, sort_keys=True, ensure_ascii=False) + "\n").encode()


if __name__ == "__main__":
    sys.stdout.buffer.write(render())
