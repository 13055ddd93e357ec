"""`--property-examples 4000` is the long run of the property tests here."""

import pytest

from domain.workspace import markdown_texts


def pytest_configure(config: pytest.Config) -> None:
    markdown_texts.LENGTH["examples"] = config.getoption("--property-examples")
