"""Stored nodes of the Merkle tree: every perfect subtree of 256, 65,536, … leaves, written once when it fills.

Everything in between is computed from at most a few hundred stored hashes, so proofs and start-up cost the
same at a thousand events and at a hundred million.
"""

from collections.abc import Callable
from typing import cast

from palyra.core.errors import Integrity
from palyra.core.merkle import Frontier, fold, frontier_nodes, leaf_hash, node_hash
from palyra.store.connection import ReadTx, WriteTx

TILE_LEVELS = 8
TILE_WIDTH = 1 << TILE_LEVELS


def complete_tile(tx: WriteTx, frontier: Frontier, leaf: bytes) -> None:
    """Adds the leaf that fills a tile, and stores the root of every tile it fills."""
    node, level, index, nodes = leaf, 0, frontier.size, list(frontier.nodes)
    while index & 1:
        node = node_hash(nodes.pop(), node)
        level, index = level + 1, index >> 1
        if level % TILE_LEVELS == 0:
            tx.execute("INSERT INTO journal_tree VALUES (?, ?, ?)", (level, index, node))
    frontier.append(leaf)


def read_frontier(tx: ReadTx, size: int) -> Frontier:
    read = node_reader(tx)
    return Frontier(size, [read(level, index) for level, index in frontier_nodes(size)])


def root_at(tx: ReadTx, size: int) -> bytes:
    return read_frontier(tx, size).root()


def node_reader(tx: ReadTx) -> Callable[[int, int], bytes]:
    """Reads perfect nodes of any level, from the nearest stored level below."""

    def read(level: int, index: int) -> bytes:
        stored_level = level - level % TILE_LEVELS
        width = 1 << (level - stored_level)
        first = index * width
        if stored_level == 0:
            rows = tx.execute(
                "SELECT hash FROM journal_events WHERE seq > ? AND seq <= ? ORDER BY seq", (first, first + width)
            )
            hashes = [leaf_hash(cast("bytes", row[0])) for row in rows]
        else:
            rows = tx.execute(
                "SELECT hash FROM journal_tree WHERE level = ? AND idx >= ? AND idx < ? ORDER BY idx",
                (stored_level, first, first + width),
            )
            hashes = [cast("bytes", row[0]) for row in rows]
        if len(hashes) != width:
            raise Integrity(
                f"the Merkle tree lacks {width - len(hashes)} nodes of level {stored_level} from {first}",
                hint="palyra journal verify names the first bad event",
            )
        return fold(hashes)

    return read
