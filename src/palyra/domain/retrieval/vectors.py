"""What a vector is here: float32 of unit length, checked where it comes in."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from palyra.core.errors import InvalidArgument

Floats: TypeAlias = NDArray[np.float32]
Rows: TypeAlias = NDArray[np.int64]
Mask: TypeAlias = NDArray[np.bool_]

UNIT_TOLERANCE = 1e-3


def unit_rows(vectors: Floats, dims: int) -> Floats:
    """`vectors` as float32 (n, dims), or InvalidArgument that says which one is wrong and how."""
    vectors = np.asarray(vectors, dtype=np.float32)
    if vectors.ndim != 2 or vectors.shape[1] != dims:
        raise InvalidArgument(
            f"vectors of shape {vectors.shape} where (n, {dims}) is stored",
            hint="embed with the model that made the stored vectors, or re-embed them",
        )
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    # Written so that NaN, which compares false with everything, counts as wrong.
    wrong = np.flatnonzero(~(np.abs(lengths - 1.0) <= UNIT_TOLERANCE))
    if len(wrong):
        raise InvalidArgument(
            f"vector {int(wrong[0])} has length {float(lengths[wrong[0]])}, not 1",
            hint="vectors must be finite and of unit length",
        )
    return vectors
