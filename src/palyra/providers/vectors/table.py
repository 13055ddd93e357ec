"""Every vector index by its name."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from palyra.ports import VectorIndex
from palyra.providers.vectors.exact import ExactVectorIndex

DEFAULT = "exact"

VECTOR_INDEXES: Mapping[str, Callable[[int], VectorIndex]] = MappingProxyType({"exact": ExactVectorIndex})
"""made with the number of dims"""
