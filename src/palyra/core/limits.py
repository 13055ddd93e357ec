"""Hard limits. A setting may lower one, never raise it."""

EVENT_KIND_BYTES = 64
IDENTIFIER_BYTES = 256
"""principal, channel, session, run and request ids"""

PAYLOAD_BYTES = 1_048_576
"""hard cap; the setting journal.max_payload_bytes (256 KiB) is what a user meets"""
PAYLOAD_DEPTH = 64

EVENTS_PER_DECISION = 10_000
QUEUED_DECISIONS = 8_192
DECISIONS_PER_COMMIT = 256

PAGE_EVENTS = 1_000
ERASE_EVENTS = 1_000

READ_SECONDS = 30
"""one read transaction; longer work pages"""

ITEM_BYTES = 16_384
ITEM_TOKENS = 2_048
ITEM_TAGS = 32
TAG_BYTES = 64
TOP_K = 64
QUERY_BYTES = 8_192
PAGE_ITEMS = 500
PLACES = 500
BULK_ITEMS = 1_000
"""drafts in one ingest, ids in one delete or erase"""
PROVENANCE_IDS = 64
BACKFILL_BATCH = 256
TOKEN_CHANNELS = 64
KNOWN_TOKENS = 4_096
"""tokens a daemon remembers; more are read anew each time"""
MESSAGE_BYTES = 131_072
"""one message of a chat; what is longer comes as an attachment"""
TURNS_AT_ONCE = 256
"""finished turns handed over in one call"""
WAIT_MS = 60_000
"""how long a call may wait until they have been read"""
REFERENCES = 8
REFERENCES_CHARS = 24_000
IMAGES = 3
IMAGE_BYTES = 4_194_304
IMAGES_BYTES = 8_388_608
IMAGE_PIXELS = 2_048
"""the longer side"""
ATTACHMENTS = 8
"""of one message"""
ATTACHMENT_BYTES = 16_777_216
ACTIVE_RUNS = 512
"""turns that go on in one process, those that wait included"""
QUEUED_MESSAGES = 16
"""follow-ups that wait for a run of their session"""
BODY_BYTES = 67_108_864
"""of one HTTP request"""
