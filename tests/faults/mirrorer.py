"""A process with a mirror that remembers, forgets, erases and searches until it is killed, and says what is wrong."""

import asyncio
import os
import random
import sys
from pathlib import Path

from mirroring import ANA, BOB, a_mirrored_app, ask
from palyra.app import App
from palyra.domain.memory import Change, Draft, MemorySource
from palyra.domain.scope import Visibility
from palyra.services.memory import lifecycle
from palyra.services.memory.ingest import ingest_many

WORDS = (
    "river", "piano", "garden", "winter", "engine", "letter", "harbour", "copper", "lantern", "meadow", "signal",
    "basket", "violin", "desert", "orchard",
)  # fmt: skip


class Address:
    """Of a server that somebody else starts and kills."""

    def __init__(self, dsn: str) -> None:
        self.dsn = dsn


def say(*words: str) -> None:
    os.write(1, (" ".join(words) + "\n").encode())  # one write: a kill leaves whole lines


def turns(chance: random.Random, start: int, count: int) -> list[Draft]:
    return [
        Draft(
            f"turn {start + n}: {' '.join(chance.sample(WORDS, 6))}",
            MemorySource.USER_MESSAGE,
            thread=f"t{(start + n) // 50}",
            said_at_ms=1_700_000_000_000 + start + n,
        )
        for n in range(count)
    ]


async def fill(app: App, items: int) -> None:
    chance = random.Random(1)
    for start in range(0, items, 1_000):
        for who, share in ((ANA, 4), (BOB, 1)):
            count = min(1_000, items - start) * share // 5
            await ingest_many(app.memory, turns(chance, start, count), who)
    await app.memory.follower.backfill()


async def live(app: App, number: int) -> None:
    chance, gone = random.Random(number), set[str]()
    mine: dict[str, Visibility] = {}
    for turn in range(100_000):
        for who in (ANA, BOB):
            for done in await ingest_many(app.memory, turns(chance, number * 1_000_000 + turn * 100, 10), who):
                mine[str(getattr(done.outcome, "memory_id", ""))] = who
        for memory_id in chance.sample(sorted(set(mine) - gone), 4):
            who = mine[memory_id]
            match chance.randrange(6):
                case 0:
                    await lifecycle.erase(app.memory, [memory_id], "asked for", who)
                case 1 | 2:
                    await lifecycle.update(app.memory, memory_id, Change(text=f"changed {turn} {memory_id}"), who)
                    continue
                case _:
                    await lifecycle.delete(app.memory, [memory_id], who)
            gone.add(memory_id)
        for who in (ANA, BOB):
            found = await ask(app, " ".join(chance.sample(WORDS, 3)), who, top_k=32)
            for hit in found.hits:
                if hit.item.scope.principal != who.principal or hit.item.memory_id in gone:
                    say("wrong", hit.item.memory_id)
            say("searched", *found.degraded)


async def main(root: Path, dsn: str, number: int, items: int) -> None:
    async with a_mirrored_app(root, Address(dsn), provider="local") as (app, external):  # type: ignore[arg-type]
        if items:
            await fill(app, items)
        await external.catch_up()
        say("open")
        if items:
            return
        await live(app, number)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
