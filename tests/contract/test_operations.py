"""Every operation says who may call it, and every surface can be derived from the table."""

from palyra.api.operation import Who
from palyra.api.operations import OPERATIONS


def test_every_operation_says_who_may_call_it() -> None:
    assert all(isinstance(operation.who, Who) for operation in OPERATIONS)


def test_names_and_routes_are_unique() -> None:
    names = [operation.name for operation in OPERATIONS]
    routes = [(operation.method, operation.path) for operation in OPERATIONS]
    assert len(set(names)) == len(names)
    assert len(set(routes)) == len(routes)
