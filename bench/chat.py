"""Many conversations at once, against a scripted provider on loopback: how long a stream stalls, and what we add.

    python bench/chat.py [--streams 50] [--seconds 10]

Every stream gets a piece of text each `--pause-ms`; a stall is the longest time between two pieces that a listener
saw, less that pause. The provider runs in a process of its own; its pieces are also read directly, as the floor.
"""

import argparse
import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import httpx2

TESTS = Path(__file__).parent.parent / "tests"
sys.path.insert(0, str(TESTS))

from chatting import a_chat, with_provider  # noqa: E402 - found through the line above

_PROVIDER = """
import sys, threading
sys.path.insert(0, sys.argv[1])
from providers.models.scripted_provider import says, scripted_provider
text, pause = "word " * int(sys.argv[2]), float(sys.argv[3])
with scripted_provider() as provider:
    provider.then(*[says(text, 5, pause_seconds=pause) for _ in range(10_000)])
    print(provider.url, flush=True)
    sys.stdin.read()
"""


async def gaps_of_chat(url: str, streams: int) -> tuple[list[float], list[float]]:
    """(seconds to the first piece, longest gap after it) of each stream."""
    with tempfile.TemporaryDirectory() as root:
        async with a_chat(Path(root), **with_provider(url)) as chat:
            sessions = [await chat.new() for _ in range(streams)]
            await chat.say(sessions[0], "to warm up")

            async def listen(session: str) -> tuple[float, float]:
                began = last = time.perf_counter()
                first, longest = 0.0, 0.0
                async for line in chat.lines(session, "tell me something long"):
                    if line.event != "preview":
                        continue
                    now = time.perf_counter()
                    if first:
                        longest = max(longest, now - last)
                    else:
                        first = now - began
                    last = now
                return first, longest

            found = await asyncio.gather(*map(listen, sessions))
    return [first for first, _ in found], [gap for _, gap in found]


async def gaps_of_provider(url: str, streams: int) -> tuple[list[float], list[float]]:
    body = {"model": "scripted", "stream": True, "messages": [{"role": "user", "content": "tell me something long"}]}
    limits = httpx2.Limits(max_connections=streams)
    async with httpx2.AsyncClient(trust_env=False, timeout=120, limits=limits) as client:

        async def listen(_number: int) -> tuple[float, float]:
            began = last = time.perf_counter()
            first, longest = 0.0, 0.0
            async with client.stream("POST", f"{url}/chat/completions", json=body) as answer:
                async for line in answer.aiter_lines():
                    if not line.startswith("data: {") or not json.loads(line[6:])["choices"]:
                        continue
                    now = time.perf_counter()
                    if first:
                        longest = max(longest, now - last)
                    else:
                        first = now - began
                    last = now
            return first, longest

        found = await asyncio.gather(*map(listen, range(streams)))
    return [first for first, _ in found], [gap for _, gap in found]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--streams", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--pause-ms", type=float, default=50)
    options = parser.parse_args()
    words = int(options.seconds * 1000 / options.pause_ms)
    command = [sys.executable, "-c", _PROVIDER, str(TESTS), str(words), str(options.pause_ms / 1000)]
    provider = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        assert provider.stdout is not None
        url = provider.stdout.readline().strip()
        floor = asyncio.run(gaps_of_provider(url, options.streams))
        ours = asyncio.run(gaps_of_chat(url, options.streams))
    finally:
        provider.kill()
        provider.wait()
    for name, (first, gaps) in (("provider alone", floor), ("through Palyra", ours)):
        stalls = [max(0.0, gap * 1000 - options.pause_ms) for gap in gaps]
        print(
            f"{name}: {options.streams} streams, first piece p50 {statistics.median(first) * 1000:.0f} ms,"
            f" max {max(first) * 1000:.0f} ms; longest stall p50 {statistics.median(stalls):.0f} ms,"
            f" max {max(stalls):.0f} ms"
        )


if __name__ == "__main__":
    main()
