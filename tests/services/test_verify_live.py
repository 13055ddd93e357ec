"""Verifying a journal that is searched and written meanwhile, as a daemon's is."""

import asyncio
from pathlib import Path

from palyra.api import dispatch, memory
from palyra.api.call import Call, owner
from palyra.services.verify import verify
from palyra.wire.memory import Retain, Search
from support import an_app, run

SEARCHES = 8
"""at once, so that every reader of the pool has seen the index"""


def test_what_a_search_remembers_of_the_index_raises_no_alarm(tmp_path: Path) -> None:
    async def story() -> None:
        async with an_app(tmp_path, PALYRA_MEMORY_EMBEDDINGS_PROVIDER="hash") as app:
            call = Call(app, owner("user:ana"))

            async def write(word: str) -> None:  # enough that FTS5 merges segments
                for n in range(20):
                    await dispatch.run(call, memory.retain, Retain(text=f"{word} number {n} leaves at {n * 7919}"))

            await write("train")
            searches = (dispatch.run(call, memory.search_, Search(query="train leaves")) for _ in range(SEARCHES))
            await asyncio.gather(*searches)
            await write("ferry")
            for _ in range(SEARCHES):
                report = await verify(app.store)
                assert report.ok, report.findings

    run(story())
