"""The journal's Ed25519 key: a 32-byte seed in a 0600 file, never in the database."""

import secrets
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from palyra.core.errors import FailedPrecondition, Integrity
from palyra.domain.signed_note import VerifierKey
from palyra.store.connection import to_error
from palyra.store.datadir import write_durably

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

_SEED_BYTES = 32


def create_key(path: Path) -> None:
    write_durably(path, secrets.token_bytes(_SEED_BYTES).hex().encode() + b"\n")


def prepare_to_sign() -> None:
    """Loads what signing needs: 40 ms and more, once."""
    import_module("cryptography.hazmat.primitives.asymmetric.ed25519")
    import_module("cryptography.hazmat.primitives.serialization")


def public_key(path: Path) -> bytes:
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat  # noqa: PLC0415 - 40 ms, rarely needed

    return _load(path).public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)


def sign(path: Path, message: bytes, expected: VerifierKey) -> bytes:
    """Signs with the key at `path`, once it is known to be the one this journal names."""
    key = _load(path)
    if public_key(path) != expected.public:
        raise FailedPrecondition(
            f"{path} is not the key of this journal", hint="put the right file back, for example from a backup"
        )
    return key.sign(message)


def check_signature(public: bytes, signature: bytes, message: bytes) -> bool:
    from cryptography.exceptions import InvalidSignature  # noqa: PLC0415 - 40 ms, rarely needed
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey  # noqa: PLC0415

    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def _load(path: Path) -> "Ed25519PrivateKey":
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey as Key  # noqa: PLC0415

    try:
        seed = bytes.fromhex(path.read_text("ascii").strip())
    except FileNotFoundError:
        raise FailedPrecondition(
            f"the signing key {path} is missing",
            hint="copy keys/checkpoint.key back from a backup; appending and verifying work without it",
        ) from None
    except OSError as error:
        raise to_error(error, path) from error
    except ValueError:
        seed = b""
    if len(seed) != _SEED_BYTES:
        raise Integrity(f"{path} does not hold a 32-byte key in hex", hint="copy it back from a backup")
    return Key.from_private_bytes(seed)
