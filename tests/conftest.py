"""Options shared by every test."""

import signal

import pytest
from hypothesis import settings

# The suite must say the same of the same tree each time; whoever looks for new cases asks for them.
settings.register_profile("repeatable", derandomize=True)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--explore", action="store_true", help="property tests look for new cases")
    parser.addoption("--fault-cycles", type=int, default=200, help="how many kill -9 cycles tests/faults runs")
    parser.addoption(
        "--property-examples", type=int, default=40, help="how many stories tests/properties/test_scopes tells"
    )
    parser.addoption("--property-steps", type=int, default=30, help="how many steps each of those stories has")
    parser.addoption("--fuzz-inputs", type=int, default=400, help="how many mutated requests a fuzzer sends")
    parser.addoption("--external-cycles", type=int, default=2, help="how often process and external engine are killed")
    parser.addoption("--external-items", type=int, default=300, help="how many items are mirrored before that")
    parser.addoption("--screenshots", metavar="DIR", help="tests/browser takes pictures of every page into DIR")
    parser.addoption("--write-docs", action="store_true", help="tests/docs writes what was printed into the pages")
    parser.addoption(
        "--workspace-steps", type=int, default=300, help="how many steps of edits and crashes a workspace lives through"
    )


def pytest_configure(config: pytest.Config) -> None:
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # `make test &`: what is started would ignore Ctrl-C, too
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if not config.getoption("--explore"):
        settings.load_profile("repeatable")
