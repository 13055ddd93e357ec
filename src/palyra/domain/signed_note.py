"""Signed checkpoints in the C2SP form: a signed note whose text is origin, size and root.

    palyra.local/01JD…            origin: which journal
    1000                          size: how many events
    CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=      root of the RFC 6962 tree

    — palyra.local/01JD… base64(key id, 4 bytes, then the Ed25519 signature)

Pure text work; signing and checking signatures are given as functions.
"""

import base64
import binascii
import hashlib
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from palyra.core.errors import Integrity

Sign: TypeAlias = Callable[[bytes], bytes]
CheckSignature: TypeAlias = Callable[[bytes, bytes, bytes], bool]
"""(public key, signature, message)"""

_ED25519 = b"\x01"
_NOTE = re.compile(r"^([^\n]+\n[0-9]+\n[^\n]+\n\n(?:— [^\n]+\n)+)\n", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    origin: str
    size: int
    root: bytes

    def text(self) -> str:
        return f"{self.origin}\n{self.size}\n{base64.b64encode(self.root).decode()}\n"


@dataclass(frozen=True, slots=True)
class VerifierKey:
    """`name+hex(key id)+base64(0x01, public key)`: the C2SP text form."""

    name: str
    public: bytes

    @property
    def key_id(self) -> bytes:
        return hashlib.sha256(self.name.encode() + b"\n" + _ED25519 + self.public).digest()[:4]

    def __str__(self) -> str:
        return f"{self.name}+{self.key_id.hex()}+{base64.b64encode(_ED25519 + self.public).decode()}"

    @classmethod
    def parse(cls, text: str) -> "VerifierKey":
        name, _, rest = text.strip().partition("+")
        key_id, _, encoded = rest.partition("+")
        try:
            data = base64.b64decode(encoded, validate=True)
        except binascii.Error:
            data = b""
        key = cls(name, data[1:])
        if not name or len(data) != 33 or data[:1] != _ED25519 or key.key_id.hex() != key_id:
            raise Integrity(f"{text[:80]!r} is not an Ed25519 verifier key", hint="expected name+keyid+base64")
        return key


def sign_checkpoint(checkpoint: Checkpoint, key: VerifierKey, sign: Sign) -> str:
    text = checkpoint.text()
    signature = base64.b64encode(key.key_id + sign(text.encode())).decode()
    return f"{text}\n— {key.name} {signature}\n"


def parse_checkpoint(note: str, key: VerifierKey, check: CheckSignature) -> Checkpoint:
    """The checkpoint, once its signature by `key` has been checked. Raises Integrity with the reason."""
    text, separator, signatures = note.partition("\n\n")
    text += "\n"
    lines = text.split("\n")
    if (
        not separator
        or len(lines) != 4
        or not lines[1].isascii()
        or not lines[1].isdigit()
        or str(int(lines[1])) != lines[1]
    ):
        raise Integrity("not a checkpoint: expected origin, size, root, an empty line and a signature")
    checkpoint = Checkpoint(lines[0], int(lines[1]), _decode(lines[2]))
    if len(checkpoint.root) != 32 or checkpoint.text() != text:
        raise Integrity(f"checkpoint of size {lines[1]}: root is not a canonical base64 SHA-256")
    if checkpoint.origin != key.name:
        raise Integrity(
            f"checkpoint of size {checkpoint.size} is of {checkpoint.origin!r}, not of this journal {key.name!r}"
        )
    for line in signatures.rstrip("\n").split("\n"):
        dash, _, rest = line.partition(" ")
        name, _, encoded = rest.partition(" ")
        data = _decode(encoded)
        if dash == "—" and name == key.name and data[:4] == key.key_id and check(key.public, data[4:], text.encode()):
            return checkpoint
    raise Integrity(f"checkpoint of size {checkpoint.size}: no valid signature by {key}")


def split_notes(text: str) -> tuple[list[str], str]:
    """The notes of a checkpoint file (each followed by an empty line), and what is left over: torn or foreign text."""
    notes = [match[1] for match in _NOTE.finditer(text)]
    return notes, _NOTE.sub("", text)


def join_notes(notes: Iterable[str]) -> str:
    return "".join(note + "\n" for note in notes)


def _decode(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return b""


def root_of_note(note: str) -> bytes:
    """The root a note claims; its signature is checked by `parse_checkpoint`."""
    return _decode(note.split("\n", 3)[2])
