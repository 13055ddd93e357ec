"""The numbers on the wire are the published ones, and the code made from our .proto files is up to date."""

import subprocess
import sys
from pathlib import Path

import pytest
from google.protobuf.descriptor_pb2 import DescriptorProto

from palyra.domain.memory import OUTCOME_NAMES, MemorySource
from palyra.domain.retrieval.rank import PARTS
from palyra.transports.grpc import conversion
from palyra.transports.grpc.generated import common_pb2, memory_pb2
from transports.grpc.wire_table import FREE, METHODS, SOURCES, TABLE, describe_field

ROOT = Path(__file__).parents[3]
GENERATED = ROOT / "src" / "palyra" / "transports" / "grpc" / "generated"


def _ours(name: str) -> DescriptorProto:
    found = DescriptorProto()
    memory_pb2.DESCRIPTOR.message_types_by_name[name].CopyToProto(found)
    return found


@pytest.mark.parametrize("name", TABLE)
def test_a_message_has_every_published_field_under_its_number(name: str) -> None:
    ours = {field.number: field for field in _ours(name).field}
    for published in map(describe_field, TABLE[name].split(",")):
        field = ours[published.number]
        assert (field.name, field.type, field.label, field.type_name) == (
            published.name,
            published.type,
            published.label,
            published.type_name,
        )


@pytest.mark.parametrize("name", TABLE)
def test_our_additions_begin_where_they_may_and_what_lies_before_stays_free(name: str) -> None:
    published = {int(entry.split()[0]) for entry in TABLE[name].split(",")}
    ours = _ours(name)
    added = {field.number for field in ours.field} - published
    assert not [number for number in added if number < FREE[name]]
    reserved = {number for gap in ours.reserved_range for number in range(gap.start, gap.end)}
    assert reserved | published == set(range(1, FREE[name]))


def test_the_service_has_the_published_methods() -> None:
    service = memory_pb2.DESCRIPTOR.services_by_name["MemoryService"]
    assert service.full_name == "palyra.memory.v1.MemoryService"
    assert {
        (method.name, method.input_type.name, method.output_type.name, method.client_streaming, method.server_streaming)
        for method in service.methods
    } == {(name, f"{name}Request", f"{name}Response", False, False) for name in METHODS}


def test_an_id_is_field_1_and_2_and_3_stay_reserved() -> None:
    found = DescriptorProto()
    common_pb2.DESCRIPTOR.message_types_by_name["CanonicalId"].CopyToProto(found)
    assert [(field.name, field.number) for field in found.field] == [("ulid", 1)]
    assert [(gap.start, gap.end) for gap in found.reserved_range] == [(2, 3), (3, 4)]


def test_every_source_has_its_published_number() -> None:
    assert {f"MEMORY_SOURCE_{name}": number for name, number in SOURCES.items()} == dict(
        memory_pb2.MemorySource.items()
    )
    assert set(conversion.SOURCES.values()) == set(MemorySource)
    assert set(conversion.SOURCES) == set(SOURCES.values()) - {0}


def test_every_outcome_and_every_part_of_a_score_has_its_place() -> None:
    outcomes = {f"INGEST_OUTCOME_{name.upper()}" for name in OUTCOME_NAMES.values()}
    assert outcomes | {"INGEST_OUTCOME_UNSPECIFIED"} == set(memory_pb2.IngestOutcome.keys())
    fields = memory_pb2.MemoryScoreBreakdown.DESCRIPTOR.fields_by_name
    assert {f"{part}_score" for part in PARTS} | {"final_score"} == set(fields)


def test_the_generated_code_is_what_make_proto_writes(tmp_path: Path) -> None:
    subprocess.run([sys.executable, ROOT / "schemas" / "generate_proto.py", tmp_path], check=True, timeout=120)
    made = {path.name: path.read_text("utf-8") for path in tmp_path.iterdir()}
    kept = {path.name: path.read_text("utf-8") for path in GENERATED.iterdir() if path.is_file()}
    assert kept == made


@pytest.mark.parametrize("name", TABLE)
def test_every_addition_of_ours_is_in_the_guide(name: str) -> None:
    rows = [
        line.split("|")
        for line in (ROOT / "docs" / "guides" / "grpc.md").read_text("utf-8").splitlines()
        if line.startswith("|")
    ]
    told = " ".join(row[2] for row in rows if name in row[1].replace(",", " ").split())
    for field in _ours(name).field:
        assert field.number < FREE[name] or f"{field.number} {field.name}" in told, field.name
