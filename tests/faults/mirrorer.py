"""Fills a data directory with turns of two people and mirrors them all, for the kill test of daemon and engine.

Prints one line, a token for each of them.
"""

import asyncio
import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path

from mirroring import a_mirrored_app
from palyra.app import App
from palyra.domain.access import Capability
from palyra.domain.journal import Actor, Origin
from palyra.domain.memory import Draft, MemorySource
from palyra.domain.scope import Visibility
from palyra.domain.tokens import TokenGrant
from palyra.services.memory.ingest import ingest_many

PEOPLE = ("ana", "bob")
WORDS = (
    "river", "piano", "garden", "winter", "engine", "letter", "harbour", "copper", "lantern", "meadow", "signal",
    "basket", "violin", "desert", "orchard",
)  # fmt: skip
_SHARES = {"ana": 4, "bob": 1}
_BATCH = 1_000


class Address:
    """Of a server that somebody else starts and kills."""

    def __init__(self, dsn: str) -> None:
        self.dsn = dsn


def some_words(chance: random.Random, count: int) -> str:
    return " ".join(chance.sample(WORDS, count))


def said_by(text: str) -> str:
    """Whose text it is: each begins with a name."""
    return text.partition(" ")[0]


def turns(name: str, items: int) -> Iterator[list[Draft]]:
    chance = random.Random(name)
    for start in range(0, items, _BATCH):
        yield [
            Draft(
                f"{name} says in turn {n}: {some_words(chance, 6)}",
                MemorySource.USER_MESSAGE,
                thread=f"t{n // 50}",
                said_at_ms=1_700_000_000_000 + n,
            )
            for n in range(start, min(start + _BATCH, items))
        ]


async def main(root: Path, dsn: str, items: int) -> None:
    async with a_mirrored_app(root, Address(dsn), provider="local") as (app, external):
        async with external._working:  # filled at once, which is faster
            for name in PEOPLE:
                for drafts in turns(name, items * _SHARES[name] // sum(_SHARES.values())):
                    await ingest_many(app.memory, drafts, Visibility(f"user:{name}"))
            await app.memory.follower.backfill()
        await external.catch_up()
        sys.stdout.write(json.dumps({name: await a_token(app, name) for name in PEOPLE}))


async def a_token(app: App, name: str) -> str:
    may = frozenset({Capability.READ, Capability.WRITE, Capability.FORGET, Capability.ERASE})
    grant = TokenGrant(f"user:{name}", Actor.USER, ("*",), may, "")
    return (await app.tokens.create(grant, Origin(f"user:{name}", Actor.OPERATOR))).text


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])))
