"""What a tool is: a row that says what it takes, what it answers, and to whom it is offered."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import msgspec

from palyra.api.operation import AnyOperation
from palyra.transports.mcp.answers import Answer
from palyra.transports.mcp.approval import Approval
from palyra.transports.mcp.desk import McpClient
from palyra.wire.base import Arguments


@dataclass(frozen=True, slots=True)
class McpTool:
    name: str
    title: str
    description: str
    arguments: type[Arguments]
    answer: type[msgspec.Struct]
    operation: str
    """as what it is logged and counted"""
    run: Callable[[McpClient, Any, Approval], Awaitable[Answer]]
    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False
    reserved: AnyOperation | None = None
    """offered only to whoever may call this; others are refused"""
