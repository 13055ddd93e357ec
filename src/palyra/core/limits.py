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
