"""How the sample stands, and whose it is: nobody's own words may lie where removing it would destroy them."""

from dataclasses import dataclass
from enum import StrEnum

from palyra.core.errors import FailedPrecondition
from palyra.domain.events import SAMPLE_PRINCIPAL, DemoMarked
from palyra.store.connection import ReadTx
from palyra.store.upkeep.principals import count_events, demo_states, first_kind

BEGUN, COMPLETE = "begun", "loaded"
"""what the marks of the sample say"""


class DemoState(StrEnum):
    ABSENT = "absent"
    PARTIAL = "partial"
    """loading it was cut off"""
    LOADED = "loaded"
    FOREIGN = "foreign"
    """the principal has data that is not ours"""


@dataclass(frozen=True, slots=True)
class Sample:
    """How the sample stands."""

    state: DemoState
    events: int
    """that hold something"""


def sample_of(tx: ReadTx) -> Sample:
    kind, states = first_kind(tx, SAMPLE_PRINCIPAL), demo_states(tx, SAMPLE_PRINCIPAL)
    if kind is None:
        return Sample(DemoState.ABSENT, 0)
    events = count_events(tx, SAMPLE_PRINCIPAL)
    if kind != DemoMarked.KIND:  # the mark comes before everything else
        return Sample(DemoState.FOREIGN, events)
    return Sample(DemoState.LOADED if COMPLETE in states else DemoState.PARTIAL, events)


def check_ours(sample: Sample, default_principal: str) -> None:
    """FailedPrecondition if somebody else's data is at stake."""
    if default_principal == SAMPLE_PRINCIPAL:
        raise FailedPrecondition(
            f"{SAMPLE_PRINCIPAL!r} is the owner of this installation (memory.default_principal), so the sample cannot"
            " use it",
            hint="choose another memory.default_principal",
        )
    if sample.state is DemoState.FOREIGN:
        raise FailedPrecondition(
            f"{SAMPLE_PRINCIPAL!r} has {sample.events} events that are not the sample's; nothing was changed",
            hint=f"palyra journal list --principal {SAMPLE_PRINCIPAL} shows them; the sample needs the name for itself",
        )


def check_not_the_sample(sample: Sample, default_principal: str) -> None:
    """FailedPrecondition unless the name is somebody's own: what was said in the sample would go with it."""
    if default_principal == SAMPLE_PRINCIPAL or sample.state is DemoState.FOREIGN:
        return
    raise FailedPrecondition(
        f"{SAMPLE_PRINCIPAL} is the sample history, to look at: nothing of yours is written there, because removing"
        " the sample would destroy it",
        hint=f"go back to your own memory: {default_principal}, which is meant without --principal",
    )
