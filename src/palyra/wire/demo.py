"""The sample history on the wire."""

from palyra.domain.events import SAMPLE_PRINCIPAL
from palyra.wire.base import Request, Response

__all__ = ["SAMPLE_PRINCIPAL"]


class LoadDemo(Request):
    pass


class RemoveDemo(Request):
    pass


class GetDemoStatus(Request):
    pass


class DemoStatus(Response):
    state: str
    """absent, partial (loading it was cut off), loaded, or foreign: the principal has data that is not the sample's"""
    principal: str
    """whose it is: name it to look at the sample"""
    events: int
    """that hold something of it"""
    session: str
    """the conversation to look at first"""


class DemoLoaded(Response):
    principal: str
    events: int
    session: str
    """the conversation to look at first"""
    repeated: bool
    """it was there already, and nothing was written"""
    took_ms: int


class DemoRemoved(Response):
    principal: str
    erased: int
    """events whose payload was destroyed; 0: there was nothing"""
    certificate: str | None
    """the id of the event that says so: prove it with the journal"""
    checkpoint: str
    """the signed checkpoint that covers it; empty without a signing key"""
    untouched_copies: list[str]
    """what may still hold some of it: backups that could not be read, engines that have not confirmed"""
