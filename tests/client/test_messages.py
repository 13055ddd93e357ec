"""What a client sends arrives as it was meant, and every error comes back as itself."""

import json
from typing import Any

import msgspec
import pytest
from starlette.requests import Request as HttpRequest
from starlette.routing import compile_path

from palyra.api import access, journal, memory
from palyra.api.operation import AnyOperation
from palyra.api.operations import OPERATIONS
from palyra.client.messages import ClientRequest, is_repeatable, to_error, to_message
from palyra.core.errors import TABLE, Internal, InvalidArgument, NotFound, Unauthenticated, Unavailable
from palyra.transports.http.decode import decode
from palyra.wire import access as access_wire
from palyra.wire import journal as journal_wire
from palyra.wire import memory as memory_wire
from palyra.wire.base import Request


def sent(operation: AnyOperation, request: Request) -> ClientRequest:
    return to_message(operation, request, "secret", in_lines=False)


def arrived(operation: AnyOperation, message: ClientRequest) -> Request:
    path, _, query = message.target.partition("?")
    from urllib.parse import unquote

    found = compile_path(operation.path)[0].match(unquote(path))
    assert found is not None
    headers = [(name.encode(), value.encode()) for name, value in message.headers.items()]
    scope = {"type": "http", "query_string": query.encode(), "path_params": found.groupdict(), "headers": headers}
    return decode(operation, HttpRequest(scope), message.body or b"")


def a_request(kind: type[Any], *, full: bool) -> Any:
    values: dict[str, Any] = {}
    for field in msgspec.structs.fields(kind):
        if field.required or full:
            values[field.name] = _sample(field.name, msgspec.inspect.type_info(field.type))
    return msgspec.convert(values, kind)


def _sample(name: str, kind: msgspec.inspect.Type) -> Any:
    match kind:
        case msgspec.inspect.UnionType():
            return _sample(name, kind.types[0])
        case msgspec.inspect.StrType():
            return "01KA0000000000000000000009" if name.endswith("_id") else "Ö & ?=%2e 字"
        case msgspec.inspect.IntType():
            return 7
        case msgspec.inspect.FloatType():
            return 0.25
        case msgspec.inspect.BoolType():
            return True
        case msgspec.inspect.ListType() | msgspec.inspect.VarTupleType():
            return [_sample(name, kind.item_type)] * 2
        case msgspec.inspect.BytesType():
            return "w7ZmZg=="  # as base64, as JSON has it
        case msgspec.inspect.DictType():
            return {"text": "x", "deep": [1, None, {"y": 2.5}]}
        case msgspec.inspect.StructType():
            return msgspec.to_builtins(a_request(kind.cls, full=True))
        case _:
            raise AssertionError(kind)


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda row: row.name)
def test_every_request_arrives_as_it_was_sent(operation: AnyOperation, full: bool) -> None:
    request = a_request(operation.request, full=full)
    assert arrived(operation, sent(operation, request)) == request


def test_the_secret_is_in_the_header_alone() -> None:
    message = sent(memory.search_, memory_wire.Search(query="tea"))
    assert message.headers["authorization"] == "Bearer secret"
    assert "secret" not in message.target
    assert b"secret" not in (message.body or b"")


@pytest.mark.parametrize("secret", ["ü", "a\r\nx: y", "\x00"])
def test_a_token_that_no_header_can_hold_is_refused(secret: str) -> None:
    with pytest.raises(Unauthenticated):
        to_message(memory.search_, memory_wire.Search(query="tea"), secret, in_lines=False)


@pytest.mark.parametrize("reference", ["", ".", "..", "a/b", "../../v1/tokens"])
def test_an_id_that_would_be_another_path_is_refused(reference: str) -> None:
    with pytest.raises(InvalidArgument):
        sent(journal.get, journal_wire.GetEvent(reference=reference))


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_number_that_json_has_not_is_refused_and_not_changed(value: float) -> None:
    with pytest.raises(InvalidArgument, match="finite"):
        sent(journal.append, journal_wire.AppendEvent(kind="note", payload={"n": value}))
    with pytest.raises(InvalidArgument, match="finite"):
        sent(memory.retain, memory_wire.Retain(text="x", confidence=value))


def test_half_a_character_is_refused() -> None:
    for request in (memory_wire.Retain(text="\udcff"), memory_wire.Retain(text="x", tags=("\ud800",))):
        with pytest.raises(InvalidArgument, match="UTF-8"):
            sent(memory.retain, request)
    with pytest.raises(InvalidArgument, match="UTF-8"):
        sent(memory.list_, memory_wire.ListItems(channel="\udcff"))


@pytest.mark.parametrize("kind", TABLE)
def test_every_error_comes_back_as_itself(kind: type[Any]) -> None:
    error = kind("what happened", hint="what to do", seq=7)
    found = to_error(kind.http, json.dumps(error.body("r1")).encode())
    assert type(found) is kind
    assert (found.message, dict(found.details)) == ("what happened", {"seq": 7})
    assert found.hint == ("what to do (r1)" if kind is Internal else "what to do")


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (502, b"<html>", Unavailable),
        (404, b"", NotFound),
        (302, b"{}", Internal),
        (400, b'{"error": "no"}', InvalidArgument),
        (418, b'{"error": {"code": "teapot", "message": "short and stout"}}', Internal),
    ],
)
def test_an_answer_that_is_not_ours_is_told_by_its_status(status: int, body: bytes, kind: type[Any]) -> None:
    assert type(to_error(status, body)) is kind


def test_only_what_reads_or_has_an_id_is_sent_twice() -> None:
    assert is_repeatable(memory.search_, memory_wire.Search(query="tea"))
    assert is_repeatable(memory.recall, memory_wire.Recall(query="tea"))
    assert is_repeatable(memory.get, memory_wire.GetItem(memory_id="x"))
    assert is_repeatable(journal.verify_, journal_wire.VerifyJournal())
    assert is_repeatable(memory.retain, memory_wire.Retain(text="x", request_id="r"))
    assert not is_repeatable(memory.retain, memory_wire.Retain(text="x"))
    assert not is_repeatable(memory.delete, memory_wire.DeleteItems(memory_ids=["x"]))
    assert not is_repeatable(access.create, access_wire.CreateToken())
