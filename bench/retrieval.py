"""How well what was said is found: hands a retrieval set over as finished turns and searches the tape.

    python bench/retrieval.py --set DIR [--limit-conversations N] [--peers] [--json]

One conversation is one principal, one item one turn, asked for with profile `transcript`. `--defences off` keeps them
without redaction, to see what it costs. `--peers` also asks bm25s and chromadb, installed in an environment that is
thrown away.
"""

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from time import perf_counter
from unittest.mock import patch

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.retrieval_sets import Conversation, Scores, read_set

from palyra.app import App, build_app
from palyra.core import limits
from palyra.core.clock import ManualClock
from palyra.core.redact import Redacted
from palyra.core.text import normalise
from palyra.domain.journal import Actor
from palyra.domain.retrieval.query import RetrievalSourceProfileKind
from palyra.domain.scope import Visibility
from palyra.language.statements import Role
from palyra.providers.embeddings.local import LocalEmbedding
from palyra.services.memory.sources.searching import search_passages
from palyra.services.sessions.handing import FinishedTurn, hand_over
from palyra.settings import load

_TOP = 64
_PEERS = ("bm25s", "chromadb")
_START_MS = 1_700_000_000_000
_ASSISTANTS = frozenset({"assistant", "ai", "bot"})


async def run(directory: Path, limit: int | None, provider: str) -> dict[str, object]:
    conversations = read_set(directory, limit)
    overall, by_category = Scores(), dict[str, Scores]()
    times: list[float] = []
    with tempfile.TemporaryDirectory() as home:
        clock = ManualClock(_START_MS)
        given = {"daemon.data_dir": home, "learning.enabled": "false", "memory.embeddings.provider": provider}
        settings = load(given, {}).settings
        async with build_app(settings, clock) as app:
            started = perf_counter()
            found = [await _hand_over(app, clock, conversation) for conversation in conversations]
            seconds = perf_counter() - started
            for conversation, names in zip(conversations, found, strict=True):
                times += await _ask(app, clock, conversation, names, overall, by_category)
    times.sort()
    items = sum(len(conversation.items) for conversation in conversations)
    return {
        "set": directory.name,
        "provider": provider,
        "conversations": len(conversations),
        "items": items,
        "queries": overall.queries,
        "turns": sum(map(len, found)),
        "turns_per_second": round(items / seconds),
        "search_ms": {"p50": _at(times, 0.5), "p95": _at(times, 0.95)},
        "overall": overall.averages(),
        "by_category": {
            name: {"queries": scores.queries, **scores.averages()} for name, scores in sorted(by_category.items())
        },
    }


async def _hand_over(app: App, clock: ManualClock, conversation: Conversation) -> dict[str, str]:
    """Event id -> name of the item that is said there."""
    clock.ms = max(clock.now_ms(), conversation.end_ms)
    caller = Visibility(f"bench:{conversation.name}")
    turns: dict[str, list[FinishedTurn]] = {}
    for place, item in enumerate(conversation.items):
        role = Role.ASSISTANT if item.speaker.lower() in _ASSISTANTS else Role.USER
        said_at_ms = item.at_ms if item.at_ms is not None else _START_MS + place
        for number, text in enumerate(_parts(item.text)):
            turn = FinishedTurn(role, text, said_at_ms, item.speaker, f"{item.id}/{number}")
            turns.setdefault(item.session or "all", []).append(turn)
    names: dict[str, str] = {}
    for session, said in turns.items():
        for start in range(0, len(said), limits.TURNS_AT_ONCE):
            part = said[start : start + limits.TURNS_AT_ONCE]
            handed = await hand_over(app.sessions, session, part, caller, Actor.USER)
            ids = (turn.turn_id.rpartition("/")[0] for turn in part)
            names |= {event: name for event, name in zip(handed.events, ids, strict=True) if event is not None}
    return names


def _parts(text: str) -> list[str]:
    """A text over the limit of a turn, in parts that are not, cut at a line or a space. All have the item's id."""
    if len(text.encode()) <= limits.MESSAGE_BYTES:
        return [text if normalise(text) else "(nothing to read)"]
    middle = len(text) // 2
    cut = max(text.rfind("\n", 1, middle), text.rfind(" ", 1, middle))
    cut = cut if cut > len(text) // 4 else middle
    return [part for half in (text[:cut], text[cut:]) if half.strip() for part in _parts(half)]


