"""Operations on the mirror in an external engine: the rows. What they do is in `handlers/external.py`."""

from palyra.api.operation import Operation
from palyra.domain.access import Access, Capability
from palyra.wire import external as wire

_OPERATE = Capability.OPERATE

status = Operation(
    "external.status", "GET", "/v1/memory/external", wire.GetExternalStatus, wire.ExternalStatus, _OPERATE, Access.OWN,
    "How the mirror of the vectors stands, and how it keeps what is promised of it.",
)  # fmt: skip
drift = Operation(
    "external.drift", "POST", "/v1/memory/external/drift", wire.FindDrift, wire.ExternalDrift, _OPERATE, Access.OWN,
    "Compare what the engine has with what it should have, by content.",
)  # fmt: skip
reconcile = Operation(
    "external.reconcile", "POST", "/v1/memory/external/reconcile", wire.Reconcile, wire.Reconciled, _OPERATE,
    Access.OWN, "Compare, and put right what differs.",
)  # fmt: skip
rebuild = Operation(
    "external.rebuild", "POST", "/v1/memory/external/rebuild", wire.RebuildExternal, wire.Mirrored, _OPERATE,
    Access.OWN, "Mirror everything anew; searches go on meanwhile.",
)  # fmt: skip
OPERATIONS = (status, drift, reconcile, rebuild)
