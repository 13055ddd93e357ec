"""Whatever the document allows, and much that it does not: never a failure of ours, always an answer it describes."""

from collections.abc import Iterator
from typing import Any

import pytest
import requests
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import Case, GenerationMode, openapi
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)

from palyra.domain.access import GRANTABLE
from palyra.transports.http.openapi import document
from transports.http.support import WAIT_SECONDS, Serving, serving

CHECKS: list[Any] = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    unsupported_method,
]
TOO_SLOW = {"backup.create"}
"""writes and reads back a whole backup each time"""

# Without what it says about tokens: the one in `headers` would always be there, however wrong the generated one is.
SCHEMA = openapi.from_dict({key: value for key, value in document().items() if key != "security"})
OPERATIONS = {
    found.ok().definition.raw["operationId"]: found.ok()
    for found in SCHEMA.get_all_operations()
    if isinstance(found, Ok)
}
FUZZED = [
    (name, mode)
    for name in sorted(OPERATIONS.keys() - TOO_SLOW)
    for mode in GenerationMode
    # Where nothing is asked but a text in the path, nothing can be wrong by the document.
    if mode is GenerationMode.POSITIVE or OPERATIONS[name].query or OPERATIONS[name].body
]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    with serving(tmp_path_factory.mktemp("http") / "data") as server:
        yield server


@pytest.fixture(scope="module")
def headers(served: Serving) -> dict[str, str]:
    """Not the owner's: whatever names a path on this machine is refused."""
    return {"authorization": f"Bearer {served.token(GRANTABLE)}"}


@pytest.fixture(scope="module")
def session() -> Iterator[requests.Session]:
    with requests.Session() as made:
        made.trust_env = False
        yield made


@pytest.mark.parametrize(("name", "mode"), FUZZED, ids=[f"{name}-{mode.value}" for name, mode in FUZZED])
def test_every_answer_is_one_the_document_describes(
    request: pytest.FixtureRequest,
    served: Serving,
    headers: dict[str, str],
    session: requests.Session,
    name: str,
    mode: GenerationMode,
) -> None:
    wanted = request.config.getoption("--fuzz-inputs")

    @settings(
        max_examples=max(2, wanted // len(FUZZED)),
        deadline=None,
        database=None,
        derandomize=wanted <= 400,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(OPERATIONS[name].as_strategy(generation_mode=mode))
    def ask(case: Case[Any]) -> None:
        if name == "journal.tail" and case.query:
            case.query.pop("follow", None)  # would wait for ever, as asked
        # A query cannot say everything that is wrong with it: an empty list, for example, is not there at all.
        checks = CHECKS if case.method == "GET" else [*CHECKS, negative_data_rejection]
        case.call_and_validate(
            base_url=served.url, session=session, headers=headers, checks=checks, timeout=WAIT_SECONDS
        )

    ask()


def test_the_journal_is_whole_after_all_of_this(served: Serving, headers: dict[str, str]) -> None:
    report = served.client(headers["authorization"].removeprefix("Bearer ")).post("/v1/journal/verify", json={}).json()
    assert report["ok"], report["problems"]
    internal = [
        sample
        for metric in served.site.observer.metrics.requests.collect()
        for sample in metric.samples
        if sample.labels.get("code") in ("internal", "integrity") and sample.value
    ]
    assert internal == []
