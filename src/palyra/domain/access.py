"""Who may do what, and what of the data directory that takes. Plain names: nothing here loads anything."""

from enum import Enum, StrEnum


class Capability(StrEnum):
    """What a caller may be allowed. Every operation needs exactly one of them."""

    READ = "read"
    """search, recall and read the memory of its own principal"""
    WRITE = "write"
    """add to it and correct it"""
    FORGET = "forget"
    """delete from it; the history stays"""
    REVIEW = "review"
    """decide about what waits for a person"""
    SCHEDULE = "schedule"
    """let prompts run by themselves"""
    ERASE = "erase"
    """destroy every trace of a text"""
    OPERATE = "operate"
    """run the installation: verify and sign the journal, the index, backups, tokens; sees no text"""
    SENSITIVE = "sensitive"
    """for an agent: read what is sensitive as it is written; persons do in any case"""
    METRICS = "metrics"
    """read the counters"""
    ANY_PRINCIPAL = "any_principal"
    """speak for every principal, and with `operate` read the journal; that is journaled"""
    OWN = "own"
    """has the files of this installation, and may name paths on this machine; never granted to a token"""


PERSONS_ONLY = frozenset(
    {Capability.REVIEW, Capability.SCHEDULE, Capability.ERASE, Capability.OPERATE, Capability.ANY_PRINCIPAL}
)
"""What an agent is never given: whoever decides about memory is a person."""

GRANTABLE = frozenset(Capability) - {Capability.OWN}


class Access(Enum):
    """What an operation needs of the data directory."""

    NONE = "none"
    READ = "read"
    OWN_OR_READ = "own_or_read"
    """it leaves something in the journal, and does without where the disk is read-only"""
    OWN = "own"
