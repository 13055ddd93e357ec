"""`LearningService`: the same candidates and decisions as everywhere, in its own messages."""

from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from palyra.domain.access import Capability
from palyra.transports.grpc.generated import common_pb2, learning_pb2
from proposing import Said, a_preference, propose
from support import run
from transports.grpc.serving import READ, Serving, error_of, serving

SERVICE = "palyra.learning.v1.LearningService"
REVIEWER = (READ, Capability.REVIEW)
PEANUTS, TEA = "I am allergic to peanuts", "I prefer tea over coffee"
NOTHING = "01ARZ3NDEKTSV4RRFFQ69G5FAV"


def an_id(ulid: str) -> common_pb2.CanonicalId:
    return common_pb2.CanonicalId(ulid=ulid)


async def call(up: Serving, token: str, method: str, *, v: int = 1, **fields: Any) -> Any:
    kind = getattr(learning_pb2, f"{method}Request")
    rpc = up.channel.unary_unary(
        f"/{SERVICE}/{method}", kind.SerializeToString, getattr(learning_pb2, f"{method}Response").FromString
    )
    return await rpc(kind(v=v, **fields), metadata=(("authorization", f"Bearer {token}"),), timeout=30)


async def fails(answer: Any) -> tuple[grpc.StatusCode, str]:
    with pytest.raises(grpc.aio.AioRpcError) as failed:
        await answer
    return failed.value.code(), error_of(failed.value)["code"]


def test_a_person_lists_looks_decides_and_takes_back(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(tmp_path) as up:
            token = (await up.token(can=REVIEWER)).text
            said = Said(f"No satay, {PEANUTS}", learned=PEANUTS)
            first, second = await propose(up.app, [said, a_preference(TEA)])
            page = await call(up, token, "ListCandidates")
            assert [one.candidate_id.ulid for one in page.candidates] == [first, second]
            assert (dict(page.counts), page.next_after_seq) == ({"needs_review": 2}, 0)
            one = page.candidates[0]
            assert (one.kind, one.content_text, one.confidence) == ("durable_fact", PEANUTS, 0.82)
            found = await call(up, token, "GetCandidate", candidate_id=an_id(first))
            assert [quote.words for quote in found.evidence] == [said.text]
            assert [step.state for step in found.history] == ["needs_review"]
            asked: dict[str, Any] = {
                "candidate_id": an_id(first),
                "decision": 1,
                "text": "No nuts for me",
                "request_id": "r1",
            }
            done = await call(up, token, "DecideCandidate", **asked)
            assert (done.candidate.state, done.candidate.content_text) == ("applied", "No nuts for me")
            assert await call(up, token, "DecideCandidate", **asked) == done
            back = await call(up, token, "RollBackCandidate", candidate_id=an_id(first), reason="no")
            assert (back.v, back.candidate.state) == (1, "rolled_back")
            rejected = await call(up, token, "DecideCandidate", candidate_id=an_id(second), decision=2)
            assert rejected.candidate.state == "rejected"
            assert len((await call(up, token, "ListCandidates", states=["rejected"])).candidates) == 1

    run(story())


def test_wrong_requests_get_the_status_of_the_table(tmp_path: Path) -> None:
    invalid, denied = grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.PERMISSION_DENIED

    async def story() -> None:
        async with serving(tmp_path) as up:
            token = (await up.token(can=REVIEWER)).text
            everyday = (await up.token()).text
            [first] = await propose(up.app, [PEANUTS])
            [foreign] = await propose(up.app, [TEA], "user:bob")
            name = {"candidate_id": an_id(first)}
            wrong: list[tuple[str, dict[str, Any], grpc.StatusCode]] = [
                ("ListCandidates", {"v": 2}, invalid),
                ("ListCandidates", {"limit": 501}, invalid),
                ("ListCandidates", {"states": ["lost"]}, invalid),
                ("ListCandidates", {"after_seq": (1 << 64) - 1}, invalid),
                ("GetCandidate", {}, invalid),
                ("GetCandidate", {"candidate_id": an_id(first[:8])}, invalid),
                ("GetCandidate", {"candidate_id": an_id(NOTHING)}, grpc.StatusCode.NOT_FOUND),
                ("GetCandidate", {"candidate_id": an_id(foreign)}, denied),
                ("DecideCandidate", {"candidate_id": an_id(foreign), "decision": 1}, denied),
                ("DecideCandidate", name, invalid),
                ("DecideCandidate", {**name, "decision": 9}, invalid),
                ("DecideCandidate", {**name, "decision": 2, "text": "x"}, invalid),
                ("RollBackCandidate", name, grpc.StatusCode.FAILED_PRECONDITION),
            ]
            for method, asked, status in wrong:
                assert (await fails(call(up, token, method, **asked)))[0] is status, (method, asked)
            for method in ("ListCandidates", "GetCandidate", "DecideCandidate", "RollBackCandidate"):
                fields: dict[str, Any] = {} if method == "ListCandidates" else dict(name)
                fields |= {"decision": 1} if method == "DecideCandidate" else {}
                assert await fails(call(up, everyday, method, **fields)) == (denied, "permission_denied")

    run(story())


def test_a_page_ends_where_a_message_is_full(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(tmp_path, max_message_bytes=20_000) as up:
            token = (await up.token(can=REVIEWER)).text
            made = await propose(up.app, [Said(f"I own {n} " + "books " * 100) for n in range(60)], taped=False)
            seen: list[str] = []
            after = 0
            while True:
                page = await call(up, token, "ListCandidates", after_seq=after, limit=500)
                assert page.ByteSize() <= 20_000
                seen += [one.candidate_id.ulid for one in page.candidates]
                after = page.next_after_seq
                if not after:
                    break
            assert seen == made

    run(story())


def test_it_is_in_health_and_reflection(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(tmp_path) as up:
            health: Any = health_pb2_grpc.HealthStub(up.channel)
            answer = await health.Check(health_pb2.HealthCheckRequest(service=SERVICE))
            assert answer.status == health_pb2.HealthCheckResponse.SERVING
            reflection: Any = reflection_pb2_grpc.ServerReflectionStub(up.channel)  # type: ignore[arg-type]  # the stubs forget aio
            asked = reflection_pb2.ServerReflectionRequest(list_services="")
            async for shown in reflection.ServerReflectionInfo(iter([asked])):
                assert SERVICE in {one.name for one in shown.list_services_response.service}

    run(story())
