"""From what a surface was shown to a caller."""

import secrets
from pathlib import Path

import pytest

from palyra.api.authenticate import Gate, standing
from palyra.api.call import Caller, owner
from palyra.app import App
from palyra.core.clock import ManualClock
from palyra.core.errors import InvalidArgument, PermissionDenied, Unauthenticated
from palyra.domain.access import Capability
from palyra.domain.journal import Actor
from palyra.domain.tokens import TokenGrant
from support import ANA, an_app, run

CAN = frozenset({Capability.READ})


async def a_token(
    app: App, *can: Capability, channels: tuple[str, ...] = (), expires_at_ms: int | None = None
) -> tuple[str, str]:
    """Its id, and the header that shows it."""
    grant = TokenGrant("user:ana", Actor.USER, channels, CAN | set(can), "", expires_at_ms)
    made = await app.tokens.create(grant, ANA)
    return made.token.token_id, f"Bearer {made.text}"


@pytest.mark.parametrize(
    "authorization",
    [
        None, "", " ", "Bearer", "Bearer ", "Basic YTpi", "Bearer x", "Bearer \ud800",  "bearer\tx",
        "Bearer pal_", "Bearer " + "x" * 100_000,
    ],
)  # fmt: skip
def test_without_good_credentials_nobody_is_anybody(tmp_path: Path, authorization: str | None) -> None:
    async def work() -> None:
        async with an_app(tmp_path) as app:
            with pytest.raises(Unauthenticated) as caught:
                await Gate(app, secrets.token_urlsafe()).caller(authorization)
            assert "token create" in caught.value.hint
            assert "xxx" not in caught.value.message

    run(work())


def test_a_token_is_a_caller_with_its_grant_and_nothing_else(tmp_path: Path) -> None:
    async def work() -> None:
        clock = ManualClock()
        async with an_app(tmp_path, clock) as app:
            gate, ends = Gate(app, secrets.token_urlsafe()), clock.now_ms() + 5
            token_id, header = await a_token(app, channels=("c", "d"), expires_at_ms=ends)
            name = f"caller {token_id}"
            expected = Caller("user:ana", CAN, Actor.USER, frozenset({"c", "d"}), name=name, expires_at_ms=ends)
            assert await gate.caller(header) == expected
            assert await gate.caller(header.replace("Bearer ", "bEARER   ") + " ") == expected
            _, header = await a_token(app, channels=("c", "*"))
            assert (await gate.caller(header)).channels is None
            _, header = await a_token(app)
            assert (await gate.caller(header)).channels == frozenset()

    run(work())


def test_the_owner_secret_is_the_owner_and_nothing_near_it_is(tmp_path: Path) -> None:
    async def work() -> None:
        secret = secrets.token_urlsafe()
        async with an_app(tmp_path) as app:
            gate = Gate(app, secret)
            assert await gate.caller(f"Bearer {secret}") == owner("user:local")
            for near in (secret + "x", secret[:-1], secret.swapcase()):
                with pytest.raises(Unauthenticated):
                    await gate.caller(f"Bearer {near}")
            with pytest.raises(Unauthenticated):
                await Gate(app, secrets.token_urlsafe()).caller(f"Bearer {secret}")

    run(work())


def test_a_token_stops_being_anybody_the_moment_it_is_revoked_or_expires(tmp_path: Path) -> None:
    async def work() -> None:
        clock = ManualClock()
        async with an_app(tmp_path, clock) as app:
            gate = Gate(app, secrets.token_urlsafe())
            token_id, revoked = await a_token(app)
            _, expiring = await a_token(app, expires_at_ms=clock.now_ms() + 1)
            await gate.caller(revoked)
            await gate.caller(expiring)
            await app.tokens.revoke(token_id, ANA)
            clock.advance(1)
            for header in (revoked, expiring):
                with pytest.raises(Unauthenticated):
                    await gate.caller(header)

    run(work())


def test_a_caller_stands_where_it_asks_to_as_far_as_it_may(tmp_path: Path) -> None:
    ana = Caller("user:ana", CAN, expires_at_ms=7)
    assert standing(ana, None, None) is ana
    there = standing(ana, "user:ana", "c")
    assert (there.channel, there.stands_for, there.principal) == ("c", "user:ana", "user:ana")
    assert (there.capabilities, there.expires_at_ms) == (CAN, 7)
    with pytest.raises(PermissionDenied):
        standing(ana, "user:bob", None)
    everyone = Caller("user:ana", CAN | {Capability.ANY_PRINCIPAL})
    assert standing(everyone, "user:bob", None).stands_for == "user:bob"
    assert standing(everyone, "user:bob", None).principal == "user:ana"
    for principal, channel in (("", None), (None, ""), ("user:bob\n", None), (None, " c")):
        with pytest.raises(InvalidArgument):
            standing(everyone, principal, channel)
