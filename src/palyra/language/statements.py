"""What was said, and what is read out of it. The words every part of this package speaks in."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Vectors: TypeAlias = npt.NDArray[np.float32]
Encode: TypeAlias = Callable[[Sequence[str]], Vectors]
"""texts to rows of length one; an encoder arrives as an argument, and everything here works without one"""

WRITTEN_BPS = 9_000
"""at or above: written at once"""


class Role(StrEnum):
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    SYSTEM = "system"


class Kind(StrEnum):
    FACT = "fact"
    PREFERENCE = "preference"
    PROCEDURE = "procedure"
    DECISION = "decision"
    CONSTRAINT = "constraint"


@dataclass(frozen=True, slots=True)
class ToldTurn:
    """A turn as it was said."""

    role: Role
    text: str
    said_at_ms: int
    speaker: str | None = None


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing a turn states, standing alone, with how sure it is that it is worth keeping."""

    text: str
    kind: Kind
    confidence_bps: int
    """on the fitted scale: WRITTEN_BPS is the operating point of what is written"""
    probability: float
    """calibrated: that a careful person would have noted it"""
    spans: tuple[tuple[int, int], ...]
    """where in the turn it stands"""
    change: float
    """probability that the words as they were said change something said before"""
    standing: float
    """probability that it holds for every answer: a preference, a constraint, a procedure"""
    subject: str = ""
    valid_from_ms: int | None = None
    valid_to_ms: int | None = None
    agreed: tuple[tuple[int, int], ...] = ()
    """where in the assistant's turn just before it stands, if the person's words only agree to it"""
    because: str = ""
    """why it is not worth more, in a word of `reasons`"""


@dataclass(frozen=True, slots=True)
class Known:
    """A statement that was kept earlier, as far as comparing needs it."""

    key: Any
    text: str
    said: str
    """the words it was read from, as they were said"""
    said_at_ms: int
    kind: Kind | None = None
    before: tuple[str, ...] = ()
    """texts of what it replaced, newest first"""
