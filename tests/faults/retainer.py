"""A process that remembers, corrects, updates and forgets until it is killed, and says what was acknowledged."""

import asyncio
import os
import sys
from pathlib import Path

from palyra.domain.memory import Change, ConflictFound, Draft, MemorySource, Merged, Stored
from palyra.domain.scope import Visibility
from palyra.services.memory import lifecycle
from palyra.services.memory.ingest import ingest, ingest_many
from support import a_memory

CALLER = Visibility("user:ana")


def acknowledge(verb: str, memory_id: str) -> None:
    os.write(1, f"{verb} {memory_id}\n".encode())  # one write: a kill leaves whole lines


async def retain_for_ever(root: Path, start: int) -> None:
    async with a_memory(root) as memory:
        acknowledge("open", "-")
        for number in range(start, start + 100_000):
            outcome = (await ingest(memory, Draft(f"The value of setting {number} is {number * 7}"), CALLER)).outcome
            assert isinstance(outcome, Stored | Merged | ConflictFound)
            acknowledge("kept", outcome.memory_id)
            if number % 3 == 0:
                change = Change(text=f"The value of setting {number} was {number * 11}")
                await lifecycle.update(memory, outcome.memory_id, change, CALLER)
                acknowledge("updated", outcome.memory_id)
            if number % 5 == 0:
                await lifecycle.delete(memory, [outcome.memory_id], CALLER)
                acknowledge("deleted", outcome.memory_id)
            turns = [
                Draft(f"turn {number} {n}", MemorySource.USER_MESSAGE, thread="t", said_at_ms=number * 100 + n)
                for n in range(8)
            ]
            for done in await ingest_many(memory, turns, CALLER):
                assert isinstance(done.outcome, Stored | Merged)
                acknowledge("kept", done.outcome.memory_id)


if __name__ == "__main__":
    asyncio.run(retain_for_ever(Path(sys.argv[1]), int(sys.argv[2])))
