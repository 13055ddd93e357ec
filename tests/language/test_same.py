"""The same in other words is one; what only looks alike never is."""

from pathlib import Path

import pytest

from palyra.language.change import Changes
from palyra.language.statements import Known

HERE = Path(__file__).parent
MERGED_AT_LEAST = 38


def pairs(name: str) -> list[tuple[str, str]]:
    rows = [line for line in (HERE / name).read_text("utf-8").splitlines() if line and not line.startswith("#")]
    return [(first.strip(), second.strip()) for first, second in (row.split(" | ") for row in rows)]


def is_same(first: str, second: str) -> bool:
    links = Changes().links(Known("new", second, second, 2), [Known("old", first, first, 1)])
    return any(link.relation == "same" for link in links)


def test_most_pairs_in_other_words_are_one_in_either_order() -> None:
    rows = pairs("same.txt")
    assert len(rows) >= 40
    assert sum(is_same(*row) and is_same(*reversed(row)) for row in rows) >= MERGED_AT_LEAST


@pytest.mark.parametrize(("first", "second"), pairs("lookalike.txt"))
def test_look_alikes_are_two_in_either_order(first: str, second: str) -> None:
    assert not is_same(first, second)
    assert not is_same(second, first)
