"""The durable lexical index: FTS5 over analysed terms.

Terms are worked out by us (stems, character pairs for scripts without spaces), so FTS5 only splits at spaces. Terms
of a query are OR-ed and quoted: no text a person types is ever query syntax. The table is contentless: a delete
costs the same whatever the size of the item, and what it leaves behind goes with the next erasure.

It is a follower: `index_pending` writes the words of many items at once, a moment after they were stored, because one
at a time costs more than storing them. Its cursor is the last fingerprint; what is newer is looked through here.
"""

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import TypeAlias, cast

from palyra.store.connection import ReadTx, WriteTx
from palyra.store.visibility import Seer, visible_clause

Condition: TypeAlias = tuple[str, Sequence[object]]
"""over columns of `memory_items`, and what to bind to it"""
OPEN: Condition = ("closed_seq IS NULL", ())


_MANY = 16
"""from here on columns are cheaper than one text after the other"""

_ASKED = 12
"""terms of a text that looks for its like: more make FTS5 slow and find nothing better"""

_TOKEN = re.compile(r"[0-9a-z\x80-\U0010ffff]+", re.IGNORECASE)

_Analyse: TypeAlias = Callable[[str], list[str]]
_Encode: TypeAlias = Callable[[str, list[str]], bytes]
_EncodeMany: TypeAlias = Callable[[Sequence[str], Sequence[list[str]]], list[bytes]]


_UNINDEXED = "seq > (SELECT coalesce(max(item_seq), 0) FROM memory_fingerprints)"
_AT_ONCE = 256
"""texts: others wait for the writer meanwhile, some ten milliseconds"""


def index_pending(tx: WriteTx) -> bool:
    """Words and fingerprints for texts that have none, oldest first. True: so many that some may be left."""
    sql = f"SELECT seq, text FROM memory_items WHERE {_UNINDEXED} ORDER BY seq LIMIT ?"
    texts = cast("list[tuple[int, str]]", tx.execute(sql, (_AT_ONCE,)).fetchall())
    if texts:
        _index_texts(tx, texts)
    return len(texts) == _AT_ONCE


def _index_texts(tx: WriteTx, texts: Sequence[tuple[int, str]]) -> None:
    """(seq, text): words for FTS5, and the fingerprint from which an index in memory is loaded, in one analysis."""
    analyse, encode_terms, encode_many, version = _analysis()
    seqs, words = [seq for seq, _ in texts], [text for _, text in texts]
    terms = list(map(analyse, words))
    prints = encode_many(words, terms) if len(texts) >= _MANY else map(encode_terms, words, terms)
    tx.executemany(
        "INSERT OR REPLACE INTO memory_fingerprints VALUES (?, ?, ?)",
        [(seq, version, one) for seq, one in zip(seqs, prints, strict=True)],
    )
    tx.executemany(
        "INSERT INTO memory_fts (rowid, terms) VALUES (?, ?)", list(zip(seqs, map(" ".join, terms), strict=True))
    )


@cache
def _analysis() -> tuple[_Analyse, _Encode, _EncodeMany, int]:
    """Loaded with the first text: whoever only reads a journal need not wait for numpy."""
    from palyra.domain.retrieval.entry import VERSION, encode_many, encode_terms  # noqa: PLC0415 - as said above
    from palyra.domain.retrieval.terms import analyse  # noqa: PLC0415 - as said above

    return analyse, encode_terms, encode_many, VERSION


def forget(tx: WriteTx, seqs: list[int]) -> None:
    """Takes items out. FTS5 only marks their words as deleted: `drop_deleted` removes them."""
    for seq in seqs:
        tx.execute("DELETE FROM memory_fts WHERE rowid = ?", (seq,))
        tx.execute("DELETE FROM memory_vectors WHERE item_seq = ?", (seq,))
        tx.execute("DELETE FROM memory_fingerprints WHERE item_seq = ?", (seq,))


def drop_deleted(tx: WriteTx) -> None:
    """Merges all segments, which leaves out what was only marked as deleted. Once per erasure, however many items."""
    tx.execute("INSERT INTO memory_fts (memory_fts) VALUES ('optimize')")


