"""The victim of the kill test: owns a data directory and appends what clients send over a Unix socket.

One line of JSON per request, {"id", "kind", "who", "n"}; one line per answer, {"id", "seq", "hash"}, sent only
after the append returned. Now and then it is told to erase and sign as well, so that a kill can hit those.
"""

import asyncio
import json
import os
import random
import socket
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO

from faults.ledger import draft_of, origin_of, settings_for
from palyra.app import App, build_app
from palyra.core.errors import PalyraError, Unavailable
from palyra.domain.access import Access
from palyra.services.erase import erase
from palyra.store.upkeep import wal


@dataclass(frozen=True, slots=True)
class Plan:
    directory: str
    erasures: str
    """file that says what was begun to be erased, and what was erased"""
    seed: int
    fold_pages: int
    """a short WAL is folded all the time, a long one never in so short a life"""
    erases: bool
    signs: bool
    targets: tuple[str, ...]
    """events of an earlier time, which are in a backup as well, that may be erased"""


def serve(listener: socket.socket, plan: Plan) -> None:
    wal.FOLD_PAGES = plan.fold_pages
    asyncio.run(_serve(listener, plan))


async def _serve(listener: socket.socket, plan: Plan) -> None:
    settings = settings_for(Path(plan.directory), checkpoint_every_events=700)
    written = list(plan.targets)
    async with build_app(settings, access=Access.OWN) as app:
        server = await asyncio.start_unix_server(partial(_talk, app, written), sock=listener)
        os.write(1, b"serving %d\n" % os.getpid())
        await asyncio.gather(server.serve_forever(), _erase_some(app, written, plan), _sign_some(app, plan))


async def _talk(app: App, written: list[str], reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    tasks = set()
    while line := await reader.readline():
        task = asyncio.create_task(_answer(app, written, line, writer))
        tasks.add(task)
        task.add_done_callback(tasks.discard)


async def _answer(app: App, written: list[str], line: bytes, writer: asyncio.StreamWriter) -> None:
    asked = json.loads(line)
    try:
        receipt = await app.journal.append(draft_of(asked["who"], asked["n"], asked["id"], asked["kind"]))
    except PalyraError as error:
        answer = {"id": asked["id"], "error": f"{error.code}: {error.message}"}
    else:
        written.append(receipt.event_id)
        answer = {"id": receipt.event_id, "seq": receipt.seq, "hash": receipt.hash.hex()}
    writer.write(json.dumps(answer).encode() + b"\n")


def _open_log(plan: Plan) -> IO[str]:
    return Path(plan.erasures).open("a", buffering=1)


async def _erase_some(app: App, written: list[str], plan: Plan) -> None:
    chance = random.Random(plan.seed)
    with _open_log(plan) as log:
        while plan.erases:
            await asyncio.sleep(chance.uniform(0.0, 0.02))
            if written:
                event_id = chance.choice(written)
                log.write(f"begun {event_id}\n")
                with suppress(Unavailable):  # then it was not acknowledged, and may be done or not
                    await erase(app.store, app.journal, [event_id], "asked for", origin_of(0))
                    log.write(f"done {event_id}\n")


async def _sign_some(app: App, plan: Plan) -> None:
    chance = random.Random(plan.seed)
    while plan.signs:
        await asyncio.sleep(chance.uniform(0.0, 0.02))
        await app.journal.checkpoint()
