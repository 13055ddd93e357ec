"""Searches without end through the daemon of a directory, while somebody else writes, forgets and erases there.

Both are tasks of this one process, so that a search knows what had been acknowledged as gone or changed before it was
asked. What is forgotten was found by a search before, so that the next one would find it again. Whatever dies, both go
on; SIGTERM ends them. Each answer is one line: what was wrong with it, or which parts took no part in it.
"""

import asyncio
import os
import random
import signal
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import httpx2

from faults.mirrorer import said_by, some_words
from palyra.api.running import Running, find_daemon
from palyra.core.clock import SystemClock
from palyra.core.ids import UlidFactory

_RETRY_SECONDS = 0.1
_TIMEOUT_SECONDS = 60.0
_ASKED_AGAIN = 3
"""times a question is repeated after one of its answers was taken away"""


class Unanswered(Exception):
    """The daemon is gone, or was not there."""


@dataclass
class Known:
    """Of one person's memories, by what was acknowledged."""

    gone: set[str] = field(default_factory=set)
    texts: dict[str, str] = field(default_factory=dict)
    """of those that were written or changed here"""
    changing: set[str] = field(default_factory=set)
    """somebody was asked to, and has not answered"""
    found: list[str] = field(default_factory=list)
    """by the latest search"""


class Client:
    def __init__(self, directory: Path, name: str, token: str, told: IO[str]) -> None:
        self._directory = directory
        self._name = name
        self._told = told
        self._headers = {"authorization": f"Bearer {token}"}
        self._http: httpx2.AsyncClient | None = None
        self._running: Running | None = None
        self._known = Known()
        self._ids = UlidFactory(SystemClock())
        self._chance = random.Random(os.getpid())
        self._stopping = False
        self._n = 0

    def stop(self) -> None:
        self._stopping = True

    async def run(self) -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(self._search_on())
            group.create_task(self._write_on())
        self._say("gone", *sorted(self._known.gone))

    def _say(self, *words: str) -> None:
        self._told.write(" ".join(words) + "\n")

    # -- searching

    async def _search_on(self) -> None:
        question, again = "", 0
        while not self._stopping:
            if again <= 0:
                question, again = some_words(self._chance, 3), _ASKED_AGAIN
            again -= 1
            try:
                await self._search(question)
            except Unanswered:
                self._say("unanswered")
                await asyncio.sleep(_RETRY_SECONDS)

    async def _search(self, question: str) -> None:
        known = self._known
        gone, texts, unsure = set(known.gone), dict(known.texts), set(known.changing)
        answer = await self._ask("POST", "/v1/memory/search", {"query": question, "top_k": 32})
        unsure |= known.changing
        for hit in answer["hits"]:
            item = hit["item"]
            memory_id, text = item["memory_id"], item["text"]
            if item["principal"] != f"user:{self._name}" or said_by(text) != self._name:
                self._say("wrong", "foreign", memory_id)
            if memory_id in gone:
                self._say("wrong", "gone", memory_id)
            before = texts.get(memory_id, text)
            if memory_id not in unsure and text != before == known.texts.get(memory_id):
                self._say("wrong", "stale", memory_id)
        known.found = [hit["item"]["memory_id"] for hit in answer["hits"]]
        self._say("searched", *answer["degraded"])

    # -- writing

    async def _write_on(self) -> None:
        while not self._stopping:
            await self._retain()
            candidates = [one for one in self._known.found if one not in self._known.gone]
            for memory_id in self._chance.sample(candidates, min(2, len(candidates))):
                await self._take_away_or_change(memory_id)

    async def _retain(self) -> None:
        self._n += 1
        text = f"{self._name} says in answer {os.getpid()} {self._n}: {some_words(self._chance, 6)}"
        done = await self._until_answered("POST", "/v1/memory/items", {"text": text, "source": "tape:user_message"})
        if done["outcome"] == "stored":
            self._known.texts[done["memory_id"]] = text
        self._say("wrote", done["outcome"])

    async def _take_away_or_change(self, memory_id: str) -> None:
        self._known.changing.add(memory_id)
        match self._chance.randrange(6):
            case 0:
                await self._until_answered("POST", "/v1/memory/erase", {"ids": [memory_id]})
                self._known.gone.add(memory_id)
            case 1 | 2:
                self._n += 1
                text = f"{self._name} changed {self._n} {memory_id}: {some_words(self._chance, 6)}"
                await self._until_answered("PATCH", f"/v1/memory/items/{memory_id}", {"text": text})
                self._known.texts[memory_id] = text
            case _:
                await self._until_answered("POST", "/v1/memory/delete", {"memory_ids": [memory_id]})
                self._known.gone.add(memory_id)
        self._known.changing.discard(memory_id)
        self._say("changed")

    async def _until_answered(self, method: str, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """Under one request id. Not found is an answer, too: it was erased before the answer was lost."""
        headers = {} if path.endswith("/erase") else {"idempotency-key": self._ids.next()}
        while True:
            try:
                return await self._ask(method, path, body, headers)
            except Unanswered:
                await asyncio.sleep(_RETRY_SECONDS)

    # -- the daemon that is there now

    async def _ask(
        self, method: str, path: str, body: dict[str, Any], headers: dict[str, str] | None = None
    ) -> dict[str, Any]:
        http = self._reach()
        try:
            answer = await http.request(method, path, json=body, headers=headers)
        except httpx2.TransportError as error:
            raise Unanswered(repr(error)) from None
        if answer.status_code not in (200, 404):
            self._say("wrong", str(answer.status_code), method, path, answer.text.replace("\n", " ")[:500])
            sys.exit(f"{method} {path}: {answer.text}")
        found: dict[str, Any] = answer.json()
        return found

    def _reach(self) -> httpx2.AsyncClient:
        running = find_daemon(self._directory)
        if running is None:
            raise Unanswered("no daemon")
        if self._http is None or running != self._running:
            self._running = running
            self._http = httpx2.AsyncClient(base_url=running.http, headers=self._headers, timeout=_TIMEOUT_SECONDS)
        return self._http


async def main(directory: Path, name: str, token: str, file: Path) -> None:
    with file.open("w", buffering=1) as told:
        client = Client(directory, name, token, told)
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, client.stop)
        await client.run()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2], sys.argv[3], Path(sys.argv[4])))
