"""What all requests and all responses have in common."""

import msgspec


class Request(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """Base of all requests: an unknown field is an error, not a surprise."""


class Response(msgspec.Struct, kw_only=True):
    """Base of all responses."""


class Arguments(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """Base of what a model passes to a tool: an unknown argument is an error, not a surprise."""
