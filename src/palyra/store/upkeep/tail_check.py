"""The quick check at every start: the last events, and the newest signed checkpoint. Constant work at any size."""

from pathlib import Path
from typing import cast

from palyra.core.errors import Integrity, PalyraError
from palyra.domain.signed_note import root_of_note
from palyra.store.checkpoints import last_checkpoint, read_note_file, size_of
from palyra.store.connection import ReadTx
from palyra.store.tiles.tree import TILE_WIDTH, root_at
from palyra.store.upkeep.verify import walk_range

_HINT = "palyra journal verify shows the damage; palyra backup restore brings back a good state"


def check_tail(tx: ReadTx, checkpoint_file: Path) -> PalyraError | None:
    """Why this journal must not be written to, if it must not."""
    row = tx.execute("SELECT coalesce(max(seq), 0) FROM journal_events").fetchone()
    size = cast("int", row[0]) if row else 0
    first = max(1, (size - 1) // TILE_WIDTH * TILE_WIDTH + 1 - TILE_WIDTH)
    report = walk_range(tx, first, size)
    if report.findings:
        finding = report.findings[0]
        return Integrity(f"the journal is damaged: {finding.message}", hint=_HINT, seq=finding.seq)
    newest = last_checkpoint(tx)
    outside, _ = read_note_file(checkpoint_file)
    for note in [newest[2]] if newest else [], outside[-1:]:
        for text in note:
            signed = size_of(text)
            if signed > size:
                return Integrity(
                    f"the journal ends at event {size}, but a checkpoint was signed for {signed} events",
                    hint=_HINT,
                    seq=size + 1,
                )
            if root_at(tx, signed) != root_of_note(text):
                return Integrity(
                    f"the first {signed} events are not the ones a checkpoint was signed for", hint=_HINT, seq=signed
                )
    return None
