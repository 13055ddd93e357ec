"""Operations on API tokens: the rows. What they do is in `handlers/access.py`."""

from palyra.api.operation import Operation
from palyra.domain.access import Access, Capability
from palyra.wire import access as wire

create = Operation(
    "token.create", "POST", "/v1/tokens", wire.CreateToken, wire.TokenMade, Capability.OPERATE, Access.OWN,
    "Make a token. The answer is the only place where it is ever shown.", makes_store=True,
)  # fmt: skip
list_ = Operation(
    "token.list", "GET", "/v1/tokens", wire.ListTokens, wire.TokenPage, Capability.OPERATE, Access.READ,
    "Every token, also those expired and revoked.",
)  # fmt: skip
revoke = Operation(
    "token.revoke", "POST", "/v1/tokens/{token_id}/revoke", wire.RevokeToken, wire.TokenInfo, Capability.OPERATE,
    Access.OWN, "Make a token useless, from now on.",
)  # fmt: skip

OPERATIONS = (create, list_, revoke)
