"""Attachments: a file is looked at, read off the loop, and kept with what was read in it."""

import asyncio
import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Protocol

from palyra.core import limits
from palyra.core.errors import Integrity, NotFound
from palyra.core.hashing import canonical_json
from palyra.core.ids import AttachmentId, EventId
from palyra.core.redact import redact_text
from palyra.domain.chat.attachments import Extracted, Sniffed, StoredAttachment, clean_name, sniff
from palyra.domain.chat.conversation import Image
from palyra.domain.chat.session_events import AttachmentAdded
from palyra.domain.journal import Actor, Decision, Origin, draft_of_event
from palyra.domain.scope import Scope, Visibility
from palyra.ports import ModelInfo
from palyra.services.journal import JournalService
from palyra.services.prompt.context import ImageInput
from palyra.store.connection import ReadTx
from palyra.store.journal_store import JournalStore
from palyra.store.sessions.attachments import fetch_at, fetch_attachment, fetch_blob, put_blob

_TEXT_BYTES = 200_000
"""of the event, as JSON writes it"""
_EVENT_BYTES = 8_192
"""room for the rest of the event"""
_ID = re.compile(r"[0-9a-f]{64}")


class Extractor(Protocol):
    async def extract(self, file: Sniffed, data: bytes) -> Extracted:
        """What can be read in it, off the event loop; InvalidArgument with the reason if it cannot be read.

        Its text is clean, and what is to be kept holds no secret that could be read in it."""


@dataclass(frozen=True, slots=True)
class LoadedAttachment:
    attachment: StoredAttachment
    data: bytes


async def attach(
    store: JournalStore,
    journal: JournalService,
    extractor: Extractor,
    name: str,
    data: bytes,
    caller: Visibility,
    actor: Actor = Actor.USER,
) -> StoredAttachment:
    """Durable when it returns. The same file again at the same place changes nothing; its bytes are kept once."""
    file = sniff(name, data)
    extracted = await extractor.extract(file, data)
    room = max(0, min(_TEXT_BYTES, store.options.max_payload_bytes - _EVENT_BYTES))
    event = await asyncio.to_thread(_event, file, extracted, room)
    place = Scope(caller.principal, caller.channel, caller.session_id)
    wanted = _attachment(event, place)
    origin = Origin(caller.principal, actor, caller.channel, caller.session_id)
    # Redacted already: to look at a long text once more would hold up the writer, and every other write with it.
    draft = draft_of_event(event, origin)._replace(words=())

    def decide(tx: ReadTx) -> Decision[StoredAttachment]:
        known = fetch_at(tx, event.attachment_id, place)
        if known is not None and replace(wanted, seq=known.seq, event_id=known.event_id, at_ms=known.at_ms) == known:
            return Decision((), known)
        return Decision((draft,), wanted)

    committed = await journal.commit(
        decide, follow=lambda tx, _receipts: put_blob(tx, caller.principal, event.attachment_id, extracted.data)
    )
    if not committed.receipts:
        return committed.outcome
    [receipt] = committed.receipts
    return replace(wanted, seq=receipt.seq, event_id=receipt.event_id, at_ms=receipt.recorded_at_ms)


async def load(store: JournalStore, attachment_id: str, caller: Visibility) -> LoadedAttachment:
    """NotFound also for somebody else's: an id is a hash of the bytes, and whoever has a file could ask who has it."""
    hint = "attach the file again"
    missing = NotFound(f"no attachment {attachment_id[:64]!r}", hint=hint)
    if not _ID.fullmatch(attachment_id):
        raise missing

    def read(tx: ReadTx) -> tuple[StoredAttachment | None, bytes | None]:
        return fetch_attachment(tx, attachment_id, caller), fetch_blob(tx, attachment_id, caller)

    attachment, data = await store.db.read(read)
    if attachment is None:
        raise missing
    if data is None or sha256(data).hexdigest() != attachment_id:
        what = "are missing" if data is None else "were changed"
        raise Integrity(f"the bytes of attachment {attachment_id} {what}", hint=hint)
    return LoadedAttachment(attachment, data)


def build_provider_image_inputs(
    loaded: Sequence[LoadedAttachment], info: ModelInfo
) -> tuple[tuple[ImageInput, ...], tuple[tuple[str, str], ...]]:
    """The images that go to the model, and the names of the others with the reasons. What is no image is passed by."""
    images: list[ImageInput] = []
    refused: list[tuple[str, str]] = []
    total_bytes = 0
    for one in loaded:
        attachment = one.attachment
        if not attachment.media_type.startswith("image/"):
            continue
        why = _why_not(one, info, len(images), total_bytes)
        if why:
            refused.append((attachment.name, why))
            continue
        total_bytes += len(one.data)
        images.append(ImageInput(attachment.attachment_id, Image(attachment.media_type, one.data)))
    return tuple(images), tuple(refused)


def _why_not(one: LoadedAttachment, info: ModelInfo, taken: int, total_bytes: int) -> str:
    attachment, size_bytes = one.attachment, len(one.data)
    longer = max(attachment.width or 0, attachment.height or 0)
    reasons = (
        (not info.takes_images, f"the model {info.model} takes no images"),
        (not attachment.is_image, f"{attachment.media_type} is not taken; save it as PNG, JPEG or WebP"),
        (size_bytes > limits.IMAGE_BYTES, f"it has {size_bytes} bytes; the limit is {limits.IMAGE_BYTES}"),
        (not 1 <= longer <= limits.IMAGE_PIXELS, f"it has {longer} pixels a side; the limit is {limits.IMAGE_PIXELS}"),
        (taken >= limits.IMAGES, f"{limits.IMAGES} images go with a message, and this is one more"),
        (
            total_bytes + size_bytes > limits.IMAGES_BYTES,
            f"the images of a message may have {limits.IMAGES_BYTES} bytes together, and with this one they have more",
        ),
    )
    return next((why for is_so, why in reasons if is_so), "")


# -- preparing


def _event(file: Sniffed, extracted: Extracted, room_bytes: int) -> AttachmentAdded:
    warnings = [*file.warnings, *extracted.warnings]
    text = extracted.text[: _fitting(extracted.text, room_bytes)]
    if len(text) < len(extracted.text):
        warnings.append(
            f"only the first {len(text)} of its {len(extracted.text)} characters are searched and shown to a model"
        )
    return AttachmentAdded(
        AttachmentId(sha256(extracted.data).hexdigest()),
        clean_name(redact_text(file.name).text),
        extracted.media_type,
        len(extracted.data),
        text,
        extracted.width,
        extracted.height,
        tuple(warnings),
    )


def _fitting(text: str, room_bytes: int) -> int:
    """How many characters JSON can write in so many bytes."""
    most = min(len(text), room_bytes)
    return bisect_right(range(most + 1), room_bytes, key=lambda count: len(canonical_json(text[:count])) - 2) - 1


def _attachment(event: AttachmentAdded, place: Scope) -> StoredAttachment:
    """As it will be read back, but for what the journal gives it."""
    return StoredAttachment(
        event.attachment_id,
        0,
        EventId(""),
        place,
        event.name,
        event.media_type,
        event.size_bytes,
        event.text,
        event.width,
        event.height,
        event.warnings,
        0,
    )
