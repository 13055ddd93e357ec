"""What travels beside a message: who is calling on the way in, what went wrong on the way out."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import msgspec

from palyra.core.errors import InvalidArgument, PalyraError
from palyra.domain.journal import check_identifier
from palyra.transports.observe import public_body

_AUTHORIZATION, _PRINCIPAL = "authorization", "x-palyra-principal"
_CHANNEL, _DEVICE = "x-palyra-channel", "x-palyra-device-id"

_SHOWN_BYTES = 600
"""of each text of an error: clients refuse an answer whose metadata is longer than 8 KiB, and see no error at all"""


@dataclass(frozen=True, slots=True)
class Identity:
    """What a caller says about itself. Whether that is so is the gate's to say."""

    authorization: str | None
    principal: str | None
    channel: str | None


def read_identity(metadata: Iterable[tuple[str, str | bytes]]) -> Identity:
    """One value per name: of two, nobody could say which was meant."""
    found: dict[str, str] = {}
    for name, value in metadata:
        if name not in (_AUTHORIZATION, _PRINCIPAL, _CHANNEL, _DEVICE):
            continue
        if name in found:
            raise InvalidArgument(f"the metadata holds {name} twice", hint="send it once")
        found[name] = value if isinstance(value, str) else value.decode("utf-8", "replace")
    if _DEVICE in found:
        check_identifier(found[_DEVICE], "device id")
    return Identity(found.get(_AUTHORIZATION), found.get(_PRINCIPAL), found.get(_CHANNEL))


def describe(error: PalyraError, request_id: str) -> tuple[str, tuple[tuple[str, str | bytes], ...]]:
    """The details and the trailing metadata of a status: the message, our code, and the one shape of an error."""
    body = _shortened(public_body(error, request_id))
    return body["error"]["message"], (("palyra-code", error.code), ("palyra-error-bin", msgspec.json.encode(body)))


def _shortened(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _shortened(entry) for name, entry in value.items()}
    return _cut(value) if isinstance(value, str) else value


def _cut(text: str) -> str:
    raw = text.encode("utf-8", "replace")
    return raw.decode() if len(raw) <= _SHOWN_BYTES else raw[:_SHOWN_BYTES].decode("utf-8", "ignore") + "…"
