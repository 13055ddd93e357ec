"""What a memory event writes for ever: its fields that say something, and nothing else."""

from palyra.core.ids import MemoryId
from palyra.domain.journal import payload_of
from palyra.domain.memory_events import MemoryDeleted, MemoryStored


def test_a_body_holds_only_fields_that_say_something() -> None:
    event = MemoryStored(MemoryId("m"), "text", "00", "manual", "durable_fact", "public", 0, 9_500)
    assert payload_of(event) == {
        "memory_id": "m",
        "text": "text",
        "likeness": "00",
        "source": "manual",
        "category": "durable_fact",
        "sensitivity": "public",
        "trust": 0,
        "confidence_bps": 9_500,
    }


def test_lists_are_written_as_lists() -> None:
    assert payload_of(MemoryDeleted((MemoryId("a"), MemoryId("b")), "deleted"))["memory_ids"] == ["a", "b"]
