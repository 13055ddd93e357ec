"""One floor: what the settings say by default is what was fitted."""

from palyra.language.bearing import FLOOR
from palyra.settings import Settings


def test_the_default_floor_is_the_fitted_one() -> None:
    assert Settings().memory.auto_inject_min_score == FLOOR
