"""Operations on the web console's door: the rows. What they do is in `handlers/console.py`."""

from palyra.api.operation import Operation
from palyra.domain.access import Access, Capability
from palyra.wire import console as wire

link = Operation(
    "console.link", "POST", "/v1/console/link", wire.NewLink, wire.LoginLink, Capability.OWN, Access.READ,
    "A link that signs one browser in, once.",
)  # fmt: skip
password = Operation(
    "console.password", "POST", "/v1/console/password", wire.SetPassword, wire.PasswordSet, Capability.OWN, Access.OWN,
    "Set or remove the console's password. Everybody is signed out.", makes_store=True,
)  # fmt: skip

places = Operation(
    "console.places", "GET", "/v1/console/places", wire.ListPlaces, wire.Places, Capability.OPERATE, Access.READ,
    "Which principals and channels there are, and how much each of them has.", of_everyone=True,
)  # fmt: skip

OPERATIONS = (link, password, places)
