from pathlib import Path

import pytest

from palyra.core.merkle import (
    consistency_proof,
    inclusion_proof,
    leaf_hash,
    root_of,
    verify_consistency,
    verify_inclusion,
)
from palyra.domain.journal import EventDraft
from palyra.store.connection import ReadTx
from palyra.store.journal import walk_events
from palyra.store.tiles.tree import node_reader, root_at
from palyra.store.upkeep.integrity import journal_size
from support import ANA, a_store


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """70,000 events: two levels of tiles, and a rest."""
    root = tmp_path_factory.mktemp("tree")
    with a_store(root) as store:
        prepared = store.prepare(EventDraft("test.happened", {"n": 1}, ANA))
        for _ in range(14):
            store.db.write_now(lambda tx: store.chain.append(tx, [prepared] * 5_000))
    return root


@pytest.mark.parametrize("size", [0, 1, 2, 255, 256, 257, 511, 512, 65_535, 65_536, 65_537, 70_000])
def test_the_stored_tree_gives_the_root_of_any_size(journal: Path, size: int) -> None:
    with a_store(journal) as store:
        leaves = store.db.read_now(lambda tx: [leaf_hash(record.hash) for record in walk_events(tx, 0, size)])
        assert store.db.read_now(lambda tx: root_at(tx, size)) == root_of(leaves)


def test_proofs_from_the_stored_tree_hold(journal: Path) -> None:
    with a_store(journal) as store:
        size = store.db.read_now(journal_size)
        root = store.chain.root()
        for index in (0, 1, 254, 255, 256, 40_000, 65_535, 65_536, size - 1):

            def prove(tx: ReadTx, index: int = index) -> tuple[bytes, list[bytes]]:
                reader = node_reader(tx)
                return reader(0, index), inclusion_proof(index, size, reader)

            leaf, path = store.db.read_now(prove)
            assert verify_inclusion(index, size, leaf, path, root)
        for old in (1, 255, 256, 257, 65_536, 65_999, size - 1, size):

            def consistent(tx: ReadTx, old: int = old) -> tuple[bytes, list[bytes]]:
                return root_at(tx, old), consistency_proof(old, size, node_reader(tx))

            old_root, path = store.db.read_now(consistent)
            assert verify_consistency(old, size, old_root, root, path)


def test_reopening_goes_on_with_the_same_tree(journal: Path) -> None:
    with a_store(journal) as store:
        before = store.chain.root()
    with a_store(journal) as store:
        assert store.chain.root() == before
