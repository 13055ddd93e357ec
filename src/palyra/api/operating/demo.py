"""Operations on the sample history: the rows. What they do is in `handlers/demo.py`."""

from palyra.api.operation import Operation
from palyra.domain.access import Access, Capability
from palyra.wire import demo as wire

_OPERATE = Capability.OPERATE

load = Operation(
    "demo.load", "POST", "/v1/demo/load", wire.LoadDemo, wire.DemoLoaded, _OPERATE, Access.OWN,
    "Load a sample history in a principal of its own; once it is there, nothing happens.",
    of_everyone=True, makes_store=True,
)  # fmt: skip
remove = Operation(
    "demo.remove", "POST", "/v1/demo/remove", wire.RemoveDemo, wire.DemoRemoved, _OPERATE, Access.OWN,
    "Destroy every trace of the sample's text; the chain stays whole.", of_everyone=True,
)  # fmt: skip
status = Operation(
    "demo.status", "GET", "/v1/demo", wire.GetDemoStatus, wire.DemoStatus, _OPERATE, Access.READ,
    "Whether the sample history is there.",
)  # fmt: skip

OPERATIONS = (load, remove, status)
