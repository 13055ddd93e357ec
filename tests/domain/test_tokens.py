"""What a token looks like, what it may be granted, and when it is good for anything."""

import secrets
from collections.abc import Callable

import pytest

from palyra.core import limits
from palyra.core.errors import InvalidArgument
from palyra.core.hashing import sha256
from palyra.core.redact import redact_payload_json, redact_text
from palyra.domain.access import GRANTABLE, PERSONS_ONLY, Capability
from palyra.domain.journal import Actor
from palyra.domain.tokens import (
    Token,
    TokenGrant,
    TokenId,
    check_grant,
    parse_capabilities,
    read_token,
    write_token,
)

NOW_MS = 1_700_000_000_000
ID = TokenId("01JD8QZ6T3M4N5P6Q7R8S9TABC")


def a_grant(
    *can: Capability,
    actor: Actor = Actor.USER,
    channels: tuple[str, ...] = (),
    label: str = "",
    expires_at_ms: int | None = None,
) -> TokenGrant:
    return TokenGrant("user:ana", actor, channels, frozenset(can or {Capability.READ}), label, expires_at_ms)


def test_a_written_token_reads_back_as_its_id_and_the_digest_of_its_secret() -> None:
    secret = secrets.token_urlsafe(32)
    assert read_token(write_token(ID, secret)) == (ID, sha256(secret.encode()))


@pytest.mark.parametrize(
    "spoil",
    [
        lambda token: token[:-1],
        lambda token: token + "A",
        lambda token: token + "\n",
        lambda token: " " + token,
        lambda token: token.replace("pal_", "PAL_"),
        lambda token: token.replace(ID, ID.lower()),
        lambda token: token.replace(ID, "9" + ID[1:]),
        lambda token: token[:-1] + "é",
        lambda token: token[:-1] + "\N{FULLWIDTH DIGIT ONE}",
        lambda token: token.removeprefix("pal_"),
    ],
)
def test_what_only_resembles_a_token_is_none(spoil: Callable[[str], str]) -> None:
    assert read_token(spoil(write_token(ID, secrets.token_urlsafe(32)))) is None


def test_a_token_in_a_text_is_masked_wherever_it_stands() -> None:
    token = write_token(ID, secrets.token_urlsafe(32))
    for text in (token, f"use {token}.", f"Bearer {token}", f"url?key={token}&x=1", f"({token})", f"a\n{token}\nb"):
        shown = redact_text(text).text
        assert token not in shown
        assert token.split("_", 2)[2] not in shown
    assert token not in repr(redact_payload_json({"note": [f"my token is {token}"], token: 1}))


@pytest.mark.parametrize("actor", [actor for actor in Actor if actor is not Actor.USER])
@pytest.mark.parametrize("capability", sorted(PERSONS_ONLY))
def test_what_is_for_persons_is_refused_to_everybody_else(actor: Actor, capability: Capability) -> None:
    with pytest.raises(InvalidArgument, match="for persons"):
        check_grant(a_grant(Capability.READ, capability, actor=actor), NOW_MS)


def test_a_person_may_be_granted_everything_but_the_files() -> None:
    check_grant(a_grant(*GRANTABLE), NOW_MS)
    with pytest.raises(InvalidArgument, match="own cannot be granted"):
        check_grant(a_grant(Capability.OWN), NOW_MS)
    with pytest.raises(InvalidArgument, match="unknown capability 'own'"):
        parse_capabilities(["read", "own"])


def test_a_grant_is_checked_before_it_is_a_token() -> None:
    with pytest.raises(InvalidArgument, match="can do nothing"):
        check_grant(TokenGrant("user:ana", Actor.USER, (), frozenset(), ""), NOW_MS)
    with pytest.raises(InvalidArgument, match="channels; at most"):
        check_grant(a_grant(channels=tuple(f"c{n}" for n in range(limits.TOKEN_CHANNELS + 1))), NOW_MS)
    for wrong in ("", " c", "c\n"):
        with pytest.raises(InvalidArgument, match="channel"):
            check_grant(a_grant(channels=(wrong,)), NOW_MS)
    with pytest.raises(InvalidArgument, match="label looks like it holds a secret"):
        check_grant(a_grant(label=write_token(ID, secrets.token_urlsafe(32))), NOW_MS)
    for never in (NOW_MS - 1, NOW_MS, 1 << 48):
        with pytest.raises(InvalidArgument, match="would expire"):
            check_grant(a_grant(expires_at_ms=never), NOW_MS)


def test_a_token_is_active_until_the_very_moment_it_expires() -> None:
    token = Token(ID, a_grant(expires_at_ms=NOW_MS + 10), b"", NOW_MS)
    assert [token.state(NOW_MS + ms) for ms in (0, 9, 10, 11)] == ["active", "active", "expired", "expired"]
    revoked = Token(ID, a_grant(), b"", NOW_MS, revoked_at_ms=NOW_MS + 5)
    assert revoked.state(NOW_MS) == "revoked"
