"""How a request that comes again is known: by its id, and by a digest of what it asked, where and in whose name.

Not every write takes an id. Erasing, signing and revoking twice is the same as once; and a token is shown once and kept
nowhere, so that making one cannot be answered again: without an answer, revoke what the list shows and ask anew.
"""

import json
from typing import cast

import msgspec

from palyra.api.operation import AnyOperation
from palyra.core.hashing import Json, sha256
from palyra.core.redact import redact_payload_json
from palyra.domain.journal import Actor, RequestKey
from palyra.domain.scope import Visibility
from palyra.wire.base import Request

_SAID_ELSEWHERE = frozenset({"request_id", "principal", "channel", "session_id", "actor"})


def request_key(operation: AnyOperation, request: Request, standing: Visibility, actor: Actor) -> RequestKey | None:
    """None if the request has no id. What was asked counts, not what became of it: a time to live, not its end."""
    request_id: str | None = getattr(request, "request_id", None)
    if request_id is None:
        return None
    fields = cast("dict[str, Json]", msgspec.to_builtins(request))
    given: Json = {name: value for name, value in fields.items() if value is not None and name not in _SAID_ELSEWHERE}
    place: list[Json] = [standing.channel, standing.session_id, actor.value]
    # Of redacted content: a digest of a short secret could be tried out, salt or no salt.
    asked: list[Json] = [operation.name, *place, redact_payload_json(given)]
    # Plain JSON can say also what is refused later, where the message is better: half a surrogate pair, or NaN.
    return RequestKey(request_id, sha256(json.dumps(asked, sort_keys=True).encode()))
