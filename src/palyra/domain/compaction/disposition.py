"""What becomes of a candidate, for every planner: decided by where its evidence comes from, in one place.

The order is the point. What must not be written is found before what need not be; only then counts who said it.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from palyra.core.redact import EVERYTHING, find_spans, mask, redact_text
from palyra.domain.classify import category_of, holds_account, risks_in
from palyra.domain.compaction.plan import Disposition
from palyra.domain.labels import Category
from palyra.domain.memory import Trust

Known: TypeAlias = Callable[[str], bool]
"""whether a text is remembered already"""


@dataclass(frozen=True, slots=True)
class Disposed:
    disposition: Disposition
    reason: str
    text: str
    """as it may be shown: what is sensitive in a blocked one is masked"""


def nothing_known(_text: str) -> bool:
    return False


def dispose(
    text: str, trust: Trust, confidence_bps: int, known: Known, auto_write_bps: int, *, is_supported: bool = True
) -> Disposed:
    """`trust` is that of the least trusted evidence. `is_supported`: the evidence says all that the text says."""
    if is_private(text):
        masked = redact_text(text, EVERYTHING).text
        return Disposed(Disposition.BLOCKED_SENSITIVE, "it holds a secret or an account number", masked)
    if _MARKER.search(text):
        return Disposed(Disposition.BLOCKED_POISONED, "it holds a mark of a managed block", text)
    risks = ", ".join(risks_in(text))
    if risks and trust > Trust.OWNER:
        return Disposed(Disposition.BLOCKED_POISONED, f"it reads like instructions ({risks}), from {trust.label}", text)
    if category_of(text) is Category.TRANSIENT:
        return Disposed(Disposition.SKIPPED_NOISE, "it says nothing that lasts", text)
    if known(text):
        return Disposed(Disposition.SKIPPED_DUPLICATE, "it is remembered already", text)
    doubt = _doubt(trust, risks, is_supported=is_supported)
    if not doubt and confidence_bps < auto_write_bps:
        doubt = f"confidence {confidence_bps} is below {auto_write_bps}"
    if doubt:
        return Disposed(Disposition.REVIEW_REQUIRED, doubt, text)
    return Disposed(Disposition.AUTO_WRITE, "the owner's own words", text)


def is_private(text: str) -> bool:
    """Whether a text is too private even for a summary: a credential, or what opens an account or an identity."""
    return _MASK_START in text or holds_account(find_spans(text))


_MARKER = re.compile(r"<!--|-->|\bPALYRA:", re.IGNORECASE)
_MASK_START = mask("secret.").removesuffix("]")


def _doubt(trust: Trust, risks: str, *, is_supported: bool) -> str:
    if trust > Trust.OWNER:
        return f"it comes from {trust.label}, not from the owner"
    if not is_supported:
        return "it says more than its evidence"
    if risks:
        return f"it reads like instructions ({risks})"
    return ""
