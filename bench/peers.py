"""Other offline ways to find a turn, on the same set, in a throw-away environment that has them installed.

Started by `bench/retrieval.py --peers`, never by hand: reads conversations, with the vectors of our own local model,
from the file it is given, and prints what each peer finds. It imports nothing of Palyra, which is not installed there.
"""

# mypy: ignore-errors
import json
import sys
from pathlib import Path
from time import perf_counter

import bm25s
import chromadb
import numpy as np

_TOP = 10


def bm25s_finder(texts, _vectors):
    index = bm25s.BM25()
    index.index(bm25s.tokenize(texts, stopwords="en", show_progress=False), show_progress=False)

    def find(question, _vector):
        terms = bm25s.tokenize(question, stopwords="en", show_progress=False)
        rows, _ = index.retrieve(terms, k=min(_TOP, len(texts)), show_progress=False)
        return [int(row) for row in rows[0]]

    return find


def chroma_finder(texts, vectors):
    client = chromadb.EphemeralClient(chromadb.Settings(anonymized_telemetry=False, allow_reset=True))
    client.reset()
    collection = client.create_collection("turns", metadata={"hnsw:space": "cosine"}, embedding_function=None)
    for start in range(0, len(texts), 1_000):
        rows = range(start, min(start + 1_000, len(texts)))
        collection.add(
            ids=[str(row) for row in rows],
            embeddings=[vectors[row] for row in rows],
            documents=[texts[row] for row in rows],
        )

    def find(_question, vector):
        found = collection.query(query_embeddings=[vector], n_results=min(_TOP, len(texts)))
        return [int(row) for row in found["ids"][0]]

    return find


PEERS = {"bm25s": bm25s_finder, "chromadb, our vectors": chroma_finder}


def main():
    conversations = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    vectors = np.load(sys.argv[2])
    report = {}
    for name, make in PEERS.items():
        recall, times = [], []
        for number, conversation in enumerate(conversations):
            find = make(conversation["texts"], vectors[f"items{number}"])
            for place, query in enumerate(conversation["queries"]):
                started = perf_counter()
                rows = find(query["text"], vectors[f"queries{number}"][place])
                times.append((perf_counter() - started) * 1000)
                found = {conversation["ids"][row] for row in rows}
                recall.append(len(found & set(query["relevant"])) / max(1, len(query["relevant"])))
        times.sort()
        report[name] = {"R@10": round(sum(recall) / max(1, len(recall)), 4), "p50_ms": round(times[len(times) // 2], 3)}
    print(json.dumps(report))


if __name__ == "__main__":
    main()
