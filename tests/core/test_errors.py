from palyra.core.errors import TABLE, NotFound, PalyraError

EXPECTED = {
    "invalid_argument": (400, "INVALID_ARGUMENT", 2),
    "too_large": (413, "INVALID_ARGUMENT", 2),
    "unauthenticated": (401, "UNAUTHENTICATED", 4),
    "permission_denied": (403, "PERMISSION_DENIED", 4),
    "not_found": (404, "NOT_FOUND", 3),
    "already_exists": (409, "ALREADY_EXISTS", 5),
    "conflict": (409, "ABORTED", 5),
    "failed_precondition": (400, "FAILED_PRECONDITION", 5),
    "exhausted": (429, "RESOURCE_EXHAUSTED", 6),
    "unavailable": (503, "UNAVAILABLE", 6),
    "deadline": (504, "DEADLINE_EXCEEDED", 6),
    "cancelled": (499, "CANCELLED", 130),
    "integrity": (500, "DATA_LOSS", 8),
    "internal": (500, "INTERNAL", 1),
}


def test_the_table_is_the_published_one() -> None:
    assert {error.code: (error.http, error.grpc, error.exit_code) for error in TABLE} == EXPECTED


def test_every_error_class_is_in_the_table() -> None:
    assert set(PalyraError.__subclasses__()) == set(TABLE)


def test_the_body_has_one_shape_everywhere() -> None:
    body = NotFound("no event 7", hint="palyra journal list", seq=7).body("req-1")
    assert body == {
        "error": {
            "code": "not_found",
            "message": "no event 7",
            "hint": "palyra journal list",
            "details": {"seq": 7},
            "request_id": "req-1",
        }
    }
