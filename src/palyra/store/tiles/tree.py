"""Stored nodes of the Merkle tree: every perfect subtree of 256, 65,536, … leaves, written once when it fills.

Everything in between is computed from at most a few hundred stored hashes, so proofs and start-up cost the
same at a thousand events and at a hundred million.
"""

from collections.abc import Callable, Sequence
from typing import cast

from palyra.core.errors import Integrity
from palyra.core.merkle import Frontier, fold, frontier_nodes, leaf_hash, leaf_hashes, node_hash
from palyra.store.connection import ReadTx, WriteTx

TILE_LEVELS = 8
TILE_WIDTH = 1 << TILE_LEVELS
_PUT = "INSERT INTO journal_tree VALUES (?, ?, ?)"


def put_tile(tx: WriteTx, tiles: Frontier, event_hashes: Sequence[bytes]) -> Frontier:
    """The frontier over tiles with a full one more, having stored the root of every tile of tiles it fills."""
    root = node = fold(leaf_hashes(event_hashes))
    index, level, nodes = tiles.size, TILE_LEVELS, list(tiles.nodes)
    tx.execute(_PUT, (level, index, root))
    while index & 1:
        node = node_hash(nodes.pop(), node)
        index, level = index >> 1, level + 1
        if level % TILE_LEVELS == 0:
            tx.execute(_PUT, (level, index, node))
    longer = tiles.copy()
    longer.append(root)
    return longer


def read_tiles(tx: ReadTx, size: int) -> tuple[Frontier, list[bytes]]:
    """The frontier over complete tiles, and the event hashes since."""
    count = size // TILE_WIDTH
    read = node_reader(tx)
    tiles = Frontier(count, [read(level + TILE_LEVELS, index) for level, index in frontier_nodes(count)])
    rows = tx.execute(
        "SELECT hash FROM journal_events WHERE seq > ? AND seq <= ? ORDER BY seq", (count * TILE_WIDTH, size)
    )
    tile = [cast("bytes", row[0]) for row in rows]
    if len(tile) != size % TILE_WIDTH:
        raise _lacks(size % TILE_WIDTH - len(tile), 0, count * TILE_WIDTH)
    return tiles, tile


def join_tiles(tiles: Frontier, event_hashes: Sequence[bytes]) -> Frontier:
    """The frontier over all events."""
    rest = Frontier()
    for event_hash in event_hashes:
        rest.append(leaf_hash(event_hash))
    return Frontier(tiles.size * TILE_WIDTH + rest.size, [*tiles.nodes, *rest.nodes])


def root_at(tx: ReadTx, size: int) -> bytes:
    return join_tiles(*read_tiles(tx, size)).root()


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
            hashes = leaf_hashes([cast("bytes", row[0]) for row in rows])
        else:
            rows = tx.execute(
                "SELECT hash FROM journal_tree WHERE level = ? AND idx >= ? AND idx < ? ORDER BY idx",
                (stored_level, first, first + width),
            )
            hashes = [cast("bytes", row[0]) for row in rows]
        if len(hashes) != width:
            raise _lacks(width - len(hashes), stored_level, first)
        return fold(hashes)

    return read


def _lacks(count: int, level: int, first: int) -> Integrity:
    return Integrity(
        f"the Merkle tree lacks {count} nodes of level {level} from {first}",
        hint="palyra journal verify names the first bad event",
    )
