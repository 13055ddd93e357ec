"""What a caller may see and say: where a request's scope meets the caller's rights."""

from pathlib import Path

import pytest

from palyra.api.call import Call, Caller, actor_of, owner, principal_of, seer, to_actor
from palyra.core.errors import InvalidArgument, PermissionDenied
from palyra.domain.access import GRANTABLE, Capability
from palyra.domain.journal import Actor
from palyra.domain.memory import ACTOR_TRUST
from palyra.domain.scope import Visibility
from palyra.wire.memory import ListItems
from support import an_app

READ = frozenset({Capability.READ})


def a_call(tmp_path: Path, caller: Caller) -> Call:
    return Call(an_app(tmp_path), caller)


def sight(tmp_path: Path, caller: Caller, *names: str | None) -> Visibility:
    principal, channel, session_id = (*names, None, None, None)[:3]
    return seer(a_call(tmp_path, caller), ListItems(principal=principal, channel=channel, session_id=session_id))


def test_a_caller_stands_for_its_own_principal_unless_it_says_otherwise(tmp_path: Path) -> None:
    ana = Caller("user:ana", READ)
    assert sight(tmp_path, ana) == Visibility("user:ana")
    assert sight(tmp_path, ana, "user:ana", "c", "s") == Visibility("user:ana", "c", "s")


@pytest.mark.parametrize(
    "other", ["user:bob", "user:Ana", "user:ana ", " user:ana", "user:an\u0430", "user:ana\u0301", "USER:ANA", "", "*"]
)
def test_a_caller_speaks_for_no_other_principal_however_much_alike(tmp_path: Path, other: str) -> None:
    with pytest.raises(PermissionDenied, match="you speak for 'user:ana'"):
        sight(tmp_path, Caller("user:ana", GRANTABLE - {Capability.ANY_PRINCIPAL}), other)


def test_two_spellings_of_a_name_are_two_principals(tmp_path: Path) -> None:
    with pytest.raises(PermissionDenied):
        sight(tmp_path, Caller("user:\u00e9", READ), "user:e\u0301")


def test_any_principal_may_be_spoken_for_with_that_capability(tmp_path: Path) -> None:
    everyone = Caller("user:ana", READ | {Capability.ANY_PRINCIPAL})
    assert sight(tmp_path, everyone, "user:bob", "c") == Visibility("user:bob", "c")
    assert principal_of(everyone, None) == "user:ana"
    for name in ("", " ", "user:bob\n"):
        with pytest.raises(InvalidArgument):
            sight(tmp_path, everyone, name)


def test_a_caller_without_channels_stands_at_principal_scope_only(tmp_path: Path) -> None:
    nowhere = Caller("user:ana", READ, channels=frozenset())
    assert sight(tmp_path, nowhere) == Visibility("user:ana")
    for channel in ("c", "*", "null"):
        with pytest.raises(PermissionDenied, match="may not stand in channel"):
            sight(tmp_path, nowhere, None, channel)


def test_a_caller_of_one_channel_stands_in_it(tmp_path: Path) -> None:
    there = Caller("user:ana", READ, channels=frozenset({"c"}))
    assert sight(tmp_path, there) == Visibility("user:ana", "c")
    assert sight(tmp_path, there, None, "c", "s") == Visibility("user:ana", "c", "s")
    for channel in ("C", "c ", "cc", "*", "d"):
        with pytest.raises(PermissionDenied, match="may not stand in channel"):
            sight(tmp_path, there, None, channel)


def test_a_caller_of_many_channels_has_to_say_in_which_it_stands(tmp_path: Path) -> None:
    there = Caller("user:ana", READ, channels=frozenset({"c", "d"}))
    assert sight(tmp_path, there, None, "d") == Visibility("user:ana", "d")
    with pytest.raises(PermissionDenied, match="names none"):
        sight(tmp_path, there)


def test_where_a_caller_stands_holds_unless_the_request_says_otherwise(tmp_path: Path) -> None:
    there = Caller("user:ana", READ, channels=frozenset({"c", "d"}), channel="c")
    assert sight(tmp_path, there) == Visibility("user:ana", "c")
    assert sight(tmp_path, there, None, "d") == Visibility("user:ana", "d")
    astray = Caller("user:ana", READ, channels=frozenset({"c"}), channel="d")
    with pytest.raises(PermissionDenied):
        sight(tmp_path, astray)


def test_an_empty_channel_or_session_is_a_mistake_and_not_none(tmp_path: Path) -> None:
    for names in ((None, "", None), (None, None, ""), (None, "c", " ")):
        with pytest.raises(InvalidArgument):
            sight(tmp_path, owner("user:ana"), *names)


@pytest.mark.parametrize("actor", Actor)
@pytest.mark.parametrize("asked", [None, *Actor])
def test_nobody_writes_in_a_name_that_is_trusted_more(tmp_path: Path, actor: Actor, asked: Actor | None) -> None:
    call = a_call(tmp_path, Caller("user:ana", GRANTABLE, actor))
    more = asked is not None and ACTOR_TRUST[asked] < ACTOR_TRUST[actor]
    if more:
        with pytest.raises(PermissionDenied, match="may not write as"):
            actor_of(call, asked)
    else:
        assert actor_of(call, asked) is (asked or actor)


def test_the_owner_of_the_files_may_do_everything_in_every_name(tmp_path: Path) -> None:
    me = owner("user:ana")
    assert all(me.may(capability) for capability in Capability)
    assert sight(tmp_path, me, "user:bob", "c") == Visibility("user:bob", "c")
    for actor in Actor:
        assert actor_of(a_call(tmp_path, me), actor.value) is actor
    assert actor_of(a_call(tmp_path, me), None) is Actor.USER


def test_an_unknown_actor_is_named_with_the_known_ones() -> None:
    with pytest.raises(InvalidArgument, match="unknown actor 'root'") as caught:
        to_actor("root")
    assert "operator" in caught.value.hint
