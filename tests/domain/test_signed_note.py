import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from palyra.core.errors import Integrity
from palyra.domain.signed_note import (
    Checkpoint,
    VerifierKey,
    join_notes,
    parse_checkpoint,
    sign_checkpoint,
    split_notes,
)
from palyra.store.keys import check_signature

PRIVATE = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
KEY = VerifierKey("palyra.local/test", PRIVATE.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw))
NOTE = sign_checkpoint(Checkpoint(KEY.name, 42, bytes(range(32))), KEY, PRIVATE.sign)


def test_a_signed_checkpoint_reads_back() -> None:
    assert parse_checkpoint(NOTE, KEY, check_signature) == Checkpoint(KEY.name, 42, bytes(range(32)))


def test_the_c2sp_key_id_matches_the_published_example() -> None:
    # From the signed-note specification: PeterNeumann's key.
    text = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
    assert str(VerifierKey.parse(text)) == text


def test_any_changed_byte_of_a_note_is_refused() -> None:
    data = NOTE.encode()
    for position in range(len(data) - 1):
        changed = bytearray(data)
        changed[position] ^= 1
        with pytest.raises(Integrity):
            parse_checkpoint(changed.decode("utf-8", "replace"), KEY, check_signature)


def test_a_checkpoint_of_another_journal_is_refused() -> None:
    other = VerifierKey("palyra.local/other", KEY.public)
    note = sign_checkpoint(Checkpoint(other.name, 42, bytes(32)), other, PRIVATE.sign)
    with pytest.raises(Integrity, match="not of this journal"):
        parse_checkpoint(note, KEY, check_signature)


def test_a_file_of_notes_splits_into_them_and_keeps_torn_text_apart() -> None:
    notes, rest = split_notes(join_notes([NOTE, NOTE]) + NOTE[:20])
    assert notes == [NOTE, NOTE]
    assert rest == NOTE[:20]
