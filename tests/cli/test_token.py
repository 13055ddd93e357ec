"""`palyra token` as an owner meets it."""

from pathlib import Path

import pytest

from shell import Shell
from support import files_holding


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path / "data").begin()


def test_a_token_is_the_only_line_on_standard_output_and_in_no_file(shell: Shell) -> None:
    done = shell("token", "create", "--principal", "user:ana", "--label", "laptop", "--ttl", "30d")
    [token] = done.stdout.decode().splitlines()
    _, token_id, secret = token.split("_", 2)
    assert b"not shown again" in done.stderr
    assert b"authorization: Bearer" in done.stderr
    assert token_id.encode() in done.stderr
    assert files_holding(shell.home, secret) == []


def test_a_token_is_made_listed_and_revoked(shell: Shell) -> None:
    made = shell.json(
        "token", "create", "--can", "read", "--channel", "discord:1", "--channel", "discord:2", "--label", "bot"
    )  # fmt: skip
    info = made["info"]
    assert (info["actor"], info["capabilities"], info["channels"]) == ("agent", ["read"], ["discord:1", "discord:2"])
    assert shell.json("token", "list")["tokens"] == [info]
    line = shell("token", "list").stdout.decode()
    for shown in (info["token_id"], "active", "user:local", "read", "discord:1,discord:2", "no end", "bot"):
        assert shown in line
    assert shell("token", "revoke", info["token_id"]).stdout.decode() == f"revoked {info['token_id']}\n"
    assert "revoked" in shell("token", "list").stdout.decode()


def test_the_list_goes_on_page_by_page(shell: Shell) -> None:
    ids = [shell.json("token", "create")["info"]["token_id"] for _ in range(3)]
    first = shell("token", "list", "--limit", "2")
    assert f"more: palyra token list --after {ids[1]}" in first.stderr.decode()
    [last] = shell.json("token", "list", "--after", ids[1])["tokens"]
    assert last["token_id"] == ids[2]


def test_an_empty_list_says_how_to_begin(shell: Shell) -> None:
    assert shell("token", "list").stdout == b"no tokens: palyra token create\n"


@pytest.mark.parametrize(
    ("arguments", "code", "exit_code"),
    [
        (("create", "--can", "own"), "invalid_argument", 2),
        (("create", "--can", "fly"), "invalid_argument", 2),
        (("create", "--can", "erase"), "invalid_argument", 2),
        (("create", "--ttl", "soon"), "invalid_argument", 2),
        (("create", "--ttl", "0s"), "invalid_argument", 2),
        (("create", "--actor", "ghost"), "invalid_argument", 2),
        (("revoke", "01KA0000000000000000000009"), "not_found", 3),
    ],
)
def test_wrong_use_has_the_code_of_the_table(
    shell: Shell, arguments: tuple[str, ...], code: str, exit_code: int
) -> None:
    shell.fails("token", *arguments, code=code, exit_code=exit_code)
