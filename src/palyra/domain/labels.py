"""What a memory is called: its category and its sensitivity. The rules that give these names are in `classify.py`."""

from enum import StrEnum


class Category(StrEnum):
    DURABLE_FACT = "durable_fact"
    PREFERENCE = "preference"
    PROCEDURE = "procedure"
    CONSTRAINT = "constraint"
    DECISION = "decision"
    CORRECTION = "correction"
    TRANSIENT = "transient"


class Sensitivity(StrEnum):
    """From open to closed; `level` puts them in that order."""

    PUBLIC = "public"
    PERSONAL = "personal"
    SECRET = "secret"  # noqa: S105 - the name of a level, not a secret

    @property
    def level(self) -> int:
        return _LEVELS[self]


_LEVELS = {Sensitivity.PUBLIC: 0, Sensitivity.PERSONAL: 1, Sensitivity.SECRET: 2}
