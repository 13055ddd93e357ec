"""Every error a person or program can meet, in one table.

PalyraError
├── InvalidArgument   TooLarge            the request is wrong
├── Unauthenticated   PermissionDenied    the caller is wrong
├── NotFound  AlreadyExists  Conflict  FailedPrecondition   the state is wrong
├── Exhausted  Unavailable  Deadline  Cancelled             try again, later or never
└── Integrity  Internal                                     something is broken

A message says what happened with which values; the hint says what to do. Transports read `code`,
`http`, `grpc` and `exit_code` from the class and add nothing of their own.
"""

from collections.abc import Mapping
from typing import ClassVar, TypeAlias

Detail: TypeAlias = str | int | bool | None


class PalyraError(Exception):
    """Base of the table; raise a subclass."""

    code: ClassVar[str] = "internal"
    http: ClassVar[int] = 500
    grpc: ClassVar[str] = "INTERNAL"
    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, *, hint: str = "", **details: Detail) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.details: Mapping[str, Detail] = details

    def body(self, request_id: str | None = None) -> dict[str, object]:
        """The one shape of an error on every surface."""
        return {
            "error": {
                "code": self.code,
                "message": self.message,
                "hint": self.hint,
                "details": dict(self.details),
                "request_id": request_id,
            }
        }


class InvalidArgument(PalyraError):
    code, http, grpc, exit_code = "invalid_argument", 400, "INVALID_ARGUMENT", 2


class TooLarge(PalyraError):
    code, http, grpc, exit_code = "too_large", 413, "INVALID_ARGUMENT", 2


class Unauthenticated(PalyraError):
    code, http, grpc, exit_code = "unauthenticated", 401, "UNAUTHENTICATED", 4


class PermissionDenied(PalyraError):
    code, http, grpc, exit_code = "permission_denied", 403, "PERMISSION_DENIED", 4


class NotFound(PalyraError):
    code, http, grpc, exit_code = "not_found", 404, "NOT_FOUND", 3


class AlreadyExists(PalyraError):
    code, http, grpc, exit_code = "already_exists", 409, "ALREADY_EXISTS", 5


class Conflict(PalyraError):
    code, http, grpc, exit_code = "conflict", 409, "ABORTED", 5


class FailedPrecondition(PalyraError):
    code, http, grpc, exit_code = "failed_precondition", 400, "FAILED_PRECONDITION", 5


class Exhausted(PalyraError):
    code, http, grpc, exit_code = "exhausted", 429, "RESOURCE_EXHAUSTED", 6


class Unavailable(PalyraError):
    code, http, grpc, exit_code = "unavailable", 503, "UNAVAILABLE", 6


class Deadline(PalyraError):
    code, http, grpc, exit_code = "deadline", 504, "DEADLINE_EXCEEDED", 6


class Cancelled(PalyraError):
    code, http, grpc, exit_code = "cancelled", 499, "CANCELLED", 130


class Integrity(PalyraError):
    code, http, grpc, exit_code = "integrity", 500, "DATA_LOSS", 8


class Internal(PalyraError):
    code, http, grpc, exit_code = "internal", 500, "INTERNAL", 1


TABLE: tuple[type[PalyraError], ...] = (
    InvalidArgument,
    TooLarge,
    Unauthenticated,
    PermissionDenied,
    NotFound,
    AlreadyExists,
    Conflict,
    FailedPrecondition,
    Exhausted,
    Unavailable,
    Deadline,
    Cancelled,
    Integrity,
    Internal,
)
