"""The daemon's log: one line per thing that happened, as JSON for machines or as text for a terminal.

What is logged passes the redactor like everything else that leaves: an exception quotes what somebody sent.
"""

import logging
import sys
from collections.abc import MutableMapping
from typing import Any

import structlog

from palyra.core.redact import redact_text

_OURS = frozenset({"event", "level", "timestamp", "surface", "operation", "code", "caller", "ms", "request_id"})
"""fields that hold our own words and numbers"""


def configure(level: str, style: str) -> None:
    """`style`: json, text, or auto: text on a terminal."""
    as_text = style == "text" or (style == "auto" and sys.stderr.isatty())
    shared: list[structlog.typing.Processor] = [
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
    ]
    last = (
        structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback)
        if as_text
        else structlog.processors.JSONRenderer(ensure_ascii=False, default=str)
    )
    structlog.configure(
        processors=[*shared, redact_fields, last],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level.upper()]),
        logger_factory=structlog.WriteLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
    # What the libraries underneath have to say goes the same way.
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, last],
            foreign_pre_chain=[*shared, redact_all_fields],
        )
    )
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(logging.WARNING)


def redact_fields(_logger: object, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    return _redact(event, _OURS)


def redact_all_fields(_logger: object, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """A library's own words hold whatever it stumbled over."""
    return _redact(event, frozenset())


def _redact(event: MutableMapping[str, Any], unchanged: frozenset[str]) -> MutableMapping[str, Any]:
    for name, value in event.items():
        if isinstance(value, str) and name not in unchanged:
            event[name] = redact_text(value).text
    return event
