"""The published interface of `palyra.memory.v1`, as a table, and messages made from nothing but it.

What is here stands for a client generated from somebody else's definitions: it knows the numbers, and none of our
additions. It never sees our .proto files or the code made from them.
"""

from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

COMMON, MEMORY = "palyra.common.v1", "palyra.memory.v1"
ID, SOURCE = f".{COMMON}.CanonicalId", f".{MEMORY}.MemorySource"

SOURCES = {
    "UNSPECIFIED": 0,
    "TAPE_USER_MESSAGE": 1,
    "TAPE_TOOL_RESULT": 2,
    "SUMMARY": 3,
    "MANUAL": 4,
    "IMPORT": 5,
    "DURABLE_FACT": 6,
}

_WHERE = "4 channel string, 5 session_id ID, 6 tags string*"
TABLE = {
    "MemoryItem": (
        "1 v uint32, 2 memory_id ID, 3 principal string, 4 channel string, 5 session_id ID, 6 source SOURCE,"
        "7 content_text string, 8 content_hash string, 9 tags string*, 10 confidence double, 11 ttl_unix_ms int64,"
        "12 created_at_unix_ms int64, 13 updated_at_unix_ms int64"
    ),
    "MemoryScoreBreakdown": (
        "1 lexical_score double, 2 vector_score double, 3 recency_score double, 4 final_score double"
    ),
    "MemorySearchHit": "1 item MemoryItem, 2 snippet string, 3 score double, 4 breakdown MemoryScoreBreakdown",
    "IngestMemoryRequest": (
        f"1 v uint32, 2 source SOURCE, 3 content_text string, {_WHERE}, 7 confidence double, 8 ttl_unix_ms int64"
    ),
    "IngestMemoryResponse": "1 v uint32, 2 item MemoryItem",
    "SearchMemoryRequest": (
        "1 v uint32, 2 query string, 3 channel string, 4 session_id ID, 5 top_k uint32, 6 min_score double,"
        "7 tags string*, 8 sources SOURCE*, 9 include_score_breakdown bool"
    ),
    "SearchMemoryResponse": "1 v uint32, 2 hits MemorySearchHit*",
    "GetMemoryItemRequest": "1 v uint32, 2 memory_id ID",
    "GetMemoryItemResponse": "1 v uint32, 2 item MemoryItem",
    "DeleteMemoryItemRequest": "1 v uint32, 2 memory_id ID",
    "DeleteMemoryItemResponse": "1 v uint32, 2 deleted bool",
    "ListMemoryItemsRequest": f"1 v uint32, 2 after_memory_ulid string, 3 limit uint32, {_WHERE}, 7 sources SOURCE*",
    "ListMemoryItemsResponse": "1 v uint32, 2 items MemoryItem*, 3 next_after_memory_ulid string",
    "PurgeMemoryRequest": "1 v uint32, 2 channel string, 3 session_id ID, 4 purge_all_principal bool",
    "PurgeMemoryResponse": "1 v uint32, 2 deleted_count uint64",
}
FREE = {
    "MemoryItem": 21,
    **{name: 17 for name in TABLE if name.endswith("Request")},
    **{name: 11 for name in TABLE if name.endswith("Response") or name.startswith(("MemoryScore", "MemorySearch"))},
}
"""where our additions begin"""
METHODS = (
    "IngestMemory",
    "SearchMemory",
    "GetMemoryItem",
    "DeleteMemoryItem",
    "ListMemoryItems",
    "PurgeMemory",
)

_Field = descriptor_pb2.FieldDescriptorProto
_SCALARS = {
    "string": _Field.TYPE_STRING,
    "double": _Field.TYPE_DOUBLE,
    "bool": _Field.TYPE_BOOL,
    "uint32": _Field.TYPE_UINT32,
    "uint64": _Field.TYPE_UINT64,
    "int64": _Field.TYPE_INT64,
}


def describe_field(entry: str) -> descriptor_pb2.FieldDescriptorProto:
    number, name, kind = entry.split()
    field = _Field(name=name, number=int(number))
    field.label = _Field.LABEL_REPEATED if kind.endswith("*") else _Field.LABEL_OPTIONAL
    kind = kind.rstrip("*")
    if kind in _SCALARS:
        field.type = _SCALARS[kind]
    elif kind == "SOURCE":
        field.type, field.type_name = _Field.TYPE_ENUM, SOURCE
    else:
        field.type, field.type_name = _Field.TYPE_MESSAGE, ID if kind == "ID" else f".{MEMORY}.{kind}"
    return field


def _pool() -> descriptor_pool.DescriptorPool:
    common = descriptor_pb2.FileDescriptorProto(name="table/common.proto", package=COMMON, syntax="proto3")
    common.message_type.add(name="CanonicalId").field.append(describe_field("1 ulid string"))
    memory = descriptor_pb2.FileDescriptorProto(name="table/memory.proto", package=MEMORY, syntax="proto3")
    memory.dependency.append(common.name)
    sources = memory.enum_type.add(name="MemorySource")
    for name, number in SOURCES.items():
        sources.value.add(name=f"MEMORY_SOURCE_{name}", number=number)
    for name, fields in TABLE.items():
        memory.message_type.add(name=name).field.extend(map(describe_field, fields.split(",")))
    pool = descriptor_pool.DescriptorPool()
    pool.Add(common)
    pool.Add(memory)
    return pool


POOL = _pool()


def message(name: str) -> Any:
    """The class of a message, made from the table."""
    package = COMMON if name == "CanonicalId" else MEMORY
    return message_factory.GetMessageClass(POOL.FindMessageTypeByName(f"{package}.{name}"))
