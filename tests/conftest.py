"""Options shared by every test."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--fault-cycles", type=int, default=200, help="how many kill -9 cycles tests/faults runs")
