"""One log line and one measurement per request, whatever surface it came by; and every error in the one shape.

A request's line says which operation, who, how long and how it ended. It never holds what was asked or answered.
"""

import random
import time
from collections.abc import Iterator
from contextlib import contextmanager

import structlog
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from palyra.core.errors import Cancelled, Deadline, Internal, PalyraError
from palyra.core.redact import redact_text

log = structlog.get_logger("palyra")

_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)


class Metrics:
    """Counters of one daemon, in a registry of its own."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "palyra_requests", "Requests by surface, operation and outcome", ("surface", "operation", "code"),
            registry=self.registry,
        )  # fmt: skip
        self.seconds = Histogram(
            "palyra_request_seconds", "Time to answer", ("surface", "operation"), buckets=_BUCKETS,
            registry=self.registry,
        )  # fmt: skip
        self.active = Gauge("palyra_requests_active", "Requests being answered", ("surface",), registry=self.registry)


class Observed:
    """What is known about a request so far; the transport fills it in."""

    __slots__ = ("caller", "code", "operation", "request_id")

    def __init__(self, operation: str, request_id: str) -> None:
        self.operation = operation
        self.request_id = request_id
        self.caller = "nobody"
        self.code = "ok"

    def fail(self, error: BaseException) -> PalyraError:
        """The error as it may leave the process; what nobody expected is logged here, once."""
        known = to_error(error)
        self.code = known.code
        if isinstance(known, Internal) and known is not error:
            log.error("request.broke", request_id=self.request_id, operation=self.operation, exc_info=error)
        return known


class Observer:
    def __init__(self, metrics: Metrics) -> None:
        self.metrics = metrics

    @contextmanager
    def request(self, surface: str, operation: str, request_id: str | None = None) -> Iterator[Observed]:
        seen = Observed(operation, request_id or f"{random.getrandbits(64):016x}")  # a name, not a secret
        active = self.metrics.active.labels(surface)
        started = time.perf_counter()
        active.inc()
        try:
            yield seen
        except BaseException as error:
            seen.fail(error)
            raise
        finally:
            active.dec()
            seconds = time.perf_counter() - started
            self.metrics.requests.labels(surface, seen.operation, seen.code).inc()
            self.metrics.seconds.labels(surface, seen.operation).observe(seconds)
            log.info(
                "request",
                surface=surface,
                operation=seen.operation,
                code=seen.code,
                caller=seen.caller,
                ms=round(seconds * 1000, 2),
                request_id=seen.request_id,
            )


def to_error(error: BaseException) -> PalyraError:
    """Nothing of an unexpected error is told to a caller but that it happened."""
    match error:
        case PalyraError():
            return error
        case TimeoutError():
            return Deadline("the request ran out of time", hint="ask for less, or allow more time")
        case _ if type(error).__name__ == "CancelledError":
            return Cancelled("the caller went away")
        case _:
            return Internal("something broke here", hint="the daemon's log has the details under this request id")


def public_body(error: PalyraError, request_id: str | None) -> dict[str, dict[str, object]]:
    """The one shape of an error, with what it quotes of the input redacted."""
    return {
        "error": {
            "code": error.code,
            "message": redact_text(error.message).text,
            "hint": redact_text(error.hint).text,
            "details": {
                name: redact_text(value).text if isinstance(value, str) else value
                for name, value in error.details.items()
            },
            "request_id": request_id,
        }
    }