def clear_index(tx: WriteTx) -> None:
    """Before a replay writes it anew. Vectors stay: they carry the hash of what they were made from."""
    tx.execute("DELETE FROM memory_fingerprints")
    tx.execute("INSERT INTO memory_fts (memory_fts) VALUES ('delete-all')")


def lexical_hits(
    tx: ReadTx, terms: list[str], seer: Seer, limit: int, which: Condition = OPEN
) -> list[tuple[int, float]]:
    """(item seq, bm25 score) of visible items that hold any of the terms, best first.

    What is too new to be indexed scores by the share of the terms it holds."""
    wanted = dict.fromkeys(terms)
    hits = _match(tx, " OR ".join(map(_quoted, wanted)), seer, limit, which)
    best = hits[0][1] if hits else 1.0
    for seq, words in _unindexed(tx, seer, which):
        shared = sum(_holds(words, _tokens(term)) for term in wanted)
        if shared:
            hits.append((seq, best * shared / len(wanted)))
    return sorted(hits, key=lambda hit: (-hit[1], -hit[0]))[:limit]


def sharing_hits(tx: ReadTx, terms: Sequence[str], seer: Seer, limit: int, least: int) -> list[int]:
    """Seqs of visible items that hold a text's telling words: the best `limit` of what is indexed, and as many of what
    is not yet.

    Each kind has places of its own: the scores of one say nothing about those of the other, and what was written a
    moment ago is what a change is most often about. Of these, `least` words have to be shared."""
    wanted = list(dict.fromkeys(terms))
    hits = [seq for seq, _ in _match(tx, " OR ".join(map(_quoted, wanted[:_ASKED])), seer, limit, OPEN)]
    tokens = [_tokens(term) for term in wanted]
    new = [(sum(_holds(words, token) for token in tokens), seq) for seq, words in _unindexed(tx, seer, OPEN)]
    return [seq for shared, seq in sorted(new, reverse=True)[:limit] if shared >= least] + hits


def exact_hits(
    tx: ReadTx, phrases: list[list[str]], prefixes: list[str], seer: Seer, limit: int, which: Condition = OPEN
) -> list[int]:
    """Visible items that hold one of the phrases word by word, or a word that begins with one of the prefixes."""
    wanted = [_quoted(" ".join(phrase)) for phrase in phrases] + [_quoted(prefix) + "*" for prefix in prefixes]
    hits = [seq for seq, _ in _match(tx, " OR ".join(wanted), seer, limit, which)]
    new = [
        seq
        for seq, words in _unindexed(tx, seer, which)
        if any(_holds(words, _tokens(" ".join(phrase))) for phrase in phrases)
        or any(_holds(words, _tokens(prefix), begins=True) for prefix in prefixes)
    ]
    return (new + hits)[:limit]


def _unindexed(tx: ReadTx, seer: Seer, which: Condition) -> list[tuple[int, str]]:
    """(seq, its words as FTS5 would split them) of visible items that are too new for it, newest first."""
    where, bindings = visible_clause(seer)
    conditions, more = which
    rows = tx.execute(
        f"SELECT seq, text FROM memory_items WHERE {_UNINDEXED} AND {where} AND {conditions} ORDER BY seq DESC",
        (*bindings, *more),
    ).fetchall()
    if not rows:
        return []
    analyse = _analysis()[0]
    return [(cast("int", seq), _tokens(" ".join(analyse(cast("str", text))))) for seq, text in rows]


def _tokens(terms: str) -> str:
    """As FTS5's ascii tokenizer splits them, each between spaces."""
    return f" {' '.join(_TOKEN.findall(terms))} "


def _holds(words: str, wanted: str, *, begins: bool = False) -> bool:
    return (wanted[:-1] if begins else wanted) in words if len(wanted) > 2 else False


def _match(tx: ReadTx, expression: str, seer: Seer, limit: int, which: Condition) -> list[tuple[int, float]]:
    if not expression:
        return []
    where, bindings = visible_clause(seer)
    conditions, more = which
    rows = tx.execute(
        "SELECT seq, -bm25(memory_fts) FROM memory_fts JOIN memory_items ON seq = memory_fts.rowid"
        f" WHERE memory_fts MATCH ? AND {where} AND {conditions} ORDER BY 2 DESC, 1 DESC LIMIT ?",
        (expression, *bindings, *more, limit),
    )
    return [cast("tuple[int, float]", row) for row in rows]


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'
