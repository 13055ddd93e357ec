"""How much one caller may ask for, and all who are nobody together."""

import pytest

from palyra.api.call import Caller, owner
from palyra.core.errors import Exhausted, Unauthenticated
from palyra.transports.limits import RateLimit
from support import run


async def nobody() -> Caller:
    raise Unauthenticated("unknown token")


async def somebody() -> Caller:
    return owner("user:ana")


def test_whoever_guesses_too_often_is_told_to_slow_down_and_disturbs_nobody_else() -> None:
    async def story() -> None:
        rate = RateLimit(1, burst=3, now=lambda: 0.0)
        for _ in range(3):
            with pytest.raises(Unauthenticated):
                await rate.identify(nobody())
        with pytest.raises(Exhausted) as told:
            await rate.identify(nobody())
        assert told.value.details["retry_after_ms"]
        rate.admit((await rate.identify(somebody())).name)

    run(story())
