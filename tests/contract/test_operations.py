"""Every operation says who may call it, and every surface can be derived from the table."""

from palyra.api.handlers import HANDLERS
from palyra.api.operations import OPERATIONS
from palyra.domain.access import Capability


def test_every_operation_says_who_may_call_it() -> None:
    assert all(isinstance(operation.needs, Capability) for operation in OPERATIONS)


def test_names_and_routes_are_unique() -> None:
    names = [operation.name for operation in OPERATIONS]
    routes = [(operation.method, operation.path) for operation in OPERATIONS]
    assert len(set(names)) == len(names)
    assert len(set(routes)) == len(routes)


def test_every_operation_is_bound_to_what_it_does() -> None:
    assert set(HANDLERS) == {operation.name for operation in OPERATIONS}
