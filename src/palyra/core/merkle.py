"""RFC 6962 Merkle tree: frontier, proofs, verification. Pure; where stored nodes come from is an argument.

A *perfect* node (level, index) covers the 2**level leaves from index * 2**level. Any range of leaves is a
short list of perfect nodes, so a frontier is one hash per set bit of the size, and appending is constant work.
"""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

_sha256 = hashlib.sha256

Node: TypeAlias = tuple[int, int]
"""(level, index)"""
ReadNode: TypeAlias = Callable[[int, int], bytes]
"""hash of the perfect node (level, index)"""

EMPTY_ROOT = _sha256(b"").digest()


def leaf_hash(data: bytes) -> bytes:
    return _sha256(b"\x00" + data).digest()


def leaf_hashes(leaves: Iterable[bytes]) -> list[bytes]:
    """`leaf_hash` of each, written out: a call would cost a sixth more, once per event on the only writer."""
    return [_sha256(b"\x00" + data).digest() for data in leaves]


def node_hash(left: bytes, right: bytes) -> bytes:
    return _sha256(b"\x01" + left + right).digest()


class Frontier:
    """The perfect subtrees of the first `size` leaves, largest first."""

    __slots__ = ("nodes", "size")

    def __init__(self, size: int = 0, nodes: Iterable[bytes] = ()) -> None:
        self.size = size
        self.nodes = list(nodes)

    def copy(self) -> "Frontier":
        return Frontier(self.size, self.nodes)

    def append(self, leaf: bytes) -> bytes:
        """Adds a leaf hash; returns the hash of the largest perfect subtree it completed."""
        size, nodes = self.size, self.nodes
        while size & 1:
            leaf = node_hash(nodes.pop(), leaf)
            size >>= 1
        nodes.append(leaf)
        self.size += 1
        return leaf

    def root(self) -> bytes:
        if not self.nodes:
            return EMPTY_ROOT
        root = self.nodes[-1]
        for node in reversed(self.nodes[:-1]):
            root = node_hash(node, root)
        return root


def frontier_nodes(size: int) -> list[Node]:
    """Which perfect nodes make up the first `size` leaves."""
    nodes: list[Node] = []
    start = 0
    for level in range(size.bit_length() - 1, -1, -1):
        if size >> level & 1:
            nodes.append((level, start >> level))
            start += 1 << level
    return nodes


def fold(hashes: Sequence[bytes]) -> bytes:
    """Root of a power-of-two run of sibling hashes."""
    while len(hashes) > 1:
        lefts = iter(hashes)
        # `node_hash` written out, for the same reason as in `leaf_hashes`.
        hashes = [_sha256(b"\x01" + left + right).digest() for left, right in zip(lefts, lefts, strict=True)]
    return hashes[0]


def root_of(leaf_hashes: Sequence[bytes]) -> bytes:
    frontier = Frontier()
    for leaf in leaf_hashes:
        frontier.append(leaf)
    return frontier.root()


def inclusion_proof(index: int, size: int, read: ReadNode) -> list[bytes]:
    """Audit path for leaf `index` (from 0) in the tree of `size` leaves, bottom up."""
    path: list[bytes] = []
    low, high = 0, size
    while high - low > 1:
        split = low + _split(high - low)
        if index < split:
            path.append(_range_root(split, high, read))
            high = split
        else:
            path.append(_range_root(low, split, read))
            low = split
    return path[::-1]


def consistency_proof(old_size: int, size: int, read: ReadNode) -> list[bytes]:
    """RFC 6962 section 2.1.2; empty when old_size is 0 or equals size."""
    path: list[bytes] = []
    low, high, whole = 0, size, True
    if old_size in (0, size):
        return path
    while old_size != high:
        split = low + _split(high - low)
        if old_size <= split:
            path.append(_range_root(split, high, read))
            high = split
        else:
            path.append(_range_root(low, split, read))
            low, whole = split, False
    if not whole:
        path.append(_range_root(low, high, read))
    return path[::-1]


def verify_inclusion(index: int, size: int, leaf: bytes, path: Sequence[bytes], root: bytes) -> bool:
    if not 0 <= index < size or not _are_hashes(leaf, root, *path):
        return False
    position, last, current = index, size - 1, leaf
    for sibling in path:
        if last == 0:
            return False
        if position & 1 or position == last:
            current = node_hash(sibling, current)
            while not position & 1 and position:
                position >>= 1
                last >>= 1
        else:
            current = node_hash(current, sibling)
        position >>= 1
        last >>= 1
    return last == 0 and current == root


def verify_consistency(old_size: int, size: int, old_root: bytes, root: bytes, path: Sequence[bytes]) -> bool:
    """A proof from an empty tree says nothing, so it is refused unless both trees are empty."""
    if not 0 <= old_size <= size or not _are_hashes(old_root, root, *path):
        return False
    if old_size == size:
        return not path and old_root == root
    if old_size == 0 or not path:
        return False
    nodes = list(path)
    if old_size & (old_size - 1) == 0:
        nodes.insert(0, old_root)
    position, last = old_size - 1, size - 1
    while position & 1:
        position >>= 1
        last >>= 1
    old_current = current = nodes[0]
    for sibling in nodes[1:]:
        if last == 0:
            return False
        if position & 1 or position == last:
            old_current = node_hash(sibling, old_current)
            current = node_hash(sibling, current)
            while not position & 1 and position:
                position >>= 1
                last >>= 1
        else:
            current = node_hash(current, sibling)
        position >>= 1
        last >>= 1
    return last == 0 and old_current == old_root and current == root


def _are_hashes(*values: bytes) -> bool:
    return all(len(value) == 32 for value in values)


def _split(size: int) -> int:
    """Largest power of two below `size`."""
    return 1 << (size - 1).bit_length() - 1


def _range_root(low: int, high: int, read: ReadNode) -> bytes:
    width = high - low
    if width & (width - 1) == 0:
        level = width.bit_length() - 1
        return read(level, low >> level)
    split = low + _split(width)
    return node_hash(_range_root(low, split, read), _range_root(split, high, read))