async def _ask(
    app: App,
    clock: ManualClock,
    conversation: Conversation,
    names: dict[str, str],
    overall: Scores,
    by_category: dict[str, Scores],
) -> list[float]:
    caller = Visibility(f"bench:{conversation.name}")
    sessions = {item.id: item.session for item in conversation.items}
    kind = RetrievalSourceProfileKind.TRANSCRIPT
    times: list[float] = []
    if conversation.queries:  # the first search of a principal makes its index
        await search_passages(app.memory, kind, conversation.queries[0].text, caller, 1)
    for query in conversation.queries:
        clock.ms = query.at_ms if query.at_ms is not None else conversation.end_ms
        found = await search_passages(app.memory, kind, query.text, caller, _TOP)
        ranked = list(dict.fromkeys(names[hit.passage.place.event_id] for hit in found.hits))
        overall.add(ranked, sessions, query.relevant)
        by_category.setdefault(query.category, Scores()).add(ranked, sessions, query.relevant)
        started = perf_counter()
        await search_passages(app.memory, kind, query.text, caller, 10)
        times.append((perf_counter() - started) * 1000)
    return times


def _at(times: list[float], share: float) -> float:
    return round(times[min(len(times) - 1, int(len(times) * share))], 3) if times else 0.0


def ask_peers(directory: Path, limit: int | None) -> dict[str, object]:
    """What others find in the same turns. They get our vectors: none of their own works offline."""
    conversations = read_set(directory, limit)
    model = LocalEmbedding()
    vectors = {}
    for number, conversation in enumerate(conversations):
        vectors[f"items{number}"] = model.embed([item.text for item in conversation.items], "document")
        vectors[f"queries{number}"] = model.embed([query.text for query in conversation.queries], "query")
    rows = [
        {
            "ids": [item.id for item in conversation.items],
            "texts": [item.text for item in conversation.items],
            "queries": [{"text": query.text, "relevant": sorted(query.relevant)} for query in conversation.queries],
        }
        for conversation in conversations
    ]
    with tempfile.TemporaryDirectory() as home:
        place = Path(home)
        (place / "conversations.json").write_text(json.dumps(rows), "utf-8")
        np.savez(place / "vectors.npz", allow_pickle=False, **vectors)
        subprocess.run([sys.executable, "-m", "venv", place / "venv"], check=True)
        python = place / "venv" / "bin" / "python"
        subprocess.run([python, "-m", "pip", "install", "--quiet", *_PEERS], check=True)
        script = Path(__file__).with_name("peers.py")
        answer = subprocess.run(
            [python, script, place / "conversations.json", place / "vectors.npz"], check=True, stdout=subprocess.PIPE
        )
        found: dict[str, object] = json.loads(answer.stdout.splitlines()[-1])
        return found


def _without_defences() -> AbstractContextManager[object]:
    return patch("palyra.services.sessions.handing.redact_text", lambda text: Redacted(text, ()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", dest="directory", type=Path, required=True, help="a directory of the set format")
    parser.add_argument("--limit-conversations", type=int)
    parser.add_argument("--provider", default="local", help="embedding provider: local, hash")
    parser.add_argument("--peers", action="store_true", help="also ask bm25s and chromadb, installed elsewhere")
    parser.add_argument("--defences", choices=("on", "off"), default="on")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    if not (given.directory / "items.jsonl").is_file() or not (given.directory / "queries.jsonl").is_file():
        sys.exit(f"error: {given.directory} has no items.jsonl and queries.jsonl")
    with _without_defences() if given.defences == "off" else nullcontext():
        report = asyncio.run(run(given.directory, given.limit_conversations, given.provider))
    report["defences"] = given.defences
    if given.peers:
        report["peers"] = ask_peers(given.directory, given.limit_conversations)
    if given.json:
        print(json.dumps(report, ensure_ascii=False))
        return
    overall = report["overall"]
    assert isinstance(overall, dict)
    print(f"{report['set']}: {report['items']} items, {report['queries']} queries, {report['search_ms']} ms a search")
    print("  ".join(f"{name} {value:.3f}" for name, value in overall.items()))
    peers = report.get("peers", {})
    assert isinstance(peers, dict)
    for name, figures in peers.items():
        print(f"  peer {name:<23} {figures}")
    categories = report["by_category"]
    assert isinstance(categories, dict)
    for name, scores in categories.items():
        print(f"  {name:<28} {scores['queries']:>4}  R@10 {scores['R@10']:.3f}  all@10 {scores['all@10']:.3f}")


if __name__ == "__main__":
    main()
