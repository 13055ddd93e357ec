"""What a search asks of a mirror elsewhere, if there is one: candidates by meaning, which it re-reads itself."""

from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from palyra.domain.scope import Visibility
from palyra.store.connection import ReadTx

AskedVector: TypeAlias = Callable[[ReadTx], npt.NDArray[np.float32] | None]
"""what to compare with; None: the model gave none"""


class Proposals(Protocol):
    def believed(self, tx: ReadTx) -> Sequence[int] | None:
        """Versions worth comparing: proposed and found to be what they were said to be, or too new to be known there.

        None: the engine did not answer, or not well; the local index is complete without it."""


class ExternalSearch(Protocol):
    async def propose(self, seer: Visibility, asked: AskedVector) -> Proposals | None:
        """None: there is nothing to ask. Never raises, and never takes longer than it is allowed to."""
